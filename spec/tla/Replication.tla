-------- MODULE Replication --------------------------------------------------------------------
\* RocketMQ 4.4.0, SYNC_MASTER/ASYNC_FLUSH/1 slave.
\* A whole master/slave group.
\* Written from the recorded rules; every action and function was expanded again and found equal
\* to them. What begins with ghost_ exists in the specification only.
EXTENDS Integers, FiniteSets

CONSTANTS
    ha_slave_fallbehind_max_bytes,
    ha_transfer_batch_size_bytes,
    mapped_file_size_bytes,
    message_size_max_bytes,
    end_file_min_blank_bytes,
    ghost_log_size_max_bytes,
    master_kills_max,
    slave_kills_max,
    master_power_losses_max,
    slave_power_losses_max,
    link_cuts_max,
    late_joins_max,
    slave_wipes_max,
    master_disk_losses_max,
    swallowed_disk_errors_max,
    alien_reports_max,
    early_expiries_max,
    uncopied_expiries_max,
    torn_rolls_max,
    role_switches_max

VARIABLES
    \* The broker with id 0 that accepts puts.
    master,
    \* A broker that copies the master's commit log.
    slaves,
    \* One slave's replication connection: HAClient on the slave, HAConnection on the master.
    links,
    \* One message that is followed from its put to its answer.
    messages,
    \* A number per kind of fault: how often it has struck, or how often it may.
    faults

vars == <<master, slaves, links, messages, faults>>

Slaves == 0..0
Lives == 0..2
Messages == 0..0

NOT_SENT == 0
REFUSED == 1
WAITS_FOR_DISK == 2
WAITS_FOR_SLAVE_CHECK == 3
WAITS_FOR_SLAVE == 4
ANSWERED == 5
UNANSWERED == 6

PUT_OK == 0
FLUSH_DISK_TIMEOUT == 1
FLUSH_SLAVE_TIMEOUT == 2
SLAVE_NOT_AVAILABLE == 3
SERVICE_NOT_AVAILABLE == 4
MESSAGE_ILLEGAL == 5
PROPERTIES_SIZE_EXCEEDED == 6
OS_PAGECACHE_BUSY == 7
CREATE_MAPEDFILE_FAILED == 8
UNKNOWN_ERROR == 9

Min(a, b) == IF a <= b THEN a ELSE b
Max(a, b) == IF a >= b THEN a ELSE b
Greatest(numbers) == CHOOSE a \in numbers : \A b \in numbers : a >= b
------------------------------------------------------------------------------------------------
\* What holds in a state.

\* CommitLog#getMaxOffset: where the next byte goes.
max_offset(log) == log.ends[2]

\* The master runs, and its stop has not begun: it takes puts and serves its log.
is_store_open == master.is_up /\ ~master.is_stopping

\* One past the last byte that the last file can hold.
compute_last_file_end(log) == log.last_file_offset + mapped_file_size_bytes

\* The next byte needs a new file.
is_last_file_full(log) == max_offset(log) = compute_last_file_end(log)

\* The largest message that fits into a file of its own.
compute_message_size_max_bytes ==
    LET in_file == mapped_file_size_bytes - end_file_min_blank_bytes
    IN  Min(message_size_max_bytes, in_file)

\* The largest message that can be appended now: to the last file, or to a new one (R-CL-05).
compute_room_bytes(log) ==
    LET largest == compute_message_size_max_bytes
        file_end == compute_last_file_end(log)
        in_file == (file_end - max_offset(log)) - end_file_min_blank_bytes
    IN  IF is_last_file_full(log) THEN largest ELSE Min(largest, in_file)

\* The last file and the one after it lie in the modelled part of the log.
is_below_modelled_end ==
    LET end == master.log.last_file_offset + mapped_file_size_bytes + mapped_file_size_bytes
    IN  end <= ghost_log_size_max_bytes

\* The log with size more bytes of the present life at its end.
append_bytes(log, life, size) ==
    [log EXCEPT
        !.ends = [t \in Lives |-> IF life <= t THEN max_offset(log) + size ELSE log.ends[t]]]

\* This followed message was not put yet, and every one before it was.
is_next_message(message) ==
    /\ messages[message].phase = NOT_SENT
    /\ \A m \in 0..(message - 1) : messages[m].phase > NOT_SENT

\* The base of the file into which the next byte goes, whether it is there yet or not.
compute_next_byte_file(log) ==
    LET is_full == is_last_file_full(log)
    IN  IF is_full THEN max_offset(log) ELSE log.last_file_offset

