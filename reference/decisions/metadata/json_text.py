"""Texts of tables as fastjson 1.2.51 writes and reads them, as far as brokers' tables need it.

Its texts are JSON except that tables by number have unquoted keys: ``{1:5,2:2}``. Of fastjson's
liberties in reading (names without quotes, single quotes, comments) only those numbers are
supported here; other such texts count as unreadable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

WHITE_SPACE = re.compile(r"[ \t\n\r\f\b]*")
STRING = re.compile(r'"(?:[^"\\]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"')
NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")
KEY_NUMBER = re.compile(r"-?\d+")
ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
WORDS: Mapping[str, Any] = {"null": None, "true": True, "false": False}


class TextError(ValueError):
    """A text that cannot be read: fastjson throws an exception."""


def write(value: Any, *, is_pretty: bool, depth: int = 0) -> str:
    """A value in the order of its tables; a name whose value is None is left out of an object.

    Pretty: objects and tables by name have a line for each entry, tables by number one for all.
    """
    if not isinstance(value, Mapping):
        return write_scalar(value)
    entries = [(key, each) for key, each in value.items() if each is not None]
    inner = "\n" + "\t" * (depth + 1) if is_pretty else ""
    texts = []
    for key, each in entries:
        name = f"{inner}{write_scalar(key)}" if isinstance(key, str) else str(key)
        texts.append(f"{name}:{write(each, is_pretty=is_pretty, depth=depth + 1)}")
    end = "\n" + "\t" * depth if is_pretty and (entries or depth == 0) else ""
    # The outermost value is an object: it has line breaks even if nothing is between them.
    begin = inner if depth == 0 and not entries else ""
    return "{" + begin + ",".join(texts) + end + "}"


def write_scalar(value: str | bool | int) -> str:
    """A string, a flag or a number."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    for letter, character in ESCAPES.items():
        escaped = escaped.replace(character, f"\\{letter}")
    return f'"{escaped}"'


def read(text: str) -> Any:
    """A text as tables, lists, strings, numbers and None; blanks are None. Raises TextError."""
    reader = _JsonReader(text)
    if reader.is_at_end():
        return None
    value = reader.read_value()
    if not reader.is_at_end():
        raise TextError("more text follows")
    return value


def read_object(text: str) -> Mapping[Any, Any] | None:
    """A text as an object, if it is one (``JSON#parseObject`` with a class).

    None, without an error, for blanks, ``null``, ``[]`` and an empty string. Raises TextError for
    everything else that is not an object.
    """
    value = read(text)
    if isinstance(value, Mapping):
        return value
    if value is None or value == "" or text.strip() == "[]":
        return None
    raise TextError("not an object")


class _JsonReader:
    """A text, and the position of reading."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def is_at_end(self) -> bool:
        self._take(WHITE_SPACE)
        return self.at == len(self.text)

    def _take(self, pattern: re.Pattern[str]) -> str | None:
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[0]

    def _is_next(self, character: str) -> bool:
        self._take(WHITE_SPACE)
        is_there = self.text.startswith(character, self.at)
        self.at += len(character) if is_there else 0
        return is_there

    def _expect(self, character: str) -> None:
        if not self._is_next(character):
            raise TextError(f"no {character}")

    def read_value(self) -> Any:
        if self._is_next("{"):
            return dict(self._read_entries())
        if self._is_next("["):
            return list(self._read_items())
        if (string := self._take(STRING)) is not None:
            return unescape(string[1:-1])
        if (number := self._take(NUMBER)) is not None:
            return float(number) if set(number) & set(".eE") else int(number)
        for word, value in WORDS.items():
            if self._is_next(word):
                return value
        raise TextError("no value")

    def _read_entries(self) -> Iterator[tuple[str | int, Any]]:
        if self._is_next("}"):
            return
        while True:
            key = self._read_key()
            self._expect(":")
            yield key, self.read_value()
            if self._is_next("}"):
                return
            self._expect(",")

    def _read_key(self) -> str | int:
        self._take(WHITE_SPACE)
        if (string := self._take(STRING)) is not None:
            return unescape(string[1:-1])
        if (number := self._take(KEY_NUMBER)) is not None:
            return int(number)
        raise TextError("no key")

    def _read_items(self) -> Iterator[Any]:
        if self._is_next("]"):
            return
        while True:
            yield self.read_value()
            if self._is_next("]"):
                return
            self._expect(",")


def unescape(text: str) -> str:
    """The characters between the quotes of a string."""

    def replace(found: re.Match[str]) -> str:
        told = found[1]
        return chr(int(told[1:], 16)) if told[0] == "u" else ESCAPES.get(told, told)

    return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", replace, text)
