"""Every check that could notice a mistake in what judges, quickest first.

None of them compares a digest or a stored text: each asks whether the judges mean what they should.
``python -m spark_fuzz.planted_run`` plants mistakes one at a time and asks these checks.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs
from attrs import evolve

from properties.byte_observer import compare_along
from properties.certificates import get_path, get_world_folder, recheck
from properties.claims import CLAIMS
from properties.expectation import find_expectation
from properties.foundations import UnsoundFoundationError, check_foundations
from properties.harvest import load_known_schedules
from properties.healing import get_healing
from properties.induction import prove_lemmas
from properties.judgement import follow_while_possible
from properties.premise_check import find_wrong_premises
from properties.ranking import rank_steps
from properties.subject import (
    get_claims,
    get_everything,
    get_search_parameters,
    get_small_parameters,
)
from properties.vacuity import find_unwitnessed, load_open_questions
from properties.verdict import InternalDisagreementError
from properties.worlds import STRUCTURES
from reference.leaves import flatten
from reference.machine import Action, compute_machine
from reference.state import Cluster, initial_cluster
from reference.structure import SMALL_PARAMETERS, FaultCounts, Structure
from reference.terms import OPERATORS, evaluate
from spark_fuzz.lowering import _EXPRESSIONS, Layout, lower

PROVED_STRUCTURES = (
    "SYNC_MASTER/SYNC_FLUSH/1 slave",
    "SYNC_MASTER/ASYNC_FLUSH/1 slave",
    "ASYNC_MASTER/ASYNC_FLUSH/0 slaves",
    "SYNC_MASTER/ASYNC_FLUSH/0 slaves",
    "consumer/slave read/offset check",
    "tables/topics/4.4.0",
    "delay/4.4.0",
)
"""One of each kind: what a mistake spoils, it spoils in one of these."""

WALKS, WALK_STEPS = 40, 100
"""Random walks of the observer in each of its groups, and the steps of each."""

LOWERED_SCHEDULES = 40
"""Known schedules along which the lowered functions are run as plain Python."""


def check_meaning() -> str:
    """Simplification, translation, remainders."""
    try:
        check_foundations()
    except UnsoundFoundationError as problem:
        return str(problem)
    return ""


def check_bytes() -> str:
    """Ghosts, claims and power losses of the log, held against bytes."""
    claims = {name: claim.predicate for name, claim in CLAIMS.items()}
    for slaves in (1, 2, 0):
        structure = STRUCTURES["SYNC_MASTER/SYNC_FLUSH/1 slave"]
        structure = evolve(structure, slaves=slaves)
        machine = compute_machine(structure)
        for way in list_ways(structure):
            if told := compare_along(machine, claims, way):
                return told
    return ""


def list_ways(structure: Structure) -> Iterator[Iterator[tuple[Action | None, Cluster]]]:
    """Known schedules as far as they are possible in this group, then seeded random walks."""
    sizes = get_search_parameters(structure, get_everything(structure))
    for schedule in load_known_schedules():
        yield follow_while_possible(structure, sizes, schedule)
    for number in range(WALKS):
        yield walk(structure, random.Random(f"bytes/{structure.name}/{number}"))


def walk(structure: Structure, chance: random.Random) -> Iterator[tuple[Action | None, Cluster]]:
    """A random walk, faults being rare; each step with the state after it."""
    counts = (chance.randint(0, 3) for _ in attrs.fields(FaultCounts))
    machine = compute_machine(structure)
    cluster = initial_cluster(structure, evolve(SMALL_PARAMETERS, limits=FaultCounts(*counts)))
    yield None, cluster
    for _ in range(WALK_STEPS):
        enabled = machine.enabled(cluster)
        kept = [e for e in enabled if not e.instance.rule.is_fault or chance.random() < 0.1]
        if not kept:
            return
        picked = chance.choice(kept)
        arguments = {r.name: chance.randint(r.low, r.high) for r in picked.ranges}
        action = Action(picked.instance.name, arguments)
        cluster = machine.step(cluster, action).cluster
        yield action, cluster


def check_lowering() -> str:
    """The lowered source, run as plain Python, does what the reference does."""
    for operator, (sorts, _) in OPERATORS.items():
        pools = [(False, True) if s.value == "boolean" else (-2, -1, 0, 1, 3) for s in sorts]
        for values in itertools.product(*pools):
            if operator in ("quotient", "remainder") and values[1] <= 0:
                continue
            lowered = eval(_EXPRESSIONS[operator].format(*map(repr, values)))
            if lowered != evaluate(operator, *values):
                return f"{operator}{values} is lowered to something else"
    structure = STRUCTURES["SYNC_MASTER/ASYNC_FLUSH/1 slave"]
    return run_lowered(structure)


def run_lowered(structure: Any) -> str:
    """The first state of some known schedules in which the two readings differ, in a line."""
    layout, machine = Layout(structure), compute_machine(structure)
    functions: dict[str, Any] = {}
    exec(lower(structure), functions)
    names = [r.instance.name for r in layout.instances]
    sizes = get_search_parameters(structure, get_everything(structure))
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
    claims = get_claims(layout.structure)
    for function, judged in (
        ("judge", layout.guarantees),
        ("judge_rest", layout.claims_about_rest),
    ):
        word = functions[function](state, parameters)
        for bit, name in enumerate(judged):
            if bool(word >> bit & 1) is bool(claims[name].predicate(cluster)):
                return f"{name} is judged otherwise by the lowered function"
    return ""


def check_proofs() -> str:
    """What `rmqspec prove` asks: certificates, expectations, witnesses, how rest is reached."""
    for name in PROVED_STRUCTURES:
        structure = STRUCTURES[name]
        document = read_certificate(structure)
        try:
            cells = recheck(structure, get_small_parameters(structure), document)
            missing = set(find_unwitnessed(structure)) - set(load_open_questions(structure))
        except InternalDisagreementError as problem:
            return str(problem)
        for cell in cells:
            expected = find_expectation(cell.guarantee, structure, cell.fault)
            if cell.word is not expected.verdict:
                return f"{cell.guarantee} of {name} under {cell.fault} is {cell.word.value}"
        if missing:
            return f"{name}: nothing shows that {min(missing)} is reachable"
        healing = get_healing(structure)
        steps = rank_steps(structure, prove_lemmas(structure)) if healing else ()
        endless = {s.instance.partition("[")[0] for s in steps if not s.is_smaller}
        if healing and endless != set(healing.endless):
            return f"{name}: {min(endless ^ set(healing.endless))} does not end as expected"
    return ""


def read_certificate(structure: Any) -> dict[str, Any]:
    """The stored certificate whatever its digest: as if it were made anew from what is judged."""
    document: dict[str, Any] = json.loads(get_path(structure).read_text())
    return document


def check_premises() -> str:
    """Premises are met where their claims say something."""
    for name in PROVED_STRUCTURES:
        structure = STRUCTURES[name]
        sizes = get_search_parameters(structure, get_everything(structure))
        states = [
            state
            for schedule in load_known_schedules(get_world_folder(structure))
            for _, state in follow_while_possible(structure, sizes, schedule)
        ]
        for told in find_wrong_premises(structure, prove_lemmas(structure), states):
            return told
    return ""


CHECKS: Mapping[str, Callable[[], str]] = {
    "meaning": check_meaning,
    "lowering": check_lowering,
    "bytes": check_bytes,
    "premises": check_premises,
    "proofs": check_proofs,
}
"""By name; each says in a line what it found, and nothing where all is well."""
