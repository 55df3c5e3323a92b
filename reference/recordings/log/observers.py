"""What each observation of a recording asks of a state of replication."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from attrs import define, evolve, field

from reference.language.compiled import compile_predicate
from reference.language.leaves import flatten
from reference.language.machine import record_predicate
from reference.language.operators import negate
from reference.language.dependencies import list_leaves
from reference.recordings.hidden.node import Asked, Goal, Node
from reference.recordings.log.guide import LogGuide, name_broker, name_log
from reference.recordings.log.notes import Notes, Wire
from reference.recordings.order import PUT_BEGIN, Observation
from reference.recordings.plan import MASTER, Plan
from reference.recordings.reading import Event
from reference.worlds.replication.mapped_files import compute_last_file_end
from reference.worlds.replication.state import ANSWERED, STATUS_NAMES, Message

Observe: TypeAlias = Callable[["LogObserver", Observation, Node], Asked]

NOT_MODELLED: Mapping[str, str] = {
    "log": "a line of a broker's log",
    "note": "a remark of the recorder",
}
"""Kinds of which the state holds nothing, with the reason."""


@define(eq=False)
class LogObserver:
    """Asks the goals of each observation of one recording."""

    plan: Plan
    guide: LogGuide
    blank: tuple[Any, ...] = field(init=False)
    """The leaves of a message that is not put yet."""

    def __attrs_post_init__(self) -> None:
        self.blank = tuple(flatten(Message()).values())

    def begin(self) -> Node:
        """The node before the first event: empty logs, and nobody is seen to run."""
        cluster = self.plan.structure.make_initial(self.plan.parameters)
        wires = self.guide.wires
        return Node(self.guide.machine.encode(cluster), Notes(wires, frozenset()))

    def ask(self, observation: Observation, node: Node) -> Asked:
        """What an observation asks in a state."""
        self.guide.now_ms = observation.t_ms
        observe = OBSERVERS.get(observation.kind)
        if observe is None:
            kind = observation.kind
            return Asked(ignored=NOT_MODELLED.get(kind, "replication holds nothing of it"))
        return observe(self, observation, node)

    def has_value(self, text: str, path: str, wanted: int) -> Goal:
        """A leaf has this value; ``text`` names it."""
        place = self.guide.places[path]
        told = f"{text} is {wanted}"
        leaves = frozenset((path,))
        return Goal(told, lambda n: n.state[place] == wanted, leaves, path, int(wanted), place)

    def holds(self, text: str, predicate: Callable[[Any], Any]) -> Goal:
        """A predicate of the state holds, that is written with the operators of rules."""
        structure = self.plan.structure
        compiled = compile_predicate(structure, predicate)
        leaves = list_leaves([record_predicate(structure, predicate)])
        return Goal(text, lambda n: compiled(n.state), leaves)

    def fires(self, text: str, *instances: str) -> Goal:
        """One of these instances has fired since the last event, as the event permits."""
        return Goal(text, lambda n: any(i in n.spent for i in instances), instances=instances)

    def drop_message(self, node: Node, number: int) -> Node:
        """The put's line is explained: its place among the followed messages is free again."""
        notes: Notes = node.notes
        slot, state = notes.slots.index(number), list(node.state)
        count, size = self.plan.structure.messages, len(self.blank)
        first = self.guide.places["messages.0.phase"]
        kept = state[first : first + count * size]
        kept = [*kept[: slot * size], *kept[(slot + 1) * size :], *self.blank]
        state[first : first + count * size] = kept
        slots = (*notes.slots[:slot], *notes.slots[slot + 1 :])
        return node.edit(state=tuple(state), notes=evolve(notes, slots=slots))


def agree(text: str, *, is_so: bool) -> Goal:
    """Something that no step changes."""
    return Goal(text, lambda _: is_so)


def observe_put_begin(observer: LogObserver, observation: Observation, node: Node) -> Asked:
    """A producer calls: from now on its message may be appended."""
    event = observation.event
    put = observer.plan.put_by_seq.get(event.seq)
    goals = [
        observer.has_value(
            "push2_slave_before", "master.push2_slave_max_offset", event["push2_slave_before"]
        ),
        observer.has_value(
            "connection_count_before", "master.connection_count", event["connection_count_before"]
        ),
    ]
    if event["node"] != observer.plan.master:
        goals = []

    def call(after: Node) -> Node:
        if put is None:
            return after
        notes = evolve(after.notes, begun=after.notes.begun | {put.number})
        return after.edit(notes=notes)

    return Asked((lambda _: tuple(goals),), after=call)


