"""The links of every real recording alone are explained; nearly everything else is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from brokers.explaining.links_alone.links import LINK_KINDS, SEEN_KINDS, UNSEEN, is_of_links_alone
from brokers.recordings.judging import CONFORMS, REJECTED, UNDECIDED, check_recording, find_version
from brokers.recordings.reading import Event, Recording, read_recording
from tests.brokers.broker.simulated.scenarios import SCENARIOS
from tests.brokers.broker.test_simulated_groups import play
from tests.brokers.recordings.shared import ALL, DATA, TRACES

EDGES = tuple(sorted((DATA / "traces_edge").glob("*.jsonl")))
STEPS = (1, -1, 1000, -1000, 16384)
"""How far an offset or a length is changed."""
CHANGED = ("ha_report", "slave_offset"), ("ha_frame", "master_offset"), ("ha_frame", "body_bytes")


def strip(recording: Recording) -> Recording:
    """What ``record`` would have written in front of these brokers."""
    config = evolve(recording.config, data={**recording.config.data, **dict.fromkeys(UNSEEN, True)})
    events = tuple(event for event in recording.events if event.kind in LINK_KINDS)
    return evolve(recording, config=config, events=events)


def ask(recording: Recording) -> Recording:
    """The same with the ends of logs, as a recorder is answered that asks brokers for them."""
    asked = (
        Event(e.line, e.seq, e.t_ms, "broker_status", {**e.data, "t_begin_ms": e.t_ms - 1})
        if e.kind == "snapshot"
        else e
        for e in recording.events
    )
    events = tuple(e for e in asked if e.kind in SEEN_KINDS and "ends" not in e.data)
    return evolve(strip(recording), events=events)


def strip_all(paths: tuple[Path, ...]) -> Iterator[tuple[str, Recording]]:
    """Those recordings that have links without a controller, and slaves that stay slaves."""
    for path in paths:
        recording = strip(read_recording(path))
        version = find_version(recording)
        assert version is not None
        if recording.events and is_of_links_alone(recording, version):
            yield path.stem, recording


def test_links_of_real_brokers_are_explained_whole() -> None:
    """Without the puts, the logs, the starts and the stops that explained them."""
    verdicts = {name: check_recording(each) for name, each in strip_all((*ALL, *EDGES))}
    assert len(verdicts) > 70
    assert {name for name, verdict in verdicts.items() if verdict.verdict != CONFORMS} == set()
    assert all(verdict.explained == verdict.events for verdict in verdicts.values())
    assert sum(verdict.fields_checked for verdict in verdicts.values()) > 5000


def list_alike(recording: Recording, event: Event) -> list[Event]:
    """The events of a kind in a connection."""
    key = event.kind, event["link"], event["conn"]
    same = (each for each in recording.events if each.kind == event.kind)
    return [each for each in same if (each.kind, each["link"], each["conn"]) == key]


def is_free(recording: Recording, event: Event, field: str, value: int) -> bool:
    """Nothing else in the recording tells the number.

    A slave has at first what it reports first, a last frame may be as long as the log was, an only
    one from where the last file begins, and a last report may be the one before it again. A slave
    that reports only once what it stored may have had an empty file before.
    """
    alike = list_alike(recording, event)
    place, is_last = alike.index(event), event == alike[-1]
    if field == "slave_offset":
        before = [each["slave_offset"] for each in alike[:place]]
        return not before or (is_last and (value == before[-1] or not any(before)))
    return is_last and (field == "body_bytes" or place == 0)


def change(recording: Recording, event: Event, **values: Any) -> Recording:
    """A copy in which an event has other values."""
    place = recording.events.index(event)
    changed = evolve(event, data={**event.data, **values})
    events = (*recording.events[:place], changed, *recording.events[place + 1 :])
    return evolve(recording, events=events)


def list_changes(recording: Recording, stride: int) -> Iterator[tuple[Event, str, int]]:
    """Other values of one offset or length of every so many events."""
    for event in recording.events[::stride]:
        for kind, field in CHANGED:
            for step in STEPS:
                if event.kind == kind and event[field] + step >= 0:
                    yield event, field, event[field] + step


@pytest.mark.parametrize("stride", [37, pytest.param(1, marks=pytest.mark.nightly)])
def test_a_changed_number_is_refused(stride: int) -> None:
    """Except where nothing else tells it."""
    refused = accepted = 0
    for name, recording in strip_all((*ALL, *EDGES)):
        for event, field, value in list_changes(recording, stride):
            verdict = check_recording(change(recording, event, **{field: value}))
            assert verdict.verdict in {CONFORMS, REJECTED}
            refused += verdict.verdict == REJECTED
            if verdict.verdict == CONFORMS:
                accepted += 1
                assert is_free(recording, event, field, value), (name, event.seq, field, value)
    assert refused > 30 * accepted


@pytest.mark.parametrize(
    ("kind", "field", "step", "said"),
    [
        ("ha_report", "slave_offset", 1, "is the next that the slave made"),
        ("ha_frame", "master_offset", 8, "the transfer stands at"),
        ("ha_frame", "body_bytes", 40_000, "a batch or a file ends before"),
    ],
)
def test_a_refusal_says_what_would_be_right(kind: str, field: str, step: int, said: str) -> None:
    """And its number is that of the event."""
    recording = strip(read_recording(TRACES / "j_rollover.jsonl"))
    events = [e for e in recording.events if e.kind == kind and e.data.get("body_bytes", 1)]
    event = events[len(events) // 2]
    copy = change(recording, event, **{field: event[field] + step})
    verdict = check_recording(copy)
    assert (verdict.verdict, verdict.first_unexplained_seq) == (REJECTED, event.seq)
    assert said in verdict.reason


def test_bytes_noted_after_the_next_connection_belong_to_theirs() -> None:
    """A recorder may note what a connection still held when the next one is open."""
    recording = strip(read_recording(TRACES / "f_slave_restart_resume.jsonl"))
    openings = [e for e in recording.events if e.kind == "ha_link_open"]
    events = list(recording.events)
    place = events.index(openings[1])
    before = max(n for n in range(place) if events[n].kind == "ha_report")
    late = evolve(events.pop(before), t_ms=openings[1].t_ms)
    events.insert(place, late)
    assert check_recording(evolve(recording, events=tuple(events))).verdict == CONFORMS


def test_ends_of_logs_bound_what_passes() -> None:
    """Those of real brokers do; a slave never has more than was sent, no log less than was seen."""
    refused = statuses = 0
    for name in ("e_async_lag_catchup", "j_rollover", "r_random_seed10", "r_random_seed12"):
        recording = ask(read_recording(TRACES / f"{name}.jsonl"))
        assert check_recording(recording).verdict == CONFORMS, name
        for event in recording.events:
            if event.kind == "broker_status" and event["max_offset"]:
                statuses += 1
                wrong = event["max_offset"] + (10**6 if event["node"] == "slave1" else -(10**6))
                copy = change(recording, event, max_offset=max(wrong, 0))
                refused += "the log ends at" in check_recording(copy).reason
    assert refused > 0.5 * statuses > 20


NODE = {"flush_type": "ASYNC_FLUSH", "store_config": {"mapedFileSizeCommitLog": 16384}}
ROLES = {"master": "ASYNC_MASTER", "slave1": "SLAVE", "slave2": "SLAVE"}


def write(path: Path, *shown: tuple[int, int, int | tuple[int, int] | None]) -> Recording:
    """Slaves and connections with a report, with a frame's offset and length, or opened."""
    nodes = {n: {**NODE, "role": r, "broker_id": int(r == "SLAVE")} for n, r in ROLES.items()}
    lines: list[dict[str, Any]] = [
        {"ev": "config", "format": 1, "nodes": nodes, **dict.fromkeys(UNSEEN, True)}
    ]
    for slave, number, what in shown:
        event: dict[str, Any] = {"link": f"link_slave{slave}", "conn": number}
        if what is None:
            event["ev"] = "ha_link_open"
        elif isinstance(what, tuple):
            event |= {"ev": "ha_frame", "master_offset": what[0], "body_bytes": what[1]}
        else:
            event |= {"ev": "ha_report", "slave_offset": what}
        lines.append(event)
    numbered = ({"seq": n, "t_ms": float(n), **line} for n, line in enumerate(lines))
    path.write_text("".join(f"{json.dumps(line)}\n" for line in numbered))
    return read_recording(path)


