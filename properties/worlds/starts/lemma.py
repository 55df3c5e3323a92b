"""The lemmas that the proofs about starts need."""

from __future__ import annotations

from properties.language.property import lemma
from properties.worlds.starts.guarantee import entered_message_stays_entered
from reference.language.fault_account import has_faults_within_limits
from reference.language.operators import all_of, implies, negate
from reference.worlds.starts.files import has_process, is_entering
from reference.worlds.starts.state import ABSENT, EMPTY, RUNNING, SIZED, StartingBroker


@lemma(why="Else a fault that cannot happen has happened.")
def fault_counts_are_within_limits(state: StartingBroker) -> bool:
    """No fault happens more often than its limit."""
    return has_faults_within_limits(state)


@lemma(why="Else an entry counts as lost that no file had.")
def entries_are_in_files(state: StartingBroker) -> bool:
    """An entry is in a file of full length, and what the disk has of it, processes see."""
    is_in_file = implies(state.is_entered, state.queue_file.stage == SIZED)
    is_on_disk = implies(state.is_entered_on_disk, state.queue_file.disk_stage == SIZED)
    is_seen = implies(state.is_entered_on_disk, state.is_entered)
    return all_of(is_in_file, is_on_disk, is_seen)


@lemma(why="Else the disk has a message that the log lacks.")
def disk_is_behind(state: StartingBroker) -> bool:
    """The message on the disk is in the log."""
    return implies(state.is_stored_on_disk, state.is_stored)


@lemma(why="Else recovery after a kill is that after a clean stop.")
def abort_file_is_there_while_running(state: StartingBroker) -> bool:
    """A serving broker has its abort file."""
    return implies(state.phase == RUNNING, state.has_abort_file)


@lemma(why="Else a queue points behind the log's end while its broker serves.")
def entries_of_a_process_are_in_the_log(state: StartingBroker) -> bool:
    """While there is a process, an entry's message is in the log."""
    return implies(all_of(has_process(state), state.is_entered), state.is_stored)


@lemma(why="Else a start meets a file without bytes that no failure left.")
def short_files_are_being_made(state: StartingBroker) -> bool:
    """Without power losses and kills in between, a file without bytes is being made.

    The log's by a broker that serves, the queue's while its message is entered.
    """
    is_calm = all_of(state.faults.power_losses == 0, state.faults.kills_in_file_creation == 0)
    is_log_file_made = implies(state.log_file.stage == EMPTY, state.phase == RUNNING)
    is_queue_file_made = implies(state.queue_file.stage == EMPTY, is_entering(state))
    return implies(is_calm, all_of(is_log_file_made, is_queue_file_made))


@lemma(why="Else recovery does not enter the first message of an empty file.")
def empty_queue_files_have_their_message(state: StartingBroker) -> bool:
    """Without power losses the first message of a queue's empty last file is in the log."""
    is_begun = negate(state.queue_file.stage == ABSENT)
    is_empty = all_of(is_begun, negate(state.is_entered))
    is_entered_again = all_of(state.is_stored, state.has_abort_file)
    return implies(all_of(state.faults.power_losses == 0, is_empty), is_entered_again)


@lemma(why="Else recovery enters nothing although the queue may lack a message.")
def clean_stops_leave_nothing_to_do(state: StartingBroker) -> bool:
    """Without an abort file, message and entry are on the disk, or neither is there."""
    is_even = all_of(
        implies(state.is_stored, state.is_stored_on_disk & state.is_entered_on_disk),
        implies(state.is_entered, state.is_stored),
    )
    return implies(negate(state.has_abort_file), is_even)


@lemma(why="Else a power loss leaves a queue file without its first message.")
def queue_files_follow_flushed_messages(state: StartingBroker) -> bool:
    """Where flushed messages alone are entered, power losses alone leave no empty last file."""
    if not state.structure.is_dispatched_when_flushed:
        return True
    faults, file = state.faults, state.queue_file
    is_calm = all_of(faults.kills == 0, faults.kills_in_file_creation == 0)
    is_begun = negate(all_of(file.stage == ABSENT, file.disk_stage == ABSENT))
    is_flushed = implies(state.is_stored, state.is_stored_on_disk)
    is_even = implies(negate(state.phase == RUNNING), is_flushed)
    has_cause = implies(is_begun, state.is_stored_on_disk)
    return implies(is_calm, all_of(is_even, has_cause))


@lemma(why="Else a serving broker lacks the entry of a message that it had.")
def known_messages_are_entered(state: StartingBroker) -> bool:
    """While a broker serves, a message of its log that was in its queue once still is."""
    return entered_message_stays_entered(state)


@lemma(why="Else a start is refused without a cause.")
def refused_starts_have_a_cause(state: StartingBroker) -> bool:
    """A start is refused after a power loss, or after a kill that left a file without bytes.

    Where flushed messages alone are entered, a power loss must meet recovery after a kill.
    """
    shape, faults = state.structure, state.faults
    is_killed_in_creation = faults.kills_in_file_creation > 0
    is_power_lost = faults.power_losses > 0
    if shape.is_dispatched_when_flushed:
        is_power_lost = is_power_lost & ((faults.kills > 0) | is_killed_in_creation)
    has_cause = is_power_lost | is_killed_in_creation
    if not shape.is_short_file_refused:
        has_cause = is_power_lost if shape.is_empty_queue_file_refused else False
    return implies(state.is_refused, has_cause)
