-------- MODULE Replication ------------------------------------------------------------------------
\* RocketMQ 4.4.0, SYNC_MASTER/ASYNC_FLUSH/1 slave. Written from the recorded rules. Names that
\* begin with ghost_ exist only in the specification.
EXTENDS Integers

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
    failed_file_creations_max,
    alien_reports_max,
    forced_deletions_max,
    uncopied_expiries_max,
    torn_rolls_max,
    overlong_waits_max,
    role_switches_max

\* master: The broker with id 0 that accepts puts.
\* slaves: A broker that copies the master's commit log.
\* links: One slave's replication connection: HAClient on the slave, HAConnection on the master.
\* messages: One message that is followed from its put to its answer.
\* faults: A number per kind of fault: how often it has happened, or how often it may.
\* phase: 0 NOT_SENT, 1 REFUSED, 2 WAITS_FOR_DISK, 3 WAITS_FOR_SLAVE_CHECK, 4 WAITS_FOR_SLAVE, 5
\* ANSWERED, 6 UNANSWERED
\* status: 0 PUT_OK, 1 FLUSH_DISK_TIMEOUT, 2 FLUSH_SLAVE_TIMEOUT, 3 SLAVE_NOT_AVAILABLE, 4
\* SERVICE_NOT_AVAILABLE, 5 MESSAGE_ILLEGAL, 6 PROPERTIES_SIZE_EXCEEDED, 7 OS_PAGECACHE_BUSY, 8
\* CREATE_MAPEDFILE_FAILED, 9 UNKNOWN_ERROR
VARIABLES master, slaves, links, messages, faults

vars == <<master, slaves, links, messages, faults>>

Min(a, b) == IF a <= b THEN a ELSE b
Max(a, b) == IF a >= b THEN a ELSE b

----------------------------------------------------------------------------------------------------
\* The first state.

Init ==
    /\ master = [log |-> [ends |-> [k \in 0..2 |-> 0], start_offset |-> 0, last_file_offset |-> 0,
        has_file |-> FALSE, flushed_offset |-> 0, dispatched_offset |-> 0, ghost_durable_offset |->
        0, stale_end_offset |-> 0, ghost_unknown_below_offset |-> 0, ghost_foreign_start_offset |->
        0, ghost_foreign_end_offset |-> 0, ghost_torn_start_offset |-> 0, ghost_torn_end_offset |->
        0], is_up |-> TRUE, is_stopping |-> FALSE, has_abort_file |-> TRUE, is_sync |-> TRUE,
        trailing_blank_offset |-> (-1), ghost_life |-> 0, push2_slave_max_offset |-> 0,
        connection_count |-> 0]
    /\ slaves = [i \in 0..0 |-> [log |-> [ends |-> [l \in 0..2 |-> 0], start_offset |-> 0,
        last_file_offset |-> 0, has_file |-> FALSE, flushed_offset |-> 0, dispatched_offset |-> 0,
        ghost_durable_offset |-> 0, stale_end_offset |-> 0, ghost_unknown_below_offset |-> 0,
        ghost_foreign_start_offset |-> 0, ghost_foreign_end_offset |-> 0, ghost_torn_start_offset
        |-> 0, ghost_torn_end_offset |-> 0], is_up |-> TRUE, is_stopping |-> FALSE, has_abort_file
        |-> TRUE, ghost_earlier_put_offset |-> 0]]
    /\ links = [i \in 0..0 |-> [is_open |-> FALSE, has_reported |-> FALSE, reported_offset |-> 0,
        slave_request_offset |-> (-1), slave_ack_offset |-> (-1), next_transfer_offset |-> (-1),
        transfer_start_offset |-> (-1), arrived_offset |-> (-1)]]
    /\ messages = [i \in 0..0 |-> [phase |-> 0, status |-> 0, waits_for_store |-> TRUE, start_offset
        |-> 0, end_offset |-> 0, disk_flushes |-> 0, transfer_turn |-> 0, wake_ups |-> 0,
        has_producer_given_up |-> FALSE, ghost_copies |-> 0, ghost_life |-> 0, ghost_is_received |->
        FALSE, ghost_is_readable |-> FALSE, ghost_is_expired |-> FALSE, ghost_is_deleted_early |->
        FALSE]]
    /\ faults = [master_kills |-> 0, slave_kills |-> 0, master_power_losses |-> 0,
        slave_power_losses |-> 0, link_cuts |-> 0, late_joins |-> 0, slave_wipes |-> 0,
        master_disk_losses |-> 0, swallowed_disk_errors |-> 0, failed_file_creations |-> 0,
        alien_reports |-> 0, forced_deletions |-> 0, uncopied_expiries |-> 0, torn_rolls |-> 0,
        overlong_waits |-> 0, role_switches |-> 0]

----------------------------------------------------------------------------------------------------
\* Steps.

is_store_open == (master.is_up /\ ~master.is_stopping)

has_bytes_in_file == (master.log.last_file_offset < master.log.ends[2])

is_file_not_full == ~(master.log.ends[2] = (master.log.last_file_offset + mapped_file_size_bytes))

has_message_without_room ==
    LET
        part_0 == (master.log.last_file_offset + mapped_file_size_bytes)
        part_1 == Min(message_size_max_bytes, (mapped_file_size_bytes - end_file_min_blank_bytes))
    IN
    ((IF (master.log.ends[2] = part_0) THEN part_1 ELSE Min(part_1, ((part_0 - master.log.ends[2]) -
        end_file_min_blank_bytes))) < part_1)

is_below_modelled_end ==
    (((master.log.last_file_offset + mapped_file_size_bytes) + mapped_file_size_bytes) <=
        ghost_log_size_max_bytes)

\* A message does not fit: the master fills the file with a blank, before creating the next one.
\* producer: CommitLog.DefaultAppendMessageCallback#doAppend (END_OF_FILE)
fill_file ==
    /\ is_store_open
    /\ has_bytes_in_file
    /\ is_file_not_full
    /\ has_message_without_room
    /\ is_below_modelled_end
    /\ LET
           part_0 == (master.log.ends[2] + ((master.log.last_file_offset + mapped_file_size_bytes) -
               master.log.ends[2]))
       IN
       /\ master' = [master EXCEPT
           !.log.ends[0] = (IF (master.ghost_life <= 0) THEN part_0 ELSE master.log.ends[0]),
           !.log.ends[1] = (IF (master.ghost_life <= 1) THEN part_0 ELSE master.log.ends[1]),
           !.log.ends[2] = (IF (master.ghost_life <= 2) THEN part_0 ELSE master.log.ends[2]),
           !.trailing_blank_offset = master.log.ends[2]]
    /\ UNCHANGED <<slaves, links, messages, faults>>

create_master_file_is_new_file_needed ==
    (~master.log.has_file \/ (master.log.ends[2] = (master.log.last_file_offset +
        mapped_file_size_bytes)))

\* A put makes the master create the file for its message, before it appends the message.
\* producer: CommitLog#putMessage, MappedFileQueue#getLastMappedFile
create_master_file ==
    /\ is_store_open
    /\ create_master_file_is_new_file_needed
    /\ is_below_modelled_end
    /\ master' = [master EXCEPT
        !.log.last_file_offset = (IF (master.log.ends[2] = (master.log.last_file_offset +
            mapped_file_size_bytes)) THEN master.log.ends[2] ELSE master.log.last_file_offset),
        !.log.has_file = TRUE,
        !.trailing_blank_offset = (-1)]
    /\ UNCHANGED <<slaves, links, messages, faults>>

is_next_message == (messages[0].phase = 0)

\* The master appends a producer's message to its commit log; its put begins to wait.
\* producer: CommitLog#putMessage, CommitLog.DefaultAppendMessageCallback#doAppend
append_message_0 ==
    /\ is_store_open
    /\ is_next_message
    /\ is_below_modelled_end
    /\ \E size_bytes \in 1..(IF (master.log.ends[2] = (master.log.last_file_offset +
           mapped_file_size_bytes)) THEN Min(message_size_max_bytes, (mapped_file_size_bytes -
           end_file_min_blank_bytes)) ELSE Min(Min(message_size_max_bytes, (mapped_file_size_bytes -
           end_file_min_blank_bytes)), (((master.log.last_file_offset + mapped_file_size_bytes) -
           master.log.ends[2]) - end_file_min_blank_bytes))), waits_for_store \in 0..1 :
       /\ master' = [master EXCEPT
           !.log.ends[0] = (IF (master.ghost_life <= 0) THEN (master.log.ends[2] + size_bytes) ELSE
               master.log.ends[0]),
           !.log.ends[1] = (IF (master.ghost_life <= 1) THEN (master.log.ends[2] + size_bytes) ELSE
               master.log.ends[1]),
           !.log.ends[2] = (IF (master.ghost_life <= 2) THEN (master.log.ends[2] + size_bytes) ELSE
               master.log.ends[2]),
           !.log.last_file_offset = (IF (master.log.ends[2] = (master.log.last_file_offset +
               mapped_file_size_bytes)) THEN master.log.ends[2] ELSE master.log.last_file_offset),
           !.log.has_file = TRUE,
           !.trailing_blank_offset = (-1)]
       /\ messages' = [messages EXCEPT
           ![0].phase = 2,
           ![0].status = 0,
           ![0].waits_for_store = (waits_for_store = 1),
           ![0].start_offset = master.log.ends[2],
           ![0].end_offset = (master.log.ends[2] + size_bytes),
           ![0].disk_flushes = 0,
           ![0].transfer_turn = 0,
           ![0].wake_ups = 0,
           ![0].has_producer_given_up = FALSE,
           ![0].ghost_copies = 0,
           ![0].ghost_life = master.ghost_life,
           ![0].ghost_is_received = FALSE,
           ![0].ghost_is_readable = FALSE,
           ![0].ghost_is_expired = FALSE,
           ![0].ghost_is_deleted_early = FALSE]
    /\ UNCHANGED <<slaves, links, faults>>

\* The master appends another producer's message, which the model does not follow.
\* producer: CommitLog#putMessage
append_other_message ==
    /\ is_store_open
    /\ is_below_modelled_end
    /\ \E size_bytes \in 1..(IF (master.log.ends[2] = (master.log.last_file_offset +
           mapped_file_size_bytes)) THEN Min(message_size_max_bytes, (mapped_file_size_bytes -
           end_file_min_blank_bytes)) ELSE Min(Min(message_size_max_bytes, (mapped_file_size_bytes -
           end_file_min_blank_bytes)), (((master.log.last_file_offset + mapped_file_size_bytes) -
           master.log.ends[2]) - end_file_min_blank_bytes))) :
       /\ master' = [master EXCEPT
           !.log.ends[0] = (IF (master.ghost_life <= 0) THEN (master.log.ends[2] + size_bytes) ELSE
               master.log.ends[0]),
           !.log.ends[1] = (IF (master.ghost_life <= 1) THEN (master.log.ends[2] + size_bytes) ELSE
               master.log.ends[1]),
           !.log.ends[2] = (IF (master.ghost_life <= 2) THEN (master.log.ends[2] + size_bytes) ELSE
               master.log.ends[2]),
           !.log.last_file_offset = (IF (master.log.ends[2] = (master.log.last_file_offset +
               mapped_file_size_bytes)) THEN master.log.ends[2] ELSE master.log.last_file_offset),
           !.log.has_file = TRUE,
           !.trailing_blank_offset = (-1)]
    /\ UNCHANGED <<slaves, links, messages, faults>>

is_master_up == master.is_up

expire_master_file_has_old_file ==
    ((master.log.start_offset + mapped_file_size_bytes) <= master.log.last_file_offset)

expire_master_file_is_old_file_flushed ==
    ((master.log.start_offset + mapped_file_size_bytes) <= master.log.flushed_offset)

is_old_file_copied ==
    ((master.log.start_offset + mapped_file_size_bytes) <= slaves[0].log.last_file_offset)

\* The master deletes its oldest file, which is flushed and copied by every slave.
\* master: DefaultMessageStore.CleanCommitLogService#run, MappedFileQueue#deleteExpiredFileByTime
expire_master_file ==
    /\ is_master_up
    /\ expire_master_file_has_old_file
    /\ expire_master_file_is_old_file_flushed
    /\ is_old_file_copied
    /\ LET
           part_0 == (master.log.start_offset + mapped_file_size_bytes)
           part_1 == ((2 <= messages[0].phase) /\ (master.log.start_offset <=
               messages[0].start_offset) /\ (master.log.ghost_unknown_below_offset <=
               messages[0].start_offset) /\ (((messages[0].ghost_life = 0) /\ (0 <=
               messages[0].start_offset) /\ (messages[0].start_offset < master.log.ends[0])) \/
               ((messages[0].ghost_life = 1) /\ (master.log.ends[0] <= messages[0].start_offset) /\
               (messages[0].start_offset < master.log.ends[1])) \/ ((messages[0].ghost_life = 2) /\
               (master.log.ends[1] <= messages[0].start_offset) /\ (messages[0].start_offset <
               master.log.ends[2]))) /\ (messages[0].start_offset < part_0))
       IN
       /\ master' = [master EXCEPT
           !.log.start_offset = part_0,
           !.log.ghost_durable_offset = Max(master.log.ghost_durable_offset, part_0)]
       /\ messages' = [messages EXCEPT
           ![0].ghost_is_expired = (messages[0].ghost_is_expired \/ part_1),
           ![0].ghost_is_deleted_early = (messages[0].ghost_is_deleted_early /\ ~part_1)]
    /\ UNCHANGED <<slaves, links, faults>>

expire_uncopied_master_file_has_old_file ==
    ((master.log.start_offset + mapped_file_size_bytes) <= master.log.last_file_offset)

expire_uncopied_master_file_is_old_file_flushed ==
    ((master.log.start_offset + mapped_file_size_bytes) <= master.log.flushed_offset)

is_old_file_not_copied ==
    ~((master.log.start_offset + mapped_file_size_bytes) <= slaves[0].log.last_file_offset)

expire_uncopied_master_file_is_within_limit == (faults.uncopied_expiries < uncopied_expiries_max)

\* The master deletes its oldest file though a slave lacks part of it: no slave is consulted.
\* master: DefaultMessageStore.CleanCommitLogService#run, MappedFileQueue#deleteExpiredFileByTime
expire_uncopied_master_file ==
    /\ is_master_up
    /\ expire_uncopied_master_file_has_old_file
    /\ expire_uncopied_master_file_is_old_file_flushed
    /\ is_old_file_not_copied
    /\ expire_uncopied_master_file_is_within_limit
    /\ LET
           part_0 == (master.log.start_offset + mapped_file_size_bytes)
           part_1 == ((2 <= messages[0].phase) /\ (master.log.start_offset <=
               messages[0].start_offset) /\ (master.log.ghost_unknown_below_offset <=
               messages[0].start_offset) /\ (((messages[0].ghost_life = 0) /\ (0 <=
               messages[0].start_offset) /\ (messages[0].start_offset < master.log.ends[0])) \/
               ((messages[0].ghost_life = 1) /\ (master.log.ends[0] <= messages[0].start_offset) /\
               (messages[0].start_offset < master.log.ends[1])) \/ ((messages[0].ghost_life = 2) /\
               (master.log.ends[1] <= messages[0].start_offset) /\ (messages[0].start_offset <
               master.log.ends[2]))) /\ (messages[0].start_offset < part_0))
       IN
       /\ master' = [master EXCEPT
           !.log.start_offset = part_0,
           !.log.ghost_durable_offset = Max(master.log.ghost_durable_offset, part_0)]
       /\ messages' = [messages EXCEPT
           ![0].ghost_is_expired = (messages[0].ghost_is_expired \/ part_1),
           ![0].ghost_is_deleted_early = (messages[0].ghost_is_deleted_early /\ ~part_1)]
       /\ faults' = [faults EXCEPT
           !.uncopied_expiries = (faults.uncopied_expiries + 1)]
    /\ UNCHANGED <<slaves, links>>

is_slave_up == slaves[0].is_up

expire_slave_file_0_has_old_file ==
    ((slaves[0].log.start_offset + mapped_file_size_bytes) <= slaves[0].log.last_file_offset)

expire_slave_file_0_is_old_file_flushed ==
    ((slaves[0].log.start_offset + mapped_file_size_bytes) <= slaves[0].log.flushed_offset)

\* A slave deletes its oldest file, which is flushed, by its own clock (R-BR-03).
\* slave: DefaultMessageStore.CleanCommitLogService#run, MappedFileQueue#deleteExpiredFileByTime
expire_slave_file_0 ==
    /\ is_slave_up
    /\ expire_slave_file_0_has_old_file
    /\ expire_slave_file_0_is_old_file_flushed
    /\ LET
           part_0 == (slaves[0].log.start_offset + mapped_file_size_bytes)
           part_1 == ((2 <= messages[0].phase) /\ (slaves[0].log.start_offset <=
               messages[0].start_offset) /\ (slaves[0].log.ghost_unknown_below_offset <=
               messages[0].start_offset) /\ (((messages[0].ghost_life = 0) /\ (0 <=
               messages[0].start_offset) /\ (messages[0].start_offset < slaves[0].log.ends[0])) \/
               ((messages[0].ghost_life = 1) /\ (slaves[0].log.ends[0] <= messages[0].start_offset)
               /\ (messages[0].start_offset < slaves[0].log.ends[1])) \/ ((messages[0].ghost_life =
               2) /\ (slaves[0].log.ends[1] <= messages[0].start_offset) /\
               (messages[0].start_offset < slaves[0].log.ends[2]))) /\ (messages[0].start_offset <
               part_0))
       IN
       /\ slaves' = [slaves EXCEPT
           ![0].log.start_offset = part_0,
           ![0].log.ghost_durable_offset = Max(slaves[0].log.ghost_durable_offset, part_0)]
       /\ messages' = [messages EXCEPT
           ![0].ghost_is_expired = (messages[0].ghost_is_expired \/ part_1),
           ![0].ghost_is_deleted_early = (messages[0].ghost_is_deleted_early /\ ~part_1)]
    /\ UNCHANGED <<master, links, faults>>

flush_master_has_unflushed_bytes ==
    (((master.log.start_offset <= master.log.flushed_offset) \/ (master.log.flushed_offset = 0)) /\
        (master.log.flushed_offset < master.log.ends[2]))

\* The master forces to disk the unflushed bytes of one file of its commit log.
\* master: MappedFileQueue#flush, MappedFile#flush
flush_master ==
    /\ is_master_up
    /\ flush_master_has_unflushed_bytes
    /\ LET
           part_0 == Max(master.log.flushed_offset, master.log.start_offset)
           part_1 == (part_0 - (part_0 % mapped_file_size_bytes))
           part_2 == Min(master.log.ends[2], (part_1 + mapped_file_size_bytes))
       IN
       /\ master' = [master EXCEPT
           !.log.flushed_offset = part_2,
           !.log.ghost_durable_offset = Max(master.log.ghost_durable_offset, (IF (part_1 <=
               master.log.ghost_durable_offset) THEN part_2 ELSE master.log.ghost_durable_offset))]
    /\ UNCHANGED <<slaves, links, messages, faults>>

flush_slave_0_has_unflushed_bytes ==
    (((slaves[0].log.start_offset <= slaves[0].log.flushed_offset) \/ (slaves[0].log.flushed_offset
        = 0)) /\ (slaves[0].log.flushed_offset < slaves[0].log.ends[2]))

\* A slave forces one file of its commit log to disk; no put waits for it.
\* slave: MappedFileQueue#flush, MappedFile#flush
flush_slave_0 ==
    /\ is_slave_up
    /\ flush_slave_0_has_unflushed_bytes
    /\ LET
           part_0 == Max(slaves[0].log.flushed_offset, slaves[0].log.start_offset)
           part_1 == (part_0 - (part_0 % mapped_file_size_bytes))
           part_2 == Min(slaves[0].log.ends[2], (part_1 + mapped_file_size_bytes))
       IN
       /\ slaves' = [slaves EXCEPT
           ![0].log.flushed_offset = part_2,
           ![0].log.ghost_durable_offset = Max(slaves[0].log.ghost_durable_offset, (IF (part_1 <=
               slaves[0].log.ghost_durable_offset) THEN part_2 ELSE
               slaves[0].log.ghost_durable_offset))]
    /\ UNCHANGED <<master, links, messages, faults>>

flush_master_too_few_pages_is_flush_below_first_file ==
    ((master.log.flushed_offset = 0) /\ (0 < master.log.start_offset))

flush_master_too_few_pages_is_first_file_not_full ==
    (master.log.ends[2] < (master.log.start_offset + mapped_file_size_bytes))

\* A master that never flushed counts all below its first file as flushed; it forces nothing.
\* master: MappedFileQueue#flush, MappedFile#isAbleToFlush
flush_master_too_few_pages ==
    /\ is_master_up
    /\ flush_master_too_few_pages_is_flush_below_first_file
    /\ flush_master_too_few_pages_is_first_file_not_full
    /\ master' = [master EXCEPT
        !.log.flushed_offset = master.log.start_offset]
    /\ UNCHANGED <<slaves, links, messages, faults>>

flush_slave_too_few_pages_0_is_flush_below_first_file ==
    ((slaves[0].log.flushed_offset = 0) /\ (0 < slaves[0].log.start_offset))

flush_slave_too_few_pages_0_is_first_file_not_full ==
    (slaves[0].log.ends[2] < (slaves[0].log.start_offset + mapped_file_size_bytes))

