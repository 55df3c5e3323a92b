"""A rule: who acts, when, with what effect on the state; and facts about the rule.

A rule is a generator function over a cluster. It yields its named conditions, then its arguments
with their ranges, and returns the cluster after its effect:

    # ENABLED WHEN
    yield when(is_master_up=..., has_bytes_to_send=...)
    size = yield between("size", 1, ...)
    # EFFECT
    return ...

The effect is computed only if every condition holds. A range may depend only on the state, and must
not be empty for the rule to be enabled.
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
"""A running rule; it returns the state of its world after its effect."""

ACTORS = (
    *("producer", "consumer", "client"),
    *("master", "slave", "broker", "name server", "controller"),
    *("operator", "administrator"),
    "fault",
)
"""Possible actors. An operator starts, stops and copies; an administrator sends a command."""


USUAL_WEIGHT = 32
"""Default weight with which random schedules pick a rule among the enabled ones; a fault has 1."""

Phrase: TypeAlias = "str | Callable[[Mapping[str, int], Any], str]"
"""The timeline's text for a step: ``{name}`` stands for an argument, ``{number}`` for the index
plus one, ``{state...}`` for the state afterwards; or a function that makes such a text."""


@frozen(eq=False)
class Rule:
    """One rule, with facts about it that are not part of its meaning."""

    name: str
    """Its public identifier: the function's name and its heading in ``spec/``."""
    who: str = field(validator=in_(ACTORS))
    """The actor: one of ACTORS. Raises ValueError for any other."""
    source: str
    """The RocketMQ code that it mirrors, class#method at 4.4.0, or the event that it models."""
    function: Callable[..., RuleBody]
    """The generator function itself."""
    indexes: tuple[str, ...]
    """The indexes for which it is instantiated: ``slave``, ``message``, or none."""
    topic: str
    """The module that holds it, for example ``replication``."""
    weight: int
    """The weight with which random schedules pick it among the enabled rules; 1 or more."""
    heals: str = ""
    """What a system gains by it once faults stop: a word of its world, else empty."""
    is_last_resort: bool = False
    """It ends a wait, or brings the end nearer, while the awaited event may still happen."""
    says: Phrase = ""
    """The timeline's text for a step; the rule's name if empty."""
    lane: str = ""
    """The lane of a timeline in which it appears, if actor and index do not determine it."""

    @property
    def is_fault(self) -> bool:
        """It is a failure; it counts against a limit."""
        return self.who == "fault"

    @property
    def sentence(self) -> str:
        """The first line of its docstring."""
        return (inspect.getdoc(self.function) or "").splitlines()[0]

    def tell(self, arguments: Mapping[str, int], state: Any, **others: Any) -> str:
        """The timeline's text for a step with these arguments that led to this state."""
        text = self.says(arguments, state) if callable(self.says) else self.says
        text = text or self.name.replace("_", " ")
        return text.format(state=state, **arguments, **others)


def rule(
    *,
    who: str,
    source: str,
    weight: int | None = None,
    into: dict[str, Rule] | None = None,
    **facts: Any,
) -> Callable[[Callable[..., RuleBody]], Callable[..., RuleBody]]:
    """Make a function a rule. Its parameters after the state are the indexes of its instances.

    ``facts`` are those of Rule. ``into`` are the rules of a variant; others are collected from
    their modules.
    """

    def mark(function: Callable[..., RuleBody]) -> Callable[..., RuleBody]:
        indexes = tuple(inspect.signature(function).parameters)[1:]
        topic = function.__module__.rpartition(".")[2]
        usual = 1 if who == "fault" else USUAL_WEIGHT
        made = Rule(
            function.__name__, who, source, function, indexes, topic, weight or usual, **facts
        )
        if into is not None:
            into[made.name] = made
        function.rule = made  # type: ignore[attr-defined]
        return function

    return mark


def collect_rules(*topics: ModuleType) -> dict[str, Rule]:
    """The rules of these modules by name; in a module, in the order of its source.

    The numbering of schedules and the digests of certificates depend on the order.
    """
    return {
        value.rule.name: value.rule
        for topic in topics
        for value in vars(topic).values()
        if isinstance(getattr(value, "rule", None), Rule) and value.__module__ == topic.__name__
    }


def when(**conditions: bool) -> Conditions:
    """The named conditions under which a rule may fire."""
    return Conditions(conditions)


def between(name: str, low: int, high: int) -> Argument:
    """An argument that may be any integer from ``low`` to ``high``, both included."""
    return Argument(name, low, high)


def replace_at(items: tuple[Any, ...], index: int, item: Any) -> tuple[Any, ...]:
    """The tuple with one item replaced."""
    return (*items[:index], item, *items[index + 1 :])


def replace_broker(state: StateT, number: int, broker: Any) -> StateT:
    """The state with one of its ``brokers`` replaced."""
    return evolve(state, brokers=replace_at(state.brokers, number, broker))
