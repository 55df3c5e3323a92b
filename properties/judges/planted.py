"""Mistakes in the judges: claims, premises, ghosts, faults, translation, prover, lowering.

The judges find a rule with a mistake. A mistake in a judge could make everything *proved*.
Therefore such mistakes are made on purpose, one at a time, in the text of a function as it is
imported; no file is changed. Some are named in ``planted.toml``; the others are made mechanically
in the functions that ``TARGETS`` lists.
"""

from __future__ import annotations

import ast
import builtins
import copy
import hashlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from attrs import evolve, field, frozen

from properties.checkout import ROOT

PLANTED_FILE = Path(__file__).parent / "planted.toml"

TARGETS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "claim": {
        "properties/worlds/replication/guarantees.py": (
            *("is_owed", "is_read", "is_on_some_slave"),
            *("acknowledged_is_kept_on_master", "acknowledged_is_kept_on_some_broker"),
            *("acknowledged_is_held_twice", "acknowledgement_is_truthful"),
            *("slave_is_prefix_of_master", "equal_offsets_mean_equal_bytes"),
            *("message_is_stored_once", "read_is_kept_on_master", "read_is_kept_on_some_broker"),
        ),
        "properties/worlds/replication/convergence.py": (
            *("slaves_reach_the_masters_end", "slaves_come_to_hold_everything"),
            *("dispatch_reaches_the_end", "flush_reaches_the_end", "puts_are_answered"),
        ),
        "properties/worlds/reading/guarantee.py": (
            *("no_message_is_skipped", "known_group_skips_no_message", "is_awaited", "is_passed"),
            *("stored_progress_covers_consumed_only", "is_pulled_in_vain"),
        ),
        "properties/worlds/delay/guarantee.py": (
            *("passed_message_was_delivered", "delivery_is_within_its_queue", "somebody_delivers"),
        ),
    },
    "premise": {
        "properties/worlds/replication/guarantees.py": (
            *("is_any_acknowledged", "is_any_read", "is_any_byte_shared", "is_any_byte_copied"),
        ),
    },
    "ghost": {
        "reference/worlds/replication/lineage.py": (
            *("is_in_lineage", "has_message", "has_first_bytes", "is_known_from"),
            *("is_prefix", "has_equal_bytes", "append_bytes", "copy_bytes"),
        ),
        "reference/worlds/replication/commit_log.py": ("mark_expired", "begin_log_at"),
        "reference/worlds/replication/replication.py": ("mark_received",),
        "reference/worlds/replication/dispatch.py": ("mark_readable",),
        "reference/worlds/replication/mapped_files.py": (
            "flush",
            "flush_all",
            "flush_without_effect",
        ),
        "reference/worlds/reading/queues.py": ("delete_below",),
        "reference/worlds/reading/rebalancing.py": ("begin_at",),
    },
    "environment": {
        "reference/worlds/replication/faults.py": (
            *("lose_tail", "kill_master", "kill_slave", "lose_master_power", "lose_slave_power"),
            *("lose_master_disk", "wipe_slave", "swallow_flush_error", "swallow_append_error"),
        ),
        "reference/worlds/replication/lifecycle.py": ("end_master", "end_slave", "begin_life"),
    },
    "translation": {"properties/z3/translation.py": ("_TRANSLATION", "remainder")},
    "simplification": {"reference/language/terms.py": ("_simplify", "_is_bound", "specialise")},
    "prover": {
        "properties/z3/induction.py": (
            "find_falsified",
            "_look",
            "run_houdini",
            "follows",
            "_holds_initially",
        ),
        "properties/z3/fault_sets.py": ("find_survived", "solver"),
        "properties/verdicts/certificates.py": ("_recheck_cell",),
    },
    "lowering": {
        "reference/language/operator_table.py": ("_ROWS",),
        "spark_fuzz/kernel/native/lowering.py": (
            *("_lower_fire", "_lower_step", "_lower_judge"),
            "_lower_judge_one",
        ),
    },
    "rest": {
        "properties/worlds/replication/convergence.py": (
            *("has_brokers", "is_of", "find_moving", "is_at_rest", "claim_at_rest"),
        ),
        "properties/language/healing.py": ("is_possible", "begin_step", "try_step"),
    },
}
"""Kind of mistake, file, and the functions or tables in which mistakes are made."""

PER_FUNCTION_MAX = 3
"""The maximal number of mistakes in one function; each takes seconds to judge."""

SWAPS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.LtE,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
NAMES = {
    "all_of": "any_of",
    "any_of": "all_of",
    "minimum": "maximum",
    "maximum": "minimum",
    "min": "max",
    "max": "min",
}
TEXTS = {" + ": " - ", " - ": " + ", "min(": "max(", "max(": "min(", " < ": " <= "}
TEXTS |= {" <= ": " < ", " == ": " <= ", " & ": " | ", " | ": " & ", " // ": " % ", " % ": " // "}
ATTRIBUTES = {
    "flushed_offset": "ghost_durable_offset",
    "ghost_durable_offset": "flushed_offset",
    "start_offset": "end_offset",
    "end_offset": "start_offset",
    "max_offset": "start_offset",
}


