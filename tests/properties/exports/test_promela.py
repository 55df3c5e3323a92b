"""The exported model as a text: what needs no SPIN."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest
from attrs import evolve

from properties.exports import promela
from properties.exports.instances import SmallInstance
from properties.exports.notation import name_path
from properties.exports.promela import (
    CHECK_PREFIX,
    PROMELA,
    RANGE_PREFIX,
    PromelaModel,
    choose_type,
    define,
    write_effect,
)
from properties.exports.spin import SpinError, check_end, find_number, read_path
from properties.language.world import ClaimedStructure
from properties.schedules.possible_steps import PossibleStep, is_constant
from properties.worlds.catalogue import STRUCTURES, Tag, list_tagged
from properties.worlds.judged_instances import JUDGED_INSTANCES, TINY
from properties.z3.intervals import compute_interval, compute_leaf_intervals
from reference.language.leaves import compute_leaf_sorts
from reference.language.machine import RecordedInstance, record_machine
from reference.language.operator_table import Sort
from reference.language.operators import choose, maximum, minimum, quotient, remainder
from reference.language.terms import constant, leaf, record, specialise
from tests.structures import SYNCHRONOUS_PAIR, name_of

X, Y, Z = (leaf(name, Sort.INTEGER) for name in ("x", "y.0", "z"))
P, Q = (leaf(name, Sort.BOOLEAN) for name in ("is_p", "is_q"))

KEYWORDS = set(
    re.findall(
        r"\w+",
        "active assert atomic bit bool break byte chan do else empty enabled end eval false fi "
        "full goto hidden if init inline int len local mtype nempty never nfull notrace od of pid "
        "printf priority proctype provided run short show skip timeout trace true typedef unless "
        "unsigned xr xs auto case char const continue default double enum extern float for long "
        "register return signed sizeof static struct switch union void volatile while now",
    )
)
"""Words of Promela, and of C, in which SPIN writes the verifier."""

WORLDS = list_tagged(Tag.SMALL)


def make_model(structure: ClaimedStructure) -> PromelaModel:
    """The model of a structure under every fault."""
    sizes = TINY if structure is SYNCHRONOUS_PAIR else structure.world.sizes.search
    return PromelaModel(SmallInstance(structure, structure.world.every_fault, sizes))


@cache
def write_model(structure: ClaimedStructure) -> tuple[PromelaModel, str]:
    """The model of a structure with its text, for the tests that look at the same one."""
    model = make_model(structure)
    return model, model.write()


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (X + 1, "(x + 1)"),
        (record("not", record("equal", X, Y)), "!(x == y_0)"),
        (P & Q & (X < Y), "(is_p && is_q && (x < y_0))"),
        (P & (Q | (X <= Y)), "(is_p && (is_q || (x <= y_0)))"),
        (choose(P, X, 3), "(is_p -> x : 3)"),  # type: ignore[call-overload]
        (choose(P, Q, False), "(is_p -> is_q : false)"),  # type: ignore[call-overload]
        (minimum(X, maximum(Y, 2)), "minimum(x, maximum(y_0, 2))"),  # type: ignore[arg-type]
        (quotient(X, 2) - remainder(X, 2), "((x / 2) - (x % 2))"),  # type: ignore[arg-type]
    ],
    ids=str,
)
def test_terms_read_like_promela(term: Any, text: str) -> None:
    """Each operator, with nested truth values in one pair of parentheses."""
    assert text == PROMELA.write(term)


def test_unknown_operator_is_refused() -> None:
    """What cannot be written is not left out."""
    strange = object.__new__(type(X))
    strange.operator, strange.arguments, strange.payload, strange.sort = "xor", (), None, X.sort
    with pytest.raises(KeyError):
        PROMELA.write(strange)


def test_shared_part_is_named_once() -> None:
    """A long part that occurs again is a macro of its own; a short one is not."""
    part = record("and", record("and", P & Q, X < Y), record("and", Y < Z, Z < 1000))
    terms = {"one": record("or", part, P & Q), "other": record("not", part)}
    assert [
        "#define part_0 (is_p && is_q && (x < y_0) && (y_0 < z) && (z < 1000))",
        "#define one (part_0 || (is_p && is_q))",
        "#define other !part_0",
    ] == list(define("part", terms))


@pytest.mark.parametrize("structure", WORLDS, ids=name_of)
def test_every_possible_instance_is_there(structure: ClaimedStructure) -> None:
    """With its rule, who acts, its source, its conditions, its effect and at least one option."""
    model, text = write_model(structure)
    known = {r.instance.name: r for r in record_machine(structure)}
    for step in model.steps:
        recorded = known[step.step.name]
        rule, name = recorded.instance.rule, name_path(step.step.name)
        comment = f"{step.step.name}: {rule.sentence}\n   Who: {rule.who}. {rule.source}"
        assert 1 == text.count(comment.replace("*/", "* /"))
        assert 1 == text.count(f"inline effect_of_{name}(")
        assert f'printf("{step.step.name}' in text
        for condition, term in recorded.conditions.items():
            is_needed = not is_constant(specialise(term, model.constants), True)
            is_there = f"#define {name}_{condition} " in text
            assert is_there == (is_needed and not condition.startswith(RANGE_PREFIX))
    impossible = known.keys() - {s.step.name for s in model.steps}
    assert all(f'printf("{name}' not in text for name in impossible)
    assert len(impossible) < len(known) / 4


@pytest.mark.parametrize("structure", WORLDS, ids=name_of)
def test_names_mean_one_thing(structure: ClaimedStructure) -> None:
    """Variables, macros and effects are all called differently, and like no word of a language."""
    _, text = write_model(structure)
    _, _, own = text.partition("#define maximum")
    macros = re.findall(r"^#define (\w+)", own, re.MULTILINE)
    leaves = re.findall(r"^(?:bool|byte|short|int) (\w+)", own, re.MULTILINE)
    names = [*macros, *leaves, *re.findall(r"^inline (\w+)", own, re.MULTILINE)]
    assert len(set(names)) == len(names)
    assert KEYWORDS.isdisjoint(names)


@pytest.mark.parametrize("structure", WORLDS, ids=name_of)
def test_every_changing_leaf_is_declared_with_its_first_value(structure: ClaimedStructure) -> None:
    """And what never changes is not."""
    model, text = write_model(structure)
    declared = dict(re.findall(r"^(?:bool|byte|short) (\w+) = ([\w-]+);", text, re.M))
    changing = {p: v for p, v in model.initial.items() if p not in model.constants}
    assert {name_path(p): str(v).lower() for p, v in changing.items()} == declared
    assert changing.keys() <= compute_leaf_sorts(structure).keys()
    written = set().union(*(s.step.effects for s in model.steps))
    assert changing.keys() == written


@pytest.mark.parametrize("structure", WORLDS, ids=name_of)
def test_every_guarantee_can_be_checked(structure: ClaimedStructure) -> None:
    """By a macro of its name."""
    _, text = write_model(structure)
    assert list(structure.world.guarantees) == re.findall(rf"#ifdef {CHECK_PREFIX}(\w+)", text)


@pytest.mark.parametrize("judged", JUDGED_INSTANCES, ids=lambda j: j.name)
def test_model_names_what_it_is_of(judged: Any) -> None:
    """Structure, faults and every size stand at its head."""
    head, _, _ = PromelaModel(judged.small).write().partition("*/")
    assert judged.structure_name in head
    assert judged.fault in head


def test_model_names_where_it_stops_counting() -> None:
    """The leaf and the number at which it stays."""
    (judged, *_) = JUDGED_INSTANCES
    small = evolve(judged.small, highest={"master.connection_count": 1})
    head, _, _ = PromelaModel(small).write().partition("*/")
    assert "master.connection_count: counts to 1, and then stays" in head


@pytest.mark.nightly
def test_other_rules_are_another_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed term changes the model, in each place where a rule has terms."""
    machine = record_machine(SYNCHRONOUS_PAIR)
    before = make_model(SYNCHRONOUS_PAIR).write()
    index = next(i for i, r in enumerate(machine) if r.arguments)
    for mutant in make_mutants(machine[index]):
        changed = (*machine[:index], mutant, *machine[index + 1 :])
        monkeypatch.setattr(promela, "record_machine", lambda structure, m=changed: m)
        assert make_model(SYNCHRONOUS_PAIR).write() != before