\* A slave that never flushed counts all below its first file as flushed; it forces nothing.
\* slave: MappedFileQueue#flush, MappedFile#isAbleToFlush
flush_slave_too_few_pages_0 ==
    /\ is_slave_up
    /\ flush_slave_too_few_pages_0_is_flush_below_first_file
    /\ flush_slave_too_few_pages_0_is_first_file_not_full
    /\ slaves' = [slaves EXCEPT
        ![0].log.flushed_offset = slaves[0].log.start_offset]
    /\ UNCHANGED <<master, links, messages, faults>>

dispatch_master_is_dispatch_file_there ==
    ((master.log.start_offset <= master.log.dispatched_offset) \/ (master.log.dispatched_offset =
        0))

dispatch_master_has_whole_record ==
    LET
        part_0 == ((master.log.start_offset <= messages[0].start_offset) /\
            (master.log.ghost_unknown_below_offset <= messages[0].start_offset))
        part_1 == ((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset))
        part_2 == ((messages[0].ghost_life = 1) /\ (master.log.ends[0] <= messages[0].start_offset))
        part_3 == ((messages[0].ghost_life = 2) /\ (master.log.ends[1] <= messages[0].start_offset))
        part_4 == (messages[0].start_offset < master.log.ends[2])
        part_5 == (messages[0].end_offset <= master.log.ends[2])
    IN
    (master.log.dispatched_offset < (IF ((2 <= messages[0].phase) /\ part_0 /\ ((part_1 /\
        (messages[0].start_offset < master.log.ends[0])) \/ (part_2 /\ (messages[0].start_offset <
        master.log.ends[1])) \/ (part_3 /\ part_4)) /\ part_4 /\ ~((2 <= messages[0].phase) /\
        part_0 /\ ((part_1 /\ (messages[0].end_offset <= master.log.ends[0])) \/ (part_2 /\
        (messages[0].end_offset <= master.log.ends[1])) \/ (part_3 /\ part_5)) /\ part_5)) THEN
        Min(master.log.ends[2], messages[0].start_offset) ELSE master.log.ends[2]))

\* The master dispatches one or more messages of its log.
\* master: DefaultMessageStore.ReputMessageService#doReput
dispatch_master ==
    /\ is_master_up
    /\ dispatch_master_is_dispatch_file_there
    /\ dispatch_master_has_whole_record
    /\ \E dispatched_offset \in Max((master.log.dispatched_offset + 1),
           master.log.start_offset)..(IF ((2 <= messages[0].phase) /\ (master.log.start_offset <=
           messages[0].start_offset) /\ (master.log.ghost_unknown_below_offset <=
           messages[0].start_offset) /\ (((messages[0].ghost_life = 0) /\ (0 <=
           messages[0].start_offset) /\ (messages[0].start_offset < master.log.ends[0])) \/
           ((messages[0].ghost_life = 1) /\ (master.log.ends[0] <= messages[0].start_offset) /\
           (messages[0].start_offset < master.log.ends[1])) \/ ((messages[0].ghost_life = 2) /\
           (master.log.ends[1] <= messages[0].start_offset) /\ (messages[0].start_offset <
           master.log.ends[2]))) /\ (messages[0].start_offset < master.log.ends[2]) /\ ~((2 <=
           messages[0].phase) /\ (master.log.start_offset <= messages[0].start_offset) /\
           (master.log.ghost_unknown_below_offset <= messages[0].start_offset) /\
           (((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset) /\
           (messages[0].end_offset <= master.log.ends[0])) \/ ((messages[0].ghost_life = 1) /\
           (master.log.ends[0] <= messages[0].start_offset) /\ (messages[0].end_offset <=
           master.log.ends[1])) \/ ((messages[0].ghost_life = 2) /\ (master.log.ends[1] <=
           messages[0].start_offset) /\ (messages[0].end_offset <= master.log.ends[2]))) /\
           (messages[0].end_offset <= master.log.ends[2]))) THEN Min(master.log.ends[2],
           messages[0].start_offset) ELSE master.log.ends[2]) :
       /\ master' = [master EXCEPT
           !.log.dispatched_offset = dispatched_offset]
       /\ messages' = [messages EXCEPT
           ![0].ghost_is_readable = (messages[0].ghost_is_readable \/ ((2 <= messages[0].phase) /\
               (master.log.start_offset <= messages[0].start_offset) /\
               (master.log.ghost_unknown_below_offset <= messages[0].start_offset) /\
               (((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset) /\
               (messages[0].end_offset <= master.log.ends[0])) \/ ((messages[0].ghost_life = 1) /\
               (master.log.ends[0] <= messages[0].start_offset) /\ (messages[0].end_offset <=
               master.log.ends[1])) \/ ((messages[0].ghost_life = 2) /\ (master.log.ends[1] <=
               messages[0].start_offset) /\ (messages[0].end_offset <= master.log.ends[2]))) /\
               ~((master.log.ghost_torn_start_offset < master.log.ghost_torn_end_offset) /\
               (master.log.ghost_torn_start_offset < messages[0].end_offset) /\
               (messages[0].start_offset < master.log.ghost_torn_end_offset)) /\
               (messages[0].end_offset <= dispatched_offset)))]
    /\ UNCHANGED <<slaves, links, faults>>

dispatch_slave_0_is_dispatch_file_there ==
    ((slaves[0].log.start_offset <= slaves[0].log.dispatched_offset) \/
        (slaves[0].log.dispatched_offset = 0))

dispatch_slave_0_has_whole_record ==
    LET
        part_0 == ((slaves[0].log.start_offset <= messages[0].start_offset) /\
            (slaves[0].log.ghost_unknown_below_offset <= messages[0].start_offset))
        part_1 == ((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset))
        part_2 == ((messages[0].ghost_life = 1) /\ (slaves[0].log.ends[0] <=
            messages[0].start_offset))
        part_3 == ((messages[0].ghost_life = 2) /\ (slaves[0].log.ends[1] <=
            messages[0].start_offset))
        part_4 == (messages[0].start_offset < slaves[0].log.ends[2])
        part_5 == (messages[0].end_offset <= slaves[0].log.ends[2])
    IN
    (slaves[0].log.dispatched_offset < (IF ((2 <= messages[0].phase) /\ part_0 /\ ((part_1 /\
        (messages[0].start_offset < slaves[0].log.ends[0])) \/ (part_2 /\ (messages[0].start_offset
        < slaves[0].log.ends[1])) \/ (part_3 /\ part_4)) /\ part_4 /\ ~((2 <= messages[0].phase) /\
        part_0 /\ ((part_1 /\ (messages[0].end_offset <= slaves[0].log.ends[0])) \/ (part_2 /\
        (messages[0].end_offset <= slaves[0].log.ends[1])) \/ (part_3 /\ part_5)) /\ part_5)) THEN
        Min(slaves[0].log.ends[2], messages[0].start_offset) ELSE slaves[0].log.ends[2]))

\* A slave dispatches one or more messages of its log, as far as they are whole.
\* slave: DefaultMessageStore.ReputMessageService#doReput
dispatch_slave_0 ==
    /\ is_slave_up
    /\ dispatch_slave_0_is_dispatch_file_there
    /\ dispatch_slave_0_has_whole_record
    /\ \E dispatched_offset \in Max((slaves[0].log.dispatched_offset + 1),
           slaves[0].log.start_offset)..(IF ((2 <= messages[0].phase) /\ (slaves[0].log.start_offset
           <= messages[0].start_offset) /\ (slaves[0].log.ghost_unknown_below_offset <=
           messages[0].start_offset) /\ (((messages[0].ghost_life = 0) /\ (0 <=
           messages[0].start_offset) /\ (messages[0].start_offset < slaves[0].log.ends[0])) \/
           ((messages[0].ghost_life = 1) /\ (slaves[0].log.ends[0] <= messages[0].start_offset) /\
           (messages[0].start_offset < slaves[0].log.ends[1])) \/ ((messages[0].ghost_life = 2) /\
           (slaves[0].log.ends[1] <= messages[0].start_offset) /\ (messages[0].start_offset <
           slaves[0].log.ends[2]))) /\ (messages[0].start_offset < slaves[0].log.ends[2]) /\ ~((2 <=
           messages[0].phase) /\ (slaves[0].log.start_offset <= messages[0].start_offset) /\
           (slaves[0].log.ghost_unknown_below_offset <= messages[0].start_offset) /\
           (((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset) /\
           (messages[0].end_offset <= slaves[0].log.ends[0])) \/ ((messages[0].ghost_life = 1) /\
           (slaves[0].log.ends[0] <= messages[0].start_offset) /\ (messages[0].end_offset <=
           slaves[0].log.ends[1])) \/ ((messages[0].ghost_life = 2) /\ (slaves[0].log.ends[1] <=
           messages[0].start_offset) /\ (messages[0].end_offset <= slaves[0].log.ends[2]))) /\
           (messages[0].end_offset <= slaves[0].log.ends[2]))) THEN Min(slaves[0].log.ends[2],
           messages[0].start_offset) ELSE slaves[0].log.ends[2]) :
       /\ slaves' = [slaves EXCEPT
           ![0].log.dispatched_offset = dispatched_offset]
    /\ UNCHANGED <<master, links, messages, faults>>

\* The master refuses a put and writes nothing: stopping, disk full, busy, too large.
\* master: DefaultMessageStore#putMessage, CommitLog#putMessage
refuse_put_0 ==
    /\ is_master_up
    /\ is_next_message
    /\ \E status \in 4..9 :
       /\ messages' = [messages EXCEPT
           ![0].phase = 1,
           ![0].status = status]
    /\ UNCHANGED <<master, slaves, links, faults>>

is_waiting_for_disk == (messages[0].phase = 2)

has_check_left == (messages[0].disk_flushes < 2)

\* The disk step succeeds: no disk wait applies, or the check finds the bytes flushed.
\* master: CommitLog#handleDiskFlush, GroupCommitService#doCommit
answer_disk_wait_0 ==
    /\ is_waiting_for_disk
    /\ has_check_left
    /\ messages' = [messages EXCEPT
        ![0].phase = 3]
    /\ UNCHANGED <<master, slaves, links, faults>>

is_waiting_for_slave_check == (messages[0].phase = 3)

has_no_slave_wait == ~(master.is_sync /\ messages[0].waits_for_store)

\* The put does not wait for a slave: it is answered with the status of the disk step.
\* master: CommitLog#handleHA
skip_slave_wait_0 ==
    /\ is_waiting_for_slave_check
    /\ has_no_slave_wait
    /\ messages' = [messages EXCEPT
        ![0].phase = 5]
    /\ UNCHANGED <<master, slaves, links, faults>>

has_slave_wait == (master.is_sync /\ messages[0].waits_for_store)

is_slave_not_ok ==
    ~((0 < master.connection_count) /\ ((messages[0].end_offset - master.push2_slave_max_offset) <
        ha_slave_fallbehind_max_bytes))

\* No connection, or the slave is too far behind: SLAVE_NOT_AVAILABLE; the message stays.
\* master: CommitLog#handleHA, HAService#isSlaveOK
refuse_slave_wait_0 ==
    /\ is_waiting_for_slave_check
    /\ has_slave_wait
    /\ is_slave_not_ok
    /\ messages' = [messages EXCEPT
        ![0].phase = 5,
        ![0].status = 3]
    /\ UNCHANGED <<master, slaves, links, faults>>

is_slave_ok ==
    ((0 < master.connection_count) /\ ((messages[0].end_offset - master.push2_slave_max_offset) <
        ha_slave_fallbehind_max_bytes))

\* A slave is connected and close enough: the put waits until its end offset is reported.
\* master: CommitLog#handleHA, GroupTransferService#putRequest
request_slave_wait_0 ==
    /\ is_waiting_for_slave_check
    /\ has_slave_wait
    /\ is_slave_ok
    /\ messages' = [messages EXCEPT
        ![0].phase = 4,
        ![0].transfer_turn = (1 + Max(0, (IF (messages[0].phase = 4) THEN messages[0].transfer_turn
            ELSE 0)))]
    /\ UNCHANGED <<master, slaves, links, faults>>

is_waiting_for_slave == (messages[0].phase = 4)

is_not_reported == ~(messages[0].end_offset <= master.push2_slave_max_offset)

has_wake_up_left == (messages[0].wake_ups < 5)

\* The group transfer waits a second for the put it is serving, in vain: one more wake-up.
\* master: GroupTransferService#doWaitTransfer
wait_one_second_0 ==
    /\ is_waiting_for_slave
    /\ is_not_reported
    /\ has_wake_up_left
    /\ messages' = [messages EXCEPT
        ![0].wake_ups = (messages[0].wake_ups + 1)]
    /\ UNCHANGED <<master, slaves, links, faults>>

is_reported == (messages[0].end_offset <= master.push2_slave_max_offset)

\* A slave has reported the end offset: PUT_OK, unless the disk step has failed.
\* master: GroupTransferService#doWaitTransfer
answer_slave_wait_0 ==
    /\ is_waiting_for_slave
    /\ is_reported
    /\ messages' = [messages EXCEPT
        ![0].phase = 5]
    /\ UNCHANGED <<master, slaves, links, faults>>

has_no_wake_up_left == (messages[0].wake_ups = 5)

\* Five wake-ups are used up: FLUSH_SLAVE_TIMEOUT, perhaps within milliseconds (R-HA-21).
\* master: GroupTransferService#doWaitTransfer
give_up_slave_wait_0 ==
    /\ is_waiting_for_slave
    /\ is_not_reported
    /\ has_no_wake_up_left
    /\ messages' = [messages EXCEPT
        ![0].phase = 5,
        ![0].status = 2]
    /\ UNCHANGED <<master, slaves, links, faults>>

\* The put's own timeout ends its wait for a slave: FLUSH_SLAVE_TIMEOUT; the message stays.
\* master: CommitLog#handleHA, GroupCommitRequest#waitForFlush
time_out_slave_wait_0 ==
    /\ is_waiting_for_slave
    /\ messages' = [messages EXCEPT
        ![0].phase = 5,
        ![0].status = 2]
    /\ UNCHANGED <<master, slaves, links, faults>>

is_pending == ((2 <= messages[0].phase) /\ (messages[0].phase <= 4))

is_producer_waiting == ~messages[0].has_producer_given_up

\* The producer's own timeout ends its wait, before the broker answers (R-PR-03).
\* producer: DefaultMQProducerImpl#sendDefaultImpl, NettyRemotingClient#invokeSync
give_up_send_0 ==
    /\ is_pending
    /\ is_producer_waiting
    /\ messages' = [messages EXCEPT
        ![0].has_producer_given_up = TRUE]
    /\ UNCHANGED <<master, slaves, links, faults>>

is_outcome_unknown == (messages[0].has_producer_given_up \/ (messages[0].phase = 6))

has_copy_left == (messages[0].ghost_copies < 1)

\* After an unknown outcome, the client or its user sends the message again (R-PR-04).
\* producer: DefaultMQProducerImpl#sendDefaultImpl
send_again_0 ==
    /\ is_store_open
    /\ is_outcome_unknown
    /\ is_below_modelled_end
    /\ has_copy_left
    /\ \E size_bytes \in 1..(IF (master.log.ends[2] = (master.log.last_file_offset +
           mapped_file_size_bytes)) THEN Min(message_size_max_bytes, (mapped_file_size_bytes -
           end_file_min_blank_bytes)) ELSE Min(Min(message_size_max_bytes, (mapped_file_size_bytes -
           end_file_min_blank_bytes)), (((master.log.last_file_offset + mapped_file_size_bytes) -
           master.log.ends[2]) - end_file_min_blank_bytes))) :
       /\ master' = [master EXCEPT
           !.log.ends[0] = (IF (master.ghost_life <= 0) THEN (master.log.ends[2] + size_bytes) ELSE
               master.log.ends[0]),
           !.log.ends[1] = (IF (master.ghost_life <= 1) THEN (master.log.ends[2] + size_bytes) ELSE
               master.log.ends[1]),
           !.log.ends[2] = (IF (master.ghost_life <= 2) THEN (master.log.ends[2] + size_bytes) ELSE
               master.log.ends[2]),
           !.log.last_file_offset = (IF (master.log.ends[2] = (master.log.last_file_offset +
               mapped_file_size_bytes)) THEN master.log.ends[2] ELSE master.log.last_file_offset),
           !.log.has_file = TRUE,
           !.trailing_blank_offset = (-1)]
       /\ messages' = [messages EXCEPT
           ![0].ghost_copies = (messages[0].ghost_copies + 1)]
    /\ UNCHANGED <<slaves, links, faults>>

is_link_closed == ~links[0].is_open

\* A slave connects and is counted immediately; it notes its max offset, but reports nothing.
\* slave: HAClient#connectMaster, HAConnection (constructor)
connect_slave_0 ==
    /\ is_master_up
    /\ is_slave_up
    /\ is_link_closed
    /\ master' = [master EXCEPT
        !.connection_count = (master.connection_count + 1)]
    /\ links' = [links EXCEPT
        ![0].is_open = TRUE,
        ![0].has_reported = FALSE,
        ![0].reported_offset = slaves[0].log.ends[2],
        ![0].slave_request_offset = (-1),
        ![0].slave_ack_offset = (-1),
        ![0].next_transfer_offset = (-1),
        ![0].transfer_start_offset = (-1),
        ![0].arrived_offset = (-1)]
    /\ UNCHANGED <<slaves, messages, faults>>

is_link_open == links[0].is_open

\* One end has read nothing for its housekeeping interval and closes, though nothing is wrong.
\* master: HAConnection.ReadSocketService#run, HAClient#run
close_idle_connection_0 ==
    /\ is_link_open
    /\ links' = [links EXCEPT
        ![0].is_open = FALSE,
        ![0].has_reported = FALSE,
        ![0].reported_offset = 0,
        ![0].slave_request_offset = (-1),
        ![0].slave_ack_offset = (-1),
        ![0].next_transfer_offset = (-1),
        ![0].transfer_start_offset = (-1),
        ![0].arrived_offset = (-1)]
    /\ UNCHANGED <<master, slaves, messages, faults>>

has_dead_connection == ((IF links[0].is_open THEN 1 ELSE 0) < master.connection_count)

\* The master notices that a connection is dead and stops counting it.
\* master: HAConnection.ReadSocketService#run
drop_connection ==
    /\ is_master_up
    /\ has_dead_connection
    /\ master' = [master EXCEPT
        !.connection_count = (master.connection_count - 1)]
    /\ UNCHANGED <<slaves, links, messages, faults>>

has_not_reported == ~links[0].has_reported

is_earlier_put_over ==
    ~((2 <= messages[0].phase) /\ (messages[0].phase <= 4) /\ (messages[0].end_offset <=
        slaves[0].ghost_earlier_put_offset))

\* A slave sends its first report, more than a heartbeat interval after it connected.
\* slave: HAClient#isTimeToReportOffset, #reportSlaveMaxOffset
report_offset_0 ==
    /\ is_link_open
    /\ is_slave_up
    /\ has_not_reported
    /\ is_earlier_put_over
    /\ links' = [links EXCEPT
        ![0].has_reported = TRUE]
    /\ UNCHANGED <<master, slaves, messages, faults>>

is_earlier_put_waiting ==
    ((2 <= messages[0].phase) /\ (messages[0].phase <= 4) /\ (messages[0].end_offset <=
        slaves[0].ghost_earlier_put_offset))

report_offset_to_earlier_put_0_is_within_limit == (faults.overlong_waits < overlong_waits_max)

\* A slave sends its first report while a put from before the slave's start still waits.
\* slave: HAClient#isTimeToReportOffset, GroupCommitRequest#waitForFlush (syncFlushTimeout)
report_offset_to_earlier_put_0 ==
    /\ is_link_open
    /\ is_slave_up
    /\ has_not_reported
    /\ is_earlier_put_waiting
    /\ report_offset_to_earlier_put_0_is_within_limit
    /\ links' = [links EXCEPT
        ![0].has_reported = TRUE]
    /\ faults' = [faults EXCEPT
        !.overlong_waits = (faults.overlong_waits + 1)]
    /\ UNCHANGED <<master, slaves, messages>>

has_report_in_flight ==
    (links[0].has_reported /\ (links[0].slave_ack_offset < links[0].reported_offset))

\* The master reads reports: the last of them counts, unchecked, and can only raise push2.
\* master: HAConnection.ReadSocketService#processReadEvent, HAService#notifyTransferSome
receive_report_0 ==
    /\ is_link_open
    /\ is_master_up
    /\ has_report_in_flight
    /\ \E slave_offset \in (IF (links[0].slave_request_offset < 0) THEN links[0].reported_offset
           ELSE Max((links[0].slave_ack_offset + 1),
           slaves[0].log.start_offset))..links[0].reported_offset :
       /\ master' = [master EXCEPT
           !.push2_slave_max_offset = Max(master.push2_slave_max_offset, slave_offset)]
       /\ links' = [links EXCEPT
           ![0].slave_request_offset = (IF (links[0].slave_request_offset < 0) THEN slave_offset
               ELSE links[0].slave_request_offset),
           ![0].slave_ack_offset = slave_offset]
       /\ messages' = [messages EXCEPT
           ![0].wake_ups = (IF ((master.push2_slave_max_offset < slave_offset) /\ (messages[0].phase
               = 4)) THEN Min((messages[0].wake_ups + 1), 5) ELSE messages[0].wake_ups)]
    /\ UNCHANGED <<slaves, faults>>