def observe_put(observer: LogObserver, observation: Observation, node: Node) -> Asked:
    """A put has returned: its message was appended, and is answered so."""
    event = observation.event
    put = observer.plan.put_by_seq.get(event.seq)
    if event["node"] != observer.plan.master:
        return Asked(ignored="a slave takes no put")
    if put is None:
        return observe_refusal(observer, event, node)
    number, messages = put.number, observer.plan.structure.messages
    appended = Goal(
        f"the put of seq {put.seq} is appended at {put.start_offset}",
        lambda n: n.notes.next_put > number,
        frozenset((f"{name_log(MASTER)}.ends.0",)),
        instances=tuple(f"append_message[{slot}]" for slot in range(messages)),
    )
    status = STATUS_NAMES.index(put.status)

    def list_answer(after: Node) -> tuple[Goal, ...]:
        message = f"messages.{after.notes.slots.index(number)}"
        return (
            observer.has_value("the phase of the put", f"{message}.phase", ANSWERED),
            observer.has_value(f"its answer ({put.status})", f"{message}.status", status),
        )

    def list_counters(_: Node) -> tuple[Goal, ...]:
        return (
            observer.has_value(
                "push2_slave_after", "master.push2_slave_max_offset", event["push2_slave_after"]
            ),
            observer.has_value(
                "connection_count_after", "master.connection_count", event["connection_count_after"]
            ),
        )

    return Asked(
        (lambda _: (appended,), list_answer, list_counters),
        after=lambda after: observer.drop_message(after, number),
    )


def observe_refusal(observer: LogObserver, event: Event, node: Node) -> Asked:
    """A put was refused before anything was written."""
    return Asked(ignored="refused before anything was written")


def observe_snapshot(observer: LogObserver, observation: Observation, node: Node) -> Asked:
    """A broker shows its log and its links."""
    event = observation.event
    broker = observer.plan.find_node(event)
    goals = tuple(list_log_goals(observer, event, broker))
    links = tuple(list_link_goals(observer, event, broker))
    return Asked((lambda _: (*goals, *links),))


def list_log_goals(observer: LogObserver, event: Event, broker: int) -> Iterator[Goal]:
    """What a broker shows of its log."""
    log, who, last = name_log(broker), event["node"], observer.plan.structure.lives - 1
    paths = {
        "max_offset": f"{log}.ends.{last}",
        "flushed_offset": f"{log}.flushed_offset",
        "dispatched_offset": f"{log}.dispatched_offset",
    }
    if broker == MASTER:
        paths["push2_slave_max_offset"] = "master.push2_slave_max_offset"
        paths["connection_count"] = "master.connection_count"
    for name, path in paths.items():
        if name in event.data:
            yield observer.has_value(f"{name} of {who}", path, event[name])
    if event.data.get("min_offset", -1) >= 0:
        yield observer.has_value(f"min_offset of {who}", f"{log}.start_offset", event["min_offset"])
    files = event.data.get("mapped_files")
    if files is not None:
        yield observer.holds(
            f"mapped_files of {who} is {files}", lambda s: has_files(s, broker, files)
        )


def has_files(state: Any, broker: int, files: int) -> Any:
    """A broker's log has so many files."""
    log = state.master.log if broker == MASTER else state.slaves[broker].log
    if files == 0:
        return negate(log.has_file)
    end = log.start_offset
    for _ in range(files):
        end = end + state.parameters.mapped_file_size_bytes
    return log.has_file & (compute_last_file_end(log, state.parameters) == end)


def list_link_goals(observer: LogObserver, event: Event, broker: int) -> Iterator[Goal]:
    """What a broker shows of its links."""
    shown = event.data.get("connections", [])
    if broker == MASTER and len(shown) == 1 and len(observer.plan.slaves) == 1:
        paths = {
            "slave_request_offset": "links.0.slave_request_offset",
            "slave_ack_offset": "links.0.slave_ack_offset",
            "next_transfer_from": "links.0.next_transfer_offset",
        }
        for name, path in paths.items():
            if name in shown[0]:
                yield observer.has_value(f"{name} of the connection", path, shown[0][name])
    if broker != MASTER and event.data.get("ha_client_connected"):
        yield observer.has_value("ha_client_connected", f"links.{broker}.is_open", True)
        offset = event["ha_client_reported_offset"]
        yield observer.holds(
            f"ha_client_reported_offset is {offset}",
            lambda s: (
                negate(s.links[broker].has_reported) | (s.links[broker].reported_offset == offset)
            ),
        )
    elif broker != MASTER and "ha_client_connected" in event.data:
        yield observer.has_value("ha_client_connected", f"links.{broker}.is_open", False)


def observe_start(observer: LogObserver, observation: Observation, node: Node) -> Asked:
    """A broker has started, and shows what it has recovered."""
    event = observation.event
    broker = observer.plan.find_node(event)
    path = f"{name_broker(broker)}.is_up"
    rule, index = ("restart_master", "") if broker == MASTER else ("restart_slave", f"[{broker}]")
    names = (f"{name}{index}" for name in observer.plan.structure.rules if name.startswith(rule))
    is_up = observer.has_value(f"{event['node']} runs", path, True)
    goals = (is_up, *list_log_goals(observer, event, broker))

    def run(after: Node) -> Node:
        return after.edit(notes=evolve(after.notes, running=after.notes.running | {broker}))

    return Asked((lambda _: goals,), dict.fromkeys(names, 1), after=run)