def make_mutants(recorded: RecordedInstance) -> list[RecordedInstance]:
    """The instance with another condition, another range, and another value of each effect."""
    argument, *others = recorded.arguments
    name, symbol, low, high = argument
    conditions = dict(list(recorded.conditions.items())[1:])
    mutants = [
        evolve(recorded, conditions=conditions),
        evolve(recorded, arguments=((name, symbol, low, high - 1), *others)),
    ]
    for path, term in recorded.effects.items():
        other = record("not", term) if term.sort is Sort.BOOLEAN else term + 1
        mutants.append(evolve(recorded, effects={**recorded.effects, path: other}))
    return mutants


@pytest.mark.parametrize(
    ("effects", "expected"),
    [
        ({"x": constant(1), "z": X + Z}, ["z = (x + z)", "x = 1"]),
        ({"x": X + 1, "z": X + Z}, ["scratch_0 = (x + 1)", "z = (x + z)", "x = scratch_0"]),
        ({"x": Z, "z": X}, ["scratch_0 = z", "scratch_1 = x", "x = scratch_0", "z = scratch_1"]),
        ({"x": X + Z, "z": X + Z}, ["scratch_0 = (x + z)", "x = scratch_0", "z = scratch_0"]),
    ],
)
def test_effects_read_what_was_before(effects: dict[str, Any], expected: list[str]) -> None:
    """What becomes of a leaf that another effect reads waits in a scratch variable."""
    scratch, lines = write_effect(effects)
    assert expected == lines
    assert scratch == sorted({w for w in re.findall(r"\w+", " ".join(lines)) if "scratch" in w})


