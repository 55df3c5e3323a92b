"""From a broker group's configuration to its end-to-end guarantees, from put to consumption."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from attrs import evolve

from properties.restrictions.unmet_assumptions import leave_open_unmet
from properties.scenarios.analysis.log import compute_structure
from properties.scenarios.analysis.reading import ReadingAnalysis, ReadingQuestion
from properties.scenarios.beginning import OPEN_FROM_LAST
from properties.schedules.judgement import is_refuted_by
from properties.verdicts.analysis import Analysis
from properties.verdicts.certificates import load_cells
from properties.verdicts.selectors import get_waiting_role
from properties.verdicts.verdict import Verdict, VerdictWord, leave_open
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.world import ClaimedGroup
from properties.worlds.system.world import NO_SLAVE_READS, ClaimedSystem
from reference.assumptions.register import ASSUMPTIONS
from reference.configuration.broker_group import BrokerGroup
from reference.releases.timing_differences import OVERFLOW_RESETS_TO_MAX
from reference.roles import Role
from reference.worlds.replication.changes import VARIANTS

ABOUT_POSITIONS = (
    "acknowledged_is_consumed_or_to_come",
    "acknowledged_is_read_from_the_slave",
    "promotion_skips_no_message",
)
"""The claims whose proofs need that a group begins at the first message.

The proofs of all others hold for groups that begin at the end as well: a nightly test makes them.
"""


def begin_at_last(structure: ClaimedSystem) -> ClaimedSystem:
    """The same brokers, read by a group that begins at the end."""
    return evolve(structure, reading=evolve(structure.reading, is_from_first=False))


@cache
def decide_system(structure: ClaimedSystem, *, is_from_first: bool) -> tuple[Verdict, ...]:
    """Every verdict of a structure whose groups begin at the first message.

    For groups that begin at the end the certificate's verdict stands if its schedule refutes there
    too, or if it does not depend on the beginning; any other one is undecided. Raises
    InternalDisagreementError for a certificate that is missing or was made from other rules.
    """
    verdicts = tuple(load_cells(structure).values())
    if is_from_first:
        return verdicts
    return tuple(
        v
        if stands_for_last(structure, v)
        else leave_open(v.guarantee, v.fault, note=OPEN_FROM_LAST)
        for v in verdicts
    )


ASSUMED = {
    each.change for each in ASSUMPTIONS.values() if each.change and VARIANTS[each.change].is_setting
}
"""The variants of groups that do not meet an assumption, if only settings make them so."""


def leave_out_assumed(log: ClaimedGroup) -> ClaimedGroup:
    """The group as if it met every assumption: what rests on one is left open afterwards."""
    return evolve(log, variants=tuple(name for name in log.variants if name not in ASSUMED))


def stands_for_last(structure: ClaimedSystem, verdict: Verdict) -> bool:
    """The verdict is also one about a group that begins at the end."""
    if verdict.word is VerdictWord.PROVED:
        # A premise that can never hold speaks of brokers that end, which readers cannot change.
        return verdict.is_vacuous or verdict.guarantee not in ABOUT_POSITIONS
    if verdict.word is not VerdictWord.REFUTED:
        return True
    world = structure.world
    parameters = world.make_search_parameters(world.get_fault_model(verdict.fault))
    last = begin_at_last(structure)
    return is_refuted_by(verdict.guarantee, last, parameters, verdict.schedule)


def list_pair_names(group: BrokerGroup, readings: Iterable[ReadingAnalysis]) -> tuple[str, ...]:
    """The names of the systems of a group with one slave, whether they were decided or not."""
    log = leave_out_assumed(compute_structure(group))
    readers = (each.find_structure(is_from_first=True) for each in readings)
    found = (ClaimedSystem(log, each).name for each in readers if each is not None)
    return tuple(dict.fromkeys(found))


def list_lone_names(group: BrokerGroup) -> tuple[str, ...]:
    """The name of the system of a master without a slave, which sends no consumer to another.

    None for one that waits for a slave: it acknowledges nothing.
    """
    alone = leave_out_assumed(compute_structure(group))
    is_waiting = get_waiting_role(alone) == Role.SYNC_MASTER.name
    if is_waiting or group.master.get("slaveReadEnable"):
        return ()
    log = evolve(alone, slaves=1, role=Role.ASYNC_MASTER, are_slaves_absent=True)
    reading = evolve(NO_SLAVE_READS, is_reset_to_end=group.version.has(OVERFLOW_RESETS_TO_MAX))
    return (ClaimedSystem(log, reading).name,)


def analyse_systems(
    group: BrokerGroup, readings: Iterable[ReadingAnalysis], question: ReadingQuestion
) -> tuple[Analysis, ...]:
    """The verdicts for a group with one slave or none and each kind of its readers, if decided.

    They come from a certificate that was made from these rules; they are not proved again.
    ``decide_system`` says which of them are about groups that begin at the end. Raises
    InternalDisagreementError for a certificate that was made from other rules.
    """
    if len(group.slaves) > 1 or group.outside_the_model():
        return ()
    names = list_lone_names(group) if not group.slaves else list_pair_names(group, readings)
    structures = [STRUCTURES[name] for name in names if name in STRUCTURES]
    return tuple(
        Analysis(structure, leave_open_unmet(group, structure, verdicts), "from put to consumed")
        for structure in structures
        for verdicts in [decide_system(structure, is_from_first=question.is_from_first)]
    )
