"""A key of a broker's file: its kind, its default, and how RocketMQ reads its value."""

from __future__ import annotations

import enum
import re
from typing import TypeAlias

from attrs import frozen

Value: TypeAlias = int | float | bool | str | None
"""A configured value; None is a default that depends on the host or its environment."""

_NUMBER = re.compile(r"[+-]?\d+")
_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


class ValueKind(enum.Enum):
    """How a setter's argument is read."""

    INT = "a whole number of 32 bits (-2147483648 to 2147483647)"
    LONG = "a whole number of 64 bits (-9223372036854775808 to 9223372036854775807)"
    DECIMAL = "a number, for example 0.8"
    BOOLEAN = "true or false"
    STRING = "any text"
    CHOICE = "one of the names of a Java enumeration"


@frozen
class Key:
    """One key that a release reads."""

    name: str
    """The key as written in the file."""
    kind: ValueKind
    """How its value is read."""
    default: Value
    """Value without a setting; None if the host determines it (its name, address or processors)."""
    choices: tuple[str, ...] = ()
    """All allowed values, for a CHOICE."""
    owner: str = ""
    """The class that has its setter."""

    @property
    def expected(self) -> str:
        """The allowed values, in words."""
        return "one of " + ", ".join(self.choices) if self.choices else self.kind.value

    def read(self, text: str) -> Value:
        """The value of this text; as in Java, blanks around it are not accepted.

        Source: MixAll#properties2Object, with Integer#parseInt, Long#parseLong and Enum#valueOf.

        Raises:
            ValueError: the text is not of this key's kind, or a number out of its range.
        """
        match self.kind:
            case ValueKind.INT:
                return _read_number(text, bits=32)
            case ValueKind.LONG:
                return _read_number(text, bits=64)
            case ValueKind.DECIMAL if _DECIMAL.fullmatch(text.strip()):
                return float(text)
            case ValueKind.BOOLEAN:
                return _read_boolean(text)
            case ValueKind.DECIMAL:
                raise ValueError(text)
            case ValueKind.CHOICE if text not in self.choices:
                raise ValueError(text)
        return text


def _read_number(text: str, bits: int) -> int:
    if not _NUMBER.fullmatch(text):
        raise ValueError(text)
    number = int(text)
    if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
        raise ValueError(text)
    return number


def _read_boolean(text: str) -> bool:
    """Stricter than Boolean#parseBoolean, which reads every other text as false."""
    if text.lower() not in ("true", "false"):
        raise ValueError(text)
    return text.lower() == "true"