@frozen
class Planted:
    """One mistake: a file, and its text with the mistake."""

    name: str
    kind: str
    """A key of TARGETS."""
    file: str
    """The path from the root."""
    digest: str
    """The digest of the function or table without the mistake."""
    source: str = field(repr=False)
    """The whole file with the mistake."""


def compute_digest(text: str) -> str:
    """A short fingerprint of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def list_told() -> Iterator[Planted]:
    """The mistakes that ``planted.toml`` names. Raises ValueError for one without a place."""
    for entry in tomllib.loads(PLANTED_FILE.read_text())["planted"]:
        text = (ROOT / entry["file"]).read_text()
        if text.count(entry["old"]) != 1:
            raise ValueError(f"{entry['name']}: {entry['file']} does not have this text once")
        source = text.replace(entry["old"], entry["new"])
        digest = compute_digest(entry["old"] + entry["new"])
        yield Planted(entry["name"], entry["kind"], entry["file"], digest, source)


def list_derived() -> Iterator[Planted]:
    """The mistakes that are made mechanically: for each function a few, spread over it."""
    for kind, files in TARGETS.items():
        for file, names in files.items():
            for name in names:
                found = list(_find_places(file, name))
                apart = max(1, -(-len(found) // PER_FUNCTION_MAX))
                for place in found[::apart]:
                    named = f"{file} {name}: {place.what}"
                    yield Planted(named, kind, file, place.digest, _make_source(place))


def list_planted() -> list[Planted]:
    """Every mistake; a derived one that equals a named one only once."""
    counts: Counter[str] = Counter()
    named = []
    for planted in (*list_told(), *list_derived()):
        counts[planted.name] += 1
        ordinal = f" [{counts[planted.name]}]" if counts[planted.name] > 1 else ""
        named.append(evolve(planted, name=planted.name + ordinal))
    return named


@frozen
class MistakePlace:
    """A place for a mistake, and how to make it."""

    what: str
    """In words."""
    digest: str
    """The digest of the function or table without the mistake."""
    tree: ast.Module
    node: ast.AST
    """A node of the tree."""
    change: Change
    """Makes the mistake at that node."""


def _find_places(file: str, target: str) -> Iterator[MistakePlace]:
    """The mistakes that can be made in a function or table; each gives a text of its own."""
    tree = ast.parse((ROOT / file).read_text())
    bound = _find_bound(tree) | _find_read(tree)
    for node in ast.walk(tree):
        if _get_name(node) != target:
            continue
        undecorated = _leave_out_remarks(node)
        text = ast.unparse(undecorated)
        digest, seen = compute_digest(text), {text}
        for part in ast.walk(undecorated):
            for what, change in _list_changes(part):
                changed = _change_copy(undecorated, part, change)
                source = ast.unparse(changed)
                if source not in seen and _find_read(changed) <= bound:
                    seen.add(source)
                    yield MistakePlace(what, digest, tree, part, change)


def _leave_out_remarks(node: ast.AST) -> ast.AST:
    """The node without its decorators and docstring, on which no judge depends.

    It shares its parts with the node, so a change of one is a change of the other.
    """
    if not isinstance(node, ast.FunctionDef):
        return node
    alone = copy.copy(node)
    alone.decorator_list = []
    if ast.get_docstring(node) is not None:
        alone.body = node.body[1:]
    return alone


def _find_read(tree: ast.AST) -> set[str]:
    """The plain names that a file, or a part of it, reads."""
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}


def _find_bound(tree: ast.Module) -> set[str]:
    """The names that a file imports, and Python's own: any other name would only be an error."""
    imported = (n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom | ast.Import))
    return {alias.asname or alias.name for n in imported for alias in n.names} | set(dir(builtins))


def _get_name(node: ast.AST) -> str:
    """The name of a function, or of a table assigned at the top of a file."""
    if isinstance(node, ast.FunctionDef):
        return node.name
    target: Any = None
    if isinstance(node, ast.Assign):
        target = node.targets[0]
    if isinstance(node, ast.AnnAssign):
        target = node.target
    return target.id if isinstance(target, ast.Name) else ""


Change = Callable[[Any], None]


def _make_source(place: MistakePlace) -> str:
    """The file's text with the mistake."""
    return ast.unparse(_change_copy(place.tree, place.node, place.change))


def _change_copy(tree: ast.AST, node: ast.AST, change: Change) -> ast.AST:
    """A tree with one node changed; the tree itself stays as it is."""
    node.is_marked = True  # type: ignore[attr-defined]
    changed = copy.deepcopy(tree)
    del node.is_marked  # type: ignore[attr-defined]
    (marked,) = (n for n in ast.walk(changed) if hasattr(n, "is_marked"))
    change(marked)
    return changed


