"""What of Java the store depends on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.store import java


@pytest.mark.parametrize(
    ("dividend", "divisor", "remainder", "quotient"),
    [(7, 4, 3, 1), (-7, 4, -3, -1), (-8, 4, 0, -2), (0, 4, 0, 0)],
)
def test_division_rounds_towards_zero(
    dividend: int, divisor: int, remainder: int, quotient: int
) -> None:
    """Unlike Python's."""
    assert remainder == java.remainder(dividend, divisor)
    assert quotient == java.quotient(dividend, divisor)


@given(st.integers(-(2**63), 2**63 - 1), st.integers(1, 2**31 - 1))
def test_division_is_whole(dividend: int, divisor: int) -> None:
    """Quotient and remainder make the dividend again."""
    whole = java.quotient(dividend, divisor) * divisor + java.remainder(dividend, divisor)
    assert dividend == whole


def test_casts() -> None:
    """The highest bit is the sign."""
    assert -(2**31) == java.to_int(2**31)
    assert -1 == java.to_int(2**32 - 1)
    assert -(2**63) == java.to_long(2**63)


@pytest.mark.parametrize("text", ["", "+", "-", "1 ", "0x1", "2147483648", "1\0"])
def test_no_integers(text: str) -> None:
    """An exception, as the one of Java."""
    with pytest.raises(java.JavaError) as raised:
        java.parse_integer(text, java.INT_BITS)
    assert raised.value.class_name == "java.lang.NumberFormatException"


@pytest.mark.parametrize(("text", "value"), [("007", 7), ("+5", 5), ("-2147483648", -(2**31))])
def test_integers(text: str, value: int) -> None:
    """Zeros before it and a sign are taken."""
    assert value == java.parse_integer(text, java.INT_BITS)


@pytest.mark.parametrize(
    ("text", "value"),
    [("", 0), ("hello", 99162322), ("😀", 0xD83D * 31 + 0xDE00), ("z" * 12, 1097476992)],
)
def test_hash_of_a_string(text: str, value: int) -> None:
    """Over UTF-16 units, wrapped."""
    assert value == java.hash_string(text)


def test_length_counts_utf_16_units() -> None:
    """Not code points."""
    assert (2, 2) == (java.count_characters("éé"), java.count_characters("😀"))


@pytest.mark.parametrize(
    ("text", "parts"),
    [("a,b", ["a", "b"]), ("a,b,,", ["a", "b"]), (",a", ["", "a"]), ("a", ["a"]), ("", [""])],
)
def test_split(text: str, parts: list[str]) -> None:
    """Empty parts at the end are left out."""
    assert parts == java.split(text, ",")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"T\xc3\xa9", "Té"),
        (b"\xc3", "?"),
        (b"\xe4\xb8", "?"),
        (b"\xed\xa0\x80", "?"),
        (b"\xed\xa0A", "?A"),
        (b"\xf0\x9fA", "?A"),
        (b"\xff\xfe", "??"),
        (b"\xc0\x80", "??"),
        (b"\xe0\x80\x80", "???"),
        (b"\xf4\x90\x80\x80", "????"),
    ],
)
def test_bytes_that_are_no_text(data: bytes, text: str) -> None:
    """As many replacement characters as Java makes; here they are question marks."""
    assert text.replace("?", "\N{REPLACEMENT CHARACTER}") == java.decode_utf8(data)