FILLED = (1, 1, None), (1, 1, 0), (1, 1, (0, 16384)), (1, 1, 16384), (1, 1, (16384, 16384))
"""A slave is sent two files."""
BACK = (1, 2, None), (1, 2, 32768), (1, 2, (32768, 0))
"""It connects again."""
JOINED = (2, 1, None), (2, 1, 0), (2, 1, (16384, 0))
"""Another one is sent the second file, as if the log ended in it."""


def test_a_master_whose_connections_all_ended_may_have_a_shorter_log(tmp_path: Path) -> None:
    """It may have run anew; while one goes on, it has not, and sends its last file."""
    path = tmp_path / "links.jsonl"
    assert check_recording(write(path, *FILLED, *BACK, *JOINED, (1, 2, 32768))).is_conforming
    assert check_recording(write(path, *FILLED, *JOINED)).is_conforming
    verdict = check_recording(write(path, *FILLED, *JOINED, (1, 1, (32768, 5))))
    assert (verdict.verdict, verdict.first_unexplained_seq) == (REJECTED, 8)
    assert "the transfer stands at 32768" in verdict.reason


def test_settings_that_nobody_told_leave_a_refusal_open() -> None:
    """With files of another size it might be right."""
    recording = strip(read_recording(TRACES / "j_rollover.jsonl"))
    nodes = {name: {**n, "store_config": {}} for name, n in recording.config["nodes"].items()}
    config = evolve(recording.config, data={**recording.config.data, "nodes": nodes})
    event = next(e for e in recording.events if e.kind == "ha_frame" and e["body_bytes"])
    copy = change(evolve(recording, config=config), event, master_offset=3)
    verdict = check_recording(copy)
    assert verdict.verdict == UNDECIDED
    assert "settings" in verdict.reason


@pytest.mark.parametrize("release", ["4.4.0", "4.9.8", "5.3.3"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_links_of_simulated_groups_are_explained(
    tmp_path: Path, scenario: str, release: str
) -> None:
    """Kills, stalls, cuts and losses among them."""
    recording = strip(play(tmp_path, scenario, release, 5, 400).make_recording())
    verdict = check_recording(recording)
    assert (verdict.verdict, verdict.reason) == (CONFORMS, "")
    assert json.dumps(verdict.as_json())
