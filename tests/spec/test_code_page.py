"""The code in the chapters is that of the source, and each rule, claim and lemma has its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest

from book.function_source import list_called, read_source
from book.model.code_page import (
    CLAIM_SHELF,
    LEMMA_SHELF,
    TOPIC_SHELVES,
    Shelf,
    make_world_shelf,
    mark,
    write_code,
)
from properties.checkout import ROOT
from properties.worlds.catalogue import OTHER_WORLDS
from reference.language.variant import Variant
from reference.worlds.replication.changes import VARIANTS

SHELVES: dict[str, Shelf] = {
    **TOPIC_SHELVES,
    "guarantees": CLAIM_SHELF,
    "lemmas": LEMMA_SHELF,
    **{world.topic: make_world_shelf(world) for world in OTHER_WORLDS},
}
"""What each chapter shows the code of."""

NAMES = [(chapter, name) for chapter, shelf in SHELVES.items() for name in shelf.functions]

PART = re.compile(r"<!-- begin code: (\w+) -->\n(.*?)<!-- end code: \1 -->", re.DOTALL)

BLOCK = re.compile(
    r"(?:in \[(?P<file>[\w/.]+)\]\(\S+\):|^with:)\n\n```python\n(.*?)```", re.M | re.S
)
"""A block of code, and the file that the line above it names, if it names one."""


@cache
def read(chapter: str) -> str:
    """The text of a chapter."""
    return (ROOT / "spec" / f"{chapter}.md").read_text(encoding="utf-8")


@cache
def find_parts(chapter: str) -> dict[str, str]:
    """The parts of a chapter that show code, by their names."""
    return dict(PART.findall(read(chapter)))


def find_blocks(part: str) -> Iterator[tuple[str, str]]:
    """The blocks of a part, each with its file."""
    named = ""
    for block in BLOCK.finditer(part):
        named = block["file"] or named
        yield named, block[2]


@cache
def find_functions(file: str) -> dict[str, str]:
    """The lines of every function of a file with its decorators, by its name."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines(keepends=True)
    nodes = ast.parse("".join(lines)).body
    return {
        node.name: "".join(lines[get_first_line(node) - 1 : node.end_lineno])
        for node in nodes
        if isinstance(node, ast.FunctionDef)
    }


def find_other_forms(part: str) -> set[tuple[str, str]]:
    """The functions and rules that a part names as other ones in a variant, with that variant."""
    sentence = re.search(r"^Different in [\w, ]+: (.*)\.\n", part, re.M | re.S)
    told = " ".join(sentence[1].split()).split("; ") if sentence else []
    pairs = (each.split(" in ", 1) for each in told)
    return {(f.strip("`"), v) for f, links in pairs for v in re.findall(r"\[`(\w+)`\]", links)}


def has_other_form(variant: Variant, name: str, part: str) -> bool:
    """A variant overrides an overridable function that the part shows."""
    return name in variant.conditions and f"@overridable\ndef {name}(" in part


def get_first_line(node: ast.FunctionDef) -> int:
    """The line on which a function begins: that of its first decorator, if it has one."""
    return min((decorator.lineno for decorator in node.decorator_list), default=node.lineno)


def drop_docstring(source: str) -> str:
    """The source of a function without the statement that its body begins with, if that is text."""
    first = ast.parse(source).body[0].body[0]  # type: ignore[attr-defined]
    assert isinstance(first.value, ast.Constant)
    lines = source.splitlines(keepends=True)
    return "".join([*lines[: first.lineno - 1], *lines[first.end_lineno :]])


def split_functions(block: str) -> list[str]:
    """The functions of a block."""
    return [f"{source.rstrip()}\n" for source in block.split("\n\n\n")]


