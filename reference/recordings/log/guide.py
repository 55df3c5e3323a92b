"""Which hidden steps a recording of replication allows, and with which arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from attrs import define, evolve, field

from reference.language.compiled import (
    CompiledInstance,
    CompiledMachine,
    State,
    compute_compiled_machine,
)
from reference.language.machine import Action
from reference.recordings.hidden.node import Goal, Node
from reference.recordings.log.notes import Notes, Wire
from reference.recordings.plan import MASTER, Plan, find_next
from reference.recordings.links_ahead import Frame
from reference.recordings.clock import SLACK_MS

HIDDEN_ROLES = ("master", "slave")
"""Who acts without an event; faults, operators and producers are seen."""

SEEN = (
    *("restart_", "begin_master_stop", "begin_slave_stop", "finish_"),
    *("refuse_put",),
)
"""How the rules begin that have an event of their own, though a broker does it."""


@define(eq=False)
class LogGuide:
    """The guide of one recording."""

    plan: Plan
    machine: CompiledMachine = field(init=False)
    wires: tuple[Wire, ...] = field(init=False)
    """A wire for each slave, as it begins."""
    allowed: dict[str, bool | Callable[[Node], bool]] = field(init=False)
    places: dict[str, int] = field(init=False)
    now_ms: float = 0.0
    """The stamp of the observation that is looked at."""

    def __attrs_post_init__(self) -> None:
        self.machine = compute_compiled_machine(self.plan.structure)
        self.places = dict(self.machine.places)
        self.wires = self.make_wires()
        instances = self.machine.instances.items()
        self.allowed = {name: self.make_allowance(each) for name, each in instances}

    def make_wires(self) -> tuple[Wire, ...]:
        """A wire for each slave; of one that the recording never shows all is hidden."""
        return tuple(
            Wire(
                is_recorded=not ahead.is_traffic_hidden and not ahead.is_connection_hidden,
                is_connection_recorded=not ahead.is_connection_hidden,
            )
            for ahead in self.plan.links
        )

    def get(self, node: Node, path: str) -> int:
        """A leaf of a node's state."""
        return int(node.state[self.places[path]])

    def get_max(self, node: Node, broker: int) -> int:
        """The end of a broker's log."""
        return self.get(node, f"{name_log(broker)}.ends.{self.plan.structure.lives - 1}")

    def may(self, node: Node, name: str) -> bool:
        """Whether an instance may fire without an event of its own."""
        allowed = self.allowed[name]
        if allowed is True or (node.notes.granted and node.notes.is_granted(name)):
            return True
        return allowed is not False and allowed(node)

    def make_allowance(self, instance: CompiledInstance) -> bool | Callable[[Node], bool]:
        """Whether an instance may fire: always, never, or by what was recorded before."""
        rule = instance.recorded.instance.rule
        index = next(iter(instance.recorded.instance.indexes), -1)
        if rule.name == "append_message":
            return lambda node: self.find_put(node) is not None and index == len(node.notes.slots)
        if rule.name in ("fill_file", "append_other_message"):
            return lambda node: self.needs_room(node) or self.is_in_gap(node)
        if rule.name == "swallow_flush_error":
            return lambda node: self.find_lost(node) is not None
        if rule.name == "flush_master" and self.plan.lost_offsets:
            return self.may_flush
        if rule.who not in HIDDEN_ROLES:
            return False
        if rule.name == "transfer_batch":
            return lambda node: self.may_send(node.notes.wires[index], index)
        if rule.name == "close_idle_connection" and self.wires[index].is_connection_recorded:
            return lambda node: bool(node.notes.wires[index].are_frames_held)
        if rule.name.startswith(("connect_slave", "close_idle", "refuse_frame")):
            return not self.wires[index].is_connection_recorded
        if rule.name.startswith("report_offset"):
            return not self.wires[index].is_recorded
        return not rule.name.startswith(SEEN)

    def may_flush(self, node: Node) -> bool:
        """The master's flush stays below what the end of its process takes."""
        lost = self.find_lost(node)
        return lost is None or self.get(node, "master.log.flushed_offset") < lost

    def may_send(self, wire: Wire, slave: int) -> bool:
        """The master may send the connection's next frame before the proxy forwards it."""
        if not wire.is_recorded:
            return True
        frames = self.list_frames(wire, slave)
        if wire.are_frames_held or wire.sent >= len(frames):
            return wire.are_frames_held
        return frames[wire.sent].t_ms <= self.now_ms + SLACK_MS

    def list_frames(self, wire: Wire, slave: int) -> Sequence[Frame]:
        """The frames with a body of a link's latest connection, in the order of their sending."""
        return self.plan.links[slave].frames.get(wire.connection, ())

    def find_put(self, node: Node) -> int | None:
        """The number of the put that is appended next, if it was called."""
        number = node.notes.next_put
        return number if number in node.notes.begun else None

    def needs_room(self, node: Node) -> bool:
        """The next put begins beyond the end of the log."""
        number = self.find_put(node)
        end = self.get_max(node, MASTER)
        return number is not None and self.plan.puts[number].start_offset > end

    def is_in_gap(self, node: Node) -> bool:
        """Puts that the recording leaves out may be appended here."""
        number = node.notes.next_put
        puts = self.plan.puts
        return self.plan.are_puts_hidden or (number < len(puts) and puts[number].is_behind_gap)

    def find_lost(self, node: Node) -> int | None:
        """From where on the end of the master's present process takes even what was flushed."""
        return self.plan.lost_offsets.get(node.notes.process)

    def list_values(
        self, node: Node, name: str, argument: str, bounds: tuple[int, int], goals: Sequence[Goal]
    ) -> Iterable[int]:
        """The values of an argument that are worth a try."""
        rule, _, inside = name.partition("[")
        index = int(inside[:-1]) if inside else -1
        notes: Notes = node.notes
        if rule == "append_message" and argument == "size_bytes":
            return [self.plan.puts[notes.next_put].size_bytes]
        if rule == "append_other_message":
            end, number = self.get_max(node, MASTER), notes.next_put
            following = [p.start_offset - end for p in self.plan.puts[number : number + 1]]
            return [*self._list_wanted(node, name, argument, bounds, goals), *following]
        if rule == "receive_report" and notes.wires[index].is_recorded:
            return notes.wires[index].reports
        if argument == "size_bytes" and rule.startswith(("append_to_slave", "append_at_wrong")):
            wire = notes.wires[index]
            if wire.is_recorded:
                frames = self.list_frames(wire, index)[wire.taken : wire.forwarded]
                return [frame.size_bytes for frame in frames[:1]]
        if rule == "transfer_batch" and notes.wires[index].is_recorded:
            wire = notes.wires[index]
            ahead = self.list_frames(wire, index)[wire.sent :]
            if ahead:
                return [ahead[0].size_bytes]
        if argument == "recovered_offset":
            yield_ = self.list_recovered(index)
            return [*yield_, *self._list_wanted(node, name, argument, bounds, goals)]
        return self._list_wanted(node, name, argument, bounds, goals)

    def list_recovered(self, broker: int) -> list[int]:
        """The ends with which a broker's next processes are seen to start."""
        seen = self.plan.links[broker].slave_observations if broker >= 0 else None
        observations = self.plan.start_observations if seen is None else seen
        following = find_next(observations, self.now_ms)
        return [] if following is None else [following]

    def _list_wanted(
        self, node: Node, name: str, argument: str, bounds: tuple[int, int], goals: Sequence[Goal]
    ) -> Iterator[int]:
        """Values that make a leaf the wanted one, if each one more makes that one more; ends."""
        writes = self.machine.instances[name].recorded.effects
        low, high = bounds
        yield from (goal.wanted for goal in goals if goal.path)
        wanted = [goal for goal in goals if goal.path in writes]
        if wanted:
            lowest = self.machine.take(node.state, Action(name, {}))
            for goal in wanted if lowest else ():
                yield low + goal.wanted - int(lowest[goal.place])
        yield high
        yield low

    def follow(self, node: Node, action: Action, state: State) -> Notes | None:
        """The notes after a step; None for a step that the recording rules out."""
        notes: Notes = node.notes.spend(action.instance)
        rule = action.rule_name
        if rule == "append_message":
            return self._follow_append(node, action)
        if rule == "receive_report":
            return self._follow_report(notes, self.get_index(action), action)
        if rule in ("append_to_slave", "append_at_wrong_offset"):
            return self._follow_frame(notes, self.get_index(action), action)
        if rule == "transfer_batch":
            return self._follow_transfer(node, self.get_index(action), action)
        for slave in range(len(notes.wires)):
            place = self.places[f"links.{slave}.is_open"]
            if node.state[place] and not state[place]:
                notes = notes.change_wire(slave, reports=()).spend(f"cut_link[{slave}]")
        return notes

    def get_index(self, action: Action) -> int:
        """The slave that a step is about."""
        assert action.index is not None
        return action.index

    def _follow_append(self, node: Node, action: Action) -> Notes | None:
        notes: Notes = node.notes
        put = self.plan.puts[notes.next_put]
        given = (action.arguments["size_bytes"], action.arguments["waits_for_store"])
        if given != (put.size_bytes, int(put.waits_for_store)):
            return None
        if put.start_offset != self.get_max(node, MASTER):
            return None
        return evolve(
            notes,
            next_put=notes.next_put + 1,
            begun=notes.begun - {put.number},
            slots=(*notes.slots, put.number),
        )

    def _follow_report(self, notes: Notes, slave: int, action: Action) -> Notes | None:
        offset, wire = action.arguments["slave_offset"], notes.wires[slave]
        if not wire.is_recorded:
            return notes
        if offset not in wire.reports:
            return None
        return notes.change_wire(slave, reports=wire.reports[wire.reports.index(offset) + 1 :])

    def _follow_frame(self, notes: Notes, slave: int, action: Action) -> Notes | None:
        wire = notes.wires[slave]
        if not wire.is_recorded:
            return notes
        frames = self.list_frames(wire, slave)[wire.taken : wire.forwarded]
        if not frames or frames[0].size_bytes != action.arguments["size_bytes"]:
            return None
        return notes.change_wire(slave, taken=wire.taken + 1)

    def _follow_transfer(self, node: Node, slave: int, action: Action) -> Notes | None:
        notes: Notes = node.notes
        wire = notes.wires[slave]
        if not wire.is_recorded:
            return notes
        begin = self.get(node, f"links.{slave}.next_transfer_offset")
        ahead = self.list_frames(wire, slave)[wire.sent :]
        shown = (begin, action.arguments["size_bytes"])
        if ahead and (ahead[0].start_offset, ahead[0].size_bytes) != shown:
            return None
        return notes.change_wire(slave, sent=wire.sent + 1)


def name_broker(broker: int) -> str:
    """Where the state has a broker, by its number."""
    return "master" if broker == MASTER else f"slaves.{broker}"


def name_log(broker: int) -> str:
    """Where the state has a broker's log."""
    return f"{name_broker(broker)}.log"