\* The log with one more file, if its last one is full (MappedFileQueue#getLastMappedFile).
open_next_file(log) == [log EXCEPT !.last_file_offset = compute_next_byte_file(log)]

\* The master with one more message at the end of its log.
append_to_master(size) ==
    LET log == append_bytes(open_next_file(master.log), master.ghost_life, size)
    IN  [master EXCEPT !.log = [log EXCEPT !.has_file = TRUE], !.trailing_blank_offset = -1]

\* The base of the file after the first one: where the log begins without that.
compute_second_file(log) == log.start_offset + mapped_file_size_bytes

\* The first file is not the last one: retention may take it (R-BR-06).
has_old_file(log) == compute_second_file(log) <= log.last_file_offset

\* flushedWhere has left the first file.
is_old_file_flushed(log) == compute_second_file(log) <= log.flushed_offset

\* Every slave has all of the master's first file, and has begun a later one.
is_old_file_copied ==
    \A s \in Slaves : compute_second_file(master.log) <= slaves[s].log.last_file_offset

\* The log without the files below start; what is deleted cannot be lost any more.
begin_log_at(log, start) ==
    LET durable == Max(log.ghost_durable_offset, start)
    IN  [log EXCEPT !.start_offset = start, !.ghost_durable_offset = durable]

\* The message has once been appended to the master's log.
is_written(put) == put.phase >= WAITS_FOR_DISK

\* The log reaches down to the offset, and what it holds from there on is known.
is_known_from(log, offset) ==
    (log.start_offset <= offset) /\ (log.ghost_unknown_below_offset <= offset)

\* The log holds the message's first byte, and perhaps all of it.
has_first_bytes(log, put) ==
    /\ is_written(put)
    /\ is_known_from(log, put.start_offset)
    /\ \/ (put.ghost_life = 0) /\ (put.start_offset >= 0) /\ (put.start_offset < log.ends[0])
       \/ /\ put.ghost_life = 1
          /\ log.ends[0] <= put.start_offset
          /\ put.start_offset < log.ends[1]
       \/ /\ put.ghost_life = 2
          /\ log.ends[1] <= put.start_offset
          /\ put.start_offset < max_offset(log)

\* Ghost bookkeeping: which followed messages a log loses when it begins at start.
mark_expired(log, start) ==
    [m \in Messages |->
        [messages[m] EXCEPT
            !.ghost_is_expired = (\/ messages[m].ghost_is_expired
                                  \/ /\ has_first_bytes(log, messages[m])
                                     /\ messages[m].start_offset < start)]]

\* The file in which the flush goes on is still there.
is_flush_file_there(log) == (log.start_offset <= log.flushed_offset) \/ (log.flushed_offset = 0)

\* Some bytes do not count as flushed, and the flush can go on to them.
has_unflushed_bytes(log) == is_flush_file_there(log) /\ (log.flushed_offset < max_offset(log))

\* The base of the file that the byte at offset lies in.
compute_file_base(offset) == offset - (offset % mapped_file_size_bytes)

\* The log after one flush: of one file only, the one in which flushedWhere lies (R-CL-09).
flush(log) ==
    LET base == compute_file_base(Max(log.flushed_offset, log.start_offset))
        end == Min(max_offset(log), base + mapped_file_size_bytes)
        forced == IF base <= log.ghost_durable_offset THEN end ELSE log.ghost_durable_offset
        durable == Max(log.ghost_durable_offset, forced)
    IN  [log EXCEPT !.flushed_offset = end, !.ghost_durable_offset = durable]

\* Every byte of the message is one of those that the log holds, or held before they expired.
is_in_lineage(log, put) ==
    \/ (put.ghost_life = 0) /\ (put.start_offset >= 0) /\ (put.end_offset <= log.ends[0])
    \/ /\ put.ghost_life = 1
       /\ log.ends[0] <= put.start_offset
       /\ put.end_offset <= log.ends[1]
    \/ /\ put.ghost_life = 2
       /\ log.ends[1] <= put.start_offset
       /\ put.end_offset <= max_offset(log)

\* The log holds every byte of the message.
has_message(log, put) ==
    LET is_held == is_known_from(log, put.start_offset) /\ is_in_lineage(log, put)
    IN  is_written(put) /\ is_held

\* How far a scan of the log up to end comes: to the first followed message that is torn.
compute_scan_end(log, end) ==
    LET is_begun == has_first_bytes(log, messages[0]) /\ (messages[0].start_offset < end)
        is_whole == has_message(log, messages[0]) /\ (messages[0].end_offset <= end)
    IN  IF is_begun /\ ~is_whole THEN Min(end, messages[0].start_offset) ELSE end

\* How far the dispatch can come: to the log's end, or to a torn record.
compute_dispatch_limit(log) == compute_scan_end(log, max_offset(log))

\* How far the master's dispatch can come: nothing waits for disk or slaves (R-RP-06).
compute_master_dispatch_limit == compute_dispatch_limit(master.log)

\* Ghost bookkeeping: which followed messages the master has now dispatched completely.
mark_readable(log) ==
    [m \in Messages |->
        [messages[m] EXCEPT
            !.ghost_is_readable = (\/ messages[m].ghost_is_readable
                                   \/ /\ has_message(log, messages[m])
                                      /\ messages[m].end_offset <= log.dispatched_offset)]]

\* The group commit looks before each flush, and not after the second one (R-FL-04).
has_check_left(put) == put.disk_flushes < 2

\* CommitLog#handleHA looks at the slaves: SYNC_MASTER now, and the producer waits (R-HA-18).
has_slave_wait(put) == master.is_sync /\ put.waits_for_store

\* HAService#isSlaveOK: a connection, and a distance strictly below the limit (R-HA-19).
is_slave_ok(put) ==
    LET distance == put.end_offset - master.push2_slave_max_offset
        has_connection == master.connection_count > 0
    IN  has_connection /\ (distance < ha_slave_fallbehind_max_bytes)

\* Its put is in the line of the group transfer.
is_waiting_for_slave(put) == put.phase = WAITS_FOR_SLAVE

\* The place behind all followed puts that wait for a slave; 1 where none does.
compute_next_turn ==
    1
    + Greatest({0} \cup {IF is_waiting_for_slave(messages[m]) THEN messages[m].transfer_turn ELSE 0 : m \in Messages})

\* No followed put with an earlier request waits for a slave: one by one (R-HA-22).
is_at_head_of_line(message) ==
    \A m \in Messages \ {message} :
        ~(is_waiting_for_slave(messages[m]) /\ (messages[m].transfer_turn < messages[message].transfer_turn))

\* Some slave has reported the message's end, or more, in this process life (R-HA-20).
is_reported(put) == put.end_offset <= master.push2_slave_max_offset

\* Its put was appended and is not answered yet.
is_pending(put) == (put.phase >= WAITS_FOR_DISK) /\ (put.phase <= WAITS_FOR_SLAVE)

\* The producer has an exception instead of an answer, though the message was appended.
is_outcome_unknown(put) == put.has_producer_given_up \/ (put.phase = UNANSWERED)

CLOSED_LINK ==
    [is_open |-> FALSE,
     has_reported |-> FALSE,
     reported_offset |-> 0,
     slave_request_offset |-> -1,
     slave_ack_offset |-> -1,
     next_transfer_offset |-> -1,
     transfer_start_offset |-> -1,
     arrived_offset |-> -1]

\* How many of the accepted connections still have a slave at their other end.
count_open_links == Cardinality({s \in Slaves : links[s].is_open})

\* The slave has sent a report that the master has not read.
has_report_in_flight(link) ==
    link.has_reported /\ (link.slave_ack_offset < link.reported_offset)

\* The master has read nothing yet from this connection.
is_first_report(link) == link.slave_request_offset < 0

\* The lowest report that the master may read next: the first one, or one above the last.
compute_lowest_report(slave) ==
    LET next_possible == Max(links[slave].slave_ack_offset + 1, slaves[slave].log.start_offset)
    IN  IF is_first_report(links[slave]) THEN links[slave].reported_offset ELSE next_possible

\* The messages after a wake-up of the group transfer: the put that is served counts it.
wake_group_transfer(is_woken) ==
    [m \in Messages |->
        [messages[m] EXCEPT
            !.wake_ups = IF (/\ is_woken
                             /\ is_waiting_for_slave(messages[m])
                             /\ is_at_head_of_line(m))
                         THEN Min(messages[m].wake_ups + 1, 5)
                         ELSE messages[m].wake_ups]]

\* The write service knows where to go on (R-HA-11).
is_positioned(link) == link.next_transfer_offset >= 0

\* Where the transfer to a slave without bytes begins: at the last file (R-HA-11).
compute_first_transfer_start == compute_next_byte_file(master.log)

\* How many bytes lie between offset and the end of its file; at least 1.
compute_bytes_left_in_file(offset) == mapped_file_size_bytes - (offset % mapped_file_size_bytes)

\* The slave's store takes bytes: it runs, and its stop has not begun.
is_accepting(broker) == broker.is_up /\ ~broker.is_stopping

\* The log with a file: a log without any gets its first one at offset, a file's base.
open_first_file(log, offset) ==
    [log EXCEPT
        !.ends = [t \in Lives |-> IF ~log.has_file THEN offset ELSE log.ends[t]],
        !.start_offset = IF ~log.has_file THEN offset ELSE log.start_offset,
        !.last_file_offset = IF ~log.has_file THEN offset ELSE log.last_file_offset,
        !.has_file = TRUE,
        !.ghost_durable_offset = IF ~log.has_file THEN offset ELSE log.ghost_durable_offset]

\* The master has sent bytes that the slave has not read.
has_bytes_in_flight(link) == link.arrived_offset < link.next_transfer_offset

\* The next frame begins where the slave's log ends, or makes the log begin (R-HC-08).
is_in_step(broker, link) ==
    broker.log.has_file => (max_offset(broker.log) = link.arrived_offset)

\* The slave's log, with a file that has room: a first one, or the next one.
compute_log_to_append(slave) ==
    LET log == open_first_file(slaves[slave].log, links[slave].arrived_offset)
    IN  open_next_file(log)

\* The most bytes of one frame in flight: a frame does not leave its file (R-CL-12).
compute_frame_max_bytes(slave) ==
    LET log == compute_log_to_append(slave)
        in_flight == links[slave].next_transfer_offset - links[slave].arrived_offset
    IN  Min(in_flight, compute_last_file_end(log) - max_offset(log))

\* The log with the source's bytes from its own max offset up to end.
copy_bytes(log, source, end) ==
    [log EXCEPT
        !.ends = [t \in Lives |->
                     IF max_offset(log) < source.ends[t]
                     THEN Min(source.ends[t], end)
                     ELSE log.ends[t]]]

\* Ghost bookkeeping: which followed messages a slave's log now holds completely.
mark_received(log) ==
    [m \in Messages |->
        [messages[m] EXCEPT
            !.ghost_is_received = messages[m].ghost_is_received \/ has_message(log, messages[m])]]

\* HAClient#dispatchReadRequest goes on: the log is empty, or ends where the frame begins.
is_frame_taken(broker, link) ==
    (max_offset(broker.log) = 0) \/ (max_offset(broker.log) = link.arrived_offset)

\* The log after an orderly end of its flush service, file after file (R-FL-09).
flush_all(log) ==
    LET base == compute_file_base(Max(log.flushed_offset, log.start_offset))
        is_flushing == has_unflushed_bytes(log)
        is_forced == is_flushing /\ (base <= log.ghost_durable_offset)
    IN  [log EXCEPT
            !.flushed_offset = IF is_flushing THEN max_offset(log) ELSE log.flushed_offset,
            !.ghost_durable_offset = IF is_forced
                                     THEN max_offset(log)
                                     ELSE log.ghost_durable_offset]

\* DefaultMessageStore#dispatchBehindBytes is not 0.
is_dispatch_behind(log) == log.dispatched_offset < max_offset(log)

\* What a master's end does to its waiting puts: they are never answered.
abandon_pending_puts ==
    [m \in Messages |->
        [messages[m] EXCEPT
            !.phase = IF is_pending(messages[m]) THEN UNANSWERED ELSE messages[m].phase]]

\* The log ends with the blank of a full file: recovery does not count it (R-RC-04).
is_blank_to_cut == master.trailing_blank_offset >= 0

\* A log as a starting broker sees it: everything found counts as flushed (R-RC-03).
load(log) ==
    [log EXCEPT !.flushed_offset = max_offset(log), !.dispatched_offset = max_offset(log)]

\* The loss of the master's bytes begins a life that the model still tells apart.
has_modelled_life_left == (master.ghost_life + 1) < 3

\* The log without its bytes from end on, and without the files behind them.
cut_to(log, end) ==
    LET base == Max(log.start_offset, compute_file_base(end))
    IN  [log EXCEPT
            !.ends = [t \in Lives |-> Min(log.ends[t], end)],
            !.last_file_offset = IF end < log.last_file_offset
                                 THEN base
                                 ELSE log.last_file_offset,
            !.flushed_offset = Min(log.flushed_offset, end),
            !.dispatched_offset = Min(log.dispatched_offset, end),
            !.ghost_durable_offset = Min(log.ghost_durable_offset, end),
            !.ghost_unknown_below_offset = Min(log.ghost_unknown_below_offset, end)]

\* Where recovery ends the master's log: before a trailing blank.
compute_end_of_records ==
    IF is_blank_to_cut THEN master.trailing_blank_offset ELSE max_offset(master.log)

\* The two logs hold the same known bytes wherever both hold bytes.
has_equal_bytes(one, other) ==
    LET is_equal == \A t \in Lives :
                        Min(Max(one.ends[t], Max(one.start_offset, other.start_offset)),
                            Min(max_offset(one), max_offset(other)))
                        = Min(Max(other.ends[t], Max(one.start_offset, other.start_offset)),
                              Min(max_offset(one), max_offset(other)))
        is_known == (/\ is_known_from(one, Max(one.start_offset, other.start_offset))
                     /\ is_known_from(other, Max(one.start_offset, other.start_offset)))
    IN  (\/ Min(max_offset(one), max_offset(other)) <= Max(one.start_offset, other.start_offset)
         \/ is_equal /\ is_known)

\* The highest message boundary in the log that the followed messages make certain.
compute_known_boundary(log, master_log) ==
    LET is_seamless == (/\ log.ghost_unknown_below_offset <= log.start_offset
                        /\ \A t \in Lives :
                               \/ messages[0].ghost_life <= t
                               \/ log.ends[t] = master_log.ends[t])
        starts == IF has_first_bytes(log, messages[0]) /\ is_seamless
                  THEN messages[0].start_offset
                  ELSE log.start_offset
        ends == IF has_message(log, messages[0]) /\ is_seamless
                THEN messages[0].end_offset
                ELSE log.start_offset
    IN  Max(Max(log.start_offset, starts), ends)

\* A log after a power loss: cut, and what is read back from the disk is on the disk.
lose_tail(log, end) == [cut_to(log, end) EXCEPT !.ghost_durable_offset = end]

\* The log after a flush whose force failed: it counts as flushed all the same (R-CL-10).
flush_without_effect(log) ==
    [flush(log) EXCEPT !.ghost_durable_offset = log.ghost_durable_offset]

\* How often the master has lost bytes: its power, its disk, or the blank at its end.
count_losses == faults.master_power_losses + faults.master_disk_losses + faults.torn_rolls

\* A producer that waits for the store was answered PUT_OK.
is_acknowledged(put) == (put.phase = ANSWERED) /\ (put.status = PUT_OK) /\ put.waits_for_store

\* The message is acknowledged, and no broker's retention has deleted it.
is_owed(message) == is_acknowledged(message) /\ ~message.ghost_is_expired

\* Some slave's log holds the whole message.
is_on_some_slave(message) == \E s \in Slaves : has_message(slaves[s].log, message)

\* The other log begins with the bytes of this log, as far as both reach down.
is_prefix(log, of) == (max_offset(log) <= max_offset(of)) /\ has_equal_bytes(log, of)

\* A consumer may have read the message on the master, and no retention has deleted it.
is_read(message) == message.ghost_is_readable /\ ~message.ghost_is_expired

------------------------------------------------------------------------------------------------
\* The first state.

Init ==
    /\ master = [log |-> [ends |-> [t \in Lives |-> 0],
                          start_offset |-> 0,
                          last_file_offset |-> 0,
                          has_file |-> FALSE,
                          flushed_offset |-> 0,
                          dispatched_offset |-> 0,
                          ghost_durable_offset |-> 0,
                          ghost_unknown_below_offset |-> 0],
                 is_up |-> TRUE,
                 is_stopping |-> FALSE,
                 has_abort_file |-> TRUE,
                 is_sync |-> TRUE,
                 trailing_blank_offset |-> -1,
                 ghost_life |-> 0,
                 push2_slave_max_offset |-> 0,
                 connection_count |-> 0]
    /\ slaves = [s \in Slaves |->
                    [log |-> [ends |-> [t \in Lives |-> 0],
                              start_offset |-> 0,
                              last_file_offset |-> 0,
                              has_file |-> FALSE,
                              flushed_offset |-> 0,
                              dispatched_offset |-> 0,
                              ghost_durable_offset |-> 0,
                              ghost_unknown_below_offset |-> 0],
                     is_up |-> TRUE,
                     is_stopping |-> FALSE,
                     has_abort_file |-> TRUE]]
    /\ links = [s \in Slaves |->
                   [is_open |-> FALSE,
                    has_reported |-> FALSE,
                    reported_offset |-> 0,
                    slave_request_offset |-> -1,
                    slave_ack_offset |-> -1,
                    next_transfer_offset |-> -1,
                    transfer_start_offset |-> -1,
                    arrived_offset |-> -1]]
    /\ messages = [m \in Messages |->
                      [phase |-> NOT_SENT,
                       status |-> PUT_OK,
                       waits_for_store |-> TRUE,
                       start_offset |-> 0,
                       end_offset |-> 0,
                       disk_flushes |-> 0,
                       transfer_turn |-> 0,
                       wake_ups |-> 0,
                       has_producer_given_up |-> FALSE,
                       ghost_copies |-> 0,
                       ghost_life |-> 0,
                       ghost_is_received |-> FALSE,
                       ghost_is_readable |-> FALSE,
                       ghost_is_expired |-> FALSE]]
    /\ faults = [master_kills |-> 0,
                 slave_kills |-> 0,
                 master_power_losses |-> 0,
                 slave_power_losses |-> 0,
                 link_cuts |-> 0,
                 late_joins |-> 0,
                 slave_wipes |-> 0,
                 master_disk_losses |-> 0,
                 swallowed_disk_errors |-> 0,
                 alien_reports |-> 0,
                 early_expiries |-> 0,
                 uncopied_expiries |-> 0,
                 torn_rolls |-> 0,
                 role_switches |-> 0]

------------------------------------------------------------------------------------------------
\* Steps: commit log.

has_bytes_in_file == master.log.last_file_offset < max_offset(master.log)

is_file_not_full == ~is_last_file_full(master.log)

has_message_without_room == compute_room_bytes(master.log) < compute_message_size_max_bytes

\* A message finds no room: a blank record fills the file, before the next one is there.
\* producer: CommitLog.DefaultAppendMessageCallback#doAppend (END_OF_FILE)
fill_file ==
    /\ is_store_open
    /\ has_bytes_in_file
    /\ is_file_not_full
    /\ has_message_without_room
    /\ is_below_modelled_end
    /\ LET blank_bytes == compute_last_file_end(master.log) - max_offset(master.log)
           log == append_bytes(master.log, master.ghost_life, blank_bytes)
       IN  master' = [master EXCEPT
                            !.log = log,
                            !.trailing_blank_offset = max_offset(master.log)]
    /\ UNCHANGED <<slaves, links, messages, faults>>

