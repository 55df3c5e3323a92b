"""What a link's proxy shows: connections, reports, frames, stalls."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any

from attrs import evolve

from brokers.recordings.ahead.order import Observation
from brokers.recordings.ahead.plan import MASTER, find_next
from brokers.recordings.checks.closings import check_housekeeping, is_ending
from brokers.recordings.checks.traffic import (
    CLOSING_SIDES,
    check_heartbeat,
    check_interval,
    check_not_held,
    check_reconnect,
    check_target_down,
    date_report,
    date_sent_frame,
)
from brokers.recordings.clock import JITTER_MS, LATE_MS, SLACK_MS
from brokers.recordings.controller.goals import (
    has_epoch_files,
    list_frame_goals,
    list_handshake_goals,
)
from brokers.recordings.controller.truncation import is_given_up
from brokers.recordings.hidden.node import Goal, Node, Requirements
from brokers.recordings.kinds import START_KINDS
from brokers.recordings.log.asking import (
    Asking,
    agrees,
    ask_for,
    is_fact,
    is_impossible,
    note,
    see,
)
from brokers.recordings.log.guide import CLOSING
from brokers.recordings.log.limits.slaves import has_hidden_stop
from brokers.recordings.log.lives import list_starts
from brokers.recordings.log.notes import LinkNotes, Notes
from brokers.recordings.log.played import (
    is_refused,
    observe_played_frame,
    observe_played_report,
)
from brokers.recordings.log.seen import ShownFacts
from brokers.recordings.reading import Event
from brokers.recordings.view import Blocked, View, check
from reference.language.compiled import State

SIDES = 2
"""A connection goes through a proxy, which sees both of its sides end."""


def observe_link_open(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """A slave connects, perhaps before its start is over; the master accepts that soon."""
    event = observation.event
    slave = asking.plan.find_slave_of_link(event)
    names = [*list_starts(asking, slave), *(f"{name}[{slave}]" for name in CLOSING)]

    def connect(notes: Notes) -> Notes:
        wire = evolve(notes.wires[slave], connection=event["conn"], reports=(), sent=0)
        wire = evolve(wire, forwarded=0, taken=0, are_reports_late=False, position=-1, ended=None)
        wires = (*notes.wires[:slave], wire, *notes.wires[slave + 1 :])
        closed = notes.spend(*(f"{name}[{slave}]" for name in CLOSING))
        closed = closed.see(lambda seen: open_wire(seen, slave, event))
        return evolve(closed, wires=wires).grant(f"connect_slave[{slave}]")

    goals = (
        asking.has_value(f"slave {slave} runs", f"slaves.{slave}.is_up", True),
        asking.has_value("its connection before is open", f"links.{slave}.is_open", False),
    )
    asked = Requirements(
        (
            asking.later(observation, lambda view: check_opening(view, slave, event)),
            lambda _: goals,
        ),
        permits=dict.fromkeys(names, 1),
        after=note(connect),
    )
    later = asking.plan.list_later_of(asking.plan.slaves[slave], event)
    start = next((each for each in later if each.kind in START_KINDS), None)
    end = start.data.get("max_offset") if start is not None else None
    if node.notes.seen.slaves[slave].is_started or end is None:
        return asked
    # Its log may have grown before the look at its start, but it rarely has.
    recovered = {name: {"recovered_offset": end} for name in list_starts(asking, slave)}
    return evolve(asked, arguments=recovered, otherwise=lambda: asked)


def check_opening(view: View, slave: int, event: Event) -> View:
    """The next connection of a link, in its time; the end of the one before may be noted later."""
    wire = view.wires[slave]
    view = check(view, "conn", wire.connection + 1, event["conn"])
    if not wire.is_open:
        is_scripted = slave in view.plan.scripted
        return view if is_scripted else check_reconnect(view, slave)
    ended_ms = view.plan.links[slave].closings_ms.get(wire.connection, view.plan.end_ms)
    # What a slave sends last, its end, is held back like all that it sends; and who holds back the
    # other direction was seen to notice it 38 ms late (delay_promotion_delete seq 144 and 150).
    if ended_ms > event.t_ms + LATE_MS and not wire.is_stalled:
        raise Blocked(f"connection {wire.connection} of this link is still open")
    return view


def open_wire(seen: ShownFacts, slave: int, event: Event) -> ShownFacts:
    """A connection was opened."""
    return close_wire(seen, slave, event.t_ms).change_wire(
        slave,
        connection=event["conn"],
        opened_ms=event.t_ms,
        is_open=True,
        last_frame_ms=None,
        frame_least_ms=event.t_ms,
        frame_before_ms=None,
        next_offset=None,
        refused_ms=None,
        last_report=None,
        last_report_ms=event.t_ms,
        last_report_least_ms=event.t_ms,
        has_crossed=False,
    )


def close_wire(seen: ShownFacts, slave: int, t_ms: float) -> ShownFacts:
    """A connection has ended, if one was open."""
    wire = seen.wires[slave]
    if not wire.is_open:
        return seen
    before = wire.reported_before if wire.last_report is None else wire.last_report
    return seen.change_wire(
        slave,
        reported_before=before,
        ended_connection=wire.connection,
        ends_to_see=SIDES,
        closed_ms=t_ms if seen.slaves[slave].is_started else None,
        is_open=False,
    )


def observe_report(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """A slave reports an offset; the proxy forwards it."""
    event = observation.event
    slave = asking.plan.find_slave_of_link(event)
    link, offset = f"links.{slave}", event["slave_offset"]
    is_over = node.notes.wires[slave].ended is not None
    if is_over or not is_latest(asking, event, node, slave):
        return observe_other_connection(asking, event, node, slave)
    if slave in asking.plan.scripted:
        return observe_played_report(asking, observation, node, slave)
    names = ("report_offset", "report_offset_to_earlier_put")

    wire, seen = node.notes.wires[slave], date_report(node.notes.seen.wires[slave], event)
    is_latest_report = asking.guide.get(node, f"{link}.reported_offset") == offset
    is_late = wire.are_reports_late

    def forward(notes: Notes) -> Notes:
        shown = notes.see(lambda s: s.change_wire(slave, **seen))
        reports = (*notes.wires[slave].reports, offset)
        return shown.change_wire(
            slave, reports=reports, are_reports_late=is_late and not is_latest_report
        )

    handshake = list_greeting_goals(asking, event, node, slave)
    is_possible = asking.reports.may_be(event) or has_epoch_files(asking)
    reported = list_report_goals(asking, slave, offset, is_late=is_late)
    goals = (*handshake, *(evolve(goal, is_possible=is_possible) for goal in reported))
    overtaken = (*handshake, *list_report_goals(asking, slave, offset, is_late=True))
    checks = asking.later(
        observation,
        lambda view: check_not_held(view, slave, view.wires[slave].are_reports_stalled),
        lambda view: check_interval(view, slave, event),
    )
    asked = Requirements(
        (checks, lambda _: goals),
        permits={f"{name}[{slave}]": 1 for name in names},
        after=note(forward),
    )
    if not is_overtaken(asking, event, node, slave):
        return asked
    return evolve(asked, otherwise=lambda: evolve(asked, stages=(checks, lambda _: overtaken)))


def list_greeting_goals(asking: Asking, event: Event, node: Node, slave: int) -> tuple[Goal, ...]:
    """Late reports do not fall, and under a controller a handshake comes first."""
    is_late, offset = node.notes.wires[slave].are_reports_late, event["slave_offset"]
    before = node.notes.seen.wires[slave].last_report if is_late else None
    rises = agrees(f"the report before was {before}, and none falls", is_so=offset >= (before or 0))
    return (rises, *list_handshake_goals(asking, node, slave, event))


def is_overtaken(asking: Asking, event: Event, node: Node, slave: int) -> bool:
    """A look at the slave has shown a later report than this one, which the proxy notes after it.

    It lies above those that the proxy has noted.
    """
    looks, offset = asking.plan.links[slave].shown_reports, event["slave_offset"]
    first = bisect_left(looks.times_ms, event.t_ms - JITTER_MS)
    last = bisect_right(looks.times_ms, event.t_ms)
    before = node.notes.seen.wires[slave].last_report
    is_above = before is None or offset > before
    return is_above and any(value > offset for value in looks.values[first:last])


def list_report_goals(asking: Asking, slave: int, offset: int, *, is_late: bool) -> Iterator[Goal]:
    """A slave has reported an offset, or more by now where its proxy has held that back."""
    link = f"links.{slave}"
    yield asking.has_value("whether it has reported", f"{link}.has_reported", True)
    if not is_late:
        yield asking.has_value("the slave's report", f"{link}.reported_offset", offset)
        return
    has_ended = offset in asking.plan.links[slave].slave_ends
    yield agrees(f"the slave's log has ended at {offset}", is_so=has_ended)
    text = f"the slave's reports reach {offset}"
    yield asking.holds(text, has_reported, slave, numbers=(offset,))


def has_reported(state: Any, slave: int, offset: int) -> Any:
    """The slave's latest report is this one, or a higher one."""
    return offset <= state.links[slave].reported_offset


