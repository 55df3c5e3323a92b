"""Releases on the command line: upgrade, and the option of check, prove, fuzz and replay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line.answers.short.screen import SCREEN_LINES
from command_line.output import exit_codes
from command_line.upgrade import list_new_warnings, print_advice, print_read_otherwise
from reference.configuration.broker_group import ConfigurationWarning
from reference.releases.versions import Version, parse_version
from tests.brokers.broker_files import STOCK_CONTROLLER
from tests.command_line.run import run

STOCK = Path(__file__).parents[1] / "data" / "conf" / "2m-2s-sync"
MASTER = "brokerRole=SYNC_MASTER\nflushDiskType=ASYNC_FLUSH\nbrokerName=a\nbrokerId=0\n"
SLAVE = "brokerRole=SLAVE\nbrokerName=a\nbrokerId=1\n"


def write_pair(folder: Path, master: str = "", slave: str = "") -> Path:
    """A synchronous pair, with more lines in its files."""
    (folder / "master.conf").write_text(MASTER + master)
    (folder / "slave.conf").write_text(SLAVE + slave)
    return folder


def test_an_upgrade_to_498_loses_only_starts() -> None:
    """Changes of rules and timing, cells that are proved again, and what can be seen.

    From 4.5.1 on a broker does not start over a file of another length.
    """
    answer = run("upgrade", "4.4.0", "4.9.8", "--fail-on-worse")
    assert exit_codes.REFUTED == answer.returncode
    assert "From RocketMQ 4.4.0\nto RocketMQ 4.9.8, whose rules" in answer.stdout
    assert "+ The wait for a slave ends by its deadline" in answer.stdout
    assert "dispatch_reaches_the_end: refuted" in answer.stdout
    worse = answer.stdout.partition("Worse:")[2].partition("Better:")[0].splitlines()[1:]
    assert worse
    assert all(line.strip().startswith("broker_starts_again:") for line in worse if line.strip())
    assert "Observable differences" not in answer.stdout
    flushed = run("upgrade", "4.4.0", "4.9.8", "--what-if", "flushDiskType=SYNC_FLUSH")
    assert "Observable differences" in flushed.stdout
    assert "impossible: A put can be answered FLUSH_DISK_TIMEOUT" in flushed.stdout


@pytest.mark.parametrize(
    ("release", "key", "told"),
    [
        ("4.9.8", "maped", "Worse: the master does not start: the files of its commit log have"),
        ("4.9.2", "maped", "Worse: the master starts without them, with an empty log"),
        ("4.9.8", "mapped", ""),
    ],
)
def test_a_broker_that_would_not_start_on_its_store_is_worse(
    tmp_path: Path, release: str, key: str, told: str
) -> None:
    """Its file's key is ignored by the later release; under the new name it is read."""
    before = "4.4.0" if key == "maped" else "4.5.2"
    path = tmp_path / "broker.conf"
    path.write_text(MASTER + f"{key}FileSizeCommitLog=536870912\n")
    options = ("--slaves", "0", "--fail-on-worse")
    answer = run("upgrade", before, release, path, *options)
    assert answer.returncode == (exit_codes.REFUTED if told else exit_codes.ANALYSED)
    assert (told or "No verdict changes") in answer.stdout
    (group,) = json.loads(run("upgrade", before, release, path, *options, "--json").stdout)[
        "groups"
    ]
    assert len(group["failed_starts"]) == bool(told)


def test_an_upgrade_to_5_is_worse_unless_the_file_says_more(tmp_path: Path) -> None:
    """inSyncReplicas=2 brings back what the default gives up; the mode is found in the file."""
    answer = run("upgrade", "4.9.8", "5.3.0", STOCK, "--fail-on-worse", "--timelines", "1")
    assert exit_codes.REFUTED == answer.returncode
    assert "acknowledgement_is_truthful: proved -> refuted, 3 steps" in answer.stdout
    assert "waits for no slave" in answer.stdout
    assert "not compared with recordings" in answer.stdout
    pair = write_pair(tmp_path, "inSyncReplicas=2\n")
    answer = run("upgrade", "4.9.8", "5.3.0", pair, "--json")
    document = json.loads(answer.stdout)
    assert "5.3.0" == document["to"]
    (group,) = document["groups"]
    assert group["outside_the_model"]
    assert "inSyncReplicas" in group["outside_the_model"][0]
    answer = run("upgrade", "5.0.0", "5.3.0", pair, "--json")
    (group,) = json.loads(answer.stdout)["groups"]
    assert "SYNC_MASTER/ASYNC_FLUSH/1 slave at 5.3.0-quorum" == group["to"]
    assert [] == group["outside_the_model"]
    assert {"broker_starts_again"} == {cell["guarantee"] for cell in group["cells"]}