\* A producer's message is appended to the master's commit log; its put goes on to wait.
\* producer: CommitLog#putMessage, CommitLog.DefaultAppendMessageCallback#doAppend
append_message(message) ==
    /\ is_store_open
    /\ is_next_message(message)
    /\ is_below_modelled_end
    /\ \E size_bytes \in 1..compute_room_bytes(master.log), waits_for_store \in 0..1 :
           LET put == [phase |-> WAITS_FOR_DISK,
                       status |-> PUT_OK,
                       waits_for_store |-> waits_for_store = 1,
                       start_offset |-> max_offset(master.log),
                       end_offset |-> max_offset(master.log) + size_bytes,
                       disk_flushes |-> 0,
                       transfer_turn |-> 0,
                       wake_ups |-> 0,
                       has_producer_given_up |-> FALSE,
                       ghost_copies |-> 0,
                       ghost_life |-> master.ghost_life,
                       ghost_is_received |-> FALSE,
                       ghost_is_readable |-> FALSE,
                       ghost_is_expired |-> FALSE]
           IN  /\ master' = append_to_master(size_bytes)
               /\ messages' = [messages EXCEPT ![message] = put]
    /\ UNCHANGED <<slaves, links, faults>>

\* Some other producer's message is appended; nobody follows it.
\* producer: CommitLog#putMessage
append_other_message ==
    /\ is_store_open
    /\ is_below_modelled_end
    /\ \E size_bytes \in 1..compute_room_bytes(master.log) :
           master' = append_to_master(size_bytes)
    /\ UNCHANGED <<slaves, links, messages, faults>>

is_master_up == master.is_up

\* The master deletes its oldest file, which is flushed, and copied, long since.
\* master: DefaultMessageStore.CleanCommitLogService#run,
\* MappedFileQueue#deleteExpiredFileByTime
expire_master_file ==
    /\ is_master_up
    /\ has_old_file(master.log)
    /\ is_old_file_flushed(master.log)
    /\ is_old_file_copied
    /\ master' = [master EXCEPT
                     !.log = begin_log_at(master.log, compute_second_file(master.log))]
    /\ messages' = mark_expired(master.log, compute_second_file(master.log))
    /\ UNCHANGED <<slaves, links, faults>>

is_old_file_not_copied == ~is_old_file_copied

is_within_limit_to_expire_uncopied_master_file ==
    faults.uncopied_expiries < uncopied_expiries_max

\* The master deletes its oldest file though a slave lacks some of it: it asks no slave.
\* master: DefaultMessageStore.CleanCommitLogService#run,
\* MappedFileQueue#deleteExpiredFileByTime
expire_uncopied_master_file ==
    /\ is_master_up
    /\ has_old_file(master.log)
    /\ is_old_file_flushed(master.log)
    /\ is_old_file_not_copied
    /\ is_within_limit_to_expire_uncopied_master_file
    /\ master' = [master EXCEPT
                     !.log = begin_log_at(master.log, compute_second_file(master.log))]
    /\ messages' = mark_expired(master.log, compute_second_file(master.log))
    /\ faults' = [faults EXCEPT !.uncopied_expiries = faults.uncopied_expiries + 1]
    /\ UNCHANGED <<slaves, links>>

is_slave_up(slave) == slaves[slave].is_up

\* A slave deletes its oldest file, which is flushed long since, by its own clock (R-BR-03).
\* slave: DefaultMessageStore.CleanCommitLogService#run, MappedFileQueue#deleteExpiredFileByTime
expire_slave_file(slave) ==
    /\ is_slave_up(slave)
    /\ has_old_file(slaves[slave].log)
    /\ is_old_file_flushed(slaves[slave].log)
    /\ slaves' = [slaves EXCEPT
                     ![slave].log = begin_log_at(slaves[slave].log,
                                                 compute_second_file(slaves[slave].log))]
    /\ messages' = mark_expired(slaves[slave].log, compute_second_file(slaves[slave].log))
    /\ UNCHANGED <<master, links, faults>>

------------------------------------------------------------------------------------------------
\* Steps: flush.

\* The master forces to disk what is not flushed of one file of its commit log.
\* master: MappedFileQueue#flush, MappedFile#flush
flush_master ==
    /\ is_master_up
    /\ has_unflushed_bytes(master.log)
    /\ LET log == flush(master.log)
       IN  master' = [master EXCEPT !.log = log]
    /\ UNCHANGED <<slaves, links, messages, faults>>

\* A slave forces one file of its commit log to disk; nobody waits for it.
\* slave: MappedFileQueue#flush, MappedFile#flush
flush_slave(slave) ==
    /\ is_slave_up(slave)
    /\ has_unflushed_bytes(slaves[slave].log)
    /\ LET flushed == [slaves[slave] EXCEPT !.log = flush(slaves[slave].log)]
       IN  slaves' = [slaves EXCEPT ![slave] = flushed]
    /\ UNCHANGED <<master, links, messages, faults>>

------------------------------------------------------------------------------------------------
\* Steps: dispatch.

has_whole_record_to_dispatch_master ==
    master.log.dispatched_offset < compute_master_dispatch_limit

\* The master dispatches one or more messages of its log.
\* master: DefaultMessageStore.ReputMessageService#doReput
dispatch_master ==
    /\ is_master_up
    /\ has_whole_record_to_dispatch_master
    /\ LET limit == compute_master_dispatch_limit
       IN  \E dispatched_offset \in (master.log.dispatched_offset + 1)..limit :
               LET log == [master.log EXCEPT !.dispatched_offset = dispatched_offset]
               IN  /\ master' = [master EXCEPT !.log = log]
                   /\ messages' = mark_readable(log)
    /\ UNCHANGED <<slaves, links, faults>>

has_whole_record_to_dispatch_slave(slave) ==
    slaves[slave].log.dispatched_offset < compute_dispatch_limit(slaves[slave].log)

\* A slave dispatches one or more messages of its log, as far as they are whole.
\* slave: DefaultMessageStore.ReputMessageService#doReput
dispatch_slave(slave) ==
    /\ is_slave_up(slave)
    /\ has_whole_record_to_dispatch_slave(slave)
    /\ LET limit == compute_dispatch_limit(slaves[slave].log)
       IN  \E dispatched_offset \in (slaves[slave].log.dispatched_offset + 1)..limit :
               LET log == [slaves[slave].log EXCEPT !.dispatched_offset = dispatched_offset]
               IN  slaves' = [slaves EXCEPT ![slave].log = log]
    /\ UNCHANGED <<master, links, messages, faults>>

------------------------------------------------------------------------------------------------
\* Steps: put.

