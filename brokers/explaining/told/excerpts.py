"""The steps by which one event of a recording is explained, or why it is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
from attrs import field, frozen

from brokers.explaining.refusal import Nearest
from brokers.explaining.told.verdict import GroupVerdict
from reference.worlds.replication.state import Cluster

AROUND = 2
"""How many observations are told before the event, and how many behind it."""

COUNTERS = ("faults.",)
"""How the leaves begin that only count what has happened."""


@frozen
class ExplainedStep:
    """One step of a schedule."""

    instance: str
    """The rule instance; empty for a change that is no step of a rule."""
    arguments: Mapping[str, int]
    who: str
    """The node, or who acts from outside."""
    says: str
    """What happens, in a few words."""
    is_announced: bool
    """The event itself lets it happen; else nobody has seen it."""
    changes: tuple[tuple[str, Any, Any], ...]
    """The leaves that it changes: path, value before, value after."""
    since_ms: float | None
    """Since when it has been possible, by the explanation; None: since before the first event."""
    until_ms: float
    """By when it has happened: when its effect was seen."""


@frozen
class ExplainedEvent:
    """One observation, with the steps that are put before it since the last one."""

    seq: int
    t_ms: float
    kind: str
    data: Mapping[str, Any]
    """What the event shows."""
    steps: tuple[ExplainedStep, ...] = ()


@frozen
class ExplanationStop:
    """Where nothing is explained any more."""

    reason: str
    """What is not met, in words."""
    nearest: Nearest | None
    """The rule instance that would help most directly, if one could."""
    cluster: Cluster = field(repr=False)
    """The state there."""


@frozen
class Excerpt:
    """What is put at an event, with what is near it."""

    seq: int
    """The event."""
    before: tuple[ExplainedEvent, ...]
    here: tuple[ExplainedEvent, ...]
    """The observations of the event: of a put its call and its end."""
    behind: tuple[ExplainedEvent, ...]
    stop: ExplanationStop | None = None
    """Set where this event is refused."""

    def as_json(self) -> dict[str, Any]:
        """The excerpt for other programs, without the state."""
        found: dict[str, Any] = attrs.asdict(self, filter=lambda a, _: a.name != "cluster")
        return found


def find_stop(verdicts: Sequence[GroupVerdict]) -> int | None:
    """The first event of a recording that is refused; None for none."""
    return min((v.seq for v in verdicts if v.seq is not None), default=None)


def tell_event(verdicts: Sequence[GroupVerdict], seq: int) -> Excerpt | None:
    """What is put at an event; None for one that nothing looks at, or that was not come to."""
    for verdict in verdicts:
        if verdict.tell is not None and (found := verdict.tell(seq)) is not None:
            excerpt: Excerpt = found
            return excerpt
    return None
