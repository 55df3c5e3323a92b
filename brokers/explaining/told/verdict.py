"""What is said of one group of brokers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import field, frozen

from brokers.explaining.refusal import Nearest
from brokers.explaining.told.acknowledged import Acknowledgements
from reference.language.machine import Action
from reference.worlds.replication.parameters import Parameters
from reference.worlds.replication.state import Cluster

CONFORMS, REJECTED, UNDECIDED = "conforms", "rejected", "undecided"


@frozen
class GroupVerdict:
    """What explaining the recording of one group comes to."""

    word: str
    """CONFORMS or REJECTED."""
    explained: int
    """How many observations are explained."""
    ignored: Mapping[str, int]
    """How many ask for nothing, by kind and reason."""
    goals: int = 0
    """How many observed values and conditions were held against the state."""
    acknowledged: Acknowledgements | None = None
    """What became of the acknowledged puts; None where no puts are recorded."""
    parameters: Parameters | None = field(default=None, repr=False)
    """The sizes with which the schedule begins."""
    schedule: tuple[Action, ...] = ()
    """The steps up to the last observation that is explained, if they are kept; between them what
    the recording shows that no rule has done, as OBSERVED."""
    seq: int | None = None
    """The first event that is not explained."""
    reason: str = ""
    """Why it is not."""
    nearest: Nearest | None = None
    """The rule instance that would help most directly there; None where no rule could."""
    message: int | None = None
    """The place of the followed message that the event is about which is not explained."""
    cluster: Cluster | None = field(default=None, repr=False)
    """The state at the end, or before what is not explained."""
    tell: Callable[[int], Any] | None = field(default=None, repr=False)
    """The steps that are put at an event, by its ``seq``."""

    def as_json(self) -> dict[str, Any]:
        """The verdict for other programs."""
        return {
            "verdict": self.word,
            "explained": self.explained,
            "ignored": dict(self.ignored),
            "goals": self.goals,
            "schedule": [str(action) for action in self.schedule],
            "first_unexplained_seq": self.seq,
            "reason": self.reason,
        }
