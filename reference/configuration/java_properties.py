"""Files in the text format of ``java.util.Properties``, as ``Properties.load`` reads them.

One logical line is one entry ``key separator value``. A backslash at the end of a line continues
it; leading blanks of every line are dropped, trailing blanks belong to the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import frozen

_BLANKS = " \t\f"
_LINE_END = re.compile(r"\r\n|\r|\n")
_CONTROL_CHARACTER = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")
_PLAIN_ENTRY = re.compile(r"(?P<key>[^ \t\f=:]*)[ \t\f]*(?:[=:][ \t\f]*)?(?P<value>.*)", re.DOTALL)
_ENTRY = re.compile(
    r"(?P<key>(?:\\.|[^\\ \t\f=:])*)[ \t\f]*(?:[=:][ \t\f]*)?(?P<value>.*)", re.DOTALL
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|u|.)", re.DOTALL)
_NAMED_ESCAPES = {"t": "\t", "r": "\r", "n": "\n", "f": "\f"}


class JavaPropertiesError(ValueError):
    """A text that ``Properties.load`` refuses, or that is not text at all."""

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(problem, line)
        self.problem = problem
        """The problem, without its place."""
        self.line = line
        """Line of the problem, counted from 1."""


@frozen
class JavaProperty:
    """One ``key=value`` of a properties text, escapes resolved."""

    key: str
    """The key, unescaped."""
    value: str
    """The value, unescaped, with its trailing blanks."""
    line: int
    """First line of the entry, counted from 1."""


def decode_properties(data: bytes) -> str:
    """The characters of a properties file.

    ``Properties.load(InputStream)`` reads bytes as ISO-8859-1; UTF-8 is accepted too, so that
    comments and names in it stay legible.

    Raises:
        JavaPropertiesError: the bytes hold control characters, so the file is not text.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("iso-8859-1")
    found = _CONTROL_CHARACTER.search(text)
    if found:
        line = len(_LINE_END.findall(text, 0, found.start())) + 1
        raise JavaPropertiesError("this is not a text file", line)
    return text


def parse_properties(text: str) -> tuple[JavaProperty, ...]:
    r"""All entries in the order of the text, duplicates included.

    Source: ``java.util.Properties#load0``, with one difference: a lone backslash at the end of the
    text is no entry here, whereas Java makes it an entry with an empty key.

    Raises:
        JavaPropertiesError: a ``\\u`` that is not followed by four hexadecimal digits.
    """
    return tuple(_parse_entry(logical_line, line) for line, logical_line in _logical_lines(text))


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Number of the first line, and text with continuations joined; comments are left out."""
    joined: str | None = None
    start = 1
    for number, physical_line in enumerate(_LINE_END.split(text), start=1):
        line = physical_line.lstrip(_BLANKS)
        if not joined:
            if line.startswith(("#", "!")):
                joined = None
                continue
            joined, start = "", number
        is_continued = _is_continued(line)
        joined += line.removesuffix("\\") if is_continued else line
        if is_continued:
            continue
        if joined:
            yield start, joined
        joined = None
    if joined:
        yield start, joined


def _is_continued(line: str) -> bool:
    """The line ends with an odd number of backslashes; an even number is escaped backslashes."""
    return line.endswith("\\") and (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _parse_entry(logical_line: str, line: int) -> JavaProperty:
    is_plain = "\\" not in logical_line
    found = (_PLAIN_ENTRY if is_plain else _ENTRY).fullmatch(logical_line)
    assert found is not None, "the pattern matches every text"
    if is_plain:
        return JavaProperty(found["key"], found["value"], line)
    return JavaProperty(_unescape(found["key"], line), _unescape(found["value"], line), line)


def _unescape(text: str, line: int) -> str:
    def replace(escape: re.Match[str]) -> str:
        character = escape[1]
        if character == "u":
            raise JavaPropertiesError("\\u is not followed by four hexadecimal digits", line)
        if character.startswith("u"):
            return chr(int(character[1:], 16))
        return _NAMED_ESCAPES.get(character, character)

    return _join_surrogates(_ESCAPE.sub(replace, text))


def _join_surrogates(text: str) -> str:
    """Java strings are UTF-16: two escapes may make one character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
