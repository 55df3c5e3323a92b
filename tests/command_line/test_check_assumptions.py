"""Assumptions on every output of ``check``, and in ``explain`` and ``upgrade``."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from command_line.output import exit_codes
from tests.command_line.run import run
from tests.command_line.test_check import write_group

SHORT = ("--what-if", "slave.haSendHeartbeatInterval=4999")
LATE = ("--what-if", "slave.haSendHeartbeatInterval=19000")
SMALL = ("--what-if", "slave.mapedFileSizeCommitLog=1048576")
YOUNG = ("--what-if", "fileReservedTime=0")
UNKEPT = ("--what-if", "slave.fileReservedTime=0")
SAID = "fileReservedTime=0 (slave 1)"


@pytest.mark.parametrize(
    ("options", "cell"),
    [(UNKEPT, "flush_reaches_the_end:none"), (SMALL, "flush_reaches_the_end:none")],
)
def test_what_was_proved_without_an_assumption_is_undecided(
    options: tuple[str, ...], cell: str
) -> None:
    """``--require`` ends with 2 and gives the reason."""
    result = run("check", *options, "--require", cell)
    assert result.returncode == exit_codes.UNDECIDED
    assert "undecided" in result.stderr
    assert "the reason: " in result.stderr


@pytest.mark.parametrize(
    ("options", "cell", "code"),
    [
        (SHORT, "acknowledgement_is_truthful:slave kill", "C41"),
        (LATE, "slaves_reach_the_masters_end:none", "S49"),
        (SMALL, "slaves_reach_the_masters_end:none", "S50"),
        (YOUNG, "flush_reaches_the_end:none", "B55"),
    ],
)
def test_timers_and_sizes_refute(options: tuple[str, ...], cell: str, code: str) -> None:
    """They break what holds for stock brokers, without any failure, and the screen says what."""
    assert run("check", *options, "--require", cell).returncode == exit_codes.REFUTED
    assert code in run("check", *options).stdout


@pytest.mark.parametrize("options", [LATE, SMALL, YOUNG])
def test_what_consumers_lose_is_judged_all_the_same(options: tuple[str, ...]) -> None:
    """What does not rest on the setting keeps its verdict."""
    screen = run("check", *options).stdout
    assert "undecided for these read settings" not in screen
    assert "N12 one power loss of the master" in screen


def test_explain_tells_what_the_setting_does_and_what_helps() -> None:
    """The reason is the setting's, and no recovery is offered that leaves it."""
    shown = " ".join(run("explain", "S49", *LATE).stdout.split())
    assert "Each connection may be closed before the slave's first report." in shown
    assert "Set haSendHeartbeatInterval=5000 on the slaves: ends S49" in shown
    assert "Leave it: start what is down, nothing else: still broken" in shown
    sizes = " ".join(run("explain", "S50", *SMALL).stdout.split())
    assert "Set mapedFileSizeCommitLog=1073741824 on the slaves" in sizes


def test_the_screen_names_the_setting_in_one_sentence() -> None:
    """It does not list what needs the assumption as kept, and says what the change leaves open."""
    screen = run("check", *UNKEPT).stdout
    said = " ".join(screen.split())
    assert said.count(SAID) == 1
    assert "Flushing does not get stuck" not in screen
    assert "leaves proofs open in" in said


def test_a_setting_in_the_slaves_own_file_counts(tmp_path: Path) -> None:
    """Also where the master's file has the default."""
    folder = write_group(tmp_path / "group", "SYNC_MASTER", "ASYNC_FLUSH", 1)
    (slave,) = (f for f in Path(folder).iterdir() if "SLAVE" in f.read_text())
    slave.write_text(slave.read_text() + "\nfileReservedTime=0\n")
    assert SAID in " ".join(run("check", folder).stdout.split())


def test_programs_get_it_in_every_format() -> None:
    """JSON, SARIF and JUnit carry the sentence, JSON also the name."""
    cells = json.loads(run("check", *UNKEPT, "--json").stdout)["groups"][0]["verdicts"]
    opened = [v for v in cells if v["unmet_assumption"] == "file_flushed_before_it_expires"]
    assert opened
    assert all(v["verdict"] == "undecided" and SAID in v["reason"] for v in opened)
    results = json.loads(run("check", *UNKEPT, "--format", "sarif").stdout)["runs"][0]["results"]
    assert any(SAID in result["message"]["text"] for result in results)
    cases = ElementTree.fromstring(run("check", *UNKEPT, "--format", "junit").stdout).iter()
    assert any(SAID in "".join((c.text or "", c.get("message", ""))) for c in cases)
    assert all(SAID in run("check", *UNKEPT, "--format", f).stdout for f in ("html", "markdown"))


def test_explain_shows_the_recorded_runs() -> None:
    """Of an assumption without rules for brokers that do not meet it."""
    shown = run("explain", "flush_reaches_the_end", "none", *SMALL).stdout
    assert "one_file_size" in shown
    assert "slave_file_size_differs" in shown
    assert "seq 161" in shown


def test_an_upgrade_to_puts_that_wait_in_turn_is_worse() -> None:
    """What 4.6.1 proves, 4.8.0 refutes without any failure."""
    result = json.loads(run("upgrade", "4.6.1", "4.8.0", "--json").stdout)
    turned = {
        (c["guarantee"], c["fault"]): c["turn"]
        for c in result["groups"][0]["cells"]
        if c["before"]["verdict"] == "proved" and c["after"]["verdict"] == "refuted"
    }
    assert turned["acknowledgement_is_truthful", "none"] == "worse"
    assert set(turned.values()) == {"worse"}
