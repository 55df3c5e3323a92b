"""The master's commit log grows: what producers append."""

from __future__ import annotations

from attrs import evolve

from reference.lineage import append_bytes
from reference.operations import all_of, minimum
from reference.rule import RuleBody, between, replace_at, rule, when
from reference.state import NOT_SENT, WAITS_FOR_DISK, Cluster, Message

END_FILE_MIN_BLANK_BYTES = 8
"""``CommitLog.END_FILE_MIN_BLANK_LENGTH``: what must stay free behind a message (R-CL-05)."""


def compute_room_bytes(cluster: Cluster) -> int:
    """The largest message that still fits into the master's one mapped file."""
    parameters = cluster.parameters
    left = parameters.mapped_file_size_bytes - cluster.master.log.max_offset
    return minimum(parameters.message_size_max_bytes, left - END_FILE_MIN_BLANK_BYTES)


def is_next_message(cluster: Cluster, message: int) -> bool:
    """This followed message was not put yet, and every one before it was."""
    before = (m.phase > NOT_SENT for m in cluster.messages[:message])
    return (cluster.messages[message].phase == NOT_SENT) & all_of(*before)


@rule(
    who="producer", source="CommitLog#putMessage, CommitLog.DefaultAppendMessageCallback#doAppend"
)
def append_message(cluster: Cluster, message: int) -> RuleBody:
    """A producer's message is appended to the master's commit log; its put goes on to wait."""
    master = cluster.master
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        is_next_message=is_next_message(cluster, message),
        has_room_in_file=compute_room_bytes(cluster) >= 1,
    )
    size = yield between("size_bytes", 1, compute_room_bytes(cluster))
    waits = yield between("waits_for_store", 0, 1)
    # EFFECT
    put = Message(
        phase=WAITS_FOR_DISK,
        waits_for_store=waits == 1,
        start_offset=master.log.max_offset,
        end_offset=master.log.max_offset + size,
        ghost_life=master.ghost_life,
        ghost_is_received=False,
    )
    log = append_bytes(master.log, master.ghost_life, size)
    return evolve(
        cluster,
        master=evolve(master, log=log),
        messages=replace_at(cluster.messages, message, put),
    )


@rule(who="producer", source="CommitLog#putMessage")
def append_other_messages(cluster: Cluster) -> RuleBody:
    """Other producers append one or more messages; where each of them ends is left open."""
    master = cluster.master
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        has_room_in_file=compute_room_bytes(cluster) >= 1,
    )
    size = yield between("size_bytes", 1, compute_room_bytes(cluster))
    # EFFECT
    log = append_bytes(master.log, master.ghost_life, size)
    return evolve(cluster, master=evolve(master, log=log))
