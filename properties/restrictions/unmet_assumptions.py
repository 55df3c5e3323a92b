"""Verdicts of a group that does not meet an assumption: what was proved through it is open.

Four things can rest on an assumption, and each tells in its own way which proofs it supports:

- conditions beyond which the rules have a step that counts as a fault: what does not follow with
  that fault admitted;
- a step that claims about rest wait for: those claims;
- other conditions: what the table of restrictions records for them;
- every step of the slaves: every proof.

If that cannot be found out, because a table is missing or Z3 gives up, every proof is open. So are
all if two unmet assumptions each let brokers take more steps: what a proof needs of either alone is
known, what it needs of at least one of them is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from properties.language.property import PropertyRole
from properties.language.world import ClaimedStructure
from properties.mutants.derivation import record_rule
from properties.restrictions.derivation import DEFINING_CONDITIONS
from properties.restrictions.evidence import find_bearing
from properties.verdicts.certificates import load_required
from properties.verdicts.remembering import remember
from properties.verdicts.verdict import (
    InternalDisagreementError,
    Verdict,
    VerdictWord,
    leave_open,
)
from properties.z3.fault_sets import FaultSetProver
from properties.z3.induction import SolverGaveUpError
from reference.assumptions.assumption import Assumption, UnmetAssumption, find_change
from reference.assumptions.register import list_unmet
from reference.configuration.broker_group import BrokerGroup
from reference.language.dependencies import list_leaves
from reference.language.machine import record_machine, record_predicate

Cell = tuple[str, str]
"""A claim and a fault model."""


def leave_open_unmet(
    group: BrokerGroup, structure: ClaimedStructure, verdicts: Iterable[Verdict]
) -> tuple[Verdict, ...]:
    """The verdicts of a structure for this group: proofs through an unmet assumption are open.

    Each of them names its first such assumption. Where the structure has the rules of brokers
    without one, its verdicts do not rest on it.
    """
    found = tuple(verdicts)
    unmet = [
        each
        for each in list_unmet(group)
        if each.assumption.is_about_every_step
        or find_change(each.assumption, group) not in structure.variants
    ]
    return open_cells(structure, found, unmet) if unmet else found


def open_cells(
    structure: ClaimedStructure, verdicts: tuple[Verdict, ...], unmet: Sequence[UnmetAssumption]
) -> tuple[Verdict, ...]:
    """The verdicts with those undecided that were proved through one of these assumptions."""
    bearing = [each for each in unmet if rests_on(structure, each.assumption)]
    if not bearing:
        return verdicts
    words = tuple(f"{v.guarantee} {v.fault} {v.word.value} {v.is_vacuous}" for v in verdicts)
    asked = (structure.name, tuple(map(repr, bearing)), words)

    def decide() -> tuple[Verdict, ...]:
        opened = verdicts
        for each in bearing:
            resting = find_resting(structure, each.assumption, opened)
            opened = tuple(leave_unproved(v, each) if get_cell(v) in resting else v for v in opened)
        widening = [each for each in bearing if is_widening(each.assumption)]
        return opened if len(widening) < 2 else leave_all_unproved(opened, widening[0])

    try:
        return remember("unmet", asked, decide)
    except (SolverGaveUpError, InternalDisagreementError):
        # Not remembered: another machine, or a renewed table, may know which verdicts rest on it.
        return leave_all_unproved(verdicts, bearing[0])


def is_widening(assumption: Assumption) -> bool:
    """Without the assumption brokers take steps that the rules do not have, or have as a fault."""
    return not assumption.awaited_steps and not assumption.is_about_every_step


def rests_on(structure: ClaimedStructure, assumption: Assumption) -> bool:
    """The structure has a condition that rests on the assumption."""
    return not list_conditions(structure).isdisjoint(assumption.conditions)


@cache
def list_conditions(structure: ClaimedStructure) -> frozenset[str]:
    """Every named condition of a structure's rules, as in ``report_offset: is_slave_up``."""
    return frozenset(
        f"{rule}: {name}"
        for rule in structure.rules
        for recorded in record_rule(structure, rule)
        for name in recorded.conditions
    )


def leave_unproved(verdict: Verdict, unmet: UnmetAssumption) -> Verdict:
    """No verdict, with the assumption that its proof needs."""
    name = unmet.assumption.name
    return leave_open(verdict.guarantee, verdict.fault, note=unmet.describe(), assumption=name)


def leave_all_unproved(verdicts: Iterable[Verdict], unmet: UnmetAssumption) -> tuple[Verdict, ...]:
    """No proof is left; each names this assumption."""
    return tuple(leave_unproved(v, unmet) if is_telling(v) else v for v in verdicts)


def is_telling(verdict: Verdict) -> bool:
    """The verdict is a proof that says something."""
    return verdict.word is VerdictWord.PROVED and not verdict.is_vacuous


def get_cell(verdict: Verdict) -> Cell:
    """The claim and the fault model of a verdict."""
    return verdict.guarantee, verdict.fault


def find_resting(
    structure: ClaimedStructure, assumption: Assumption, verdicts: Sequence[Verdict]
) -> set[Cell]:
    """The proved verdicts that rest on an assumption; all of them where no table says it.

    Raises SolverGaveUpError, and InternalDisagreementError if no inductive set is known.
    """
    proved = list(filter(is_telling, verdicts))
    if assumption.is_about_every_step:
        return set(map(get_cell, proved))
    if assumption.awaited_steps:
        return {get_cell(v) for v in proved if is_awaiting(structure, v.guarantee, assumption)}
    if assumption.excluded_fault in structure.world.everything.admitted:
        return set(find_falling(structure, assumption.excluded_fault, proved))
    return {get_cell(v) for v in proved if is_borne(structure, assumption, v)}


def find_falling(
    structure: ClaimedStructure, fault: str, proved: Sequence[Verdict]
) -> Iterator[Cell]:
    """The verdicts that do not follow if this fault may happen as well.

    Raises SolverGaveUpError, and InternalDisagreementError if no inductive set is known.
    """
    lemmas = next((v.lemmas for v in proved if v.lemmas), ())
    prover = FaultSetProver(structure, lemmas or load_required(structure)["inductive_set"])
    for verdict in proved:
        admitted = structure.world.get_fault_model(verdict.fault).admitted
        if prover.find_survived(verdict.guarantee, frozenset(admitted) | {fault}) is None:
            yield get_cell(verdict)


def is_awaiting(structure: ClaimedStructure, claim: str, assumption: Assumption) -> bool:
    """The claim may be one about a state in which a step of the assumption is no longer possible.

    It reads all that such a step's conditions read.
    """
    found = structure.world.claims[claim]
    if found.role is not PropertyRole.CONVERGENCE:
        return False
    read = list_leaves([record_predicate(structure, found.predicate)])
    return any(
        list_leaves(c for n, c in each.conditions.items() if n not in DEFINING_CONDITIONS) <= read
        for each in record_machine(structure)
        if each.instance.rule.name in assumption.awaited_steps
    )


def is_borne(structure: ClaimedStructure, assumption: Assumption, verdict: Verdict) -> bool:
    """The proof needs a condition that rests on the assumption, or its conditions are unknown."""
    bearing = find_bearing(structure, verdict.guarantee, verdict.fault)
    return bearing is None or not set(assumption.conditions).isdisjoint(bearing)


def list_named(verdicts: Iterable[Verdict]) -> tuple[str, ...]:
    """The assumptions that leave verdicts open, a line each."""
    return tuple(dict.fromkeys(v.note for v in verdicts if v.assumption))
