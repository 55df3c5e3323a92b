"""What an event says of itself and of what was shown before, which no step of a rule changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from brokers.explaining.seen.facts import Check
from brokers.recordings.ahead.boundaries import find_recovered_range, has_boundary
from brokers.recordings.ahead.links import read_scan_end
from brokers.recordings.ahead.plan import MASTER, Plan
from brokers.recordings.ahead.puts import RecordedPut
from brokers.recordings.ahead.unseen import list_sure_ends, may_end_among
from brokers.recordings.checks.contents import check_checksums, check_comparison, check_scan
from brokers.recordings.checks.durations import get_message
from brokers.recordings.checks.logs import check_dispatched_at_start, find_kept_end
from brokers.recordings.checks.puts import (
    NO_FILE,
    check_blank_put,
    check_own_duration,
    check_refused_put,
    check_send,
    check_size,
    check_slave_view,
)
from brokers.recordings.checks.queues import check_queue_offset, check_queues
from brokers.recordings.checks.waiting_line import check_turn
from brokers.recordings.clock import SHUTDOWN_MS
from brokers.recordings.reading import Event
from brokers.recordings.tables.metadata import CHANGES, check_request, check_running, follow
from brokers.recordings.tables.pulls import check_pull, check_queue_ends
from brokers.recordings.tables.reads import check_read
from brokers.recordings.tables.settings import (
    REMEMBERED,
    check_tables,
    check_update_group,
    check_update_topic,
    remember,
)
from brokers.recordings.view import Blocked, View, check
from reference.roles import Role
from reference.worlds.replication.mapped_files import compute_last_file_end, is_new_file_needed
from reference.worlds.replication.put import has_slave_wait


def check_put(view: View, event: Event) -> View:
    """A put that was appended has the size of its parts, and the next place in its queue."""
    view = check_own_duration(view, event)
    if event["node"] != view.plan.master:
        return check_slave_put(view, event)
    if (blank := view.plan.blank_by_seq.get(event.seq)) is not None:
        view = check_blank_put(view, blank)
        return check_queue_offset(view, blank)
    put = view.plan.put_by_seq.get(event.seq)
    if put is None:
        return check_refusing(check_refused_put(view, event, MASTER), event)
    return check_queue_offset(check_size(view, event), put)


def check_refusing(view: View, event: Event) -> View:
    """The master needs a file that it did not get, or stops, or has ended."""
    master, status = view.cluster.master, event["put_status"]
    if status == NO_FILE and not is_new_file_needed(master.log, view.cluster.parameters):
        raise Blocked("the put failed for a file, but the master needs no new file")
    is_over = master.is_stopping or not master.is_up
    if status == "SERVICE_NOT_AVAILABLE" and not is_over and not view.plan.are_puts_hidden:
        raise Blocked("the put was refused, but the master does not stop")
    return view


def check_put_turn(view: View, put: RecordedPut) -> View:
    """A put that has waited for a slave was answered in its turn."""
    has_wait = has_slave_wait(view.cluster, get_message(view, put))
    return check_turn(view, put) if has_wait else view


def check_slave_put(view: View, event: Event) -> View:
    """A slave takes no put."""
    slave = view.plan.find_node(event)
    return check_slave_view(check_refused_put(view, event, slave), event, slave)


def check_start(view: View, event: Event) -> View:
    """A broker that does not run starts, and finds what its last process has left."""
    node = view.plan.find_node(event)
    broker = view.get_broker(node)
    if broker.is_started or broker.is_store_closed:
        raise Blocked(f"{event['node']} runs already")
    role = view.master_role if node == MASTER else Role.SLAVE.name
    view = check(view, "role", role, event["role"])
    end = event.data.get("max_offset")
    if view.is_up(node) or end is None or view.plan.are_puts_hidden:
        return view
    low, high = find_recovered_range(view.plan.tables, view.get_log(node))
    high = max(high, find_kept_end(view, event, node))
    if not low <= end <= high:
        raise Blocked(f"max_offset is {end}, but recovery leaves a log up to {low}")
    return view


def check_started(view: View, event: Event) -> View:
    """A broker that has started shows its log, and has dispatched it where a start waits for it."""
    return check_dispatched_at_start(check_look(view, event), view.plan.find_node(event), event)


def check_look(view: View, event: Event) -> View:
    """A look at a broker shows its files and its queues, and its dispatch between two messages."""
    node = view.plan.find_node(event)
    view = check_files(view, event, node)
    view = check_queues(view, node, event)
    if "dispatched_offset" in event.data:
        check_record_begin(view, node, event["dispatched_offset"])
    return view


def check_files(view: View, event: Event, node: int) -> View:
    """The number of a log's files; behind a full one the next may be there before its first byte.

    ``MappedFileQueue#getLastMappedFile`` makes it.
    """
    if "mapped_files" not in event.data:
        return view
    log, files = view.get_log(node), event["mapped_files"]
    if not log.has_file or not files:
        return check(view, "mapped_files", bool(log.has_file), bool(files))
    size = view.cluster.parameters.mapped_file_size_bytes
    last_end = compute_last_file_end(log, view.cluster.parameters)
    end = log.start_offset + files * size
    if end == last_end or (log.max_offset == last_end and end == last_end + size):
        return view
    raise Blocked(f"mapped_files is {files}, but the last file ends at {last_end}")


def check_record_begin(view: View, node: int, offset: int) -> None:
    """The dispatch stands between two records, as far as it is known which these are."""
    log, tables = view.get_log(node), view.plan.tables
    is_open = offset < log.start_offset or not log.has_file
    is_open = is_open or offset <= log.ghost_unknown_below_offset
    is_open = is_open or (node == MASTER and offset == log.max_offset)
    if view.plan.are_puts_hidden:
        is_boundary = may_end_at(view.plan, offset)
    else:
        is_boundary = has_boundary(tables, log, offset)
    if not (is_open or is_boundary):
        raise Blocked(f"dispatched_offset is {offset}, where no message begins or ends")


def may_end_at(plan: Plan, offset: int) -> bool:
    """Messages that nobody recorded may end here, among the ends that were seen."""
    ends = list_sure_ends(plan)
    return not ends or may_end_among(ends, offset, offset, plan.parameters)


def check_status(view: View, event: Event) -> View:
    """A broker's answer about itself: by the stamp its log and its dispatch have come so far.

    The numbers are read one after another between the question and the stamp
    (DefaultMessageStore#getRuntimeInfo), and the broker goes on meanwhile.
    """
    log, end = view.get_log(view.plan.find_node(event)), event["max_offset"]
    dispatched = end - event["dispatch_behind_bytes"]
    if log.max_offset < end:
        raise Blocked(f"max_offset is {end}, but the log has come to {log.max_offset} only")
    shown = view.get_broker(view.plan.find_node(event)).dispatched_offset
    if log.max_offset < shown + event["dispatch_behind_bytes"]:
        raise Blocked(
            f"dispatch_behind_bytes is {event['dispatch_behind_bytes']}, but the log has come to "
            f"{log.max_offset}, and the dispatch to {shown} before"
        )
    if log.dispatched_offset < dispatched:
        raise Blocked(
            f"dispatch_behind_bytes is {event['dispatch_behind_bytes']}, but the dispatch has come "
            f"to {log.dispatched_offset} only"
        )
    return view


def check_stop(view: View, event: Event) -> View:
    """A stop that has begun takes its time."""
    broker = view.get_broker(view.plan.find_node(event))
    if not broker.is_started:
        raise Blocked("this broker does not run")
    if broker.stop_begin_ms is None and "shutdown_ms" in event.data:
        raise Blocked("no clean stop of this broker has begun")
    took_ms = event.data.get("shutdown_ms", SHUTDOWN_MS)
    if took_ms < SHUTDOWN_MS:
        raise Blocked(f"shutdown_ms is {took_ms}, but a stop takes {SHUTDOWN_MS} ms")
    return view


def check_scanned(view: View, event: Event) -> View:
    """The records of a log lie within it."""
    end = read_scan_end(event)
    stands = view.get_log(view.plan.find_node(event)).max_offset
    if end > stands:
        raise Blocked(f"a scan shows records up to {end}, but the log ends at {stands}")
    return check_scan(view, event)


CHECKS: Mapping[str, Sequence[Check]] = {
    "put": (check_put,),
    "snapshot": (check_running, check_look),
    **dict.fromkeys(("to_master", "to_slave", "set_sss"), (check_running, check_look)),
    "broker_status": (check_running, check_status),
    "node_started": (check_started,),
    "broker_started": (check_started,),
    "send_message": (check_send,),
    "log_crc": (check_checksums,),
    "log_scan": (check_scanned,),
    "divergence_check": (check_comparison,),
    "get_message": (check_read,),
    "pull_message": (check_pull,),
    "queue_ends": (check_queue_ends,),
    "set_broker_config": (check_running,),
    "tables": (check_tables,),
    "update_subscription_group": (check_update_group,),
    "update_topic": (check_update_topic,),
    "update_consumer_offset": (check_request,),
    "query_consumer_offset": (check_running,),
    "register_broker": (check_running,),
    "sync_all": (check_running,),
    "persist_consumer_offsets": (check_running,),
}
"""By kind of event: what is held against what was shown before."""


REMEMBERED_KINDS = frozenset({*REMEMBERED, *CHANGES})
"""Kinds of events that show something for later ones of tables and reads."""


def check_remembered(view: View, event: Event) -> View:
    """What such an event shows."""
    return follow(remember(view, event), event)