\* The master refuses a put before anything is written: stopping, disk full, busy, too large.
\* master: DefaultMessageStore#putMessage, CommitLog#putMessage
refuse_put(message) ==
    /\ is_master_up
    /\ is_next_message(message)
    /\ \E status \in 4..9 :
           messages' = [messages EXCEPT
                              ![message].phase = REFUSED,
                              ![message].status = status]
    /\ UNCHANGED <<master, slaves, links, faults>>

is_waiting_for_disk(message) == messages[message].phase = WAITS_FOR_DISK

\* The disk step ends well: nobody waits for the disk, or the check finds the bytes flushed.
\* master: CommitLog#handleDiskFlush, GroupCommitService#doCommit
answer_disk_wait(message) ==
    /\ is_waiting_for_disk(message)
    /\ has_check_left(messages[message])
    /\ messages' = [messages EXCEPT ![message].phase = WAITS_FOR_SLAVE_CHECK]
    /\ UNCHANGED <<master, slaves, links, faults>>

is_waiting_for_slave_check(message) == messages[message].phase = WAITS_FOR_SLAVE_CHECK

has_no_slave_wait(message) == ~has_slave_wait(messages[message])

\* Nobody waits for a slave: the put is answered with the status of the disk step.
\* master: CommitLog#handleHA
skip_slave_wait(message) ==
    /\ is_waiting_for_slave_check(message)
    /\ has_no_slave_wait(message)
    /\ messages' = [messages EXCEPT ![message].phase = ANSWERED]
    /\ UNCHANGED <<master, slaves, links, faults>>

is_slave_not_ok(message) == ~is_slave_ok(messages[message])

\* No connection, or the highest report is too far: SLAVE_NOT_AVAILABLE, the message stays.
\* master: CommitLog#handleHA, HAService#isSlaveOK
refuse_slave_wait(message) ==
    /\ is_waiting_for_slave_check(message)
    /\ has_slave_wait(messages[message])
    /\ is_slave_not_ok(message)
    /\ messages' = [messages EXCEPT
                       ![message].phase = ANSWERED,
                       ![message].status = SLAVE_NOT_AVAILABLE]
    /\ UNCHANGED <<master, slaves, links, faults>>

\* A slave looks close enough: the put waits until its end offset is reported.
\* master: CommitLog#handleHA, GroupTransferService#putRequest
request_slave_wait(message) ==
    /\ is_waiting_for_slave_check(message)
    /\ has_slave_wait(messages[message])
    /\ is_slave_ok(messages[message])
    /\ LET turn == compute_next_turn
       IN  messages' = [messages EXCEPT
                              ![message].phase = WAITS_FOR_SLAVE,
                              ![message].transfer_turn = turn]
    /\ UNCHANGED <<master, slaves, links, faults>>

is_not_reported(message) == ~is_reported(messages[message])

has_wake_up_left(message) == messages[message].wake_ups < 5

\* The group transfer waits a second in vain for the put that it serves: one wake-up more.
\* master: GroupTransferService#doWaitTransfer
wait_one_second(message) ==
    /\ is_waiting_for_slave(messages[message])
    /\ is_at_head_of_line(message)
    /\ is_not_reported(message)
    /\ has_wake_up_left(message)
    /\ messages' = [messages EXCEPT ![message].wake_ups = messages[message].wake_ups + 1]
    /\ UNCHANGED <<master, slaves, links, faults>>

\* The end offset is reported by somebody: PUT_OK, unless the disk step spoilt the status.
\* master: GroupTransferService#doWaitTransfer
answer_slave_wait(message) ==
    /\ is_waiting_for_slave(messages[message])
    /\ is_at_head_of_line(message)
    /\ is_reported(messages[message])
    /\ messages' = [messages EXCEPT ![message].phase = ANSWERED]
    /\ UNCHANGED <<master, slaves, links, faults>>

has_no_wake_up_left(message) == messages[message].wake_ups = 5

\* Five wake-ups are used up: FLUSH_SLAVE_TIMEOUT, perhaps within milliseconds (R-HA-21).
\* master: GroupTransferService#doWaitTransfer
give_up_slave_wait(message) ==
    /\ is_waiting_for_slave(messages[message])
    /\ is_not_reported(message)
    /\ has_no_wake_up_left(message)
    /\ messages' = [messages EXCEPT
                       ![message].phase = ANSWERED,
                       ![message].status = FLUSH_SLAVE_TIMEOUT]
    /\ UNCHANGED <<master, slaves, links, faults>>

\* The put's own clock ends its wait for a slave: FLUSH_SLAVE_TIMEOUT, the message stays.
\* master: CommitLog#handleHA, GroupCommitRequest#waitForFlush
time_out_slave_wait(message) ==
    /\ is_waiting_for_slave(messages[message])
    /\ messages' = [messages EXCEPT
                       ![message].phase = ANSWERED,
                       ![message].status = FLUSH_SLAVE_TIMEOUT]
    /\ UNCHANGED <<master, slaves, links, faults>>

------------------------------------------------------------------------------------------------
\* Steps: producer.

is_producer_waiting(message) == ~messages[message].has_producer_given_up

\* The producer's own time-out ends its wait, before the broker's does (R-PR-03).
\* producer: DefaultMQProducerImpl#sendDefaultImpl, NettyRemotingClient#invokeSync
give_up_send(message) ==
    /\ is_pending(messages[message])
    /\ is_producer_waiting(message)
    /\ messages' = [messages EXCEPT ![message].has_producer_given_up = TRUE]
    /\ UNCHANGED <<master, slaves, links, faults>>

has_copy_left(message) == messages[message].ghost_copies < 1

\* After an unknown outcome the message is sent again, by client or user (R-PR-04).
\* producer: DefaultMQProducerImpl#sendDefaultImpl
send_again(message) ==
    /\ is_store_open
    /\ is_outcome_unknown(messages[message])
    /\ is_below_modelled_end
    /\ has_copy_left(message)
    /\ LET room == compute_room_bytes(master.log)
       IN  \E size_bytes \in 1..room :
               /\ master' = append_to_master(size_bytes)
               /\ messages' = [messages EXCEPT
                                  ![message].ghost_copies = messages[message].ghost_copies + 1]
    /\ UNCHANGED <<slaves, links, faults>>

------------------------------------------------------------------------------------------------
\* Steps: connection.

is_link_closed(slave) == ~links[slave].is_open

\* A slave connects and is counted at once; it notes its max offset but says nothing yet.
\* slave: HAClient#connectMaster, HAConnection (constructor)
connect_slave(slave) ==
    /\ is_master_up
    /\ is_slave_up(slave)
    /\ is_link_closed(slave)
    /\ master' = [master EXCEPT !.connection_count = master.connection_count + 1]
    /\ links' = [links EXCEPT
                    ![slave] = [is_open |-> TRUE,
                                has_reported |-> FALSE,
                                reported_offset |-> max_offset(slaves[slave].log),
                                slave_request_offset |-> -1,
                                slave_ack_offset |-> -1,
                                next_transfer_offset |-> -1,
                                transfer_start_offset |-> -1,
                                arrived_offset |-> -1]]
    /\ UNCHANGED <<slaves, messages, faults>>

is_link_open(slave) == links[slave].is_open

\* One end has read nothing for its housekeeping interval and closes, though nothing is wrong.
\* master: HAConnection.ReadSocketService#run, HAClient#run
close_idle_connection(slave) ==
    /\ is_link_open(slave)
    /\ links' = [links EXCEPT ![slave] = CLOSED_LINK]
    /\ UNCHANGED <<master, slaves, messages, faults>>

has_dead_connection == count_open_links < master.connection_count

\* The master notices that a connection is dead and stops counting it.
\* master: HAConnection.ReadSocketService#run
drop_connection ==
    /\ is_master_up
    /\ has_dead_connection
    /\ master' = [master EXCEPT !.connection_count = master.connection_count - 1]
    /\ UNCHANGED <<slaves, links, messages, faults>>

------------------------------------------------------------------------------------------------
\* Steps: replication.

has_not_reported(slave) == ~links[slave].has_reported

\* A slave sends its first report, more than a heartbeat interval after it connected.
\* slave: HAClient#isTimeToReportOffset, #reportSlaveMaxOffset
report_offset(slave) ==
    /\ is_link_open(slave)
    /\ is_slave_up(slave)
    /\ has_not_reported(slave)
    /\ links' = [links EXCEPT ![slave].has_reported = TRUE]
    /\ UNCHANGED <<master, slaves, messages, faults>>

\* The master reads reports: the last of them counts, unchecked, and it may only raise push2.
\* master: HAConnection.ReadSocketService#processReadEvent, HAService#notifyTransferSome
receive_report(slave) ==
    /\ is_link_open(slave)
    /\ is_master_up
    /\ has_report_in_flight(links[slave])
    /\ LET lowest == compute_lowest_report(slave)
       IN  \E slave_offset \in lowest..(links[slave].reported_offset) :
               /\ master' = [master EXCEPT
                                !.push2_slave_max_offset = Max(master.push2_slave_max_offset,
                                                               slave_offset)]
               /\ links' = [links EXCEPT
                               ![slave].slave_request_offset = IF is_first_report(links[slave])
                                                               THEN slave_offset
                                                               ELSE links[slave].slave_request_offset,
                               ![slave].slave_ack_offset = slave_offset]
               /\ messages' = wake_group_transfer(master.push2_slave_max_offset < slave_offset)
    /\ UNCHANGED <<slaves, faults>>

has_request(slave) == links[slave].slave_request_offset >= 0

is_not_positioned(slave) == ~is_positioned(links[slave])

is_request_taken_as_it_is(slave) ==
    (links[slave].slave_request_offset > 0) \/ (compute_next_byte_file(master.log) = 0)

\* The master will send from the offset that the slave asked for, without looking at it.
\* master: HAConnection.WriteSocketService#run
position_transfer(slave) ==
    /\ is_link_open(slave)
    /\ is_master_up
    /\ has_request(slave)
    /\ is_not_positioned(slave)
    /\ is_request_taken_as_it_is(slave)
    /\ links' = [links EXCEPT
                    ![slave].next_transfer_offset = links[slave].slave_request_offset,
                    ![slave].transfer_start_offset = links[slave].slave_request_offset,
                    ![slave].arrived_offset = links[slave].slave_request_offset]
    /\ UNCHANGED <<master, slaves, messages, faults>>

is_request_zero(slave) == links[slave].slave_request_offset = 0

has_older_file == compute_first_transfer_start > 0

is_within_limit_to_position_at_last_file == faults.late_joins < late_joins_max

