"""Where a broker's log ends: at a look, at a start, and after the recorder has cut it."""

from __future__ import annotations

from attrs import evolve

from brokers.recordings.ahead.boundaries import find_scan_end
from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.reading import Event
from brokers.recordings.view import Blocked, View, check
from reference.releases.timing_differences import HA_AFTER_DISPATCH


def check_dispatched_at_start(view: View, node: int, event: Event) -> View:
    """A start is over when all that the log holds is dispatched, where it waits for that (V-03)."""
    if not view.plan.version.has(HA_AFTER_DISPATCH) or view.cluster.epoch_files:
        return view  # Under a controller a start dispatches up to the stored confirm offset.
    least = find_scan_end(view.plan.tables, view.get_log(node))
    if event.data.get("dispatched_offset", least) < least and not view.plan.are_puts_hidden:
        raise Blocked(
            f"dispatched_offset is {event['dispatched_offset']}, but a start waits until it is "
            f"{least} (V-03: DefaultMessageStore#start)"
        )
    return view


def check_max(view: View, node: int, offset: int) -> View:
    """A broker's max offset is exactly this."""
    shown = check(view, "max_offset", view.get_log(node).max_offset, offset)
    return evolve(shown, sends=0) if node == MASTER else shown


def check_surgery(view: View, event: Event) -> View:
    """The recorder zeroes a tail of the store while its broker is down: see `explain_kill`."""
    node = view.plan.find_node(event)
    if event not in view.plan.surgeries.values():
        raise Blocked("no end of this broker's process precedes the surgery")
    if view.get_log(node).max_offset > event["lost_from_offset"]:
        raise Blocked("the log goes on beyond the offset from which everything was lost")
    return view


def find_kept_end(view: View, event: Event, node: int) -> int:
    """Where a log ends that keeps the blank of its full last file; 0 for none.

    It does if the next file is there, and that is shown then: a heartbeat has made a slave's, and a
    kill leaves the one that a master has made early (R-RC-04, R-HC-09, T1-09848).
    """
    end, size = view.get_log(node).max_offset, view.cluster.parameters.mapped_file_size_bytes
    files_end = event.data.get("min_offset", 0) + event.data.get("mapped_files", 0) * size
    is_kept = end % size == 0 and event["max_offset"] == end < files_end
    return end if is_kept else 0
