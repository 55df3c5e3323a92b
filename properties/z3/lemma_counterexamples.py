"""For each lemma the counterexample to induction that demands it: a state and a step, as data.

In such a state every other lemma and every sanity check holds, and this lemma does not. Either an
otherwise proved guarantee fails there, or one step leads to a state in which another lemma, a
sanity check or a guarantee fails. No run reaches the state, and only this lemma excludes it.
The reference alone checks them. ``python -m properties.z3.lemma_counterexamples`` keeps those that
stand under the rules of today and finds the others anew; with ``--search``, all.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import z3
from attrs import evolve, frozen

from properties.language.fault_model import FaultModel, get_fault_count_name
from properties.language.property import Property, PropertyRole
from properties.language.world import ClaimedStructure, World
from properties.verdicts.certificates import CERTIFICATE_FOLDER, load_cells
from properties.verdicts.fingerprint import compute_fingerprint
from properties.verdicts.storage.certificate_files import write_whole
from properties.verdicts.verdict import InternalDisagreementError, VerdictWord
from properties.worlds.catalogue import STRUCTURES, Tag, list_tagged
from properties.z3.induction import (
    InductionProblem,
    InductionStep,
    make_solver,
)
from properties.z3.smallest_model import (
    FAULT_PREFIX,
    find_smallest_model,
    make_small_problem,
)
from reference.language.leaves import flatten, unflatten
from reference.language.machine import Action, compute_machine

COUNTEREXAMPLE_FILE = CERTIFICATE_FOLDER / "counterexamples.json"


@frozen
class LemmaCounterexample:
    """A failure that becomes possible when one lemma is left out."""

    lemma: str
    structure: ClaimedStructure
    before: Mapping[str, int | bool]
    """The leaves that differ from the initial state, with their values."""
    action: Action | None
    """The step that breaks a property; None if one is already broken."""
    breaks: tuple[str, ...]
    """The properties that fail in the end: otherwise proved guarantees, lemmas, sanity checks."""
    fault_model: FaultModel
    """The weakest fault model that has the state's faults and the step."""

    @property
    def kind(self) -> str:
        """``step``, or ``state`` if no step is needed."""
        return "state" if self.action is None else "step"

    def make_state(self) -> Any:
        """The state before, in a log of a few bytes."""
        initial = self.structure.make_initial(
            self.structure.world.make_search_parameters(self.fault_model)
        )
        return unflatten(self.structure, {**flatten(initial), **self.before})

    def make_end(self) -> Any:
        """The state in which a property fails; the state before if the step is refused."""
        before = self.make_state()
        if self.action is None:
            return before
        return compute_machine(self.structure).step(before, self.action).cluster

    def compute_size(self) -> tuple[bool, int, int]:
        """A measure of how hard it is to read: a step, many leaves, high numbers."""
        return self.action is not None, len(self.before), sum(map(int, self.before.values()))


def get_held(structure: ClaimedStructure) -> dict[str, Property]:
    """The sanity checks and lemmas that hold whatever the variant, of a structure's world."""
    return structure.world.get_lemmas(structure.world.structures[0])


def list_lemmas() -> tuple[str, ...]:
    """The lemmas of the examined structures, by name and in order."""
    first, *_ = list_tagged(Tag.EXAMINED)
    return tuple(n for n, p in get_held(first).items() if p.role is PropertyRole.LEMMA)


def find_objections(entry: LemmaCounterexample) -> list[str]:
    """The reference's objections to a counterexample; empty for a good one.

    No solver is used. The certificates show that a guarantee is proved with all lemmas.
    """
    before, end = entry.make_state(), entry.make_end()
    candidates = entry.structure.world.get_candidates(entry.structure)
    objections = [
        f"{name} {'holds' if name == entry.lemma else 'fails'} before"
        for name, p in get_held(entry.structure).items()
        if bool(p.predicate(before)) is (name == entry.lemma)
    ]
    if entry.action is not None:
        outcome = compute_machine(entry.structure).step(before, entry.action)
        objections += [f"{entry.action} is refused: {name}" for name in outcome.failed]
    for name in entry.breaks:
        predicate = candidates[name].predicate
        if predicate(end):
            objections.append(f"{name} holds in the end")
        if entry.action is not None and not predicate(before):
            objections.append(f"{name} fails before the step")
    return objections if entry.breaks else ["nothing breaks", *objections]


