"""What a broker shows of its log and its links, and what that asks of a state of replication."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

from attrs import evolve

from brokers.recordings.ahead.boundaries import has_boundary
from brokers.recordings.ahead.order import Observation
from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.checks.agreement import DISTANCE, PUSH2, find_later_end
from brokers.recordings.checks.queues import check_queues
from brokers.recordings.clock import NOTICE_MS, SLACK_MS
from brokers.recordings.controller.goals import (
    has_dispatched,
    is_dispatch_open,
    lag_behind,
    list_connection_state,
    list_shown_goals,
)
from brokers.recordings.controller.refused import find_refused, list_agreed
from brokers.recordings.controller.truncation import is_given_up
from brokers.recordings.hidden.node import Goal, Node, Requirements, Stage
from brokers.recordings.log.asking import Asking, agrees, is_impossible, see
from brokers.recordings.log.following import list_transfers
from brokers.recordings.log.limits.connections import (
    UNSET,
    Shown,
    list_listed,
    list_live,
    match,
)
from brokers.recordings.log.limits.due import list_given_up_flushes
from brokers.recordings.log.seen import Check, ShownFacts
from brokers.recordings.reading import Event
from brokers.recordings.recorded_log import name_broker, name_end
from brokers.recordings.view import Blocked, View
from reference.language.operators import negate
from reference.worlds.replication.mapped_files import compute_last_file_end
from reference.worlds.replication.replication import is_positioned


def observe_snapshot(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """A broker shows its log and its links."""
    event = observation.event
    broker = asking.plan.find_node(event)
    goals = (
        *list_log_goals(asking, node, event, broker),
        *list_link_goals(asking, node, event, broker),
        *list_shown_goals(asking, node, event, broker),
    )
    at_once = make_look(asking, observation, broker, ((lambda _: goals),))
    return evolve(at_once, otherwise=lambda: look_on(asking, observation, broker, node))


def make_look(
    asking: Asking, observation: Observation, broker: int, stages: tuple[Stage, ...]
) -> Requirements:
    """What a look asks, with these stages about the log and the links."""
    event = observation.event
    return Requirements(
        (
            asking.later(observation, lambda view: check_running(view, broker)),
            lambda n: list_positions(asking, n, event["max_offset"]) if broker == MASTER else (),
            *stages,
            *list_link_stages(asking, event, broker)[1:],
            lambda n: list_checks(asking, observation, broker, n),
        ),
        after=see(lambda seen: see_end(seen, broker, event)),
    )


def look_on(asking: Asking, observation: Observation, broker: int, node: Node) -> Requirements:
    """The same where the broker goes on meanwhile: its fields are read one after another."""
    event = observation.event
    goals = [
        *list_log_goals(asking, node, event, broker, is_at_once=False),
        *list_link_goals(asking, node, event, broker),
        *list_shown_goals(asking, node, event, broker),
    ]
    return make_look(asking, observation, broker, tuple(map(ask_alone, goals)))


def ask_alone(goal: Goal) -> Stage:
    """A stage of one goal."""
    return lambda _: (goal,)


def list_link_stages(asking: Asking, event: Event, broker: int) -> tuple[Stage, ...]:
    """What a broker shows of its links: a slave of its own, a master of all."""
    return (
        lambda n: tuple(list_link_goals(asking, n, event, broker)),
        lambda n: list_list_goals(asking, n, event, broker),
        lambda n: list_connection_goals(asking, event, broker, n),
    )


def list_start_stages(asking: Asking, event: Event, broker: int) -> tuple[Stage, ...]:
    """The same at a start; a slave may connect within the few ms of its first look."""
    stages = list_link_stages(asking, event, broker)
    return stages[1:] if event.data.get("ha_client_connected") else stages


def see_end(seen: ShownFacts, broker: int, event: Event) -> ShownFacts:
    """A look has shown the end of a log: what was sent before it is in there."""
    if broker != MASTER or "max_offset" not in event.data:
        return seen
    cursor = event.data.get("dispatched_offset", 0)
    is_behind = seen.is_master_behind and cursor < event["max_offset"]
    return evolve(seen, sends=0, max_seen_ms=event.t_ms, is_master_behind=is_behind)


def check_running(view: View, broker: int) -> View:
    """A broker was seen to start, and not to end."""
    if not view.get_broker(broker).is_started:
        raise Blocked("this broker does not run")
    return view


def list_checks(
    asking: Asking, observation: Observation, broker: int, node: Node
) -> tuple[Goal, ...]:
    """What follows from the rest of the look, and from the messages of the log."""
    event = observation.event
    checks: list[Check] = [lambda view: check_queues(view, broker, event)]
    if "dispatched_offset" in event.data:
        checks.append(lambda view: check_record_begin(view, broker, event["dispatched_offset"]))
    if "ha_client_reported_offset" in event.data:
        checks.append(lambda view: check_reported(view, broker, event))
    return asking.judge(node, observation, *checks)


def check_reported(view: View, slave: int, event: Event) -> View:
    """A slave's latest report: of this connection, of the one before, or its own end.

    HAClient#connectMaster sets it to the own end, even if the connect fails (R-HC-02). Under a
    controller the handshake sets it to what will be reported (`v533_controller_n0` seq 207).
    """
    link, wire, offset = view.cluster.links[slave], view.wires[slave], "ha_client_reported_offset"
    own = view.get_log(slave).max_offset
    known = {0, own, wire.reported_before, wire.last_report}
    if link.is_open and (link.has_reported or view.cluster.epoch_files):
        known.add(link.reported_offset)
    if event[offset] not in known:
        raise Blocked(f"{offset} is {event[offset]}, but {own} by the model")
    return view


def check_record_begin(view: View, broker: int, offset: int) -> None:
    """The dispatch stands between two records, as far as it is known which these are."""
    log, tables = view.get_log(broker), view.plan.tables
    is_open = offset < log.start_offset or not log.has_file
    is_open = is_open or offset <= log.ghost_unknown_below_offset
    if not (is_open or view.plan.are_puts_hidden or has_boundary(tables, log, offset)):
        raise Blocked(f"dispatched_offset is {offset}, where no message begins or ends")


def may_reach(asking: Asking, event: Event, broker: int, offset: int, *, is_at_once: bool) -> bool:
    """A look may show that a log has come so far: at its first field, or at a later one."""
    if offset <= event.data.get("max_offset", offset):
        return True
    return not is_at_once and asking.landmarks.may_grow_to(broker, offset, event.t_ms)


def list_cursor_goals(
    asking: Asking, node: Node, event: Event, broker: int, *, is_at_once: bool
) -> Iterator[Goal]:
    """What a broker shows of the end of its log, and of the cursors that follow it."""
    log, who = f"{name_broker(broker)}.log", event["node"]
    end_path = name_end(asking.plan, broker)
    paths = {
        "max_offset": end_path,
        "flushed_offset": f"{log}.flushed_offset",
        "dispatched_offset": f"{log}.dispatched_offset",
    }
    for name, path in paths.items():
        if name not in event.data:
            continue
        text, shown = f"{name} of {who}", event[name]
        may_be = may_reach(asking, event, broker, shown, is_at_once=is_at_once)
        goal = asking.has_value(text, path, shown, is_possible=may_be)
        if name == "dispatched_offset" and is_dispatch_open(asking, node, broker):
            goal = has_dispatched(asking, who, path, shown)
        if name == "flushed_offset" and broker == MASTER:
            goal = evolve(goal, usual=partial(list_given_up_flushes, asking.guide))
        # The cursor may stand where the log has ended before, and gone on since.
        end = asking.has_value(f"the end of {who}", end_path, shown)
        yield goal if goal.path == end_path else find_way(asking, node, goal, end)


def list_log_goals(
    asking: Asking, node: Node, event: Event, broker: int, *, is_at_once: bool = True
) -> Iterator[Goal]:
    """What a broker shows of its log; ``is_at_once``: it does not go on meanwhile."""
    who = event["node"]
    yield from list_cursor_goals(asking, node, event, broker, is_at_once=is_at_once)
    if broker == MASTER:
        yield from list_master_goals(asking, node, event, is_at_once=is_at_once)
    if "min_offset" in event.data:
        begin = event["min_offset"]
        text = f"min_offset of {who} is {begin}"
        shown = event.data.get("max_offset")
        is_begin = shown is None or asking.landmarks.may_begin_at(begin, shown)
        goal = begins_at(asking, text, broker, begin, is_possible=is_begin)
        yield evolve(goal, is_lost=partial(has_other_begin, asking, broker, begin))
    files = event.data.get("mapped_files")
    if files is not None:
        text = f"mapped_files of {who} is {files}"
        may_hold = asking.landmarks.may_hold(event["min_offset"], files, event["max_offset"])
        if files == 0:
            yield asking.holds(text, has_no_file, broker, is_possible=may_hold)
        else:
            size = asking.guide.get(node, "parameters.mapped_file_size_bytes")
            numbers = (files * size,)
            yield asking.holds(text, has_files, broker, numbers=numbers, is_possible=may_hold)


def find_way(asking: Asking, node: Node, goal: Goal, end: Goal) -> Goal:
    """A goal about a cursor, and how it may be met; ``end``: that the log ends at its number."""
    instead = find_earlier_move(asking, node, goal, end.path)
    return evolve(goal, on_the_way=(end, goal), instead=instead)


def find_earlier_move(asking: Asking, node: Node, goal: Goal, end_path: str) -> Goal | None:
    """Where the file is gone in which a cursor stands, it has moved on before: to the log's end."""
    log = end_path.removesuffix(f".ends.{asking.plan.structure.lives - 1}")
    if asking.guide.get(node, goal.path) >= asking.guide.get(node, f"{log}.start_offset"):
        return None

    def follow_end(earlier: Node) -> Goal:
        return asking.has_value(goal.text, goal.path, asking.guide.get(earlier, end_path))

    return evolve(goal, again=follow_end)


