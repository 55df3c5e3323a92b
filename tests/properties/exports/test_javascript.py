"""The JavaScript reading says of every state what the reference says."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from attrs import evolve

from properties.exports import javascript, notation
from properties.exports.javascript import ENGINE_FILE, StructureSource, check_ranges
from properties.exports.notation import Notation
from properties.exports.shared_text import SharedText
from properties.worlds.catalogue import STRUCTURES
from reference.language.machine import record_machine
from reference.language.operator_table import OPERATORS, Sort, spell
from reference.language.terms import constant, evaluate, leaf, make_raw
from reference.language.terms import walk as terms_walk
from tests.properties.exports import javascript_walks
from tests.properties.exports.javascript_walks import (
    MISSING,
    Combination,
    DisagreementError,
    walk,
)
from tests.structures import SYNCHRONOUS_PAIR, name_of

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING or "an engine is there")

NUMBERS = (0, 1, -1, 2, -3, 7, 2**53, 2**53 + 1, -(2**60), 2**60 + 5)
"""Some are beyond what a double tells apart."""

QUICK = (
    "SYNC_MASTER/ASYNC_FLUSH/1 slave",
    "ASYNC_MASTER/SYNC_FLUSH/1 slave at 4.9.3",
    "reading/open slow/no offset check/last",
    "tables/topics/4.4.0",
    "delay/4.4.0",
)
NIGHTLY = (
    *QUICK,
    "SYNC_MASTER/SYNC_FLUSH/1 slave",
    "ASYNC_MASTER/ASYNC_FLUSH/1 slave",
    "ASYNC_MASTER/ASYNC_FLUSH/0 slaves",
    "SYNC_MASTER/ASYNC_FLUSH/2 slaves",
    "SYNC_MASTER/SYNC_FLUSH/3 slaves",
    "SYNC_MASTER/ASYNC_FLUSH/1 slave at 4.5.1",
    "SYNC_MASTER/ASYNC_FLUSH/1 slave at 5.0.0",
    "SYNC_MASTER/ASYNC_FLUSH/1 slave at 5.0.0-quorum",
    "SYNC_MASTER/ASYNC_FLUSH/1 slave at 5.0.0-controller",
    "SYNC_MASTER/SYNC_FLUSH/1 slave at 5.3.0",
    "SYNC_MASTER/ASYNC_FLUSH/1 slave with transient_store_pool",
    *(name for name in STRUCTURES if name.startswith("system/")),
    "reading/closed/no offset check/first",
    "reading/open all/offset check/last",
    "tables/groups/4.4.0",
    "tables/topics/4.5.0",
    "delay/corrected at start",
)
STEPS = 100_000
"""Of all nightly walks together."""


def combine(names: tuple[str, ...]) -> list[Combination]:
    """Each structure in small and in usual sizes."""
    structures = [STRUCTURES[name] for name in names]
    return [Combination(s, size) for s, size in itertools.product(structures, ("small", "usual"))]


NIGHTLY_COMBINATIONS = combine(NIGHTLY)


@pytest.mark.parametrize("combination", combine(QUICK), ids=name_of)
def test_a_sample_of_walks(combination: Combination) -> None:
    """Enabled instances, ranges, refusals, next states and verdicts, after each of 120 steps."""
    assert 120 == walk(combination, 120, seed=1)


def test_two_followed_messages() -> None:
    """A structure of the known issues, which is in no list of structures."""
    pair = evolve(SYNCHRONOUS_PAIR, messages=2)
    assert 120 == walk(Combination(pair, "small"), 120, seed=2)


@pytest.mark.nightly
@pytest.mark.parametrize("combination", NIGHTLY_COMBINATIONS, ids=name_of)
def test_walks_at_night(combination: Combination) -> None:
    """The same of many more."""
    steps = -(-STEPS // len(NIGHTLY_COMBINATIONS))
    assert steps == walk(combination, steps, seed=3, length=150)


def test_the_night_is_long_enough() -> None:
    """At least 20 combinations of world, structure and release, each in both sizes."""
    assert len(NIGHTLY) >= 20
    assert {"small", "usual"} == {c.size for c in NIGHTLY_COMBINATIONS}


def list_operands(operator: str) -> Iterator[tuple[Any, ...]]:
    """All tuples of a few numbers and truth values that an operator takes."""
    sorts = OPERATORS[operator].sorts
    choices = [NUMBERS if sort is Sort.INTEGER else (False, True) for sort in sorts]
    for values in itertools.product(*choices):
        if operator not in ("quotient", "remainder") or values[1]:
            yield values


@pytest.mark.parametrize("operator", OPERATORS)
def test_an_operator_means_what_it_means_in_python(operator: str) -> None:
    """Numbers below zero and beyond those that a double tells apart are among the operands."""
    context = javascript_walks.Context()
    context.eval(ENGINE_FILE.read_text(encoding="utf-8"))
    written = Notation.of("javascript", str, javascript.write_constant, ("add", "and", "or"))
    for values in list_operands(operator):
        text = written.write(make_raw(operator, *map(constant, values)))
        expected = javascript.write_constant(evaluate(operator, *values)).strip("()")
        said = context.eval(f"((x) => x + (typeof x === 'bigint' ? 'n' : ''))({text})")
        assert expected == said, (operator, values)


MISTAKES = {
    "add": "({} - {})",
    "and": "({} || {})",
    "or": "({} && {})",
    "subtract": "({1} - {0})",
    "minimum": "maximum({}, {})",
    "maximum": "minimum({}, {})",
    "remainder": "quotient({}, {})",
    "less": "({} <= {})",
    "less_equal": "({} < {})",
    "equal": "({} <= {})",
    "not": "!!{}",
    "choose": "({0} ? {2} : {1})",
    "choose_flag": "({0} ? {2} : {1})",
}
"""For each operator another one in its place."""


def test_every_operator_of_a_rule_has_a_mistake() -> None:
    """``quotient`` is in the vocabulary, and no rule of these structures uses it."""
    used = set()
    for name in QUICK:
        for recorded in record_machine(STRUCTURES[name]):
            ends = [end for _, _, *each in recorded.arguments for end in each]
            terms = (*recorded.conditions.values(), *recorded.effects.values(), *ends)
            used |= {part.operator for part in terms_walk(terms) if part.arguments}
    assert set(MISTAKES) == used == set(OPERATORS) - {"quotient"}


@pytest.mark.parametrize("operator", MISTAKES)
def test_the_comparison_finds_a_mistake(operator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one operator written wrongly the readings disagree within a short walk."""
    wrong = {**spell("javascript"), operator: MISTAKES[operator]}
    monkeypatch.setattr(notation, "spell", lambda language: dict(wrong))
    with pytest.raises(DisagreementError, match=r"JavaScript|is refused"):
        walk_everywhere()


