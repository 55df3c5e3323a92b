"""What has to happen in time: timers that are seen to run, and steps that nothing holds back."""

from __future__ import annotations

import math
from collections.abc import Mapping

from brokers.explaining.refusal import Refusal
from brokers.explaining.scene import Scene
from brokers.recordings.ahead.plan import compute_flush_wait_ms
from brokers.recordings.clock import (
    JITTER_MS,
    LATE_MS,
    REAPED_MS,
    SELECT_MS,
    SLACK_MS,
    TIMER_RANGES,
)
from reference.language.machine import Action

LIMITS_MS: Mapping[str, float] = {
    "receive_report": SLACK_MS,
    "position_transfer": SLACK_MS,
    "position_at_last_file": SLACK_MS,
    "create_slave_file": SLACK_MS,
    "append_to_slave": SLACK_MS,
    "append_message": SLACK_MS,
    "dispatch_master": SLACK_MS,
    "dispatch_slave": SLACK_MS,
    "transfer_batch": SLACK_MS,
    "drop_connection": SELECT_MS + SLACK_MS,
}
"""By rule: how long an instance may stay possible, when nothing but a later sight holds it back."""


def check_overdue(scene: Scene) -> None:
    """No step is held back by a later sight alone for longer than its deadline. Raises Refusal."""
    for name, since_ms in scene.blocked.items():
        waited_ms = scene.now_ms - JITTER_MS - since_ms
        if waited_ms > compute_limit_ms(scene, Action(name)):
            raise Refusal(f"{name} has been possible for {waited_ms:.0f} ms, and has not happened")


def compute_limit_ms(scene: Scene, action: Action) -> float:
    """How long a step may stay possible; infinite where something may hold it back."""
    rule, index = action.rule_name, action.index or 0
    is_any_stalled = any(link.is_stalled for link in scene.links)
    if rule == "transfer_batch":
        link = scene.links[index]
        is_over = scene.now_ms > scene.plan.recording.end_ms - SLACK_MS
        if (
            link.are_frames_stalled
            or not link.is_open
            or (link.find_next_sent() is None and is_over)
        ):
            return math.inf
    if rule == "drop_connection" and is_any_stalled:
        return math.inf
    if rule.endswith("_slave") and scene.get(f"slaves.{index}.is_stopping"):
        return math.inf
    is_hidden = scene.plan.are_puts_hidden or scene.process in scene.plan.sampled_processes
    if rule == "flush_master" and is_hidden:
        return math.inf  # Nobody knows when what was not recorded was appended.
    if rule.startswith("flush"):
        names = (scene.plan.master, *scene.plan.slaves)
        name = names[0] if action.index is None else names[1 + index]
        store_config = scene.plan.recording.config["nodes"][name]["store_config"]
        return SLACK_MS + compute_flush_wait_ms(store_config)
    return LIMITS_MS.get(rule, math.inf)


def check_timer(scene: Scene, name: str, took_ms: float, slave: int) -> None:
    """A timer has run no shorter than it takes. Raises Refusal.

    Both stamps may be late, so it may have run longer than is seen, and the first may be later by
    no more than ``REAPED_MS``. How long it takes at most, only a clock that is exact can tell.
    """
    timer = TIMER_RANGES[name](scene.get_link_timers(slave))
    is_exact = scene.is_clock_exact
    shown_ms = took_ms if is_exact else min(took_ms, timer.high_ms)
    violation = timer.explain_violation(shown_ms, LATE_MS if is_exact else REAPED_MS)
    if violation is not None:
        raise Refusal(violation)
