"""What reaches the disk: by a flush, or whenever the operating system writes it.

Nothing here waits for the broker's process: after a kill the system writes what is left to write.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import negate
from reference.language.rule import RuleBody, rule, when
from reference.worlds.starts.state import SIZED, NewestFile, StartingBroker


def reach_disk(file: NewestFile) -> NewestFile:
    """The file once the disk has it as processes see it."""
    return evolve(file, disk_stage=file.stage)


@rule(
    who="broker",
    source="the file system's journal, by itself",
    weight=8,
    says="the disk has the log file as it is",
)
def write_log_file(state: StartingBroker) -> RuleBody:
    """The disk learns that the log's next file is there, and how long it is."""
    file = state.log_file
    # ENABLED WHEN
    yield when(is_news=negate(file.disk_stage == file.stage))
    # EFFECT
    return evolve(state, log_file=reach_disk(file))


@rule(
    who="broker",
    source="the file system's journal, by itself",
    says="the disk has the queue file as it is",
)
def write_queue_file(state: StartingBroker) -> RuleBody:
    """The disk learns that the queue's file is there, and how long it is."""
    file = state.queue_file
    # ENABLED WHEN
    yield when(is_news=negate(file.disk_stage == file.stage))
    # EFFECT
    return evolve(state, queue_file=reach_disk(file))


@rule(who="broker", source="MappedFileQueue#flush", weight=1, says="the message is on the disk")
def flush_message(state: StartingBroker) -> RuleBody:
    """The message reaches the disk."""
    # ENABLED WHEN
    yield when(is_stored=state.is_stored, is_news=negate(state.is_stored_on_disk))
    # EFFECT
    return evolve(state, is_stored_on_disk=True)


@rule(who="broker", source="ConsumeQueue#flush", weight=8, says="the entry is on the disk")
def flush_entry(state: StartingBroker) -> RuleBody:
    """The message's entry reaches the disk, and with it the file's length."""
    # ENABLED WHEN
    yield when(is_entered=state.is_entered, is_news=negate(state.is_entered_on_disk))
    # EFFECT
    file = evolve(state.queue_file, disk_stage=SIZED)
    return evolve(state, queue_file=file, is_entered_on_disk=True)