def is_latest(asking: Asking, event: Event, node: Node, slave: int) -> bool:
    """An event is about the latest connection of a link, and that may not have ended yet."""
    wire = node.notes.wires[slave]
    is_open = asking.guide.get(node, f"links.{slave}.is_open")
    is_over = not node.notes.seen.wires[slave].is_open and not is_open
    return bool(event.data.get("conn", wire.connection) == wire.connection) and not is_over


def observe_other_connection(asking: Asking, event: Event, node: Node, slave: int) -> Requirements:
    """What is late of a connection that has ended is lost; of a later one nothing can be seen."""
    wire = node.notes.wires[slave]
    if event["conn"] > wire.connection:
        return ask_for(agrees(f"connection {event['conn']} is open", is_so=False))
    is_frame = event.kind == "ha_frame" and bool(event["body_bytes"])
    if is_frame and event["conn"] == wire.connection and wire.ended is not None:
        return observe_late_frame(asking, event, node, slave)
    late = list_late_goals(asking, event, node, slave)
    if event.kind != "ha_report":
        return ask_for(*late)
    return ask_for(*late, after=note(lambda notes: notes.read_late(slave, event["slave_offset"])))


def list_late_goals(asking: Asking, event: Event, node: Node, slave: int) -> Iterator[Goal]:
    """What comes late was sent before the end of its connection.

    Its proxy has not told of both sides of that end yet, or held it back when it told.
    """
    seen, ahead = node.notes.seen.wires[slave], asking.plan.links[slave]
    ended_ms = ahead.closings_ms.get(event["conn"], math.inf)
    is_soon = event.t_ms <= ended_ms + SLACK_MS or seen.is_stalled or seen.healed_ms > ended_ms
    is_ending = event["conn"] == seen.ended_connection and seen.ends_to_see > 0 and is_soon
    is_open = event["conn"] == seen.connection and seen.is_open
    is_late = is_open or is_ending or was_held_at_end(asking, node, slave, event)
    yield agrees(f"connection {event['conn']} has not ended", is_so=is_late)
    if event.kind == "ha_report":
        if slave in asking.plan.scripted:
            return
        offset = event["slave_offset"]
        is_so = offset in ahead.slave_ends or offset == seen.last_report
        # HAClient#reportSlaveMaxOffset tells the end of a log that only grows (R-HC-10).
        is_so = is_so and (event["conn"] != seen.connection or offset >= (seen.last_report or 0))
        sent = {conn: {f.end_offset for f in frames} for conn, frames in ahead.frames.items()}
        brought = {conn for conn, ends in sent.items() if offset in ends}
        # What only frames of later connections have brought was not reported before them.
        is_so = is_so and (not brought or min(brought) <= event["conn"])
        yield agrees(f"the slave's log has ended at {offset}", is_so=is_so)
        return
    offset, begins = event["master_offset"], ahead.first_offsets
    ends = ahead.collect_frame_ends(event["conn"], event.t_ms)
    is_so = offset in ends or offset == begins.get(event["conn"])
    yield agrees(f"the master would have sent from {offset}", is_so=is_so)


