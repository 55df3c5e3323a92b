"""Whether the rules by which a group is judged allow what the group does under its clocks."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from attrs import frozen

from properties.timed.clocks import compute_clocks
from properties.timed.machine import (
    MESSAGES,
    SIZES,
    STRUCK,
    Surroundings,
    TimedPair,
    TimedStep,
    permit_all,
)
from properties.worlds.replication.world import ClaimedGroup
from reference.configuration.broker_group import BrokerGroup
from reference.language.machine import Action, compute_machine


@frozen
class Contradiction:
    """A step that a group takes and its rules forbid."""

    step: TimedStep
    number: int
    """How many steps came before it."""
    failed: tuple[str, ...]
    """The conditions of the rule that do not hold."""

    def __str__(self) -> str:
        """One line: when, which step, and why not."""
        what = f"{self.step.action.instance}: {', '.join(self.failed)}"
        return f"after {self.step.at_ms} ms {what}"


def simulate(
    group: BrokerGroup,
    structure: ClaimedGroup,
    *,
    seed: int,
    steps_max: int,
    surroundings: Surroundings = STRUCK,
) -> Iterable[TimedStep]:
    """The steps of a group with one slave under its own clocks; ``structure`` has its rules."""
    pair = TimedPair(permit_all(structure), compute_clocks(group), Random(seed), surroundings)
    return pair.run(steps_max)


def find_contradiction(structure: ClaimedGroup, steps: Iterable[TimedStep]) -> Contradiction | None:
    """The first step that the rules of a structure forbid; None if they allow all of them.

    A put that can only time out any more counts as timed out: for the rules it makes no difference
    that its turn has not come.
    """
    judge = Lockstep(structure.follow_messages(MESSAGES))
    for number, step in enumerate(steps):
        judge.time_out(step.sealed)
        if failed := judge.follow(step.action):
            return Contradiction(step, number, failed)
    return None


LAST_STEPS = ("time_out_slave_wait", "wait_one_second", "give_up_slave_wait", "answer_disk_wait")
"""The steps of a put that waits for a slave in vain and for no disk."""


class Lockstep:
    """The rules of a structure, as they follow a simulation."""

    def __init__(self, structure: ClaimedGroup) -> None:
        self.machine = compute_machine(structure)
        self.state = structure.make_initial(SIZES)
        self.timed_out: set[int] = set()

    def time_out(self, messages: Iterable[int]) -> None:
        """Let these puts time out and be answered, in their turn, unless they are over."""
        for message in messages:
            action = Action(f"time_out_slave_wait[{message}]")
            if message not in self.timed_out and not self.follow(action):
                self.follow(Action(f"answer_disk_wait[{message}]"))
                self.timed_out.add(message)

    def follow(self, action: Action) -> tuple[str, ...]:
        """The conditions that forbid a step; none if it is taken, or was taken before.

        A first report while a put waits that has timed out here is one while none waits.
        """
        if action.rule_name in LAST_STEPS and action.index in self.timed_out:
            return ()
        if self.timed_out and action.rule_name == "report_offset_to_earlier_put":
            usual = self.machine.step(self.state, Action(f"report_offset[{action.index}]"))
            if not usual.is_refused:
                self.state = usual.cluster
                return ()
        if action.instance not in self.machine.instances:
            return ("no such rule",)
        outcome = self.machine.step(self.state, action)
        self.state = outcome.cluster
        return outcome.failed
