"""What a put asks: when it is called, and when it has returned."""

from __future__ import annotations

from attrs import evolve

from reference.recordings.hidden.node import Asked, Goal, Node
from reference.recordings.log.asking import Asking, ask_for, note
from reference.recordings.order import Observation
from reference.recordings.puts_ahead import Put
from reference.recordings.reading import Event
from reference.worlds.replication.state import ANSWERED, STATUS_NAMES

REFUSED = Asked(ignored="refused before anything was written")


def find_put(asking: Asking, event: Event) -> Put | None:
    """The put of an event at the master; None where nothing was written."""
    is_of_master = event["node"] == asking.plan.master
    return asking.plan.put_by_seq.get(event.seq) if is_of_master else None


def observe_put_begin(asking: Asking, observation: Observation, node: Node) -> Asked:
    """A producer calls: from now on its message may be appended."""
    event = observation.event
    put = find_put(asking, event)
    if put is None:
        return REFUSED
    number = put.number
    call = note(lambda notes: evolve(notes, begun=notes.begun | {number}))
    return ask_for(*list_counters(asking, event, "before"), after=call)


def list_counters(asking: Asking, event: Event, when: str) -> tuple[Goal, ...]:
    """What the recorder has read just before or after the call."""
    push2, count = f"push2_slave_{when}", f"connection_count_{when}"
    return (
        asking.has_value(push2, "master.push2_slave_max_offset", event[push2]),
        asking.has_value(count, "master.connection_count", event[count]),
    )


def observe_put(asking: Asking, observation: Observation, node: Node) -> Asked:
    """A put has returned: its message was appended, and is answered so."""
    event = observation.event
    put = find_put(asking, event)
    if put is None:
        return REFUSED
    number = put.number

    def list_answer(after: Node) -> tuple[Goal, ...]:
        return list_answer_goals(asking, put, after.notes.slots.index(number))

    return Asked(
        (
            lambda _: (is_appended(asking, put),),
            list_answer,
            lambda _: list_counters(asking, event, "after"),
        ),
        after=lambda after: asking.drop_message(after, number),
    )


def is_appended(asking: Asking, put: Put) -> Goal:
    """A put is in the log, at its place."""
    messages = range(asking.plan.structure.messages)
    return Goal(
        f"the put of seq {put.seq} is appended at {put.start_offset}",
        lambda n: n.notes.next_put > put.number,
        frozenset(("master.log.ends.0",)),
        instances=tuple(f"append_message[{message}]" for message in messages),
    )


def list_answer_goals(asking: Asking, put: Put, slot: int) -> tuple[Goal, ...]:
    """A put that is followed in a slot is answered with its status."""
    status = STATUS_NAMES.index(put.status)
    return (
        asking.has_value("the phase of the put", f"messages.{slot}.phase", ANSWERED),
        asking.has_value(f"its answer ({put.status})", f"messages.{slot}.status", status),
    )