has_request == (0 <= links[0].slave_request_offset)

is_not_positioned == ~(0 <= links[0].next_transfer_offset)

is_request_taken_as_it_is ==
    ((0 < links[0].slave_request_offset) \/ ((IF (master.log.ends[2] = (master.log.last_file_offset
        + mapped_file_size_bytes)) THEN master.log.ends[2] ELSE master.log.last_file_offset) = 0))

\* The master sets its sending position to the slave's requested offset, without checking it.
\* master: HAConnection.WriteSocketService#run
position_transfer_0 ==
    /\ is_link_open
    /\ is_master_up
    /\ has_request
    /\ is_not_positioned
    /\ is_request_taken_as_it_is
    /\ links' = [links EXCEPT
        ![0].next_transfer_offset = links[0].slave_request_offset,
        ![0].transfer_start_offset = links[0].slave_request_offset,
        ![0].arrived_offset = links[0].slave_request_offset]
    /\ UNCHANGED <<master, slaves, messages, faults>>

is_request_zero == (links[0].slave_request_offset = 0)

has_older_file ==
    (0 < (IF (master.log.ends[2] = (master.log.last_file_offset + mapped_file_size_bytes)) THEN
        master.log.ends[2] ELSE master.log.last_file_offset))

position_at_last_file_0_is_within_limit == (faults.late_joins < late_joins_max)

\* A slave that requests 0 is sent only the last file; it never gets the earlier ones.
\* master: HAConnection.WriteSocketService#run
position_at_last_file_0 ==
    /\ is_link_open
    /\ is_master_up
    /\ is_request_zero
    /\ is_not_positioned
    /\ has_older_file
    /\ position_at_last_file_0_is_within_limit
    /\ LET
           part_0 == (IF (master.log.ends[2] = (master.log.last_file_offset +
               mapped_file_size_bytes)) THEN master.log.ends[2] ELSE master.log.last_file_offset)
       IN
       /\ links' = [links EXCEPT
           ![0].next_transfer_offset = part_0,
           ![0].transfer_start_offset = part_0,
           ![0].arrived_offset = part_0]
       /\ faults' = [faults EXCEPT
           !.late_joins = (faults.late_joins + 1)]
    /\ UNCHANGED <<master, slaves, messages>>

is_positioned == (0 <= links[0].next_transfer_offset)

is_not_below_first_file == (master.log.start_offset <= links[0].next_transfer_offset)

has_bytes_to_send == (links[0].next_transfer_offset < master.log.ends[2])

\* The master sends its next bytes; a batch ignores message boundaries, but ends with a file.
\* master: HAConnection.WriteSocketService#run, DefaultMessageStore#getCommitLogData
transfer_batch_0 ==
    /\ is_link_open
    /\ is_store_open
    /\ is_positioned
    /\ is_not_below_first_file
    /\ has_bytes_to_send
    /\ \E size_bytes \in 1..Min(Min(ha_transfer_batch_size_bytes, (mapped_file_size_bytes -
           (links[0].next_transfer_offset % mapped_file_size_bytes))), (master.log.ends[2] -
           links[0].next_transfer_offset)) :
       /\ links' = [links EXCEPT
           ![0].next_transfer_offset = (links[0].next_transfer_offset + size_bytes)]
    /\ UNCHANGED <<master, slaves, messages, faults>>

is_accepting == (slaves[0].is_up /\ ~slaves[0].is_stopping)

create_slave_file_0_is_new_file_needed ==
    (~slaves[0].log.has_file \/ (slaves[0].log.ends[2] = (slaves[0].log.last_file_offset +
        mapped_file_size_bytes)))

is_frame_taken == ((slaves[0].log.ends[2] = 0) \/ (slaves[0].log.ends[2] = links[0].arrived_offset))

\* A heartbeat, a frame without bytes, makes a slave create the file for its next byte.
\* slave: HAClient#dispatchReadRequest, CommitLog#appendData
create_slave_file_0 ==
    /\ is_link_open
    /\ is_accepting
    /\ is_positioned
    /\ create_slave_file_0_is_new_file_needed
    /\ is_frame_taken
    /\ LET
           part_0 == (IF (links[0].arrived_offset < (links[0].transfer_start_offset +
               mapped_file_size_bytes)) THEN links[0].transfer_start_offset ELSE
               (links[0].arrived_offset - (links[0].arrived_offset % mapped_file_size_bytes)))
           part_1 == (IF ~slaves[0].log.has_file THEN part_0 ELSE slaves[0].log.ends[2])
           part_2 == (IF ~slaves[0].log.has_file THEN part_0 ELSE slaves[0].log.last_file_offset)
       IN
       /\ slaves' = [slaves EXCEPT
           ![0].log.ends[0] = (IF ~slaves[0].log.has_file THEN part_0 ELSE slaves[0].log.ends[0]),
           ![0].log.ends[1] = (IF ~slaves[0].log.has_file THEN part_0 ELSE slaves[0].log.ends[1]),
           ![0].log.ends[2] = part_1,
           ![0].log.start_offset = (IF ~slaves[0].log.has_file THEN part_0 ELSE
               slaves[0].log.start_offset),
           ![0].log.last_file_offset = (IF (part_1 = (part_2 + mapped_file_size_bytes)) THEN part_1
               ELSE part_2),
           ![0].log.has_file = TRUE,
           ![0].log.ghost_durable_offset = (IF ~slaves[0].log.has_file THEN part_0 ELSE
               slaves[0].log.ghost_durable_offset)]
       /\ links' = [links EXCEPT
           ![0].reported_offset = part_1]
    /\ UNCHANGED <<master, messages, faults>>

has_bytes_in_flight == (links[0].arrived_offset < links[0].next_transfer_offset)

is_in_step ==
    ((~slaves[0].log.has_file /\ (links[0].arrived_offset = links[0].transfer_start_offset)) \/
        (slaves[0].log.has_file /\ (slaves[0].log.ends[2] = links[0].arrived_offset)))

\* A slave appends bytes that have arrived and reports its new max offset immediately.
\* slave: HAClient#dispatchReadRequest, #reportSlaveMaxOffsetPlus, CommitLog#appendData
append_to_slave_0 ==
    /\ is_link_open
    /\ is_accepting
    /\ has_bytes_in_flight
    /\ is_in_step
    /\ \E size_bytes \in 1..Min((links[0].next_transfer_offset - links[0].arrived_offset), (((IF
           ((IF ~slaves[0].log.has_file THEN (IF (links[0].arrived_offset <
           (links[0].transfer_start_offset + mapped_file_size_bytes)) THEN
           links[0].transfer_start_offset ELSE (links[0].arrived_offset - (links[0].arrived_offset %
           mapped_file_size_bytes))) ELSE slaves[0].log.ends[2]) = ((IF ~slaves[0].log.has_file THEN
           (IF (links[0].arrived_offset < (links[0].transfer_start_offset + mapped_file_size_bytes))
           THEN links[0].transfer_start_offset ELSE (links[0].arrived_offset -
           (links[0].arrived_offset % mapped_file_size_bytes))) ELSE slaves[0].log.last_file_offset)
           + mapped_file_size_bytes)) THEN (IF ~slaves[0].log.has_file THEN (IF
           (links[0].arrived_offset < (links[0].transfer_start_offset + mapped_file_size_bytes))
           THEN links[0].transfer_start_offset ELSE (links[0].arrived_offset -
           (links[0].arrived_offset % mapped_file_size_bytes))) ELSE slaves[0].log.ends[2]) ELSE (IF
           ~slaves[0].log.has_file THEN (IF (links[0].arrived_offset <
           (links[0].transfer_start_offset + mapped_file_size_bytes)) THEN
           links[0].transfer_start_offset ELSE (links[0].arrived_offset - (links[0].arrived_offset %
           mapped_file_size_bytes))) ELSE slaves[0].log.last_file_offset)) + mapped_file_size_bytes)
           - (IF ~slaves[0].log.has_file THEN (IF (links[0].arrived_offset <
           (links[0].transfer_start_offset + mapped_file_size_bytes)) THEN
           links[0].transfer_start_offset ELSE (links[0].arrived_offset - (links[0].arrived_offset %
           mapped_file_size_bytes))) ELSE slaves[0].log.ends[2]))) :
       LET
           part_0 == (IF (links[0].arrived_offset < (links[0].transfer_start_offset +
               mapped_file_size_bytes)) THEN links[0].transfer_start_offset ELSE
               (links[0].arrived_offset - (links[0].arrived_offset % mapped_file_size_bytes)))
           part_1 == (IF ~slaves[0].log.has_file THEN part_0 ELSE slaves[0].log.ends[2])
           part_2 == (IF (part_1 < master.log.ends[0]) THEN Min(master.log.ends[0], (part_1 +
               size_bytes)) ELSE (IF ~slaves[0].log.has_file THEN part_0 ELSE
               slaves[0].log.ends[0]))
           part_3 == (IF (part_1 < master.log.ends[1]) THEN Min(master.log.ends[1], (part_1 +
               size_bytes)) ELSE (IF ~slaves[0].log.has_file THEN part_0 ELSE
               slaves[0].log.ends[1]))
           part_4 == (IF (part_1 < master.log.ends[2]) THEN Min(master.log.ends[2], (part_1 +
               size_bytes)) ELSE part_1)
           part_5 == (IF ~slaves[0].log.has_file THEN part_0 ELSE slaves[0].log.start_offset)
           part_6 == (IF ~slaves[0].log.has_file THEN part_0 ELSE slaves[0].log.last_file_offset)
       IN
       /\ slaves' = [slaves EXCEPT
           ![0].log.ends[0] = part_2,
           ![0].log.ends[1] = part_3,
           ![0].log.ends[2] = part_4,
           ![0].log.start_offset = part_5,
           ![0].log.last_file_offset = (IF (part_1 = (part_6 + mapped_file_size_bytes)) THEN part_1
               ELSE part_6),
           ![0].log.has_file = TRUE,
           ![0].log.ghost_durable_offset = (IF ~slaves[0].log.has_file THEN part_0 ELSE
               slaves[0].log.ghost_durable_offset)]
       /\ links' = [links EXCEPT
           ![0].has_reported = TRUE,
           ![0].reported_offset = (part_1 + size_bytes),
           ![0].arrived_offset = (links[0].arrived_offset + size_bytes)]
       /\ messages' = [messages EXCEPT
           ![0].ghost_is_received = (messages[0].ghost_is_received \/ ((2 <= messages[0].phase) /\
               (part_5 <= messages[0].start_offset) /\ (slaves[0].log.ghost_unknown_below_offset <=
               messages[0].start_offset) /\ (((messages[0].ghost_life = 0) /\ (0 <=
               messages[0].start_offset) /\ (messages[0].end_offset <= part_2)) \/
               ((messages[0].ghost_life = 1) /\ (part_2 <= messages[0].start_offset) /\
               (messages[0].end_offset <= part_3)) \/ ((messages[0].ghost_life = 2) /\ (part_3 <=
               messages[0].start_offset) /\ (messages[0].end_offset <= part_4))) /\
               ~((slaves[0].log.ghost_torn_start_offset < slaves[0].log.ghost_torn_end_offset) /\
               (slaves[0].log.ghost_torn_start_offset < messages[0].end_offset) /\
               (messages[0].start_offset < slaves[0].log.ghost_torn_end_offset))))]
    /\ UNCHANGED <<master, faults>>

is_out_of_step ==
    ~((~slaves[0].log.has_file /\ (links[0].arrived_offset = links[0].transfer_start_offset)) \/
        (slaves[0].log.has_file /\ (slaves[0].log.ends[2] = links[0].arrived_offset)))

\* A slave whose max offset is 0 takes bytes of any offset and stores them where its log begins.
\* slave: HAClient#dispatchReadRequest, CommitLog#appendData
append_at_wrong_offset_0 ==
    /\ is_link_open
    /\ is_accepting
    /\ has_bytes_in_flight
    /\ is_frame_taken
    /\ is_out_of_step
    /\ \E size_bytes \in 1..Min((links[0].next_transfer_offset - links[0].arrived_offset), (((IF
           ((IF ~slaves[0].log.has_file THEN (IF (links[0].arrived_offset <
           (links[0].transfer_start_offset + mapped_file_size_bytes)) THEN
           links[0].transfer_start_offset ELSE (links[0].arrived_offset - (links[0].arrived_offset %
           mapped_file_size_bytes))) ELSE slaves[0].log.ends[2]) = ((IF ~slaves[0].log.has_file THEN
           (IF (links[0].arrived_offset < (links[0].transfer_start_offset + mapped_file_size_bytes))
           THEN links[0].transfer_start_offset ELSE (links[0].arrived_offset -
           (links[0].arrived_offset % mapped_file_size_bytes))) ELSE slaves[0].log.last_file_offset)
           + mapped_file_size_bytes)) THEN (IF ~slaves[0].log.has_file THEN (IF
           (links[0].arrived_offset < (links[0].transfer_start_offset + mapped_file_size_bytes))
           THEN links[0].transfer_start_offset ELSE (links[0].arrived_offset -
           (links[0].arrived_offset % mapped_file_size_bytes))) ELSE slaves[0].log.ends[2]) ELSE (IF
           ~slaves[0].log.has_file THEN (IF (links[0].arrived_offset <
           (links[0].transfer_start_offset + mapped_file_size_bytes)) THEN
           links[0].transfer_start_offset ELSE (links[0].arrived_offset - (links[0].arrived_offset %
           mapped_file_size_bytes))) ELSE slaves[0].log.last_file_offset)) + mapped_file_size_bytes)
           - (IF ~slaves[0].log.has_file THEN (IF (links[0].arrived_offset <
           (links[0].transfer_start_offset + mapped_file_size_bytes)) THEN
           links[0].transfer_start_offset ELSE (links[0].arrived_offset - (links[0].arrived_offset %
           mapped_file_size_bytes))) ELSE slaves[0].log.ends[2]))) :
       LET
           part_0 == (IF (links[0].arrived_offset < (links[0].transfer_start_offset +
               mapped_file_size_bytes)) THEN links[0].transfer_start_offset ELSE
               (links[0].arrived_offset - (links[0].arrived_offset % mapped_file_size_bytes)))
           part_1 == (IF ~slaves[0].log.has_file THEN part_0 ELSE slaves[0].log.ends[2])
           part_2 == (IF (master.ghost_life <= 2) THEN (part_1 + size_bytes) ELSE part_1)
           part_3 == (IF ~slaves[0].log.has_file THEN part_0 ELSE slaves[0].log.last_file_offset)
       IN
       /\ slaves' = [slaves EXCEPT
           ![0].log.ends[0] = (IF (master.ghost_life <= 0) THEN (part_1 + size_bytes) ELSE (IF
               ~slaves[0].log.has_file THEN part_0 ELSE slaves[0].log.ends[0])),
           ![0].log.ends[1] = (IF (master.ghost_life <= 1) THEN (part_1 + size_bytes) ELSE (IF
               ~slaves[0].log.has_file THEN part_0 ELSE slaves[0].log.ends[1])),
           ![0].log.ends[2] = part_2,
           ![0].log.start_offset = (IF ~slaves[0].log.has_file THEN part_0 ELSE
               slaves[0].log.start_offset),
           ![0].log.last_file_offset = (IF (part_1 = (part_3 + mapped_file_size_bytes)) THEN part_1
               ELSE part_3),
           ![0].log.has_file = TRUE,
           ![0].log.ghost_durable_offset = (IF ~slaves[0].log.has_file THEN part_0 ELSE
               slaves[0].log.ghost_durable_offset),
           ![0].log.ghost_unknown_below_offset = part_2]
       /\ links' = [links EXCEPT
           ![0].has_reported = TRUE,
           ![0].reported_offset = part_2,
           ![0].arrived_offset = (links[0].arrived_offset + size_bytes)]
    /\ UNCHANGED <<master, messages, faults>>

is_frame_not_taken ==
    ~((slaves[0].log.ends[2] = 0) \/ (slaves[0].log.ends[2] = links[0].arrived_offset))

\* A frame does not begin where the slave's log ends: the slave closes the connection.
\* slave: HAClient#dispatchReadRequest
refuse_frame_0 ==
    /\ is_link_open
    /\ is_slave_up
    /\ is_positioned
    /\ is_frame_not_taken
    /\ links' = [links EXCEPT
        ![0].is_open = FALSE,
        ![0].has_reported = FALSE,
        ![0].reported_offset = 0,
        ![0].slave_request_offset = (-1),
        ![0].slave_ack_offset = (-1),
        ![0].next_transfer_offset = (-1),
        ![0].transfer_start_offset = (-1),
        ![0].arrived_offset = (-1)]
    /\ UNCHANGED <<master, slaves, messages, faults>>

discard_frame_0_is_stopping == slaves[0].is_stopping

\* A stopping slave reads a frame and drops its bytes; the append fails unnoticed (R-HC-08).
\* slave: HAClient#dispatchReadRequest, DefaultMessageStore#appendToCommitLog
discard_frame_0 ==
    /\ is_link_open
    /\ is_slave_up
    /\ discard_frame_0_is_stopping
    /\ has_bytes_in_flight
    /\ is_frame_taken
    /\ \E size_bytes \in 1..(links[0].next_transfer_offset - links[0].arrived_offset) :
       /\ links' = [links EXCEPT
           ![0].arrived_offset = (links[0].arrived_offset + size_bytes)]
    /\ UNCHANGED <<master, slaves, messages, faults>>

begin_master_stop_is_not_stopping == ~master.is_stopping

\* The master begins to stop: its store now refuses puts and sends no bytes.
\* master: DefaultMessageStore#shutdown
begin_master_stop ==
    /\ is_master_up
    /\ begin_master_stop_is_not_stopping
    /\ master' = [master EXCEPT
        !.is_stopping = TRUE]
    /\ UNCHANGED <<slaves, links, messages, faults>>

finish_master_stop_is_stopping == master.is_stopping

\* The master completes its clean stop.
\* master: DefaultMessageStore#shutdown, CommitLog#shutdown
finish_master_stop ==
    /\ is_master_up
    /\ finish_master_stop_is_stopping
    /\ LET
           part_0 == (((master.log.start_offset <= master.log.flushed_offset) \/
               (master.log.flushed_offset = 0)) /\ (master.log.flushed_offset < master.log.ends[2]))
           part_1 == Max(master.log.flushed_offset, master.log.start_offset)
       IN
       /\ master' = [master EXCEPT
           !.log.flushed_offset = (IF part_0 THEN master.log.ends[2] ELSE
               master.log.flushed_offset),
           !.log.ghost_durable_offset = (IF (part_0 /\ ((part_1 - (part_1 % mapped_file_size_bytes))
               <= master.log.ghost_durable_offset)) THEN master.log.ends[2] ELSE
               master.log.ghost_durable_offset),
           !.is_up = FALSE,
           !.is_stopping = FALSE,
           !.has_abort_file = (master.log.dispatched_offset < master.log.ends[2]),
           !.push2_slave_max_offset = 0,
           !.connection_count = 0]
       /\ links' = [links EXCEPT
           ![0].is_open = FALSE,
           ![0].has_reported = FALSE,
           ![0].reported_offset = 0,
           ![0].slave_request_offset = (-1),
           ![0].slave_ack_offset = (-1),
           ![0].next_transfer_offset = (-1),
           ![0].transfer_start_offset = (-1),
           ![0].arrived_offset = (-1)]
       /\ messages' = [messages EXCEPT
           ![0].phase = (IF ((2 <= messages[0].phase) /\ (messages[0].phase <= 4)) THEN 6 ELSE
               messages[0].phase)]
    /\ UNCHANGED <<slaves, faults>>

is_master_down == ~master.is_up

is_no_blank_to_cut == ~(0 <= master.trailing_blank_offset)

\* The master restarts with the log that it finds.
\* master: DefaultMessageStore#load, CommitLog#recoverNormally, #recoverAbnormally
restart_master ==
    /\ is_master_down
    /\ is_no_blank_to_cut
    /\ LET
           part_0 == (messages[0].end_offset <= master.log.ends[2])
       IN
       /\ master' = [master EXCEPT
           !.log.flushed_offset = master.log.ends[2],
           !.log.dispatched_offset = master.log.ends[2],
           !.is_up = TRUE,
           !.has_abort_file = TRUE]
       /\ messages' = [messages EXCEPT
           ![0].ghost_is_readable = (messages[0].ghost_is_readable \/ ((2 <= messages[0].phase) /\
               (master.log.start_offset <= messages[0].start_offset) /\
               (master.log.ghost_unknown_below_offset <= messages[0].start_offset) /\
               (((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset) /\
               (messages[0].end_offset <= master.log.ends[0])) \/ ((messages[0].ghost_life = 1) /\
               (master.log.ends[0] <= messages[0].start_offset) /\ (messages[0].end_offset <=
               master.log.ends[1])) \/ ((messages[0].ghost_life = 2) /\ (master.log.ends[1] <=
               messages[0].start_offset) /\ part_0)) /\ ~((master.log.ghost_torn_start_offset <
               master.log.ghost_torn_end_offset) /\ (master.log.ghost_torn_start_offset <
               messages[0].end_offset) /\ (messages[0].start_offset <
               master.log.ghost_torn_end_offset)) /\ part_0))]
    /\ UNCHANGED <<slaves, links, faults>>

