"""What was looked at in a recording, what is unknown, and the steps that explain an event."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from brokers.explaining.explanation import GroupExplanation
from brokers.explaining.told.excerpts import find_stop, tell_event
from brokers.explaining.told.teller import Teller
from brokers.explaining.told.trail import Trail
from brokers.explaining.told.verdict import GroupVerdict
from brokers.recordings.inspection.looks import (
    Looks,
    WatchedObject,
    list_values,
    name_field,
)
from brokers.recordings.inspection.unknown import find_unknown, refuse_unknown
from brokers.recordings.judging import REJECTED, check_recording
from brokers.recordings.reading import Recording, TraceError, read_recording
from reference.language.machine import OBSERVED
from reference.releases.versions import Version

TRACES = Path(__file__).parents[2] / "data" / "traces"
HEALTHY = TRACES / "a_sync_healthy.jsonl"


@cache
def read_healthy() -> Recording:
    """The recording that most tests look at."""
    return read_recording(HEALTHY)


@cache
def explain_healthy() -> tuple[GroupVerdict, ...]:
    """The verdict on its group."""
    return check_recording(read_healthy()).groups


def write(path: Path, number: int, **changes: Any) -> Path:
    """A copy of the recording in which one line is changed."""
    lines = HEALTHY.read_text(encoding="utf-8").splitlines()
    lines[number] = json.dumps({**json.loads(lines[number]), **changes})
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_names_of_fields() -> None:
    """Places in lists, and names that the recording has chosen, stand for one field."""
    assert name_field(("connections", 0, "slave_ack_offset")) == "connections.[].slave_ack_offset"
    assert name_field(("queues", "T0-1", 1)) == "queues.*.[]"
    assert name_field(("consumer_offsets", "T0@G1", "0")) == "consumer_offsets.*.*"
    assert name_field(("consumer_offset_file", "offsetTable", "a@b", "3")) == (
        "consumer_offset_file.offsetTable.*.*"
    )
    assert name_field(("props", "brokerRole")) == "props.brokerRole"


def test_values_are_told_one_by_one() -> None:
    """Whatever lists and objects they stand in."""
    data = {"a": 1, "b": [{"c": 2}, {"c": None}], "d": {"e": {}}}
    assert [(each.path, each.value) for each in list_values(data)] == [
        (("a",), 1),
        (("b", 0, "c"), 2),
        (("b", 1, "c"), None),
    ]


@pytest.mark.parametrize(
    "take",
    [
        lambda watched: watched["a"],
        lambda watched: watched.get("a"),
        lambda watched: {**watched},
        dict,
        lambda watched: list(watched.items()),
        lambda watched: list(watched.values()),
    ],
)
def test_whoever_takes_a_value_is_noted(take: Any) -> None:
    """However he does it."""
    noted: set[Any] = set()
    take(WatchedObject({"a": 1}, (), noted))
    assert ("a",) in noted


def test_whoever_only_asks_is_not_noted() -> None:
    """Whether a field is there, or which there are."""
    noted: set[Any] = set()
    watched = WatchedObject({"a": 1, "b": {"c": 2}}, (), noted)
    assert "a" in watched
    assert "z" not in watched
    assert watched.get("z", 7) == 7
    assert list(watched) == ["a", "b"]
    assert not noted - {("b",)}


def test_nearly_everything_is_read() -> None:
    """What nobody reads is told by name; to watch changes no verdict."""
    recording, looks = read_healthy(), Looks()
    assert check_recording(looks.watch(recording)) == check_recording(recording)
    counted = looks.count(recording)
    total = sum(counted.read.values()) + sum(counted.unread.values())
    assert counted.events["put"] == counted.read["put.wrote_offset"]
    assert 0.95 * total < sum(counted.read.values()) < total
    assert "node_started.load_ok" in counted.never_read
    assert counted.unread_kinds == ("note",)


def test_what_is_unknown_is_counted(tmp_path: Path) -> None:
    """A kind and a field that the format does not have are left out, and told."""
    path = write(tmp_path / "trace.jsonl", 30, ev="earthquake", strength=7)
    recording = read_recording(path)
    assert [event.kind for event in recording.unknown] == ["earthquake"]
    assert len(recording.events) == len(read_healthy().events) - 1
    unknown = find_unknown(recording)
    assert (unknown.kinds, unknown.fields, unknown.first_line) == ({"earthquake": 1}, {}, 31)
    path = write(tmp_path / "trace.jsonl", 7, temperature=20, connections=[{"a": 1}])
    with pytest.raises(TraceError, match="connections has no field"):
        read_recording(path)
    path = write(tmp_path / "trace.jsonl", 7, temperature=20)
    unknown = find_unknown(read_recording(path))
    assert unknown.fields == {"node_started.temperature": 1}
    with pytest.raises(TraceError, match=r":8: unknown fields: node_started.temperature \(1\); "):
        refuse_unknown(read_recording(path))


@pytest.mark.parametrize(
    "path", sorted(TRACES.parent.glob("traces*/*.jsonl")), ids=lambda path: path.stem
)
def test_nothing_is_unknown_in_the_recordings(path: Path) -> None:
    """The format has all that they carry."""
    assert not find_unknown(read_recording(path)).is_any


@pytest.mark.parametrize("changes", [{"max_offset": None}, {"shutdown_ms": "7"}])
def test_optional_fields_are_of_their_kind(tmp_path: Path, changes: Mapping[str, Any]) -> None:
    """A field that an event need not carry is refused where it is of another kind."""
    recording = read_recording(TRACES / "n_clean_restart.jsonl")
    lines = [dict(each.data) for each in (recording.config, *recording.events)]
    stop = next(line for line in lines if line["ev"] == "node_stop_clean")
    stop.update(changes)
    path = tmp_path / "trace.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    with pytest.raises(TraceError, match="is of another kind"):
        read_recording(path)


def test_steps_at_an_event_are_those_of_the_schedule() -> None:
    """All moments' steps, one after another, are the schedule that is found."""
    explanation = GroupExplanation.begin(read_healthy(), Version(), is_schedule_kept=True)
    explanation.trail = trail = Trail()
    assert explanation.run() is None
    teller = Teller(explanation.observer.scene, trail.moments, frozenset())
    places = range(len(trail.moments))
    told = [step.instance for place in places for step in teller.tell_place(place).steps]
    schedule = explanation.observer.scene.schedule or ()
    assert told == [action.instance for action in schedule if action.instance != OBSERVED]


