"""The timeline of delayed delivery: master and slave with queue, copy and progress.

``[ddd] c 1<2 /1`` is a queue of three delayed messages, with a copy of the followed one; progress
is 1 in memory, delivery stands at 2, and the file has 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reference.delay.state import SLAVE, Delay, DelayBroker
from reference.machine import Action
from reference.timeline import LaneText, fill_lanes, fill_one_lane, list_lanes

WIDTHS = (46, 46)
DRAWN_MESSAGES_MAX = 12

Phrase = Callable[[Mapping[str, int]], str]


def tell_power_loss(arguments: Mapping[str, int]) -> str:
    """What a power loss takes."""
    gone = ["COPY"] * arguments["is_copy_lost"] + ["FILE"] * arguments["is_file_lost"]
    return f"## POWER LOSS, keeps {arguments['kept_queue_max']}" + "".join(
        f", no {g}" for g in gone
    )


PHRASES: Mapping[str, Phrase] = {
    "put_delayed_message": lambda a: "a message is put",
    "deliver_message": lambda a: "delivers the next one",
    "note_progress": lambda a: "notes progress",
    "persist_progress": lambda a: "writes progress",
    "replicate_delayed_message": lambda a: f"<~ messages to {a['queue_max']}",
    "replicate_copy": lambda a: "<~ the copy",
    "copy_progress": lambda a: "<~ progress, to its file",
    "stop_broker": lambda a: "stops in order",
    "start_broker": lambda a: "starts again",
    "restart_slave": lambda a: "starts anew as a slave",
    "promote_slave": lambda a: "starts as the master",
    "kill_broker": lambda a: "## KILLED",
    "lose_power": tell_power_loss,
}
"""What a step looks like in its broker's lane; steps without a number are the slave's."""


@list_lanes.register
def _(state: Delay) -> tuple[tuple[str, int], ...]:
    return tuple(zip(("master", "slave"), WIDTHS, strict=True))


@fill_lanes.register
def _(state: Delay, action: Action) -> tuple[LaneText, ...]:
    lane = SLAVE if action.index is None else action.index
    phrase = PHRASES[action.rule_name](action.arguments)
    return fill_one_lane(lane, phrase, tuple(map(draw_broker, state.brokers)))


def draw_broker(broker: DelayBroker) -> str:
    """Its queue, whether the followed message has its copy, and progress."""
    messages = "d" * broker.queue_max
    if broker.queue_max > DRAWN_MESSAGES_MAX:
        messages = f"d{broker.queue_max}"
    copy = "c" if broker.has_copy else "-"
    memory = f"{broker.offset}<{broker.position}" if broker.is_up else "down"
    return f"[{messages}] {copy} {memory} /{broker.file}"
