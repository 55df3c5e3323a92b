"""The lines of a module: comments, definitions, lists behind bullets, LETs, tuples of names."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping

from properties.tla.layout import WIDTH, render, write
from properties.tla.nodes import Call, Name, Node, Number
from properties.tla.reading import find_names

RULER = "-" * WIDTH
STEP = 4
"""How far a definition's text is indented."""


def clean(sentence: str) -> str:
    """A sentence without the marks of code in documentation."""
    return sentence.replace("``", "")


def write_range(low: Node, high: Node) -> str:
    """From the lowest to the highest."""
    ends = (
        write(end) if isinstance(end, (Name, Number, Call)) else f"({write(end)})"
        for end in (low, high)
    )
    return "..".join(ends)


def comment(*sentences: str) -> Iterator[str]:
    """Sentences above what they are about."""
    for sentence in sentences:
        if sentence:
            yield from (f"\\* {line}" for line in textwrap.wrap(clean(sentence), WIDTH - 3))


def section(title: str) -> Iterator[str]:
    """A ruler and a title."""
    yield from (RULER, f"\\* {title}.", "")


def head_of(name: str, parameters: Iterable[str]) -> str:
    """The left side of a definition."""
    inside = ", ".join(parameters)
    return f"{name}({inside}) ==" if inside else f"{name} =="


def define(name: str, parameters: Iterable[str], node: Node) -> Iterator[str]:
    """A definition, on one line where it fits."""
    head = head_of(name, parameters)
    if len(head) + 1 + len(write(node)) <= WIDTH:
        yield f"{head} {write(node)}"
    else:
        yield head
        yield from indent(render(node, STEP).split("\n"))
    yield ""


def write_tuple(head: str, names: Iterable[str], column: int) -> list[str]:
    """Names in a tuple, on as many lines as they need."""
    inner = column + len(head) + 2
    lines = textwrap.wrap(", ".join(names), WIDTH - inner - 2)
    first, *rest = [*lines[:-1], f"{lines[-1]}>>"]
    return [f"{head}<<{first}", *(" " * inner + line for line in rest)]


def mentions(node: Node, names: set[str], places: Mapping[str, Node]) -> bool:
    """A place is made of one of these names, directly or by way of another place."""
    used = find_names(node)
    others = (places[name] for name in used & places.keys())
    return bool(used & names) or any(mentions(other, names, places) for other in others)


def let(
    places: list[tuple[str, Node]], column: int, write_body: Callable[[int], list[str]]
) -> list[str]:
    """Lines behind a LET, if there is anything to name."""
    if not places:
        return write_body(column)
    lines: list[str] = []
    for name, node in places:
        head = f"{name} == "
        first, *rest = render(node, column + STEP + len(head)).split("\n")
        lines += [" " * (column + STEP) + head + first if lines else f"LET {head}{first}", *rest]
    first, *rest = write_body(column + STEP)
    return [*lines, f"{' ' * column}IN  {first}", *rest]


def conjunction(items: list[list[str]], column: int) -> list[str]:
    """The items behind bullets, or the only one."""
    return junction(items, column) if items[1:] else items[0]


def junction(items: Iterable[list[str]], column: int) -> list[str]:
    """A conjunction: items below one another, behind bullets; the first line is not indented."""
    lines: list[str] = []
    for first, *rest in items:
        bullet = " " * column if lines else ""
        lines += [f"{bullet}/\\ {first}", *rest]
    return lines


def indent(lines: list[str], column: int = STEP) -> list[str]:
    """The lines, the first one indented like the others."""
    return [" " * column + lines[0], *lines[1:]]