is_blank_to_cut == (0 <= master.trailing_blank_offset)

restart_master_without_blank_is_within_limit == (faults.torn_rolls < torn_rolls_max)

has_modelled_life_left == ((master.ghost_life + 1) < 3)

\* The master's log ends with a blank, and its recovery cuts the blank off (R-RC-04).
\* master: CommitLog#recoverNormally, #recoverAbnormally (blank record, last file)
restart_master_without_blank ==
    /\ is_master_down
    /\ is_blank_to_cut
    /\ restart_master_without_blank_is_within_limit
    /\ has_modelled_life_left
    /\ LET
           part_0 == (IF (0 <= master.trailing_blank_offset) THEN master.trailing_blank_offset ELSE
               master.log.ends[2])
           part_1 == Max(master.log.start_offset, (part_0 - (part_0 % mapped_file_size_bytes)))
           part_2 == Min(master.log.ghost_unknown_below_offset, part_0)
           part_3 == Min(master.log.ghost_torn_start_offset, part_0)
           part_4 == Min(master.log.ghost_torn_end_offset, part_0)
           part_5 == (messages[0].end_offset <= Min(master.log.ends[2], part_0))
       IN
       /\ master' = [master EXCEPT
           !.log.ends[0] = Min(master.log.ends[0], part_0),
           !.log.ends[1] = Min(master.log.ends[1], part_0),
           !.log.ends[2] = Min(master.log.ends[2], part_0),
           !.log.last_file_offset = (IF (master.log.last_file_offset <= part_0) THEN
               master.log.last_file_offset ELSE part_1),
           !.log.flushed_offset = Min(master.log.ends[2], part_0),
           !.log.dispatched_offset = Min(master.log.ends[2], part_0),
           !.log.ghost_durable_offset = Min(master.log.ghost_durable_offset, part_0),
           !.log.stale_end_offset = (IF (master.log.last_file_offset <= part_0) THEN
               Max(master.log.stale_end_offset, master.log.ends[2]) ELSE (part_1 +
               mapped_file_size_bytes)),
           !.log.ghost_unknown_below_offset = part_2,
           !.log.ghost_foreign_start_offset = Min(master.log.ghost_foreign_start_offset, part_0),
           !.log.ghost_foreign_end_offset = Min(master.log.ghost_foreign_end_offset, part_0),
           !.log.ghost_torn_start_offset = part_3,
           !.log.ghost_torn_end_offset = part_4,
           !.is_up = TRUE,
           !.has_abort_file = TRUE,
           !.trailing_blank_offset = (-1),
           !.ghost_life = (master.ghost_life + 1)]
       /\ messages' = [messages EXCEPT
           ![0].ghost_is_readable = (messages[0].ghost_is_readable \/ ((2 <= messages[0].phase) /\
               (master.log.start_offset <= messages[0].start_offset) /\ (part_2 <=
               messages[0].start_offset) /\ (((messages[0].ghost_life = 0) /\ (0 <=
               messages[0].start_offset) /\ (messages[0].end_offset <= Min(master.log.ends[0],
               part_0))) \/ ((messages[0].ghost_life = 1) /\ (Min(master.log.ends[0], part_0) <=
               messages[0].start_offset) /\ (messages[0].end_offset <= Min(master.log.ends[1],
               part_0))) \/ ((messages[0].ghost_life = 2) /\ (Min(master.log.ends[1], part_0) <=
               messages[0].start_offset) /\ part_5)) /\ ~((part_3 < part_4) /\ (part_3 <
               messages[0].end_offset) /\ (messages[0].start_offset < part_4)) /\ part_5))]
       /\ faults' = [faults EXCEPT
           !.torn_rolls = (faults.torn_rolls + 1)]
    /\ UNCHANGED <<slaves, links>>

has_abort_file == master.has_abort_file

\* The master's log ends with a blank, and the next file was created early: the blank stays.
\* master: CommitLog#recoverNormally, #recoverAbnormally; AllocateMappedFileService#mmapOperation
restart_master_behind_blank ==
    /\ is_master_down
    /\ is_blank_to_cut
    /\ has_abort_file
    /\ LET
           part_0 == (messages[0].end_offset <= master.log.ends[2])
       IN
       /\ master' = [master EXCEPT
           !.log.flushed_offset = master.log.ends[2],
           !.log.dispatched_offset = master.log.ends[2],
           !.is_up = TRUE,
           !.has_abort_file = TRUE,
           !.trailing_blank_offset = (-1)]
       /\ messages' = [messages EXCEPT
           ![0].ghost_is_readable = (messages[0].ghost_is_readable \/ ((2 <= messages[0].phase) /\
               (master.log.start_offset <= messages[0].start_offset) /\
               (master.log.ghost_unknown_below_offset <= messages[0].start_offset) /\
               (((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset) /\
               (messages[0].end_offset <= master.log.ends[0])) \/ ((messages[0].ghost_life = 1) /\
               (master.log.ends[0] <= messages[0].start_offset) /\ (messages[0].end_offset <=
               master.log.ends[1])) \/ ((messages[0].ghost_life = 2) /\ (master.log.ends[1] <=
               messages[0].start_offset) /\ part_0)) /\ ~((master.log.ghost_torn_start_offset <
               master.log.ghost_torn_end_offset) /\ (master.log.ghost_torn_start_offset <
               messages[0].end_offset) /\ (messages[0].start_offset <
               master.log.ghost_torn_end_offset)) /\ part_0))]
    /\ UNCHANGED <<slaves, links, faults>>

restart_master_with_stale_bytes_has_stale_bytes ==
    (master.log.ends[2] < master.log.stale_end_offset)

\* The master's recovery reads on into bytes that an earlier cut has left after its end.
\* master: CommitLog#recoverNormally, #recoverAbnormally, #checkMessageAndReturnSize
restart_master_with_stale_bytes ==
    /\ is_master_down
    /\ is_no_blank_to_cut
    /\ restart_master_with_stale_bytes_has_stale_bytes
    /\ \E recovered_offset \in (master.log.ends[2] + 1)..(master.log.last_file_offset +
           mapped_file_size_bytes) :
       LET
           part_0 == (master.log.ends[2] + (recovered_offset - master.log.ends[2]))
           part_1 == (IF (master.ghost_life <= 0) THEN part_0 ELSE master.log.ends[0])
           part_2 == (IF (master.ghost_life <= 1) THEN part_0 ELSE master.log.ends[1])
           part_3 == (IF (master.ghost_life <= 2) THEN part_0 ELSE master.log.ends[2])
       IN
       /\ master' = [master EXCEPT
           !.log.ends[0] = part_1,
           !.log.ends[1] = part_2,
           !.log.ends[2] = part_3,
           !.log.flushed_offset = part_3,
           !.log.dispatched_offset = part_3,
           !.log.ghost_durable_offset = (IF ((master.log.ghost_durable_offset = master.log.ends[2])
               /\ ((faults.torn_rolls = 0) \/ ((faults.master_kills = 0) /\
               (faults.swallowed_disk_errors = 0)))) THEN recovered_offset ELSE
               master.log.ghost_durable_offset),
           !.is_up = TRUE,
           !.has_abort_file = TRUE]
       /\ messages' = [messages EXCEPT
           ![0].ghost_is_readable = (messages[0].ghost_is_readable \/ ((2 <= messages[0].phase) /\
               (master.log.start_offset <= messages[0].start_offset) /\
               (master.log.ghost_unknown_below_offset <= messages[0].start_offset) /\
               (((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset) /\
               (messages[0].end_offset <= part_1)) \/ ((messages[0].ghost_life = 1) /\ (part_1 <=
               messages[0].start_offset) /\ (messages[0].end_offset <= part_2)) \/
               ((messages[0].ghost_life = 2) /\ (part_2 <= messages[0].start_offset) /\
               (messages[0].end_offset <= part_3))) /\ ~((master.log.ghost_torn_start_offset <
               master.log.ghost_torn_end_offset) /\ (master.log.ghost_torn_start_offset <
               messages[0].end_offset) /\ (messages[0].start_offset <
               master.log.ghost_torn_end_offset)) /\ (messages[0].end_offset <= part_3)))]
    /\ UNCHANGED <<slaves, links, faults>>

begin_slave_stop_0_is_not_stopping == ~slaves[0].is_stopping

\* A slave begins to stop: its store now takes no bytes, though the slave still reads them.
\* slave: DefaultMessageStore#shutdown
begin_slave_stop_0 ==
    /\ is_slave_up
    /\ begin_slave_stop_0_is_not_stopping
    /\ slaves' = [slaves EXCEPT
        ![0].is_stopping = TRUE]
    /\ UNCHANGED <<master, links, messages, faults>>

finish_slave_stop_0_is_stopping == slaves[0].is_stopping

\* A slave has flushed and ended; an incomplete message leaves the abort file (R-RC-13).
\* slave: DefaultMessageStore#shutdown, CommitLog#shutdown
finish_slave_stop_0 ==
    /\ is_slave_up
    /\ finish_slave_stop_0_is_stopping
    /\ LET
           part_0 == (((slaves[0].log.start_offset <= slaves[0].log.flushed_offset) \/
               (slaves[0].log.flushed_offset = 0)) /\ (slaves[0].log.flushed_offset <
               slaves[0].log.ends[2]))
           part_1 == Max(slaves[0].log.flushed_offset, slaves[0].log.start_offset)
       IN
       /\ slaves' = [slaves EXCEPT
           ![0].log.flushed_offset = (IF part_0 THEN slaves[0].log.ends[2] ELSE
               slaves[0].log.flushed_offset),
           ![0].log.ghost_durable_offset = (IF (part_0 /\ ((part_1 - (part_1 %
               mapped_file_size_bytes)) <= slaves[0].log.ghost_durable_offset)) THEN
               slaves[0].log.ends[2] ELSE slaves[0].log.ghost_durable_offset),
           ![0].is_up = FALSE,
           ![0].is_stopping = FALSE,
           ![0].has_abort_file = (slaves[0].log.dispatched_offset < slaves[0].log.ends[2])]
       /\ links' = [links EXCEPT
           ![0].is_open = FALSE,
           ![0].has_reported = FALSE,
           ![0].reported_offset = 0,
           ![0].slave_request_offset = (-1),
           ![0].slave_ack_offset = (-1),
           ![0].next_transfer_offset = (-1),
           ![0].transfer_start_offset = (-1),
           ![0].arrived_offset = (-1)]
    /\ UNCHANGED <<master, messages, faults>>

is_slave_down == ~slaves[0].is_up

\* A slave restarts and cuts an incomplete record, or a blank, from its log's end (R-RC-04).
\* slave: DefaultMessageStore#load, CommitLog#recoverNormally, #recoverAbnormally
restart_slave_0 ==
    /\ is_slave_down
    /\ \E recovered_offset \in Max((IF ((Min(Max(slaves[0].log.ends[0], slaves[0].log.start_offset),
           Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2], master.log.ends[2]))) =
           Min(Max(master.log.ends[0], slaves[0].log.start_offset), Max(slaves[0].log.start_offset,
           Min(slaves[0].log.ends[2], master.log.ends[2])))) /\ (Min(Max(slaves[0].log.ends[1],
           slaves[0].log.start_offset), Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2],
           master.log.ends[2]))) = Min(Max(master.log.ends[1], slaves[0].log.start_offset),
           Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2], master.log.ends[2])))) /\
           (Min(Max(slaves[0].log.ends[2], slaves[0].log.start_offset),
           Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2], master.log.ends[2]))) =
           Min(Max(master.log.ends[2], slaves[0].log.start_offset), Max(slaves[0].log.start_offset,
           Min(slaves[0].log.ends[2], master.log.ends[2])))) /\ (slaves[0].log.start_offset <=
           slaves[0].log.start_offset) /\ (slaves[0].log.ghost_unknown_below_offset <=
           slaves[0].log.start_offset)) THEN slaves[0].log.last_file_offset ELSE
           slaves[0].log.start_offset), Min(Max(Max(slaves[0].log.start_offset, (IF ((2 <=
           messages[0].phase) /\ (slaves[0].log.start_offset <= messages[0].start_offset) /\
           (slaves[0].log.ghost_unknown_below_offset <= messages[0].start_offset) /\
           (((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset) /\
           (messages[0].start_offset < slaves[0].log.ends[0])) \/ ((messages[0].ghost_life = 1) /\
           (slaves[0].log.ends[0] <= messages[0].start_offset) /\ (messages[0].start_offset <
           slaves[0].log.ends[1])) \/ ((messages[0].ghost_life = 2) /\ (slaves[0].log.ends[1] <=
           messages[0].start_offset) /\ (messages[0].start_offset < slaves[0].log.ends[2]))) /\
           (slaves[0].log.ghost_unknown_below_offset <= slaves[0].log.start_offset) /\
           ((messages[0].ghost_life <= 0) \/ (slaves[0].log.ends[0] = master.log.ends[0])) /\
           ((messages[0].ghost_life <= 1) \/ (slaves[0].log.ends[1] = master.log.ends[1])) /\
           ((messages[0].ghost_life <= 2) \/ (slaves[0].log.ends[2] = master.log.ends[2]))) THEN
           messages[0].start_offset ELSE slaves[0].log.start_offset)), (IF ((2 <= messages[0].phase)
           /\ (slaves[0].log.start_offset <= messages[0].start_offset) /\
           (slaves[0].log.ghost_unknown_below_offset <= messages[0].start_offset) /\
           (((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset) /\
           (messages[0].end_offset <= slaves[0].log.ends[0])) \/ ((messages[0].ghost_life = 1) /\
           (slaves[0].log.ends[0] <= messages[0].start_offset) /\ (messages[0].end_offset <=
           slaves[0].log.ends[1])) \/ ((messages[0].ghost_life = 2) /\ (slaves[0].log.ends[1] <=
           messages[0].start_offset) /\ (messages[0].end_offset <= slaves[0].log.ends[2]))) /\
           (slaves[0].log.ghost_unknown_below_offset <= slaves[0].log.start_offset) /\
           ((messages[0].ghost_life <= 0) \/ (slaves[0].log.ends[0] = master.log.ends[0])) /\
           ((messages[0].ghost_life <= 1) \/ (slaves[0].log.ends[1] = master.log.ends[1])) /\
           ((messages[0].ghost_life <= 2) \/ (slaves[0].log.ends[2] = master.log.ends[2]))) THEN
           messages[0].end_offset ELSE slaves[0].log.start_offset)), Max((IF
           ((Min(Max(slaves[0].log.ends[0], slaves[0].log.start_offset),
           Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2], master.log.ends[2]))) =
           Min(Max(master.log.ends[0], slaves[0].log.start_offset), Max(slaves[0].log.start_offset,
           Min(slaves[0].log.ends[2], master.log.ends[2])))) /\ (Min(Max(slaves[0].log.ends[1],
           slaves[0].log.start_offset), Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2],
           master.log.ends[2]))) = Min(Max(master.log.ends[1], slaves[0].log.start_offset),
           Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2], master.log.ends[2])))) /\
           (Min(Max(slaves[0].log.ends[2], slaves[0].log.start_offset),
           Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2], master.log.ends[2]))) =
           Min(Max(master.log.ends[2], slaves[0].log.start_offset), Max(slaves[0].log.start_offset,
           Min(slaves[0].log.ends[2], master.log.ends[2])))) /\ (slaves[0].log.start_offset <=
           slaves[0].log.start_offset) /\ (slaves[0].log.ghost_unknown_below_offset <=
           slaves[0].log.start_offset)) THEN slaves[0].log.last_file_offset ELSE
           slaves[0].log.start_offset), (IF ((Min(Max(slaves[0].log.ends[0],
           slaves[0].log.start_offset), Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2],
           master.log.ends[2]))) = Min(Max(master.log.ends[0], slaves[0].log.start_offset),
           Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2], master.log.ends[2])))) /\
           (Min(Max(slaves[0].log.ends[1], slaves[0].log.start_offset),
           Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2], master.log.ends[2]))) =
           Min(Max(master.log.ends[1], slaves[0].log.start_offset), Max(slaves[0].log.start_offset,
           Min(slaves[0].log.ends[2], master.log.ends[2])))) /\ (Min(Max(slaves[0].log.ends[2],
           slaves[0].log.start_offset), Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2],
           master.log.ends[2]))) = Min(Max(master.log.ends[2], slaves[0].log.start_offset),
           Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2], master.log.ends[2])))) /\
           (slaves[0].log.start_offset <= slaves[0].log.start_offset) /\
           (slaves[0].log.ghost_unknown_below_offset <= slaves[0].log.start_offset)) THEN (IF ((2 <=
           messages[0].phase) /\ (slaves[0].log.start_offset <= messages[0].start_offset) /\
           (slaves[0].log.ghost_unknown_below_offset <= messages[0].start_offset) /\
           (((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset) /\
           (messages[0].start_offset < slaves[0].log.ends[0])) \/ ((messages[0].ghost_life = 1) /\
           (slaves[0].log.ends[0] <= messages[0].start_offset) /\ (messages[0].start_offset <
           slaves[0].log.ends[1])) \/ ((messages[0].ghost_life = 2) /\ (slaves[0].log.ends[1] <=
           messages[0].start_offset) /\ (messages[0].start_offset < slaves[0].log.ends[2]))) /\
           (messages[0].start_offset < slaves[0].log.ends[2]) /\ ~((2 <= messages[0].phase) /\
           (slaves[0].log.start_offset <= messages[0].start_offset) /\
           (slaves[0].log.ghost_unknown_below_offset <= messages[0].start_offset) /\
           (((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset) /\
           (messages[0].end_offset <= slaves[0].log.ends[0])) \/ ((messages[0].ghost_life = 1) /\
           (slaves[0].log.ends[0] <= messages[0].start_offset) /\ (messages[0].end_offset <=
           slaves[0].log.ends[1])) \/ ((messages[0].ghost_life = 2) /\ (slaves[0].log.ends[1] <=
           messages[0].start_offset) /\ (messages[0].end_offset <= slaves[0].log.ends[2]))) /\
           (messages[0].end_offset <= slaves[0].log.ends[2]))) THEN Min(slaves[0].log.ends[2],
           messages[0].start_offset) ELSE slaves[0].log.ends[2]) ELSE
           slaves[0].log.ends[2]))))..Max((IF ((Min(Max(slaves[0].log.ends[0],
           slaves[0].log.start_offset), Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2],
           master.log.ends[2]))) = Min(Max(master.log.ends[0], slaves[0].log.start_offset),
           Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2], master.log.ends[2])))) /\
           (Min(Max(slaves[0].log.ends[1], slaves[0].log.start_offset),
           Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2], master.log.ends[2]))) =
           Min(Max(master.log.ends[1], slaves[0].log.start_offset), Max(slaves[0].log.start_offset,
           Min(slaves[0].log.ends[2], master.log.ends[2])))) /\ (Min(Max(slaves[0].log.ends[2],
           slaves[0].log.start_offset), Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2],
           master.log.ends[2]))) = Min(Max(master.log.ends[2], slaves[0].log.start_offset),
           Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2], master.log.ends[2])))) /\
           (slaves[0].log.start_offset <= slaves[0].log.start_offset) /\
           (slaves[0].log.ghost_unknown_below_offset <= slaves[0].log.start_offset)) THEN
           slaves[0].log.last_file_offset ELSE slaves[0].log.start_offset), (IF
           ((Min(Max(slaves[0].log.ends[0], slaves[0].log.start_offset),
           Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2], master.log.ends[2]))) =
           Min(Max(master.log.ends[0], slaves[0].log.start_offset), Max(slaves[0].log.start_offset,
           Min(slaves[0].log.ends[2], master.log.ends[2])))) /\ (Min(Max(slaves[0].log.ends[1],
           slaves[0].log.start_offset), Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2],
           master.log.ends[2]))) = Min(Max(master.log.ends[1], slaves[0].log.start_offset),
           Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2], master.log.ends[2])))) /\
           (Min(Max(slaves[0].log.ends[2], slaves[0].log.start_offset),
           Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2], master.log.ends[2]))) =
           Min(Max(master.log.ends[2], slaves[0].log.start_offset), Max(slaves[0].log.start_offset,
           Min(slaves[0].log.ends[2], master.log.ends[2])))) /\ (slaves[0].log.start_offset <=
           slaves[0].log.start_offset) /\ (slaves[0].log.ghost_unknown_below_offset <=
           slaves[0].log.start_offset)) THEN (IF ((2 <= messages[0].phase) /\
           (slaves[0].log.start_offset <= messages[0].start_offset) /\
           (slaves[0].log.ghost_unknown_below_offset <= messages[0].start_offset) /\
           (((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset) /\
           (messages[0].start_offset < slaves[0].log.ends[0])) \/ ((messages[0].ghost_life = 1) /\
           (slaves[0].log.ends[0] <= messages[0].start_offset) /\ (messages[0].start_offset <
           slaves[0].log.ends[1])) \/ ((messages[0].ghost_life = 2) /\ (slaves[0].log.ends[1] <=
           messages[0].start_offset) /\ (messages[0].start_offset < slaves[0].log.ends[2]))) /\
           (messages[0].start_offset < slaves[0].log.ends[2]) /\ ~((2 <= messages[0].phase) /\
           (slaves[0].log.start_offset <= messages[0].start_offset) /\
           (slaves[0].log.ghost_unknown_below_offset <= messages[0].start_offset) /\
           (((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset) /\
           (messages[0].end_offset <= slaves[0].log.ends[0])) \/ ((messages[0].ghost_life = 1) /\
           (slaves[0].log.ends[0] <= messages[0].start_offset) /\ (messages[0].end_offset <=
           slaves[0].log.ends[1])) \/ ((messages[0].ghost_life = 2) /\ (slaves[0].log.ends[1] <=
           messages[0].start_offset) /\ (messages[0].end_offset <= slaves[0].log.ends[2]))) /\
           (messages[0].end_offset <= slaves[0].log.ends[2]))) THEN Min(slaves[0].log.ends[2],
           messages[0].start_offset) ELSE slaves[0].log.ends[2]) ELSE slaves[0].log.ends[2])) :
       LET
           part_0 == Min(slaves[0].log.ends[2], recovered_offset)
           part_1 == (slaves[0].log.last_file_offset <= recovered_offset)
           part_2 == Max(slaves[0].log.start_offset, (recovered_offset - (recovered_offset %
               mapped_file_size_bytes)))
       IN
       /\ slaves' = [slaves EXCEPT
           ![0].log.ends[0] = Min(slaves[0].log.ends[0], recovered_offset),
           ![0].log.ends[1] = Min(slaves[0].log.ends[1], recovered_offset),
           ![0].log.ends[2] = part_0,
           ![0].log.last_file_offset = (IF part_1 THEN slaves[0].log.last_file_offset ELSE part_2),
           ![0].log.flushed_offset = part_0,
           ![0].log.dispatched_offset = part_0,
           ![0].log.ghost_durable_offset = Min(slaves[0].log.ghost_durable_offset,
               recovered_offset),
           ![0].log.stale_end_offset = (IF part_1 THEN Max(slaves[0].log.stale_end_offset,
               slaves[0].log.ends[2]) ELSE (part_2 + mapped_file_size_bytes)),
           ![0].log.ghost_unknown_below_offset = Min(slaves[0].log.ghost_unknown_below_offset,
               recovered_offset),
           ![0].log.ghost_foreign_start_offset = Min(slaves[0].log.ghost_foreign_start_offset,
               recovered_offset),
           ![0].log.ghost_foreign_end_offset = Min(slaves[0].log.ghost_foreign_end_offset,
               recovered_offset),
           ![0].log.ghost_torn_start_offset = Min(slaves[0].log.ghost_torn_start_offset,
               recovered_offset),
           ![0].log.ghost_torn_end_offset = Min(slaves[0].log.ghost_torn_end_offset,
               recovered_offset),
           ![0].is_up = TRUE,
           ![0].is_stopping = FALSE,
           ![0].has_abort_file = TRUE,
           ![0].ghost_earlier_put_offset = Max(0, (IF ((2 <= messages[0].phase) /\
               (messages[0].phase <= 4)) THEN messages[0].end_offset ELSE 0))]
    /\ UNCHANGED <<master, links, messages, faults>>

