"""What ends a master, what an operator does then, and what is asked of it.

An outage and a course are sequences of rules: those of brokers, and an operator's own
(``manual_steps.py``). A broker that starts does so in one of several ways, so a course may have
several sequences; whichever of them a state allows is taken. The slave is stopped between outage
and course, if it is not down already.
"""

from __future__ import annotations

from attrs import evolve, field, frozen

from properties.language.property import Predicate
from properties.scenarios.procedures.procedures import forget_past
from properties.schedules.other_ends import MASTER_STARTS
from properties.worlds.replication.guarantees import (
    acknowledged_is_kept_on_master,
    slave_is_prefix_of_master,
)
from properties.worlds.replication.world import REPLICATION, ClaimedGroup
from reference.language.operators import all_of, negate
from reference.worlds.replication.lineage import is_prefix
from reference.worlds.replication.state import Cluster, CommitLog

Sequence = tuple[str, ...]
"""Instances of rules, one after another."""

MORE_EPOCHS = 2
"""An outage may begin an epoch of the master's log, and so does a promotion."""


@frozen
class MasterEnd:
    """How the master ends."""

    key: str
    words: str
    sequences: tuple[Sequence, ...]


OUTAGES = (
    MasterEnd("stop", "stopped in order", (("finish_master_stop",),)),
    MasterEnd("kill", "killed", (("kill_master",),)),
    MasterEnd(
        "power loss",
        "lost its power",
        (("lose_master_power",), ("lose_master_power_in_record",)),
    ),
    MasterEnd("disk loss", "lost its disk", (("lose_master_disk",),)),
)

SLAVE_STOP = ("begin_slave_stop[0]", "finish_slave_stop[0]")
MASTER_STOP = ("begin_master_stop", "finish_master_stop")
PROMOTE = "promote_slave[0]"
COPY_TO_SLAVE = (*MASTER_STOP, "sync_master", "copy_store_to_slave[0]")
BEGIN_FILE = "append_other_message"
"""Needed where the log ends with the blank of a full file, which a copy must not end with."""


def is_undamaged(log: CommitLog) -> bool:
    """Every record of the log is whole, and at its place."""
    is_known = log.ghost_unknown_below_offset == 0
    is_whole = log.ghost_foreign_end_offset <= log.ghost_foreign_start_offset
    return is_known & is_whole & (log.ghost_torn_end_offset <= log.ghost_torn_start_offset)


def is_slave_sound(cluster: Cluster) -> bool:
    """No record of the slave is damaged, and it has no byte that its master does not have."""
    return is_undamaged(cluster.slaves[0].log) & slave_is_prefix_of_master(cluster)


def are_ends_equal(cluster: Cluster) -> bool:
    """Both logs end at one offset."""
    return cluster.master.log.max_offset == cluster.slaves[0].log.max_offset


def are_logs_equal(cluster: Cluster) -> bool:
    """Both logs end at one offset, and have the same undamaged bytes."""
    return are_ends_equal(cluster) & is_slave_sound(cluster)


def is_slave_longer(cluster: Cluster) -> bool:
    """No record of the slave is damaged, and its log begins with all that the master's has."""
    log = cluster.slaves[0].log
    return is_undamaged(log) & is_prefix(cluster.master.log, log)


def is_as_good_as_new(cluster: Cluster) -> bool:
    """Whatever is proved of a group without a past is true of this one from now on."""
    past = forget_past(cluster)
    lemmas = REPLICATION.get_lemmas(cluster.structure).values()
    return slave_is_prefix_of_master(cluster) & all_of(*(each.predicate(past) for each in lemmas))


@frozen
class CourseClaim:
    """What is asked of a group after a course."""

    key: str
    words: str
    holds: Predicate = field(eq=False)


KEPT = CourseClaim("kept", "keeps what was answered", acknowledged_is_kept_on_master)
RETURN = CourseClaim(
    "return", "the other store has nothing that this one lacks", slave_is_prefix_of_master
)
"""A broker that copies continues at its own end; what it has below that is never compared.

It is asked of no promotion: the rules let the start of a slave cut off a message that is not
followed, which a real one does not (R-RC-04).
"""
NEW = CourseClaim("new", "as good as new", is_as_good_as_new)


@frozen
class OutageCourse:
    """What an operator does after an outage."""

    key: str
    words: str
    sequences: tuple[Sequence, ...]
    questions: tuple[CourseClaim, ...]
    premise: Predicate | None = field(default=None, eq=False)
    """What the operator has found before, with both brokers down; None if nothing is asked."""


COURSES = (
    OutageCourse("start", "Start it", tuple((each,) for each in MASTER_STARTS), (KEPT, RETURN)),
    OutageCourse(
        "copy to slave",
        "Start it, stop it, copy its store to the slave",
        tuple(
            (start, *more, *COPY_TO_SLAVE)
            for start in MASTER_STARTS
            for more in ((), (BEGIN_FILE,))
        ),
        (KEPT, NEW),
    ),
    OutageCourse(
        "copy to master",
        "If the slave is sound and has all of it: copy the slave's store to it",
        (("copy_store_to_master[0]", "sync_master"),),
        (KEPT, NEW),
        is_slave_longer,
    ),
    OutageCourse("promote", "Promote the slave", ((PROMOTE,),), (KEPT,)),
    OutageCourse(
        "promote, copy back",
        "Promote the slave, then copy back",
        ((PROMOTE, *COPY_TO_SLAVE),),
        (KEPT, NEW),
    ),
    OutageCourse(
        "compare, promote, copy back",
        "If the slave is sound: promote it, then copy back",
        ((PROMOTE, *COPY_TO_SLAVE),),
        (KEPT, NEW),
        is_slave_sound,
    ),
    OutageCourse(
        "equal ends, promote",
        "If both end alike: promote the slave",
        ((PROMOTE,),),
        (KEPT,),
        are_ends_equal,
    ),
    OutageCourse(
        "equal logs, promote",
        "If both have the same bytes: promote the slave",
        ((PROMOTE,),),
        (KEPT,),
        are_logs_equal,
    ),
)


def make_group(structure: ClaimedGroup) -> ClaimedGroup:
    """The same group with room for the epochs that an outage and a course begin."""
    return evolve(structure, lives=structure.lives + MORE_EPOCHS)


def is_slave_down(cluster: Cluster) -> bool:
    """The slave is down."""
    return negate(cluster.slaves[0].is_up)