\* A slave that asks for 0 is sent the last file only; it never gets what lies before.
\* master: HAConnection.WriteSocketService#run
position_at_last_file(slave) ==
    /\ is_link_open(slave)
    /\ is_master_up
    /\ is_request_zero(slave)
    /\ is_not_positioned(slave)
    /\ has_older_file
    /\ is_within_limit_to_position_at_last_file
    /\ LET base == compute_first_transfer_start
       IN  /\ links' = [links EXCEPT
                           ![slave].next_transfer_offset = base,
                           ![slave].transfer_start_offset = base,
                           ![slave].arrived_offset = base]
           /\ faults' = [faults EXCEPT !.late_joins = faults.late_joins + 1]
    /\ UNCHANGED <<master, slaves, messages>>

is_not_below_first_file(slave) == master.log.start_offset <= links[slave].next_transfer_offset

has_bytes_to_send(slave) == links[slave].next_transfer_offset < max_offset(master.log)

\* The master sends its next bytes; a batch ignores message boundaries, but ends with a file.
\* master: HAConnection.WriteSocketService#run, DefaultMessageStore#getCommitLogData
transfer_batch(slave) ==
    /\ is_link_open(slave)
    /\ is_store_open
    /\ is_positioned(links[slave])
    /\ is_not_below_first_file(slave)
    /\ has_bytes_to_send(slave)
    /\ LET in_file == compute_bytes_left_in_file(links[slave].next_transfer_offset)
           in_log == max_offset(master.log) - links[slave].next_transfer_offset
       IN  \E size_bytes \in 1..(Min(Min(ha_transfer_batch_size_bytes, in_file), in_log)) :
               links' = [links EXCEPT
                               ![slave].next_transfer_offset = links[slave].next_transfer_offset
                                                               + size_bytes]
    /\ UNCHANGED <<master, slaves, messages, faults>>

has_no_file(slave) == ~slaves[slave].log.has_file

\* A heartbeat, a frame without bytes, makes an empty slave create its first file (R-HC-09).
\* slave: HAClient#dispatchReadRequest, CommitLog#appendData
create_first_file(slave) ==
    /\ is_link_open(slave)
    /\ is_accepting(slaves[slave])
    /\ is_positioned(links[slave])
    /\ has_no_file(slave)
    /\ LET created == [slaves[slave] EXCEPT
                          !.log = open_first_file(slaves[slave].log,
                                                  links[slave].arrived_offset)]
       IN  /\ slaves' = [slaves EXCEPT ![slave] = created]
           /\ links' = [links EXCEPT ![slave].reported_offset = links[slave].arrived_offset]
    /\ UNCHANGED <<master, messages, faults>>

\* A slave appends bytes that have arrived and reports its new max offset at once.
\* slave: HAClient#dispatchReadRequest, #reportSlaveMaxOffsetPlus, CommitLog#appendData
append_to_slave(slave) ==
    /\ is_link_open(slave)
    /\ is_accepting(slaves[slave])
    /\ has_bytes_in_flight(links[slave])
    /\ is_in_step(slaves[slave], links[slave])
    /\ \E size_bytes \in 1..compute_frame_max_bytes(slave) :
           /\ slaves' = [slaves EXCEPT
                            ![slave].log = copy_bytes(compute_log_to_append(slave),
                                                      master.log,
                                                      max_offset(compute_log_to_append(slave))
                                                      + size_bytes)]
           /\ links' = [links EXCEPT
                           ![slave].has_reported = TRUE,
                           ![slave].reported_offset = max_offset(compute_log_to_append(slave))
                                                      + size_bytes,
                           ![slave].arrived_offset = links[slave].arrived_offset + size_bytes]
           /\ messages' = mark_received(copy_bytes(compute_log_to_append(slave),
                                                   master.log,
                                                   max_offset(compute_log_to_append(slave))
                                                   + size_bytes))
    /\ UNCHANGED <<master, faults>>

is_out_of_step(slave) == ~is_in_step(slaves[slave], links[slave])

\* A slave with an empty first file takes bytes of any offset: they land at 0 (R-HC-20).
\* slave: HAClient#dispatchReadRequest, CommitLog#appendData
append_at_wrong_offset(slave) ==
    /\ is_link_open(slave)
    /\ is_accepting(slaves[slave])
    /\ has_bytes_in_flight(links[slave])
    /\ is_frame_taken(slaves[slave], links[slave])
    /\ is_out_of_step(slave)
    /\ \E size_bytes \in 1..compute_frame_max_bytes(slave) :
           LET longer == append_bytes(slaves[slave].log, master.ghost_life, size_bytes)
               log == [longer EXCEPT !.ghost_unknown_below_offset = max_offset(longer)]
               arrived == links[slave].arrived_offset + size_bytes
           IN  /\ slaves' = [slaves EXCEPT ![slave].log = log]
               /\ links' = [links EXCEPT
                               ![slave].has_reported = TRUE,
                               ![slave].reported_offset = size_bytes,
                               ![slave].arrived_offset = arrived]
    /\ UNCHANGED <<master, messages, faults>>

is_frame_not_taken(slave) == ~is_frame_taken(slaves[slave], links[slave])

\* A frame does not begin where the slave's log ends: the slave closes the connection.
\* slave: HAClient#dispatchReadRequest
refuse_frame(slave) ==
    /\ is_link_open(slave)
    /\ is_slave_up(slave)
    /\ is_positioned(links[slave])
    /\ is_frame_not_taken(slave)
    /\ links' = [links EXCEPT ![slave] = CLOSED_LINK]
    /\ UNCHANGED <<master, slaves, messages, faults>>

is_stopping_to_discard_frame(slave) == slaves[slave].is_stopping

\* A stopping slave reads a frame and throws its bytes away; the result is ignored (R-HC-08).
\* slave: HAClient#dispatchReadRequest, DefaultMessageStore#appendToCommitLog
discard_frame(slave) ==
    /\ is_link_open(slave)
    /\ is_slave_up(slave)
    /\ is_stopping_to_discard_frame(slave)
    /\ has_bytes_in_flight(links[slave])
    /\ is_frame_taken(slaves[slave], links[slave])
    /\ LET in_flight == links[slave].next_transfer_offset - links[slave].arrived_offset
       IN  \E size_bytes \in 1..in_flight :
               links' = [links EXCEPT
                               ![slave].arrived_offset = links[slave].arrived_offset
                                                         + size_bytes]
    /\ UNCHANGED <<master, slaves, messages, faults>>

------------------------------------------------------------------------------------------------
\* Steps: lifecycle.

is_not_stopping_to_begin_master_stop == ~master.is_stopping

\* The master begins to stop: from now on its store refuses puts and sends no bytes.
\* master: DefaultMessageStore#shutdown
begin_master_stop ==
    /\ is_master_up
    /\ is_not_stopping_to_begin_master_stop
    /\ master' = [master EXCEPT !.is_stopping = TRUE]
    /\ UNCHANGED <<slaves, links, messages, faults>>

is_stopping_to_finish_master_stop == master.is_stopping

\* The master has flushed and is gone; the abort file stays if its dispatch is behind.
\* master: DefaultMessageStore#shutdown, CommitLog#shutdown
finish_master_stop ==
    /\ is_master_up
    /\ is_stopping_to_finish_master_stop
    /\ LET stopped == [master EXCEPT
                          !.log = flush_all(master.log),
                          !.is_up = FALSE,
                          !.is_stopping = FALSE,
                          !.has_abort_file = is_dispatch_behind(master.log),
                          !.push2_slave_max_offset = 0,
                          !.connection_count = 0]
       IN  /\ master' = stopped
           /\ links' = [s \in Slaves |-> CLOSED_LINK]
           /\ messages' = abandon_pending_puts
    /\ UNCHANGED <<slaves, faults>>

is_master_down == ~master.is_up

is_no_blank_to_cut == ~is_blank_to_cut

\* The master starts again with the log that it finds.
\* master: DefaultMessageStore#load, CommitLog#recoverNormally, #recoverAbnormally
restart_master ==
    /\ is_master_down
    /\ is_no_blank_to_cut
    /\ master' = [master EXCEPT
                     !.log = load(master.log),
                     !.is_up = TRUE,
                     !.has_abort_file = TRUE]
    /\ messages' = mark_readable(load(master.log))
    /\ UNCHANGED <<slaves, links, faults>>

is_within_limit_to_restart_master_without_blank == faults.torn_rolls < torn_rolls_max

\* The master's log ends with a blank: its recovery cuts the blank off again (R-RC-04).
\* master: CommitLog#recoverNormally, #recoverAbnormally (blank record, last file)
restart_master_without_blank ==
    /\ is_master_down
    /\ is_blank_to_cut
    /\ is_within_limit_to_restart_master_without_blank
    /\ has_modelled_life_left
    /\ LET log == cut_to(master.log, compute_end_of_records)
       IN  /\ master' = [master EXCEPT
                            !.log = load(log),
                            !.is_up = TRUE,
                            !.has_abort_file = TRUE,
                            !.trailing_blank_offset = -1,
                            !.ghost_life = master.ghost_life + 1]
           /\ messages' = mark_readable(load(log))
           /\ faults' = [faults EXCEPT !.torn_rolls = faults.torn_rolls + 1]
    /\ UNCHANGED <<slaves, links>>

is_not_stopping_to_begin_slave_stop(slave) == ~slaves[slave].is_stopping

\* A slave begins to stop: from now on its store takes no bytes, though it reads them.
\* slave: DefaultMessageStore#shutdown
begin_slave_stop(slave) ==
    /\ is_slave_up(slave)
    /\ is_not_stopping_to_begin_slave_stop(slave)
    /\ LET stopping == [slaves[slave] EXCEPT !.is_stopping = TRUE]
       IN  slaves' = [slaves EXCEPT ![slave] = stopping]
    /\ UNCHANGED <<master, links, messages, faults>>

is_stopping_to_finish_slave_stop(slave) == slaves[slave].is_stopping

\* A slave has flushed and is gone; a message in part keeps the abort file there (R-RC-13).
\* slave: DefaultMessageStore#shutdown, CommitLog#shutdown
finish_slave_stop(slave) ==
    /\ is_slave_up(slave)
    /\ is_stopping_to_finish_slave_stop(slave)
    /\ slaves' = [slaves EXCEPT
                     ![slave].log = flush_all(slaves[slave].log),
                     ![slave].is_up = FALSE,
                     ![slave].is_stopping = FALSE,
                     ![slave].has_abort_file = is_dispatch_behind(slaves[slave].log)]
    /\ links' = [links EXCEPT ![slave] = CLOSED_LINK]
    /\ UNCHANGED <<master, messages, faults>>