def test_an_upgrade_tells_what_no_rule_has() -> None:
    """Versions that never agree, and the election, which only controllers have."""
    answer = run("upgrade", "5.3.3", "5.4.0")
    assert exit_codes.ANALYSED == answer.returncode
    assert "a slave bumps its own DataVersion" in answer.stdout
    assert "issue 9777" in answer.stdout
    assert "Known from source of develop before the release." in answer.stdout
    assert "No verdict changes." in answer.stdout
    assert (
        "slave_rejects_pulls"
        in json.loads(run("upgrade", "4.9.8", "5.0.0", "--json").stdout)["gained"]
    )
    answer = run("upgrade", "5.4.0", "5.5.0")
    assert "- no longer: After a copy of topics or groups a slave bumps" in answer.stdout
    classic = run("upgrade", "5.5.0", "5.5.1").stdout
    assert "+ in controller mode only: The election compares the ends" in classic
    assert "issue 10578" in classic
    controlled = run("upgrade", "5.5.0-controller", "5.5.1-controller").stdout
    assert "  + The election compares the ends" in controlled
    assert "in controller mode only" not in controlled


def test_an_upgrade_names_the_setting_that_keeps_what_gets_worse() -> None:
    """Judged like the group itself, for log and consumption alike; nothing vacuous counts."""
    (group,) = json.loads(run("upgrade", "4.9.8", "5.3.0", "--json").stdout)["groups"]
    worse = {(c["guarantee"], c["fault"]) for c in group["cells"] if c["turn"] == "worse"}
    assert ("promotion_loses_no_acknowledged_message", "both end") in worse
    kept = {each["key"]: set(map(tuple, each["cells"])) for each in group["keeping"]}
    assert kept["inSyncReplicas"] == worse
    shown = run("upgrade", "4.9.8", "5.3.0", "--timelines", "0").stdout
    assert "Set inSyncReplicas=2 on the master: keeps all of it" in shown


def test_nothing_changes_between_alike_releases() -> None:
    """4.9.3 and 4.9.8 have the same rules; what differs is told all the same."""
    answer = run("upgrade", "4.9.3", "4.9.8")
    assert "No verdict changes." in answer.stdout
    assert "+ maxMessageSize limits the body" in answer.stdout


def test_an_undecided_group_is_no_unchanged_group() -> None:
    """It says why, compares nothing, and leaves with a code of its own."""
    asked = ("upgrade", "4.9.3", "4.9.8", STOCK, "--what-if", "haTransferBatchSize=99999999")
    answer = run(*asked)
    assert exit_codes.UNDECIDED == answer.returncode
    assert "Undecided: the upgrade of this group is not compared." in answer.stdout
    assert "haTransferBatchSize=99999999" in answer.stdout
    assert "No verdict changes" not in answer.stdout
    assert "Observable differences" not in answer.stdout
    (group,) = json.loads(run(*asked, "--json").stdout)["groups"]
    assert (False, [], []) == (group["is_decided"], group["cells"], group["sights"])


@pytest.mark.nightly
def test_an_upgrade_with_another_setting() -> None:
    """It holds on both sides, or where the release knows the key; the other one is named."""
    answer = run("upgrade", "4.9.8", "5.3.0", STOCK, "--what-if", "inSyncReplicas=2")
    assert exit_codes.ANALYSED == answer.returncode
    assert "RocketMQ 4.9.8 does not know inSyncReplicas and ignores it." in answer.stdout
    assert "1 slave at 5.3.0-quorum" in answer.stdout
    assert "Worse" not in answer.stdout
    answer = run("upgrade", "4.9.8", "5.3.0", STOCK, "--what-if", "brokerRole=ASYNC_MASTER")
    assert "ASYNC_MASTER/ASYNC_FLUSH/1 slave at 4.9.3 -> ASYNC_MASTER" in answer.stdout


def test_an_upgrade_of_a_master_whose_slaves_are_unknown() -> None:
    """With none and with one; --slaves decides."""
    asked = ("upgrade", "4.4.0", "4.9.8", STOCK / "broker-a.properties")
    both = run(*asked).stdout
    assert "FLUSH/0 slaves -> " in both
    assert "FLUSH/1 slave -> " in both
    one = run(*asked, "--slaves", "1").stdout
    assert "FLUSH/0 slaves -> " not in one
    assert "FLUSH/1 slave -> " in one