def find_flush_before(asking: Asking, node: Node) -> Goal | None:
    """The same of the master's flush, for a put that needs one."""
    path = "master.log.flushed_offset"
    flushed = asking.has_value("flushed_offset", path, asking.guide.get(node, path))
    return find_earlier_move(asking, node, flushed, name_end(asking.plan, MASTER))


def list_master_goals(
    asking: Asking, node: Node, event: Event, *, is_at_once: bool
) -> Iterator[Goal]:
    """What a master shows of all its slaves, and where its log ends when it does."""
    who, count = event["node"], "connection_count"
    if PUSH2 in event.data:
        goal = asking.has_value(f"{PUSH2} of {who}", f"master.{PUSH2}", event[PUSH2])
        yield lag_behind(asking, goal)
    if count in event.data:
        listed = len(event.data.get("connections", range(event[count])))
        is_listed = not is_at_once or listed == event[count]
        text = f"{count} of {who}"
        yield asking.is_counted(node, text, event, event[count], is_possible=is_listed)
    end = find_later_end(event)
    if end is None or end == event["max_offset"]:
        return
    text = f"{DISTANCE} is {event[DISTANCE]}, so the end of {who}"
    is_grown = end > event["max_offset"]  # No log shrinks while it is looked at.
    if is_grown and may_reach(asking, event, MASTER, end, is_at_once=is_at_once):
        yield asking.has_value(text, name_end(asking.plan, MASTER), end)
    else:
        yield is_impossible(f"{text} is {end}, but max_offset is {event['max_offset']}")


