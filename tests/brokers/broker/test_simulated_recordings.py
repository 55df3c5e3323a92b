"""Recordings of own brokers: their form, what explaining them costs, and puts in long lines."""

from __future__ import annotations

import ast
import itertools
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from brokers.recordings.judging import CONFORMS, check_recording
from brokers.recordings.reading import Event, Recording, read_recording
from tests.brokers.broker.simulated import __main__ as command
from tests.brokers.broker.simulated.group import Group
from tests.brokers.broker.simulated.scenarios import SCENARIOS, Scenario
from tests.brokers.broker.test_simulated_groups import play
from tests.brokers.recordings.changes.edits import change_event

FOLDER = Path(__file__).parent / "simulated"
HARD = (
    ("skewed", "4.9.8", 41),
    ("everything", "4.9.8", 46),
    ("skewed", "5.3.3-quorum", 47),
    ("async", "4.9.8", 55),
    ("everything", "5.3.3", 51),
    ("rollovers", "5.3.3-quorum", 58),
    ("sync_flush", "5.3.3", 43),
)
"""Scenario, release and seed of recordings in which much may have come in another order."""
HARD_EVENTS = 250


def explain(recording: Recording) -> tuple[str, str]:
    """The verdict and its reason."""
    verdict = check_recording(recording)
    return verdict.verdict, verdict.reason


@pytest.mark.parametrize(("scenario", "release", "seed"), HARD)
def test_hard_recordings_are_explained(
    tmp_path: Path, scenario: str, release: str, seed: int
) -> None:
    """Where there is much to choose."""
    recording = play(tmp_path, scenario, release, seed, HARD_EVENTS).make_recording()
    assert explain(recording) == (CONFORMS, "")


@pytest.mark.parametrize(("scenario", "release"), [("kills", "5.3.3"), ("healthy", "4.4.0")])
def test_a_flush_that_a_look_shows_is_explained(
    tmp_path: Path, scenario: str, release: str
) -> None:
    """It is taken while the log still ends there."""
    recording = play(tmp_path, scenario, release, 3, 300).make_recording()
    assert explain(recording) == (CONFORMS, "")


def test_a_recording_that_is_cut_off_is_explained(tmp_path: Path) -> None:
    """A recording may stop anywhere."""
    recording = play(tmp_path, "kills", "4.4.0", 5, 100).make_recording(77)
    assert len(recording.events) == 77
    assert explain(recording) == (CONFORMS, "")


def test_a_seed_decides_everything(tmp_path: Path) -> None:
    """The same seed gives the same recording, another seed another one."""
    one, again, other = (
        play(tmp_path / str(number), "everything", "4.9.8", seed, 150).make_recording()
        for number, seed in enumerate((1, 1, 2))
    )
    assert one == again
    assert one.events != other.events


@pytest.mark.parametrize("scenario", ["everything", "skewed"])
def test_a_recording_is_of_the_format(scenario: str, tmp_path: Path) -> None:
    """The reader finds nothing missing; stamps never fall."""
    group = play(tmp_path, scenario, "4.9.8", 3, 150)
    path = tmp_path / "simulated.jsonl"
    path.write_text(group.dump(150))
    recording = read_recording(path)
    assert len(recording.events) == 150
    assert (3, scenario) == (recording.config["seed"], recording.config["scenario"])
    assert all(a.t_ms <= b.t_ms for a, b in itertools.pairwise(recording.events))


def test_the_group_has_clocks_of_its_own() -> None:
    """It reads nothing of the checkers but the form of a recording."""
    files = [FOLDER / f"{name}.py" for name in ("group", "network", "operator", "producer", "tap")]
    imported = {
        node.module
        for file in files
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module
    }
    assert {"brokers.recordings.kinds", "brokers.recordings.reading"} == {
        name for name in imported if name.startswith("brokers.recordings")
    }


