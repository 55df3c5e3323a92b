"""What a put asks: when it is called, and when it has returned."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import partial
from typing import Any

from attrs import evolve

from brokers.recordings.ahead.order import Observation
from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.ahead.puts import RecordedPut
from brokers.recordings.checks.durations import check_duration
from brokers.recordings.checks.puts import (
    NO_FILE,
    check_blank_put,
    check_own_duration,
    check_refused_put,
    check_size,
    check_slave_view,
)
from brokers.recordings.checks.queues import check_queue_offset
from brokers.recordings.clock import JITTER_MS
from brokers.recordings.controller.goals import has_epoch_files, lag_behind, list_set_goals
from brokers.recordings.hidden.goals import compile_made
from brokers.recordings.hidden.node import Goal, Node, Requirements
from brokers.recordings.log.asking import Asking, agrees, ask_for, note, see
from brokers.recordings.log.brokers import find_flush_before, list_positions
from brokers.recordings.log.limits.due import is_given_up
from brokers.recordings.log.seen import Check
from brokers.recordings.reading import Event
from brokers.recordings.recorded_log import name_end
from reference.language.machine import Action
from reference.language.operators import negate
from reference.worlds.replication.mapped_files import is_new_file_needed
from reference.worlds.replication.put import has_slave_wait, is_reported
from reference.worlds.replication.state import ANSWERED, STATUS_NAMES


def find_put(asking: Asking, event: Event) -> RecordedPut | None:
    """The put of an event at the master; None where nothing was written."""
    is_of_master = event["node"] == asking.plan.master
    return asking.plan.put_by_seq.get(event.seq) if is_of_master else None


def observe_put_begin(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """A producer calls: from now on its message may be appended."""
    event = observation.event
    if event["node"] != asking.plan.master:
        return Requirements()
    put = find_put(asking, event)
    if event.seq in asking.plan.blank_by_seq:
        fill = note(lambda notes: notes.grant("fill_file"))
        return ask_for(*list_counters(asking, node, event, "before"), after=fill)
    if put is None:
        return ask_for(*list_counters(asking, node, event, "before"))
    number = put.number
    call = note(lambda notes: evolve(notes, begun=notes.begun | {number}))
    return ask_for(*list_counters(asking, node, event, "before"), after=call)


def list_counters(asking: Asking, node: Node, event: Event, when: str) -> tuple[Goal, ...]:
    """What the recorder has read just before or after the call, if it is in the broker."""
    push2, count, end = f"push2_slave_{when}", f"connection_count_{when}", f"max_offset_{when}"
    put, told, is_after = find_put(asking, event), event.data, when == "after"
    goals: list[Goal] = []
    if push2 in told:
        path = "master.push2_slave_max_offset"
        is_seen = not is_after or put is None or asking.answers.may_see(put, told[push2])
        is_reported = asking.has_value(push2, path, told[push2], is_possible=is_seen)
        goals.append(lag_behind(asking, is_reported))
    if count in told:
        is_kept = not is_after or is_count_kept(asking, event)
        goals.append(asking.is_counted(node, count, event, told[count], is_possible=is_kept))
    members = told.get(f"sync_state_set_{when}")
    if members is not None and has_epoch_files(asking):
        goals += list_set_goals(asking, members)
    if end in told:
        goals.append(asking.has_value(end, name_end(asking.plan, MASTER), told[end]))
    return tuple(goals)


def is_count_kept(asking: Asking, event: Event) -> bool:
    """So many connections may count behind a put as its recorder has seen, after those before."""
    before = event.data.get("connection_count_before")
    if before is None:
        return True
    after, begin_ms = event["connection_count_after"], event["t_begin_ms"]
    return asking.counts.may_become(before, after, begin_ms, event.t_ms)


def observe_put(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """A put has returned: its message was appended, and is answered so."""
    event = observation.event
    put = find_put(asking, event)
    if event.seq in asking.plan.blank_by_seq and event["node"] == asking.plan.master:
        return observe_blank(asking, observation, node)
    if put is None:
        return observe_refused_put(asking, observation, node)
    number, begin = put.number, put.start_offset

    def list_answer(after: Node) -> tuple[Goal, ...]:
        if number not in after.notes.slots:
            return (agrees(f"the put of seq {put.seq} waits for its answer", is_so=False),)
        return list_answer_goals(asking, after, put, after.notes.slots.index(number))

    checks: list[Check] = [
        lambda view: check_size(view, event),
        lambda view: check_duration(view, put),
    ]
    lasting: list[Check] = [lambda view: check_own_duration(view, event)]
    # What lies below a put is the same in every state where the log has one life only.
    of_queue = lasting if asking.plan.structure.lives == 1 else checks
    of_queue.append(lambda view: check_queue_offset(view, put))
    return Requirements(
        (
            lambda n: () if n.notes.next_put > number else list_positions(asking, n, begin),
            lambda _: (is_appended(asking, put),),
            list_answer,
            asking.later(observation, *checks, lasting=lasting),
            lambda n: list_counters(asking, n, event, "after"),
        ),
        after=lambda after: see_append(asking.drop_message(after, number), put),
    )


def observe_blank(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """A put has returned that has left a blank: its next file could not be created (R-CL-04).

    The blank is in the log and is sent, though its producer gets an error
    (``CommitLog#putMessage``, END_OF_FILE; ``AllocateMappedFileService``).
    """
    event = observation.event
    blank = asking.plan.blank_by_seq[event.seq]
    begin, end = blank.start_offset, name_end(asking.plan, MASTER)
    goals = (
        asking.has_value("where the blank begins", "master.trailing_blank_offset", begin),
        asking.has_value("the master's end behind the blank", end, blank.end_offset),
    )
    checks: list[Check] = [
        lambda view: check_own_duration(view, event),
        lambda view: check_blank_put(view, blank),
        lambda view: check_queue_offset(view, blank),
    ]
    return Requirements(
        (
            lambda n: () if goals[0].check(n) else list_positions(asking, n, begin),
            lambda _: goals,
            asking.later(observation, *checks),
            lambda n: list_counters(asking, n, event, "after"),
        )
    )


def see_append(node: Node, put: RecordedPut) -> Node:
    """A put shows where the log has ended, at some moment from its call on."""
    return see(lambda seen: evolve(seen, max_seen_ms=max(seen.max_seen_ms, put.begin_ms)))(node)


def observe_refused_put(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """A put has returned of which nothing was written; a slave takes none at all."""
    event = observation.event
    broker = asking.plan.find_node(event)
    checks: list[Check] = [
        lambda view: check_own_duration(view, event),
        lambda view: check_refused_put(view, event, broker),
    ]
    if broker != MASTER:
        return Requirements(
            (asking.later(observation, *checks, lambda v: check_slave_view(v, event, broker)),)
        )
    goals = list_counters(asking, node, event, "after")
    if event["put_status"] == "SERVICE_NOT_AVAILABLE":
        text = "the master stops, or has ended"
        goals += (asking.holds(text, is_refusing),)
    if event["put_status"] == NO_FILE:
        goals += (asking.holds("the master needs a new file", is_file_needed),)
    return Requirements((lambda _: goals, asking.later(observation, *checks)))


def is_file_needed(state: Any) -> Any:
    """The master's log has no file, or none with room for another byte."""
    return is_new_file_needed(state.master.log, state.parameters)


def is_refusing(state: Any) -> Any:
    """The master stops, or has ended."""
    return state.master.is_stopping | negate(state.master.is_up)


def is_appended(asking: Asking, put: RecordedPut) -> Goal:
    """A put is in the log, at its place."""
    messages = range(asking.plan.structure.messages)
    return Goal(
        f"the put of seq {put.seq} is appended at {put.start_offset}",
        lambda n: n.notes.next_put > put.number,
        frozenset(("master.log.ends.0",)),
        instances=tuple(f"append_message[{message}]" for message in messages),
    )


def list_answer_goals(asking: Asking, node: Node, put: RecordedPut, slot: int) -> tuple[Goal, ...]:
    """A put that is followed in a slot is answered with its status."""
    if put.status not in STATUS_NAMES:
        return (agrees(f"{put.status!r} is an answer that brokers give", is_so=False),)
    status = STATUS_NAMES.index(put.status)
    phase = asking.has_value("the phase of the put", f"messages.{slot}.phase", ANSWERED)
    goals = (
        evolve(
            phase,
            usual=lambda node: list_usual_steps(asking, node, put, slot),
            is_lost=partial(is_unreported, asking, put, slot) if put.status == "PUT_OK" else None,
            instead=find_flush_before(asking, node),
        ),
        asking.has_value(
            f"its answer ({put.status})",
            f"messages.{slot}.status",
            status,
            is_possible=asking.answers.may_be(put),
        ),
    )

    def find_again(other: Node, number: int) -> Goal | None:
        slots = other.notes.slots
        if put.number not in slots:
            return None
        return list_answer_goals(asking, other, put, slots.index(put.number))[number]

    found = [
        evolve(goal, again=partial(find_again, number=number)) for number, goal in enumerate(goals)
    ]
    # It may have asked for a slave right after its append, before what other events show.
    way = (is_appended(asking, put), found[-1])
    return tuple(evolve(goal, on_the_way=way) for goal in found)


def list_usual_steps(asking: Asking, node: Node, put: RecordedPut, slot: int) -> Sequence[Action]:
    """How a put comes to its answer, step by step: over the disk, over a slave, or over both.

    Of the steps over the disk those before the slave's are taken in some releases, those behind it
    in others (CommitLog#putMessage, #asyncPutMessage).
    """
    disk = ["flush_for_put", "answer_disk_wait"]
    if put.status == "FLUSH_DISK_TIMEOUT":
        given_up = ["flush_for_put", "flush_for_put", "give_up_disk_wait"]
        disk = given_up if is_given_up(asking.guide, node, put) else ["time_out_disk_wait"]
    elif put.status != "PUT_OK":
        return ()
    names = asking.guide.machine.instances
    before = [Action(f"{rule}[{slot}]") for rule in (*disk, "skip_slave_wait")]
    asked, answered = Action(f"request_slave_wait[{slot}]"), Action(f"answer_slave_wait[{slot}]")
    read = list_covering_reports(asking, node, put) if put.waits_for_store else ()
    behind = [Action(f"{rule}[{slot}]") for rule in disk]
    steps = (*before, asked, *read, answered, *behind)
    return [step for step in steps if step.instance in names]


def list_covering_reports(asking: Asking, node: Node, put: RecordedPut) -> Sequence[Action]:
    """The first report that covers a put, if the master is to read one for it."""
    is_sync = asking.guide.get(node, "master.is_sync")
    if not is_sync or asking.guide.get(node, "master.push2_slave_max_offset") >= put.end_offset:
        return ()
    for slave, wire in enumerate(node.notes.wires):
        for offset in wire.reports:
            if offset >= put.end_offset:
                return [Action(f"receive_report[{slave}]", {"slave_offset": offset})]
    return ()


def is_unreported(asking: Asking, put: RecordedPut, slot: int, node: Node) -> bool:
    """A put waits for a slave, and no report has been noted so far that covers it.

    Where proxies note all reports, it needs one that is noted later.
    """
    is_recorded = all(wire.is_recorded for wire in node.notes.wires)
    if has_epoch_files(asking) or not is_recorded or has_covering_report(asking, put):
        return False
    check, _ = compile_made(asking.plan.structure, lacks_report, (slot,), 0)
    return check(node.state)


def has_covering_report(asking: Asking, put: RecordedPut) -> bool:
    """A report that covers a put has been noted since its call and until now.

    Where nobody has looked at what was reported before the call, since its process began.
    """
    is_looked_at = put.push2_after is not None
    begin_ms = put.begin_ms if is_looked_at else asking.plan.find_process_begin_ms(put.process)
    for link in asking.plan.links:
        times_ms = link.reports.times_ms
        first = bisect_left(times_ms, begin_ms - JITTER_MS)
        last = bisect_right(times_ms, asking.guide.now_ms)
        if any(offset >= put.end_offset for offset in link.reports.values[first:last]):
            return True
    return False


def lacks_report(state: Any, slot: int) -> Any:
    """A followed put waits for a slave, or is about to, and no slave has reported its end."""
    put = state.messages[slot]
    return has_slave_wait(state, put) & negate(is_reported(state, put))
