"""Which situation shows each mutant, with what the usual broker and the mutant do in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from attrs import frozen

from tests.brokers.broker.mutants import answer_situations as answer
from tests.brokers.broker.mutants import copy_situations as copy
from tests.brokers.broker.mutants import master_situations as master
from tests.brokers.broker.mutants import slave_situations as slave
from tests.brokers.broker.mutants.bench import FILE_BYTES, Bench
from tests.brokers.broker.mutants.slave_situations import MESSAGE


@frozen
class Shown:
    """A situation, and what is seen in it under the first release that has the mutant."""

    situation: Callable[[Bench], Any]
    right: Any
    wrong: Any


SHOWN: Mapping[str, Shown] = {
    "swaps_codes_of_slaves": Shown(master.put_alone, (11, 1), (12, 1)),
    "failures_of_slaves_are_errors": Shown(master.put_alone, (11, 1), (1, 1)),
    "always_suggests_the_master": Shown(
        partial(answer.suggestion, slaveReadEnable="true", accessMessageInMemoryMaxRatio=0),
        "1",
        "0",
    ),
    "always_suggests_the_slave": Shown(answer.suggestion, "0", "1"),
    "moved_is_not_found": Shown(partial(answer.pull_at, offset=9), (21, "0"), (19, "0")),
    "not_found_is_moved": Shown(partial(answer.pull_at, offset=3), (19, "3"), (21, "3")),
    "next_offset_is_the_requested": Shown(partial(answer.pull_at, offset=9), (21, "0"), (21, "9")),
    "queues_begin_at_zero": Shown(answer.ends_of_a_queue, (40, 50), (0, 50)),
    "tells_the_last_offset": Shown(answer.ends_of_a_queue, (40, 50), (40, 49)),
    "young_queue_has_no_progress": Shown(
        partial(answer.unknown_progress, is_young=True), (0, "0"), (22, None)
    ),
    "unknown_progress_is_the_least": Shown(
        partial(answer.unknown_progress, is_young=False), (22, None), (0, "40")
    ),
    "progress_never_goes_back": Shown(answer.lower_commit, "1", "3"),
    "slave_takes_no_progress": Shown(slave.commit_at_a_slave, "7", "0"),
    "progress_is_not_copied": Shown(
        copy.copied_tables, (True, True, 5, True), (True, True, 0, True)
    ),
    "topics_are_not_copied": Shown(
        copy.copied_tables, (True, True, 5, True), (False, True, 5, True)
    ),
    "groups_are_not_copied": Shown(
        copy.copied_tables, (True, True, 5, True), (True, False, 5, True)
    ),
    "delay_is_not_copied": Shown(copy.copied_tables, (True, True, 5, True), (True, True, 5, False)),
    "copies_once_only": Shown(copy.second_copy, 6, 5),
    "unreachable_master_empties": Shown(copy.copy_without_a_master, 5, 0),
    "larger_progress_stays": Shown(copy.progress_of_both, (5, 3), (9, 3)),
    "own_progress_is_dropped": Shown(copy.progress_of_both, (5, 3), (5, 0)),
    "positions_at_each_report": Shown(master.later_report, [], [(400, 800)]),
    "zero_is_the_first_file": Shown(partial(master.request, 0), [(16384, 0)], [(0, 0)]),
    "zero_is_the_end": Shown(partial(master.request, 0), [(16384, 0)], [(20384, 0)]),
    "request_is_rounded_to_its_file": Shown(partial(master.request, 400), [(400, 0)], [(0, 0)]),
    "request_ahead_begins_at_the_end": Shown(
        partial(master.request, master.FAR), [(1000000, 0)], [(20384, 0)]
    ),
    "request_below_begins_at_first_file": Shown(
        master.request_below, ([], False), ([(16384, 4000)], False)
    ),
    "request_below_is_closed": Shown(master.request_below, ([], False), ([], True)),
    "remembers_positions": Shown(master.second_connection, [(400, 800)], []),
    "frames_end_at_messages": Shown(
        master.frames_of_a_batch, [(400, 1000), (1400, 600)], [(400, 800), (1200, 800)]
    ),
    "frames_cross_files": Shown(
        master.frames_of_two_files, [(400, 15984), (16384, 4000)], [(400, 19984)]
    ),
    "frames_larger_than_a_batch": Shown(
        master.frames_of_a_batch, [(400, 1000), (1400, 600)], [(400, 1600)]
    ),
    "frame_names_its_end": Shown(
        master.first_header, "000000000000000000000190", "000000000000019000000190"
    ),
    "length_counts_the_header": Shown(
        master.first_header, "000000000000000000000190", "00000000000000000000019c"
    ),
    "frames_are_little_endian": Shown(
        master.first_header, "000000000000000000000190", "000000000000000090010000"
    ),
    "blanks_are_left_out": Shown(
        master.frames_of_two_files, [(400, 15984), (16384, 4000)], [(400, 15600), (16384, 4000)]
    ),
    "waits_for_each_report": Shown(
        master.frames_of_a_batch, [(400, 1000), (1400, 600)], [(400, 1000)]
    ),
    "sends_flushed_bytes_only": Shown(master.unflushed_bytes, [(0, 400)], []),
    "no_heartbeat": Shown(master.idle_slave, 2, 0),
    "heartbeats_late": Shown(master.idle_slave, 2, 0),
    "heartbeats_at_each_look": Shown(master.idle_slave, 2, 11),
    "heartbeat_at_zero": Shown(master.first_heartbeat, (400, 0), (0, 0)),
    "heartbeat_at_the_end": Shown(master.first_heartbeat, (400, 0), (800, 0)),
    "holds_no_pull": Shown(answer.held_pull, [], [19]),
    "slave_moves_offsets": Shown(partial(slave.pull_from_a_slave, offset=9), 20, 21),
    "slave_is_closed_for_reads": Shown(partial(slave.pull_from_a_slave, offset=0), 0, 20),
    "slave_takes_progress_of_pulls": Shown(slave.pull_with_progress, "0", "7"),
    "waits_at_the_limit": Shown(master.put_at_the_limit, 11, 12),
    "no_slave_is_too_far_behind": Shown(partial(master.put_at_the_limit, size=1400), 11, 12),
    "async_master_waits": Shown(partial(master.put_alone, role="ASYNC_MASTER"), (0, 1), (11, 1)),
    "wait_false_waits": Shown(
        partial(master.put_alone, properties="WAIT\x01false\x02"), (0, 1), (11, 1)
    ),
    "nobody_waits": Shown(master.put_alone, (11, 1), (0, 1)),
    "unavailable_is_not_stored": Shown(master.put_alone, (11, 1), (11, 0)),
    "slave_timeout_is_ok": Shown(master.put_beside_silent_slave, 12, 0),
    "unavailable_is_ok": Shown(master.put_alone, (11, 1), (0, 1)),
    "disk_status_wins": Shown(master.roll_of_a_file, 11, 10),
    "asks_for_slaves_as_before": Shown(master.put_alone, (0, 1), (11, 1)),
    "needs_a_report_beyond": Shown(master.answered_by_its_end, 0, 12),
    "waits_until_a_deadline": Shown(master.many_reports, 12, 0),
    "gives_up_after_five_wake_ups": Shown(master.many_reports, 0, 12),
    "answers_when_sent": Shown(master.sent_and_not_reported, 12, 0),
    "any_report_answers": Shown(master.less_than_its_end, 12, 0),
    "never_times_out": Shown(master.never_reported, 12, None),
    "quorum_counts_one_twice": Shown(master.quorum_alone, 12, 0),
    "quorum_counts_the_closed": Shown(master.quorum_of_the_closed, 12, 0),
    "refuses_reports_above_its_end": Shown(master.believed_report, (False, 0), (True, 11)),
    "caps_reports": Shown(master.believed_report, (False, 0), (False, 12)),
    "forgets_reports_of_the_closed": Shown(master.report_of_a_closed_connection, 0, 12),
    "lower_reports_lower": Shown(master.lower_report, 0, 12),
    "second_slave_is_ignored": Shown(master.report_of_a_second_slave, 0, 12),
    "first_report_is_no_report": Shown(master.believed_report, (False, 0), (False, 12)),
    "sends_to_one_slave_only": Shown(
        master.two_connections, (False, True, True), (False, True, False)
    ),
    "first_of_several_reports_counts": Shown(master.two_reports_at_once, 0, 12),
    "half_reports_count": Shown(master.half_report, 12, 0),
    "reports_are_little_endian": Shown(partial(master.request, 400), [(400, 0)], []),
    "counts_at_first_report": Shown(master.put_beside_silent_slave, 12, 11),
    "greets_silent_slaves": Shown(master.silent_connection, [], [(400, 0)]),
    "one_slave_only": Shown(master.two_connections, (False, True, True), (True, True, True)),
    "never_closes_silent_slaves": Shown(
        master.silence_before_a_report, [False, True], [False, False]
    ),
    "closes_silent_slaves_early": Shown(
        master.silence_before_a_report, [False, True], [True, True]
    ),
    "housekeeping_counts_writes": Shown(master.silence_after_a_report, True, False),
    "ignores_frames_out_of_step": Shown(
        partial(slave.frame_at, messages=1, offset=5000, body=MESSAGE), ([], 2), ([], 1)
    ),
    "appends_frames_out_of_step": Shown(
        partial(slave.frame_at, messages=1, offset=5000, body=MESSAGE), ([], 2), ([800], 1)
    ),
    "trims_frames": Shown(
        partial(slave.frame_at, messages=1, offset=0, body=2 * MESSAGE), ([], 2), ([800], 1)
    ),
    "truncates_to_the_master": Shown(
        partial(slave.frame_at, messages=2, offset=400, body=2 * MESSAGE), ([], 2), ([1200], 1)
    ),
    "compares_whole_frames_only": Shown(partial(slave.header_at, offset=400), True, False),
    "heartbeats_are_not_compared": Shown(
        partial(slave.frame_at, messages=1, offset=5000, body=b""), ([], 2), ([], 1)
    ),
    "heartbeats_make_no_file": Shown(
        partial(slave.frame_at, messages=0, offset=FILE_BYTES, body=b""), ([16384], 1), ([], 1)
    ),
    "empty_slave_compares": Shown(
        partial(slave.frame_at, messages=0, offset=FILE_BYTES, body=b""), ([16384], 1), ([], 2)
    ),
    "appends_half_frames": Shown(slave.half_frame, [], [150]),
    "reports_at_the_header": Shown(slave.half_frame, [], [400]),
    "keeps_half_frames_over_connections": Shown(
        slave.whole_frame_after_half, ([400], 1), ([400], 2)
    ),
    "appends_one_frame_late": Shown(slave.report_of_an_append, [400], []),
    "reports_on_connect": Shown(slave.silence_before_the_report, False, True),
    "first_report_is_zero": Shown(slave.first_report, 400, 0),
    "reports_on_its_timer_only": Shown(slave.report_of_an_append, [400], []),
    "reports_flushed_bytes_only": Shown(slave.report_of_an_append, [400], [0]),
    "reports_whole_messages_only": Shown(partial(slave.report_of_an_append, size=300), [300], [0]),
    "reports_before_it_stores": Shown(slave.frame_beyond_its_file, [], [16484]),
    "answers_each_heartbeat": Shown(
        slave.heartbeats, [], [400, 400, 400, 400, 400, 400, 400, 400, 400, 400]
    ),
    "writes_little_endian": Shown(slave.report_of_an_append, [400], [-8070169057271218176]),
    "keeps_a_silent_master": Shown(slave.silent_master, [False, True], [False, False]),
    "leaves_a_silent_master_early": Shown(slave.silent_master, [False, True], [True, True]),
    "reports_once_only": Shown(slave.reports_to_a_silent_master, True, False),
    "reconnects_late": Shown(slave.lost_connection, 2, 1),
    "reconnects_at_once": Shown(slave.lost_connection, 1, 2),
    "dispatches_flushed_only": Shown(master.unflushed_message, 0, 19),
    "dispatches_copied_only": Shown(master.unflushed_message, 0, 19),
    "highest_report_begins_at_the_end": Shown(master.put_of_a_later_life, 11, 12),
    "slave_takes_puts": Shown(slave.put_to_a_slave, 14, 0),
    "retention_asks_slaves": Shown(master.retention, 16384, 0),
}
