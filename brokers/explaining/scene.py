"""Where an explanation stands: the state, what is queued, and what is still to be seen."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from attrs import define, evolve, field

from brokers.explaining.group_state import Arguments, GroupState
from brokers.explaining.refusal import Refusal
from brokers.explaining.seen.facts import Facts, begin_facts
from brokers.explaining.seen.moments import Key, NotedMoment, list_moments
from brokers.explaining.seen.pins import Pins
from brokers.explaining.seen.puts import PutLine, number_runs
from brokers.explaining.seen.sightings import Sightings
from brokers.explaining.seen.traffic import LinkQueues, Traffic
from brokers.explaining.told.acknowledged import AnsweredPut, find_answered
from brokers.recordings.ahead.plan import Plan
from brokers.recordings.clock import SLACK_MS, Timers
from reference.language.compiled import compute_compiled_machine
from reference.language.leaves import flatten
from reference.worlds.replication.state import Message

NOT_FOLLOWED = tuple(flatten(Message()).values())
"""The leaves of a message that follows no put."""


@define(eq=False)
class Scene(GroupState):
    """The state of a group of brokers, and what its recording goes on to show."""

    sightings: Sightings = field(repr=False)
    pins: Pins = field(repr=False)
    links: Sequence[LinkQueues]
    puts: PutLine
    facts: Facts
    is_clock_exact: bool = False
    """Stamps are no later than what they are of by more than a few ms: see ``silence``."""
    now_ms: float = 0.0
    process: int = 0
    """How many processes of the master have ended."""
    granted: Mapping[str, float] = field(factory=dict)
    """Steps that an event allows, and since when: connects and stops that are seen to begin."""
    blocked: Mapping[str, float] = field(factory=dict)
    """Steps that are possible and that only a cap forbids, and since when."""
    come_to: int = 0
    """How long the schedule was when this copy was made."""
    dispatches: Mapping[str, tuple[float, int]] = field(factory=dict)
    """By path of a broker: when its dispatch has gone on last, and how far it had come before the
    pause that was before that."""
    known_end: int = 0
    """Where the master's log was at least seen to end."""
    expirable_ms: float | None = None
    """Since when the master might have deleted a file; None if there is none."""
    answered: tuple[AnsweredPut, ...] = ()
    """Puts that were answered PUT_OK since somebody has looked."""
    pushed_before: int | None = None
    """``push2_slave_max_offset`` before the latest report."""

    @classmethod
    def begin(
        cls,
        plan: Plan,
        *,
        is_clock_exact: bool = False,
        is_schedule_kept: bool = False,
        left_out: Key | None = None,
    ) -> tuple[Scene, list[NotedMoment]]:
        """The scene before the first moment, and all moments; one of them bounds nothing before."""
        machine = compute_compiled_machine(plan.structure)
        events = plan.recording.events
        moments = list_moments(events, plan.master, plan.slaves)
        sightings = Sightings(plan)
        links = [
            LinkQueues(slave, Traffic.gather(plan, name)) for slave, name in enumerate(plan.slaves)
        ]
        return cls(
            plan,
            machine,
            machine.encode(plan.structure.make_initial(plan.parameters)),
            sightings,
            Pins.gather(
                pin
                for pin in sightings.list_pins(moments)
                if pin.key != left_out or pin.value is None
            ),
            links,
            PutLine(plan.puts, number_runs(moments, plan.master)),
            begin_facts(plan),
            is_clock_exact,
            schedule=[] if is_schedule_kept else None,
        ), moments

    def copy(self) -> Scene:
        """The same, which may go on otherwise."""
        return evolve(
            self,
            pins=self.pins.copy(),
            links=[link.copy() for link in self.links],
            puts=self.puts.copy(),
            come_to=len(self.schedule or ()),
        )

    def rewind(self) -> None:
        """What a copy has done since it was made has not happened."""
        if self.schedule is not None:
            del self.schedule[self.come_to :]

    def compute_settled_offset(self, broker: str) -> int:
        """How far a dispatch has come at the latest, as it takes up to ``SLACK_MS``."""
        last_ms, settled = self.dispatches.get(broker, (-math.inf, 0))
        is_settled = self.now_ms - last_ms > SLACK_MS
        return int(self.get(f"{broker}.log.dispatched_offset")) if is_settled else settled

    @property
    def timers(self) -> Timers:
        """The master's, as they are set now."""
        return self.facts.timers or self.plan.timers

    def get_link_timers(self, slave: int) -> Timers:
        """Those of a slave and of its master."""
        return self.timers.with_slave(self.plan.slave_timers[slave])

    @property
    def master_end(self) -> str:
        """The leaf that says where the master's log ends."""
        return self.sightings.get_end(self.plan.master)

    def get_slave_end(self, slave: int) -> str:
        """The leaf that says where a slave's log ends."""
        return self.sightings.get_end(self.plan.slaves[slave])

    def unblock(self, name: str) -> None:
        """A step is taken: what forbids it from now on has not done so before."""
        if name in self.blocked:
            self.blocked = {each: ms for each, ms in self.blocked.items() if each != name}

    def take_one_of(
        self, tries: Sequence[tuple[str, Arguments]], shown: Mapping[str, int] | None = None
    ) -> None:
        """The first of some steps that is possible and leads to these values. Raises Refusal."""
        needed = shown or {}
        for name, arguments in tries:
            after = self.try_step(name, arguments)
            if after is not None and all(
                self.get_of(after, leaf) == value for leaf, value in needed.items()
            ):
                self.take(name, arguments, after)
                return
        raise Refusal(self.tell_failed([name for name, _ in tries], needed))

    def tell_failed(self, names: Sequence[str], needed: Mapping[str, int]) -> str:
        """Why none of these steps is possible."""
        told = []
        for name in names:
            if (instance := self.machine.instances.get(name)) is not None:
                failed = " and ".join(instance.list_failed(self.state))
                told.append(f"{name}: {failed} does not hold" if failed else f"{name} shows else")
        wanted = "".join(f", so that {leaf} is {value}" for leaf, value in needed.items())
        return f"it is not possible{wanted}; " + "; ".join(told)

    def drop_message(self, slot: int) -> None:
        """The message of a put that is answered is not followed any more; the others move up."""
        put = find_answered(self.cluster, slot, self.puts.slots[slot].seq)
        self.answered += () if put is None else (put,)
        size = len(NOT_FOLLOWED)
        first = self.machine.places["messages.0.phase"]
        here, end = first + slot * size, first + self.plan.structure.messages * size
        state = self.state
        self.show((*state[:here], *state[here + size : end], *NOT_FOLLOWED, *state[end:]))
        del self.puts.slots[slot]
