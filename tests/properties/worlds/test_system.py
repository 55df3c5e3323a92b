"""The system: what is proved of each part is proved of both together."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import attrs
import pytest
from attrs import evolve

from properties.verdicts import certificates
from properties.verdicts.certificates import load_cells
from properties.verdicts.expectations import (
    find_expectation,
    get_expectations_file,
    load_expectations,
)
from properties.verdicts.verdict import InternalDisagreementError, VerdictWord
from properties.worlds import WORLD_STRUCTURES, find_world
from properties.worlds.replication.structures import CERTIFIED_STRUCTURES
from properties.worlds.system.world import CLOSED, SYSTEM, add_queue
from properties.z3.induction import prove_lemmas
from properties.z3.vacuity import find_unwitnessed, load_open_questions
from reference.language.machine import Action, compute_machine
from reference.releases.versions import RULE_SETS, apply_rule_set
from reference.worlds.reading.structure import READING_STRUCTURES
from reference.worlds.replication.parameters import SMALL_PARAMETERS
from reference.worlds.system.state import SystemFaults, SystemParameters
from reference.worlds.system.structure import SystemStructure
from spark_fuzz.search.sampling import sample_refutations
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


@pytest.mark.nightly
@pytest.mark.parametrize("structure", ALL, ids=name_of)
def test_every_lemma_is_inductive_everywhere(structure: SystemStructure) -> None:
    """Also in every other group, setting and release."""
    assert set(SYSTEM.get_lemmas(structure)) == set(prove_lemmas(structure))


def in_order(structures: Sequence[SystemStructure]) -> list[Any]:
    """The first structure in every run, the others at night."""
    first, *others = structures
    return [first, *(pytest.param(s, marks=pytest.mark.nightly) for s in others)]


@pytest.mark.parametrize("structure", in_order(SYSTEM.structures), ids=name_of)
def test_every_cell_is_as_expected(structure: SystemStructure) -> None:
    """Proved and replayed again; what is claimed is never vacuous, and nothing else is."""
    document = certificates.load_required(structure)
    cells = certificates.recheck(structure, SYSTEM.sizes.search, document)
    assert len(cells) == len(SYSTEM.claims) * len(SYSTEM.fault_models)
    assert set(document["inductive_set"]) == set(SYSTEM.get_lemmas(structure))
    for v in cells:
        expected = find_expectation(v.guarantee, structure, v.fault)
        assert expected.verdict is v.word, (v.guarantee, v.fault)
        is_promise = v.word is VerdictWord.PROVED and not v.is_vacuous
        assert expected.is_claimed == is_promise, (v.guarantee, v.fault)


def test_every_expectation_decides_a_cell() -> None:
    """No entry of the expectations is dead."""
    used = {
        find_expectation(claim, structure, column.name)
        for claim in SYSTEM.claims
        for structure in SYSTEM.structures
        for column in SYSTEM.fault_models
    }
    assert set(load_expectations(get_expectations_file(SHOWN))) == used


def test_a_cell_that_is_forged_to_be_vacuous_is_refused() -> None:
    """What can happen is not said to be impossible."""
    document = certificates.load_required(SHOWN)
    cell = next(c for c in document["cells"] if c["verdict"] == "proved" and "is_vacuous" not in c)
    cell["is_vacuous"] = True
    with pytest.raises(InternalDisagreementError, match="vacuous"):
        certificates.recheck(SHOWN, SYSTEM.sizes.search, document)


@pytest.mark.nightly
@pytest.mark.parametrize("structure", SYSTEM.structures, ids=name_of)
def test_every_rule_fires_and_every_premise_is_met(structure: SystemStructure) -> None:
    """By stored schedules that the reference follows, or it is proved that they cannot."""
    assert set(find_unwitnessed(structure)) == set(load_open_questions(structure))


def test_random_schedules_find_what_a_certificate_says() -> None:
    """Of a small world: the same refutations, no shorter than the shortest."""
    structure = WORLD_STRUCTURES["delay/4.4.0"]
    claims = tuple(find_world(structure).guarantees)
    found = sample_refutations(structure, claims, schedules=2000)
    known = load_cells(structure)
    assert found
    for cell in found:
        stored = known[cell.guarantee, cell.fault]
        assert stored.word is VerdictWord.REFUTED
        assert len(stored.schedule) <= len(cell.schedule)


def make_parameters() -> SystemParameters:
    """Files of eight bytes, and each fault once."""
    limits = SystemFaults(**dict.fromkeys(attrs.fields_dict(SystemFaults), 1))
    small = evolve(SMALL_PARAMETERS, mapped_file_size_bytes=8, ghost_log_size_max_bytes=48)
    return evolve(add_queue(small), limits=limits)


def test_no_walk_breaks_a_lemma() -> None:
    """At random through every fault; most instances fire."""
    machine, fired = compute_machine(SHOWN), Counter[str]()
    predicates = {n: each.predicate for n, each in SYSTEM.get_lemmas(SHOWN).items()}
    for seed in range(12):
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