def get_log(state: Any, broker: int) -> Any:
    """A broker's log."""
    return state.master.log if broker == MASTER else state.slaves[broker].log


def begins_at(
    asking: Asking, text: str, broker: int, offset: int, *, is_possible: bool = True
) -> Goal:
    """The first file of a log begins here; without any file it is said to begin at -1."""
    if offset == -1:
        return asking.holds(text, has_no_file, broker, is_possible=is_possible)
    return asking.holds(text, has_begin, broker, numbers=(offset,), is_possible=is_possible)


def has_other_begin(asking: Asking, broker: int, offset: int, node: Node) -> bool:
    """A log with files begins elsewhere, and the recorder tells of each deletion."""
    log = f"{name_broker(broker)}.log"
    is_fixed = asking.plan.are_deletions_shown and asking.guide.get(node, f"{log}.has_file")
    return bool(is_fixed) and asking.guide.get(node, f"{log}.start_offset") != offset


def has_no_file(state: Any, broker: int) -> Any:
    """A broker's log has no file."""
    return negate(get_log(state, broker).has_file)


def has_begin(state: Any, broker: int, offset: int) -> Any:
    """The first file of a broker's log begins here."""
    log = get_log(state, broker)
    return log.has_file & (log.start_offset == offset)


def has_files(state: Any, broker: int, size_bytes: int) -> Any:
    """The files of a broker's log have this size together.

    Behind a full file the next one is there before its first byte, which
    ``MappedFileQueue#getLastMappedFile`` makes.
    """
    log, file_size = get_log(state, broker), state.parameters.mapped_file_size_bytes
    end, last_end = log.start_offset + size_bytes, compute_last_file_end(log, state.parameters)
    is_next_made = (log.max_offset == last_end) & (last_end + file_size == end)
    return log.has_file & ((last_end == end) | is_next_made)


