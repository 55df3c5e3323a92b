"""Mistakes on purpose in functions and rules, and the stored table of those that are noticed."""

from __future__ import annotations

import ast
from itertools import islice

import pytest

from properties.exports.vectors.kill_rates import table as tables
from properties.exports.vectors.kill_rates.function_mutants import list_function_mutants
from properties.exports.vectors.kill_rates.measuring import MODULES, SAME_ANSWERS
from properties.exports.vectors.kill_rates.mistakes import list_mistakes
from properties.exports.vectors.kill_rates.rules import measure_rules
from properties.exports.vectors.sets.every_set import SETS
from reference.decisions.name_server import broker_side

QUICK = ("progress", "copying", "registration")


def list_texts(source: str) -> list[str]:
    """The mistakes at the outermost expression of a source, as source."""
    tree = ast.parse(source, mode="eval").body
    return [ast.unparse(new) for _, new in list_mistakes(tree, {"min", "max", "all_of"})]


def test_mistakes_are_small() -> None:
    """Another comparison, junction, operator, number, flag, branch or function."""
    assert list_texts("a < b") == ["a <= b"]
    assert list_texts("a <= b < c") == ["a < b < c", "a <= b <= c"]
    assert list_texts("a and b") == ["a or b"]
    assert list_texts("a & b") == ["a | b"]
    assert list_texts("not a") == ["a"]
    assert list_texts("negate(a)") == ["a"]
    assert list_texts("choose(a, b, c)") == ["choose(a, c, b)"]
    assert list_texts("b if a else c") == ["c if a else b"]
    assert list_texts("7") == ["8", "6"]
    assert list_texts("True") == ["False"]
    assert list_texts("max(a, 1)") == ["min(a, 1)"]
    assert list_texts("any_of(a)") == ["all_of(a)"]
    assert list_texts("f(a)") == []


def test_a_mistake_is_made_for_every_caller_and_taken_back() -> None:
    """Also for those that have the function under a name of their own."""
    mutants = list(list_function_mutants([broker_side.__name__]))
    alias = broker_side.compute_period_ms
    mutant = next(m for m in mutants if m.name.endswith("compute_period_ms: max for min"))
    assert alias(70_000) == 60_000
    with mutant.make():
        assert alias(70_000) == 70_000
    assert alias(70_000) == 60_000


def test_every_module_of_the_table_has_functions_with_mistakes() -> None:
    """No name is outdated."""
    assert [*MODULES] == [each.name for each in SETS if each.name != "log"]
    for modules in MODULES.values():
        for module in modules:
            assert len(list(islice(list_function_mutants([module]), 3))) == 3


@pytest.mark.parametrize("name", QUICK)
def test_the_stored_rates_are_measured(name: str) -> None:
    """Of the sets that take less than a second."""
    assert tables.measure(name) == tables.load_table()[name]
    assert tables.count_vectors(name) == tables.load_counts()[name]


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["reading", "store"])
def test_the_stored_rates_of_longer_sets_are_measured(name: str) -> None:
    """Half a minute."""
    assert tables.measure(name) == tables.load_table()[name]
    assert tables.count_vectors(name) == tables.load_counts()[name]


@pytest.mark.nightly
def test_the_stored_rate_of_the_log_is_measured() -> None:
    """A drawn sample: what is answered alike is listed, and about as much is noticed."""
    stored, sample = tables.load_table()["log"], measure_rules(150)
    assert tables.count_vectors("log") == tables.load_counts()["log"]
    assert set(sample.unexplained) <= set(stored.unexplained)
    assert abs(sample.killed / sample.mutants - stored.killed / stored.mutants) < 0.15


def test_the_table_adds_up() -> None:
    """Every mistake is noticed, or has one reason; those that are answered alike are listed."""
    stored = tables.load_table()
    assert [*stored] == [*tables.SET_NAMES]
    for rate in stored.values():
        assert rate.mutants == rate.killed + sum(rate.survivors.values())
        assert len(rate.unexplained) == rate.survivors.get(SAME_ANSWERS, 0)
        assert rate.killed > rate.mutants / 4