def observe_end(observer: LogObserver, observation: Observation, node: Node) -> Asked:
    """A broker's process is killed, or loses power if its store then lacks bytes."""
    event = observation.event
    broker = observer.plan.find_node(event)
    index = "" if broker == MASTER else f"[{broker}]"
    who = "master" if broker == MASTER else "slave"
    surgery = observer.plan.surgeries.get(event.seq)
    arguments: Mapping[str, Mapping[str, int]] = {}
    names = [f"kill_{who}{index}"]
    if surgery is not None:
        names = [n for n in observer.guide.machine.instances if n.startswith(f"lose_{who}_power") and n.endswith(index)]
        names += ["lose_master_disk"] * (broker == MASTER and surgery["lost_from_offset"] == 0)
        arguments = {n: {"kept_offset": surgery["lost_from_offset"]} for n in names}
    goal = observer.fires(f"{event['node']} ends by {', '.join(names)}", *names)
    return Asked(
        (lambda _: (goal,),),
        dict.fromkeys(names, 1),
        arguments=arguments,
        after=lambda after: end_process(observer, after, broker),
    )


def end_process(observer: LogObserver, node: Node, broker: int) -> Node:
    """What is forgotten with a process."""
    notes: Notes = node.notes
    if broker == MASTER:
        for number in notes.slots:
            node = observer.drop_message(node, number)
        ended = [p.number for p in observer.plan.puts if p.number in notes.begun]
        begun = notes.begun - frozenset(ended)
        notes = evolve(node.notes, begun=begun, process=notes.process + 1)
    notes = notes.spend("begin_master_stop" if broker == MASTER else f"begin_slave_stop[{broker}]")
    return node.edit(notes=evolve(notes, running=notes.running - {broker}))


def observe_stop_begin(observer: LogObserver, observation: Observation, node: Node) -> Asked:
    """A broker's store begins to stop in order."""
    broker = observer.plan.find_node(observation.event)
    name = "begin_master_stop" if broker == MASTER else f"begin_slave_stop[{broker}]"
    return Asked((lambda _: (),), after=lambda after: after.edit(notes=after.notes.grant(name)))


def observe_stop(observer: LogObserver, observation: Observation, node: Node) -> Asked:
    """A broker's store has stopped in order."""
    event = observation.event
    broker = observer.plan.find_node(event)
    index = "" if broker == MASTER else f"[{broker}]"
    who = "master" if broker == MASTER else "slave"
    names = (f"begin_{who}_stop{index}", f"finish_{who}_stop{index}")
    goals = [observer.has_value(f"{event['node']} runs", f"{name_broker(broker)}.is_up", False)]
    if "max_offset" in event.data:
        goals += [g for g in list_log_goals(observer, event, broker) if "max_offset" in g.text]
    return Asked(
        (lambda _: tuple(goals),),
        dict.fromkeys(names, 1),
        after=lambda after: end_process(observer, after, broker),
    )


def observe_wipe(observer: LogObserver, observation: Observation, node: Node) -> Asked:
    """The store of a stopped broker is emptied."""
    broker = observer.plan.find_node(observation.event)
    name = "lose_master_disk" if broker == MASTER else f"wipe_slave[{broker}]"
    goal = observer.fires(f"{name} happens", name)
    return Asked((lambda _: (goal,),), {name: 1})


CLOSING = ("cut_link", "close_idle_connection", "refuse_frame")
"""The rules that end a connection at the slave's side."""


def observe_link_open(observer: LogObserver, observation: Observation, node: Node) -> Asked:
    """A slave connects, perhaps before its start is over; the master accepts that soon."""
    event = observation.event
    slave = observer.plan.find_slave_of_link(event)
    goals = (
        observer.has_value(f"slave {slave} runs", f"slaves.{slave}.is_up", True),
        observer.has_value("its connection before is open", f"links.{slave}.is_open", False),
    )

    def connect(after: Node) -> Node:
        old = after.notes.wires[slave]
        wire = evolve(old, connection=event["conn"], reports=(), sent=0, forwarded=0, taken=0)
        notes = evolve(after.notes.spend(f"cut_link[{slave}]"))
        wires = (*notes.wires[:slave], wire, *notes.wires[slave + 1 :])
        return after.edit(notes=evolve(notes, wires=wires).grant(f"connect_slave[{slave}]"))

    permitted = ("restart_slave", *CLOSING)
    names = [n for n in observer.plan.structure.rules if n.startswith(permitted)]
    permits = {f"{n}[{slave}]": 1 for n in names}
    return Asked((lambda _: goals,), permits, after=connect)