def test_intervals_contain_what_is_possible() -> None:
    """Of a term from its leaves, and of leaves from the steps that write them."""
    leaves = {"x": (0, 3), "z": (-1, 2), "is_p": (0, 1)}
    assert (-2, 4) == compute_interval(X - Z, {**leaves, "x": (0, 3)})
    assert (-1, 3) == compute_interval(choose(P, X, Z), leaves)  # type: ignore[call-overload]
    assert (0, 1) == compute_interval(X < Z, leaves)
    up = PossibleStep("up", (), (), {"x": X + 1})
    down = PossibleStep("down", (), (), {"z": Z - 1})
    assert {"x": (0, 9), "z": (-1, 5)} == compute_leaf_intervals([up, down], {"x": 0, "z": 5}, 9)


def test_types_are_as_small_as_honest() -> None:
    """A byte has no sign."""
    assert "bool" == choose_type(Sort.BOOLEAN, (0, 1))
    assert "byte" == choose_type(Sort.INTEGER, (0, 255))
    assert "short" == choose_type(Sort.INTEGER, (-1, 4))
    assert "short" == choose_type(Sort.INTEGER, (0, 256))


def test_spins_words_are_read() -> None:
    """Numbers, paths, and what says that not all was searched."""
    assert 12_000_000 == find_number(r"([\d.e+]+) states", " 1.2e+07 states, stored")
    with pytest.raises(SpinError, match="not understood: what"):
        find_number(r"(\d+) states", "what")
    replay = "      append[0] 1\n      stop\nspin: trail ends after 2 steps\n  3:\tproc 0\n"
    assert ("append[0] 1", "stop") == read_path(replay)
    check_end("error: max search depth too small", is_cut=True)
    with pytest.raises(SpinError, match="max search depth too small"):
        check_end("error: max search depth too small", is_cut=False)
    with pytest.raises(SpinError, match="memory"):
        check_end("pan: out of memory", is_cut=True)


EXPORTED = [s for s in STRUCTURES.values() if s.slaves <= 1]
SAMPLED = [s for s in EXPORTED[::19] if not s.name.startswith("system/")]


@pytest.mark.parametrize(
    "structure",
    [pytest.param(s, marks=[pytest.mark.nightly] * (s not in SAMPLED)) for s in EXPORTED],
    ids=name_of,
)
def test_every_structure_can_be_exported(structure: ClaimedStructure) -> None:
    """Of each release the structures with one slave and with none; some of them in every run."""
    assert PromelaModel(make_small(structure)).steps


def make_small(structure: ClaimedStructure) -> SmallInstance:
    """A structure under every fault, with the usual small sizes."""
    return SmallInstance(structure, structure.world.every_fault, structure.world.sizes.search)
