"""The code of the toy world in ``spec/tutorial.md``, as in its two files.

``rmqspec docs --write spec/tutorial.md`` writes it anew. The examples between the code are run by
a test.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from properties.checkout import ROOT
from properties.generated_text import SPEC, Page

STATE = ROOT / "reference" / "worlds" / "toy.py"
CLAIMS = ROOT / "properties" / "worlds" / "toy.py"

PARTS = {
    "parameters": (STATE, ("TankFaults", "TankParameters")),
    "state": (STATE, ("Tank",)),
    "first rule": (STATE, ("turn_tap",)),
    "other rules": (STATE, ("fill", "leak")),
    "structure": (STATE, ("TANK_RULES", "TankStructure")),
    "guarantees": (
        CLAIMS,
        ("has_something", "tank_never_overflows", "level_is_never_negative", "tank_never_leaks"),
    ),
    "lemmas": (CLAIMS, ("level_is_in_range", "fault_counts_are_within_limits")),
    "world": (CLAIMS, ("ClaimedTank", "TOY")),
}
"""The file and the statements that each part shows."""


def render(path: Path, names: tuple[str, ...]) -> str:
    """Statements of a file as a block of code. Raises KeyError for a name that it does not have."""
    source = path.read_text(encoding="utf-8")
    found = dict(list_statements(source))
    code = "\n\n\n".join(found[name] for name in names)
    return f"\n```python\n# {path.relative_to(ROOT).as_posix()}\n{code}\n```\n"


def list_statements(source: str) -> Iterator[tuple[str, str]]:
    """The name and the text of every function, class and constant, decorators included."""
    lines = source.splitlines()
    for node in ast.parse(source).body:
        first = node.lineno
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            name = node.name
            first = min([first, *(d.lineno for d in node.decorator_list)])
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            name = ast.unparse(target)
        else:
            continue
        yield name, "\n".join(lines[first - 1 : node.end_lineno])


PAGE = Page(
    SPEC / "tutorial.md",
    {name: partial(render, path, names) for name, (path, names) in PARTS.items()},
)
"""The chapter."""
