"""Mistakes on purpose in functions and rules, and how many of them are noticed."""

from __future__ import annotations

import ast
from itertools import islice
from pathlib import Path

import pytest

from properties.judges import measurements
from properties.mutants.functions import MUTATION, list_function_mutants
from properties.mutants.source import list_mistakes
from properties.vectors.kill_rates import table as tables
from properties.vectors.kill_rates.measuring import MODULES, SAME_ANSWERS, KillRate
from properties.vectors.kill_rates.rules import measure_rules
from properties.vectors.sets.every_set import SETS
from reference.decisions.name_server import broker_side

QUICK = ("progress", "copying", "registration")

EXPECTED = {
    "reading": (223, 155),
    "progress": (70, 51),
    "copying": (28, 20),
    "registration": (82, 79),
    "store": (375, 199),
}
"""Mistakes and how many of them are noticed."""


def list_texts(source: str) -> list[str]:
    """The mistakes at the outermost expression of a source, as source."""
    tree = ast.parse(source, mode="eval")
    known = {"a", "b", "c", "f", "negate", "choose", "min", "max", "any_of", "all_of"}
    found = list_mistakes(tree, [tree], MUTATION, known)
    return [ast.unparse(m.make_in(tree)) for m in found if m.node is tree.body]


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
def test_quick_sets_notice_as_much_as_they_did(name: str) -> None:
    """Those that take less than a second; every mistake is noticed, or has one reason."""
    check_rate(tables.measure(name))
    assert tables.count_vectors(name) == tables.load_counts()[name]


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["reading", "store"])
def test_longer_sets_notice_as_much_as_they_did(name: str) -> None:
    """Half a minute."""
    check_rate(tables.measure(name))
    assert tables.count_vectors(name) == tables.load_counts()[name]


def check_rate(rate: KillRate) -> None:
    """It adds up, what is answered alike is listed, and as much is noticed as is expected."""
    assert rate.mutants == rate.killed + sum(rate.survivors.values())
    assert len(rate.unexplained) == rate.survivors.get(SAME_ANSWERS, 0)
    assert (rate.mutants, rate.killed) == EXPECTED[rate.set_name]


@pytest.mark.nightly
def test_the_log_notices_as_much_as_it_did() -> None:
    """Of a drawn sample about as much as of all mistakes, 54 of 100."""
    sample = measure_rules(150)
    assert tables.count_vectors("log") == tables.load_counts()["log"]
    assert abs(sample.killed / sample.mutants - 0.54) < 0.15


def test_measurements_are_kept_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is missing or damaged is none."""
    monkeypatch.setattr(measurements, "FOLDER", tmp_path)
    assert {} == tables.load_table()
    rate = KillRate("progress", 3, 2, {SAME_ANSWERS: 1}, ("a mistake",))
    tables.save_table({"progress": rate})
    assert {"progress": rate} == tables.load_table()
    assert "| `progress` | 3 | 2 |" in tables.render_kill_rates()
    (tmp_path / "kill_rates.json").write_text('{"commit": "", "rules": "", "result": [1]}')
    assert {} == tables.load_table()
