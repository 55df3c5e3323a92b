"""SPIN, an independent judge, against breadth-first search of the whole state."""

from __future__ import annotations

import re

import pytest
from attrs import evolve

from properties.exports import spin
from properties.exports.instances import JudgedInstance, load_spin_counts
from properties.exports.promela import CHECK_PREFIX, PromelaModel
from properties.exports.spin import MissingSpinError, SpinError, compile_verifier, find_spin
from properties.verdicts.fingerprint import compute_digest
from properties.worlds.judged_instances import JUDGED_INSTANCES
from spark_fuzz.search.peers import (
    Count,
    PathError,
    PeerComparison,
    ask_spin,
    compare_with_spin,
    count_here,
    follow_path,
    is_accepted,
)

try:
    find_spin()
    MISSING = ""
except MissingSpinError as problem:
    MISSING = str(problem)

needs_spin = pytest.mark.skipif(bool(MISSING), reason=MISSING or "SPIN is there")

BY_NAME = {judged.name: judged for judged in JUDGED_INSTANCES}
ALONE = BY_NAME["SYNC_MASTER/SYNC_FLUSH/0 slaves, master power loss, log of 4 bytes"]
DELAY = BY_NAME["delay/4.4.0, power loss, queue of 3 messages"]
PAIR = BY_NAME["SYNC_MASTER/ASYNC_FLUSH/1 slave, disk errors, log of 4 bytes, 12 steps"]

RENEW = (
    "other rules; renew with `python -m spark_fuzz.search.peers`, "
    "then `./rmqspec docs --write spec/spin.md`"
)


@needs_spin
@pytest.mark.nightly
@pytest.mark.parametrize("judged", JUDGED_INSTANCES, ids=lambda j: j.name)
def test_spin_agrees(judged: JudgedInstance) -> None:
    """As many states, the same guarantees violated, after as few steps; as recorded."""
    comparison = compare_with_spin(judged)
    assert () == comparison.mismatches
    recorded = load_spin_counts()[judged.name]
    assert recorded["states"] == comparison.spins.states, RENEW
    assert recorded["shortest"] == comparison.spins.shortest, RENEW


@pytest.mark.parametrize("judged", JUDGED_INSTANCES, ids=lambda j: j.name)
def test_counts_are_of_these_rules(judged: JudgedInstance) -> None:
    """The data was made from the rules as they are."""
    assert compute_digest(judged.structure) == load_spin_counts()[judged.name]["digest"], RENEW


def test_every_count_has_its_instance() -> None:
    """No entry is left of an instance that is gone; at least three are pairs under faults."""
    assert set(BY_NAME) == set(load_spin_counts())
    pairs = [
        j
        for j in JUDGED_INSTANCES
        if "1 slave" in j.name and j.fault != "none" and not j.is_nightly
    ]
    assert len(pairs) >= 3


@needs_spin
@pytest.mark.nightly
@pytest.mark.parametrize(
    ("judged", "lost"),
    [
        (DELAY, "  brokers_1_has_copy = true"),
        (ALONE, "  master_log_flushed_offset = minimum(master_log_flushed_offset, scratch_5);"),
    ],
    ids=["no copy is replicated", "flushed offset survives a power loss"],
)
def test_lost_effect_is_noticed(judged: JudgedInstance, lost: str) -> None:
    """A model in which one effect is missing has other states, and the comparison says so."""
    text = PromelaModel(judged.small).write()
    assert 1 == text.count(lost)
    changed = text.replace(lost, "  skip" + ";" * lost.endswith(";"))
    assert compare_with_spin(judged, changed).mismatches
    assert ask_spin(changed, judged).states != count_here(judged).states


@needs_spin
@pytest.mark.nightly
def test_lost_condition_is_noticed() -> None:
    """A model in which one condition always holds lets SPIN go where the reference cannot."""
    text = PromelaModel(DELAY.small).write()
    pattern = r"#define start_broker_0_is_down .*"
    changed, count = re.subn(pattern, "#define start_broker_0_is_down true", text)
    assert 1 == count
    assert compare_with_spin(DELAY, changed).mismatches


@needs_spin
@pytest.mark.nightly
@pytest.mark.parametrize("depth_max", [None, 4])
def test_another_violation_is_noticed(depth_max: int | None) -> None:
    """A guarantee that fails only in SPIN, in all states or in a part of them."""
    judged = evolve(ALONE, depth_max=depth_max)
    text = PromelaModel(judged.small).write()
    pattern = r"#define acknowledged_is_held_twice .*"
    changed, count = re.subn(pattern, "#define acknowledged_is_held_twice false", text)
    assert 1 == count
    mismatches = compare_with_spin(judged, changed).mismatches
    assert any(m.startswith("acknowledged_is_held_twice: no steps here") for m in mismatches)


