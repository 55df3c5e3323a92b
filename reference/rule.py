"""What a rule is, and the registry of all rules.

A rule is a generator function over a cluster. It yields its named conditions, then its arguments
with their ranges, and returns the cluster after its effect:

    # ENABLED WHEN
    yield when(is_master_up=..., has_bytes_to_send=...)
    size = yield between("size", 1, ...)
    # EFFECT
    return ...

The effect is computed only when every condition holds. A range may mention only the state, and it
is part of being enabled that it is not empty.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Mapping
from types import ModuleType
from typing import Any, TypeAlias, TypeVar

from attrs import evolve, field, frozen
from attrs.validators import in_


@frozen
class Conditions:
    """The named conditions of a rule; it is enabled when all of them hold."""

    named: Mapping[str, bool]
    """Condition by name, in the order in which the rule states them."""


@frozen
class Argument:
    """A choice that the rule leaves open: any integer from ``low`` to ``high``, both included."""

    name: str
    low: int
    high: int


StateT = TypeVar("StateT", bound=Any)

RuleBody: TypeAlias = Generator[Conditions | Argument, int, Any]
"""What a rule is when it runs; it returns the state of its world after its effect."""

ACTORS = (
    *("producer", "consumer", "client"),
    *("master", "slave", "broker", "name server", "controller"),
    *("operator", "administrator"),
    "fault",
)
"""Who can act. An operator starts, stops and copies; an administrator sends a command."""


@frozen(eq=False)
class Rule:
    """One registered rule."""

    name: str
    """Its public identifier: the function's name and its heading in ``spec/``."""
    who: str = field(validator=in_(ACTORS))
    """Who acts: one of ACTORS. Raises ValueError for anybody else."""
    source: str
    """The RocketMQ code that it mirrors, class#method at 4.4.0, or what it stands for."""
    topic: str
    """The module that holds it, for example ``replication``."""
    indexes: tuple[str, ...]
    """What it is instantiated for: ``slave``, ``message``, or nothing."""
    function: Callable[..., RuleBody]
    """The generator function itself."""

    @property
    def is_fault(self) -> bool:
        """It is something that goes wrong; it counts against a limit."""
        return self.who == "fault"

    @property
    def sentence(self) -> str:
        """The first line of its docstring."""
        return (inspect.getdoc(self.function) or "").splitlines()[0]


RULES: dict[str, Rule] = {}
"""Every rule of replication by name, in the order of definition."""


def rule(
    *, who: str, source: str, into: dict[str, Rule] = RULES
) -> Callable[[Callable[..., RuleBody]], Callable[..., RuleBody]]:
    """Register a rule. Its parameters after ``cluster`` say what it is instantiated for.

    ``into`` is the registry: that of replication in RocketMQ 4.4.0, of another world, or the
    ``rules`` of a variant.
    """

    def register(function: Callable[..., RuleBody]) -> Callable[..., RuleBody]:
        indexes = tuple(inspect.signature(function).parameters)[1:]
        topic = function.__module__.rpartition(".")[2]
        name = function.__name__
        into[name] = Rule(name, who, source, topic, indexes, function)
        return function

    return register


def sort_by_topic(rules: dict[str, Rule], *topics: ModuleType) -> None:
    """Put a registry into its order: by topic, inside a topic as the rules are written.

    Schedules' numbers and certificates' digests rest on it, so it must not depend on who imports
    what first.
    """
    names = [topic.__name__.rpartition(".")[2] for topic in topics]
    in_order = sorted(rules.items(), key=lambda item: names.index(item[1].topic))
    rules.clear()
    rules.update(in_order)


def when(**conditions: bool) -> Conditions:
    """The named conditions under which a rule may fire."""
    return Conditions(conditions)


def between(name: str, low: int, high: int) -> Argument:
    """An argument that may be any integer from ``low`` to ``high``, both included."""
    return Argument(name, low, high)


def replace_at(items: tuple[Any, ...], index: int, item: Any) -> tuple[Any, ...]:
    """The tuple with one item exchanged."""
    return (*items[:index], item, *items[index + 1 :])


def replace_broker(state: StateT, number: int, broker: Any) -> StateT:
    """The state with one of its ``brokers`` exchanged."""
    return evolve(state, brokers=replace_at(state.brokers, number, broker))