def _list_changes(node: ast.AST) -> Iterator[tuple[str, Change]]:
    """The mistakes that can be made at one node of a syntax tree."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        other = SWAPS[type(node.ops[0])]
        yield f"{type(node.ops[0]).__name__} as {other.__name__}", _set_operator(other)
    if isinstance(node, ast.BinOp) and type(node.op) in SWAPS:
        other = SWAPS[type(node.op)]
        yield f"{type(node.op).__name__} as {other.__name__}", _set_operator(other)
        if isinstance(node.op, ast.BitAnd | ast.BitOr):
            yield f"only {ast.unparse(node.left)[:50]}", _keep("left")
            yield f"only {ast.unparse(node.right)[:50]}", _keep("right")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield from _list_call_changes(node, node.func.id)
    if isinstance(node, ast.Attribute) and node.attr in ATTRIBUTES:
        name = ATTRIBUTES[node.attr]
        yield f"{node.attr} as {name}", lambda n: setattr(n, "attr", name)
    if isinstance(node, ast.Tuple) and len(node.elts) > 1:
        for index, element in enumerate(node.elts):
            if isinstance(element, ast.Constant) and type(element.value) in (str, int):
                yield f"without {element.value!r}", _pop("elts", index)
    yield from _list_flow_changes(node)
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield f"{node.value} as {node.value + 1}", lambda n: setattr(n, "value", n.value + 1)


def _list_flow_changes(node: ast.AST) -> Iterator[tuple[str, Change]]:
    """Mistakes of ordinary Python: in tests, in statements, in text."""
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        what = ast.unparse(node.test)[:50]
        yield f"if not ({what})", lambda n: setattr(n, "test", ast.UnaryOp(ast.Not(), n.test))
    if isinstance(node, ast.BoolOp):
        for index, value in enumerate(node.values):
            what = ast.unparse(value)[:50]
            yield f"without {what}", _pop("values", index)
    if isinstance(node, ast.comprehension) and node.ifs:
        what = ast.unparse(node.ifs[0])[:50]
        yield f"also where not {what}", _pop("ifs", 0)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        what = ast.unparse(node.value)[:50]
        yield f"without {what}", lambda n: _replace(n, ast.Pass())
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and "{}" in node.value:
        for old, new in TEXTS.items():
            if old in node.value:
                text = node.value.replace(old, new)
                yield f"{node.value} as {text}", _write(text)


def _list_call_changes(node: ast.Call, name: str) -> Iterator[tuple[str, Change]]:
    if name in NAMES:
        yield f"{name} as {NAMES[name]}", lambda n: setattr(n.func, "id", NAMES[name])
    if name in ("all_of", "any_of", "minimum", "maximum", "when") and len(node.args) > 1:
        for index, argument in enumerate(node.args):
            what = f"{name} without {ast.unparse(argument)[:50]}"
            yield what, _pop("args", index)
    if name == "when":
        for index, keyword in enumerate(node.keywords):
            yield f"without {keyword.arg}", _pop("keywords", index)
    if name == "evolve" and len(node.keywords) > 1:
        for index, keyword in enumerate(node.keywords):
            yield f"{keyword.arg} left as it is", _pop("keywords", index)
    if name == "negate":
        yield "not negated", _become(0)
    if name == "implies":
        yield "without its premise", _become(1)
    if name == "choose":
        yield "always the first", _become(1)
        yield "always the second", _become(2)


def _set_operator(other: type[Any]) -> Change:
    def change(node: Any) -> None:
        if isinstance(node, ast.Compare):
            node.ops[0] = other()
        else:
            node.op = other()

    return change


def _pop(place: str, index: int) -> Change:
    """One of several parts is left out."""

    def change(node: Any) -> None:
        getattr(node, place).pop(index)

    return change


def _write(text: str) -> Change:
    """A constant text is replaced by another one."""

    def change(node: Any) -> None:
        node.value = text

    return change


def _keep(side: str) -> Change:
    """A binary operation becomes one of its sides."""
    return lambda node: _replace(node, getattr(node, side))


def _become(index: int) -> Change:
    """A call becomes one of its arguments."""
    return lambda node: _replace(node, node.args[index])


def _replace(node: Any, other: Any) -> None:
    place = {name: vars(node)[name] for name in ("lineno", "col_offset") if name in vars(node)}
    node.__class__ = other.__class__
    node.__dict__ = place | dict(vars(other))


class PlantingFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from other text than its file has."""

    def __init__(self, planted: Planted) -> None:
        self.planted = planted
        self.module = name_module(planted.file)

    def find_spec(
        self, fullname: str, path: Any, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Only the changed module is loaded by this finder."""
        if fullname != self.module:
            return None
        place = str(ROOT / self.planted.file)
        return importlib.util.spec_from_file_location(fullname, place, loader=self)

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed text in place of the file's."""
        exec(compile(self.planted.source, str(ROOT / self.planted.file), "exec"), vars(module))


def plant(planted: Planted) -> None:
    """Make later imports of the module get the mistake.

    Raises ValueError if it is already imported.
    """
    check_is_fresh(planted.file)
    sys.meta_path.insert(0, PlantingFinder(planted))


def check_is_fresh(file: str) -> None:
    """Nothing, if a mistake can be planted in a file in this process. Raises ValueError if not."""
    module = name_module(file)
    if module in sys.modules:
        raise ValueError(f"{module} is imported already: plant in a fresh process")


def name_module(file: str) -> str:
    """The module that a file of the project is."""
    return file.removesuffix(".py").replace("/", ".")
