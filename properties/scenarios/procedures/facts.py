"""Facts that the advice depends on besides the tables of verdicts, proved from the same lemmas."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache

from attrs import frozen

from properties.language.fault_model import FaultModel
from properties.language.property import Predicate
from properties.scenarios.procedures.procedures import compute_operated_machine
from properties.verdicts.certificates import load_cells
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.replication.fault_models import EVERYTHING, FAULT_MODEL_BY_NAME
from properties.worlds.replication.guarantees import is_owed
from properties.worlds.replication.structures import STOCK_PAIR
from properties.worlds.replication.world import REPLICATION, ClaimedGroup
from properties.z3.induction import InductionProblem, InductionStep, prove_lemmas
from reference.language.machine import record_instance, record_predicate
from reference.language.operators import all_of, implies
from reference.worlds.replication.lineage import has_message
from reference.worlds.replication.parameters import FaultCounts
from reference.worlds.replication.state import Cluster


def slave_has_all(cluster: Cluster) -> bool:
    """Every slave has every message answered PUT_OK.

    With several slaves, not even the longest log has: its last record may be torn (T1-00967).
    """
    return all_of(
        *(
            implies(is_owed(m), has_message(s.log, m))
            for m, s in itertools.product(cluster.messages, cluster.slaves)
        )
    )


@frozen
class ProvedFact:
    """A statement about groups, and the fault models under which it is proved."""

    sentence: str
    predicate: Predicate
    structures: tuple[ClaimedGroup, ...]
    fault_models: tuple[str, ...]
    disputed: tuple[str, ...] = ()
    """The findings according to which real brokers behave otherwise."""


FACTS = (
    ProvedFact(
        "With `ASYNC_FLUSH`, the only slave of a `SYNC_MASTER` has everything that was answered"
        " `PUT_OK`.",
        slave_has_all,
        (ClaimedGroup(),),
        ("link cut", "slave kill", "master kill"),
    ),
)
"""Each is proved for all of its structures under each of its fault models; a test does it."""


def is_proved(fact: ProvedFact, structure: ClaimedGroup, fault_model: str) -> bool:
    """It follows from the lemmas in this group under this fault model. Raises SolverGaveUpError."""
    problem = InductionProblem(structure, FAULT_MODEL_BY_NAME[fault_model])
    return problem.follows(record_predicate(structure, fact.predicate), prove_lemmas(structure))


def find_broken_by_copy(structure: ClaimedGroup) -> tuple[str, ...]:
    """The lemmas that copying the master's store to a slave may break, after any faults.

    If it breaks none, such copies may happen at any time and any number of times: everything proved
    of the group stays proved.
    """
    problem = InductionProblem(structure, EVERYTHING)
    rule = REPLICATION.manual_rules["copy_store_to_slave"]
    copies = (i for i in compute_operated_machine(structure).instances.values() if i.rule is rule)
    steps = (InductionStep(problem, record_instance(structure, each)) for each in copies)
    lemmas = list(prove_lemmas(structure))
    return tuple(fallen.lemma for step in steps for fallen in step.find_falsified(lemmas))


@cache
def compute_kept_by_copies() -> frozenset[str]:
    """The claims about the stock pair that are proved if wiped slaves never start empty."""
    wiped = FaultModel("slave wiped, store copied", ("slave_wipes",), FaultCounts)
    problem = InductionProblem(STOCK_PAIR, wiped)
    return frozenset(problem.find_consequences(prove_lemmas(STOCK_PAIR)).proved)


def list_copied() -> Iterator[tuple[Verdict, bool]]:
    """Each verdict of the stock pair that a wiped slave breaks, and whether a copy proves it."""
    for verdict in load_cells(STOCK_PAIR).values():
        if verdict.fault == "slave wiped" and verdict.word is VerdictWord.REFUTED:
            yield verdict, verdict.guarantee in compute_kept_by_copies()