def test_every_bad_file_of_an_upgrade_is_reported(tmp_path: Path) -> None:
    """Each once, though both releases read it; what only one of them refuses too."""
    (tmp_path / "a.conf").write_text("brokerRole=MASTER\n")
    answer = run("upgrade", "4.4.0", "4.9.8", tmp_path / "a.conf", tmp_path / "b.conf")
    assert exit_codes.BAD_INPUT == answer.returncode
    problems = answer.stderr.splitlines()
    assert len(set(problems)) == len(problems)
    assert any("a.conf:1" in p for p in problems)
    assert 1 == sum("b.conf" in p for p in problems)


def test_check_reads_the_keys_of_a_release(tmp_path: Path) -> None:
    """Known where they are known; before, a hint names the release that knows them."""
    pair = write_pair(tmp_path, "slaveTimeout=5000\n")
    answer = run("check", pair, "--timelines", "0")
    assert "RocketMQ 4.4.0 does not know the key slaveTimeout" in answer.stderr
    assert "--rocketmq-version 4.9.3 or later" in answer.stdout
    answer = run("check", pair, "--rocketmq-version", "4.9.8", "--json")
    document = json.loads(answer.stdout)
    assert "4.9.8" == document["rocketmq_version"]
    assert document["is_held_against_recordings"]
    assert [] == document["warnings"]
    assert [] == document["groups"][0]["outside_the_model"]
    assert "slaveTimeout" not in answer.stderr


def test_check_finds_a_renamed_key(tmp_path: Path) -> None:
    """The old spelling is ignored from 4.7.1 on, the new one is read."""
    pair = write_pair(tmp_path, "mapedFileSizeCommitLog=65536\n")
    answer = run("check", pair, "--rocketmq-version", "4.9.8", "--timelines", "0")
    assert "write mappedFileSizeCommitLog" in answer.stderr
    assert "mapedFileSizeCommitLog 1073741824" in answer.stdout
    write_pair(tmp_path, "mappedFileSizeCommitLog=65536\n")
    answer = run("check", pair, "--rocketmq-version", "4.9.8", "--timelines", "0")
    assert "mapedFileSizeCommitLog 65536" in answer.stdout


def test_check_tells_a_controller_from_its_file(tmp_path: Path) -> None:
    """With allAckInSyncStateSet, and without it; a file without the mode is told."""
    on, every = "enableControllerMode=true\n", "allAckInSyncStateSet=true\n"
    asked = ("--rocketmq-version", "5.3.0")
    answer = run("check", write_pair(tmp_path, on), *asked)
    assert "enableControllerMode=true is in some files of the group only" in " ".join(
        answer.stdout.split()
    )
    answer = run("check", write_pair(tmp_path, on + every, on + every), *asked, "--timelines", "1")
    assert "SYNC_MASTER/ASYNC_FLUSH/1 slave at 5.0.0-controller" in answer.stdout
    assert "alone in the SyncStateSet acknowledges alone" in answer.stdout
    wanted = ("--require", "acknowledged_is_kept_on_master:master kill")
    answer = run("check", tmp_path, *asked, "--timelines", "0", *wanted)
    assert exit_codes.REFUTED == answer.returncode, "a torn copy is elected"


@pytest.mark.nightly
def test_a_controller_pair_is_told_to_wait_for_all(tmp_path: Path) -> None:
    """AllAckInSyncStateSet is false by default."""
    pair = write_pair(tmp_path, *["enableControllerMode=true\n"] * 2)
    answer = run("check", pair, "--rocketmq-version", "5.3.0")
    assert "allAckInSyncStateSet=false" in answer.stdout
    assert "Set allAckInSyncStateSet=true on every broker" in answer.stdout


@pytest.mark.nightly
def test_a_controller_pair_is_explained() -> None:
    """What to watch, which recovery helps, and which one does not."""
    asked = (STOCK_CONTROLLER, "--rocketmq-version", "5.3.3")
    told = " ".join(run("explain", "S0", *asked).stdout.split())
    assert "slave logs “Failed to find a consistent point between masterEpoch”" in told
    assert "helps Empty the stopped slave's store, start it" in told
    assert "no Remove the stopped slave's epoch file, start it: still broken." in told