def find_counterexamples(
    structure: ClaimedStructure,
    on_progress: Callable[[str], None] = lambda text: None,
    lemmas: Iterable[str] | None = None,
) -> dict[str, LemmaCounterexample]:
    """The smallest counterexample of each of these lemmas that this structure needs.

    Raises SolverGaveUpError.
    """
    found = {}
    for lemma in list_lemmas() if lemmas is None else lemmas:
        on_progress(f"{structure.name}: {lemma}")
        entries = list(_find_states(structure, lemma)) or list(_find_steps(structure, lemma))
        if entries:
            found[lemma] = min(entries, key=LemmaCounterexample.compute_size)
    return found


def _find_states(structure: ClaimedStructure, lemma: str) -> Iterator[LemmaCounterexample]:
    """A state without the lemma in which a guarantee fails, under the weakest such fault model."""
    for fault_model in structure.world.fault_models:
        proved = _find_proved(structure, fault_model)
        problem = make_small_problem(structure, fault_model)
        if not proved:
            continue
        broken = z3.Or([z3.Not(problem.now(problem.predicates[g])) for g in proved])
        question = z3.And(_assume_all_but(problem, lemma), broken)
        model = find_smallest_model(problem, make_solver(), question, {})
        if model is not None:
            yield _make_entry(structure, lemma, model, None, proved)
            return


def _find_steps(structure: ClaimedStructure, lemma: str) -> Iterator[LemmaCounterexample]:
    """For each rule a state without the lemma, from which it breaks another one."""
    problem, steps = _make_steps(structure)
    others = [name for name in get_held(structure) if name != lemma]
    for step in steps:
        relevant = [n for n in others if n in step.touched]
        broken = z3.Or([z3.Not(step.after(problem.predicates[n])) for n in relevant])
        question = z3.And(_assume_all_but(problem, lemma), broken)
        model = find_smallest_model(problem, step.solver, question, step.arguments)
        if model is not None:
            arguments = {
                name: int(model.pop(f"argument.{name}")) for name, *_ in step.recorded.arguments
            }
            action = Action(step.recorded.instance.name, arguments)
            yield _make_entry(structure, lemma, model, action, others)


def _assume_all_but(problem: InductionProblem, lemma: str) -> Any:
    """Every lemma and sanity check holds, this one lemma does not."""
    claims = {name: problem.now(problem.predicates[name]) for name in get_held(problem.structure)}
    return z3.And(z3.Not(claims.pop(lemma)), *claims.values())


def _make_entry(
    structure: ClaimedStructure,
    lemma: str,
    values: Mapping[str, int | bool],
    action: Action | None,
    breakable: list[str],
) -> LemmaCounterexample:
    world = structure.world
    initial = flatten(structure.make_initial(world.make_search_parameters(world.everything)))
    before = {path: v for path, v in values.items() if v != initial[path]}
    fault_model = _find_weakest_fault_model(structure, before, action)
    entry = LemmaCounterexample(lemma, structure, before, action, (), fault_model)
    end = entry.make_end()
    candidates = structure.world.get_candidates(structure)
    breaks = tuple(n for n in breakable if not candidates[n].predicate(end))
    return evolve(entry, breaks=breaks)


def _find_weakest_fault_model(
    structure: ClaimedStructure, before: Mapping[str, int | bool], action: Action | None
) -> FaultModel:
    """The first fault model that admits the faults so far and the step."""
    struck = {p.removeprefix(FAULT_PREFIX) for p in before if p.startswith(FAULT_PREFIX)}
    if action is not None:
        _, steps = _make_steps(structure)
        recorded = next(s.recorded for s in steps if s.recorded.instance.name == action.instance)
        struck |= {name for name in [get_fault_count_name(recorded)] if name is not None}
    fault_models = (*structure.world.fault_models, structure.world.everything)
    return next(c for c in fault_models if struck <= set(c.admitted))


@cache
def _make_steps(structure: ClaimedStructure) -> tuple[InductionProblem, tuple[InductionStep, ...]]:
    problem = make_small_problem(structure, structure.world.everything)
    return problem, tuple(InductionStep(problem, r) for r in problem.instances)


