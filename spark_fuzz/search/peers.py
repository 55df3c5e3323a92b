"""SPIN as an independent judge of breadth-first search: equal counts, equal shortest failures.

Both search the whole state: every leaf and every step. They share only the recorded terms and the
initial state; each has its own way to compute an expression, store a state and find a successor.
Every counterexample of SPIN is replayed and judged by the reference.

``python -m spark_fuzz.search.peers`` writes the numbers of ``properties/exports/spin_counts.json``
anew.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from attrs import evolve, frozen

from properties.exports.instances import FILE, JudgedInstance, SmallInstance
from properties.exports.promela import CHECK_PREFIX, PromelaModel
from properties.exports.spin import SpinResult, compile_verifier
from properties.schedules.judgement import is_refuted_by
from properties.verdicts.fingerprint import compute_digest
from properties.verdicts.storage.certificate_files import write_whole
from properties.worlds.judged_instances import JUDGED_INSTANCES
from reference.language.machine import Action, compute_machine, probe
from spark_fuzz.search.breadth_first import STATES_MAX, BreadthFirstResult, BreadthFirstSearch
from spark_fuzz.search.influence import keep_everything
from spark_fuzz.search.packing import FieldOverflowError


class PathError(ValueError):
    """Raised for a path of SPIN that the reference refuses; one line."""


@frozen
class Count:
    """One engine's result for an instance."""

    states: int
    """Distinct states."""
    shortest: Mapping[str, int]
    """For each violated guarantee the fewest steps."""


@frozen
class PeerComparison:
    """Both engines' results for an instance."""

    name: str
    ours: Count
    spins: Count
    rejected: tuple[str, ...] = ()
    """Guarantees that SPIN refutes by a schedule that the reference does not accept."""

    @cached_property
    def mismatches(self) -> tuple[str, ...]:
        """One line for each contradiction; empty when the engines agree."""
        lines = []
        if self.ours.states != self.spins.states:
            lines.append(f"{self.ours.states} states here, {self.spins.states} in SPIN")
        for name in sorted({*self.ours.shortest, *self.spins.shortest}):
            here, there = (c.shortest.get(name, "no") for c in (self.ours, self.spins))
            if here != there:
                lines.append(f"{name}: {here} steps here, {there} in SPIN")
        lines += [f"{name}: the reference does not accept SPIN's path" for name in self.rejected]
        return tuple(lines)


def compare_with_spin(judged: JudgedInstance, model: str | None = None) -> PeerComparison:
    """Search an instance with both engines; ``model`` in place of the exported text.

    Raises SpinError if SPIN cannot be run.
    """
    ours = count_here(judged)
    theirs = ask_spin(PromelaModel(judged.small).write() if model is None else model, judged)
    paths = theirs.violations
    shortest = {name: len(path) for name, path in paths.items()}
    both = {n: path for n, path in paths.items() if n in ours.shortest}
    rejected = [n for n, path in both.items() if not is_accepted(judged.small, n, path)]
    return PeerComparison(judged.name, ours, Count(theirs.states, shortest), tuple(rejected))


def count_here(judged: JudgedInstance, states_max: int = STATES_MAX) -> Count:
    """The counts of breadth-first search. Raises ValueError for a budget that is too small."""
    result = search_whole(judged, states_max)
    if result.is_exhausted:
        raise ValueError(f"{judged.name} has {states_max} states or more")
    return Count(result.states, get_shortest(result))


def search_whole(judged: JudgedInstance, states_max: int = STATES_MAX) -> BreadthFirstResult:
    """Breadth-first search of the whole state, up to the instance's depth."""
    return make_search(judged).search(states_max, judged.depth_max)


def make_search(judged: JudgedInstance) -> BreadthFirstSearch:
    """Breadth-first search that leaves nothing out."""
    small = judged.small
    whole = keep_everything(small.structure, small.highest)
    return BreadthFirstSearch(small.structure, small.fault_model, small.sizes, whole=whole)