def observe_report(observer: LogObserver, observation: Observation, node: Node) -> Asked:
    """A slave reports an offset; the proxy forwards it."""
    event = observation.event
    slave = observer.plan.find_slave_of_link(event)
    link, offset = f"links.{slave}", event["slave_offset"]
    if event["conn"] != node.notes.wires[slave].connection:
        return Asked((lambda _: (agree("it is of the latest connection", is_so=False),),))
    names = ("report_offset", "report_offset_to_earlier_put")
    goals = (
        observer.has_value("the connection's first report", f"{link}.has_reported", True),
        observer.has_value("the slave's report", f"{link}.reported_offset", offset),
    )

    def forward(after: Node) -> Node:
        wire = after.notes.wires[slave]
        return after.edit(notes=after.notes.change_wire(slave, reports=(*wire.reports, offset)))

    return Asked((lambda _: goals,), {f"{n}[{slave}]": 1 for n in names}, after=forward)


def observe_frame(observer: LogObserver, observation: Observation, node: Node) -> Asked:
    """A master sends a frame; the proxy forwards it."""
    event = observation.event
    slave = observer.plan.find_slave_of_link(event)
    path, begin, size = f"links.{slave}.next_transfer_offset", event["master_offset"], event["body_bytes"]
    if event["conn"] != node.notes.wires[slave].connection:
        return Asked((lambda _: (agree("it is of the latest connection", is_so=False),),))
    wire: Wire = node.notes.wires[slave]
    at_begin = observer.has_value("where the master sends from", path, begin)
    if not size and wire.sent > wire.forwarded:
        following = observer.guide.list_frames(wire, slave)[wire.forwarded]
        is_so = following.start_offset == begin
        return Asked((lambda _: (agree(f"a heartbeat of {begin} is next", is_so=is_so),),))
    frames = observer.guide.list_frames(wire, slave)[: wire.sent]
    is_open = observer.guide.get(node, f"links.{slave}.is_open")
    if not size and frames and not is_open:
        is_so = frames[-1].end_offset == begin
        return Asked((lambda _: (agree(f"a heartbeat of {begin} is the last", is_so=is_so),),))
    if not size:
        return Asked((lambda _: (at_begin,),))
    number = wire.forwarded
    is_sent = Goal(
        f"{size} B are sent from {begin}",
        lambda n: n.notes.wires[slave].sent > number,
        instances=(f"transfer_batch[{slave}]",),
    )
    stages = (lambda _: (is_sent,),) if wire.sent > number else (lambda _: (at_begin,), lambda _: (is_sent,))

    def forward(after: Node) -> Node:
        return after.edit(notes=after.notes.change_wire(slave, forwarded=number + 1))

    return Asked(stages, after=forward)


def observe_link_close(observer: LogObserver, observation: Observation, node: Node) -> Asked:
    """One side of a connection ends."""
    event = observation.event
    slave = observer.plan.find_slave_of_link(event)
    if event.data.get("conn", node.notes.wires[slave].connection) != (
        node.notes.wires[slave].connection
    ):
        return Asked(ignored="of a connection that has ended before")
    names = tuple(f"{name}[{slave}]" for name in CLOSING)

    def end(after: Node) -> Node:
        notes: Notes = after.notes.spend(f"connect_slave[{slave}]")
        is_open = observer.guide.get(after, f"links.{slave}.is_open")
        return after.edit(notes=notes.grant(*names) if is_open else notes)

    return Asked((lambda _: (),), after=end)


def observe_stall(observer: LogObserver, observation: Observation, node: Node) -> Asked:
    """The proxy holds back what is sent, or forwards it again."""
    event = observation.event
    slave = observer.plan.find_slave_of_link(event)
    held = event.kind == "link_stalled" and bool(event["master_to_slave"])

    def hold(after: Node) -> Node:
        return after.edit(notes=after.notes.change_wire(slave, are_frames_held=held))

    return Asked((lambda _: (),), after=hold)


OBSERVERS: Mapping[str, Observe] = {
    PUT_BEGIN: observe_put_begin,
    "put": observe_put,
    "snapshot": observe_snapshot,
    "node_started": observe_start,
    "node_kill9": observe_end,
    "node_stop_begin": observe_stop_begin,
    "node_stop_clean": observe_stop,
    "store_wiped": observe_wipe,
    "ha_link_open": observe_link_open,
    "ha_report": observe_report,
    "ha_frame": observe_frame,
    "ha_link_close": observe_link_close,
    "link_stalled": observe_stall,
    "link_healed": observe_stall,
    "link_cut": observe_link_close,
    "link_cut_mid_frame": observe_link_close,
}
"""By kind of observation."""
