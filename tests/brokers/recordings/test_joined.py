"""Recordings of whole brokers in the joined system: what conforms, and what is refused."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from brokers.recordings.hidden.node import Node
from brokers.recordings.hidden.reach import Reach
from brokers.recordings.joined.choice import Choice
from brokers.recordings.joined.explain import (
    CONFORMS,
    OUTSIDE,
    REJECTED,
    UNDECIDED,
    JoinedVerdict,
    explain,
    replay,
)
from brokers.recordings.joined.notes import Notes
from brokers.recordings.reading import read_recording
from reference.language.compiled import compute_compiled_machine

TRACES = Path(__file__).parents[2] / "data" / "traces"
PULLS = "x1_pull_decision_table"
COMMITS = "x2_consumer_offsets_and_sync"
CRASH = "x3_master_crash_slave_offsets"
SENDS = "x4_send_codes_sync_master"

Change = Callable[[dict[str, Any]], Any]


def nightly(*values: Any) -> Any:
    """A case of a test that is left for the night."""
    return pytest.param(*values, marks=pytest.mark.nightly)


@cache
def explain_file(name: str, queue: str = "", message: int = -1, group: str = "") -> JoinedVerdict:
    """The verdict of a recording, found once."""
    return explain(read_recording(TRACES / f"{name}.jsonl"), queue, message, group)


def explain_copy(folder: Path, name: str, seq: int, change: Change, **look: Any) -> JoinedVerdict:
    """The verdict of a copy in which one event was changed."""
    lines = (TRACES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line) for line in lines]
    for event in events:
        if event["seq"] == seq:
            change(event)
    copy = folder / "copy.jsonl"
    copy.write_text("\n".join(map(json.dumps, events)), encoding="utf-8")
    return explain(read_recording(copy), **look)


@pytest.mark.parametrize(
    ("name", "explained"), [(PULLS, 306), (COMMITS, 74), (CRASH, 59), (SENDS, 34)]
)
def test_whole_brokers_conform(name: str, explained: int) -> None:
    """A complete schedule agrees with all that both sides show."""
    verdict = explain_file(name)
    assert (verdict.word, verdict.explained) == (CONFORMS, explained)
    events = len(read_recording(TRACES / f"{name}.jsonl").events)
    assert verdict.explained + sum(verdict.ignored.values()) == events


@pytest.mark.parametrize("name", [PULLS, COMMITS, CRASH, SENDS])
def test_schedule_is_replayed(name: str) -> None:
    """The reference takes each step, and each event's values stand in the state there.

    What is about steps and puts, not about values, was asked while the schedule was found.
    """
    verdict = explain_file(name)
    assert verdict.initial is not None
    states = replay(verdict.initial, verdict.schedule)
    machine = compute_compiled_machine(verdict.initial.structure)
    for seen in verdict.seen:
        for goal in seen.goals:
            if goal.leaves:
                node = Node(machine.encode(states[seen.steps]), Notes())
                assert goal.check(node), (seen.event.seq, goal.text)


def is_among(taken: set[str], name: str, _path: str) -> bool:
    """An instance fires on the way."""
    return name in taken


@pytest.mark.parametrize("name", [PULLS, COMMITS, CRASH, SENDS])
def test_what_is_reached_is_within_reach(name: str) -> None:
    """Every value that a leaf has on the way counts as reachable from each tenth state before."""
    verdict = explain_file(name)
    assert verdict.initial is not None
    machine = compute_compiled_machine(verdict.initial.structure)
    states = [machine.encode(each) for each in replay(verdict.initial, verdict.schedule)]
    for begin in range(0, len(states), 10):
        taken = {action.instance for action in verdict.schedule[begin:]}
        reach = Reach.of(machine, states[begin], partial(is_among, taken))
        for state, (path, place) in itertools.product(states[begin:], machine.places.items()):
            assert reach.can_become(path, state[place]), (begin, path)


@pytest.mark.parametrize(
    ("name", "queue", "message"),
    [
        (SENDS, "T0-0", 3),
        (CRASH, "T0-0", 3),
        nightly(PULLS, "T0-1", 3),
        nightly(PULLS, "T0-1", 59),
        nightly(PULLS, "T0-0", 0),
        nightly(SENDS, "T0-0", 2),
        nightly(SENDS, "T0-0", 6),
        nightly(CRASH, "T0-0", 20),
        nightly(COMMITS, "T0-0", 0),
    ],
)
def test_other_messages_are_followed(name: str, queue: str, message: int) -> None:
    """It does not depend on the message that is followed."""
    verdict = explain_file(name, queue, message)
    assert verdict.word == CONFORMS
    assert verdict.choice is not None
    assert (verdict.choice.queue, verdict.choice.message) == (queue, message)


def test_least_is_assumed() -> None:
    """Nobody failed where nobody was seen to fail."""
    assert explain_file(CRASH).circumstances == {"master_kills": 1}
    assert explain_file(SENDS).circumstances == {"slave_kills": 1}


def set_fields(**fields: Any) -> Change:
    """A change of fields."""
    return lambda event: event.update(fields)


def lengthen_queue(event: dict[str, Any]) -> None:
    """The queue shows one message more."""
    event["queues"]["T0-0"][1] += 1


def set_progress(offset: int) -> Change:
    """A table shows other progress."""
    return lambda event: event["consumer_offsets"].update({"T0@G01": {"0": offset}})


@pytest.mark.parametrize(
    ("name", "seq", "change", "reason"),
    [
        (PULLS, 96, lengthen_queue, "the queue's max_offset is 41"),
        nightly(PULLS, 95, lengthen_queue, "the queue's max_offset is 41"),
        (CRASH, 80, set_fields(max_offset=21), "the queue's max_offset is 21"),
        nightly(CRASH, 149, set_progress(8), "progress of slave1 is 8"),
        nightly(CRASH, 149, set_progress(15), "progress of slave1 is 15"),
        nightly(CRASH, 139, set_progress(8), "progress of master is 8"),
        nightly(CRASH, 140, set_fields(offset=8), "the progress told is 8"),
        (CRASH, 50, set_fields(queue_offset="6"), "queue_offset is 6"),
    ],
)
def test_one_wrong_number_is_refused(
    tmp_path: Path, name: str, seq: int, change: Change, reason: str
) -> None:
    """A queue that is too long, progress that nobody stored or that a copy has replaced."""
    verdict = explain_copy(tmp_path, name, seq, change)
    assert (verdict.word, verdict.seq) == (REJECTED, seq), verdict.reason
    assert reason in verdict.reason


def test_answer_before_the_slave_has_it(tmp_path: Path) -> None:
    """PUT_OK of a synchronous master whose slave was killed."""
    change = set_fields(response="SUCCESS", response_code=0)
    verdict = explain_copy(tmp_path, SENDS, 49, change, queue="T0-0", message=3)
    assert (verdict.word, verdict.seq) == (REJECTED, 49)


def test_message_that_the_broker_does_not_have(tmp_path: Path) -> None:
    """A pull finds a message in a queue into which nobody put any."""
    found = {"get_status": "FOUND", "offset": 0, "next_begin_offset": 1, "max_offset": 1}
    verdict = explain_copy(tmp_path, PULLS, 212, set_fields(**found), queue="T0-3")
    assert (verdict.word, verdict.seq) == (REJECTED, 212)


@pytest.mark.nightly
def test_commit_of_a_tool() -> None:
    """No push consumer commits at the slave of a master that runs: the tool of seq 128 does."""
    verdict = explain_file(COMMITS, group="G11")
    assert verdict.word in (REJECTED, UNDECIDED)
    assert verdict.seq == 128


@pytest.mark.parametrize("name", ["b_sync_no_slave", "a_sync_healthy"])
def test_outside(name: str) -> None:
    """Nothing is said of brokers without a slave, or of puts that overlap."""
    assert explain_file(name).word == OUTSIDE


def test_choice() -> None:
    """Most events are about the queue that is chosen, and the group commits in it."""
    assert explain_file(COMMITS).choice == Choice("master", "slave1", "T0-0", 5, "G01")