def test_a_step_tells_who_what_and_when() -> None:
    """The report that lets the master answer the first put."""
    excerpt = tell_event(explain_healthy(), 27)
    assert excerpt is not None
    assert excerpt.stop is None
    steps = {step.instance: step for told in excerpt.here for step in told.steps}
    report = steps["receive_report[0]"]
    assert (report.who, report.is_announced) == ("master", False)
    assert ("master.push2_slave_max_offset", 0, 199) in report.changes
    assert report.since_ms is not None
    assert report.since_ms < report.until_ms == 2421.491
    append = next(
        step
        for told in (tell_event(explain_healthy(), 25), tell_event(explain_healthy(), 26))
        if told is not None
        for each in told.here
        for step in each.steps
        if step.instance == "append_to_slave[0]"
    )
    assert append.who == "slave1"


def test_remarks_have_no_steps() -> None:
    """Nothing explains a note, nor an event that does not exist."""
    notes = [event.seq for event in read_healthy().events if event.kind == "note"]
    assert tell_event(explain_healthy(), notes[0]) is None
    assert tell_event(explain_healthy(), 10_000) is None


def corrupt(seq: int, **changes: Any) -> Recording:
    """The recording with some fields of an event changed."""
    recording = read_healthy()
    events = tuple(
        evolve(each, data={**each.data, **changes}) if each.seq == seq else each
        for each in recording.events
    )
    return evolve(recording, events=events)


def test_a_stop_names_rule_condition_and_state() -> None:
    """Where nothing is explained any more: what is not met, and the state there."""
    frame = next(e for e in read_healthy().events if e.kind == "ha_frame" and e["body_bytes"])
    verdict = check_recording(corrupt(frame.seq, master_offset=frame["master_offset"] + 1))
    assert not verdict.is_conforming
    stop = find_stop(verdict.groups)
    assert stop is not None
    excerpt = tell_event(verdict.groups, stop)
    assert excerpt is not None
    assert excerpt.stop is not None
    assert excerpt.stop.reason
    assert json.dumps(excerpt.as_json())


def test_an_answer_that_no_broker_gives() -> None:
    """It is refused, and nobody stumbles over it."""
    put = next(event for event in read_healthy().events if event.kind == "put")
    copy = corrupt(put.seq, put_status="FINE")
    assert check_recording(copy).verdict == REJECTED
