"""Steps of one broker's log: flush, dispatch, deletion, and the begin of a stop."""

from __future__ import annotations

from collections.abc import Iterable

from brokers.explaining.group_state import Arguments
from brokers.explaining.hidden.put_steps import fails_early, has_early_failure
from brokers.explaining.hidden.steps import HiddenStep, Knowledge, is_below_caps, note_granted
from brokers.explaining.scene import Scene
from brokers.explaining.seen.pins import UNBOUNDED
from brokers.explaining.seen.sightings import COMMITTED
from brokers.recordings.ahead.boundaries import find_scan_end
from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.clock import EXPIRY_BEGIN_MS, JITTER_MS, SLACK_MS
from reference.language.compiled import Ranges, State

CALLED_SOON_MS = 100.0
"""How soon after the begin of a stop a put may still be appended."""

YOUNG_MS = 2000.0
"""How long before a look a file may be deleted that is not expired."""


def is_deletion_wanted(scene: Scene, step: HiddenStep) -> bool:
    """The log will be seen to begin later; a young file goes shortly before that."""
    are_puts_hidden, is_young = scene.plan.are_puts_hidden, step.rule.startswith("delete_young")
    if scene.plan.are_deletions_shown and not (are_puts_hidden and is_young):
        return False
    leaf = f"{step.broker}.log.start_offset"
    pin = scene.pins.find_next(leaf)
    if pin is None or pin.value is None or pin.value <= scene.get(leaf):
        return False
    node = MASTER if step.broker == "master" else step.index
    due_ms = scene.facts.get_broker(node).started_ms + EXPIRY_BEGIN_MS - JITTER_MS
    is_due = are_puts_hidden or scene.now_ms >= due_ms
    return not is_young or (is_due and scene.now_ms >= pin.t_ms - YOUNG_MS)


def is_empty_last_file_seen(scene: Scene, step: HiddenStep, end: str) -> bool:
    """The log will be seen to have a file, or to begin behind its full one, before it grows."""
    log = f"{step.broker}.log"
    if not scene.get(f"{log}.has_file"):
        is_seen = scene.pins.find_next_value(f"{log}.has_file") == 1
        return is_seen and bool(scene.pins.compute_cap(end) == scene.get(end))
    return bool(scene.pins.find_next_value(f"{log}.start_offset") == scene.get(end))


def is_master_file_wanted(scene: Scene, step: HiddenStep) -> bool:
    """The master makes a file for a put that it then refuses."""
    return is_empty_last_file_seen(scene, step, scene.master_end)


def is_small_flush_wanted(scene: Scene, step: HiddenStep) -> bool:
    """A flush that ends between pages is only taken where one will be seen."""
    leaf = f"{step.broker}.log.flushed_offset"
    return bool(scene.get(leaf) < scene.pins.compute_cap(leaf) < UNBOUNDED)


def choose_dispatched(scene: Scene, step: HiddenStep, ranges: Ranges) -> Iterable[Arguments]:
    """As far as possible, or to the last end of a message that will be seen."""
    low, high = ranges[0]
    most = min(high, scene.pins.compute_cap(f"{step.broker}.log.dispatched_offset"))
    if scene.plan.structure.lives > 1 and not scene.plan.are_puts_hidden:
        most = min(most, find_records_end(scene, step))
    ends = dict.fromkeys((int(most), scene.puts.find_last_end(int(most))))
    name = step.instance.arguments[0]
    return [{name: end} for end in ends if low <= end <= high]


def find_records_end(scene: Scene, step: HiddenStep) -> int:
    """Where the records of a log end; a dispatch stops where another epoch begins within one."""
    cluster = scene.cluster
    log = cluster.master.log if step.broker == "master" else cluster.slaves[step.index].log
    table, last = scene.plan.tables[log.ends.index(log.max_offset)], log.max_offset - 1
    is_blank = any(blank.start_offset <= last < blank.end_offset for blank in table.blanks)
    is_unrecorded = table.find_torn(last) is None and not is_blank
    if log.start_offset < log.ghost_unknown_below_offset or is_unrecorded:
        return log.max_offset
    return find_scan_end(scene.plan.tables, log)


def choose_committed(scene: Scene, step: HiddenStep, ranges: Ranges) -> Iterable[Arguments]:
    """As much as possible of what waits in the pool."""
    low, high = ranges[0]
    most = int(min(high, scene.pins.compute_cap(COMMITTED)))
    return [{step.instance.arguments[0]: most}] if most >= low else []


def is_stop_allowed(scene: Scene, step: HiddenStep, after: State) -> bool:
    """A stop that is seen to begin; the store takes puts until a little later."""
    put = scene.puts.find_next()
    is_called = put is not None and put.begin_ms < scene.now_ms + CALLED_SOON_MS
    return step.name in scene.granted and not (step.broker == "master" and is_called)


def is_swallowed_error_allowed(scene: Scene, step: HiddenStep, after: State) -> bool:
    """A flush counts that failed: more will be seen flushed than a loss of power leaves."""
    leaf = "master.log.flushed_offset"
    pin = scene.pins.find_next(leaf)
    lost = scene.plan.lost_offsets.get(scene.process)
    if pin is None or pin.value is None or lost is None:
        return False
    seq, is_call = pin.key
    if seq in scene.plan.surgeries and not is_call:
        return False
    return bool(lost < pin.value and scene.get_of(after, leaf) <= pin.value)


def is_flush_allowed(scene: Scene, step: HiddenStep, after: State) -> bool:
    """Under SYNC_FLUSH no put is flushed before its wait for the disk has ended in vain.

    One that fails early finds the flush in an earlier file, of which it flushes the rest first.
    """
    if not is_below_caps(scene, step, after):
        return False
    if not scene.plan.structure.is_sync_flush:
        return True
    if has_early_failure(scene, len(scene.puts.slots)):
        return False
    flushed, size = scene.get_of(after, "master.log.flushed_offset"), scene.file_bytes
    soon = scene.puts.list_until(scene.now_ms + SLACK_MS)
    return not any(
        fails_early(scene, put) and flushed >= put.start_offset - put.start_offset % size
        for put in soon
    )


def note_dispatched(scene: Scene, step: HiddenStep, arguments: Arguments, after: State) -> None:
    """A dispatch goes on; where it has come to before a pause, it has surely been."""
    settled = scene.compute_settled_offset(step.broker)
    scene.dispatches = {**scene.dispatches, step.broker: (scene.now_ms, settled)}


DELETIONS = (
    "expire_master_file",
    "expire_uncopied_master_file",
    "expire_slave_file",
    "delete_young_master_file",
    "delete_young_slave_file",
)
SMALL_FLUSHES = ("flush_master_too_few_pages", "flush_slave_too_few_pages")

LOG_STEPS = Knowledge(
    wanted={
        "create_master_file": is_master_file_wanted,
        **dict.fromkeys(DELETIONS, is_deletion_wanted),
        **dict.fromkeys(SMALL_FLUSHES, is_small_flush_wanted),
    },
    choose={
        "commit_master": choose_committed,
        "dispatch_master": choose_dispatched,
        "dispatch_slave": choose_dispatched,
    },
    allowed={
        "begin_master_stop": is_stop_allowed,
        "begin_slave_stop": is_stop_allowed,
        "swallow_flush_error": is_swallowed_error_allowed,
        "flush_master": is_flush_allowed,
    },
    note={
        "begin_master_stop": note_granted,
        "begin_slave_stop": note_granted,
        "dispatch_master": note_dispatched,
        "dispatch_slave": note_dispatched,
    },
)
"""What is known about the steps of one log."""