def was_held_at_end(asking: Asking, node: Node, slave: int, event: Event) -> bool:
    """The proxy held back this direction when the connection ended, and has just let it go."""
    wire = node.notes.seen.wires[slave]
    ended_ms = asking.plan.links[slave].closings_ms.get(event["conn"], math.inf)
    is_just_healed = wire.healed_ms <= event.t_ms <= wire.healed_ms + SLACK_MS
    return bool(is_just_healed and wire.stalled_ms <= ended_ms <= wire.healed_ms)


def observe_frame(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """A master sends a frame; the proxy forwards it."""
    event = observation.event
    slave = asking.plan.find_slave_of_link(event)
    if not is_latest(asking, event, node, slave):
        return observe_other_connection(asking, event, node, slave)
    if MASTER in asking.plan.scripted:
        return observe_played_frame(asking, observation, node, slave)
    begin, size = event["master_offset"], event["body_bytes"]
    if size and node.notes.wires[slave].ended is not None:
        return observe_late_frame(asking, event, node, slave)

    def is_not_held(view: View) -> None:
        check_not_held(view, slave, view.wires[slave].are_frames_stalled)

    shown = date_sent_frame(asking.view(node, observation), slave, event)
    told = (is_in_turn(asking, node, slave, begin), *list_frame_goals(asking, slave, event))

    def show(notes: Notes) -> Notes:
        return notes.see(lambda seen: seen.change_wire(slave, **shown))

    if not size:
        beats = asking.later(observation, is_not_held, lambda view: check_heartbeat(view, slave))
        is_possible = is_heartbeat_possible(asking, node, slave, begin)
        goals = (is_possible, *told)
        return Requirements((beats, lambda _: goals), after=note(show))
    number = node.notes.wires[slave].forwarded
    is_sent = Goal(
        f"{size} B are sent from {begin}",
        lambda n: n.notes.wires[slave].sent > number,
        instances=(f"transfer_batch[{slave}]",),
        is_possible=asking.landmarks.may_be_sent(begin, size, event.t_ms),
    )
    is_short = asking.sending.is_short(slave, event["conn"], node.notes.process, begin, size)
    too_few = (is_impossible(f"{size} B are all that the master had to send"),) * is_short
    is_next = may_be_next(asking, event, node, slave)
    is_from = [] if is_sent.check(node) else [is_at(asking, slave, begin, is_possible=is_next)]
    forward = note(lambda notes: show(notes).change_wire(slave, forwarded=number + 1))
    passes = asking.later(observation, is_not_held)
    stages = (passes, lambda _: tuple(is_from), lambda _: (*too_few, is_sent), lambda _: told)
    return Requirements(stages, after=forward)


def is_in_turn(asking: Asking, node: Node, slave: int, offset: int) -> Goal:
    """A frame begins where the one before it on its connection ends: none is left out (R-HA-14).

    Under a controller a master without a file beats from -1 until it knows where it sends from.
    """
    end = node.notes.seen.wires[slave].next_offset
    is_so = end in (None, offset) or has_epoch_files(asking)
    return is_fact(f"the next frame begins at {end}, this one at {offset}", is_so=is_so)


def may_be_next(asking: Asking, event: Event, node: Node, slave: int) -> bool:
    """A frame follows the one before it, or begins where its connection may have begun."""
    wire, begin = node.notes.wires[slave], event["master_offset"]
    if wire.forwarded:
        frames = asking.guide.list_frames(wire, slave)
        return bool(frames[wire.forwarded - 1].end_offset == begin)
    return bool(asking.reports.may_begin_at(slave, event["conn"], begin))


def observe_late_frame(asking: Asking, event: Event, node: Node, slave: int) -> Requirements:
    """A frame comes whose connection has ended; the slave's end of it may not know that yet."""
    wire: LinkNotes = node.notes.wires[slave]
    frames = asking.guide.list_frames(wire, slave)[wire.taken : wire.forwarded + 1]
    states: list[State] = []
    after = node
    for frame in frames:
        taken = asking.guide.deliver_late(after, slave, frame)
        if taken is None:
            break
        after = node.edit(state=taken)
        states.append(taken)
    ends_after = asking.plan.links[slave].ends_after.get(event["conn"])
    wanted = None if ends_after is None else find_next(ends_after, event.t_ms)
    ends = [asking.guide.get_max(node.edit(state=state), slave) for state in states]
    counts = [number for number, end in enumerate(ends, start=1) if wanted is None or end <= wanted]
    count = max(counts, default=0)

    def take(last: Node) -> Node:
        end = event["master_offset"] + event["body_bytes"]
        shown = last.notes.see(lambda seen: seen.change_wire(slave, next_offset=end))
        notes = shown.change_wire(slave, forwarded=wire.forwarded + 1, taken=wire.taken + count)
        return last.edit(notes=notes, state=states[count - 1] if count else last.state)

    return ask_for(*list_late_goals(asking, event, node, slave), after=take)


def is_at(asking: Asking, slave: int, offset: int, *, is_possible: bool = True) -> Goal:
    """The master sends from here; ``is_possible``: the frame before it, if any, ends here."""
    path = f"links.{slave}.next_transfer_offset"
    return asking.has_value("where the master sends from", path, offset, is_possible=is_possible)


def is_heartbeat_possible(asking: Asking, node: Node, slave: int, offset: int) -> Goal:
    """A heartbeat tells where the next frame begins: of what the proxy still holds, or now."""
    if offset < 0 and not has_epoch_files(asking):
        return is_fact("a master without a controller knows from where it sends", is_so=False)
    wire: LinkNotes = node.notes.wires[slave]
    frames = asking.guide.list_frames(wire, slave)
    if wire.forwarded < len(frames) and (offset >= 0 or wire.sent > wire.forwarded):
        is_next = frames[wire.forwarded].start_offset == offset
        if not is_next or wire.sent > wire.forwarded:
            return agrees(f"a frame from {offset} is forwarded next", is_so=is_next)
    is_open = asking.guide.get(node, f"links.{slave}.is_open")
    if not is_open and wire.position >= 0:
        come = frames[max(0, wire.forwarded - 1) : wire.forwarded]
        is_last = offset in (wire.position, *(frame.end_offset for frame in come))
        return agrees(f"the master would have sent from {offset}", is_so=is_last)
    marks = asking.landmarks.may_send_from if frames else asking.reports.may_begin_at
    may_be = marks(slave, wire.connection, offset)
    return is_at(asking, slave, offset, is_possible=may_be)


def observe_link_close(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """One side of a connection ends, or the proxy cuts it; the slave's side has ended soon."""
    event = observation.event
    slave = asking.plan.find_slave_of_link(event)
    is_cut = event.kind.startswith("link_cut")
    is_end = not is_cut and not is_about_open(event, node, slave)
    names = [name for name in CLOSING if is_cut or name != "cut_link"]
    closings = tuple(f"{name}[{slave}]" for name in names)

    def end(after: Node) -> Node:
        shown = see(lambda seen: end_wire(seen, slave, event))(after)
        if is_end:
            return shown
        notes: Notes = shown.notes.spend(f"connect_slave[{slave}]")
        is_open = asking.guide.get(after, f"links.{slave}.is_open")
        return shown.edit(notes=notes.grant(*closings) if is_open else notes)

    wire = node.notes.wires[slave]
    is_refusing = f"refuse_later_report[{slave}]" in asking.guide.machine.instances
    may_refuse = is_refusing and bool(wire.reports)
    if slave not in asking.plan.scripted:
        may_refuse = may_refuse or is_given_up(node, slave) or is_frame_refused(asking, node, slave)
    checks = asking.later(
        observation, lambda view: check_end(view, slave, event, may_refuse=may_refuse)
    )
    return Requirements((checks,), after=end)


def is_frame_refused(asking: Asking, node: Node, slave: int) -> bool:
    """A frame or a heartbeat has come that does not begin where the slave's log ends.

    Frames behind one that does follow it, and are taken, too (R-HA-14), unless the slave stops: it
    drops one, and refuses the next (v533_f_slave_restart_resume seq 92 to 99). Under a controller
    it may refuse one for its epoch.
    """
    seen, wire = node.notes.seen, node.notes.wires[slave]
    has_come = seen.wires[slave].last_frame_ms is not None
    may_be_any = has_epoch_files(asking) or seen.slaves[slave].stop_begin_ms is not None
    is_any = may_be_any and wire.taken < wire.forwarded
    return is_any or (has_come and is_refused(asking, node, slave))


def is_about_open(event: Event, node: Node, slave: int) -> bool:
    """An event is about the connection of a link that is open."""
    wire = node.notes.seen.wires[slave]
    return bool(wire.is_open and event.data.get("conn", wire.connection) == wire.connection)


def end_wire(seen: ShownFacts, slave: int, event: Event) -> ShownFacts:
    """An end was seen: of a connection, or of one of its sides."""
    wire, is_cut = seen.wires[slave], event.kind.startswith("link_cut")
    if is_cut or event["conn"] == wire.connection:
        seen = close_wire(seen, slave, event.t_ms)
    if is_cut or event["closed_by"] == "proxy":
        seen = seen.change_wire(slave, cut_ms=event.t_ms)
    if is_cut:
        return seen
    return seen.change_wire(slave, ends_to_see=seen.wires[slave].ends_to_see - 1)


def check_end(view: View, slave: int, event: Event, *, may_refuse: bool) -> View:
    """Each end of a connection has its reason, and is seen once at each of its two sides.

    A process ends, a frame or a report is refused, or one side has heard nothing for long.
    """
    wire = view.wires[slave]
    if event.kind.startswith("link_cut"):
        return view
    if event["closed_by"] not in CLOSING_SIDES:
        raise Blocked(f"closed_by is {event['closed_by']!r}, which is no side of a connection")
    if wire.is_open and event["conn"] == wire.connection:
        is_over = not view.cluster.links[slave].is_open or is_ending(view, slave)
        is_over = is_over or has_hidden_stop(view.plan, view.slaves[slave], slave, view.now_ms)
        return view if is_over or may_refuse else check_housekeeping(view, slave)
    ended_ms = view.plan.links[slave].closings_ms.get(event["conn"], view.now_ms)
    is_held = wire.is_stalled or wire.healed_ms > ended_ms
    if not wire.ends_to_see or (view.now_ms > ended_ms + SLACK_MS and not is_held):
        raise Blocked("no connection of this link has ended, or both of its sides were seen to")
    return check(view, "conn", wire.ended_connection, event["conn"])


def observe_stall(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """The proxy holds back what is sent, or forwards it again."""
    event = observation.event
    slave = asking.plan.find_slave_of_link(event)
    is_stalled = event.kind == "link_stalled"
    is_held = is_stalled and bool(event["master_to_slave"])
    is_late = is_stalled and bool(event["slave_to_master"])

    def hold(notes: Notes) -> Notes:
        late = is_late or notes.wires[slave].are_reports_late
        wire, changes = notes.seen.wires[slave], {"stalled_ms": event.t_ms} if is_stalled else {}
        if not is_stalled or wire.is_stalled:
            changes["healed_ms"] = event.t_ms
        shown = notes.see(
            lambda seen: seen.change_wire(
                slave, are_reports_stalled=is_late, are_frames_stalled=is_held, **changes
            )
        )
        return shown.change_wire(slave, are_frames_held=is_held, are_reports_late=late)

    return ask_for(after=note(hold))


def observe_target_down(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """The proxy could not reach the master; the slave's next connect is counted from here."""
    event = observation.event
    slave = asking.plan.find_slave_of_link(event)

    def fail(seen: ShownFacts) -> ShownFacts:
        is_first = seen.wires[slave].closed_ms is None
        return seen if is_first else seen.change_wire(slave, closed_ms=event.t_ms)

    checks = asking.later(observation, lambda view: check_target_down(view, event))
    return Requirements((checks,), after=see(fail))