is_slave_down(slave) == ~slaves[slave].is_up

\* A slave starts again; what is no whole record is cut from its end, a blank too (R-RC-04).
\* slave: DefaultMessageStore#load, CommitLog#recoverNormally, #recoverAbnormally
restart_slave(slave) ==
    /\ is_slave_down(slave)
    /\ LET lowest == Max(IF (/\ has_equal_bytes(slaves[slave].log, master.log)
                             /\ is_known_from(slaves[slave].log, slaves[slave].log.start_offset))
                         THEN slaves[slave].log.last_file_offset
                         ELSE slaves[slave].log.start_offset,
                         Min(compute_known_boundary(slaves[slave].log, master.log),
                             Max(IF (/\ has_equal_bytes(slaves[slave].log, master.log)
                                     /\ is_known_from(slaves[slave].log,
                                                      slaves[slave].log.start_offset))
                                 THEN slaves[slave].log.last_file_offset
                                 ELSE slaves[slave].log.start_offset,
                                 compute_scan_end(slaves[slave].log,
                                                  max_offset(slaves[slave].log)))))
           highest == Max(IF (/\ has_equal_bytes(slaves[slave].log, master.log)
                              /\ is_known_from(slaves[slave].log,
                                               slaves[slave].log.start_offset))
                          THEN slaves[slave].log.last_file_offset
                          ELSE slaves[slave].log.start_offset,
                          compute_scan_end(slaves[slave].log, max_offset(slaves[slave].log)))
       IN  \E recovered_offset \in lowest..highest :
               LET log == load(cut_to(slaves[slave].log, recovered_offset))
                   restarted == [slaves[slave] EXCEPT
                                    !.log = log,
                                    !.is_up = TRUE,
                                    !.is_stopping = FALSE,
                                    !.has_abort_file = TRUE]
               IN  slaves' = [slaves EXCEPT ![slave] = restarted]
    /\ UNCHANGED <<master, links, messages, faults>>

is_within_limit_to_switch_master_role == faults.role_switches < role_switches_max

\* The role is changed between ASYNC_MASTER and SYNC_MASTER; the next put follows it.
\* operator: AdminBrokerProcessor#updateBrokerConfig, BrokerConfig (brokerRole)
switch_master_role ==
    /\ is_master_up
    /\ is_within_limit_to_switch_master_role
    /\ LET switched == [master EXCEPT !.is_sync = ~master.is_sync]
       IN  /\ master' = switched
           /\ faults' = [faults EXCEPT !.role_switches = faults.role_switches + 1]
    /\ UNCHANGED <<slaves, links, messages>>

------------------------------------------------------------------------------------------------
\* Steps: faults.

is_within_limit_to_kill_master == faults.master_kills < master_kills_max

\* The master's process is killed; its page cache survives, its waiting puts do not.
\* fault: kill -9 of the master's process; MappedFile (page cache)
kill_master ==
    /\ is_master_up
    /\ is_within_limit_to_kill_master
    /\ master' = [master EXCEPT
                     !.is_up = FALSE,
                     !.is_stopping = FALSE,
                     !.push2_slave_max_offset = 0,
                     !.connection_count = 0]
    /\ links' = [s \in Slaves |-> CLOSED_LINK]
    /\ messages' = abandon_pending_puts
    /\ faults' = [faults EXCEPT !.master_kills = faults.master_kills + 1]
    /\ UNCHANGED <<slaves>>

is_within_limit_to_kill_slave == faults.slave_kills < slave_kills_max

\* A slave's process is killed; its page cache survives, also a message received in part.
\* fault: kill -9 of a slave's process; MappedFile (page cache)
kill_slave(slave) ==
    /\ is_slave_up(slave)
    /\ is_within_limit_to_kill_slave
    /\ slaves' = [slaves EXCEPT ![slave].is_up = FALSE, ![slave].is_stopping = FALSE]
    /\ links' = [links EXCEPT ![slave] = CLOSED_LINK]
    /\ faults' = [faults EXCEPT !.slave_kills = faults.slave_kills + 1]
    /\ UNCHANGED <<master, messages>>

is_within_limit_to_lose_master_power == faults.master_power_losses < master_power_losses_max

\* The master's machine loses power: any part of the tail that is not on disk is gone.
\* fault: power loss of the master's machine; CommitLog#recoverAbnormally
lose_master_power ==
    /\ is_master_up
    /\ is_within_limit_to_lose_master_power
    /\ has_modelled_life_left
    /\ \E kept_offset \in (master.log.ghost_durable_offset)..max_offset(master.log) :
           LET end == Min(compute_scan_end(master.log, kept_offset), compute_end_of_records)
               log == lose_tail(master.log, end)
           IN  /\ master' = [master EXCEPT
                                !.log = log,
                                !.is_up = FALSE,
                                !.is_stopping = FALSE,
                                !.trailing_blank_offset = -1,
                                !.ghost_life = master.ghost_life + 1,
                                !.push2_slave_max_offset = 0,
                                !.connection_count = 0]
               /\ links' = [s \in Slaves |-> CLOSED_LINK]
               /\ messages' = abandon_pending_puts
               /\ faults' = [faults EXCEPT
                                !.master_power_losses = faults.master_power_losses + 1]
    /\ UNCHANGED <<slaves>>

is_within_limit_to_lose_slave_power == faults.slave_power_losses < slave_power_losses_max

\* A slave's machine loses power: any part of the tail that is not on disk is gone.
\* fault: power loss of a slave's machine; CommitLog#recoverAbnormally
lose_slave_power(slave) ==
    /\ is_slave_up(slave)
    /\ is_within_limit_to_lose_slave_power
    /\ \E kept_offset \in (slaves[slave].log.ghost_durable_offset)..max_offset(slaves[slave].log) :
           LET log == lose_tail(slaves[slave].log, kept_offset)
           IN  /\ slaves' = [slaves EXCEPT
                                ![slave].log = log,
                                ![slave].is_up = FALSE,
                                ![slave].is_stopping = FALSE]
               /\ links' = [links EXCEPT ![slave] = CLOSED_LINK]
               /\ faults' = [faults EXCEPT !.slave_power_losses = faults.slave_power_losses + 1]
    /\ UNCHANGED <<master, messages>>

is_within_limit_to_lose_master_disk == faults.master_disk_losses < master_disk_losses_max

\* The master's disk is lost; its broker will start again with an empty one.
\* fault: loss of the master's disk; DefaultMessageStore#load
lose_master_disk ==
    /\ is_master_up
    /\ is_within_limit_to_lose_master_disk
    /\ has_modelled_life_left
    /\ master' = [log |-> [ends |-> [t \in Lives |-> 0],
                           start_offset |-> 0,
                           last_file_offset |-> 0,
                           has_file |-> FALSE,
                           flushed_offset |-> 0,
                           dispatched_offset |-> 0,
                           ghost_durable_offset |-> 0,
                           ghost_unknown_below_offset |-> 0],
                  is_up |-> FALSE,
                  is_stopping |-> FALSE,
                  has_abort_file |-> FALSE,
                  is_sync |-> master.is_sync,
                  trailing_blank_offset |-> -1,
                  ghost_life |-> master.ghost_life + 1,
                  push2_slave_max_offset |-> 0,
                  connection_count |-> 0]
    /\ links' = [s \in Slaves |-> CLOSED_LINK]
    /\ messages' = abandon_pending_puts
    /\ faults' = [faults EXCEPT !.master_disk_losses = faults.master_disk_losses + 1]
    /\ UNCHANGED <<slaves>>

is_within_limit_to_wipe_slave == faults.slave_wipes < slave_wipes_max

\* The store of a slave that is down is emptied.
\* fault: removal of a stopped slave's store directory; DefaultMessageStore#load
wipe_slave(slave) ==
    /\ is_slave_down(slave)
    /\ is_within_limit_to_wipe_slave
    /\ LET log == [ends |-> [t \in Lives |-> 0],
                   start_offset |-> 0,
                   last_file_offset |-> 0,
                   has_file |-> FALSE,
                   flushed_offset |-> 0,
                   dispatched_offset |-> 0,
                   ghost_durable_offset |-> 0,
                   ghost_unknown_below_offset |-> 0]
           wiped == [log |-> log,
                     is_up |-> FALSE,
                     is_stopping |-> FALSE,
                     has_abort_file |-> FALSE]
       IN  /\ slaves' = [slaves EXCEPT ![slave] = wiped]
           /\ faults' = [faults EXCEPT !.slave_wipes = faults.slave_wipes + 1]
    /\ UNCHANGED <<master, links, messages>>

is_within_limit_to_cut_link == faults.link_cuts < link_cuts_max

\* A replication connection breaks; what was in flight is gone, the master still counts it.
\* fault: a broken TCP connection between slave and master
cut_link(slave) ==
    /\ is_link_open(slave)
    /\ is_within_limit_to_cut_link
    /\ links' = [links EXCEPT ![slave] = CLOSED_LINK]
    /\ faults' = [faults EXCEPT !.link_cuts = faults.link_cuts + 1]
    /\ UNCHANGED <<master, slaves, messages>>

is_within_limit_to_swallow_flush_error ==
    faults.swallowed_disk_errors < swallowed_disk_errors_max

\* The master's flush fails, is only logged, and counts as done (R-CL-10).
\* fault: MappedFile#flush (force throws)
swallow_flush_error ==
    /\ is_master_up
    /\ has_unflushed_bytes(master.log)
    /\ is_within_limit_to_swallow_flush_error
    /\ LET log == flush_without_effect(master.log)
       IN  /\ master' = [master EXCEPT !.log = log]
           /\ faults' = [faults EXCEPT
                            !.swallowed_disk_errors = faults.swallowed_disk_errors + 1]
    /\ UNCHANGED <<slaves, links, messages>>

is_within_limit_to_swallow_append_error ==
    faults.swallowed_disk_errors < swallowed_disk_errors_max

