"""The shortest schedule that shows a known issue with the rules that its report is about.

Breadth first over the states of the reference, in a log or queue of a few bytes. Certificates know
the shortest schedule of a cell; none knows one that must have certain rules on its way.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, TypeAlias

from properties.scenarios.known_issues.scenario import Scenario
from reference.language.machine import Action, Machine, compute_machine

Node: TypeAlias = tuple[Any, int]
"""A state, and how many of the scenario's rules have fired in their order on the way to it."""


class TooManyStatesError(Exception):
    """Raised when a search has seen more states than it may."""


def find_shortest(scenario: Scenario, *, states_max: int) -> tuple[Action, ...]:
    """The first of the shortest schedules, in the order of the rules.

    It is at most as long as the scenario's own, which shows the issue, too. Raises
    TooManyStatesError.
    """
    machine = compute_machine(scenario.structure)
    first: Node = (scenario.structure.make_initial(scenario.parameters), 0)
    came_by: dict[Node, tuple[Node, Action] | None] = {first: None}
    level = [first]
    for _ in scenario.schedule:
        found = []
        for node in level:
            for action, state in list_successors(machine, node[0]):
                fired = scenario.count_rules((action,), node[1])
                if scenario.is_shown_in(state):
                    if fired == len(scenario.rules):
                        return (*_trace_back(came_by, node), action)
                elif (state, fired) not in came_by:
                    came_by[state, fired] = (node, action)
                    found.append((state, fired))
            if len(came_by) > states_max:
                raise TooManyStatesError(f"{scenario.name}: more than {states_max} states")
        level = found
    raise ValueError(f"{scenario.name} is not shown by its own schedule")


def list_successors(machine: Machine, state: Any) -> Iterator[tuple[Action, Any]]:
    """Every step that is possible in a state, with every choice of its arguments."""
    for enabled in machine.enabled(state):
        ranges = [range(r.low, r.high + 1) for r in enabled.ranges]
        for values in itertools.product(*ranges):
            arguments = dict(zip((r.name for r in enabled.ranges), values, strict=True))
            action = Action(enabled.instance.name, arguments)
            outcome = machine.step(state, action)
            if not outcome.is_refused:
                yield action, outcome.cluster


def _trace_back(came_by: dict[Node, tuple[Node, Action] | None], node: Node) -> tuple[Action, ...]:
    """The steps that led to a node."""
    steps = []
    while (step := came_by[node]) is not None:
        node, action = step
        steps.append(action)
    return tuple(reversed(steps))
