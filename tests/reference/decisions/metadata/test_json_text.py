"""Texts as fastjson writes and reads them."""

from __future__ import annotations

from typing import Any

import pytest

from reference.decisions.metadata.json_text import TextError, read, read_object, write


@pytest.mark.parametrize(
    ("value", "line", "pretty"),
    [
        ({}, "{}", "{\n\t\n}"),
        ({"t": {}}, '{"t":{}}', '{\n\t"t":{}\n}'),
        ({"t": {1: 5, 2: 2}}, '{"t":{1:5,2:2}}', '{\n\t"t":{1:5,2:2\n\t}\n}'),
        ({"a": None, "b": True}, '{"b":true}', '{\n\t"b":true\n}'),
        ({"t": {"x": {0: 1}}}, '{"t":{"x":{0:1}}}', '{\n\t"t":{\n\t\t"x":{0:1\n\t\t}\n\t}\n}'),
        ({"a": 'q"\\\n'}, '{"a":"q\\"\\\\\\n"}', '{\n\t"a":"q\\"\\\\\\n"\n}'),
    ],
)
def test_tables_are_written(value: Any, line: str, pretty: str) -> None:
    """In one line as an answer, with line breaks as a file; both are read again."""
    assert write(value, is_pretty=False) == line
    assert write(value, is_pretty=True) == pretty
    kept = {key: each for key, each in value.items() if each is not None}
    assert read(line) == read(pretty) == kept


@pytest.mark.parametrize("text", ["", " ", "\t\n", "null", " null ", "[]", '""'])
def test_nothing_without_an_error(text: str) -> None:
    """No object, and no exception."""
    assert read_object(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "garbage",
        '"x"',
        "5",
        "{",
        '{"a"',
        '{"a":',
        '{"a":1',
        '{"a":1}}',
        '{"a":1} x',
        "\0\0",
        "[1]",
        "[ ]",
    ],
)
def test_what_cannot_be_read_throws(text: str) -> None:
    """Also where an object stands before something else."""
    with pytest.raises(TextError):
        read_object(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            '{"a":[1,-2.5,true,false,null],"b":{3:"\\u0041\\n"}}',
            {"a": [1, -2.5, True, False, None], "b": {3: "A\n"}},
        ),
        (' { "a" : { } } ', {"a": {}}),
        ("[]", []),
    ],
)
def test_values_are_read(text: str, value: Any) -> None:
    """Of every kind."""
    assert read(text) == value


def test_every_cut_of_a_file_throws() -> None:
    """No beginning of a table's text is an object, and none but nothing is nothing."""
    text = write({"offsetTable": {"T@G": {0: 7, 1: 9}}}, is_pretty=True)
    for end in range(1, len(text)):
        with pytest.raises(TextError):
            read_object(text[:end])
