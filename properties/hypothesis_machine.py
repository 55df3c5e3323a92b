"""A Hypothesis state machine made from the rule registry.

One Hypothesis rule picks from the enabled instances and then picks each argument from its range:
that shrinks better and runs faster than one rule per instance.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, event, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from properties.property import Predicate
from reference.machine import Action, Enabled, compute_machine
from reference.state import Cluster
from reference.structure import Parameters, Structure
from reference.world import make_initial


def make_state_machine(
    structure: Structure, parameters: Parameters, claims: Mapping[str, Predicate]
) -> type[RuleBasedStateMachine]:
    """A state machine class that walks a structure and asserts every claim in every state.

    Its ``schedule`` is the list of actions so far; a failing run prints it, ready to be replayed.
    """
    machine = compute_machine(structure)

    class ClusterMachine(RuleBasedStateMachine):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.cluster = make_initial(structure, parameters)
            self.schedule: list[Action] = []

        @rule(data=st.data())
        def fire(self, data: st.DataObject) -> None:
            action = draw_action(data, machine.enabled(self.cluster))
            if action is None:
                return
            outcome = machine.step(self.cluster, action)
            assert not outcome.is_refused, f"{action} was offered, then refused: {outcome.failed}"
            self.cluster = outcome.cluster
            self.schedule.append(action)
            event(action.rule_name)

        @invariant()
        def claims_hold(self) -> None:
            violated = [name for name, claim in claims.items() if not claim(self.cluster)]
            steps = "; ".join(map(str, self.schedule))
            assert not violated, f"{violated} violated by: {steps}"

    return ClusterMachine


def find_earliest_violations(
    structure: Any, parameters: Any, claims: Mapping[str, Predicate], examples: int, steps: int
) -> dict[str, int]:
    """After how many steps each claim is violated in the quickest of some walks; seeded.

    A claim that no walk violates is missing.
    """
    earliest: dict[str, int] = {}
    base = make_state_machine(structure, parameters, {})

    class Watch(base):  # type: ignore[misc, valid-type, unused-ignore]
        """Notes violations and goes on."""

        @invariant()
        def note_violations(self) -> None:
            taken = len(self.schedule)
            for name, claim in claims.items():
                if not claim(self.cluster):
                    earliest[name] = min(taken, earliest.get(name, taken))

    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Watch, settings=chosen)
    return earliest


def draw_action(data: st.DataObject, enabled: list[Enabled]) -> Action | None:
    """One of the enabled actions with arguments from its ranges; None where nothing is enabled."""
    if not enabled:
        return None
    by_name = {e.instance.name: e for e in enabled}
    name = data.draw(st.sampled_from(list(by_name)), "rule")
    ranges = by_name[name].ranges
    return Action(name, {r.name: data.draw(st.integers(r.low, r.high), r.name) for r in ranges})


def draw_walk(
    data: st.DataObject, structure: Structure, parameters: Parameters, steps: int
) -> list[tuple[Cluster, Action]]:
    """The states of a random walk that Hypothesis draws, as (cluster, action taken there) pairs."""
    machine = compute_machine(structure)
    cluster = make_initial(structure, parameters)
    walk = []
    for _ in range(data.draw(st.integers(1, steps), "steps")):
        action = draw_action(data, machine.enabled(cluster))
        if action is None:
            break
        walk.append((cluster, action))
        cluster = machine.step(cluster, action).cluster
    return walk
