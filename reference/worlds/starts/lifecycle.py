"""The broker ends, and starts again over what it finds; an operator removes what it refuses."""

from __future__ import annotations

from attrs import evolve

from reference.language.fault_account import count_fault, is_within_limit
from reference.language.operators import all_of, any_of, choose, implies, negate
from reference.language.rule import RuleBody, rule, when
from reference.worlds.starts.files import has_process
from reference.worlds.starts.state import (
    ABSENT,
    DOWN,
    EMPTY,
    RECOVERING,
    RUNNING,
    SIZED,
    NewestFile,
    StartingBroker,
)


def has_short_file(state: StartingBroker) -> bool:
    """A file has no bytes: its making was cut off between its two steps."""
    return any_of(state.log_file.stage == EMPTY, state.queue_file.stage == EMPTY)


def is_short_file_refused(state: StartingBroker) -> bool:
    """The release does not start over a file without bytes, and there is one."""
    return has_short_file(state) if state.structure.is_short_file_refused else False


def is_recovered(state: StartingBroker) -> bool:
    """Recovery has entered what it has to: after a clean stop nothing."""
    is_due = state.has_abort_file & state.is_stored
    return all_of(state.phase == RECOVERING, implies(is_due, state.is_entered))


def has_empty_queue_file(state: StartingBroker) -> bool:
    """The queue's last file has its full length, and no entry."""
    return all_of(state.queue_file.stage == SIZED, negate(state.is_entered))


def is_empty_file_refused(state: StartingBroker) -> bool:
    """The release does not start over a queue's last file without an entry, and there is one.

    After a clean stop queues point to the log's end, and then recovery counts the first place as an
    entry, although it is all zeros (``ConsumeQueue#truncateDirtyLogicFiles``).
    """
    if not state.structure.is_empty_queue_file_refused:
        return False
    return has_empty_queue_file(state) & state.has_abort_file


def leave_out(is_left_out: bool, file: NewestFile) -> NewestFile:
    """The file, or none in its place; the disk learns of it later."""
    return evolve(file, stage=choose(is_left_out, ABSENT, file.stage))


@rule(who="operator", source="MappedFileQueue#load returns false", says="## START REFUSED")
def refuse_short_file(state: StartingBroker) -> RuleBody:
    """The broker's start meets a file without bytes, and ends itself.

    The abort file stays: so far nothing counts as dispatched (``DefaultMessageStore#shutdown``).
    """
    # ENABLED WHEN
    yield when(
        is_down=state.phase == DOWN,
        is_untried=negate(state.is_refused),
        is_short_file_refused=is_short_file_refused(state),
    )
    # EFFECT
    return evolve(state, is_refused=True)


@rule(who="operator", source="DefaultMessageStore#load", says="is started")
def load_files(state: StartingBroker) -> RuleBody:
    """The broker is started and has its files; recovery begins.

    Recovery cuts queues to the log's end: a last file whose first message the log lacks is deleted
    (``ConsumeQueue#truncateDirtyLogicFiles``), and again if a power loss undoes that. A file
    without bytes is as none.
    """
    # ENABLED WHEN
    yield when(
        is_down=state.phase == DOWN,
        is_untried=negate(state.is_refused),
        is_no_file_refused=negate(is_short_file_refused(state)),
    )
    # EFFECT
    log_file, queue_file = state.log_file, state.queue_file
    is_within_log = implies(state.is_entered, state.is_stored)
    left = leave_out(any_of(queue_file.stage == EMPTY, negate(is_within_log)), queue_file)
    disk_stage = choose(is_within_log, left.disk_stage, ABSENT)
    return evolve(
        state,
        phase=RECOVERING,
        log_file=leave_out(log_file.stage == EMPTY, log_file),
        queue_file=evolve(left, disk_stage=disk_stage),
        is_entered=state.is_entered & is_within_log,
        is_entered_on_disk=state.is_entered_on_disk & is_within_log,
    )


@rule(who="operator", source="ConsumeQueue#correctMinOffset throws", says="## START REFUSED")
def refuse_empty_queue_file(state: StartingBroker) -> RuleBody:
    """Recovery is over, and the search for a queue's lowest entry throws: the start ends itself."""
    # ENABLED WHEN
    yield when(is_recovered=is_recovered(state), is_empty_file_refused=is_empty_file_refused(state))
    # EFFECT
    return evolve(state, phase=DOWN, is_refused=True)


