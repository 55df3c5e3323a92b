"""Integers, strings and exceptions of Java, where the store's answers depend on them."""

from __future__ import annotations

import re

from attrs import frozen

INT_BITS = 32
LONG_BITS = 64
INT_MAX = 2**31 - 1
LARGEST_ARRAY_BYTES = INT_MAX - 2
"""HotSpot creates no larger ``byte[]``, however large its heap is (bytes)."""

ENCODED_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]?")


class JavaError(Exception):
    """An exception or error of Java, raised where Java throws it."""

    def __init__(self, class_name: str) -> None:
        super().__init__(class_name)
        self.class_name = class_name


@frozen
class Thrown:
    """The answer of a call that threw an exception or error."""

    class_name: str
    """With its package, such as ``java.lang.OutOfMemoryError``."""


def wrap(value: int, bits: int) -> int:
    """The two's complement value of the lowest bits."""
    half = 1 << (bits - 1)
    return (value + half) % (1 << bits) - half


def to_int(value: int) -> int:
    """A cast to ``int``."""
    return wrap(value, INT_BITS)


def to_long(value: int) -> int:
    """A result wrapped to a ``long``."""
    return wrap(value, LONG_BITS)


def remainder(dividend: int, divisor: int) -> int:
    """``%``: the result has the sign of the dividend. The divisor is above 0."""
    return dividend % divisor if dividend >= 0 else -(-dividend % divisor)


def quotient(dividend: int, divisor: int) -> int:
    """``/``: rounds towards zero. The divisor is above 0."""
    return dividend // divisor if dividend >= 0 else -(-dividend // divisor)


def parse_integer(text: str, bits: int) -> int:
    """``Integer.parseInt`` and ``Long.parseLong``.

    Raises JavaError (NumberFormatException) for anything but an optional sign and digits, and for a
    number that needs more bits.
    """
    if re.fullmatch(r"[+-]?\d+", text) and wrap(int(text), bits) == int(text):
        return int(text)
    raise JavaError("java.lang.NumberFormatException")


def hash_string(text: str) -> int:
    """``String#hashCode``: over UTF-16 units, wrapped to an ``int``."""
    units = text.encode("utf-16-be", "surrogatepass")
    result = 0
    for index in range(0, len(units), 2):
        result = to_int(31 * result + units[index] * 256 + units[index + 1])
    return result


def count_characters(text: str) -> int:
    """``String#length``: UTF-16 units."""
    return len(text.encode("utf-16-be", "surrogatepass")) // 2


def decode_utf8(data: bytes) -> str:
    """``new String(data, UTF_8)``: one replacement character for each unreadable piece.

    An encoded surrogate, whole or cut, is one piece; Python treats each of its bytes as one.
    """
    return ENCODED_SURROGATE.sub("\N{REPLACEMENT CHARACTER}".encode(), data).decode(
        errors="replace"
    )


def split(text: str, separator: str) -> list[str]:
    """``String#split`` for one plain character: empty strings at the end are left out."""
    parts = text.split(separator)
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return parts
