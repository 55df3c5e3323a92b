"""What is still to be seen bounds what may have happened, until it is forgotten or postponed."""

from __future__ import annotations

from brokers.explaining.seen.moments import Key, list_moments
from brokers.explaining.seen.pins import UNBOUNDED, Pin, Pins
from brokers.recordings.reading import Event

END = "master.log.ends.0"


def pin(number: int, value: int | None, leaf: str = END) -> Pin:
    """A pin at the moment of this number."""
    return Pin(leaf, value, (number, False), float(number))


def key(number: int) -> Key:
    """That moment."""
    return number, False


def note(seq: int, t_ms: float, kind: str, **data: object) -> Event:
    """A line of a recording."""
    return Event(seq, seq, t_ms, kind, {"seq": seq, "t_ms": t_ms, "ev": kind, **data})


def test_the_smallest_value_to_come_is_the_cap() -> None:
    """Until its moment has passed; what nobody sees is not bounded."""
    pins = Pins.gather([pin(1, 30), pin(2, 10), pin(3, 20)])
    assert pins.compute_cap(END) == 10
    pins.pass_moment(key(1))
    pins.pass_moment(key(2))
    assert (pins.compute_cap(END), pins.find_next_value(END)) == (20, 20)
    pins.pass_moment(key(3))
    assert pins.compute_cap(END) == UNBOUNDED == pins.compute_cap("master.connection_count")


def test_nothing_is_bounded_by_what_comes_after_an_end() -> None:
    """A process that has ended has forgotten where it stood."""
    pins = Pins.gather([pin(1, 30), pin(2, None), pin(3, 5)])
    assert pins.compute_cap(END) == 30
    pins.pass_moment(key(1))
    assert (pins.compute_cap(END), pins.find_next_value(END)) == (UNBOUNDED, None)
    pins.pass_moment(key(2))
    assert pins.compute_cap(END) == 5


def test_a_postponed_moment_bounds_what_is_before_it() -> None:
    """It stands behind the others then, and in the original where it was."""
    pins = Pins.gather([pin(1, 20), pin(2, 10), pin(3, 40)])
    copied = pins.copy()
    copied.postpone(key(1), {key(2)})
    assert (copied.compute_cap(END), copied.find_next_value(END)) == (10, 10)
    copied.pass_moment(key(2))
    assert (copied.compute_cap(END), copied.find_next_value(END)) == (20, 20)
    copied.pass_moment(key(1))
    assert copied.compute_cap(END) == 40
    assert pins.find_next_value(END) == 20


def test_what_was_on_its_way_comes_before_the_end_of_its_connection() -> None:
    """A proxy notes it a little later, or once it lets pass what it has held back."""
    link, conn = {"link": "link_s"}, {"link": "link_s", "conn": 1}
    events = [
        note(1, 10.0, "ha_link_open", **conn),
        note(2, 20.0, "link_stalled", **link),
        note(3, 500.0, "node_kill9", node="m"),
        note(4, 900.0, "link_healed", **link),
        note(5, 901.0, "ha_frame", **conn, master_offset=0, body_bytes=5),
        note(6, 902.0, "ha_link_close", **conn, closed_by="master"),
        note(7, 903.0, "ha_report", **conn, slave_offset=5),
    ]
    moments = list_moments(events, "m", ["s"])
    assert [each.event.seq for each in moments] == [1, 2, 5, 7, 3, 4, 6]
    assert [each.t_ms for each in moments][2:4] == [500.0, 500.0]


def test_a_call_is_a_moment_of_its_own() -> None:
    """And an answer is given when the call has lasted as long as it says."""
    told = {"node": "m", "t_begin_ms": 5.0, "duration_ms": 3.0}
    call, answer = list_moments([note(1, 9.5, "put", **told)], "m", ["s"])
    assert (call.kind, call.t_ms, answer.kind, answer.t_ms) == ("call", 5.0, "put", 8.0)