def list_link_goals(asking: Asking, node: Node, event: Event, broker: int) -> Iterator[Goal]:
    """What a slave shows of its link; one that has yet to truncate has not looked at it since."""
    name = "ha_client_connected"
    is_open = event.data.get(name)
    if broker == MASTER or is_open is None:
        return
    is_left = is_given_up(node, broker) or is_at_proxy(asking, event, broker)
    is_left |= broker in find_refused(asking.guide, node)
    is_left |= is_end_unseen(asking, node, event, broker)
    is_left |= event["node"] in node.notes.seen.tables.own_masters
    if node.notes.wires[broker].late_point >= 0 or (is_open and is_left):
        yield agrees(f"{name} is {is_open}", is_so=bool(is_open))
        return
    is_possible = bool(is_open) or may_be_closed(asking, node, event, broker)
    yield asking.has_value(name, f"links.{broker}.is_open", is_open, is_possible=is_possible)
    if is_open:
        offset = event["ha_client_reported_offset"]
        text = f"ha_client_reported_offset is {offset}"
        is_possible = asking.landmarks.may_stand_at(offset)
        numbers = (offset,)
        yield asking.holds(
            text, may_have_reported, broker, numbers=numbers, is_possible=is_possible
        )


def is_at_proxy(asking: Asking, event: Event, slave: int) -> bool:
    """The slave is connected to its proxy, which cannot reach the master."""
    refusals_ms = asking.plan.links[slave].refusals_ms
    return any(abs(event.t_ms - t_ms) <= NOTICE_MS for t_ms in refusals_ms)


def is_end_unseen(asking: Asking, node: Node, event: Event, slave: int) -> bool:
    """The master's side has ended, and its slave has yet to see that: the proxy held it back."""
    wire = node.notes.seen.wires[slave]
    is_held = wire.is_open and wire.are_frames_stalled
    ended_ms = -math.inf if wire.closed_ms is None else wire.closed_ms
    is_new = wire.healed_ms <= ended_ms and event.t_ms <= wire.healed_ms + NOTICE_MS
    return (is_held or is_new) and not asking.guide.get(node, f"links.{slave}.is_open")


def may_be_closed(asking: Asking, node: Node, event: Event, slave: int) -> bool:
    """A slave's connection may have ended, as far as its proxy shows that at once."""
    wire, broker = node.notes.seen.wires[slave], node.notes.seen.slaves[slave]
    is_of_process = broker.started_ms - SLACK_MS <= wire.opened_ms < event.t_ms - NOTICE_MS
    is_known = wire.is_open and not wire.is_stalled and is_of_process
    return not is_known or asking.landmarks.may_be_closed(slave, wire.connection, event.t_ms)


