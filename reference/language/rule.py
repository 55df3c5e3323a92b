"""What a rule is: who acts, when, and what becomes of the state; with the facts about it.

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


USUAL_WEIGHT = 32
"""How likely a rule is picked among the enabled ones of a random schedule; a fault has 1."""

Phrase: TypeAlias = "str | Callable[[Mapping[str, int], Any], str]"
"""What a timeline says of a step: a text in which ``{name}`` stands for an argument, ``{number}``
for the index and one, ``{state...}`` for what is there afterwards; or what makes such a text."""


@frozen(eq=False)
class Rule:
    """One rule, with the facts about it that are no part of its meaning."""

    name: str
    """Its public identifier: the function's name and its heading in ``spec/``."""
    who: str = field(validator=in_(ACTORS))
    """Who acts: one of ACTORS. Raises ValueError for anybody else."""
    source: str
    """The RocketMQ code that it mirrors, class#method at 4.4.0, or what it stands for."""
    function: Callable[..., RuleBody]
    """The generator function itself."""
    indexes: tuple[str, ...]
    """What it is instantiated for: ``slave``, ``message``, or nothing."""
    topic: str
    """The module that holds it, for example ``replication``."""
    weight: int
    """How likely random schedules pick it among the enabled rules; 1 or more."""
    heals: str = ""
    """What a system that is left in peace gets by it: a word of its world, else empty."""
    is_last_resort: bool = False
    """It ends a wait, or brings its end nearer, while what is waited for may yet come."""
    says: Phrase = ""
    """What a timeline says of a step; the rule's name where it says nothing."""
    lane: str = ""
    """The lane of a timeline in which it stands, where who acts and the index do not tell."""

    @property
    def is_fault(self) -> bool:
        """It is something that goes wrong; it counts against a limit."""
        return self.who == "fault"

    @property
    def sentence(self) -> str:
        """The first line of its docstring."""
        return (inspect.getdoc(self.function) or "").splitlines()[0]

    def tell(self, arguments: Mapping[str, int], state: Any, **others: Any) -> str:
        """What a timeline says of a step with these arguments that led to this state."""
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
    """Make a function a rule. Its parameters after the state say what it is instantiated for.

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
    """The rules of these modules by name, inside a module as they are written.

    Schedules' numbers and certificates' digests rest on the order.
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
    """The tuple with one item exchanged."""
    return (*items[:index], item, *items[index + 1 :])


def replace_broker(state: StateT, number: int, broker: Any) -> StateT:
    """The state with one of its ``brokers`` exchanged."""
    return evolve(state, brokers=replace_at(state.brokers, number, broker))
