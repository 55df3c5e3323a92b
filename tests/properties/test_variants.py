"""Variants: each differs, each is certified, and what it repairs stays repaired."""

from __future__ import annotations

import inspect

import pytest
from attrs import evolve

from properties.comparison.upgrades import COMPARED_VARIANTS, compare, render_change
from properties.verdicts import certificates
from properties.verdicts.certificates import load_cells
from properties.verdicts.fingerprint import compute_digest
from properties.verdicts.verdict import VerdictWord
from properties.worlds.catalogue import Tag, list_tagged_groups
from properties.worlds.replication.fault_models import FAULT_MODELS
from properties.worlds.replication.world import CHANGE_LEMMAS, REPLICATION, ClaimedGroup
from properties.z3.induction import prove_lemmas
from reference.language.machine import compute_machine
from reference.releases.versions import RULE_SETS, apply_rule_set, compute_rules
from reference.roles import FlushDiskType
from reference.worlds.replication.changes import CHANGES, VARIANTS
from reference.worlds.replication.changes.settings.transient_store_pool import STORE_POOL
from reference.worlds.replication.parameters import Parameters
from reference.worlds.replication.rules import RULES
from tests.structures import SYNCHRONOUS_PAIR, leave_most_to_night, name_of

TRUTHFUL = "acknowledgement_is_truthful"
CERTIFIED = [
    evolve(s, variants=(name,))
    for s in list_tagged_groups(Tag.COMPARED)
    for name in COMPARED_VARIANTS
]


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_is_a_small_module_that_says_what_differs(name: str) -> None:
    """The head of its module tells what differs; each thing that it defines is in force."""
    variant = VARIANTS[name]
    module = next(m for m in CHANGES if m.VARIANT is variant)
    base = {"": "4.4.0", "controller": "controller mode", "quorum": "a quorum"}
    mode = variant.on.partition("-")[2]
    assert f"Differs from {base[mode]}:" in (inspect.getdoc(module) or "")
    assert variant.sentence.endswith(".")
    assert variant.comes_from.endswith(".")
    assert variant.rules or variant.conditions or variant.unawaited
    assert not set(variant.unawaited) - RULES.keys()
    assert not set(variant.removes) - RULES.keys()
    plain = evolve(SYNCHRONOUS_PAIR, flush_disk_type=FlushDiskType.SYNC_FLUSH)
    structure = apply_rule_set(evolve(plain, variants=(name,)), variant.on)
    assert compute_digest(structure) != compute_digest(apply_rule_set(plain, variant.on))
    machine = compute_machine(structure)
    used = {i.rule.name: i.rule for i in machine.instances.values()}
    assert all(used[rule] is variant.rules[rule] for rule in variant.rules)


def test_the_first_variant_wins() -> None:
    """Two variants may be combined; their rules replace those of 4.4.0, and no other."""
    combined = compute_rules(("report_capped", "epoch_check"))
    changed = {name for name, rule in combined.items() if RULES.get(name) is not rule}
    assert {"refuse_report", "connect_slave"} == changed
    with pytest.raises(KeyError):
        compute_rules(("no_such_variant",))


QUICK = {"ack_above_transfer_start", "blank_kept"}
"""Variants whose certificates are checked with every change; those of the others nightly."""


@pytest.mark.parametrize(
    "structure",
    [
        pytest.param(s, marks=[pytest.mark.nightly] * QUICK.isdisjoint(s.variants))
        for s in CERTIFIED
    ],
    ids=name_of,
)
def test_certificates_of_variants_hold(structure: ClaimedGroup) -> None:
    """Lemmas prove again, schedules refute again; what is open was searched."""
    document = certificates.load(structure)
    assert document is not None, "run ./rmqspec prove --search --variant NAME"
    cells = certificates.recheck(structure, Parameters(), document)
    assert len(load_cells(structure)) == len(cells)
    for v in cells:
        if v.word is VerdictWord.UNDECIDED:
            assert v.depth or v.note


@pytest.mark.parametrize(
    "variant",
    leave_most_to_night(sorted({v for p in CHANGE_LEMMAS.values() for v in p.variants}), 5),
)
def test_lemmas_of_variants_are_inductive_and_needed(variant: str) -> None:
    """With a variant's lemmas more is proved than without them."""
    is_pooled = variant == STORE_POOL
    flush = FlushDiskType.ASYNC_FLUSH if is_pooled else FlushDiskType.SYNC_FLUSH
    names = next((n for n, c in RULE_SETS.items() if VARIANTS[variant] in c), variant)
    structure = evolve(SYNCHRONOUS_PAIR, flush_disk_type=flush, variants=(names,))
    lemmas = REPLICATION.get_lemmas(ClaimedGroup(variants=(names,)))
    assert set(lemmas) == set(prove_lemmas(structure))
    assert {n for n, p in CHANGE_LEMMAS.items() if variant in p.variants} <= lemmas.keys()


def get_words(variant: str, claim: str) -> dict[str, VerdictWord]:
    """The verdicts of one claim by fault model, for the synchronous pair."""
    cells = load_cells(evolve(SYNCHRONOUS_PAIR, variants=(variant,))).values()
    return {v.fault: v.word for v in cells if v.guarantee == claim}


def test_both_false_acknowledgements_are_repaired_by_the_transfer_start() -> None:
    """Only failed writes, and files that are not made, make an answer a lie then."""
    words = get_words("ack_above_transfer_start", TRUTHFUL)
    lies = {fault for fault, word in words.items() if word is not VerdictWord.PROVED}
    failed = {"disk errors", "disk errors and power losses", "slave without a new file"}
    assert {*failed, "every fault"} == lies


def test_the_kept_blank_repairs_the_roll() -> None:
    """With the blank kept, a kill in a roll is like any other kill."""
    for claim in {v.guarantee for v in load_cells(SYNCHRONOUS_PAIR).values()}:
        words = get_words("blank_kept", claim)
        assert words["master kill"] is words["master kill in a roll"]


def test_a_comparison_tells_better_from_worse() -> None:
    """A repair's changes are better, the other way round they are worse."""
    structure = evolve(SYNCHRONOUS_PAIR, variants=("blank_kept",))
    changes = compare(structure, load_cells(structure).values())
    assert changes
    assert all(c.is_better for c in changes)
    assert not any(evolve(c, before=c.after, after=c.before).is_better for c in changes)
    assert any("refuted, 17 steps" in render_change(c) for c in changes)
    assert [] == compare(SYNCHRONOUS_PAIR, load_cells(SYNCHRONOUS_PAIR).values())
    assert {c.after.fault for c in changes} <= {c.name for c in FAULT_MODELS}