def test_the_command_writes_a_recording(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the seed in its first line; a release that does not exist is an error."""
    given = ["simulated", "--seed", "7", "--events", "40", "--scenario", "kills", "--cut-off"]
    monkeypatch.setattr(sys, "argv", given)
    assert command.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 41
    assert '"seed": 7' in lines[0]
    monkeypatch.setattr(sys, "argv", [*given, "--release", "4.4.9"])
    assert command.main() == 2
    assert "4.4.9" in capsys.readouterr().err


# Lines of puts

TIMED_OUT = "FLUSH_SLAVE_TIMEOUT"
OTHERS = {"PUT_OK": TIMED_OUT, TIMED_OUT: "PUT_OK"}
WAITED_MS = 50


def make_line_scenario(seed: int) -> Scenario:
    """Producers that wait for one another while links stall (V-11)."""
    chance = random.Random(seed)
    producers = chance.choice([1, 2, 4, 8, 12])
    return Scenario(
        "line",
        slave_timeout_ms=chance.choice([500, 800, 1000, 3000]),
        producers=producers,
        think_ms=60.0 * producers,
        wait_share=1.0,
        look_ms=1e9,
        strike_ms=200,
        strikes={"stall": 1},
    )


def play_line(folder: Path, seed: int) -> Recording:
    """Once a second a put's turn comes, and at a heal the turns of all."""
    group = Group(make_line_scenario(seed), "4.9.8", seed, folder)
    group.run(160)
    return group.make_recording()


@pytest.mark.parametrize(
    "seed", [pytest.param(n, marks=[pytest.mark.nightly] * (n > 7)) for n in range(40)]
)
def test_a_line_of_many_is_explained(tmp_path: Path, seed: int) -> None:
    """Some are answered in time, some late, and some after their deadline."""
    assert explain(play_line(tmp_path, seed)) == (CONFORMS, "")


def is_past_its_deadline(recording: Recording, event: Event) -> bool:
    """Whether a put was acknowledged then, and may time out at any instant by the rules.

    They leave out when the service looks: once a second, and when it is notified
    (GroupTransferService#doWaitTransfer at 4.9.8).
    """
    settings = recording.config["nodes"]["master"]["store_config"]
    return event.data["put_status"] == "PUT_OK" and event["duration_ms"] > settings["slaveTimeout"]


def list_answers_changed(recording: Recording, is_late: bool) -> Iterator[Recording]:
    """A time-out that none was, or the reverse, each in a copy: of late puts, or of the others."""
    for place, event in enumerate(recording.events):
        status = OTHERS.get(event.data.get("put_status", ""))
        if not status or event["duration_ms"] <= WAITED_MS:
            continue
        if is_past_its_deadline(recording, event) == is_late:
            yield change_event(recording, place, put_status=status)


def make_answers_changed(folder: Path, seeds: int, is_late: bool) -> list[Recording]:
    """The copies of some recordings."""
    return [
        copy
        for seed in range(seeds)
        for copy in list_answers_changed(play_line(folder / str(seed), seed), is_late)
    ]


@pytest.mark.parametrize(
    ("seeds", "stride"),
    [(8, 20), pytest.param(24, 3, marks=pytest.mark.nightly)],
    ids=["few", "more"],
)
def test_another_answer_in_the_line_is_refused(tmp_path: Path, seeds: int, stride: int) -> None:
    """Each leaves the line out of order."""
    copies = make_answers_changed(tmp_path, seeds, is_late=False)
    assert len(copies) > 50
    for copy in copies[::stride]:
        assert not check_recording(copy).is_conforming


@pytest.mark.xfail(
    strict=True, raises=AssertionError, reason="a put past its deadline may time out at any time"
)
def test_another_answer_after_the_deadline_is_refused(tmp_path: Path) -> None:
    """No notification came between the deadline and the report that reached the put."""
    copies = make_answers_changed(tmp_path, 6, is_late=True)
    assert copies
    assert not any(check_recording(copy).is_conforming for copy in copies)


# Long recordings


def test_a_long_recording_conforms_and_its_end_is_judged(tmp_path: Path) -> None:
    """Messages and boundaries are found again after many files; a wrong last answer is refused."""
    recording = play(tmp_path, "rollovers", "4.9.8", 2, 600).make_recording()
    verdict = check_recording(recording)
    assert (verdict.verdict, verdict.reason) == (CONFORMS, "")
    assert verdict.cluster is not None
    assert len(verdict.cluster.messages) < 10
    place = max(i for i, e in enumerate(recording.events) if e.data.get("put_status") == "PUT_OK")
    last = recording.events[place]
    verdict = check_recording(change_event(recording, place, put_status=TIMED_OUT))
    assert verdict.first_unexplained_seq == last.seq


@pytest.mark.nightly
def test_a_very_long_recording_is_explained(tmp_path: Path) -> None:
    """Puts that wait for their flush, file after file."""
    recording = play(tmp_path, "sync_flush", "4.9.8", 3, 24_000).make_recording()
    assert len(recording.events) > 24_000
    assert explain(recording) == (CONFORMS, "")


@pytest.mark.nightly
@pytest.mark.parametrize("release", ["4.4.0", "4.9.8", "5.3.3"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_scenario_is_explained_at_length(tmp_path: Path, scenario: str, release: str) -> None:
    """Five thousand events."""
    recording = play(tmp_path, scenario, release, 3, 5_000).make_recording()
    assert explain(recording) == (CONFORMS, "")