has_torn_record ==
    LET
        part_0 == ((slaves[0].log.start_offset <= messages[0].start_offset) /\
            (slaves[0].log.ghost_unknown_below_offset <= messages[0].start_offset))
        part_1 == ((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset))
        part_2 == ((messages[0].ghost_life = 1) /\ (slaves[0].log.ends[0] <=
            messages[0].start_offset))
        part_3 == ((messages[0].ghost_life = 2) /\ (slaves[0].log.ends[1] <=
            messages[0].start_offset))
        part_4 == ((2 <= messages[0].phase) /\ part_0 /\ ((part_1 /\ (messages[0].start_offset <
            slaves[0].log.ends[0])) \/ (part_2 /\ (messages[0].start_offset <
            slaves[0].log.ends[1])) \/ (part_3 /\ (messages[0].start_offset <
            slaves[0].log.ends[2]))) /\ (slaves[0].log.ends[2] < messages[0].end_offset))
        part_5 == (slaves[0].log.last_file_offset + mapped_file_size_bytes)
        part_6 == Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2], master.log.ends[2]))
        part_7 == ((part_1 /\ (messages[0].end_offset <= master.log.ends[0])) \/
            ((messages[0].ghost_life = 1) /\ (master.log.ends[0] <= messages[0].start_offset) /\
            (messages[0].end_offset <= master.log.ends[1])) \/ ((messages[0].ghost_life = 2) /\
            (master.log.ends[1] <= messages[0].start_offset) /\ (messages[0].end_offset <=
            master.log.ends[2])))
        part_8 == (IF ((slaves[0].log.ends[2] = slaves[0].log.ends[2]) /\ (slaves[0].log.ends[1] <
            slaves[0].log.ends[2])) THEN (IF ((master.log.ends[2] < slaves[0].log.ends[2]) \/
            (master.log.ends[2] < master.log.ends[2])) THEN part_5 ELSE Min(part_5,
            master.log.ends[2])) ELSE (IF ((slaves[0].log.ends[1] = slaves[0].log.ends[2]) /\
            (slaves[0].log.ends[0] < slaves[0].log.ends[1])) THEN (IF ((master.log.ends[1] <
            slaves[0].log.ends[1]) \/ (master.log.ends[1] < master.log.ends[2])) THEN part_5 ELSE
            Min(part_5, master.log.ends[1])) ELSE (IF ((slaves[0].log.ends[0] =
            slaves[0].log.ends[2]) /\ (0 < slaves[0].log.ends[0])) THEN (IF ((master.log.ends[0] <
            slaves[0].log.ends[0]) \/ (master.log.ends[0] < master.log.ends[2])) THEN part_5 ELSE
            Min(part_5, master.log.ends[0])) ELSE slaves[0].log.ends[2])))
    IN
    (Max((slaves[0].log.ends[2] + 1), (IF part_4 THEN messages[0].end_offset ELSE 0)) <= (IF
        ((slaves[0].log.ends[2] < slaves[0].log.stale_end_offset) /\ (master.ghost_life = 0)) THEN
        Min(part_5, master.log.ends[2]) ELSE (IF ((slaves[0].log.last_file_offset <
        slaves[0].log.ends[2]) /\ ~((2 <= messages[0].phase) /\ part_0 /\ ((part_1 /\
        (messages[0].end_offset <= slaves[0].log.ends[0])) \/ (part_2 /\ (messages[0].end_offset <=
        slaves[0].log.ends[1])) \/ (part_3 /\ (messages[0].end_offset <= slaves[0].log.ends[2]))) /\
        ~((slaves[0].log.ghost_torn_start_offset < slaves[0].log.ghost_torn_end_offset) /\
        (slaves[0].log.ghost_torn_start_offset < messages[0].end_offset) /\
        (messages[0].start_offset < slaves[0].log.ghost_torn_end_offset)) /\ (messages[0].end_offset
        = slaves[0].log.ends[2]))) THEN (IF ((Min(Max(slaves[0].log.ends[0],
        slaves[0].log.start_offset), part_6) = Min(Max(master.log.ends[0],
        slaves[0].log.start_offset), part_6)) /\ (Min(Max(slaves[0].log.ends[1],
        slaves[0].log.start_offset), part_6) = Min(Max(master.log.ends[1],
        slaves[0].log.start_offset), part_6)) /\ (Min(Max(slaves[0].log.ends[2],
        slaves[0].log.start_offset), part_6) = Min(Max(master.log.ends[2],
        slaves[0].log.start_offset), part_6))) THEN (IF (part_4 /\ part_7) THEN Min(part_5,
        messages[0].end_offset) ELSE (IF (part_7 /\ (slaves[0].log.ends[2] <=
        messages[0].start_offset) /\ (2 <= messages[0].phase)) THEN Min(part_8,
        messages[0].start_offset) ELSE part_8)) ELSE part_5) ELSE slaves[0].log.ends[2])))

\* A slave's recovery takes a record for whole although its last bytes were not received.
\* slave: CommitLog#recoverNormally, #recoverAbnormally, #checkMessageAndReturnSize
restart_slave_beyond_received_0 ==
    /\ is_slave_down
    /\ has_torn_record
    /\ \E recovered_offset \in Max((slaves[0].log.ends[2] + 1), (IF ((2 <= messages[0].phase) /\
           (slaves[0].log.start_offset <= messages[0].start_offset) /\
           (slaves[0].log.ghost_unknown_below_offset <= messages[0].start_offset) /\
           (((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset) /\
           (messages[0].start_offset < slaves[0].log.ends[0])) \/ ((messages[0].ghost_life = 1) /\
           (slaves[0].log.ends[0] <= messages[0].start_offset) /\ (messages[0].start_offset <
           slaves[0].log.ends[1])) \/ ((messages[0].ghost_life = 2) /\ (slaves[0].log.ends[1] <=
           messages[0].start_offset) /\ (messages[0].start_offset < slaves[0].log.ends[2]))) /\
           (slaves[0].log.ends[2] < messages[0].end_offset)) THEN messages[0].end_offset ELSE
           0))..(IF ((slaves[0].log.ends[2] < slaves[0].log.stale_end_offset) /\ (master.ghost_life
           = 0)) THEN Min((slaves[0].log.last_file_offset + mapped_file_size_bytes),
           master.log.ends[2]) ELSE (IF ((slaves[0].log.last_file_offset < slaves[0].log.ends[2]) /\
           ~((2 <= messages[0].phase) /\ (slaves[0].log.start_offset <= messages[0].start_offset) /\
           (slaves[0].log.ghost_unknown_below_offset <= messages[0].start_offset) /\
           (((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset) /\
           (messages[0].end_offset <= slaves[0].log.ends[0])) \/ ((messages[0].ghost_life = 1) /\
           (slaves[0].log.ends[0] <= messages[0].start_offset) /\ (messages[0].end_offset <=
           slaves[0].log.ends[1])) \/ ((messages[0].ghost_life = 2) /\ (slaves[0].log.ends[1] <=
           messages[0].start_offset) /\ (messages[0].end_offset <= slaves[0].log.ends[2]))) /\
           ~((slaves[0].log.ghost_torn_start_offset < slaves[0].log.ghost_torn_end_offset) /\
           (slaves[0].log.ghost_torn_start_offset < messages[0].end_offset) /\
           (messages[0].start_offset < slaves[0].log.ghost_torn_end_offset)) /\
           (messages[0].end_offset = slaves[0].log.ends[2]))) THEN (IF
           ((Min(Max(slaves[0].log.ends[0], slaves[0].log.start_offset),
           Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2], master.log.ends[2]))) =
           Min(Max(master.log.ends[0], slaves[0].log.start_offset), Max(slaves[0].log.start_offset,
           Min(slaves[0].log.ends[2], master.log.ends[2])))) /\ (Min(Max(slaves[0].log.ends[1],
           slaves[0].log.start_offset), Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2],
           master.log.ends[2]))) = Min(Max(master.log.ends[1], slaves[0].log.start_offset),
           Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2], master.log.ends[2])))) /\
           (Min(Max(slaves[0].log.ends[2], slaves[0].log.start_offset),
           Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2], master.log.ends[2]))) =
           Min(Max(master.log.ends[2], slaves[0].log.start_offset), Max(slaves[0].log.start_offset,
           Min(slaves[0].log.ends[2], master.log.ends[2]))))) THEN (IF ((2 <= messages[0].phase) /\
           (slaves[0].log.start_offset <= messages[0].start_offset) /\
           (slaves[0].log.ghost_unknown_below_offset <= messages[0].start_offset) /\
           (((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset) /\
           (messages[0].start_offset < slaves[0].log.ends[0])) \/ ((messages[0].ghost_life = 1) /\
           (slaves[0].log.ends[0] <= messages[0].start_offset) /\ (messages[0].start_offset <
           slaves[0].log.ends[1])) \/ ((messages[0].ghost_life = 2) /\ (slaves[0].log.ends[1] <=
           messages[0].start_offset) /\ (messages[0].start_offset < slaves[0].log.ends[2]))) /\
           (slaves[0].log.ends[2] < messages[0].end_offset) /\ (((messages[0].ghost_life = 0) /\ (0
           <= messages[0].start_offset) /\ (messages[0].end_offset <= master.log.ends[0])) \/
           ((messages[0].ghost_life = 1) /\ (master.log.ends[0] <= messages[0].start_offset) /\
           (messages[0].end_offset <= master.log.ends[1])) \/ ((messages[0].ghost_life = 2) /\
           (master.log.ends[1] <= messages[0].start_offset) /\ (messages[0].end_offset <=
           master.log.ends[2])))) THEN Min((slaves[0].log.last_file_offset +
           mapped_file_size_bytes), messages[0].end_offset) ELSE (IF ((((messages[0].ghost_life = 0)
           /\ (0 <= messages[0].start_offset) /\ (messages[0].end_offset <= master.log.ends[0])) \/
           ((messages[0].ghost_life = 1) /\ (master.log.ends[0] <= messages[0].start_offset) /\
           (messages[0].end_offset <= master.log.ends[1])) \/ ((messages[0].ghost_life = 2) /\
           (master.log.ends[1] <= messages[0].start_offset) /\ (messages[0].end_offset <=
           master.log.ends[2]))) /\ (slaves[0].log.ends[2] <= messages[0].start_offset) /\ (2 <=
           messages[0].phase)) THEN Min((IF ((slaves[0].log.ends[2] = slaves[0].log.ends[2]) /\
           (slaves[0].log.ends[1] < slaves[0].log.ends[2])) THEN (IF ((master.log.ends[2] <
           slaves[0].log.ends[2]) \/ (master.log.ends[2] < master.log.ends[2])) THEN
           (slaves[0].log.last_file_offset + mapped_file_size_bytes) ELSE
           Min((slaves[0].log.last_file_offset + mapped_file_size_bytes), master.log.ends[2])) ELSE
           (IF ((slaves[0].log.ends[1] = slaves[0].log.ends[2]) /\ (slaves[0].log.ends[0] <
           slaves[0].log.ends[1])) THEN (IF ((master.log.ends[1] < slaves[0].log.ends[1]) \/
           (master.log.ends[1] < master.log.ends[2])) THEN (slaves[0].log.last_file_offset +
           mapped_file_size_bytes) ELSE Min((slaves[0].log.last_file_offset +
           mapped_file_size_bytes), master.log.ends[1])) ELSE (IF ((slaves[0].log.ends[0] =
           slaves[0].log.ends[2]) /\ (0 < slaves[0].log.ends[0])) THEN (IF ((master.log.ends[0] <
           slaves[0].log.ends[0]) \/ (master.log.ends[0] < master.log.ends[2])) THEN
           (slaves[0].log.last_file_offset + mapped_file_size_bytes) ELSE
           Min((slaves[0].log.last_file_offset + mapped_file_size_bytes), master.log.ends[0])) ELSE
           slaves[0].log.ends[2]))), messages[0].start_offset) ELSE (IF ((slaves[0].log.ends[2] =
           slaves[0].log.ends[2]) /\ (slaves[0].log.ends[1] < slaves[0].log.ends[2])) THEN (IF
           ((master.log.ends[2] < slaves[0].log.ends[2]) \/ (master.log.ends[2] <
           master.log.ends[2])) THEN (slaves[0].log.last_file_offset + mapped_file_size_bytes) ELSE
           Min((slaves[0].log.last_file_offset + mapped_file_size_bytes), master.log.ends[2])) ELSE
           (IF ((slaves[0].log.ends[1] = slaves[0].log.ends[2]) /\ (slaves[0].log.ends[0] <
           slaves[0].log.ends[1])) THEN (IF ((master.log.ends[1] < slaves[0].log.ends[1]) \/
           (master.log.ends[1] < master.log.ends[2])) THEN (slaves[0].log.last_file_offset +
           mapped_file_size_bytes) ELSE Min((slaves[0].log.last_file_offset +
           mapped_file_size_bytes), master.log.ends[1])) ELSE (IF ((slaves[0].log.ends[0] =
           slaves[0].log.ends[2]) /\ (0 < slaves[0].log.ends[0])) THEN (IF ((master.log.ends[0] <
           slaves[0].log.ends[0]) \/ (master.log.ends[0] < master.log.ends[2])) THEN
           (slaves[0].log.last_file_offset + mapped_file_size_bytes) ELSE
           Min((slaves[0].log.last_file_offset + mapped_file_size_bytes), master.log.ends[0])) ELSE
           slaves[0].log.ends[2]))))) ELSE (slaves[0].log.last_file_offset +
           mapped_file_size_bytes)) ELSE slaves[0].log.ends[2])) :
       LET
           part_0 == (slaves[0].log.ends[0] = slaves[0].log.ends[2])
           part_1 == (slaves[0].log.ends[1] = slaves[0].log.ends[2])
           part_2 == (slaves[0].log.ends[2] = slaves[0].log.ends[2])
           part_3 == (IF part_2 THEN recovered_offset ELSE slaves[0].log.ends[2])
           part_4 == Max(slaves[0].log.start_offset, Min(slaves[0].log.ends[2], master.log.ends[2]))
           part_5 == ((2 <= messages[0].phase) /\ (messages[0].start_offset < recovered_offset) /\
               (slaves[0].log.ends[2] < messages[0].end_offset))
       IN
       /\ slaves' = [slaves EXCEPT
           ![0].log.ends[0] = (IF part_0 THEN recovered_offset ELSE slaves[0].log.ends[0]),
           ![0].log.ends[1] = (IF part_1 THEN recovered_offset ELSE slaves[0].log.ends[1]),
           ![0].log.ends[2] = part_3,
           ![0].log.flushed_offset = part_3,
           ![0].log.dispatched_offset = part_3,
           ![0].log.ghost_unknown_below_offset = (IF ~(((Min(Max(slaves[0].log.ends[0],
               slaves[0].log.start_offset), part_4) = Min(Max(master.log.ends[0],
               slaves[0].log.start_offset), part_4)) /\ (Min(Max(slaves[0].log.ends[1],
               slaves[0].log.start_offset), part_4) = Min(Max(master.log.ends[1],
               slaves[0].log.start_offset), part_4)) /\ (Min(Max(slaves[0].log.ends[2],
               slaves[0].log.start_offset), part_4) = Min(Max(master.log.ends[2],
               slaves[0].log.start_offset), part_4))) \/ ((0 < master.ghost_life) /\ (0 <=
               slaves[0].log.start_offset) /\ part_0) \/ ((1 < master.ghost_life) /\
               (slaves[0].log.ends[0] <= slaves[0].log.start_offset) /\ part_1) \/ ((2 <
               master.ghost_life) /\ (slaves[0].log.ends[1] <= slaves[0].log.start_offset) /\
               part_2)) THEN recovered_offset ELSE (IF ((slaves[0].log.ghost_unknown_below_offset =
               slaves[0].log.ends[2]) /\ (0 < slaves[0].log.ends[2])) THEN recovered_offset ELSE
               slaves[0].log.ghost_unknown_below_offset)),
           ![0].log.ghost_foreign_start_offset = (IF (slaves[0].log.ghost_foreign_end_offset <=
               slaves[0].log.ghost_foreign_start_offset) THEN slaves[0].log.ends[2] ELSE
               slaves[0].log.ghost_foreign_start_offset),
           ![0].log.ghost_foreign_end_offset = recovered_offset,
           ![0].log.ghost_torn_start_offset = (IF part_5 THEN (IF
               (slaves[0].log.ghost_torn_end_offset <= slaves[0].log.ghost_torn_start_offset) THEN
               slaves[0].log.ends[2] ELSE Min(slaves[0].log.ghost_torn_start_offset,
               slaves[0].log.ends[2])) ELSE slaves[0].log.ghost_torn_start_offset),
           ![0].log.ghost_torn_end_offset = (IF part_5 THEN recovered_offset ELSE
               slaves[0].log.ghost_torn_end_offset),
           ![0].is_up = TRUE,
           ![0].is_stopping = FALSE,
           ![0].has_abort_file = TRUE,
           ![0].ghost_earlier_put_offset = Max(0, (IF ((2 <= messages[0].phase) /\
               (messages[0].phase <= 4)) THEN messages[0].end_offset ELSE 0))]
    /\ UNCHANGED <<master, links, messages, faults>>

restart_slave_with_stale_bytes_0_has_stale_bytes ==
    (slaves[0].log.ends[2] < slaves[0].log.stale_end_offset)

is_later_life == (0 < master.ghost_life)

\* A slave's recovery reads on into stale bytes of a log epoch that its master left (T1-12686).
\* slave: CommitLog#recoverNormally, #recoverAbnormally, #checkMessageAndReturnSize
restart_slave_with_stale_bytes_0 ==
    /\ is_slave_down
    /\ restart_slave_with_stale_bytes_0_has_stale_bytes
    /\ is_later_life
    /\ \E recovered_offset \in (slaves[0].log.ends[2] + 1)..(slaves[0].log.last_file_offset +
           mapped_file_size_bytes) :
       LET
           part_0 == (slaves[0].log.ends[2] + (recovered_offset - slaves[0].log.ends[2]))
           part_1 == (IF (master.ghost_life <= 2) THEN part_0 ELSE slaves[0].log.ends[2])
       IN
       /\ slaves' = [slaves EXCEPT
           ![0].log.ends[0] = (IF (master.ghost_life <= 0) THEN part_0 ELSE slaves[0].log.ends[0]),
           ![0].log.ends[1] = (IF (master.ghost_life <= 1) THEN part_0 ELSE slaves[0].log.ends[1]),
           ![0].log.ends[2] = part_1,
           ![0].log.flushed_offset = part_1,
           ![0].log.dispatched_offset = part_1,
           ![0].log.ghost_unknown_below_offset = recovered_offset,
           ![0].is_up = TRUE,
           ![0].is_stopping = FALSE,
           ![0].has_abort_file = TRUE,
           ![0].ghost_earlier_put_offset = Max(0, (IF ((2 <= messages[0].phase) /\
               (messages[0].phase <= 4)) THEN messages[0].end_offset ELSE 0))]
    /\ UNCHANGED <<master, links, messages, faults>>