@rule(who="broker", source="DefaultMessageStore#start", says="serves")
def finish_start(state: StartingBroker) -> RuleBody:
    """Recovery is over, and the broker serves; its abort file says that it runs."""
    # ENABLED WHEN
    yield when(
        is_recovered=is_recovered(state), is_no_file_refused=negate(is_empty_file_refused(state))
    )
    # EFFECT
    was_entered = state.ghost_was_entered | state.is_entered
    return evolve(state, phase=RUNNING, has_abort_file=True, ghost_was_entered=was_entered)


@rule(who="operator", source="removal of the file that the log names", says="removes the file")
def remove_file(state: StartingBroker) -> RuleBody:
    """The operator removes each file for which the start was refused."""
    # ENABLED WHEN
    yield when(is_refused=state.is_refused)
    # EFFECT
    queue = state.queue_file
    is_in_the_way = any_of(queue.stage == EMPTY, has_empty_queue_file(state))
    return evolve(
        state,
        is_refused=False,
        log_file=leave_out(state.log_file.stage == EMPTY, state.log_file),
        queue_file=leave_out(is_in_the_way, queue),
    )


@rule(who="operator", source="DefaultMessageStore#shutdown", weight=1, says="stops cleanly")
def stop_broker(state: StartingBroker) -> RuleBody:
    """The broker stops cleanly: files are made, messages entered, and both are on the disk.

    It takes no message for a second and more before it interrupts the thread that makes files.
    """
    is_all_entered = implies(state.is_stored, state.is_entered)
    # ENABLED WHEN
    yield when(
        is_running=state.phase == RUNNING,
        is_no_file_half_made=negate(has_short_file(state)),
        is_all_entered=is_all_entered,
        is_within_limit=is_within_limit(state, "stops"),
    )
    # EFFECT
    queue = state.queue_file
    disk_stage = choose(state.is_entered, queue.stage, queue.disk_stage)
    stopped = evolve(
        state,
        phase=DOWN,
        queue_file=evolve(queue, disk_stage=disk_stage),
        is_stored_on_disk=state.is_stored_on_disk | state.is_stored,
        is_entered_on_disk=state.is_entered_on_disk | state.is_entered,
        has_abort_file=False,
    )
    counted: StartingBroker = count_fault(stopped, "stops")
    return counted


@rule(who="fault", source="kill -9 of the broker", says="## KILLED")
def kill_broker(state: StartingBroker) -> RuleBody:
    """The broker's process is killed while it makes no file; it may be starting."""
    # ENABLED WHEN
    yield when(
        has_process=has_process(state),
        is_no_file_half_made=negate(has_short_file(state)),
        is_within_limit=is_within_limit(state, "kills"),
    )
    # EFFECT
    killed = evolve(state, phase=DOWN)
    counted: StartingBroker = count_fault(killed, "kills")
    return counted


@rule(who="fault", source="kill -9 of the broker", says="## KILLED WHILE IT MAKES A FILE")
def kill_in_file_creation(state: StartingBroker) -> RuleBody:
    """The broker's process is killed between the two steps of making a file.

    The file keeps no bytes: 26 of 150 kills of a process that made nothing but files left one
    (``MappedFile#init`` of 4.8.0).
    """
    # ENABLED WHEN
    yield when(
        has_process=has_process(state),
        is_file_half_made=has_short_file(state),
        is_within_limit=is_within_limit(state, "kills_in_file_creation"),
    )
    # EFFECT
    killed = evolve(state, phase=DOWN)
    counted: StartingBroker = count_fault(killed, "kills_in_file_creation")
    return counted


@rule(who="fault", source="power loss of the broker's machine", says="## POWER LOSS")
def lose_power(state: StartingBroker) -> RuleBody:
    """The machine loses its power: everything is as it is on the disk."""
    # ENABLED WHEN
    yield when(is_within_limit=is_within_limit(state, "power_losses"))
    # EFFECT
    log_file, queue_file = state.log_file, state.queue_file
    lost = evolve(
        state,
        phase=DOWN,
        log_file=evolve(log_file, stage=log_file.disk_stage),
        queue_file=evolve(queue_file, stage=queue_file.disk_stage),
        is_stored=state.is_stored_on_disk,
        is_entered=state.is_entered_on_disk,
        is_refused=False,
    )
    counted: StartingBroker = count_fault(lost, "power_losses")
    return counted
