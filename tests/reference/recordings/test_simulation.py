"""Simulated recordings: what they are, and that the checkers explain them.

They move by steps of the rules alone, so each is possible; where a checker does not explain one,
the case is an expected failure that names what the checker lacks.
"""

from __future__ import annotations

import ast
import itertools
import sys
from collections import Counter
from pathlib import Path

import pytest

from reference.recordings.judging import CONFORMS, check_recording
from reference.recordings.reading import Recording, read_recording
from reference.releases.versions import parse_version
from tests.reference.recordings.simulation import __main__ as command
from tests.reference.recordings.simulation.group import Group, simulate
from tests.reference.recordings.simulation.scenarios import SCENARIOS

FOLDER = Path(__file__).parent / "simulation"

EVENTS = 150
"""How many lines a recording has that is made in a test."""

EXPLAINED = (
    ("healthy", "4.9.8", 1),
    ("healthy", "5.3.3", 5),
    ("stalls", "4.4.0", 2),
    ("stalls", "4.4.0", 52),
    ("stalls", "4.9.8", 2),
    ("restarts", "4.4.0", 3),
    ("restarts", "4.9.8", 2),
    ("kills", "4.9.8", 3),
    ("kills", "5.3.3", 1),
    ("losses", "4.4.0", 3),
    ("rollovers", "4.9.8", 2),
    ("async", "5.3.3", 2),
    ("sync_flush", "4.4.0", 2),
    ("sync_flush", "5.3.3-quorum", 1),
    ("two_slaves", "4.9.8", 1),
    ("everything", "4.4.0", 7),
    ("everything", "4.9.8", 3),
    ("restarts", "4.4.0", 2),
    ("kills", "5.3.3-quorum", 1),
    ("losses", "5.3.3-quorum", 601),
    ("two_slaves", "5.3.3-quorum", 402),
    ("everything", "4.9.8", 402),
    ("everything", "4.9.8", 602),
    ("everything", "4.9.8", 700),
    ("rollovers", "5.3.3-quorum", 603),
)
"""Scenario, release and seed of recordings that are explained by search."""

EXPLAINED_NIGHTLY = (
    ("stalls", "4.4.0", 17),
    ("rollovers", "4.4.0", 4),
    ("kills", "4.4.0", 1),
    ("restarts", "4.4.0", 11),
    ("healthy", "4.4.0", 4),
    ("losses", "4.9.8", 6),
    ("stalls", "5.3.3-quorum", 1),
    ("restarts", "4.4.0", 1),
    ("kills", "4.4.0", 4),
    ("restarts", "4.9.8", 401),
    ("everything", "4.4.0", 601),
)
"""More of the same; they take longer."""


EXPLAINED_AT_LENGTH = (
    ("stalls", "5.3.3-quorum", 2, 200),
    ("skewed", "4.9.8", 1, 165),
    ("everything", "4.4.0", 2, 40),
    ("looked_at", "4.9.8", 12, 135),
    ("everything", "5.3.3-quorum", 11, 262),
    ("rollovers", "5.3.3-quorum", 23, 180),
    ("rollovers", "4.9.8", 48, 115),
    ("rollovers", "4.9.8", 35, 230),
    ("everything", "4.9.8", 33, 422),
)
"""Scenario, release, seed and length: a frame that a proxy has held is not overdue when it comes, a
slave is killed when a heartbeat has made its first file, a put uses up both of its flushes; a look
is read before a put that it is noted after, an end that was announced comes by another way, records
at a wrong offset are dispatched there, a repeated report waits beside one that is held back, a put
begins long before its line, and a slave's dispatch ends within a record."""

STEPS_AT_LENGTH = 15
"""How many steps may be tried for each of their events."""


def make(scenario: str, release: str, seed: int, *, is_cut_off: bool = False) -> Recording:
    """A short recording."""
    return simulate(SCENARIOS[scenario], release, seed, EVENTS, is_cut_off=is_cut_off)


@pytest.mark.parametrize(
    ("scenario", "release", "seed"),
    [*EXPLAINED, *(pytest.param(*each, marks=pytest.mark.nightly) for each in EXPLAINED_NIGHTLY)],
)
def test_the_search_explains_a_simulated_recording(scenario: str, release: str, seed: int) -> None:
    """Every observation, by the rules that the simulation moved by."""
    verdict = check_recording(make(scenario, release, seed), version=parse_version(release))
    assert (CONFORMS, "") == (verdict.verdict, verdict.reason)


@pytest.mark.parametrize(("scenario", "release", "seed", "events"), EXPLAINED_AT_LENGTH)
def test_few_steps_are_tried_for_an_event(
    scenario: str, release: str, seed: int, events: int
) -> None:
    """Where a search for something else would take many, or would find nothing."""
    recording = simulate(SCENARIOS[scenario], release, seed, events)
    steps = STEPS_AT_LENGTH * len(recording.events)
    verdict = check_recording(recording, version=parse_version(release), steps_max=steps)
    assert (CONFORMS, "") == (verdict.verdict, verdict.reason)


def test_the_search_explains_a_recording_that_is_cut_off() -> None:
    """A recording may stop anywhere."""
    recording = simulate(SCENARIOS["kills"], "4.4.0", 5, 100, is_cut_off=True)
    assert check_recording(recording, version=parse_version("4.4.0")).is_conforming