switch_master_role_is_within_limit == (faults.role_switches < role_switches_max)

\* An operator changes the role between ASYNC_MASTER and SYNC_MASTER; the next put follows it.
\* operator: AdminBrokerProcessor#updateBrokerConfig, BrokerConfig (brokerRole)
switch_master_role ==
    /\ is_master_up
    /\ switch_master_role_is_within_limit
    /\ master' = [master EXCEPT
        !.is_sync = ~master.is_sync]
    /\ faults' = [faults EXCEPT
        !.role_switches = (faults.role_switches + 1)]
    /\ UNCHANGED <<slaves, links, messages>>

kill_master_is_within_limit == (faults.master_kills < master_kills_max)

\* The master's process is killed; its page cache survives, its waiting puts do not.
\* fault: kill -9 of the master's process; MappedFile (page cache)
kill_master ==
    /\ is_master_up
    /\ kill_master_is_within_limit
    /\ master' = [master EXCEPT
        !.is_up = FALSE,
        !.is_stopping = FALSE,
        !.push2_slave_max_offset = 0,
        !.connection_count = 0]
    /\ links' = [links EXCEPT
        ![0].is_open = FALSE,
        ![0].has_reported = FALSE,
        ![0].reported_offset = 0,
        ![0].slave_request_offset = (-1),
        ![0].slave_ack_offset = (-1),
        ![0].next_transfer_offset = (-1),
        ![0].transfer_start_offset = (-1),
        ![0].arrived_offset = (-1)]
    /\ messages' = [messages EXCEPT
        ![0].phase = (IF ((2 <= messages[0].phase) /\ (messages[0].phase <= 4)) THEN 6 ELSE
            messages[0].phase)]
    /\ faults' = [faults EXCEPT
        !.master_kills = (faults.master_kills + 1)]
    /\ UNCHANGED <<slaves>>

kill_slave_0_is_within_limit == (faults.slave_kills < slave_kills_max)

\* A slave's process is killed; its page cache survives, including an incomplete message.
\* fault: kill -9 of a slave's process; MappedFile (page cache)
kill_slave_0 ==
    /\ is_slave_up
    /\ kill_slave_0_is_within_limit
    /\ slaves' = [slaves EXCEPT
        ![0].is_up = FALSE,
        ![0].is_stopping = FALSE]
    /\ links' = [links EXCEPT
        ![0].is_open = FALSE,
        ![0].has_reported = FALSE,
        ![0].reported_offset = 0,
        ![0].slave_request_offset = (-1),
        ![0].slave_ack_offset = (-1),
        ![0].next_transfer_offset = (-1),
        ![0].transfer_start_offset = (-1),
        ![0].arrived_offset = (-1)]
    /\ faults' = [faults EXCEPT
        !.slave_kills = (faults.slave_kills + 1)]
    /\ UNCHANGED <<master, messages>>

lose_master_power_is_within_limit == (faults.master_power_losses < master_power_losses_max)

\* The master's machine loses power: any part of the tail that is not on disk is lost.
\* fault: power loss of the master's machine; CommitLog#recoverAbnormally
lose_master_power ==
    /\ is_master_up
    /\ lose_master_power_is_within_limit
    /\ has_modelled_life_left
    /\ \E kept_offset \in master.log.ghost_durable_offset..master.log.ends[2] :
       LET
           part_0 == ((master.log.start_offset <= messages[0].start_offset) /\
               (master.log.ghost_unknown_below_offset <= messages[0].start_offset))
           part_1 == ((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset))
           part_2 == ((messages[0].ghost_life = 1) /\ (master.log.ends[0] <=
               messages[0].start_offset))
           part_3 == ((messages[0].ghost_life = 2) /\ (master.log.ends[1] <=
               messages[0].start_offset))
           part_4 == Min((IF ((2 <= messages[0].phase) /\ part_0 /\ ((part_1 /\
               (messages[0].start_offset < master.log.ends[0])) \/ (part_2 /\
               (messages[0].start_offset < master.log.ends[1])) \/ (part_3 /\
               (messages[0].start_offset < master.log.ends[2]))) /\ (messages[0].start_offset <
               kept_offset) /\ ~((2 <= messages[0].phase) /\ part_0 /\ ((part_1 /\
               (messages[0].end_offset <= master.log.ends[0])) \/ (part_2 /\ (messages[0].end_offset
               <= master.log.ends[1])) \/ (part_3 /\ (messages[0].end_offset <=
               master.log.ends[2]))) /\ (messages[0].end_offset <= kept_offset))) THEN
               Min(kept_offset, messages[0].start_offset) ELSE kept_offset), (IF (0 <=
               master.trailing_blank_offset) THEN master.trailing_blank_offset ELSE
               master.log.ends[2]))
           part_5 == Max(master.log.start_offset, (part_4 - (part_4 % mapped_file_size_bytes)))
       IN
       /\ master' = [master EXCEPT
           !.log.ends[0] = Min(master.log.ends[0], part_4),
           !.log.ends[1] = Min(master.log.ends[1], part_4),
           !.log.ends[2] = Min(master.log.ends[2], part_4),
           !.log.last_file_offset = (IF (master.log.last_file_offset <= part_4) THEN
               master.log.last_file_offset ELSE part_5),
           !.log.flushed_offset = Min(master.log.flushed_offset, part_4),
           !.log.dispatched_offset = Min(master.log.dispatched_offset, part_4),
           !.log.ghost_durable_offset = part_4,
           !.log.stale_end_offset = (IF (master.log.last_file_offset <= part_4) THEN
               Max(master.log.stale_end_offset, master.log.ends[2]) ELSE (part_5 +
               mapped_file_size_bytes)),
           !.log.ghost_unknown_below_offset = Min(master.log.ghost_unknown_below_offset, part_4),
           !.log.ghost_foreign_start_offset = Min(master.log.ghost_foreign_start_offset, part_4),
           !.log.ghost_foreign_end_offset = Min(master.log.ghost_foreign_end_offset, part_4),
           !.log.ghost_torn_start_offset = Min(master.log.ghost_torn_start_offset, part_4),
           !.log.ghost_torn_end_offset = Min(master.log.ghost_torn_end_offset, part_4),
           !.is_up = FALSE,
           !.is_stopping = FALSE,
           !.trailing_blank_offset = (-1),
           !.ghost_life = (master.ghost_life + 1),
           !.push2_slave_max_offset = 0,
           !.connection_count = 0]
       /\ links' = [links EXCEPT
           ![0].is_open = FALSE,
           ![0].has_reported = FALSE,
           ![0].reported_offset = 0,
           ![0].slave_request_offset = (-1),
           ![0].slave_ack_offset = (-1),
           ![0].next_transfer_offset = (-1),
           ![0].transfer_start_offset = (-1),
           ![0].arrived_offset = (-1)]
       /\ messages' = [messages EXCEPT
           ![0].phase = (IF ((2 <= messages[0].phase) /\ (messages[0].phase <= 4)) THEN 6 ELSE
               messages[0].phase)]
       /\ faults' = [faults EXCEPT
           !.master_power_losses = (faults.master_power_losses + 1)]
    /\ UNCHANGED <<slaves>>

lose_master_power_in_record_is_within_limit ==
    (faults.master_power_losses < master_power_losses_max)

\* The master's machine loses power, and its recovery takes a torn record for whole.
\* fault: power loss of the master's machine; CommitLog#checkMessageAndReturnSize
lose_master_power_in_record ==
    /\ is_master_up
    /\ lose_master_power_in_record_is_within_limit
    /\ has_modelled_life_left
    /\ \E kept_offset \in master.log.ghost_durable_offset..master.log.ends[2], reached_offset \in
           Min((master.log.ghost_durable_offset + 1), master.log.ends[2])..master.log.ends[2] :
       LET
           part_0 == ((master.log.start_offset <= messages[0].start_offset) /\
               (master.log.ghost_unknown_below_offset <= messages[0].start_offset))
           part_1 == ((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset))
           part_2 == ((messages[0].ghost_life = 1) /\ (master.log.ends[0] <=
               messages[0].start_offset))
           part_3 == ((messages[0].ghost_life = 2) /\ (master.log.ends[1] <=
               messages[0].start_offset))
           part_4 == ((2 <= messages[0].phase) /\ part_0 /\ ((part_1 /\ (messages[0].end_offset <=
               master.log.ends[0])) \/ (part_2 /\ (messages[0].end_offset <= master.log.ends[1])) \/
               (part_3 /\ (messages[0].end_offset <= master.log.ends[2]))))
           part_5 == (IF ((2 <= messages[0].phase) /\ part_0 /\ ((part_1 /\
               (messages[0].start_offset < master.log.ends[0])) \/ (part_2 /\
               (messages[0].start_offset < master.log.ends[1])) \/ (part_3 /\
               (messages[0].start_offset < master.log.ends[2]))) /\ (messages[0].start_offset <
               kept_offset) /\ ~(part_4 /\ (messages[0].end_offset <= kept_offset))) THEN
               Min(kept_offset, messages[0].start_offset) ELSE kept_offset)
           part_6 == (IF ((0 < master.ghost_life) \/ ~((master.log.start_offset = kept_offset) \/
               (part_4 /\ ((messages[0].start_offset = kept_offset) \/ (messages[0].end_offset =
               kept_offset))))) THEN Min(master.log.ends[2], Max(reached_offset, (IF (part_4 /\
               ~((master.log.ghost_torn_start_offset < master.log.ghost_torn_end_offset) /\
               (master.log.ghost_torn_start_offset < messages[0].end_offset) /\
               (messages[0].start_offset < master.log.ghost_torn_end_offset)) /\
               (messages[0].start_offset < kept_offset) /\ (kept_offset < messages[0].end_offset))
               THEN Max((kept_offset + 1), messages[0].end_offset) ELSE (kept_offset + 1)))) ELSE
               kept_offset)
           part_7 == Max(master.log.start_offset, (part_6 - (part_6 % mapped_file_size_bytes)))
       IN
       /\ master' = [master EXCEPT
           !.log.ends[0] = (IF (0 <= master.ghost_life) THEN Min(master.log.ends[0], part_5) ELSE
               part_6),
           !.log.ends[1] = (IF (1 <= master.ghost_life) THEN Min(master.log.ends[1], part_5) ELSE
               part_6),
           !.log.ends[2] = (IF (2 <= master.ghost_life) THEN Min(master.log.ends[2], part_5) ELSE
               part_6),
           !.log.last_file_offset = (IF (master.log.last_file_offset <= part_6) THEN
               master.log.last_file_offset ELSE part_7),
           !.log.flushed_offset = Min(master.log.flushed_offset, part_6),
           !.log.dispatched_offset = Min(master.log.dispatched_offset, part_6),
           !.log.ghost_durable_offset = part_6,
           !.log.stale_end_offset = (IF (master.log.last_file_offset <= part_6) THEN
               Max(master.log.stale_end_offset, master.log.ends[2]) ELSE (part_7 +
               mapped_file_size_bytes)),
           !.log.ghost_unknown_below_offset = Min(master.log.ghost_unknown_below_offset, part_6),
           !.log.ghost_foreign_start_offset = Min(master.log.ghost_foreign_start_offset, part_6),
           !.log.ghost_foreign_end_offset = Min(master.log.ghost_foreign_end_offset, part_6),
           !.log.ghost_torn_start_offset = Min(master.log.ghost_torn_start_offset, part_6),
           !.log.ghost_torn_end_offset = Min(master.log.ghost_torn_end_offset, part_6),
           !.is_up = FALSE,
           !.is_stopping = FALSE,
           !.trailing_blank_offset = (-1),
           !.ghost_life = (master.ghost_life + 1),
           !.push2_slave_max_offset = 0,
           !.connection_count = 0]
       /\ links' = [links EXCEPT
           ![0].is_open = FALSE,
           ![0].has_reported = FALSE,
           ![0].reported_offset = 0,
           ![0].slave_request_offset = (-1),
           ![0].slave_ack_offset = (-1),
           ![0].next_transfer_offset = (-1),
           ![0].transfer_start_offset = (-1),
           ![0].arrived_offset = (-1)]
       /\ messages' = [messages EXCEPT
           ![0].phase = (IF ((2 <= messages[0].phase) /\ (messages[0].phase <= 4)) THEN 6 ELSE
               messages[0].phase)]
       /\ faults' = [faults EXCEPT
           !.master_power_losses = (faults.master_power_losses + 1)]
    /\ UNCHANGED <<slaves>>

lose_slave_power_0_is_within_limit == (faults.slave_power_losses < slave_power_losses_max)

\* A slave's machine loses power: any part of the tail that is not on disk is lost.
\* fault: power loss of a slave's machine; CommitLog#recoverAbnormally
lose_slave_power_0 ==
    /\ is_slave_up
    /\ lose_slave_power_0_is_within_limit
    /\ \E kept_offset \in slaves[0].log.ghost_durable_offset..slaves[0].log.ends[2] :
       LET
           part_0 == (slaves[0].log.last_file_offset <= kept_offset)
           part_1 == Max(slaves[0].log.start_offset, (kept_offset - (kept_offset %
               mapped_file_size_bytes)))
       IN
       /\ slaves' = [slaves EXCEPT
           ![0].log.ends[0] = Min(slaves[0].log.ends[0], kept_offset),
           ![0].log.ends[1] = Min(slaves[0].log.ends[1], kept_offset),
           ![0].log.ends[2] = Min(slaves[0].log.ends[2], kept_offset),
           ![0].log.last_file_offset = (IF part_0 THEN slaves[0].log.last_file_offset ELSE part_1),
           ![0].log.flushed_offset = Min(slaves[0].log.flushed_offset, kept_offset),
           ![0].log.dispatched_offset = Min(slaves[0].log.dispatched_offset, kept_offset),
           ![0].log.ghost_durable_offset = kept_offset,
           ![0].log.stale_end_offset = (IF part_0 THEN Max(slaves[0].log.stale_end_offset,
               slaves[0].log.ends[2]) ELSE (part_1 + mapped_file_size_bytes)),
           ![0].log.ghost_unknown_below_offset = Min(slaves[0].log.ghost_unknown_below_offset,
               kept_offset),
           ![0].log.ghost_foreign_start_offset = Min(slaves[0].log.ghost_foreign_start_offset,
               kept_offset),
           ![0].log.ghost_foreign_end_offset = Min(slaves[0].log.ghost_foreign_end_offset,
               kept_offset),
           ![0].log.ghost_torn_start_offset = Min(slaves[0].log.ghost_torn_start_offset,
               kept_offset),
           ![0].log.ghost_torn_end_offset = Min(slaves[0].log.ghost_torn_end_offset, kept_offset),
           ![0].is_up = FALSE,
           ![0].is_stopping = FALSE]
       /\ links' = [links EXCEPT
           ![0].is_open = FALSE,
           ![0].has_reported = FALSE,
           ![0].reported_offset = 0,
           ![0].slave_request_offset = (-1),
           ![0].slave_ack_offset = (-1),
           ![0].next_transfer_offset = (-1),
           ![0].transfer_start_offset = (-1),
           ![0].arrived_offset = (-1)]
       /\ faults' = [faults EXCEPT
           !.slave_power_losses = (faults.slave_power_losses + 1)]
    /\ UNCHANGED <<master, messages>>

lose_master_disk_is_within_limit == (faults.master_disk_losses < master_disk_losses_max)

\* The master's disk is lost; its broker will restart with an empty one.
\* fault: loss of the master's disk; DefaultMessageStore#load
lose_master_disk ==
    /\ is_master_up
    /\ lose_master_disk_is_within_limit
    /\ has_modelled_life_left
    /\ master' = [master EXCEPT
        !.log.ends[0] = 0,
        !.log.ends[1] = 0,
        !.log.ends[2] = 0,
        !.log.start_offset = 0,
        !.log.last_file_offset = 0,
        !.log.has_file = FALSE,
        !.log.flushed_offset = 0,
        !.log.dispatched_offset = 0,
        !.log.ghost_durable_offset = 0,
        !.log.stale_end_offset = 0,
        !.log.ghost_unknown_below_offset = 0,
        !.log.ghost_foreign_start_offset = 0,
        !.log.ghost_foreign_end_offset = 0,
        !.log.ghost_torn_start_offset = 0,
        !.log.ghost_torn_end_offset = 0,
        !.is_up = FALSE,
        !.is_stopping = FALSE,
        !.has_abort_file = FALSE,
        !.trailing_blank_offset = (-1),
        !.ghost_life = (master.ghost_life + 1),
        !.push2_slave_max_offset = 0,
        !.connection_count = 0]
    /\ links' = [links EXCEPT
        ![0].is_open = FALSE,
        ![0].has_reported = FALSE,
        ![0].reported_offset = 0,
        ![0].slave_request_offset = (-1),
        ![0].slave_ack_offset = (-1),
        ![0].next_transfer_offset = (-1),
        ![0].transfer_start_offset = (-1),
        ![0].arrived_offset = (-1)]
    /\ messages' = [messages EXCEPT
        ![0].phase = (IF ((2 <= messages[0].phase) /\ (messages[0].phase <= 4)) THEN 6 ELSE
            messages[0].phase)]
    /\ faults' = [faults EXCEPT
        !.master_disk_losses = (faults.master_disk_losses + 1)]
    /\ UNCHANGED <<slaves>>

wipe_slave_0_is_within_limit == (faults.slave_wipes < slave_wipes_max)

\* The store of a slave that is down is emptied.
\* fault: removal of a stopped slave's store directory; DefaultMessageStore#load
wipe_slave_0 ==
    /\ is_slave_down
    /\ wipe_slave_0_is_within_limit
    /\ slaves' = [slaves EXCEPT
        ![0].log.ends[0] = 0,
        ![0].log.ends[1] = 0,
        ![0].log.ends[2] = 0,
        ![0].log.start_offset = 0,
        ![0].log.last_file_offset = 0,
        ![0].log.has_file = FALSE,
        ![0].log.flushed_offset = 0,
        ![0].log.dispatched_offset = 0,
        ![0].log.ghost_durable_offset = 0,
        ![0].log.stale_end_offset = 0,
        ![0].log.ghost_unknown_below_offset = 0,
        ![0].log.ghost_foreign_start_offset = 0,
        ![0].log.ghost_foreign_end_offset = 0,
        ![0].log.ghost_torn_start_offset = 0,
        ![0].log.ghost_torn_end_offset = 0,
        ![0].is_up = FALSE,
        ![0].is_stopping = FALSE,
        ![0].has_abort_file = FALSE,
        ![0].ghost_earlier_put_offset = 0]
    /\ faults' = [faults EXCEPT
        !.slave_wipes = (faults.slave_wipes + 1)]
    /\ UNCHANGED <<master, links, messages>>

cut_link_0_is_within_limit == (faults.link_cuts < link_cuts_max)

\* A replication connection breaks; bytes in flight are lost, the master still counts it.
\* fault: a broken TCP connection between slave and master
cut_link_0 ==
    /\ is_link_open
    /\ cut_link_0_is_within_limit
    /\ links' = [links EXCEPT
        ![0].is_open = FALSE,
        ![0].has_reported = FALSE,
        ![0].reported_offset = 0,
        ![0].slave_request_offset = (-1),
        ![0].slave_ack_offset = (-1),
        ![0].next_transfer_offset = (-1),
        ![0].transfer_start_offset = (-1),
        ![0].arrived_offset = (-1)]
    /\ faults' = [faults EXCEPT
        !.link_cuts = (faults.link_cuts + 1)]
    /\ UNCHANGED <<master, slaves, messages>>

swallow_flush_error_has_unflushed_bytes ==
    (((master.log.start_offset <= master.log.flushed_offset) \/ (master.log.flushed_offset = 0)) /\
        (master.log.flushed_offset < master.log.ends[2]))

swallow_flush_error_is_within_limit == (faults.swallowed_disk_errors < swallowed_disk_errors_max)

\* The master's flush fails, is only logged, and counts as done (R-CL-10).
\* fault: MappedFile#flush (force throws)
swallow_flush_error ==
    /\ is_master_up
    /\ swallow_flush_error_has_unflushed_bytes
    /\ swallow_flush_error_is_within_limit
    /\ LET
           part_0 == Max(master.log.flushed_offset, master.log.start_offset)
       IN
       /\ master' = [master EXCEPT
           !.log.flushed_offset = Min(master.log.ends[2], ((part_0 - (part_0 %
               mapped_file_size_bytes)) + mapped_file_size_bytes))]
       /\ faults' = [faults EXCEPT
           !.swallowed_disk_errors = (faults.swallowed_disk_errors + 1)]
    /\ UNCHANGED <<slaves, links, messages>>

swallow_append_error_0_is_within_limit == (faults.swallowed_disk_errors < swallowed_disk_errors_max)

