"""What a link's proxy shows: connections, reports, frames, stalls."""

from __future__ import annotations

from attrs import evolve

from reference.recordings.hidden.node import Asked, Goal, Node
from reference.recordings.log.asking import Asking, agrees, ask_for, note
from reference.recordings.log.brokers import list_starts
from reference.recordings.log.guide import CLOSING
from reference.recordings.log.notes import Notes, Wire
from reference.recordings.order import Observation
from reference.recordings.reading import Event

OTHER_CONNECTION = Asked(ignored="of a connection that has ended before")


def observe_link_open(asking: Asking, observation: Observation, node: Node) -> Asked:
    """A slave connects, perhaps before its start is over; the master accepts that soon."""
    event = observation.event
    slave = asking.plan.find_slave_of_link(event)
    names = [*list_starts(asking, slave), *(f"{name}[{slave}]" for name in CLOSING)]

    def connect(notes: Notes) -> Notes:
        wire = evolve(notes.wires[slave], connection=event["conn"], reports=(), sent=0)
        wire = evolve(wire, forwarded=0, taken=0, are_reports_late=False, position=-1)
        wires = (*notes.wires[:slave], wire, *notes.wires[slave + 1 :])
        closed = notes.spend(f"cut_link[{slave}]")
        return evolve(closed, wires=wires).grant(f"connect_slave[{slave}]")

    return ask_for(
        asking.has_value(f"slave {slave} runs", f"slaves.{slave}.is_up", True),
        asking.has_value("its connection before is open", f"links.{slave}.is_open", False),
        permits=dict.fromkeys(names, 1),
        after=note(connect),
    )


def observe_report(asking: Asking, observation: Observation, node: Node) -> Asked:
    """A slave reports an offset; the proxy forwards it."""
    event = observation.event
    slave = asking.plan.find_slave_of_link(event)
    link, offset = f"links.{slave}", event["slave_offset"]
    if not is_latest(event, node, slave):
        return observe_other_connection(event, node, slave)
    names = ("report_offset", "report_offset_to_earlier_put")

    is_late = node.notes.wires[slave].are_reports_late
    is_latest_report = asking.guide.get(node, f"{link}.reported_offset") == offset

    def forward(notes: Notes) -> Notes:
        reports = (*notes.wires[slave].reports, offset)
        late = is_late and not is_latest_report
        return notes.change_wire(slave, reports=reports, are_reports_late=late)

    reported = asking.has_value("the slave's report", f"{link}.reported_offset", offset)
    if is_late:
        text = f"the slave's reports reach {offset}"
        reported = asking.holds(text, lambda s: offset <= s.links[slave].reported_offset)
    return ask_for(
        asking.has_value("whether it has reported", f"{link}.has_reported", True),
        reported,
        permits={f"{name}[{slave}]": 1 for name in names},
        after=note(forward),
    )


def is_latest(event: Event, node: Node, slave: int) -> bool:
    """An event is about the latest connection of a link."""
    latest: int = node.notes.wires[slave].connection
    return bool(event.data.get("conn", latest) == latest)


def observe_other_connection(event: Event, node: Node, slave: int) -> Asked:
    """What is late of a connection that has ended is lost; of a later one nothing can be seen."""
    if event["conn"] < node.notes.wires[slave].connection:
        return OTHER_CONNECTION
    return ask_for(agrees(f"connection {event['conn']} is open", is_so=False))


def observe_frame(asking: Asking, observation: Observation, node: Node) -> Asked:
    """A master sends a frame; the proxy forwards it."""
    event = observation.event
    slave = asking.plan.find_slave_of_link(event)
    if not is_latest(event, node, slave):
        return observe_other_connection(event, node, slave)
    begin, size = event["master_offset"], event["body_bytes"]
    if not size:
        return ask_for(is_heartbeat_possible(asking, node, slave, begin))
    number = node.notes.wires[slave].forwarded
    is_sent = Goal(
        f"{size} B are sent from {begin}",
        lambda n: n.notes.wires[slave].sent > number,
        instances=(f"transfer_batch[{slave}]",),
    )
    goals = [] if is_sent.check(node) else [is_at(asking, slave, begin)]
    forward = note(lambda notes: notes.change_wire(slave, forwarded=number + 1))
    return Asked((lambda _: tuple(goals), lambda _: (is_sent,)), after=forward)


def is_at(asking: Asking, slave: int, offset: int) -> Goal:
    """The master sends from here."""
    path = f"links.{slave}.next_transfer_offset"
    return asking.has_value("where the master sends from", path, offset)


def is_heartbeat_possible(asking: Asking, node: Node, slave: int, offset: int) -> Goal:
    """A heartbeat tells where the next frame begins: of what the proxy still holds, or now."""
    wire: Wire = node.notes.wires[slave]
    frames = asking.guide.list_frames(wire, slave)
    if wire.sent > wire.forwarded and wire.forwarded < len(frames):
        is_next = frames[wire.forwarded].start_offset == offset
        return agrees(f"a frame from {offset} is forwarded next", is_so=is_next)
    is_open = asking.guide.get(node, f"links.{slave}.is_open")
    if not is_open and wire.position >= 0:
        is_last = wire.position == offset
        return agrees(f"the master would have sent from {offset}", is_so=is_last)
    return is_at(asking, slave, offset)


def observe_link_close(asking: Asking, observation: Observation, node: Node) -> Asked:
    """One side of a connection ends, or the proxy cuts it; the slave's side has ended soon."""
    event = observation.event
    slave = asking.plan.find_slave_of_link(event)
    if not is_latest(event, node, slave):
        return OTHER_CONNECTION
    names = tuple(f"{name}[{slave}]" for name in CLOSING)

    def end(after: Node) -> Node:
        notes: Notes = after.notes.spend(f"connect_slave[{slave}]")
        is_open = asking.guide.get(after, f"links.{slave}.is_open")
        return after.edit(notes=notes.grant(*names) if is_open else notes)

    return ask_for(after=end)


def observe_stall(asking: Asking, observation: Observation, node: Node) -> Asked:
    """The proxy holds back what is sent, or forwards it again."""
    event = observation.event
    slave = asking.plan.find_slave_of_link(event)
    is_stalled = event.kind == "link_stalled"
    is_held = is_stalled and bool(event["master_to_slave"])
    is_late = is_stalled and bool(event["slave_to_master"])

    def hold(notes: Notes) -> Notes:
        late = is_late or notes.wires[slave].are_reports_late
        return notes.change_wire(slave, are_frames_held=is_held, are_reports_late=late)

    return ask_for(after=note(hold))