STEPS_PER_EVENT = 7
"""How many steps may be tried for an event of a recording in which nothing is searched for long."""


@pytest.mark.parametrize(("scenario", "release"), [("kills", "5.3.3"), ("healthy", "4.4.0")])
def test_nobody_goes_back_for_a_flush_that_a_look_shows(scenario: str, release: str) -> None:
    """It is taken while the log still ends there, so few steps are tried."""
    recording = simulate(SCENARIOS[scenario], release, 3, 2 * EVENTS)
    steps = STEPS_PER_EVENT * len(recording.events)
    verdict = check_recording(recording, version=parse_version(release), steps_max=steps)
    assert (CONFORMS, "") == (verdict.verdict, verdict.reason)


STRIKES = frozenset(
    {"link_stalled", "link_cut", "link_cut_mid_frame", "node_kill9", "node_stop_begin"}
    | {"delete_expired_files"}
)
"""What an operator does, as a recording shows it."""


def test_what_befalls_a_group_is_recorded() -> None:
    """No recording that is to be explained passes before its operator has struck."""
    for scenario, release, seed in (*EXPLAINED, *EXPLAINED_NIGHTLY):
        kinds = {event.kind for event in make(scenario, release, seed).events}
        assert not SCENARIOS[scenario].strikes or kinds & STRIKES, (scenario, release, seed)


def test_a_seed_decides_everything() -> None:
    """The same seed gives the same recording, another seed another one."""
    one, again, other = (make("everything", "4.9.8", seed) for seed in (1, 1, 2))
    assert one == again
    assert one.events != other.events


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_recording_is_of_the_format(scenario: str, tmp_path: Path) -> None:
    """The reader finds nothing missing; stamps never fall."""
    group = Group(SCENARIOS[scenario], "4.9.8", 3)
    group.run(EVENTS)
    path = tmp_path / "simulated.jsonl"
    path.write_text(group.recorder.dump(EVENTS))
    recording = read_recording(path)
    assert len(recording.events) == EVENTS
    assert (3, scenario) == (recording.config["seed"], recording.config["scenario"])
    assert all(a.t_ms <= b.t_ms for a, b in itertools.pairwise(recording.events))


def test_the_simulation_has_clocks_of_its_own() -> None:
    """It reads nothing of the checkers but the form of a recording."""
    imported = {
        node.module
        for file in FOLDER.glob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module
    }
    assert {"reference.recordings.reading"} == {
        name for name in imported if name.startswith("reference.recordings")
    }


MOVES = (
    *("append_message", "fill_file", "flush_for_put", "give_up_disk_wait", "refuse_put"),
    *("answer_slave_wait", "time_out_slave_wait", "refuse_slave_wait", "skip_slave_wait"),
    *("connect_slave", "close_idle_connection", "drop_connection", "cut_link", "refuse_frame"),
    *("report_offset", "receive_report", "position_transfer", "position_at_last_file"),
    *("transfer_batch", "append_to_slave", "create_first_file", "discard_frame"),
    *("kill_master", "kill_slave", "lose_master_power", "lose_slave_power", "wipe_slave"),
    *("finish_master_stop", "finish_slave_stop", "restart_master", "restart_slave"),
    *("expire_master_file", "expire_slave_file", "refuse_later_report", "wait_one_second"),
)
"""Rules that the scenarios are to use."""

SEED_OF_MOVES = 0
"""With it they do."""


def test_the_scenarios_use_the_rules() -> None:
    """Every kind of fault, and every way in which a put can end."""
    taken: Counter[str] = Counter()
    for scenario, release in itertools.product(SCENARIOS.values(), ("4.4.0", "4.9.8")):
        group = Group(scenario, release, SEED_OF_MOVES)
        group.run(700)
        taken += group.kernel.taken
    assert set() == set(MOVES) - set(taken)


def test_the_command_writes_a_recording(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the seed in its first line; a release that does not exist is an error."""
    given = ["simulation", "--seed", "7", "--events", "40", "--scenario", "kills", "--cut-off"]
    monkeypatch.setattr(sys, "argv", given)
    assert command.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 41
    assert '"seed": 7' in lines[0]
    monkeypatch.setattr(sys, "argv", [*given, "--release", "4.4.9"])
    assert command.main() == 2
    assert "4.4.9" in capsys.readouterr().err


@pytest.mark.nightly
@pytest.mark.parametrize("events", [5_000, 24_000])
def test_a_long_recording_is_explained(events: int) -> None:
    """Puts that wait for their flush, file after file; no more steps are tried as it goes on."""
    recording = simulate(SCENARIOS["sync_flush"], "5.3.3", 3, events)
    steps = STEPS_PER_EVENT * len(recording.events)
    verdict = check_recording(recording, version=parse_version("5.3.3"), steps_max=steps)
    assert (CONFORMS, "") == (verdict.verdict, verdict.reason)


@pytest.mark.nightly
@pytest.mark.parametrize("release", ["4.4.0", "4.9.8", "5.3.3"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_scenario_is_explained_at_length(scenario: str, release: str) -> None:
    """Five thousand events, and hardly anything is searched for long."""
    recording = simulate(SCENARIOS[scenario], release, 3, 5_000)
    steps = STEPS_AT_LENGTH * len(recording.events)
    verdict = check_recording(recording, version=parse_version(release), steps_max=steps)
    assert (CONFORMS, "") == (verdict.verdict, verdict.reason)
