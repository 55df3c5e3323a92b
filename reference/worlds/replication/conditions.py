"""What the named conditions of replication mean; a name means the same in every rule."""

from __future__ import annotations

from collections.abc import Mapping

MEANINGS: Mapping[str, str] = {
    "has_abort_file": "the abort file is there: the process may not have stopped in order",
    "has_bytes_in_file": "the last file is not empty; every message finds room in an empty one",
    "has_bytes_in_flight": "the master has sent more than the slave has read",
    "has_bytes_to_send": "the master's log reaches beyond the position",
    "has_check_left": "fewer than two flushes were made for it",
    "has_copy_left": "the message was not sent again before",
    "has_dead_connection": "the master counts more connections than are open",
    "has_disk_wait": "the master is `SYNC_FLUSH` and the producer waits",
    "has_flush_left": "fewer than two flushes were made for it",
    "has_message_without_room": "the largest message does not fit into what is left",
    "has_modelled_life_left": "the present life is not the last one that the structure tells apart",
    "has_no_file": "the slave's log has no file",
    "has_no_flush_left": "two flushes were made for it",
    "has_no_slave_wait": "the master is `ASYNC_MASTER` now, or the producer does not wait",
    "has_no_wake_up_left": "five wake-ups were used",
    "has_not_reported": "nothing was reported on this connection",
    "has_old_file": "the first file of the log is not its last one",
    "has_older_file": "the file into which the master's next byte goes is not the one at 0",
    "has_report_in_flight": "a report was sent that the master has not read",
    "has_request": "the first report was read",
    "has_slave_wait": "the master is `SYNC_MASTER` now and the producer waits",
    "has_stale_bytes": "behind the log's end, in its last file, lie bytes that a cut has left",
    "has_torn_record": (
        "the last record is there in part, and stale bytes or its own length carry it on"
    ),
    "has_unflushed_bytes": "the flushed offset lies below the max offset",
    "has_wake_up_left": "fewer than five wake-ups were used",
    "has_whole_record": (
        "the cursor lies below the end of the log, and below every followed message that is "
        "torn in it"
    ),
    "is_accepting": "the slave's process runs, and its stop has not begun",
    "is_at_head_of_line": "no followed put whose request came earlier waits for a slave",
    "is_below_modelled_end": (
        "the last file and the next one lie in the modelled part of the log; no broker has "
        "such an end"
    ),
    "is_blank_to_cut": "its log ends with the blank of a full file",
    "is_dispatch_file_there": "the first file is not above the cursor, or the cursor is 0",
    "is_earlier_put_over": "no put waits for a slave that already did so when this slave started",
    "is_earlier_put_waiting": "a put waits for a slave that already did so when this slave started",
    "is_file_not_full": "the last file has room left, if only for a blank",
    "is_flushed_where_asked": (
        "nobody waits for the disk here, or the flushed offset is at or beyond the end of the"
        " message"
    ),
    "is_frame_not_taken": "the slave's max offset is not 0, and the frame does not begin there",
    "is_frame_taken": "the frame begins where the slave's log ends, or that log is empty",
    "is_in_step": (
        "the next frame begins where the slave's log ends, or is the first one that a slave "
        "without a file is sent"
    ),
    "is_later_life": "the master has lost bytes before",
    "is_link_closed": "the slave has no connection",
    "is_link_open": "the connection is open",
    "is_master_down": "the master's process does not run",
    "is_master_up": "the master's process runs; one that is about to stop does too",
    "is_new_file_needed": "the slave has no file, or its last one is full",
    "is_next_message": (
        "this followed message was not put yet, and all followed ones before it were"
    ),
    "is_no_blank_to_cut": (
        "its log does not end with a blank; otherwise [the next "
        "rule](#restart_master_without_blank) applies"
    ),
    "is_not_below_first_file": "the position is not below the master's first file",
    "is_not_flushed": "the end of the message lies above the flushed offset",
    "is_not_positioned": "no position was decided on this connection",
    "is_not_reported": "the end of the message lies above the highest report",
    "is_not_stopping": "its stop has not begun",
    "is_old_file_copied": (
        "every slave has all of that file, and has begun a later one. No broker asks this; it"
        " only tells this rule from the next one"
    ),
    "is_old_file_flushed": "the flush has left that file",
    "is_old_file_not_copied": "some slave has not begun a later file",
    "is_out_of_step": "the frame does not begin where the slave's log ends, or would begin",
    "is_outcome_unknown": "the producer has given up, or the master ended before it answered",
    "is_pending": "the put was appended and is not answered",
    "is_positioned": "the master has decided where to begin on this connection",
    "is_producer_waiting": "its producer has not given up yet",
    "is_reported": "the end of the message is at or below the highest report of this process life",
    "is_request_taken_as_it_is": (
        "the request is not 0, or the file into which the master's next byte goes is the one at 0"
    ),
    "is_request_zero": "the first report was 0",
    "is_slave_down": "the slave's process does not run",
    "is_slave_not_ok": "no connection is counted, or the distance is at or above the limit",
    "is_slave_ok": (
        "at least one connection is counted, and the distance is strictly below the limit"
    ),
    "is_slave_up": "the slave's process runs",
    "is_stopping": "its stop in order has begun",
    "is_store_open": "the master's process runs, and its stop has not begun",
    "is_waiting_for_disk": "the put is in the disk step",
    "is_waiting_for_slave": "the put waits for a slave",
    "is_waiting_for_slave_check": "the put is at the beginning of the slave step",
    "is_within_limit": "the fault may strike once more",
}
"""By name, in the words of the book."""
