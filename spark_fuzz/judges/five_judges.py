"""Five judges of one verdict: induction, bounded search, exhaustive search, kernel and Hypothesis.

They share only the rules: Z3 over unbounded integers, Z3 over bits, a table of all states, compiled
random schedules, and walks of the reference that Hypothesis draws. Each states what it can: that a
guarantee holds, that it is broken and after how many steps, or how far it has searched without
result. Any two statements must be compatible.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from attrs import frozen

from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from properties.verdicts.certificates import load
from properties.walks.drawn_walks import find_earliest_violations
from properties.z3.bounded_search import BoundedSearch
from properties.z3.fault_sets import FaultSetProver
from properties.z3.induction import prove_lemmas
from reference.language.machine import record_predicate
from reference.language.terms import record
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.kernel.kernel import compile_kernel
from spark_fuzz.search.breadth_first import BreadthFirstSearch
from spark_fuzz.search.cross_check import group_by_influence

STATES_MAX = 300_000
"""The states that the exhaustive search may meet for guarantees that it searches together."""

DEPTH_MAX = 6
"""The depth of the bounded search; it uses no lemma."""

SCHEDULES = 50_000
"""The number of random schedules that the kernel walks."""

EXAMPLES, EXAMPLE_STEPS = 100, 40
"""The number and the length of Hypothesis' walks."""


@frozen
class Opinion:
    """One judge's statement about one guarantee."""

    judge: str
    holds: bool = False
    """It is never broken, at least for these sizes."""
    falls_after: int | None = None
    """The number of steps of a schedule that breaks it."""
    is_shortest: bool = False
    """No schedule with fewer steps breaks it."""
    looked_to: int = 0
    """No schedule with this many steps or fewer breaks it."""

    def __str__(self) -> str:
        if self.holds:
            return "holds"
        if self.falls_after is not None:
            return f"breaks after {self.falls_after}" + ("" if self.is_shortest else " or fewer")
        return f"not in {self.looked_to} steps" if self.looked_to else "nothing found"

    def contradicts(self, other: Opinion) -> bool:
        """The two statements cannot both be right."""
        return self.excludes(other) or other.excludes(self)

    def excludes(self, other: Opinion) -> bool:
        """If this one is right, the other one's finding is impossible."""
        if other.falls_after is None:
            return False
        if self.holds or self.looked_to >= other.falls_after:
            return True
        return self.is_shortest and (
            other.falls_after < (self.falls_after or 0)
            or (other.is_shortest and other.falls_after != self.falls_after)
        )


@frozen
class JudgedCell:
    """One guarantee under one fault model, and every judge's statement."""

    structure: str
    fault: str
    guarantee: str
    opinions: tuple[Opinion, ...]

    def list_disagreements(self) -> Iterator[str]:
        """A sentence for each pair of judges that cannot both be right."""
        for one, other in itertools.combinations(self.opinions, 2):
            if one.contradicts(other):
                yield (
                    f"{self.structure}, {self.fault}, {self.guarantee}: {one.judge} says "
                    f"{str(one)!r}, {other.judge} says {str(other)!r}"
                )


Judge = Callable[[Any, FaultModel], dict[str, Opinion]]
"""A judge's statements about each guarantee of a structure under a fault model."""


def judge_cells(
    structure: ClaimedStructure,
    fault_model: FaultModel,
    on_progress: Callable[[str], None] = lambda text: None,
) -> tuple[JudgedCell, ...]:
    """Every guarantee of a structure under one fault model, by every judge."""
    said = []
    for name, judge in JUDGES.items():
        on_progress(f"{structure.name}, {fault_model.name}: {name}")
        said.append(judge(structure, fault_model))
    return tuple(
        JudgedCell(structure.name, fault_model.name, name, tuple(each[name] for each in said))
        for name in structure.world.guarantees
    )


def judge_by_induction(structure: ClaimedStructure, fault_model: FaultModel) -> dict[str, Opinion]:
    """The guarantees that follow from the certificate's inductive set, proved again, if any."""
    document = load(structure)
    lemmas = tuple(document["inductive_set"]) if document else ()
    proved = FaultSetProver(structure, prove_lemmas(structure, lemmas)).decide(fault_model).proved
    return {n: Opinion("induction", holds=n in proved) for n in structure.world.guarantees}


def judge_by_bounded_search(
    structure: ClaimedStructure, fault_model: FaultModel
) -> dict[str, Opinion]:
    """The shortest schedule of at most DEPTH_MAX steps, or none."""
    claims = structure.world.guarantees
    terms = {n: record_predicate(structure, claim.predicate) for n, claim in claims.items()}
    search = BoundedSearch(structure, fault_model)
    answers = search.find_shortest(
        {name: record("not", term) for name, term in terms.items()},
        depth_limits=dict.fromkeys(claims, DEPTH_MAX),
    )
    return {
        name: Opinion("bounded search", looked_to=answer.depth)
        if answer.schedule is None
        else Opinion("bounded search", falls_after=len(answer.schedule), is_shortest=True)
        for name, answer in answers.items()
    }


def judge_by_exhaustive_search(
    structure: ClaimedStructure, fault_model: FaultModel
) -> dict[str, Opinion]:
    """All states, depth by depth, up to STATES_MAX."""
    opinions = {}
    for together in group_by_influence(structure, fault_model):
        result = BreadthFirstSearch(structure, fault_model, guarantees=together).search(STATES_MAX)
        for answer in result.answers:
            if answer.schedule is not None:
                steps = len(answer.schedule)
                found = Opinion("exhaustive search", falls_after=steps, is_shortest=True)
            else:
                is_done = result.is_complete
                found = Opinion("exhaustive search", holds=is_done, looked_to=answer.depth)
            opinions[answer.guarantee] = found
    return opinions


def judge_by_kernel(structure: ClaimedStructure, fault_model: FaultModel) -> dict[str, Opinion]:
    """The earliest violation in SCHEDULES random schedules of the compiled rules."""
    kernel = compile_kernel(structure)
    begin = structure.make_initial(structure.world.make_search_parameters(fault_model))
    options = CampaignOptions(structure, fault_model.search_limits)
    violations = kernel.run(options, 0, SCHEDULES, begin=begin).violations
    names = kernel.layout.guarantees
    columns = {name: violations[:, i][violations[:, i] >= 0] for i, name in enumerate(names)}
    return {n: Opinion("kernel", falls_after=find_least(found)) for n, found in columns.items()}


def find_least(steps: Any) -> int | None:
    """The smallest of some numbers of steps: int64, shape (violations,)."""
    return int(np.min(steps)) if len(steps) else None


def judge_by_hypothesis(structure: ClaimedStructure, fault_model: FaultModel) -> dict[str, Opinion]:
    """The earliest violation in the walks of the reference that Hypothesis draws."""
    claims = {name: claim.predicate for name, claim in structure.world.guarantees.items()}
    parameters = structure.world.make_search_parameters(fault_model)
    found = find_earliest_violations(structure, parameters, claims, EXAMPLES, EXAMPLE_STEPS)
    return {name: Opinion("Hypothesis", falls_after=found.get(name)) for name in claims}


JUDGES: dict[str, Judge] = {
    "induction": judge_by_induction,
    "bounded search": judge_by_bounded_search,
    "exhaustive search": judge_by_exhaustive_search,
    "kernel": judge_by_kernel,
    "Hypothesis": judge_by_hypothesis,
}
"""Every judge by name, in the order of their columns."""
