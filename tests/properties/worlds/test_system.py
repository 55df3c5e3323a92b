"""The system: what is proved of each part is proved of both together."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import attrs
import pytest
from attrs import evolve

from properties.schedules.judgement import follow, is_refuted_by, judge
from properties.verdicts import certificates
from properties.verdicts.certificates import load_cells
from properties.verdicts.expectations import (
    find_expectation,
    get_expectations_file,
    load_expectations,
)
from properties.verdicts.fault_sets.admitted_faults import find_tabled_verdict
from properties.verdicts.fault_sets.certificates import load_borders
from properties.verdicts.fault_sets.search import find_borders
from properties.verdicts.verdict import InternalDisagreementError, VerdictWord
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.reading.world import READERS
from properties.worlds.replication.world import CERTIFIED_GROUPS
from properties.worlds.system.world import (
    CLOSED,
    LATER_SYSTEMS,
    LONE_SYSTEMS,
    SYSTEM,
    ClaimedSystem,
    add_queue,
)
from properties.z3.induction import prove_lemmas
from properties.z3.vacuity import find_unwitnessed, load_open_questions, load_witnesses
from reference.language.machine import Action, compute_machine
from reference.releases.versions import RULE_SETS, apply_rule_set
from reference.worlds.replication.changes import put_outlasts_first_report
from reference.worlds.replication.parameters import SMALL_PARAMETERS
from reference.worlds.system.state import (
    SystemFaults,
    SystemParameters,
    get_cluster,
    get_reading,
)
from spark_fuzz.search.sampling import FaultSetSampler, list_known, sample_refutations
from tests.structures import name_of

DELAY = STRUCTURES["delay/4.4.0"]
SHOWN = SYSTEM.structures[0]
FAULT_IN_A_ROLL = "master kill in a roll"
GROUPS = tuple(group for group in CERTIFIED_GROUPS if group.slaves == 1)
ALL = (
    *(ClaimedSystem(group, CLOSED) for group in GROUPS),
    *(ClaimedSystem(GROUPS[-1], reading) for reading in READERS),
    *(
        ClaimedSystem(apply_rule_set(GROUPS[0], name), CLOSED)
        for name in RULE_SETS
        if "controller" not in name
    ),
)
"""Every group of one slave, every setting of readers, every release without a controller."""


UNWAITED = {
    "log_acknowledged_by_sync_master_in_first_life_is_received",
    "log_lacked_put_is_not_reported",
    "log_slave_that_reported_lacks_the_put",
}
"""The lemmas that need a put to be over before a slave's first report."""


OF_A_SLAVE = {
    "reading_slave_that_was_never_away_is_known",
    "only_an_end_tears_a_copy",
    "log_slave_is_not_outrun",
}
"""These say that a slave runs that has never ended, and keeps up; a master may have none."""


def are_proved(structure: ClaimedSystem, lemmas: Iterable[str]) -> bool:
    """All lemmas are among these; where puts outlast first reports some need not be."""
    is_late = put_outlasts_first_report.VARIANT in structure.log.changes
    known = {*SYSTEM.get_lemmas(structure)}
    needless = (UNWAITED if is_late else set()) | (OF_A_SLAVE if structure.is_alone else set())
    return known - needless <= set(lemmas) <= known


@pytest.mark.nightly
@pytest.mark.parametrize("structure", ALL, ids=name_of)
def test_every_lemma_is_inductive_everywhere(structure: ClaimedSystem) -> None:
    """Also in every other group, setting and release."""
    assert are_proved(structure, prove_lemmas(structure))


def in_order(structures: Sequence[ClaimedSystem]) -> list[Any]:
    """The first structure in every run, the others at night."""
    first, *others = structures
    return [first, *(pytest.param(s, marks=pytest.mark.nightly) for s in others)]


LATER_CLOSED = [s for s in LATER_SYSTEMS if s.log.role.name == "SYNC_MASTER"][:11]
"""Of each release the asynchronously flushing, synchronous pair whose slave is not read."""


@pytest.mark.parametrize(
    "structure",
    in_order((*SYSTEM.structures, *LATER_CLOSED)) + in_order(LONE_SYSTEMS),
    ids=name_of,
)
def test_every_cell_is_as_expected(structure: ClaimedSystem) -> None:
    """Proved and replayed again; what is claimed is never vacuous, and nothing else is."""
    document = certificates.load_required(structure)
    cells = certificates.recheck(structure, SYSTEM.sizes.search, document)
    assert len(cells) == len(SYSTEM.claims) * len(SYSTEM.fault_models)
    assert are_proved(structure, document["inductive_set"])
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
        for structure in (*SYSTEM.structures, *LATER_SYSTEMS, *LONE_SYSTEMS)
        for column in SYSTEM.fault_models
    }
    assert set(load_expectations(get_expectations_file(SHOWN))) == used


def test_every_later_release_is_certified_as_expected() -> None:
    """In each setting; with a controller none is. Only what is expected to be open is open.

    Some of them here: ``renew --check`` looks at all.
    """
    groups = {(s.log.variants, s.reading.name) for s in LATER_SYSTEMS}
    assert len(LATER_SYSTEMS) == len(SYSTEM.structures) * 11
    assert {v for (v,), _ in groups} == {n for n in RULE_SETS if "controller" not in n}
    for structure in LATER_SYSTEMS[::9]:
        for (claim, fault), cell in load_cells(structure).items():
            assert find_expectation(claim, structure, fault).verdict is cell.word