def walk_everywhere() -> None:
    """A short walk in each of the quick structures."""
    for name in QUICK:
        walk(Combination(STRUCTURES[name], "small"), 200, seed=4)


def test_a_mistake_in_the_engine_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that is taken although its argument lies beyond its range."""
    text = ENGINE_FILE.read_text(encoding="utf-8")
    wrong = text.replace("if (outside !== undefined)", "if (false)")
    assert wrong != text
    monkeypatch.setattr(javascript_walks, "ENGINE_FILE", FakeFile(wrong))
    with pytest.raises(DisagreementError, match="is refused"):
        walk(Combination(SYNCHRONOUS_PAIR, "small"), 200)


class FakeFile:
    """A file whose text is another one."""

    def __init__(self, text: str) -> None:
        self.text = text

    def read_text(self, encoding: str) -> str:
        """The text."""
        return self.text


def test_a_range_depends_on_no_other_argument() -> None:
    """The engine asks for all ranges of a state before anything is chosen."""
    recorded = next(r for r in record_machine(SYNCHRONOUS_PAIR) if r.arguments)
    name, own, _, high = recorded.arguments[0]
    low = leaf("argument.other", Sort.INTEGER)
    wrong = evolve(recorded, arguments=((name, own, low, high),))
    with pytest.raises(ValueError, match="depends on another argument"):
        check_ranges(wrong)


def test_structures_share_their_lines() -> None:
    """A second one adds only what the first one lacks, and the same one adds nothing."""
    shared = SharedText()
    written = [StructureSource(STRUCTURES[n]).write(shared) for n in (QUICK[0], QUICK[0])]
    assert written[0] == written[1]
    first = len(shared.lines)
    StructureSource(STRUCTURES["SYNC_MASTER/SYNC_FLUSH/1 slave"]).write(shared)
    assert 0 < len(shared.lines) - first < first / 5


def test_all_instances_of_a_structure_are_written() -> None:
    """In the machine's order, each with the names of its conditions."""
    source, shared = StructureSource(SYNCHRONOUS_PAIR), SharedText()
    source.write(shared)
    assert {f"{{ // {r.instance.name}" for r in source.instances} <= set(shared.lines)
    assert len(source.describe()["leaves"]) == len(source.describe()["initial"])
