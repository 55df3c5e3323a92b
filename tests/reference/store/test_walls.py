"""What the store may know."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "reference" / "store"


def list_imports(file: Path) -> set[str]:
    """Modules with their whole names."""
    nodes = list(ast.walk(ast.parse(file.read_text())))
    plain = {a.name for node in nodes if isinstance(node, ast.Import) for a in node.names}
    return plain | {n.module or "" for n in nodes if isinstance(n, ast.ImportFrom)}


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.py")), ids=lambda file: file.stem)
def test_the_store_knows_nothing_of_the_worlds(file: Path) -> None:
    """The standard library, attrs, the names of roles, and itself."""
    for name in list_imports(file):
        top = name.split(".")[0]
        assert (
            top in sys.stdlib_module_names
            or top == "attrs"
            or name in ("reference.store", "reference.roles")
            or name.startswith("reference.store.")
        )