\* A slave fails to write a frame, continues as if it were written, and reports it (R-CL-11).
\* fault: MappedFile#appendMessage (FileChannel#write throws)
swallow_append_error_0 ==
    /\ is_link_open
    /\ is_accepting
    /\ has_bytes_in_flight
    /\ is_in_step
    /\ swallow_append_error_0_is_within_limit
    /\ \E size_bytes \in 1..Min((links[0].next_transfer_offset - links[0].arrived_offset), (((IF
           ((IF ~slaves[0].log.has_file THEN (IF (links[0].arrived_offset <
           (links[0].transfer_start_offset + mapped_file_size_bytes)) THEN
           links[0].transfer_start_offset ELSE (links[0].arrived_offset - (links[0].arrived_offset %
           mapped_file_size_bytes))) ELSE slaves[0].log.ends[2]) = ((IF ~slaves[0].log.has_file THEN
           (IF (links[0].arrived_offset < (links[0].transfer_start_offset + mapped_file_size_bytes))
           THEN links[0].transfer_start_offset ELSE (links[0].arrived_offset -
           (links[0].arrived_offset % mapped_file_size_bytes))) ELSE slaves[0].log.last_file_offset)
           + mapped_file_size_bytes)) THEN (IF ~slaves[0].log.has_file THEN (IF
           (links[0].arrived_offset < (links[0].transfer_start_offset + mapped_file_size_bytes))
           THEN links[0].transfer_start_offset ELSE (links[0].arrived_offset -
           (links[0].arrived_offset % mapped_file_size_bytes))) ELSE slaves[0].log.ends[2]) ELSE (IF
           ~slaves[0].log.has_file THEN (IF (links[0].arrived_offset <
           (links[0].transfer_start_offset + mapped_file_size_bytes)) THEN
           links[0].transfer_start_offset ELSE (links[0].arrived_offset - (links[0].arrived_offset %
           mapped_file_size_bytes))) ELSE slaves[0].log.last_file_offset)) + mapped_file_size_bytes)
           - (IF ~slaves[0].log.has_file THEN (IF (links[0].arrived_offset <
           (links[0].transfer_start_offset + mapped_file_size_bytes)) THEN
           links[0].transfer_start_offset ELSE (links[0].arrived_offset - (links[0].arrived_offset %
           mapped_file_size_bytes))) ELSE slaves[0].log.ends[2]))) :
       LET
           part_0 == (IF (links[0].arrived_offset < (links[0].transfer_start_offset +
               mapped_file_size_bytes)) THEN links[0].transfer_start_offset ELSE
               (links[0].arrived_offset - (links[0].arrived_offset % mapped_file_size_bytes)))
           part_1 == (IF ~slaves[0].log.has_file THEN part_0 ELSE slaves[0].log.ends[2])
           part_2 == (IF (part_1 < master.log.ends[2]) THEN Min(master.log.ends[2], (part_1 +
               size_bytes)) ELSE part_1)
           part_3 == (IF ~slaves[0].log.has_file THEN part_0 ELSE slaves[0].log.last_file_offset)
       IN
       /\ slaves' = [slaves EXCEPT
           ![0].log.ends[0] = (IF (part_1 < master.log.ends[0]) THEN Min(master.log.ends[0], (part_1
               + size_bytes)) ELSE (IF ~slaves[0].log.has_file THEN part_0 ELSE
               slaves[0].log.ends[0])),
           ![0].log.ends[1] = (IF (part_1 < master.log.ends[1]) THEN Min(master.log.ends[1], (part_1
               + size_bytes)) ELSE (IF ~slaves[0].log.has_file THEN part_0 ELSE
               slaves[0].log.ends[1])),
           ![0].log.ends[2] = part_2,
           ![0].log.start_offset = (IF ~slaves[0].log.has_file THEN part_0 ELSE
               slaves[0].log.start_offset),
           ![0].log.last_file_offset = (IF (part_1 = (part_3 + mapped_file_size_bytes)) THEN part_1
               ELSE part_3),
           ![0].log.has_file = TRUE,
           ![0].log.ghost_durable_offset = (IF ~slaves[0].log.has_file THEN part_0 ELSE
               slaves[0].log.ghost_durable_offset),
           ![0].log.ghost_unknown_below_offset = part_2]
       /\ links' = [links EXCEPT
           ![0].has_reported = TRUE,
           ![0].reported_offset = (part_1 + size_bytes),
           ![0].arrived_offset = (links[0].arrived_offset + size_bytes)]
       /\ faults' = [faults EXCEPT
           !.swallowed_disk_errors = (faults.swallowed_disk_errors + 1)]
    /\ UNCHANGED <<master, messages>>

fail_file_creation_0_is_new_file_needed ==
    (~slaves[0].log.has_file \/ (slaves[0].log.ends[2] = (slaves[0].log.last_file_offset +
        mapped_file_size_bytes)))

fail_file_creation_0_is_within_limit == (faults.failed_file_creations < failed_file_creations_max)

\* A slave cannot create the file that a frame needs, drops the frame, and continues.
\* fault: MappedFileQueue#getLastMappedFile (null), CommitLog#appendData
fail_file_creation_0 ==
    /\ is_link_open
    /\ is_accepting
    /\ has_bytes_in_flight
    /\ is_frame_taken
    /\ fail_file_creation_0_is_new_file_needed
    /\ fail_file_creation_0_is_within_limit
    /\ \E size_bytes \in 1..(links[0].next_transfer_offset - links[0].arrived_offset) :
       /\ links' = [links EXCEPT
           ![0].arrived_offset = (links[0].arrived_offset + size_bytes)]
       /\ faults' = [faults EXCEPT
           !.failed_file_creations = (faults.failed_file_creations + 1)]
    /\ UNCHANGED <<master, slaves, messages>>

send_alien_report_is_within_limit == (faults.alien_reports < alien_reports_max)

\* A stranger sends eight bytes to the HA port: the master takes them for a report (R-AK-03).
\* fault: HAConnection.ReadSocketService#processReadEvent (no validation)
send_alien_report ==
    /\ is_master_up
    /\ send_alien_report_is_within_limit
    /\ \E offset \in 0..ghost_log_size_max_bytes :
       /\ master' = [master EXCEPT
           !.push2_slave_max_offset = Max(master.push2_slave_max_offset, offset),
           !.connection_count = (master.connection_count + 1)]
       /\ messages' = [messages EXCEPT
           ![0].wake_ups = (IF ((master.push2_slave_max_offset < offset) /\ (messages[0].phase = 4))
               THEN Min((messages[0].wake_ups + 1), 5) ELSE messages[0].wake_ups)]
       /\ faults' = [faults EXCEPT
           !.alien_reports = (faults.alien_reports + 1)]
    /\ UNCHANGED <<slaves, links>>

delete_young_master_file_has_old_file ==
    ((master.log.start_offset + mapped_file_size_bytes) <= master.log.last_file_offset)

delete_young_master_file_is_within_limit == (faults.forced_deletions < forced_deletions_max)

\* The master's disk is more than 85 % full: it deletes its oldest file, whatever its age.
\* fault: DefaultMessageStore.CleanCommitLogService#isSpaceToDelete, #deleteExpiredFiles
delete_young_master_file ==
    /\ is_master_up
    /\ delete_young_master_file_has_old_file
    /\ delete_young_master_file_is_within_limit
    /\ LET
           part_0 == (master.log.start_offset + mapped_file_size_bytes)
           part_1 == ((2 <= messages[0].phase) /\ (master.log.start_offset <=
               messages[0].start_offset) /\ (master.log.ghost_unknown_below_offset <=
               messages[0].start_offset) /\ (((messages[0].ghost_life = 0) /\ (0 <=
               messages[0].start_offset) /\ (messages[0].start_offset < master.log.ends[0])) \/
               ((messages[0].ghost_life = 1) /\ (master.log.ends[0] <= messages[0].start_offset) /\
               (messages[0].start_offset < master.log.ends[1])) \/ ((messages[0].ghost_life = 2) /\
               (master.log.ends[1] <= messages[0].start_offset) /\ (messages[0].start_offset <
               master.log.ends[2]))) /\ (messages[0].start_offset < part_0))
       IN
       /\ master' = [master EXCEPT
           !.log.start_offset = part_0,
           !.log.ghost_durable_offset = Max(master.log.ghost_durable_offset, part_0)]
       /\ messages' = [messages EXCEPT
           ![0].ghost_is_expired = (messages[0].ghost_is_expired \/ part_1),
           ![0].ghost_is_deleted_early = (IF part_1 THEN ((messages[0].end_offset <= part_0) /\
               (messages[0].ghost_is_deleted_early \/ ~messages[0].ghost_is_expired)) ELSE
               messages[0].ghost_is_deleted_early)]
       /\ faults' = [faults EXCEPT
           !.forced_deletions = (faults.forced_deletions + 1)]
    /\ UNCHANGED <<slaves, links>>

delete_young_slave_file_0_has_old_file ==
    ((slaves[0].log.start_offset + mapped_file_size_bytes) <= slaves[0].log.last_file_offset)

delete_young_slave_file_0_is_within_limit == (faults.forced_deletions < forced_deletions_max)

\* A slave's disk is more than 85 % full: it deletes its oldest file, whatever its age.
\* fault: DefaultMessageStore.CleanCommitLogService#isSpaceToDelete, #deleteExpiredFiles
delete_young_slave_file_0 ==
    /\ is_slave_up
    /\ delete_young_slave_file_0_has_old_file
    /\ delete_young_slave_file_0_is_within_limit
    /\ LET
           part_0 == (slaves[0].log.start_offset + mapped_file_size_bytes)
           part_1 == ((2 <= messages[0].phase) /\ (slaves[0].log.start_offset <=
               messages[0].start_offset) /\ (slaves[0].log.ghost_unknown_below_offset <=
               messages[0].start_offset) /\ (((messages[0].ghost_life = 0) /\ (0 <=
               messages[0].start_offset) /\ (messages[0].start_offset < slaves[0].log.ends[0])) \/
               ((messages[0].ghost_life = 1) /\ (slaves[0].log.ends[0] <= messages[0].start_offset)
               /\ (messages[0].start_offset < slaves[0].log.ends[1])) \/ ((messages[0].ghost_life =
               2) /\ (slaves[0].log.ends[1] <= messages[0].start_offset) /\
               (messages[0].start_offset < slaves[0].log.ends[2]))) /\ (messages[0].start_offset <
               part_0))
       IN
       /\ slaves' = [slaves EXCEPT
           ![0].log.start_offset = part_0,
           ![0].log.ghost_durable_offset = Max(slaves[0].log.ghost_durable_offset, part_0)]
       /\ messages' = [messages EXCEPT
           ![0].ghost_is_expired = (messages[0].ghost_is_expired \/ part_1),
           ![0].ghost_is_deleted_early = (IF part_1 THEN ((messages[0].end_offset <= part_0) /\
               (messages[0].ghost_is_deleted_early \/ ~messages[0].ghost_is_expired)) ELSE
               messages[0].ghost_is_deleted_early)]
       /\ faults' = [faults EXCEPT
           !.forced_deletions = (faults.forced_deletions + 1)]
    /\ UNCHANGED <<master, links>>

\* No step. A modelled log has an end, which is no deadlock.
rest == UNCHANGED vars

Next ==
    \/ fill_file
    \/ create_master_file
    \/ append_message_0
    \/ append_other_message
    \/ expire_master_file
    \/ expire_uncopied_master_file
    \/ expire_slave_file_0
    \/ flush_master
    \/ flush_slave_0
    \/ flush_master_too_few_pages
    \/ flush_slave_too_few_pages_0
    \/ dispatch_master
    \/ dispatch_slave_0
    \/ refuse_put_0
    \/ answer_disk_wait_0
    \/ skip_slave_wait_0
    \/ refuse_slave_wait_0
    \/ request_slave_wait_0
    \/ wait_one_second_0
    \/ answer_slave_wait_0
    \/ give_up_slave_wait_0
    \/ time_out_slave_wait_0
    \/ give_up_send_0
    \/ send_again_0
    \/ connect_slave_0
    \/ close_idle_connection_0
    \/ drop_connection
    \/ report_offset_0
    \/ report_offset_to_earlier_put_0
    \/ receive_report_0
    \/ position_transfer_0
    \/ position_at_last_file_0
    \/ transfer_batch_0
    \/ create_slave_file_0
    \/ append_to_slave_0
    \/ append_at_wrong_offset_0
    \/ refuse_frame_0
    \/ discard_frame_0
    \/ begin_master_stop
    \/ finish_master_stop
    \/ restart_master
    \/ restart_master_without_blank
    \/ restart_master_behind_blank
    \/ restart_master_with_stale_bytes
    \/ begin_slave_stop_0
    \/ finish_slave_stop_0
    \/ restart_slave_0
    \/ restart_slave_beyond_received_0
    \/ restart_slave_with_stale_bytes_0
    \/ switch_master_role
    \/ kill_master
    \/ kill_slave_0
    \/ lose_master_power
    \/ lose_master_power_in_record
    \/ lose_slave_power_0
    \/ lose_master_disk
    \/ wipe_slave_0
    \/ cut_link_0
    \/ swallow_flush_error
    \/ swallow_append_error_0
    \/ fail_file_creation_0
    \/ send_alien_report
    \/ delete_young_master_file
    \/ delete_young_slave_file_0
    \/ rest

Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------------------------------
\* Claims.

\* The segments of a log follow one another.
log_ends_never_decrease ==
    ((0 <= master.log.ends[0]) /\ (master.log.ends[0] <= master.log.ends[1]) /\ (master.log.ends[1]
        <= master.log.ends[2]) /\ (0 <= slaves[0].log.ends[0]) /\ (slaves[0].log.ends[0] <=
        slaves[0].log.ends[1]) /\ (slaves[0].log.ends[1] <= slaves[0].log.ends[2]))

\* No offset of a log exceeds its end: first file, flushed, dispatched, on disk, unknown.
offsets_are_within_log ==
    ((0 <= master.log.start_offset) /\ (master.log.start_offset <= master.log.ends[2]) /\ (0 <=
        master.log.flushed_offset) /\ (master.log.flushed_offset <= master.log.ends[2]) /\ (0 <=
        master.log.dispatched_offset) /\ (master.log.dispatched_offset <= master.log.ends[2]) /\ (0
        <= master.log.ghost_durable_offset) /\ (master.log.ghost_durable_offset <=
        master.log.ends[2]) /\ (0 <= master.log.ghost_unknown_below_offset) /\
        (master.log.ghost_unknown_below_offset <= master.log.ends[2]) /\ (0 <=
        master.log.ghost_foreign_start_offset) /\ (master.log.ghost_foreign_start_offset <=
        master.log.ends[2]) /\ (0 <= master.log.ghost_foreign_end_offset) /\
        (master.log.ghost_foreign_end_offset <= master.log.ends[2]) /\ (0 <=
        master.log.ghost_torn_start_offset) /\ (master.log.ghost_torn_start_offset <=
        master.log.ends[2]) /\ (0 <= master.log.ghost_torn_end_offset) /\
        (master.log.ghost_torn_end_offset <= master.log.ends[2]) /\ (0 <=
        slaves[0].log.start_offset) /\ (slaves[0].log.start_offset <= slaves[0].log.ends[2]) /\ (0
        <= slaves[0].log.flushed_offset) /\ (slaves[0].log.flushed_offset <= slaves[0].log.ends[2])
        /\ (0 <= slaves[0].log.dispatched_offset) /\ (slaves[0].log.dispatched_offset <=
        slaves[0].log.ends[2]) /\ (0 <= slaves[0].log.ghost_durable_offset) /\
        (slaves[0].log.ghost_durable_offset <= slaves[0].log.ends[2]) /\ (0 <=
        slaves[0].log.ghost_unknown_below_offset) /\ (slaves[0].log.ghost_unknown_below_offset <=
        slaves[0].log.ends[2]) /\ (0 <= slaves[0].log.ghost_foreign_start_offset) /\
        (slaves[0].log.ghost_foreign_start_offset <= slaves[0].log.ends[2]) /\ (0 <=
        slaves[0].log.ghost_foreign_end_offset) /\ (slaves[0].log.ghost_foreign_end_offset <=
        slaves[0].log.ends[2]) /\ (0 <= slaves[0].log.ghost_torn_start_offset) /\
        (slaves[0].log.ghost_torn_start_offset <= slaves[0].log.ends[2]) /\ (0 <=
        slaves[0].log.ghost_torn_end_offset) /\ (slaves[0].log.ghost_torn_end_offset <=
        slaves[0].log.ends[2]))

\* A log that has files ends in the last file or exactly at its end.
log_ends_in_last_file ==
    ((master.log.start_offset <= master.log.last_file_offset) /\ (master.log.last_file_offset <=
        master.log.ends[2]) /\ (master.log.ends[2] <= (master.log.last_file_offset +
        mapped_file_size_bytes)) /\ (master.log.has_file \/ ((master.log.ends[2] = 0) /\
        (master.log.stale_end_offset = 0))) /\ (0 <= master.log.stale_end_offset) /\
        (slaves[0].log.start_offset <= slaves[0].log.last_file_offset) /\
        (slaves[0].log.last_file_offset <= slaves[0].log.ends[2]) /\ (slaves[0].log.ends[2] <=
        (slaves[0].log.last_file_offset + mapped_file_size_bytes)) /\ (slaves[0].log.has_file \/
        ((slaves[0].log.ends[2] = 0) /\ (slaves[0].log.stale_end_offset = 0))) /\ (0 <=
        slaves[0].log.stale_end_offset))

\* Bytes on disk reach at least to the first file: below it, nothing can be lost.
nothing_below_first_file_is_at_stake ==
    ((master.log.start_offset <= master.log.ghost_durable_offset) /\ (slaves[0].log.start_offset <=
        slaves[0].log.ghost_durable_offset))

\* A message below the master's first file that was deleted early was deleted whole.
deleted_early_is_deleted_whole ==
    (~((master.ghost_life = 0) /\ (2 <= messages[0].phase) /\ messages[0].ghost_is_deleted_early /\
        (messages[0].start_offset < master.log.start_offset)) \/ (messages[0].end_offset <=
        master.log.start_offset))

\* The master's losses and cut blanks have begun its log's present epoch (life).
life_is_counted ==
    ((0 <= master.ghost_life) /\ (master.ghost_life < 3) /\ (master.ghost_life =
        ((faults.master_power_losses + faults.master_disk_losses) + faults.torn_rolls)))

\* No fault happens more often than its limit.
faults_are_within_limits ==
    ((0 <= faults.master_kills) /\ (faults.master_kills <= master_kills_max) /\ (0 <=
        faults.slave_kills) /\ (faults.slave_kills <= slave_kills_max) /\ (0 <=
        faults.master_power_losses) /\ (faults.master_power_losses <= master_power_losses_max) /\ (0
        <= faults.slave_power_losses) /\ (faults.slave_power_losses <= slave_power_losses_max) /\ (0
        <= faults.link_cuts) /\ (faults.link_cuts <= link_cuts_max) /\ (0 <= faults.late_joins) /\
        (faults.late_joins <= late_joins_max) /\ (0 <= faults.slave_wipes) /\ (faults.slave_wipes <=
        slave_wipes_max) /\ (0 <= faults.master_disk_losses) /\ (faults.master_disk_losses <=
        master_disk_losses_max) /\ (0 <= faults.swallowed_disk_errors) /\
        (faults.swallowed_disk_errors <= swallowed_disk_errors_max) /\ (0 <=
        faults.failed_file_creations) /\ (faults.failed_file_creations <= failed_file_creations_max)
        /\ (0 <= faults.alien_reports) /\ (faults.alien_reports <= alien_reports_max) /\ (0 <=
        faults.forced_deletions) /\ (faults.forced_deletions <= forced_deletions_max) /\ (0 <=
        faults.uncopied_expiries) /\ (faults.uncopied_expiries <= uncopied_expiries_max) /\ (0 <=
        faults.torn_rolls) /\ (faults.torn_rolls <= torn_rolls_max) /\ (0 <= faults.overlong_waits)
        /\ (faults.overlong_waits <= overlong_waits_max) /\ (0 <= faults.role_switches) /\
        (faults.role_switches <= role_switches_max))

\* No log holds bytes of a log epoch that has not begun.
no_bytes_of_future_lives ==
    ((~(master.ghost_life <= 0) \/ (master.log.ends[0] = master.log.ends[2])) /\
        (~(master.ghost_life <= 1) \/ (master.log.ends[1] = master.log.ends[2])) /\
        (~(master.ghost_life <= 2) \/ (master.log.ends[2] = master.log.ends[2])) /\
        (~(master.ghost_life <= 0) \/ (slaves[0].log.ends[0] = slaves[0].log.ends[2])) /\
        (~(master.ghost_life <= 1) \/ (slaves[0].log.ends[1] = slaves[0].log.ends[2])) /\
        (~(master.ghost_life <= 2) \/ (slaves[0].log.ends[2] = slaves[0].log.ends[2])))