\* A slave fails to write a frame, goes on as if it had, and reports it (R-CL-11).
\* fault: MappedFile#appendMessage (FileChannel#write throws)
swallow_append_error(slave) ==
    /\ is_link_open(slave)
    /\ is_accepting(slaves[slave])
    /\ has_bytes_in_flight(links[slave])
    /\ is_in_step(slaves[slave], links[slave])
    /\ is_within_limit_to_swallow_append_error
    /\ \E size_bytes \in 1..compute_frame_max_bytes(slave) :
           LET log == copy_bytes(compute_log_to_append(slave),
                                 master.log,
                                 max_offset(compute_log_to_append(slave)) + size_bytes)
               spoilt == [log EXCEPT
                             !.ghost_unknown_below_offset = IF max_offset(compute_log_to_append(slave))
                                                               < max_offset(master.log)
                                                            THEN Min(max_offset(master.log),
                                                                     max_offset(compute_log_to_append(slave))
                                                                     + size_bytes)
                                                            ELSE max_offset(compute_log_to_append(slave))]
               after == [slaves[slave] EXCEPT !.log = spoilt]
           IN  /\ slaves' = [slaves EXCEPT ![slave] = after]
               /\ links' = [links EXCEPT
                               ![slave].has_reported = TRUE,
                               ![slave].reported_offset = max_offset(compute_log_to_append(slave))
                                                          + size_bytes,
                               ![slave].arrived_offset = links[slave].arrived_offset
                                                         + size_bytes]
               /\ faults' = [faults EXCEPT
                                !.swallowed_disk_errors = faults.swallowed_disk_errors + 1]
    /\ UNCHANGED <<master, messages>>

is_within_limit_to_send_alien_report == faults.alien_reports < alien_reports_max

\* A stranger sends eight bytes to the HA port: they count as a report (R-AK-03).
\* fault: HAConnection.ReadSocketService#processReadEvent (no validation)
send_alien_report ==
    /\ is_master_up
    /\ is_within_limit_to_send_alien_report
    /\ \E offset \in 0..ghost_log_size_max_bytes :
           LET fooled == [master EXCEPT
                             !.push2_slave_max_offset = Max(master.push2_slave_max_offset,
                                                            offset),
                             !.connection_count = master.connection_count + 1]
               is_woken == master.push2_slave_max_offset < offset
           IN  /\ master' = fooled
               /\ messages' = wake_group_transfer(is_woken)
               /\ faults' = [faults EXCEPT !.alien_reports = faults.alien_reports + 1]
    /\ UNCHANGED <<slaves, links>>

is_old_file_not_flushed_to_expire_unflushed_master_file == ~is_old_file_flushed(master.log)

is_within_limit_to_expire_unflushed_master_file == faults.early_expiries < early_expiries_max

\* The master must delete its oldest file before it is flushed; from then on no flush works.
\* fault: DefaultMessageStore.CleanCommitLogService#run (disk nearly full)
expire_unflushed_master_file ==
    /\ is_master_up
    /\ has_old_file(master.log)
    /\ is_old_file_not_flushed_to_expire_unflushed_master_file
    /\ is_within_limit_to_expire_unflushed_master_file
    /\ master' = [master EXCEPT
                     !.log = begin_log_at(master.log, compute_second_file(master.log))]
    /\ messages' = mark_expired(master.log, compute_second_file(master.log))
    /\ faults' = [faults EXCEPT !.early_expiries = faults.early_expiries + 1]
    /\ UNCHANGED <<slaves, links>>

is_old_file_not_flushed_to_expire_unflushed_slave_file(slave) ==
    ~is_old_file_flushed(slaves[slave].log)

is_within_limit_to_expire_unflushed_slave_file == faults.early_expiries < early_expiries_max

\* A slave must delete its oldest file before it is flushed.
\* fault: DefaultMessageStore.CleanCommitLogService#run (disk nearly full)
expire_unflushed_slave_file(slave) ==
    /\ is_slave_up(slave)
    /\ has_old_file(slaves[slave].log)
    /\ is_old_file_not_flushed_to_expire_unflushed_slave_file(slave)
    /\ is_within_limit_to_expire_unflushed_slave_file
    /\ slaves' = [slaves EXCEPT
                     ![slave].log = begin_log_at(slaves[slave].log,
                                                 compute_second_file(slaves[slave].log))]
    /\ messages' = mark_expired(slaves[slave].log, compute_second_file(slaves[slave].log))
    /\ faults' = [faults EXCEPT !.early_expiries = faults.early_expiries + 1]
    /\ UNCHANGED <<master, links>>

------------------------------------------------------------------------------------------------
\* All steps.

\* Nothing happens. A modelled log has an end, which is no deadlock.
rest == UNCHANGED vars

Next ==
    \/ fill_file
    \/ append_other_message
    \/ expire_master_file
    \/ expire_uncopied_master_file
    \/ flush_master
    \/ dispatch_master
    \/ drop_connection
    \/ begin_master_stop
    \/ finish_master_stop
    \/ restart_master
    \/ restart_master_without_blank
    \/ switch_master_role
    \/ kill_master
    \/ lose_master_power
    \/ lose_master_disk
    \/ swallow_flush_error
    \/ send_alien_report
    \/ expire_unflushed_master_file
    \/ \E message \in Messages :
        \/ append_message(message)
        \/ refuse_put(message)
        \/ answer_disk_wait(message)
        \/ skip_slave_wait(message)
        \/ refuse_slave_wait(message)
        \/ request_slave_wait(message)
        \/ wait_one_second(message)
        \/ answer_slave_wait(message)
        \/ give_up_slave_wait(message)
        \/ time_out_slave_wait(message)
        \/ give_up_send(message)
        \/ send_again(message)
    \/ \E slave \in Slaves :
        \/ expire_slave_file(slave)
        \/ flush_slave(slave)
        \/ dispatch_slave(slave)
        \/ connect_slave(slave)
        \/ close_idle_connection(slave)
        \/ report_offset(slave)
        \/ receive_report(slave)
        \/ position_transfer(slave)
        \/ position_at_last_file(slave)
        \/ transfer_batch(slave)
        \/ create_first_file(slave)
        \/ append_to_slave(slave)
        \/ append_at_wrong_offset(slave)
        \/ refuse_frame(slave)
        \/ discard_frame(slave)
        \/ begin_slave_stop(slave)
        \/ finish_slave_stop(slave)
        \/ restart_slave(slave)
        \/ kill_slave(slave)
        \/ lose_slave_power(slave)
        \/ wipe_slave(slave)
        \/ cut_link(slave)
        \/ swallow_append_error(slave)
        \/ expire_unflushed_slave_file(slave)
    \/ rest

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------------------------
\* Claims.

\* The segments of a log follow one another.
log_ends_never_decrease ==
    /\ master.log.ends[0] >= 0
    /\ master.log.ends[0] <= master.log.ends[1]
    /\ master.log.ends[1] <= max_offset(master.log)
    /\ slaves[0].log.ends[0] >= 0
    /\ slaves[0].log.ends[0] <= slaves[0].log.ends[1]
    /\ slaves[0].log.ends[1] <= max_offset(slaves[0].log)

\* No offset of a log exceeds its end: first file, flushed, dispatched, on disk, unknown.
offsets_are_within_log ==
    /\ master.log.start_offset >= 0
    /\ master.log.start_offset <= max_offset(master.log)
    /\ master.log.flushed_offset >= 0
    /\ master.log.flushed_offset <= max_offset(master.log)
    /\ master.log.dispatched_offset >= 0
    /\ master.log.dispatched_offset <= max_offset(master.log)
    /\ master.log.ghost_durable_offset >= 0
    /\ master.log.ghost_durable_offset <= max_offset(master.log)
    /\ master.log.ghost_unknown_below_offset >= 0
    /\ master.log.ghost_unknown_below_offset <= max_offset(master.log)
    /\ slaves[0].log.start_offset >= 0
    /\ slaves[0].log.start_offset <= max_offset(slaves[0].log)
    /\ slaves[0].log.flushed_offset >= 0
    /\ slaves[0].log.flushed_offset <= max_offset(slaves[0].log)
    /\ slaves[0].log.dispatched_offset >= 0
    /\ slaves[0].log.dispatched_offset <= max_offset(slaves[0].log)
    /\ slaves[0].log.ghost_durable_offset >= 0
    /\ slaves[0].log.ghost_durable_offset <= max_offset(slaves[0].log)
    /\ slaves[0].log.ghost_unknown_below_offset >= 0
    /\ slaves[0].log.ghost_unknown_below_offset <= max_offset(slaves[0].log)

\* A log that has files ends in the last one, or exactly where that ends.
log_ends_in_last_file ==
    /\ master.log.start_offset <= master.log.last_file_offset
    /\ master.log.last_file_offset <= max_offset(master.log)
    /\ max_offset(master.log) <= (master.log.last_file_offset + mapped_file_size_bytes)
    /\ master.log.has_file \/ (max_offset(master.log) = 0)
    /\ \A s \in Slaves :
           /\ slaves[s].log.start_offset <= slaves[s].log.last_file_offset
           /\ slaves[s].log.last_file_offset <= max_offset(slaves[s].log)
           /\ max_offset(slaves[s].log)
              <= (slaves[s].log.last_file_offset + mapped_file_size_bytes)
           /\ slaves[s].log.has_file \/ (max_offset(slaves[s].log) = 0)

\* What is on disk reaches up to the first file at least: below it, nothing can be lost.
nothing_below_first_file_is_at_stake ==
    /\ master.log.start_offset <= master.log.ghost_durable_offset
    /\ \A s \in Slaves : slaves[s].log.start_offset <= slaves[s].log.ghost_durable_offset

\* The master's log is in the life that its losses and cut blanks have begun.
life_is_counted ==
    (master.ghost_life >= 0) /\ (master.ghost_life < 3) /\ (master.ghost_life = count_losses)