def test_a_master_without_a_slave_is_a_pair_whose_slave_takes_no_step() -> None:
    """Its schedules refute the same claims of the pair, and nothing is decided of a promotion."""
    replayed = 0
    for structure in LONE_SYSTEMS[::5]:
        pair = evolve(structure, log=evolve(structure.log, are_slaves_absent=False))
        assert not any("slave" in rule.indexes for rule in structure.rules.values())
        for (claim, fault), cell in load_cells(structure).items():
            assert cell.word is not VerdictWord.UNDECIDED, (structure.name, claim, fault)
            about_slave = claim.startswith("promotion_") or claim.endswith("_from_the_slave")
            assert cell.is_vacuous is about_slave or fault == "none", (claim, fault)
            if cell.word is VerdictWord.REFUTED:
                limits = SYSTEM.get_fault_model(fault).search_limits
                sizes = evolve(SYSTEM.sizes.search, limits=limits)
                assert is_refuted_by(claim, pair, sizes, cell.schedule), (claim, fault)
                replayed += 1
    assert replayed > 100


def test_a_slave_that_rejects_pulls_loses_no_message_to_its_readers() -> None:
    """From 5.0.0 on a closed slave's copy is read by nobody, whatever it lacks (V-41)."""
    claim = "acknowledged_is_consumed_or_to_come"
    for structure in LATER_CLOSED:
        words = {f: load_cells(structure)[claim, f].word for f in ("both end", FAULT_IN_A_ROLL)}
        is_silent = structure.reading.is_closed_slave_silent
        assert (words[FAULT_IN_A_ROLL] is VerdictWord.PROVED) is is_silent
        is_early = structure.log.variants[0] in ("4.7.1", "4.8.0")
        assert (words["both end"] is VerdictWord.REFUTED) is is_early


def test_a_cell_that_is_forged_to_be_vacuous_is_refused() -> None:
    """What can happen is not said to be impossible; of a small world, as that is alike in all."""
    document = certificates.load_required(DELAY)
    cell = next(c for c in document["cells"] if c["verdict"] == "proved" and "is_vacuous" not in c)
    cell["is_vacuous"] = True
    with pytest.raises(InternalDisagreementError, match="vacuous"):
        certificates.recheck(DELAY, DELAY.world.sizes.search, document)


@pytest.mark.nightly
@pytest.mark.parametrize("structure", SYSTEM.structures, ids=name_of)
def test_every_rule_fires_and_every_premise_is_met(structure: ClaimedSystem) -> None:
    """By stored schedules that the reference follows, or it is proved that they cannot."""
    assert set(find_unwitnessed(structure)) == set(load_open_questions(structure))


@pytest.mark.parametrize("schedules", [1, 2000])
def test_random_schedules_find_what_a_certificate_says(schedules: int) -> None:
    """Of a small world: the same refutations, no shorter than the shortest.

    Where hardly a schedule begins in the first state, by those that go on from known ones.
    """
    world, known = DELAY.world, load_cells(DELAY)
    open_cells = {column.name: tuple(world.guarantees) for column in world.fault_models}
    found = sample_refutations(DELAY, open_cells, schedules=schedules)
    assert len(found) > 0.8 * sum(c.steps is not None for c in known.values())
    for cell in found:
        stored = known[cell.guarantee, cell.fault]
        assert stored.word is VerdictWord.REFUTED
        assert len(stored.schedule) <= len(cell.schedule)


def test_fault_sets_by_random_schedules_are_those_of_a_search() -> None:
    """Of a small world: the same smallest fatal sets, and none is left open."""
    sampler = FaultSetSampler(DELAY, list_known(DELAY))
    borders = find_borders(DELAY, [], search=sampler.search)
    stored = {border.guarantee: border for border in load_borders(DELAY)}
    for border in borders:
        if border.guarantee in DELAY.world.guarantees:
            known = stored[border.guarantee]
            assert {r.faults for r in border.refuted} == {r.faults for r in known.refuted}
            assert border.undecided == known.undecided


def test_the_parts_claims_are_judged_as_in_their_own_worlds() -> None:
    """A state of the whole violates what the states of its parts do, and premises are met."""
    violated, met = Counter[str](), Counter[str]()
    parameters = evolve(SYSTEM.sizes.search, limits=SYSTEM.everything.search_limits)
    answers = (answer.schedule or () for answer in load_witnesses(SHOWN))
    for schedule in (*answers, *(cell.schedule for cell in load_cells(SHOWN).values())):
        for _, state in follow(SHOWN, parameters, schedule):
            parts = {"log": get_cluster(state), "reading": get_reading(state)}
            found = set(judge(state)) - set(SYSTEM.guarantees)
            assert found == {f"{p}_{n}" for p, part in parts.items() for n in judge(part)}
            violated.update(found)
            for name, part in SYSTEM.part_claims.items():
                met[name] += part.claim.premise is None or bool(part.claim.premise(state))
    assert [name for name in SYSTEM.part_claims if not met[name]] == []
    assert len(violated) > 0.5 * len(SYSTEM.part_claims)


def test_no_schedule_violates_what_is_proved_of_a_part() -> None:
    """Neither do certified schedules violate a part's claim that is proved of their faults."""
    checked = 0
    for cell in load_cells(SHOWN).values():
        column = SYSTEM.get_fault_model(cell.fault)
        parameters = evolve(SYSTEM.sizes.search, limits=column.search_limits)
        states = [state for _, state in follow(SHOWN, parameters, cell.schedule)]
        for name in SYSTEM.part_claims if cell.schedule else ():
            tabled = find_tabled_verdict(name, SHOWN, column.admitted)
            if tabled is not None and tabled.word is VerdictWord.PROVED:
                checked += 1
                assert not any(judge(state, (name,)) for state in states), (name, cell.fault)
    assert checked


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
