"""Controller mode of 5.x: what its lemmas carry, and what its design does not promise."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

import pytest
from attrs import evolve
from hypothesis import settings

from properties.schedules.judgement import follow_while_possible
from properties.verdicts import certificates
from properties.verdicts.certificates import decode_schedule, encode_schedule, load_cells
from properties.verdicts.fingerprint import compute_digest
from properties.verdicts.verdict import VerdictWord
from properties.walks.hypothesis_machine import make_state_machine, run_state_machine
from properties.walks.steps import choose_evenly
from properties.worlds.replication.fault_models import (
    EVERYTHING,
    FAULT_MODEL_BY_NAME,
    FAULT_MODELS,
)
from properties.worlds.replication.world import CERTIFIED_GROUPS, CHANGE_LEMMAS, ClaimedGroup
from properties.z3.induction import prove_lemmas
from reference.language.machine import Action, compute_machine
from reference.releases.versions import parse_version
from reference.roles import FlushDiskType
from reference.worlds.replication.controller.sync_state_set import is_member
from reference.worlds.replication.lifecycle import has_uncounted_life
from reference.worlds.replication.parameters import Parameters
from reference.worlds.replication.state import Cluster
from tests.structures import name_of

VERSION = parse_version("5.0.0-controller")
PAIR = ClaimedGroup(variants=VERSION.variants)
FLUSHING = evolve(PAIR, flush_disk_type=FlushDiskType.SYNC_FLUSH)
THREE = ClaimedGroup(slaves=2, variants=VERSION.variants)
SIZES = PAIR.world.make_search_parameters(EVERYTHING)
KEPT = "acknowledged_is_kept_on_master"


@pytest.mark.parametrize("structure", [PAIR, FLUSHING, THREE], ids=name_of)
def test_every_lemma_is_inductive_under_every_fault(structure: ClaimedGroup) -> None:
    """Those of 4.4.0 too: an election breaks none of them."""
    lemmas = structure.world.get_lemmas(structure)
    assert set(lemmas) == set(prove_lemmas(structure))
    own = {n for n, p in CHANGE_LEMMAS.items() if "controller_mode" in p.variants}
    assert own
    assert own <= lemmas.keys()


@pytest.mark.parametrize("fault", ["none", "power loss of both", "every fault"])
def test_lemmas_hold_on_every_walk(fault: str) -> None:
    """Whatever Hypothesis lets happen, elections among it."""
    fault_model = FAULT_MODEL_BY_NAME[fault]
    lemmas = PAIR.world.get_lemmas(PAIR)
    machine = make_state_machine(PAIR, fault_model, lemmas)
    run_state_machine(machine, settings(max_examples=20, stateful_step_count=64, deadline=None))


def stray(schedule: tuple[Action, ...], draw: Random) -> Iterator[Cluster]:
    """The states of a schedule of the certificate, and of random steps after it."""
    machine = compute_machine(PAIR)
    cluster = None
    for _, cluster in follow_while_possible(PAIR, SIZES, schedule):
        yield cluster
    for _ in range(30):
        cluster = machine.step(cluster, choose_evenly(machine.enabled(cluster), draw)).cluster
        yield cluster


def test_lemmas_hold_where_members_are_elected() -> None:
    """Walks that leave the known schedules come to members and elections, so they say something."""
    claims, draw = PAIR.world.get_lemmas(PAIR), Random(1)
    schedules = {json.dumps(encode_schedule(v.schedule)) for v in load_cells(PAIR).values()}
    members = elections = 0
    for text in sorted(schedules) * 3:
        for cluster in stray(decode_schedule(json.loads(text)), draw):
            members += any(is_member(cluster, i) for i in range(len(cluster.slaves)))
            elections += has_uncounted_life(cluster)
            assert [] == [n for n, p in claims.items() if not p.predicate(cluster)]
    assert members > 100
    assert elections > 100


def test_the_certificate_holds_what_the_design_promises() -> None:
    """Who is elected may have a torn copy; then the old master keeps the whole message."""
    words = {(v.guarantee, v.fault): v.word for v in load_cells(PAIR).values()}
    assert {VerdictWord.REFUTED} == {words[KEPT, column.name] for column in FAULT_MODELS}
    somewhere = "acknowledged_is_kept_on_some_broker"
    assert words[somewhere, "master kill"] is VerdictWord.UNDECIDED
    assert words[somewhere, "slave wiped"] is VerdictWord.REFUTED
    assert words["acknowledgement_is_truthful", "none"] is VerdictWord.REFUTED


@pytest.mark.parametrize(
    "structure", [PAIR, pytest.param(FLUSHING, marks=pytest.mark.nightly)], ids=name_of
)
def test_the_certificate_proves_again(structure: ClaimedGroup) -> None:
    """Its lemmas are inductive, its schedules refute; none has a needless step."""
    document = certificates.load(structure)
    assert document is not None
    cells = certificates.recheck(structure, Parameters(), document)
    assert len(load_cells(structure)) == len(cells)


def test_after_an_election_sync_flush_does_not_survive_a_power_loss() -> None:
    """What the new master copied as a slave was never flushed for an answer (R-FL-10)."""
    cells = {(v.guarantee, v.fault): v for v in load_cells(FLUSHING).values()}
    lost = cells[KEPT, "master power loss"]
    assert lost.word is VerdictWord.REFUTED
    names = [action.rule_name for action in lost.schedule]
    assert names.index("elect_slave") < names.index("lose_master_power")


def test_other_structures_are_what_they_were() -> None:
    """Their certificates were made from the same rules."""
    assert all(certificates.load(s) is not None for s in CERTIFIED_GROUPS)
    assert compute_digest(PAIR) != compute_digest(evolve(PAIR, variants=()))
