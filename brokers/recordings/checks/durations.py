"""How long a put takes, by its answer."""

from __future__ import annotations

from brokers.recordings.ahead.puts import RecordedPut
from brokers.recordings.checks.waiting_line import check_turn
from brokers.recordings.clock import compute_put_extra_ms, compute_time_out_ms
from brokers.recordings.view import View, check_timer, get_timers
from reference.worlds.replication.changes import wait_until_deadline
from reference.worlds.replication.put import has_disk_wait, has_slave_wait
from reference.worlds.replication.state import Message


def check_duration(view: View, put: RecordedPut) -> View:
    """The call took as long as its answer says."""
    message = get_message(view, put)
    has_wait = has_slave_wait(view.cluster, message)
    timers, version = get_timers(view), view.plan.version
    extra_ms = compute_put_extra_ms(
        timers,
        waits_for_disk=has_disk_wait(view.cluster, message),
        waits_for_slave=has_wait and put.status != "SLAVE_NOT_AVAILABLE",
    )
    is_worn = put.status == "FLUSH_SLAVE_TIMEOUT" and not is_timed_out(view, put)
    is_worn = is_worn and not version.has(wait_until_deadline.VARIANT)
    is_rolled = put.status == "FLUSH_DISK_TIMEOUT"
    if is_worn or is_rolled:
        return check_timer(view, "slave_wait", put.duration_ms, extra_ms=extra_ms)
    if has_wait:
        view = check_turn(view, put)
    timer = {
        "PUT_OK": "slave_wait" if has_wait else "no_wait",
        "FLUSH_SLAVE_TIMEOUT": "slave_time_out",
        "SLAVE_NOT_AVAILABLE": "no_wait",
    }[put.status]
    return check_timer(view, timer, put.duration_ms, extra_ms=extra_ms)


def get_message(view: View, put: RecordedPut) -> Message:
    """The followed message of a put that was appended."""
    return view.cluster.messages[view.followed.index(put.number)]


def is_timed_out(view: View, put: RecordedPut) -> bool:
    """The call took so long that a clock may have ended its wait for a slave."""
    return put.duration_ms + 1 >= compute_time_out_ms(get_timers(view))
