"""What readers observe of a step of the log: steps of their environment, or none.

Some rules of `reference.worlds.reading` only change queues. Here such a rule cannot fire by itself:
a step of the log determines when it fires, and with which arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import field, frozen

from reference.language.leaves import flatten, transform_leaves
from reference.language.operator_table import Sort
from reference.language.operators import all_of, choose, implies
from reference.language.rule import Conditions
from reference.worlds.reading.state import Reading


@frozen
class ObservedStep:
    """A step that readers observe, if it is taken."""

    is_taken: bool
    """Whether it is taken, which may depend on the state."""
    rule: Callable[..., Any]
    """The rule of reading that models it."""
    index: tuple[int, ...] = ()
    """The broker, if the rule is indexed by broker."""
    arguments: Mapping[str, int] = field(factory=dict)
    """The values of the rule's arguments."""


@frozen
class Fired:
    """A rule that has been made to fire, whether its conditions hold or not."""

    conditions: dict[str, bool]
    """What must hold for it: its conditions, and each argument in its range."""
    reading: Reading
    """The state after it."""


def fire(step: ObservedStep, reading: Reading) -> Fired:
    """Fire a rule with these arguments, and keep its conditions."""
    steps = step.rule(reading, *step.index)
    asked: Conditions = next(steps)
    conditions, answer = dict(asked.named), None
    while True:
        try:
            argument = steps.send(answer)
        except StopIteration as finished:
            return Fired(conditions, finished.value)
        answer = step.arguments.get(argument.name, argument.low)
        conditions[f"is_{argument.name}_in_range"] = (argument.low <= answer) & (
            answer <= argument.high
        )


def choose_reading(condition: bool, when_true: Reading, when_false: Reading) -> Reading:
    """One of two states, leaf by leaf."""
    other = flatten(when_false)

    def pick(path: str, _sort: Sort, value: Any) -> Any:
        return value if value is other[path] else choose(condition, value, other[path])

    chosen: Reading = transform_leaves(when_true, pick)
    return chosen


@frozen
class Sight:
    """What readers have observed."""

    reading: Reading
    """The state after it."""
    is_possible: bool
    """Their environment allows each step: all conditions of its rule held."""


def see(reading: Reading, steps: Iterable[Callable[[Reading], ObservedStep]]) -> Sight:
    """The readers after these steps, each made for the state that earlier ones left."""
    is_possible = True
    for make in steps:
        step = make(reading)
        if step.is_taken is False:
            continue
        fired = fire(step, reading)
        is_possible = is_possible & implies(step.is_taken, all_of(*fired.conditions.values()))
        reading = choose_reading(step.is_taken, fired.reading, reading)
    return Sight(reading, is_possible)
