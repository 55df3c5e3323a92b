"""What proofs stand on means what it should, and a mistake there is noticed."""

from __future__ import annotations

import pytest
import z3

from properties.judges import foundations
from properties.judges.foundations import (
    UnsoundFoundationError,
    check_foundations,
    check_remainder_facts,
    check_translation,
    list_simplified,
)
from properties.z3 import translation as z3_translation
from reference.language.operator_table import OPERATORS


def test_foundations_hold() -> None:
    """Many terms are simplified, every operator is compared, the facts are proved."""
    counts = check_foundations()
    assert 1000 < counts["simplified terms"]
    assert 2 * len(OPERATORS) < counts["translated operations"]
    assert 4 == counts["facts about remainders"]


def test_every_rule_of_simplification_is_met() -> None:
    """Each operator that has one is among the simplified terms."""
    met = {raw.operator for raw, _ in list_simplified()}
    assert met == set(OPERATORS)


def test_a_wrong_operator_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """``less`` read as ``less_equal``."""
    monkeypatch.setitem(z3_translation._TRANSLATION, "less", lambda a, b: a <= b)
    with pytest.raises(UnsoundFoundationError, match="less"):
        check_translation()


@pytest.mark.parametrize("wrong", ["fresh == 0", "fresh <= dividend", "dividend - fresh >= 0"])
def test_a_wrong_fact_about_remainders_is_noticed(
    wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is true of many divisions, and not of every dividend."""

    def remainder(
        self: object, dividend: z3.ArithRef, divisor: z3.ArithRef
    ) -> tuple[object, object]:
        fresh = z3.Int("fresh")
        return fresh, eval(wrong, {"fresh": fresh, "dividend": dividend})

    monkeypatch.setattr(foundations.IntegerArithmetic, "remainder", remainder)
    with pytest.raises(UnsoundFoundationError, match="remainder"):
        check_remainder_facts()
