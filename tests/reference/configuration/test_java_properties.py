"""The text format of ``java.util.Properties``; expected results were checked against Java 17."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.configuration.java_properties import (
    JavaPropertiesError,
    JavaProperty,
    decode_properties,
    parse_properties,
)

_CHARACTERS = st.characters(exclude_categories=["Cs"])
_KEYS = st.text(_CHARACTERS, min_size=1)
_VALUES = st.text(_CHARACTERS)
_SEPARATORS = st.sampled_from(["=", ":", " ", "\t", " = ", " : ", "\f=\t"])
_LINE_ENDS = st.sampled_from(["\n", "\r", "\r\n"])
_FILLERS = st.sampled_from(["", "  ", "# comment = 1", "\t! comment \\", "#"])
_CONTINUATIONS = st.sampled_from(["", "\\\n", "\\\r\n \t", "\\\r\f"])


def _escape(text: str) -> str:
    """Every character as one or two UTF-16 escapes, except letters and digits of ASCII."""
    return "".join(
        character if character.isascii() and character.isalnum() else _escape_units(character)
        for character in text
    )


def _escape_units(character: str) -> str:
    units = character.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


@st.composite
def _properties_texts(draw: st.DrawFn) -> tuple[str, list[tuple[str, str]]]:
    """A properties text in any layout, and the keys and values that it says."""
    pairs = draw(st.lists(st.tuples(_KEYS, _VALUES), max_size=5))
    lines: list[str] = []
    for key, value in pairs:
        lines.append(draw(_FILLERS) + draw(_LINE_ENDS))
        entry = _escape(key) + draw(_SEPARATORS) + draw(_CONTINUATIONS) + _escape(value)
        lines.append(entry + draw(_LINE_ENDS))
    return "".join(lines), pairs


@given(_properties_texts())
def test_written_properties_are_read_back(written: tuple[str, list[tuple[str, str]]]) -> None:
    """Any keys and values, in any layout with comments and continuations, come back unchanged."""
    text, expected = written
    actual = [(entry.key, entry.value) for entry in parse_properties(text)]
    assert expected == actual


@given(st.text(_CHARACTERS))
def test_any_text_is_read_or_refused(text: str) -> None:
    """No text makes the reader fail in another way than its own error."""
    try:
        entries = parse_properties(text)
    except JavaPropertiesError:
        return
    assert all(entry.line >= 1 for entry in entries)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        pytest.param("a=b", "a", "b", id="equals sign"),
        pytest.param("a:b", "a", "b", id="colon"),
        pytest.param("a b", "a", "b", id="blank"),
        pytest.param("a\tb", "a", "b", id="tab"),
        pytest.param("a\fb", "a", "b", id="form feed"),
        pytest.param("a = b", "a", "b", id="blanks around the separator"),
        pytest.param("a == b", "a", "= b", id="only one separator vanishes"),
        pytest.param("a =:b", "a", ":b", id="second separator belongs to the value"),
        pytest.param(" \t\fa=b", "a", "b", id="leading blanks"),
        pytest.param("a=b \t", "a", "b \t", id="trailing blanks belong to the value"),
        pytest.param("a", "a", "", id="key alone"),
        pytest.param("=b", "", "b", id="no key"),
        pytest.param("a=b#c", "a", "b#c", id="no comment inside a line"),
        pytest.param(r"a\=\:\ b=c", "a=: b", "c", id="escaped separators in a key"),
        pytest.param(r"a=\t\n\r\f\q\\", "a", "\t\n\r\fq\\", id="escapes"),
        pytest.param(r"a=\u00e9", "a", "é", id="unicode escape"),
        pytest.param(r"a=\ud83d\ude00", "a", "\U0001f600", id="two escapes, one character"),
        pytest.param("a=b\\\n  c", "a", "bc", id="continuation without its leading blanks"),
        pytest.param("a=b\\\r\nc", "a", "bc", id="continuation over a line end of two characters"),
        pytest.param("a=b\\\n#c", "a", "b#c", id="a continuation is no comment"),
        pytest.param("a=b\\\n\nc", "a", "b", id="an empty line ends a continuation"),
        pytest.param("a=b\\", "a", "b", id="continuation at the end of the text"),
        pytest.param("a=b\\\\\nc=d", "a", "b\\", id="an escaped backslash continues nothing"),
    ],
)
def test_first_entry(text: str, key: str, value: str) -> None:
    """The first entry of a text has the key and the value that Java finds."""
    entry = parse_properties(text)[0]
    assert (key, value) == (entry.key, entry.value)


@pytest.mark.parametrize("text", ["", "\n \t\r\n\f", "# a=b", "  ! a=b", "#a \\", "\\"])
def test_no_entry(text: str) -> None:
    """Blank lines and comments are no entries."""
    assert () == parse_properties(text)


def test_a_comment_is_not_continued() -> None:
    """A backslash at the end of a comment means nothing."""
    assert (JavaProperty("a", "b", 2),) == parse_properties("# comment \\\na=b")


def test_lines_are_counted_over_comments_and_continuations() -> None:
    """An entry's line is the first of its physical lines."""
    actual = [entry.line for entry in parse_properties("# c\r\na=1\\\r\n2\r\n\r\nb=3\rc=4\n")]
    assert [2, 5, 6] == actual


def test_duplicates_are_kept() -> None:
    """Both entries of one key are there, in order; who reads them decides."""
    actual = [entry.value for entry in parse_properties("a=1\na=2")]
    assert ["1", "2"] == actual


@pytest.mark.parametrize("text", ["a=1\nb=\\u12", "a=1\nb=\\uzzzz", "a=1\n\\u=2"])
def test_a_broken_unicode_escape_is_refused(text: str) -> None:
    """Properties.load throws for it, so a broker would not start."""
    with pytest.raises(JavaPropertiesError) as caught:
        parse_properties(text)
    assert 2 == caught.value.line


@pytest.mark.parametrize(
    "data", ["name=é".encode(), "name=é".encode("iso-8859-1")], ids=["utf-8", "iso-8859-1"]
)
def test_both_encodings_are_text(data: bytes) -> None:
    """ISO-8859-1 is the format, UTF-8 what people write."""
    assert "name=é" == decode_properties(data)


@pytest.mark.parametrize("data", [b"a=1\nb=\x00", b"a=1\r\n\x1f\x8b\x08", b"\n\xff\xfea\x00=\x00"])
def test_binary_data_is_refused(data: bytes) -> None:
    """Control characters mean that the file is not text; the line tells where the first one is."""
    with pytest.raises(JavaPropertiesError, match="not a text file") as caught:
        decode_properties(data)
    assert 2 == caught.value.line