@cache
def _find_proved(structure: ClaimedStructure, fault_model: FaultModel) -> list[str]:
    """The guarantees that follow under a fault model from all lemmas together."""
    problem = InductionProblem(structure, fault_model)
    return list(problem.find_consequences(tuple(get_held(structure))).proved)


def save_counterexamples(
    entries: Mapping[str, LemmaCounterexample], path: Path = COUNTEREXAMPLE_FILE
) -> None:
    """Write the counterexamples, in the order of the lemmas."""
    found = [
        {
            "lemma": name,
            "structure": entries[name].structure.name,
            "kind": entries[name].kind,
            "fault_model": entries[name].fault_model.name,
            "before": dict(entries[name].before),
            "rule": action.instance if (action := entries[name].action) else None,
            "arguments": dict(action.arguments) if action else {},
            "breaks": list(entries[name].breaks),
        }
        for name in list_lemmas()
        if name in entries
    ]
    document = {"digest": compute_examined_digest(), "counterexamples": found}
    write_whole(path, json.dumps(document, indent=1) + "\n")


def compute_examined_digest() -> str:
    """A digest of rules, claims and lemmas of the examined structures."""
    text = "\n".join(f"{compute_fingerprint(structure)}" for structure in list_tagged(Tag.EXAMINED))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def are_counterexamples_current(path: Path = COUNTEREXAMPLE_FILE) -> bool:
    """They were found with today's rules, claims and lemmas."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        return bool(document["digest"] == compute_examined_digest())
    except (OSError, ValueError, KeyError, TypeError):
        return False


def load_counterexamples(path: Path = COUNTEREXAMPLE_FILE) -> dict[str, LemmaCounterexample]:
    """The stored counterexample of each lemma."""
    return {
        item["lemma"]: LemmaCounterexample(
            lemma=item["lemma"],
            structure=(structure := STRUCTURES[item["structure"]]),
            before=item["before"],
            action=Action(item["rule"], item["arguments"]) if item["rule"] else None,
            breaks=tuple(item["breaks"]),
            fault_model=_find_fault_model(structure.world, item["fault_model"]),
        )
        for item in json.loads(path.read_text(encoding="utf-8"))["counterexamples"]
    }


def _find_fault_model(world: World, name: str) -> FaultModel:
    return world.everything if name == world.everything.name else world.get_fault_model(name)


def is_standing(entry: LemmaCounterexample) -> bool:
    """It is a counterexample still: the reference agrees, and what it breaks is proved otherwise.

    Raises InternalDisagreementError if its structure has no certificate of the rules of today.
    """
    if find_objections(entry):
        return False
    cells = load_cells(entry.structure)
    broken = (cells.get((name, entry.fault_model.name)) for name in entry.breaks)
    return all(cell is None or cell.word is VerdictWord.PROVED for cell in broken)


def search_all(
    on_progress: Callable[[str], None] = lambda text: None,
    lemmas: Iterable[str] | None = None,
) -> dict[str, LemmaCounterexample]:
    """The smallest counterexample of each of these lemmas over the examined structures."""
    smallest: dict[str, LemmaCounterexample] = {}
    for structure in list_tagged(Tag.EXAMINED):
        for name, entry in find_counterexamples(structure, on_progress, lemmas).items():
            known = smallest.get(name)
            if known is None or entry.compute_size() < known.compute_size():
                smallest[name] = entry
    return smallest


def load_standing(path: Path = COUNTEREXAMPLE_FILE) -> dict[str, LemmaCounterexample]:
    """The stored counterexamples that stand; none if nothing whole, or no proof, is stored."""
    try:
        return {name: e for name, e in load_counterexamples(path).items() if is_standing(e)}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, InternalDisagreementError):
        return {}


def main(arguments: Sequence[str]) -> int:
    """Find what does not stand anew, or all, and store it; ``--check`` only says if that is due."""
    if "--check" in arguments:
        return int(not are_counterexamples_current())
    standing = {} if "--search" in arguments else load_standing()
    left = [name for name in list_lemmas() if name not in standing]
    save_counterexamples(standing | search_all(print, left))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
