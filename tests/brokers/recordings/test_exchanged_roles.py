"""Brokers that start in another role than before: what they keep, and what no role explains."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from brokers.recordings.judging import CONFORMS, REJECTED, check_recording
from brokers.recordings.reading import Event, Recording, read_recording
from brokers.recordings.roles.places import EXCHANGE, take_places
from tests.brokers.recordings.shared import FOUND

PROMOTED = "delay_promotion_keep"
OWN_SLAVE = "self_slave_power"


def change(name: str, seq: int, **fields: Any) -> Recording:
    """A recording with other fields of one event; ``kind`` is that of the event."""
    recording = read_recording(FOUND / f"{name}.jsonl")

    def apply(event: Event) -> Event:
        if event.seq != seq:
            return event
        kind = fields.get("kind", event.kind)
        return evolve(event, kind=kind, data={**event.data, **fields})

    return evolve(recording, events=tuple(map(apply, recording.events)))


def test_places_are_exchanged_where_a_slave_starts_as_the_master() -> None:
    """Three times in this recording: promoted, demoted, and as it was; addresses are renamed."""
    taken = take_places(read_recording(FOUND / "topic_role_change.jsonl"))
    starts = {e.seq: e for e in taken.events if e.kind == "broker_started"}
    assert [e.seq for e in taken.events if EXCHANGE in e.data] == [132, 171]
    assert (starts[132]["node"], starts[171]["node"], starts[189]["node"]) == (
        *("master", "master"),
        "slave1",
    )


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"max_offset": 2084, "flushed_offset": 2084}, "slave_fall_behind is 3126"),
        ({"max_offset": 6201, "dispatched_offset": 6201}, "slave_fall_behind is 3126"),
        ({"last_exit_normal": False}, "last_exit_normal"),
        ({"slave_fall_behind": 1}, "slave_fall_behind is 1, by which the log would end at 1"),
    ],
)
def test_a_promoted_slave_has_what_it_had(fields: dict[str, Any], word: str) -> None:
    """Its log, dispatched as far as it was, and the way in which its last process ended."""
    verdict = check_recording(change(PROMOTED, 258, **fields))
    assert verdict.verdict == REJECTED
    assert verdict.first_unexplained_seq == 258
    assert word in verdict.reason


def test_no_two_masters_at_once() -> None:
    """Who is promoted while the master runs makes a group of another shape."""
    verdict = check_recording(change("topic_role_change", 90, kind="note", text="it runs on"))
    assert verdict.verdict == REJECTED
    assert "changes its role at seq 132 while master runs" in verdict.reason


@pytest.mark.parametrize(
    ("seq", "fields", "unexplained_seq"),
    [
        (266, {"delay_level": 0}, 270),
        (266, {"delay_level": 5}, 270),
        (269, {"wrote_offset": 4168, "max_offset_after": 5210}, 271),
    ],
)
def test_delayed_messages_are_delivered_when_they_are_due(
    seq: int, fields: dict[str, Any], unexplained_seq: int
) -> None:
    """A broker writes them by itself then; before, and without any, nothing lies in between."""
    verdict = check_recording(change(PROMOTED, seq, **fields))
    assert (verdict.verdict, verdict.first_unexplained_seq) == (REJECTED, unexplained_seq)


@pytest.mark.parametrize(
    ("seq", "address"), [(41, "127.0.0.1:24099"), (52, None), (151, "127.0.0.1:24010")]
)
def test_whom_a_slave_takes_for_its_master(seq: int, address: str | None) -> None:
    """Itself, until another master has registered; then that one."""
    verdict = check_recording(change(OWN_SLAVE, seq, slave_synchronize_master_addr=address))
    if seq == 41:
        # Which address is its own, the first look tells.
        seq = 52
    assert (verdict.verdict, verdict.first_unexplained_seq) == (REJECTED, seq)


def test_a_name_server_notices_a_stop_in_order() -> None:
    """Who has unregistered is not told of itself."""
    verdict = check_recording(change(OWN_SLAVE, 27, kind="process_exit"))
    assert (verdict.verdict, verdict.first_unexplained_seq) == (REJECTED, 40)
    kept = check_recording(change(OWN_SLAVE, 27))
    assert kept.verdict == CONFORMS
