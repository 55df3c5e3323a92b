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
