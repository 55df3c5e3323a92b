"""What the engines ask of a state machine: its rules, its first state, and how it is drawn.

Replication, consumers, copied tables and delayed delivery are state machines of their own, called
worlds. A structure is one instance of such a world: it fixes what never changes, and answers for
it. Recorder, prover, search and walks know nothing else of a world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from attrs import frozen

from reference.language.rule import Rule

if TYPE_CHECKING:
    from reference.language.variant import Variant


class Step(Protocol):
    """One step of a schedule, as a timeline sees it."""

    @property
    def rule_name(self) -> str:
        """The name of the rule."""

    @property
    def index(self) -> int | None:
        """Which slave, message or broker it is about."""

    @property
    def arguments(self) -> Mapping[str, int]:
        """What was chosen."""


@frozen
class LaneText:
    """What a lane says of a step: what its node does, and the state that it is in afterwards."""

    phrase: str
    state: str = ""

    def fit(self, width: int) -> str:
        """The phrase at the left of a lane of this width in letters, the state at the right."""
        if not self.state:
            return self.phrase
        return self.phrase.ljust(width - 2 - len(self.state)) + " " + self.state


def fill_one_lane(lane: int, phrase: str, states: Sequence[str]) -> tuple[LaneText, ...]:
    """All lanes with their states; the phrase of the step stands in one of them."""
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
    """What each lane says of a step and of the state after it."""
    list_running: Callable[[Any], tuple[bool, ...]] = lambda state: ()
    """For each lane whether its node runs; empty where nodes are not told apart."""


class BaseStructure:
    """An instance of a world. Every world has a class of its own below this one."""

    __slots__ = ()

    lanes: ClassVar[Lanes] = Lanes()
    """How a timeline shows it."""
    usual_parameters: ClassVar[Any]
    """The sizes and thresholds that a real system has."""

    @property
    def name(self) -> str:
        """Its public name; begins with the world's, but for replication."""
        raise NotImplementedError

    @property
    def rules(self) -> Mapping[str, Rule]:
        """The rules by name, in order."""
        raise NotImplementedError

    @property
    def index_counts(self) -> Mapping[str, int]:
        """How many of each index of a rule there are."""
        return {}

    @property
    def slaves(self) -> int:
        """A master has one slave, unless the world counts them."""
        return 1

    @property
    def variants(self) -> tuple[str, ...]:
        """Names of variants; other forms of most worlds are structures of their own."""
        return ()

    @property
    def changes(self) -> tuple[Variant, ...]:
        """The variants themselves."""
        return ()

    def make_initial(self, parameters: Any) -> Any:
        """The first state with these parameters."""
        raise NotImplementedError

    @property
    def template(self) -> Any:
        """The first state with the usual parameters."""
        return self.make_initial(self.usual_parameters)