def get_shortest(result: BreadthFirstResult) -> dict[str, int]:
    """The fewest steps that violate each violated guarantee."""
    return {a.guarantee: a.depth for a in result.answers if a.schedule is not None}


def ask_spin(text: str, judged: JudgedInstance) -> SpinResult:
    """SPIN's search of the same states, and the shortest violation of every guarantee in them.

    A check takes one step more than the path to the state in which it fails. Raises SpinError.
    """
    macros = [f"{CHECK_PREFIX}{name}" for name in judged.structure.world.guarantees]
    with compile_verifier(text, macros) as verifier:
        counted = verifier.search(judged.depth_max)
        if judged.depth_max is None:
            return counted
        return evolve(verifier.search(judged.depth_max + 1), states=counted.states)


def is_accepted(small: SmallInstance, guarantee: str, path: Iterable[str]) -> bool:
    """The reference accepts this path, and its last step is the first to violate the guarantee."""
    try:
        schedule = tuple(follow_path(small, path))
    except PathError:
        return False
    return is_refuted_by(guarantee, small.structure, small.parameters, schedule)


def follow_path(small: SmallInstance, path: Iterable[str]) -> Iterator[Action]:
    """The actions of a path: an option gives how much each argument is above its lowest value.

    Raises PathError for an option that is not enabled.
    """
    machine = compute_machine(small.structure)
    state = small.structure.make_initial(small.parameters)
    for option in path:
        name, *above = option.split()
        instance = machine.instances.get(name)
        failed, ranges = probe(instance, state) if instance else (["exists"], ())
        if failed or len(ranges) != len(above):
            raise PathError(f"{option} is not possible: {', '.join(failed)}")
        arguments = {r.name: r.low + int(more) for r, more in zip(ranges, above, strict=True)}
        action = Action(name, arguments)
        outcome = machine.step(state, action)
        if outcome.is_refused:
            raise PathError(f"{action} is refused: {', '.join(outcome.failed)}")
        state = outcome.cluster
        yield action


def count_quotient(judged: JudgedInstance) -> int | None:
    """The number of states in the usual search; None if it has no end, or ends before."""
    small = judged.small
    search = BreadthFirstSearch(small.structure, small.fault_model, small.sizes)
    try:
        if judged.depth_max is None:
            return len(search.collect_states())
        per_depth = search.search(STATES_MAX, judged.depth_max).states_per_depth
    except FieldOverflowError:
        return None
    return sum(per_depth) if len(per_depth) == judged.depth_max + 1 else None


def describe_counts(judged: JudgedInstance) -> dict[str, Any]:
    """The entry of an instance in the data file. Raises SpinError, AssertionError."""
    comparison = compare_with_spin(judged)
    assert not comparison.mismatches, comparison
    return {
        "digest": compute_digest(judged.structure),
        "states": comparison.ours.states,
        "quotient": count_quotient(judged),
        "shortest": dict(comparison.ours.shortest),
    }


def is_current(judged: JudgedInstance, counts: Mapping[str, Any]) -> bool:
    """An instance was counted with today's rules."""
    known = counts.get(judged.name, {}).get("digest")
    return bool(known == compute_digest(judged.structure))


def main(arguments: Iterable[str]) -> int:
    """Count again whatever was counted with other rules; each count is stored as it comes.

    With ``--check`` only say, by 1, if something was.
    """
    counts = json.loads(FILE.read_text(encoding="utf-8"))
    left = [judged for judged in JUDGED_INSTANCES if not is_current(judged, counts)]
    if "--check" in arguments:
        return int(bool(left))
    for judged in left:
        print(judged.name, file=sys.stderr)
        counts[judged.name] = describe_counts(judged)
        known = {j.name: counts[j.name] for j in JUDGED_INSTANCES if j.name in counts}
        write_whole(FILE, json.dumps(known, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