\* No fault strikes more often than it may.
faults_are_within_limits ==
    /\ faults.master_kills >= 0
    /\ faults.master_kills <= master_kills_max
    /\ faults.slave_kills >= 0
    /\ faults.slave_kills <= slave_kills_max
    /\ faults.master_power_losses >= 0
    /\ faults.master_power_losses <= master_power_losses_max
    /\ faults.slave_power_losses >= 0
    /\ faults.slave_power_losses <= slave_power_losses_max
    /\ faults.link_cuts >= 0
    /\ faults.link_cuts <= link_cuts_max
    /\ faults.late_joins >= 0
    /\ faults.late_joins <= late_joins_max
    /\ faults.slave_wipes >= 0
    /\ faults.slave_wipes <= slave_wipes_max
    /\ faults.master_disk_losses >= 0
    /\ faults.master_disk_losses <= master_disk_losses_max
    /\ faults.swallowed_disk_errors >= 0
    /\ faults.swallowed_disk_errors <= swallowed_disk_errors_max
    /\ faults.alien_reports >= 0
    /\ faults.alien_reports <= alien_reports_max
    /\ faults.early_expiries >= 0
    /\ faults.early_expiries <= early_expiries_max
    /\ faults.uncopied_expiries >= 0
    /\ faults.uncopied_expiries <= uncopied_expiries_max
    /\ faults.torn_rolls >= 0
    /\ faults.torn_rolls <= torn_rolls_max
    /\ faults.role_switches >= 0
    /\ faults.role_switches <= role_switches_max

\* No log holds bytes of a life that has not begun.
no_bytes_of_future_lives ==
    /\ \A t \in Lives :
           (master.ghost_life <= t) => (master.log.ends[t] = max_offset(master.log))
    /\ \A t \in Lives :
           (master.ghost_life <= t) => (slaves[0].log.ends[t] = max_offset(slaves[0].log))

\* A put message has a phase, a status, a length and a life that has begun.
message_is_well_formed ==
    \A m \in Messages :
        /\ messages[m].phase >= NOT_SENT
        /\ messages[m].phase <= UNANSWERED
        /\ messages[m].status >= PUT_OK
        /\ messages[m].status <= UNKNOWN_ERROR
        /\ (messages[m].phase = REFUSED) => (messages[m].status >= SERVICE_NOT_AVAILABLE)
        /\ (messages[m].status >= SERVICE_NOT_AVAILABLE) => (messages[m].phase = REFUSED)
        /\ messages[m].disk_flushes >= 0
        /\ messages[m].disk_flushes <= 2
        /\ messages[m].wake_ups >= 0
        /\ messages[m].wake_ups <= 5
        /\ messages[m].ghost_copies >= 0
        /\ is_written(messages[m])
           => (/\ messages[m].start_offset >= 0
               /\ messages[m].start_offset < messages[m].end_offset
               /\ messages[m].ghost_life >= 0
               /\ messages[m].ghost_life <= master.ghost_life)
        /\ \/ is_written(messages[m])
           \/ ~(messages[m].ghost_is_received \/ messages[m].ghost_is_expired \/ messages[m].ghost_is_readable)

\* A connection's offsets are unknown or come one after another.
link_offsets_are_ordered ==
    \A s \in Slaves :
        /\ links[s].slave_request_offset >= (-1)
        /\ links[s].slave_request_offset <= links[s].slave_ack_offset
        /\ links[s].slave_ack_offset <= links[s].reported_offset
        /\ links[s].next_transfer_offset >= (-1)
        /\ (links[s].next_transfer_offset >= 0) => (links[s].slave_request_offset >= 0)
        /\ (links[s].slave_ack_offset >= 0) => (links[s].slave_request_offset >= 0)
        /\ (links[s].next_transfer_offset < 0) /\ (links[s].slave_request_offset >= 0)
           => links[s].slave_request_offset = links[s].reported_offset
        /\ (links[s].slave_request_offset >= 0) => links[s].has_reported
        /\ links[s].has_reported => links[s].is_open
        /\ links[s].arrived_offset >= (-1)
        /\ links[s].arrived_offset <= links[s].next_transfer_offset
        /\ (links[s].arrived_offset >= 0) => (links[s].next_transfer_offset >= 0)
        /\ (links[s].next_transfer_offset >= 0) => (links[s].arrived_offset >= 0)

\* A connection lives only between two running brokers, and reports what its slave holds.
open_link_has_living_ends ==
    \A s \in Slaves :
        links[s].is_open
        => (/\ master.is_up
            /\ slaves[s].is_up
            /\ links[s].reported_offset = max_offset(slaves[s].log))

\* What is in flight to a slave is in the master's log; a slave ahead has nothing in flight.
bytes_in_flight_are_the_masters ==
    \A s \in Slaves :
        links[s].is_open
        => links[s].next_transfer_offset
           <= (IF links[s].arrived_offset < links[s].next_transfer_offset
               THEN max_offset(master.log)
               ELSE Max(max_offset(master.log), max_offset(slaves[s].log)))

\* As long as nobody switches it, the master has the role of its structure.
role_is_the_configured_one == (faults.role_switches = 0) => master.is_sync

\* The group commit flushes only for a put that waits for the disk.
flushes_have_their_cause == \A m \in Messages : messages[m].disk_flushes <= 0

\* Only a slave stores bytes at a foreign offset, or fails to store them unnoticed.
masters_content_is_known == master.log.ghost_unknown_below_offset = 0

\* What was appended in the present life of the master's log is in it, until it expires.
message_of_present_life_is_on_master ==
    \A m \in Messages :
        is_written(messages[m]) /\ (messages[m].ghost_life = master.ghost_life)
        => (/\ messages[m].end_offset <= max_offset(master.log)
            /\ has_message(master.log, messages[m]) \/ messages[m].ghost_is_expired)

\* A trailing blank fills the master's last file, and no followed message reaches into it.
trailing_blank_ends_the_log ==
    LET is_in_last_file == (/\ master.log.last_file_offset < master.trailing_blank_offset
                            /\ master.trailing_blank_offset < max_offset(master.log))
        is_filling == max_offset(master.log)
                      = (master.log.last_file_offset + mapped_file_size_bytes)
        is_free_here == \A m \in Messages :
                            is_written(messages[m]) /\ is_in_lineage(master.log, messages[m])
                            => messages[m].end_offset <= master.trailing_blank_offset
    IN  (master.trailing_blank_offset = (-1)) \/ (is_in_last_file /\ is_filling /\ is_free_here)

\* A stop has begun only where a process runs; a running broker has its abort file.
only_running_brokers_stop ==
    /\ master.is_stopping => master.is_up
    /\ master.is_up => master.has_abort_file
    /\ \A s \in Slaves :
           /\ slaves[s].is_stopping => slaves[s].is_up
           /\ slaves[s].is_up => slaves[s].has_abort_file

\* Without a stop or an empty first file, the next frame begins where the slave's log ends.
frame_in_step_is_where_the_log_ends ==
    \A s \in Slaves :
        (/\ links[s].is_open
         /\ links[s].arrived_offset >= 0
         /\ ~slaves[s].is_stopping
         /\ slaves[s].log.ghost_unknown_below_offset = 0)
        => (\/ ~slaves[s].log.has_file
            \/ max_offset(slaves[s].log) = 0
            \/ links[s].arrived_offset = max_offset(slaves[s].log))

\* The master counts every open connection, and perhaps dead ones, while it runs.
connections_are_counted ==
    /\ count_open_links <= master.connection_count
    /\ master.is_up \/ (master.connection_count = 0)

\* A put waits only for a master that runs.
dead_master_has_no_waiting_puts == \A m \in Messages : master.is_up \/ ~is_pending(messages[m])

\* A status other than PUT_OK comes from a wait that this structure and this put have.
status_has_its_cause ==
    \A m \in Messages :
        /\ messages[m].status # FLUSH_DISK_TIMEOUT
        /\ (messages[m].status = SLAVE_NOT_AVAILABLE) => messages[m].waits_for_store
        /\ (messages[m].status = FLUSH_SLAVE_TIMEOUT) => messages[m].waits_for_store
        /\ (messages[m].phase = WAITS_FOR_SLAVE) => messages[m].waits_for_store

\* A message that was answered PUT_OK stays in the master's commit log until it expires.
acknowledged_is_kept_on_master ==
    \A m \in Messages : is_owed(messages[m]) => has_message(master.log, messages[m])

\* A message that was answered PUT_OK stays on the master or on a slave until it expires.
acknowledged_is_kept_on_some_broker ==
    \A m \in Messages :
        is_owed(messages[m])
        => has_message(master.log, messages[m]) \/ is_on_some_slave(messages[m])

\* A message that was answered PUT_OK is on the master and on a slave, until it expires.
acknowledged_is_held_twice ==
    \A m \in Messages :
        is_owed(messages[m])
        => has_message(master.log, messages[m]) /\ is_on_some_slave(messages[m])

\* When a message is answered PUT_OK, a slave has received all of it.
acknowledgement_is_truthful ==
    \A m \in Messages : is_owed(messages[m]) => messages[m].ghost_is_received

\* What a slave holds, the master holds too, as far as both logs reach down.
slave_is_prefix_of_master == \A s \in Slaves : is_prefix(slaves[s].log, master.log)

\* Wherever master and slave both hold bytes, they hold the same bytes.
equal_offsets_mean_equal_bytes == \A s \in Slaves : has_equal_bytes(slaves[s].log, master.log)

\* A message is in the master's commit log at most once.
message_is_stored_once ==
    \A m \in Messages : has_message(master.log, messages[m]) => (messages[m].ghost_copies = 0)

\* What consumers could read on the master stays in its commit log until it expires.
read_is_kept_on_master ==
    \A m \in Messages : is_read(messages[m]) => has_message(master.log, messages[m])

\* What consumers could read on the master stays on it or on a slave until it expires.
read_is_kept_on_some_broker ==
    \A m \in Messages :
        is_read(messages[m])
        => has_message(master.log, messages[m]) \/ is_on_some_slave(messages[m])

------------------------------------------------------------------------------------------------
\* What TLC looks at; beyond, states are judged but not gone on from.

Bounds ==
    /\ faults.master_kills <= master_kills_max
    /\ faults.slave_kills <= slave_kills_max
    /\ faults.master_power_losses <= master_power_losses_max
    /\ faults.slave_power_losses <= slave_power_losses_max
    /\ faults.link_cuts <= link_cuts_max
    /\ faults.late_joins <= late_joins_max
    /\ faults.slave_wipes <= slave_wipes_max
    /\ faults.master_disk_losses <= master_disk_losses_max
    /\ faults.swallowed_disk_errors <= swallowed_disk_errors_max
    /\ faults.alien_reports <= alien_reports_max
    /\ faults.early_expiries <= early_expiries_max
    /\ faults.uncopied_expiries <= uncopied_expiries_max
    /\ faults.torn_rolls <= torn_rolls_max
    /\ faults.role_switches <= role_switches_max
    /\ max_offset(master.log) <= ghost_log_size_max_bytes
    /\ master.connection_count <= 2

================================================================================================
