"""Steps under a controller: who is in the SyncStateSet, and a report that is read."""

from __future__ import annotations

from brokers.explaining.controlled.shown import PUSHED
from brokers.explaining.hidden.steps import HiddenStep, Knowledge, is_below_caps
from brokers.explaining.scene import Scene
from brokers.recordings.clock import JITTER_MS, NOTICE_MS
from reference.language.compiled import State
from reference.worlds.replication.controller.epochs import get_place


def is_entry_wanted(scene: Scene, step: HiddenStep) -> bool:
    """A slave is shown to be in the SyncStateSet soon: the master knows it first."""
    if find_shown(scene, step) == 0:
        return False
    return scene.plan.controller.set_changes[step.index].may_enter(scene.now_ms, JITTER_MS)


def find_shown(scene: Scene, step: HiddenStep) -> int | None:
    """Whether the slave is in the set that is shown next; None if none is."""
    return scene.pins.find_next_value(f"in_sync_state_set.{get_place(step.index)}")


def is_change_allowed(scene: Scene, step: HiddenStep, after: State) -> bool:
    """The set that is shown later does not matter."""
    return True


def is_exit_wanted(scene: Scene, step: HiddenStep) -> bool:
    """A controller is shown to have taken it out just now, and it has not reported everything.

    One whose last report is on its way does not lag: it leaves when its connection has ended.
    """
    if find_shown(scene, step) == 1:
        return False
    link = f"links.{step.index}"
    reported = scene.get(f"{link}.reported_offset")
    if scene.get(f"{link}.is_open") and reported >= scene.get(scene.master_end):
        return False
    return scene.plan.controller.set_changes[step.index].may_leave(scene.now_ms, NOTICE_MS)


def is_reading_allowed(scene: Scene, step: HiddenStep, after: State) -> bool:
    """A report is read, unless less will be seen to be read; one that is played may fall again.

    With a SyncStateSet ``push2_slave_max_offset`` is raised last: puts are answered by the reports
    of each connection, and the set is changed, before that (``AutoSwitchHAService
    #notifyTransferSome``; ``v533_controller_c`` seq 74, ``v533_controller_h`` seq 323). The rules
    do all of it at once.
    """
    if step.index in scene.plan.scripted:
        return bool(scene.get_of(after, PUSHED) <= scene.pins.compute_cap(PUSHED))
    if not scene.sightings.has_controller:
        return is_below_caps(scene, step, after)
    return all(
        after[place] == scene.state[place]
        or (after[place] if leaf != PUSHED else scene.get(leaf)) <= scene.pins.compute_cap(leaf)
        for leaf, place in step.written
    )


CONTROLLED_STEPS = Knowledge(
    wanted={"enter_sync_state_set": is_entry_wanted, "leave_sync_state_set": is_exit_wanted},
    allowed={
        "receive_report": is_reading_allowed,
        "enter_sync_state_set": is_change_allowed,
        "leave_sync_state_set": is_change_allowed,
    },
)
"""What is known about the steps of a controlled group."""
