"""The system: what is proved of each part is proved of both together."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import attrs
import pytest
from attrs import evolve

from properties.worlds import SYSTEM
from properties.worlds.replication.structures import CERTIFIED_STRUCTURES
from properties.worlds.system.world import CLOSED
from properties.z3.induction import InductionProblem, prove_lemmas
from reference.language.machine import Action, compute_machine, record_predicate
from reference.releases.versions import RULE_SETS, apply_rule_set
from reference.worlds.reading.structure import READING_STRUCTURES
from reference.worlds.replication.parameters import SMALL_PARAMETERS
from reference.worlds.system import queues
from reference.worlds.system.seen import Seen
from reference.worlds.system.state import SystemFaults, SystemParameters
from reference.worlds.system.structure import SystemStructure
from tests.structures import name_of

SHOWN = SYSTEM.structures[0]
GROUPS = tuple(group for group in CERTIFIED_STRUCTURES if group.slaves == 1)
ALL = (
    *(SystemStructure(group, CLOSED) for group in GROUPS),
    *(SystemStructure(GROUPS[-1], reading) for reading in READING_STRUCTURES),
    *(
        SystemStructure(apply_rule_set(GROUPS[0], name), CLOSED)
        for name in RULE_SETS
        if "controller" not in name
    ),
)
"""Every group of one slave, every setting of readers, every release without a controller."""


def test_every_lemma_is_inductive() -> None:
    """Those of the log, those of reading, and those that hold both together."""
    assert set(SYSTEM.get_lemmas(SHOWN)) == set(prove_lemmas(SHOWN))


@pytest.mark.nightly
@pytest.mark.parametrize("structure", ALL, ids=name_of)
def test_every_lemma_is_inductive_everywhere(structure: SystemStructure) -> None:
    """Also in every other group, setting and release."""
    assert set(SYSTEM.get_lemmas(structure)) == set(prove_lemmas(structure))


ALWAYS_PROVED = {
    "none",
    "link cut",
    "slave kill",
    "slave power loss",
    "slave wiped",
    "master kill",
    "consumer kill",
    "master stop",
    "slave stop",
    "partition",
    "stale commit",
}
NEVER_PROVED = {"master power loss", "master disk loss", "topic made again"}


@pytest.mark.parametrize("column", sorted(ALWAYS_PROVED | NEVER_PROVED))
def test_acknowledged_is_consumed_or_to_come(column: str) -> None:
    """Readers at the master: it follows from the lemmas but where the master loses messages."""
    claim = SYSTEM.claims["acknowledged_is_consumed_or_to_come"]
    problem = InductionProblem(SHOWN, SYSTEM.get_fault_model(column))
    term = record_predicate(SHOWN, claim.predicate)
    assert problem.follows(term, SYSTEM.get_lemmas(SHOWN)) is (column in ALWAYS_PROVED)


def make_parameters() -> SystemParameters:
    """Files of eight bytes, and each fault once."""
    sizes: dict[str, Any] = attrs.asdict(SMALL_PARAMETERS, recurse=False)
    del sizes["limits"]
    limits = SystemFaults(**dict.fromkeys(attrs.fields_dict(SystemFaults), 1))
    small = SystemParameters(**sizes, ghost_queue_size_max=6, limits=limits)
    return evolve(small, mapped_file_size_bytes=8, ghost_log_size_max_bytes=48)


def test_no_walk_breaks_a_lemma() -> None:
    """At random through every fault; most instances fire."""
    machine, fired = compute_machine(SHOWN), Counter[str]()
    predicates = {n: each.predicate for n, each in SYSTEM.get_lemmas(SHOWN).items()}
    for seed in range(20):
        draw, state = random.Random(seed), SHOWN.make_initial(make_parameters())
        for _ in range(200):
            enabled = machine.enabled(state)
            (chosen,) = draw.choices(enabled, [e.instance.rule.weight for e in enabled])
            numbers = {a.name: draw.randint(a.low, a.high) for a in chosen.ranges}
            outcome = machine.step(state, Action(chosen.instance.name, numbers))
            assert not outcome.failed
            state = outcome.cluster
            fired[chosen.instance.name] += 1
        assert [n for n, holds in predicates.items() if not holds(state)] == []
    assert len(fired) > 0.8 * len(machine.instances)


def test_a_queue_that_runs_ahead_of_its_log_breaks_the_proof(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the master shows one message more than its dispatch has come to, lemmas fall."""
    honest = queues.show_on_master

    def show_one_more(moment: Any, argument: str) -> Any:
        def make(reading: Any) -> Seen:
            seen = honest(moment, argument)(reading)
            more = {**seen.arguments, "queue_max": seen.arguments["queue_max"] + 1}
            return evolve(seen, arguments=more)

        return make

    monkeypatch.setattr("reference.worlds.system.logs.show_on_master", show_one_more)
    mutant = SystemStructure(evolve(SHOWN.log, lives=2), CLOSED)
    kept = set(prove_lemmas(mutant))
    assert "followed_message_keeps_the_order" not in kept
    assert "indexes_grow_with_offsets" not in kept