@pytest.mark.parametrize("chapter", SHELVES)
def test_everything_has_its_code_in_its_section(chapter: str) -> None:
    """Each rule, claim and lemma once, as the last thing before the next heading."""
    found = {}
    for heading in re.split(r"^#+ (?=`\w+`$)", read(chapter), flags=re.M)[1:]:
        section = re.split(r"^#", heading, maxsplit=1, flags=re.M)[0]
        end = re.search(
            r"<!-- end code: (\w+) -->\n+(?:<!-- end generated: \w+ -->\n+)?\Z", section
        )
        name = heading.partition("`\n")[0].strip("`")
        if name in SHELVES[chapter].functions:
            found[name] = end and end[1]
    assert {name: name for name in SHELVES[chapter].functions} == found
    assert len(found) == read(chapter).count("<!-- begin code: ")


@pytest.mark.parametrize(("chapter", "name"), NAMES)
def test_code_is_that_of_the_source(chapter: str, name: str) -> None:
    """The first function is the one of the heading without its docstring, all others are whole."""
    (file, first), *others = find_blocks(find_parts(chapter)[name])
    assert drop_docstring(find_functions(file)[name]) == first
    for file, block in others:
        for source in split_functions(block):
            called = re.search(r"^def (\w+)", source, re.M)
            assert called
            assert find_functions(file)[called[1]] == source


@pytest.mark.parametrize("chapter", SHELVES)
def test_everything_called_is_shown_or_named(chapter: str) -> None:
    """What a rule or property calls stands in its part, or is linked there."""
    for name, part in find_parts(chapter).items():
        for called in list_called(SHELVES[chapter].functions[name]):
            shown = f"def {called.__name__}("
            assert shown in part or f"[`{called.__name__}`](" in part, (name, called)


@pytest.mark.parametrize("chapter", SHELVES)
def test_a_function_stands_once_in_a_chapter(chapter: str) -> None:
    """Later sections point to it; no helper is printed again."""
    blocks = [b for part in find_parts(chapter).values() for b in find_blocks(part)]
    shown = [(file, source) for file, block in blocks for source in split_functions(block)]
    assert len(set(shown)) == len(shown)


@pytest.mark.parametrize("chapter", SHELVES)
def test_other_forms_of_what_is_shown_are_named(chapter: str) -> None:
    """Those of overridable functions, and of the rules of replication; no others.

    What only changes another variant is told with that one.
    """
    own = [variant for variant in VARIANTS.values() if not variant.on]
    for name, part in find_parts(chapter).items():
        shown = re.findall(r"^def (\w+)", part, re.M)
        of_functions = {(f, v.name) for f in shown for v in own if has_other_form(v, f, part)}
        changed = [v.name for v in own if name in (*v.rules, *v.removes)]
        of_rules = {(name, v) for v in changed if chapter in TOPIC_SHELVES}
        assert of_functions | of_rules == find_other_forms(part), name


def test_other_forms_of_a_step() -> None:
    """A step that is counted in 4.4.0 and not later, and a comparison that repairs change."""
    forms = find_other_forms(find_parts("put")["wait_one_second"])
    assert ("wait_one_second", "wait_until_deadline") in forms
    assert ("is_reported", "ack_above_transfer_start") in forms
    assert (
        "`wait_until_deadline`](../reference/worlds/replication/changes/"
        in find_parts("put")["wait_one_second"]
    )


def test_a_drift_is_noticed() -> None:
    """What stands between the marks is replaced; a mark of nobody is an error."""
    text = read("flush")
    spoilt = text.replace("is_store_open", "is_store_closed").replace("yield when", "return when")
    assert text != spoilt
    assert text == write_code(SHELVES["flush"], spoilt)
    with pytest.raises(KeyError):
        write_code(SHELVES["flush"], mark("flush_nothing"))


def test_only_the_docstring_of_a_function_is_left_out() -> None:
    """Comments, decorators and the docstrings of inner functions stay."""
    function = CLAIM_SHELF.functions["slaves_reach_the_masters_end"]
    whole = read_source(function)
    assert whole == read_source(function, has_docstring=False).replace(
        "-> bool:\n    end", f'-> bool:\n    """{function.__doc__}"""\n    end'
    )
    rule = TOPIC_SHELVES["flush"].functions["flush_master"]
    assert "    # ENABLED WHEN\n" in read_source(rule, has_docstring=False)
