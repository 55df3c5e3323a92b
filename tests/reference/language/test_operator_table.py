"""The table of operators: whoever adds a row learns what else needs one."""

from __future__ import annotations

import string

import attrs
import pytest

from properties.z3 import intervals, translation
from reference.language.operator_table import OPERATORS, Operator, Sort, spell
from spark_fuzz.search import array_reading

LANGUAGES = [field.name for field in attrs.fields(Operator) if field.type == "str"][1:]


def test_each_language_is_a_column() -> None:
    """The name of an operator is no language."""
    assert LANGUAGES == ["python", "c", "c_lanes", "javascript", "promela", "tla"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_has_a_place_for_each_operand(language: str) -> None:
    """No operand is forgotten, and none is written twice without need."""
    for name, text in spell(language).items():
        places = [place for _, place, _, _ in string.Formatter().parse(text) if place is not None]
        assert len(set(range(len(places))) if "" in places else {*places}) == len(
            OPERATORS[name].sorts
        ), (name, text)


def test_every_engine_knows_every_operator() -> None:
    """Z3 makes a remainder by side conditions; truth values need no interval of their own."""
    assert {*translation._TRANSLATION, "remainder"} == set(OPERATORS)
    assert set(array_reading._MEANING) == set(OPERATORS)
    numbers = {name for name, row in OPERATORS.items() if row.result is Sort.INTEGER}
    assert set(intervals._BOUNDS) == numbers


def test_an_operator_without_a_column_is_none() -> None:
    """Python refuses the row."""
    with pytest.raises(TypeError, match="tla"):
        Operator(
            "nand", (), Sort.BOOLEAN, bool, python="", c="", c_lanes="", javascript="", promela=""
        )
