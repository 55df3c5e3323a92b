"""Source with one mistake: the places in a function where one can be made, and the altered tree.

Only Python's own library is imported here: a mistake may be made in any other module before that is
imported.
"""

from __future__ import annotations

import ast
import builtins
import copy
import hashlib
from collections.abc import Iterable, Iterator, Set
from typing import Any, TypeVar

from attrs import frozen

from properties.mutants.alterations import Change, Mutation

Tree = TypeVar("Tree", bound=ast.AST)


@frozen(eq=False)
class SourceMistake:
    """A place in a syntax tree, and the mistake that is made there."""

    words: str
    node: Any
    change: Change

    def make_in(self, tree: Tree) -> Tree:
        """A copy of a tree that has the node, with the mistake; the tree itself stays as it is."""
        self.node.is_marked = True
        changed = copy.deepcopy(tree)
        del self.node.is_marked
        (marked,) = (n for n in ast.walk(changed) if hasattr(n, "is_marked"))
        self.change(marked)
        return changed


def compute_digest(text: str) -> str:
    """A short fingerprint of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def find_read(tree: ast.AST) -> set[str]:
    """The plain names that a file, or a part of it, reads."""
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}


def find_known(tree: ast.Module) -> set[str]:
    """The names that mean something in a file: any other one would only be an error."""
    imported = (n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom | ast.Import))
    bound = {alias.asname or alias.name for n in imported for alias in n.names}
    return bound | set(dir(builtins)) | find_read(tree)


def leave_out_remarks(node: Tree) -> Tree:
    """The node without its decorators and docstring, which no mistake is made in.

    It shares its parts with the node, so a change of one is a change of the other.
    """
    if not isinstance(node, ast.FunctionDef):
        return node
    alone = copy.copy(node)
    alone.decorator_list = []
    if ast.get_docstring(node) is not None:
        alone.body = node.body[1:]
    return alone


def list_mistakes(
    part: ast.AST, roots: Iterable[ast.AST], mutation: Mutation, known: Set[str]
) -> Iterator[SourceMistake]:
    """The mistakes that can be made below some roots in a part of a file.

    Each gives a text of its own, which reads no name but the ``known`` ones.
    """
    seen = {ast.unparse(part)}
    for node in (n for root in roots for n in ast.walk(root)):
        for words, change in mutation.list_alterations(node):
            mistake = SourceMistake(words, node, change)
            changed = mistake.make_in(part)
            text = ast.unparse(changed)
            if text not in seen and find_read(changed) <= known:
                seen.add(text)
                yield mistake