\* A put message has a phase, a status, a length and a log epoch that has begun.
message_is_well_formed ==
    ((0 <= messages[0].phase) /\ (messages[0].phase <= 6) /\ (0 <= messages[0].status) /\
        (messages[0].status <= 9) /\ (~(messages[0].phase = 1) \/ (4 <= messages[0].status)) /\ (~(4
        <= messages[0].status) \/ (messages[0].phase = 1)) /\ (0 <= messages[0].disk_flushes) /\
        (messages[0].disk_flushes <= 2) /\ (0 <= messages[0].wake_ups) /\ (messages[0].wake_ups <=
        5) /\ (0 <= messages[0].ghost_copies) /\ (~(2 <= messages[0].phase) \/ ((0 <=
        messages[0].start_offset) /\ (messages[0].start_offset < messages[0].end_offset) /\ (0 <=
        messages[0].ghost_life) /\ (messages[0].ghost_life <= master.ghost_life))) /\ ((2 <=
        messages[0].phase) \/ ~(messages[0].ghost_is_received \/ messages[0].ghost_is_expired \/
        messages[0].ghost_is_readable)))

\* A connection's offsets are unknown or in order.
link_offsets_are_ordered ==
    (((-1) <= links[0].slave_request_offset) /\ (links[0].slave_request_offset <=
        links[0].slave_ack_offset) /\ (links[0].slave_ack_offset <= links[0].reported_offset) /\
        ((-1) <= links[0].next_transfer_offset) /\ (~(0 <= links[0].next_transfer_offset) \/ (0 <=
        links[0].slave_request_offset)) /\ (~(0 <= links[0].slave_ack_offset) \/ (0 <=
        links[0].slave_request_offset)) /\ (~((links[0].next_transfer_offset < 0) /\ (0 <=
        links[0].slave_request_offset)) \/ (links[0].slave_request_offset =
        links[0].reported_offset)) /\ (~(0 <= links[0].slave_request_offset) \/
        links[0].has_reported) /\ (~links[0].has_reported \/ links[0].is_open) /\ ((-1) <=
        links[0].arrived_offset) /\ (links[0].arrived_offset <= links[0].next_transfer_offset) /\
        ((-1) <= links[0].transfer_start_offset) /\ (links[0].transfer_start_offset <=
        links[0].arrived_offset) /\ (~(0 <= links[0].transfer_start_offset) \/ (0 <=
        links[0].arrived_offset)) /\ (~(0 <= links[0].arrived_offset) \/ (0 <=
        links[0].transfer_start_offset)) /\ (~(0 <= links[0].arrived_offset) \/ (0 <=
        links[0].next_transfer_offset)) /\ (~(0 <= links[0].next_transfer_offset) \/ (0 <=
        links[0].arrived_offset)))

\* An open connection is between two running brokers, and has reported its slave's end.
open_link_has_living_ends ==
    (~links[0].is_open \/ (master.is_up /\ slaves[0].is_up /\ (links[0].reported_offset =
        slaves[0].log.ends[2])))

\* Bytes in flight to a slave are in the master's log; a slave ahead has none in flight.
bytes_in_flight_are_the_masters ==
    (~links[0].is_open \/ (links[0].next_transfer_offset <= (IF (links[0].arrived_offset <
        links[0].next_transfer_offset) THEN master.log.ends[2] ELSE Max(master.log.ends[2],
        slaves[0].log.ends[2]))))

\* Until its role is switched, the master has the role of its structure.
role_is_the_configured_one == (~(faults.role_switches = 0) \/ master.is_sync)

\* The group commit flushes only for a put that waits for the disk.
flushes_have_their_cause == ~(0 < messages[0].disk_flushes)

\* Only a slave stores bytes at a foreign offset, lacks bytes unnoticed, or has older ones.
masters_content_is_known ==
    ((master.log.ghost_unknown_below_offset = 0) /\ (master.log.ghost_foreign_end_offset = 0) /\
        (master.log.ghost_torn_end_offset = 0))

\* A message appended in the present log epoch is in the master's log until it expires.
message_of_present_life_is_on_master ==
    LET
        part_0 == (messages[0].end_offset <= master.log.ends[2])
    IN
    (~((2 <= messages[0].phase) /\ (messages[0].ghost_life = master.ghost_life)) \/ (part_0 /\ (((2
        <= messages[0].phase) /\ (master.log.start_offset <= messages[0].start_offset) /\
        (master.log.ghost_unknown_below_offset <= messages[0].start_offset) /\
        (((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset) /\ (messages[0].end_offset
        <= master.log.ends[0])) \/ ((messages[0].ghost_life = 1) /\ (master.log.ends[0] <=
        messages[0].start_offset) /\ (messages[0].end_offset <= master.log.ends[1])) \/
        ((messages[0].ghost_life = 2) /\ (master.log.ends[1] <= messages[0].start_offset) /\
        part_0)) /\ ~((master.log.ghost_torn_start_offset < master.log.ghost_torn_end_offset) /\
        (master.log.ghost_torn_start_offset < messages[0].end_offset) /\ (messages[0].start_offset <
        master.log.ghost_torn_end_offset))) \/ messages[0].ghost_is_expired)))

\* A trailing blank fills the master's last file, and no followed message overlaps it.
trailing_blank_ends_the_log ==
    ((master.trailing_blank_offset = (-1)) \/ ((master.log.last_file_offset <
        master.trailing_blank_offset) /\ (master.trailing_blank_offset < master.log.ends[2]) /\
        (master.log.ends[2] = (master.log.last_file_offset + mapped_file_size_bytes)) /\ (~((2 <=
        messages[0].phase) /\ (((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset) /\
        (messages[0].end_offset <= master.log.ends[0])) \/ ((messages[0].ghost_life = 1) /\
        (master.log.ends[0] <= messages[0].start_offset) /\ (messages[0].end_offset <=
        master.log.ends[1])) \/ ((messages[0].ghost_life = 2) /\ (master.log.ends[1] <=
        messages[0].start_offset) /\ (messages[0].end_offset <= master.log.ends[2])))) \/
        (messages[0].end_offset <= master.trailing_blank_offset))))

\* Only a running broker is stopping; a running broker has its abort file.
only_running_brokers_stop ==
    ((~master.is_stopping \/ master.is_up) /\ (~master.is_up \/ master.has_abort_file) /\
        (~slaves[0].is_stopping \/ slaves[0].is_up) /\ (~slaves[0].is_up \/
        slaves[0].has_abort_file))

\* Unless a frame was discarded, the next one begins at the end of the slave's log.
frame_in_step_is_where_the_log_ends ==
    (~(links[0].is_open /\ (faults.failed_file_creations = 0) /\ (0 <= links[0].arrived_offset) /\
        ~slaves[0].is_stopping /\ (slaves[0].log.ghost_unknown_below_offset = 0)) \/
        (~slaves[0].log.has_file /\ (links[0].arrived_offset = links[0].transfer_start_offset)) \/
        (slaves[0].log.has_file /\ (slaves[0].log.ends[2] = 0)) \/ (links[0].arrived_offset =
        slaves[0].log.ends[2]))

\* The master counts every open connection, and perhaps dead ones, while it runs.
connections_are_counted ==
    (((IF links[0].is_open THEN 1 ELSE 0) <= master.connection_count) /\ (master.is_up \/
        (master.connection_count = 0)))

\* A put waits only for a master that runs.
dead_master_has_no_waiting_puts ==
    (master.is_up \/ ~((2 <= messages[0].phase) /\ (messages[0].phase <= 4)))

\* A status other than PUT_OK comes from a wait that this structure and this put have.
status_has_its_cause ==
    (~(messages[0].status = 1) /\ (~(messages[0].status = 3) \/ messages[0].waits_for_store) /\
        (~(messages[0].status = 2) \/ messages[0].waits_for_store) /\ (~(messages[0].phase = 4) \/
        messages[0].waits_for_store))

\* A message that was answered PUT_OK stays in the master's commit log until it expires.
acknowledged_is_kept_on_master ==
    (~((messages[0].phase = 5) /\ (messages[0].status = 0) /\ messages[0].waits_for_store /\
        ~(messages[0].ghost_is_expired /\ ~messages[0].ghost_is_deleted_early)) \/ ((2 <=
        messages[0].phase) /\ (master.log.start_offset <= messages[0].start_offset) /\
        (master.log.ghost_unknown_below_offset <= messages[0].start_offset) /\
        (((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset) /\ (messages[0].end_offset
        <= master.log.ends[0])) \/ ((messages[0].ghost_life = 1) /\ (master.log.ends[0] <=
        messages[0].start_offset) /\ (messages[0].end_offset <= master.log.ends[1])) \/
        ((messages[0].ghost_life = 2) /\ (master.log.ends[1] <= messages[0].start_offset) /\
        (messages[0].end_offset <= master.log.ends[2]))) /\ ~((master.log.ghost_torn_start_offset <
        master.log.ghost_torn_end_offset) /\ (master.log.ghost_torn_start_offset <
        messages[0].end_offset) /\ (messages[0].start_offset < master.log.ghost_torn_end_offset))))

\* A message that was answered PUT_OK stays on the master or on a slave until it expires.
acknowledged_is_kept_on_some_broker ==
    LET
        part_0 == ((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset))
    IN
    (~((messages[0].phase = 5) /\ (messages[0].status = 0) /\ messages[0].waits_for_store /\
        ~(messages[0].ghost_is_expired /\ ~messages[0].ghost_is_deleted_early)) \/ ((2 <=
        messages[0].phase) /\ (master.log.start_offset <= messages[0].start_offset) /\
        (master.log.ghost_unknown_below_offset <= messages[0].start_offset) /\ ((part_0 /\
        (messages[0].end_offset <= master.log.ends[0])) \/ ((messages[0].ghost_life = 1) /\
        (master.log.ends[0] <= messages[0].start_offset) /\ (messages[0].end_offset <=
        master.log.ends[1])) \/ ((messages[0].ghost_life = 2) /\ (master.log.ends[1] <=
        messages[0].start_offset) /\ (messages[0].end_offset <= master.log.ends[2]))) /\
        ~((master.log.ghost_torn_start_offset < master.log.ghost_torn_end_offset) /\
        (master.log.ghost_torn_start_offset < messages[0].end_offset) /\ (messages[0].start_offset <
        master.log.ghost_torn_end_offset))) \/ ((2 <= messages[0].phase) /\
        (slaves[0].log.start_offset <= messages[0].start_offset) /\
        (slaves[0].log.ghost_unknown_below_offset <= messages[0].start_offset) /\ ((part_0 /\
        (messages[0].end_offset <= slaves[0].log.ends[0])) \/ ((messages[0].ghost_life = 1) /\
        (slaves[0].log.ends[0] <= messages[0].start_offset) /\ (messages[0].end_offset <=
        slaves[0].log.ends[1])) \/ ((messages[0].ghost_life = 2) /\ (slaves[0].log.ends[1] <=
        messages[0].start_offset) /\ (messages[0].end_offset <= slaves[0].log.ends[2]))) /\
        ~((slaves[0].log.ghost_torn_start_offset < slaves[0].log.ghost_torn_end_offset) /\
        (slaves[0].log.ghost_torn_start_offset < messages[0].end_offset) /\
        (messages[0].start_offset < slaves[0].log.ghost_torn_end_offset))))

\* A message that was answered PUT_OK is on the master and on a slave, until it expires.
acknowledged_is_held_twice ==
    LET
        part_0 == ((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset))
    IN
    (~((messages[0].phase = 5) /\ (messages[0].status = 0) /\ messages[0].waits_for_store /\
        ~(messages[0].ghost_is_expired /\ ~messages[0].ghost_is_deleted_early)) \/ ((2 <=
        messages[0].phase) /\ (master.log.start_offset <= messages[0].start_offset) /\
        (master.log.ghost_unknown_below_offset <= messages[0].start_offset) /\ ((part_0 /\
        (messages[0].end_offset <= master.log.ends[0])) \/ ((messages[0].ghost_life = 1) /\
        (master.log.ends[0] <= messages[0].start_offset) /\ (messages[0].end_offset <=
        master.log.ends[1])) \/ ((messages[0].ghost_life = 2) /\ (master.log.ends[1] <=
        messages[0].start_offset) /\ (messages[0].end_offset <= master.log.ends[2]))) /\
        ~((master.log.ghost_torn_start_offset < master.log.ghost_torn_end_offset) /\
        (master.log.ghost_torn_start_offset < messages[0].end_offset) /\ (messages[0].start_offset <
        master.log.ghost_torn_end_offset)) /\ (2 <= messages[0].phase) /\
        (slaves[0].log.start_offset <= messages[0].start_offset) /\
        (slaves[0].log.ghost_unknown_below_offset <= messages[0].start_offset) /\ ((part_0 /\
        (messages[0].end_offset <= slaves[0].log.ends[0])) \/ ((messages[0].ghost_life = 1) /\
        (slaves[0].log.ends[0] <= messages[0].start_offset) /\ (messages[0].end_offset <=
        slaves[0].log.ends[1])) \/ ((messages[0].ghost_life = 2) /\ (slaves[0].log.ends[1] <=
        messages[0].start_offset) /\ (messages[0].end_offset <= slaves[0].log.ends[2]))) /\
        ~((slaves[0].log.ghost_torn_start_offset < slaves[0].log.ghost_torn_end_offset) /\
        (slaves[0].log.ghost_torn_start_offset < messages[0].end_offset) /\
        (messages[0].start_offset < slaves[0].log.ghost_torn_end_offset))))

\* When a message is answered PUT_OK, a slave has received all of it.
acknowledgement_is_truthful ==
    (~((messages[0].phase = 5) /\ (messages[0].status = 0) /\ messages[0].waits_for_store /\
        ~(messages[0].ghost_is_expired /\ ~messages[0].ghost_is_deleted_early)) \/
        messages[0].ghost_is_received)

\* A slave's log ends no later than its master's and equals it wherever both hold bytes.
slave_is_prefix_of_master ==
    LET
        part_0 == Min(slaves[0].log.ends[2], master.log.ends[2])
        part_1 == Max(slaves[0].log.start_offset, master.log.start_offset)
    IN
    ((slaves[0].log.ends[2] <= master.log.ends[2]) /\ ((part_0 <= part_1) \/ (((part_0 <= part_1) \/
        ((Min(Max(slaves[0].log.ends[0], part_1), Max(part_1, part_0)) = Min(Max(master.log.ends[0],
        part_1), Max(part_1, part_0))) /\ (Min(Max(slaves[0].log.ends[1], part_1), Max(part_1,
        part_0)) = Min(Max(master.log.ends[1], part_1), Max(part_1, part_0))) /\
        (Min(Max(slaves[0].log.ends[2], part_1), Max(part_1, part_0)) = Min(Max(master.log.ends[2],
        part_1), Max(part_1, part_0))) /\ (slaves[0].log.start_offset <= part_1) /\
        (slaves[0].log.ghost_unknown_below_offset <= part_1) /\ (master.log.start_offset <= part_1)
        /\ (master.log.ghost_unknown_below_offset <= part_1))) /\
        ~((slaves[0].log.ghost_foreign_start_offset < slaves[0].log.ghost_foreign_end_offset) /\
        (slaves[0].log.ghost_foreign_start_offset < part_0) /\ (part_1 <
        slaves[0].log.ghost_foreign_end_offset)) /\ ~((master.log.ghost_foreign_start_offset <
        master.log.ghost_foreign_end_offset) /\ (master.log.ghost_foreign_start_offset < part_0) /\
        (part_1 < master.log.ghost_foreign_end_offset)))))

\* At every offset where the master and a slave both hold bytes, the bytes are the same.
equal_offsets_mean_equal_bytes ==
    LET
        part_0 == Min(slaves[0].log.ends[2], master.log.ends[2])
        part_1 == Max(slaves[0].log.start_offset, master.log.start_offset)
    IN
    ((part_0 <= part_1) \/ (((part_0 <= part_1) \/ ((Min(Max(slaves[0].log.ends[0], part_1),
        Max(part_1, part_0)) = Min(Max(master.log.ends[0], part_1), Max(part_1, part_0))) /\
        (Min(Max(slaves[0].log.ends[1], part_1), Max(part_1, part_0)) = Min(Max(master.log.ends[1],
        part_1), Max(part_1, part_0))) /\ (Min(Max(slaves[0].log.ends[2], part_1), Max(part_1,
        part_0)) = Min(Max(master.log.ends[2], part_1), Max(part_1, part_0))) /\
        (slaves[0].log.start_offset <= part_1) /\ (slaves[0].log.ghost_unknown_below_offset <=
        part_1) /\ (master.log.start_offset <= part_1) /\ (master.log.ghost_unknown_below_offset <=
        part_1))) /\ ~((slaves[0].log.ghost_foreign_start_offset <
        slaves[0].log.ghost_foreign_end_offset) /\ (slaves[0].log.ghost_foreign_start_offset <
        part_0) /\ (part_1 < slaves[0].log.ghost_foreign_end_offset)) /\
        ~((master.log.ghost_foreign_start_offset < master.log.ghost_foreign_end_offset) /\
        (master.log.ghost_foreign_start_offset < part_0) /\ (part_1 <
        master.log.ghost_foreign_end_offset))))

\* A message is in the master's commit log at most once.
message_is_stored_once ==
    (~((2 <= messages[0].phase) /\ (master.log.start_offset <= messages[0].start_offset) /\
        (master.log.ghost_unknown_below_offset <= messages[0].start_offset) /\
        (((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset) /\ (messages[0].end_offset
        <= master.log.ends[0])) \/ ((messages[0].ghost_life = 1) /\ (master.log.ends[0] <=
        messages[0].start_offset) /\ (messages[0].end_offset <= master.log.ends[1])) \/
        ((messages[0].ghost_life = 2) /\ (master.log.ends[1] <= messages[0].start_offset) /\
        (messages[0].end_offset <= master.log.ends[2]))) /\ ~((master.log.ghost_torn_start_offset <
        master.log.ghost_torn_end_offset) /\ (master.log.ghost_torn_start_offset <
        messages[0].end_offset) /\ (messages[0].start_offset < master.log.ghost_torn_end_offset)))
        \/ (messages[0].ghost_copies = 0))

\* A message consumers could read on the master stays in its commit log until it expires.
read_is_kept_on_master ==
    (~(messages[0].ghost_is_readable /\ ~(messages[0].ghost_is_expired /\
        ~messages[0].ghost_is_deleted_early)) \/ ((2 <= messages[0].phase) /\
        (master.log.start_offset <= messages[0].start_offset) /\
        (master.log.ghost_unknown_below_offset <= messages[0].start_offset) /\
        (((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset) /\ (messages[0].end_offset
        <= master.log.ends[0])) \/ ((messages[0].ghost_life = 1) /\ (master.log.ends[0] <=
        messages[0].start_offset) /\ (messages[0].end_offset <= master.log.ends[1])) \/
        ((messages[0].ghost_life = 2) /\ (master.log.ends[1] <= messages[0].start_offset) /\
        (messages[0].end_offset <= master.log.ends[2]))) /\ ~((master.log.ghost_torn_start_offset <
        master.log.ghost_torn_end_offset) /\ (master.log.ghost_torn_start_offset <
        messages[0].end_offset) /\ (messages[0].start_offset < master.log.ghost_torn_end_offset))))

\* A message consumers could read on the master stays on it or on a slave until it expires.
read_is_kept_on_some_broker ==
    LET
        part_0 == ((messages[0].ghost_life = 0) /\ (0 <= messages[0].start_offset))
    IN
    (~(messages[0].ghost_is_readable /\ ~(messages[0].ghost_is_expired /\
        ~messages[0].ghost_is_deleted_early)) \/ ((2 <= messages[0].phase) /\
        (master.log.start_offset <= messages[0].start_offset) /\
        (master.log.ghost_unknown_below_offset <= messages[0].start_offset) /\ ((part_0 /\
        (messages[0].end_offset <= master.log.ends[0])) \/ ((messages[0].ghost_life = 1) /\
        (master.log.ends[0] <= messages[0].start_offset) /\ (messages[0].end_offset <=
        master.log.ends[1])) \/ ((messages[0].ghost_life = 2) /\ (master.log.ends[1] <=
        messages[0].start_offset) /\ (messages[0].end_offset <= master.log.ends[2]))) /\
        ~((master.log.ghost_torn_start_offset < master.log.ghost_torn_end_offset) /\
        (master.log.ghost_torn_start_offset < messages[0].end_offset) /\ (messages[0].start_offset <
        master.log.ghost_torn_end_offset))) \/ ((2 <= messages[0].phase) /\
        (slaves[0].log.start_offset <= messages[0].start_offset) /\
        (slaves[0].log.ghost_unknown_below_offset <= messages[0].start_offset) /\ ((part_0 /\
        (messages[0].end_offset <= slaves[0].log.ends[0])) \/ ((messages[0].ghost_life = 1) /\
        (slaves[0].log.ends[0] <= messages[0].start_offset) /\ (messages[0].end_offset <=
        slaves[0].log.ends[1])) \/ ((messages[0].ghost_life = 2) /\ (slaves[0].log.ends[1] <=
        messages[0].start_offset) /\ (messages[0].end_offset <= slaves[0].log.ends[2]))) /\
        ~((slaves[0].log.ghost_torn_start_offset < slaves[0].log.ghost_torn_end_offset) /\
        (slaves[0].log.ghost_torn_start_offset < messages[0].end_offset) /\
        (messages[0].start_offset < slaves[0].log.ghost_torn_end_offset))))

\* The states that TLC explores; states beyond are judged but not expanded.
Bounds == master.connection_count <= 2
====================================================================================================
