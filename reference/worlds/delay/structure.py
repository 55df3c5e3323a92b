"""Delayed delivery: its structures, rules, initial state and lanes.

``[ddd] c 1<2 /1`` is a queue of three delayed messages, with a copy of the followed one; progress
is 1 in memory, delivery is at 2, and the file has 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from attrs import frozen

from reference.language.rule import Rule, collect_rules
from reference.language.structure import Lanes, LaneText, Step, fill_one_lane
from reference.worlds.delay import delivery, lifecycle
from reference.worlds.delay.shape import DelayShape
from reference.worlds.delay.state import SLAVE, Delay, DelayBroker, DelayParameters

WIDTHS = (46, 46)
DRAWN_MESSAGES_MAX = 12


def list_lanes(state: Delay) -> tuple[tuple[str, int], ...]:
    """Both brokers."""
    return tuple(zip(("master", "slave"), WIDTHS, strict=True))


def fill_lanes(state: Delay, step: Step) -> tuple[LaneText, ...]:
    """What each broker does in a step; steps without an index are the slave's."""
    lane = SLAVE if step.index is None else step.index
    phrase = state.structure.rules[step.rule_name].tell(step.arguments, state)
    return fill_one_lane(lane, phrase, tuple(map(draw_broker, state.brokers)))


def list_running(state: Delay) -> tuple[bool, ...]:
    """Whether the node of each lane is running."""
    return tuple(broker.is_up for broker in state.brokers)


def draw_broker(broker: DelayBroker) -> str:
    """Its queue, whether the followed message has its copy, and progress."""
    messages = "d" * broker.queue_max
    if broker.queue_max > DRAWN_MESSAGES_MAX:
        messages = f"d{broker.queue_max}"
    copy = "c" if broker.has_copy else "-"
    memory = f"{broker.offset}<{broker.position}" if broker.is_up else "down"
    return f"[{messages}] {copy} {memory} /{broker.file}"


LANES = Lanes(list_lanes, fill_lanes, list_running)


DELAY_RULES: dict[str, Rule] = collect_rules(delivery, lifecycle)
"""Every rule of this world by name, in the order of the book."""


@frozen(cache_hash=True)
class DelayStructure(DelayShape):
    """How a master begins to deliver."""

    usual_parameters: ClassVar[DelayParameters] = DelayParameters()
    lanes: ClassVar[Lanes] = LANES

    @property
    def rules(self) -> Mapping[str, Rule]:
        """All rules of this world, in every structure."""
        return DELAY_RULES

    @property
    def index_counts(self) -> Mapping[str, int]:
        """The master and its slave."""
        return {"broker": 2}

    def make_initial(self, parameters: DelayParameters) -> Delay:
        """Both brokers up, and no delayed message yet."""
        return Delay(self, parameters)
