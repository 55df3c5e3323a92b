"""A recorded log: what is shown of it, where a state has it, and which steps it allows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from attrs import define, field

from brokers.recordings.ahead.links import RecordedFrame
from brokers.recordings.ahead.order import Observation
from brokers.recordings.ahead.plan import MASTER, Plan
from brokers.recordings.ahead.puts import RecordedPut
from brokers.recordings.hidden.node import Node
from brokers.recordings.log.notes import LinkNotes
from reference.language.compiled import CompiledMachine, compute_compiled_machine

Allowance: TypeAlias = bool | Callable[[Node], bool]
"""Whether an instance may fire without an event: always, never, or by what was recorded before."""


@define(eq=False)
class RecordedLog:
    """What is asked of one recording, at the observation that is being explained."""

    plan: Plan
    machine: CompiledMachine = field(init=False)
    places: Mapping[str, int] = field(init=False)
    """The place of each leaf in a state."""
    allowed: Mapping[str, Allowance] = field(init=False)
    """By instance: whether it may fire without an event of its own; the guide decides that."""
    last_sent_offset: int = field(init=False)
    """Where the last byte lies that a frame has shown: a put may have no line by then."""
    now_ms: float = 0.0
    """The stamp of the observation that is being explained."""

    def __attrs_post_init__(self) -> None:
        self.machine = compute_compiled_machine(self.plan.structure)
        self.places = self.machine.places
        frames = (f for link in self.plan.links for sent in link.frames.values() for f in sent)
        self.last_sent_offset = max((frame.end_offset for frame in frames), default=0)

    def get(self, node: Node, path: str) -> int:
        """A leaf of a node's state."""
        return int(node.state[self.places[path]])

    def get_max(self, node: Node, broker: int) -> int:
        """The end of a broker's log."""
        return self.get(node, name_end(self.plan, broker))

    def look_at(self, observation: Observation) -> None:
        """What follows is asked at the time of this observation."""
        self.now_ms = observation.t_ms

    def may(self, node: Node, name: str) -> bool:
        """Whether an instance may fire without an event of its own, or was announced by one."""
        allowed = self.allowed[name]
        if allowed is True or (node.notes.granted and node.notes.is_granted(name)):
            return True
        return allowed is not False and allowed(node)

    def find_following(self, node: Node) -> RecordedPut | None:
        """The recorded put that is appended next."""
        puts, number = self.plan.puts, node.notes.next_put
        return puts[number] if number < len(puts) else None

    def list_frames(self, wire: LinkNotes, slave: int) -> Sequence[RecordedFrame]:
        """The frames with a body of a link's latest connection, in the order of their sending."""
        return self.plan.links[slave].frames.get(wire.connection, ())


def name_broker(broker: int) -> str:
    """Where the state has a broker, by its number."""
    return "master" if broker == MASTER else f"slaves.{broker}"


def name_end(plan: Plan, broker: int) -> str:
    """Where the state has the end of a broker's log."""
    return f"{name_broker(broker)}.log.ends.{plan.structure.lives - 1}"