@pytest.mark.nightly
def test_the_stock_controller_pair_fits_a_screen() -> None:
    """What it can lose, what to set, what to do."""
    asked = (STOCK_CONTROLLER, "--rocketmq-version", "5.3.3")
    answer = run("check", *asked)
    assert exit_codes.ANALYSED == answer.returncode
    assert answer.stdout.count("\n") <= SCREEN_LINES
    assert "Nothing is decided" not in answer.stdout
    assert "Set minInSyncReplicas=2 on every broker: eases L0" in answer.stdout
    assert "but not brokerIdentity" in answer.stdout


def test_an_upgrade_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    """Before and after, each with how it is known."""
    print_advice(parse_version("4.9.8"), parse_version("5.5.1"))
    before, after = capsys.readouterr().out.split("After the upgrade:")
    assert "- Decide who answers for a message: set inSyncReplicas=2" in before
    assert "Known from: recordings of real brokers." in before
    assert "- Have consumers commit for topics and groups that exist." in after


@pytest.mark.parametrize("verb", ["check", "prove", "fuzz", "trace"])
def test_an_unknown_release_is_bad_input(verb: str) -> None:
    """One line names the releases that are known."""
    file = [] if verb != "trace" else [Path(__file__)]
    answer = run(verb, *file, "--rocketmq-version", "4.3.9")
    assert exit_codes.BAD_INPUT == answer.returncode
    assert 1 == answer.stderr.count("\n")
    assert "'4.3.9' is not a release the model knows" in answer.stderr


def test_prove_takes_a_release() -> None:
    """Its certificate is checked again, and compared with 4.4.0."""
    names = ("--structure", "SYNC_MASTER/ASYNC_FLUSH/1 slave")
    answer = run("prove", "--rocketmq-version", "4.9.8", *names, "--compare", "--jobs", "1")
    assert exit_codes.ANALYSED == answer.returncode
    assert "RocketMQ 4.9.8, whose rules of replication are those of 4.9.3." in answer.stdout
    assert "nothing bounds how often refuse_later_report[0] is taken" in answer.stdout
    assert "compared with RocketMQ 4.4.0" in answer.stdout
    answer = run("prove", "--rocketmq-version", "4.9.8", "--structure", "delay/4.4.0")
    assert exit_codes.BAD_INPUT == answer.returncode
    assert "is no structure of replication" in answer.stderr


def test_a_schedule_of_a_release_is_replayed() -> None:
    """An identifier names the release whose rules it follows."""
    code = "SYNC_MASTER-ASYNC_FLUSH-1-4.9.3/0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0/8/1/2"
    answer = run("replay", code)
    assert exit_codes.ANALYSED == answer.returncode
    assert "Model of RocketMQ 4.9.3: SYNC_MASTER/ASYNC_FLUSH/1 slave at 4.9.3." in answer.stdout
    answer = run("explain", "acknowledgement_is_truthful", "late join")
    assert "Model of RocketMQ 4.4.0" in answer.stdout


@pytest.mark.parametrize(
    ("after", "line", "told"),
    [
        ("4.5.2", "mapedFileSizeCommitLog=4096", "does not start on a store whose files are of"),
        ("4.9.2", "mapedFileSizeCommitLog=4096", "does not read files of another length"),
        ("5.0.0", "haSlaveFallbehindMax=4096", "does not know the key haSlaveFallbehindMax"),
        ("4.5.1", "mapedFileSizeCommitLog=4096", ""),
        ("4.5.2", "mapedFileSizeCommitLogg=4096", ""),
    ],
)
def test_settings_that_the_later_release_reads_otherwise(
    after: str, line: str, told: str, tmp_path: Path
) -> None:
    """Those that are odd for it alone: what it ignores, or what keeps it from starting."""
    file = tmp_path / "a.conf"
    file.write_text(f"brokerName=a\nbrokerRole=SYNC_MASTER\n{line}\n")
    found = list_new_warnings(Version("4.4.0"), Version(after), [str(file)])
    assert [bool(told)] * bool(told) == [told in warning.message for warning in found]


def test_they_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """Each with its place; nothing where there are none."""
    print_read_otherwise(Version("4.5.2"), [])
    assert "" == capsys.readouterr().out
    print_read_otherwise(Version("4.5.2"), [ConfigurationWarning("is odd", "a.conf", 3)])
    expected = "\nSettings that 4.5.2 reads otherwise:\n  - a.conf:3: is odd\n"
    assert expected == capsys.readouterr().out
