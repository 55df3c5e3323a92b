"""Every check that can find a mistake in the judges, quickest first, also that of lowering."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Mapping

from properties.judges.judge_checks import check_bytes, check_meaning, check_premises, check_proofs
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import follow_while_possible, judge
from properties.schedules.known_schedules import load_known_schedules
from properties.verdicts.certificates import get_world_folder
from properties.worlds.catalogue import STRUCTURES
from reference.language.leaves import flatten, is_parameter
from reference.language.machine import compute_machine
from reference.language.operator_table import OPERATORS, Sort
from reference.language.terms import evaluate
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.kernel.agreement import describe_replay, describe_row
from spark_fuzz.kernel.kernel import compile_kernel
from spark_fuzz.kernel.native.compiler import fill_in, load_library

LOWERED_SCHEDULES = 40
"""Known schedules along which the compiled functions are compared with the reference."""

WALKED_SCHEDULES = 40
"""Random schedules that are walked in lockstep and replayed in the reference."""

PAIR = STRUCTURES["SYNC_MASTER/ASYNC_FLUSH/1 slave"]


def check_lowering() -> str:
    """The lowered terms, compiled, do what the reference does."""
    return compare_operators() or compare_functions(PAIR) or compare_walks(PAIR)


def compare_operators() -> str:
    """Each operator on small numbers, in a C function of its own."""
    lines = []
    for operator, row in OPERATORS.items():
        names = [f"a{i}" for i in range(len(row.sorts))]
        head = ", ".join(f"number {name}" for name in names)
        lines.append(f"number of_{operator}({head}) {{ return {row.c.format(*names)}; }}")
    library = load_library(fill_in("operators.c", {}, "\n".join(lines)), "operators")
    for operator, row in OPERATORS.items():
        function = getattr(library, f"of_{operator}")
        function.restype, function.argtypes = ctypes.c_int64, [ctypes.c_int64] * len(row.sorts)
        pools = [(False, True) if s is Sort.BOOLEAN else (-2, -1, 0, 1, 3) for s in row.sorts]
        for values in itertools.product(*pools):
            if operator in ("quotient", "remainder") and values[1] <= 0:
                continue
            if function(*map(int, values)) != evaluate(operator, *values):
                return f"{operator}{values} is lowered to something else"
    return ""


def compare_functions(structure: ClaimedStructure) -> str:
    """The first state of some known schedules in which the two readings differ, in a line."""
    kernel, machine = compile_kernel(structure), compute_machine(structure)
    sizes = structure.world.make_search_parameters(structure.world.everything)
    for schedule in load_known_schedules(get_world_folder(structure))[:LOWERED_SCHEDULES]:
        before = structure.make_initial(sizes)
        for action, cluster in follow_while_possible(structure, sizes, schedule):
            if action is not None:
                leaves = flatten(cluster).items()
                state = {path: int(v) for path, v in leaves if not is_parameter(path)}
                if kernel.fire(before, action) != state:
                    return f"{action} is lowered to something else"
            enabled = [e.instance.name for e in machine.enabled(cluster)]
            if kernel.find_enabled(cluster) != enabled:
                return f"other steps are enabled after {action}"
            if kernel.judge(cluster) != judge(cluster):
                return f"other guarantees are violated after {action}"
            before = cluster
    return ""


def compare_walks(structure: ClaimedStructure) -> str:
    """The first of some random schedules about which walk and reference differ, in a line."""
    options = CampaignOptions(structure, steps=48, campaign_seed=11, healing_steps=200)
    kernel = compile_kernel(structure)
    batch = kernel.run(options, 0, WALKED_SCHEDULES)
    for number in range(WALKED_SCHEDULES):
        if describe_row(kernel, batch, number) != describe_replay(options, number):
            return f"schedule {number} is walked otherwise than it is replayed"
    return ""


CHECKS: Mapping[str, Callable[[], str]] = {
    "meaning": check_meaning,
    "lowering": check_lowering,
    "bytes": check_bytes,
    "premises": check_premises,
    "proofs": check_proofs,
}
"""The checks by name; each returns its finding as one line, or an empty text."""
