"""What the engines need from a state machine: its rules, its initial state, and its drawing.

Replication, consumers, copied tables and delayed delivery are separate state machines, called
worlds. A structure is one instance of such a world and fixes what never changes. Recorder, prover,
search and walks know nothing else of a world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from attrs import frozen

from reference.language.rule import Rule

if TYPE_CHECKING:
    from reference.language.variant import Variant

LATER = "later"
"""Metadata of a field that only later forms of a structure need. Where it has its default, digests
leave it out: what was decided before there was such a field stays valid."""


class Step(Protocol):
    """One step of a schedule, as a timeline sees it."""

    @property
    def rule_name(self) -> str:
        """The name of the rule."""

    @property
    def index(self) -> int | None:
        """The slave, message or broker that it concerns."""

    @property
    def arguments(self) -> Mapping[str, int]:
        """The chosen arguments."""


@frozen
class LaneText:
    """The text of a lane in a step: what its node does, and its state afterwards."""

    phrase: str
    state: str = ""

    def fit(self, width: int) -> str:
        """The phrase left-aligned in a lane of this width in letters, the state right-aligned."""
        if not self.state:
            return self.phrase
        return self.phrase.ljust(width - 2 - len(self.state)) + " " + self.state


def fill_one_lane(lane: int, phrase: str, states: Sequence[str]) -> tuple[LaneText, ...]:
    """All lanes with their states; the phrase of the step appears in one of them."""
    return tuple(LaneText(phrase if i == lane else "", state) for i, state in enumerate(states))


LANE_WIDTH = 44


@frozen
class Lanes:
    """How a timeline shows a world: a lane for each node."""

    list_lanes: Callable[[Any], tuple[tuple[str, int], ...]] = lambda state: (("step", LANE_WIDTH),)
    """Title and width of each lane."""
    fill_lanes: Callable[[Any, Step], tuple[LaneText, ...]] = lambda state, step: (
        LaneText(str(step)),
    )
    """What each lane shows of a step and of the state after it."""
    list_running: Callable[[Any], tuple[bool, ...]] = lambda state: ()
    """Whether the node of each lane is running; empty if nodes are not distinguished."""


class BaseStructure:
    """An instance of a world. Each world derives its own class from this one."""

    __slots__ = ()

    lanes: ClassVar[Lanes] = Lanes()
    """How a timeline shows it."""
    usual_parameters: ClassVar[Any]
    """The sizes and thresholds of a real system."""

    @property
    def name(self) -> str:
        """Its public name; begins with the world's, except for replication."""
        raise NotImplementedError

    @property
    def rules(self) -> Mapping[str, Rule]:
        """The rules by name, in order."""
        raise NotImplementedError

    @property
    def index_counts(self) -> Mapping[str, int]:
        """The number of each index of a rule."""
        return {}

    @property
    def slaves(self) -> int:
        """A master has one slave, unless the world counts them."""
        return 1

    @property
    def messages(self) -> int:
        """How many messages are followed individually, each with leaves of its own."""
        return 1

    def follow_messages(self, messages: int) -> Self:
        """The structure with so many followed messages; its own number unless its world counts."""
        return self

    @property
    def variants(self) -> tuple[str, ...]:
        """Names of variants; most worlds have separate structures instead."""
        return ()

    @property
    def changes(self) -> tuple[Variant, ...]:
        """The variants themselves."""
        return ()

    def make_initial(self, parameters: Any) -> Any:
        """The initial state with these parameters."""
        raise NotImplementedError

    @property
    def template(self) -> Any:
        """The initial state with the usual parameters."""
        return self.make_initial(self.usual_parameters)