@needs_spin
@pytest.mark.nightly
def test_choice_beyond_the_options_is_noticed() -> None:
    """With too few options for an argument SPIN says so, once for each argument."""
    small = evolve(DELAY.small, sizes=evolve(DELAY.sizes, ghost_queue_size_max=1))
    few = PromelaModel(DELAY.small)
    for step, other in zip(few.steps, PromelaModel(small).steps, strict=True):
        step.widths = other.widths
    assert len(few.write()) < len(PromelaModel(DELAY.small).write())
    with compile_verifier(few.write()) as verifier:
        violations = verifier.search().violations
    assert violations
    assert all(name.startswith("the range of ") for name in violations)
    with compile_verifier(PromelaModel(DELAY.small).write()) as verifier:
        assert not verifier.search().violations


@needs_spin
@pytest.mark.nightly
@pytest.mark.parametrize("judged", [ALONE, DELAY, PAIR], ids=lambda j: j.name)
def test_wide_numbers_change_nothing(judged: JudgedInstance) -> None:
    """With every number in 32 bits there are as many states: no byte and no short wraps."""
    text = PromelaModel(judged.small).write()
    with compile_verifier(text) as verifier:
        one = verifier.search(judged.depth_max)
    with compile_verifier(text, ["WIDE"]) as verifier:
        other = verifier.search(judged.depth_max)
    assert one.states == other.states
    assert one.vector_bytes < other.vector_bytes


@needs_spin
@pytest.mark.nightly
def test_spins_path_is_replayed() -> None:
    """The reference goes SPIN's path, and rejects it when a step is missing or means another."""
    name = "slave_is_prefix_of_master"
    text = PromelaModel(PAIR.small).write()
    with compile_verifier(text, [f"{CHECK_PREFIX}{name}"]) as verifier:
        violations = verifier.search(PAIR.depth_max).violations
    assert list(violations) == [name]
    path = violations[name]
    assert is_accepted(PAIR.small, name, path)
    assert not is_accepted(PAIR.small, name, path[:-1])
    assert not is_accepted(PAIR.small, name, path[1:])
    assert not is_accepted(PAIR.small, "message_is_stored_once", path)
    with pytest.raises(PathError):
        tuple(follow_path(PAIR.small, ["no_such_rule[0] 1"]))


@needs_spin
@pytest.mark.nightly
def test_trouble_of_spin_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that SPIN does not understand, and a path that is too long for the verifier."""
    wrong = compile_verifier("active proctype steps() { do :: od od }")
    with pytest.raises(SpinError, match="syntax error"), wrong:
        raise AssertionError
    monkeypatch.setattr(spin, "DEPTH_MAX", 5)
    with (
        compile_verifier(PromelaModel(ALONE.small).write()) as verifier,
        pytest.raises(SpinError, match="did not finish"),
    ):
        verifier.search()


def test_missing_spin_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line that says what to install."""
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MissingSpinError, match="apt-get install spin gcc"):
        find_spin()


@pytest.mark.parametrize(
    ("ours", "spins", "rejected", "words"),
    [
        (Count(3, {"a": 2}), Count(3, {"a": 2}), (), []),
        (Count(3, {}), Count(4, {}), (), ["3 states here, 4 in SPIN"]),
        (Count(3, {"a": 2}), Count(3, {}), (), ["a: 2 steps here, no in SPIN"]),
        (Count(3, {}), Count(3, {"a": 2}), (), ["a: no steps here, 2 in SPIN"]),
        (Count(3, {"a": 2}), Count(3, {"a": 3}), (), ["a: 2 steps here, 3 in SPIN"]),
        (Count(3, {"a": 2}), Count(3, {"a": 2}), ("a",), ["a: the reference does not accept"]),
    ],
)
def test_every_difference_is_told(
    ours: Count, spins: Count, rejected: tuple[str, ...], words: list[str]
) -> None:
    """States, violations, lengths, paths."""
    lines = PeerComparison("instance", ours, spins, rejected).mismatches
    assert len(words) == len(lines)
    assert all(line.startswith(word) for line, word in zip(lines, words, strict=True))


def test_guarantees_are_those_of_the_world() -> None:
    """The model has a macro for every guarantee of its world."""
    for judged in JUDGED_INSTANCES:
        text = PromelaModel(judged.small).write()
        named = re.findall(rf"#ifdef {CHECK_PREFIX}(\w+)", text)
        assert list(judged.structure.world.guarantees) == named