def list_positions(asking: Asking, node: Node, end: int) -> tuple[Goal, ...]:
    """An empty slave whose log is to begin in an earlier file has its position before this one.

    A master that is asked for 0 sends from the begin of its last file (R-HA-11); without frames it
    is the slave's log that shows which one that was. ``end``: where the master's log is to go on.
    """
    base = end - end % asking.guide.get(node, "parameters.mapped_file_size_bytes")
    return tuple(
        is_position_known(asking, slave)
        for slave in range(len(asking.plan.slaves))
        if asking.guide.must_begin_below(node, slave, base)
    )


def is_position_known(asking: Asking, slave: int) -> Goal:
    """The master knows where to send from."""
    text = f"the master knows where slave {slave} begins"
    return asking.holds(text, has_position, slave)


def has_position(state: Any, slave: int) -> Any:
    """The master knows where to send from to a slave."""
    return is_positioned(state.links[slave])


def list_list_goals(asking: Asking, node: Node, event: Event, broker: int) -> tuple[Goal, ...]:
    """The connections that a master lists are those that it counts."""
    shown = event.data.get("connections")
    if broker != MASTER or shown is None:
        return ()
    unlisted = len(node.notes.connections) - len(list_listed(node, event))
    count = asking.is_counted(node, "connection_count", event, len(shown) + unlisted)
    shown = list_agreed(asking.guide, node, shown)
    links = (f"links.{slave}.is_open" for slave in range(len(asking.plan.slaves)))
    leaves = frozenset((count.path, *links, *list_requests(asking)))

    def is_list(after: Node) -> bool:
        return match(list_listed(after, event), shown, get_requests(asking, after)) is not None

    return count, Goal("the connections are those shown", is_list, leaves)


def list_requests(asking: Asking) -> Iterator[str]:
    """Where the state has what each slave has asked for."""
    for slave in range(len(asking.plan.slaves)):
        yield f"links.{slave}.slave_request_offset"


def get_requests(asking: Asking, node: Node) -> list[int]:
    """What each slave has asked for on its connection; hidden ones may end, and others begin."""
    return [
        asking.guide.get(node, path) if wire.is_connection_recorded else UNSET
        for path, wire in zip(list_requests(asking), node.notes.wires, strict=True)
    ]


def list_connection_goals(
    asking: Asking, event: Event, broker: int, node: Node
) -> tuple[Goal, ...]:
    """What a master shows of the connections that are alive."""
    if broker != MASTER:
        return ()
    return tuple(
        goal
        for slave, shown in list_live(node, event, get_requests(asking, node))
        for goal in list_own_goals(asking, node, slave, shown)
    )


def list_own_goals(asking: Asking, node: Node, slave: int, shown: Shown) -> Iterator[Goal]:
    """What a master shows of one connection; a slave asks for the end that it had before."""
    link, name = f"links.{slave}", "slave_request_offset"
    connection, now_ms = node.notes.wires[slave].connection, asking.guide.now_ms
    is_read = asking.reports.may_be_read(slave, connection, shown[name], now_ms)
    text, path = f"{name} of the connection", f"{link}.{name}"
    asked = asking.has_value(text, path, shown[name], is_possible=is_read)
    copied = asking.has_value(f"max_offset of {slave}", name_end(asking.plan, slave), shown[name])
    yield evolve(asked, on_the_way=(copied,))
    name = "slave_ack_offset"
    yield asking.has_value(f"{name} of the connection", f"{link}.{name}", shown[name])
    name = "next_transfer_from"
    is_possible = asking.landmarks.may_send_from(slave, connection, shown[name])
    yield from list_connection_state(asking, slave, shown)
    path, text = f"{link}.next_transfer_offset", f"{name} of the connection"
    goal = asking.has_value(text, path, shown[name], is_possible=is_possible)
    yield evolve(goal, usual=lambda n: list_transfers(asking.guide, n, slave, goal.wanted))


def may_have_reported(state: Any, slave: int, offset: int) -> Any:
    """A slave's latest report is this offset, or it has not reported on this connection."""
    link = state.links[slave]
    return negate(link.has_reported) | (link.reported_offset == offset)
