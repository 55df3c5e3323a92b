"""Meanings of the named conditions of replication; a name means the same in every rule."""

from __future__ import annotations

from collections.abc import Mapping

MEANINGS: Mapping[str, str] = {
    "has_abort_file": "the abort file exists: the process may not have stopped cleanly",
    "has_bytes_in_file": "the last file is not empty; every message fits into an empty one",
    "has_bytes_in_flight": "the master has sent more than the slave has read",
    "has_bytes_to_send": "the master's log reaches beyond the position",
    "has_check_left": "fewer than two flushes have been made for it",
    "has_copy_left": "the message has not been resent before",
    "has_dead_connection": "the master counts more connections than are open",
    "has_disk_wait": "the master is `SYNC_FLUSH` and the producer waits",
    "has_flush_left": "fewer than two flushes have been made for it",
    "has_message_without_room": "the largest message does not fit into the rest of the file",
    "has_modelled_life_left": "the current log epoch is not the last one the structure models",
    "has_no_flush_left": "two flushes have been made for it",
    "has_no_slave_wait": "the master is `ASYNC_MASTER` now, or the producer does not wait",
    "has_no_wake_up_left": "five wake-ups have been used",
    "has_not_reported": "the slave has not reported on this connection",
    "has_old_file": "the first file of the log is not its last one",
    "has_older_file": "the file that receives the master's next byte is not the one at 0",
    "has_report_in_flight": "the slave has sent a report that the master has not read",
    "has_request": "the master has read the first report",
    "has_slave_wait": "the master is `SYNC_MASTER` now and the producer waits",
    "has_stale_bytes": "bytes left by a cut lie after the log's end, in its last file",
    "has_torn_record": (
        "the last record is incomplete, and stale bytes or its own length field extend it"
    ),
    "has_unflushed_bytes": "the flushed offset lies below the max offset",
    "has_wake_up_left": "fewer than five wake-ups have been used",
    "has_whole_record": (
        "the cursor lies below the end of the log, and below the start of every followed "
        "message that is torn in it"
    ),
    "is_accepting": "the slave's process runs and has not begun to stop",
    "is_at_head_of_line": "no followed put with an earlier request is waiting for a slave",
    "is_below_modelled_end": (
        "the last file and the next one lie in the modelled part of the log; real brokers have "
        "no such limit"
    ),
    "is_blank_to_cut": "its log ends with the blank of a full file",
    "is_dispatch_file_there": "the first file does not lie above the cursor, or the cursor is 0",
    "is_earlier_put_over": "no put that waited when this slave started still waits for a slave",
    "is_earlier_put_waiting": "a put that waited when this slave started still waits for a slave",
    "is_file_not_full": "the last file has room left, if only for a blank",
    "is_first_file_not_full": "the first file has room left",
    "is_flush_below_first_file": "the flushed offset is 0, and the log begins above 0",
    "is_flush_file_there": (
        "the first file does not lie above the flushed offset, or that offset is 0"
    ),
    "is_flushed_by_pages": "the master is `ASYNC_FLUSH`: its flushes may ask for some new pages",
    "is_flushed_where_asked": (
        "no disk wait applies, or the flushed offset is at or beyond the end of the message"
    ),
    "is_frame_not_taken": "the slave's max offset is not 0, and the frame does not begin there",
    "is_frame_taken": "the frame begins where the slave's log ends, or that log is empty",
    "is_in_step": (
        "the next frame begins where the slave's log ends, or is the first one sent to a slave "
        "without a file"
    ),
    "is_later_life": "the master has lost bytes before",
    "is_link_closed": "the slave has no connection",
    "is_link_open": "the connection is open",
    "is_master_down": "the master's process does not run",
    "is_master_up": "the master's process runs, perhaps while stopping",
    "is_new_file_needed": "the broker has no file, or its last one is full",
    "is_next_message": (
        "this followed message has not been put yet, and all followed ones before it have"
    ),
    "is_no_blank_to_cut": (
        "its log does not end with a blank; otherwise [the next "
        "rule](#restart_master_without_blank) applies"
    ),
    "is_not_below_first_file": "the position is not below the master's first file",
    "is_not_flushed": "the end of the message lies above the flushed offset",
    "is_not_positioned": "no position has been decided on this connection",
    "is_not_reported": "the end of the message lies above the highest report",
    "is_not_stopping": "its stop has not begun",
    "is_old_file_copied": (
        "every slave has all of that file and has begun a later one. Brokers do not check this;"
        " it only separates this rule from the next one"
    ),
    "is_old_file_flushed": "the flushed offset is beyond that file",
    "is_old_file_not_copied": "some slave has not begun a later file",
    "is_out_of_step": "the frame does not begin where the slave's log ends, or would begin",
    "is_outcome_unknown": "the producer has given up, or the master ended before it answered",
    "is_pending": "the put has been appended and not yet answered",
    "is_positioned": "the master has decided where to begin on this connection",
    "is_producer_waiting": "its producer has not given up yet",
    "is_reported": "the end of the message is at or below the highest report of this process life",
    "is_request_taken_as_it_is": (
        "the request is not 0, or the file that receives the master's next byte is the one at 0"
    ),
    "is_request_zero": "the first report was 0",
    "is_slave_down": "the slave's process does not run",
    "is_slave_not_ok": "no connection is counted, or the distance is at or above the limit",
    "is_slave_ok": (
        "at least one connection is counted, and the distance is strictly below the limit"
    ),
    "is_slave_up": "the slave's process runs",
    "is_stopping": "its clean stop has begun",
    "is_store_open": "the master's process runs and has not begun to stop",
    "is_waiting_for_disk": "the put is in the disk step",
    "is_waiting_for_slave": "the put waits for a slave",
    "is_waiting_for_slave_check": "the put is at the beginning of the slave step",
    "is_within_limit": "the fault may happen once more",
}
"""By name, in the words of the book."""
