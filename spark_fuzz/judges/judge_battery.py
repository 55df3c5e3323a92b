"""Every check that can find a mistake in the judges, quickest first, also that of lowering."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from properties.judges.judge_checks import check_bytes, check_meaning, check_premises, check_proofs
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import follow_while_possible
from properties.schedules.known_schedules import load_known_schedules
from properties.verdicts.certificates import get_world_folder
from properties.worlds.catalogue import STRUCTURES
from reference.language.leaves import flatten
from reference.language.machine import compute_machine
from reference.language.terms import OPERATORS, evaluate
from spark_fuzz.kernel.lowering import EXPRESSIONS, Layout, lower

LOWERED_SCHEDULES = 40
"""Known schedules along which the lowered functions are run as plain Python."""


def check_lowering() -> str:
    """The lowered source, run as plain Python, does what the reference does."""
    for operator, (sorts, _) in OPERATORS.items():
        pools = [(False, True) if s.value == "boolean" else (-2, -1, 0, 1, 3) for s in sorts]
        for values in itertools.product(*pools):
            if operator in ("quotient", "remainder") and values[1] <= 0:
                continue
            lowered = eval(EXPRESSIONS[operator].format(*map(repr, values)))
            if lowered != evaluate(operator, *values):
                return f"{operator}{values} is lowered to something else"
    structure = STRUCTURES["SYNC_MASTER/ASYNC_FLUSH/1 slave"]
    return run_lowered(structure)


def run_lowered(structure: ClaimedStructure) -> str:
    """The first state of some known schedules in which the two readings differ, in a line."""
    layout, machine = Layout(structure), compute_machine(structure)
    functions: dict[str, Any] = {}
    exec(lower(structure), functions)
    names = [r.instance.name for r in layout.instances]
    sizes = structure.world.make_search_parameters(structure.world.everything)
    schedules = load_known_schedules(get_world_folder(structure))[:LOWERED_SCHEDULES]
    for schedule in schedules:
        before: Any = None
        for action, cluster in follow_while_possible(structure, sizes, schedule):
            values = flatten(cluster)
            state = [int(values[p]) for p in layout.state_paths]
            parameters = [int(values[p]) for p in layout.parameter_paths]
            if action is not None:
                index = names.index(action.instance)
                asked = layout.instances[index].arguments
                arguments = [action.arguments[name] for name, *_ in asked]
                functions["fire"](before, parameters, index, arguments)
                if [int(v) for v in before] != state:
                    return f"{action} is lowered to something else"
            row = [0] * (len(names) + 1)
            count = functions["find_enabled"](state, parameters, row)
            enabled = [e.instance.name for e in machine.enabled(cluster)]
            if [names[i] for i in row[:count]] != enabled:
                return f"other steps are enabled after {action}"
            if told := _compare_judgement(functions, layout, cluster, state, parameters):
                return told
            before = state
    return ""


def _compare_judgement(
    functions: Mapping[str, Any],
    layout: Layout,
    cluster: Any,
    state: list[int],
    parameters: list[int],
) -> str:
    claims = layout.structure.world.claims
    for function, judged in (
        ("judge", layout.guarantees),
        ("judge_rest", layout.claims_about_rest),
    ):
        word = functions[function](state, parameters)
        for bit, name in enumerate(judged):
            if bool(word >> bit & 1) is bool(claims[name].predicate(cluster)):
                return f"{name} is judged otherwise by the lowered function"
    return ""


CHECKS: Mapping[str, Callable[[], str]] = {
    "meaning": check_meaning,
    "lowering": check_lowering,
    "bytes": check_bytes,
    "premises": check_premises,
    "proofs": check_proofs,
}
"""The checks by name; each returns its finding as one line, or an empty text."""
