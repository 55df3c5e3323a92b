"""Mistakes in the judges: claims, premises, ghosts, faults, translation, prover, lowering.

The judges find a rule with a mistake. A mistake in a judge could make everything *proved*.
Therefore such mistakes are made on purpose, one at a time, in the text of a function as it is
imported; no file is changed. Some are named in ``planted.toml``; the others are made mechanically
in the functions that ``TARGETS`` lists.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from attrs import evolve, field, frozen

from properties.checkout import ROOT
from properties.mutants import alterations
from properties.mutants.alterations import Mutation
from properties.mutants.source import compute_digest, find_known, leave_out_remarks, list_mistakes

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

TEXTS = {" + ": " - ", " - ": " + ", "min(": "max(", "max(": "min(", " < ": " <= "}
TEXTS |= {" <= ": " < ", " == ": " <= ", " & ": " | ", " | ": " & ", " // ": " % ", " % ": " // "}
ATTRIBUTES = alterations.swap_pairs(
    ("flushed_offset", "ghost_durable_offset"), ("start_offset", "end_offset")
) | {"max_offset": "start_offset"}


def _get_argument(index: int) -> Callable[[ast.Call], ast.expr]:
    return lambda call: call.args[index]


REWRITTEN_CALLS = {
    "negate": {"not negated": _get_argument(0)},
    "implies": {"without its premise": _get_argument(1)},
    "choose": {"always the first": _get_argument(1), "always the second": _get_argument(2)},
}
COMPARISONS = {**alterations.COMPARISONS, ast.Eq: ast.LtE}
CALLS = alterations.CALLS | alterations.swap_pairs(("minimum", "maximum"))
MUTATION = Mutation(
    (
        (ast.Compare, partial(alterations.swap_comparisons, swaps=COMPARISONS)),
        (ast.BinOp, alterations.swap_operators),
        (ast.BinOp, alterations.keep_sides),
        (ast.Call, partial(alterations.swap_calls, calls=CALLS)),
        (ast.Call, alterations.omit_arguments),
        (ast.Call, partial(alterations.rewrite_calls, changes=REWRITTEN_CALLS)),
        (ast.Attribute, partial(alterations.rename_attributes, names=ATTRIBUTES)),
        (ast.Tuple, alterations.omit_constants),
        (ast.If | ast.IfExp | ast.While, alterations.negate_tests),
        (ast.BoolOp, alterations.omit_operands),
        (ast.comprehension, alterations.omit_filters),
        (ast.Expr, alterations.omit_statements),
        (ast.Constant, partial(alterations.rewrite_texts, texts=TEXTS)),
        (ast.Constant, partial(alterations.shift_integers, differences=(1,))),
    ),
    swapped="{} as {}",
)
"""The mistakes that are made mechanically in the judges."""


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


def list_told() -> Iterator[Planted]:
    """The mistakes that ``planted.toml`` names. Raises ValueError for one without a place."""
    for entry in tomllib.loads(PLANTED_FILE.read_text())["planted"]:
        yield make_planted(entry, entry["kind"])


def make_planted(entry: Mapping[str, str], kind: str) -> Planted:
    """The mistake that a table names by its texts. Raises ValueError if it has no place."""
    text = (ROOT / entry["file"]).read_text(encoding="utf-8")
    if text.count(entry["old"]) != 1:
        raise ValueError(f"{entry['name']}: {entry['file']} does not have this text once")
    source = text.replace(entry["old"], entry["new"])
    digest = compute_digest(entry["old"] + entry["new"])
    return Planted(entry["name"], kind, entry["file"], digest, source)


def list_derived() -> Iterator[Planted]:
    """The mistakes that are made mechanically: for each function a few, spread over it."""
    for kind, files in TARGETS.items():
        for file, names in files.items():
            tree = ast.parse((ROOT / file).read_text())
            known = find_known(tree)
            for name in names:
                parts = (leave_out_remarks(n) for n in ast.walk(tree) if _get_name(n) == name)
                found = [
                    (compute_digest(ast.unparse(part)), mistake)
                    for part in parts
                    for mistake in list_mistakes(part, [part], MUTATION, known)
                ]
                apart = max(1, -(-len(found) // PER_FUNCTION_MAX))
                for digest, mistake in found[::apart]:
                    source = ast.unparse(mistake.make_in(tree))
                    yield Planted(f"{file} {name}: {mistake.words}", kind, file, digest, source)


def list_planted() -> list[Planted]:
    """Every mistake; a derived one that equals a named one only once."""
    counts: Counter[str] = Counter()
    named = []
    for planted in (*list_told(), *list_derived()):
        counts[planted.name] += 1
        ordinal = f" [{counts[planted.name]}]" if counts[planted.name] > 1 else ""
        named.append(evolve(planted, name=planted.name + ordinal))
    return named


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
