"""Unsat cores as data: the facts that each proof obligation needs, checked again alone.

Like a certificate a core is a hint, never a verdict, and carries the same digest. A renewal keeps
each core that still proves its obligation; ``python -m properties.z3.cores`` finds all anew, of all
structures or of those named as arguments.

Cores connect guarantees, lemmas, rules and conditions. A core is one way to prove an obligation,
seldom the only one. An edge means that the present proof uses the fact; a lemma without dependants
is one that this proof does not need.
"""

from __future__ import annotations

import enum
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from attrs import field, frozen

from properties.checkout import PROGRAM
from properties.language.world import ClaimedStructure
from properties.verdicts.certificates import CERTIFICATE_FOLDER, get_path
from properties.verdicts.fingerprint import compute_digest
from properties.verdicts.storage.certificate_files import render_lines, write_whole
from properties.verdicts.verdict import InternalDisagreementError
from properties.worlds.catalogue import STRUCTURES, Tag, list_tagged
from properties.z3.discharge import DischargeOutcome, Fact, FactKind, follows_from
from properties.z3.induction import SolverGaveUpError
from properties.z3.obligations import Obligation, ObligationKind, Proof, load_proof


class NodeKind(enum.Enum):
    """The kinds of nodes of the graph."""

    GUARANTEE = "guarantee"
    LEMMA = "lemma"
    """A lemma or a sanity check."""
    RULE = "rule"
    CONDITION = "condition"
    """A condition of a rule, or the range of one of its arguments."""


@frozen(order=True)
class DependencyNode:
    """A dependency of a proof, or something with dependencies."""

    kind: NodeKind = field(order=lambda kind: kind.value)
    name: str
    """For a condition the names of rule and condition, with a dot between them."""


@frozen(eq=False)
class PropertyGraph:
    """The dependency graph of one structure."""

    cores: Mapping[Obligation, Core]

    @cached_property
    def edges(self) -> dict[DependencyNode, set[DependencyNode]]:
        """The direct dependencies: of a guarantee on lemmas, of a lemma on lemmas and rules.

        A lemma depends on a rule if it needs one of the rule's conditions to survive it; the
        conditions are attached to the pair. A lemma's dependency on itself, which every inductive
        one has, is left out.
        """
        edges: dict[DependencyNode, set[DependencyNode]] = {}
        for obligation, core in self.cores.items():
            is_safety = obligation.kind is ObligationKind.SAFETY
            node = DependencyNode(
                NodeKind.GUARANTEE if is_safety else NodeKind.LEMMA, obligation.claim
            )
            targets = edges.setdefault(node, set())
            for fact in core.facts:
                if fact.kind is FactKind.LEMMA and fact.name != obligation.claim:
                    targets.add(DependencyNode(NodeKind.LEMMA, fact.name))
                elif fact.kind in (FactKind.CONDITION, FactKind.RANGE):
                    rule = DependencyNode(NodeKind.RULE, get_rule_name(obligation))
                    condition = DependencyNode(NodeKind.CONDITION, f"{rule.name}.{fact.name}")
                    targets |= {rule, condition}
                    edges.setdefault(rule, set()).add(condition)
        return edges

    def get_targets(self, node: DependencyNode, kind: NodeKind) -> list[DependencyNode]:
        """The direct dependencies of a node of one kind, by name."""
        return sorted(t for t in self.edges.get(node, ()) if t.kind is kind)

    def compute_reached_lemmas(self, begin: Iterable[DependencyNode]) -> set[DependencyNode]:
        """The lemmas on which these nodes depend, directly or through other lemmas."""
        reached: set[DependencyNode] = set()
        stack = list(begin)
        while stack:
            for lemma in self.get_targets(stack.pop(), NodeKind.LEMMA):
                if lemma not in reached:
                    reached.add(lemma)
                    stack.append(lemma)
        return reached

    def find_unused_lemmas(self) -> list[DependencyNode]:
        """The lemmas on which no guarantee depends, not even through other lemmas."""
        guarantees = [node for node in self.edges if node.kind is NodeKind.GUARANTEE]
        lemmas = {node for node in self.edges if node.kind is NodeKind.LEMMA}
        return sorted(lemmas - self.compute_reached_lemmas(guarantees))

    def compute_conditions(self, guarantee: str) -> set[str]:
        """The conditions and arguments by which the lemmas below a node survive steps, by name."""
        lemmas = self.compute_reached_lemmas([DependencyNode(NodeKind.GUARANTEE, guarantee)])
        return {c.name for lemma in lemmas for c in self.get_targets(lemma, NodeKind.CONDITION)}

    def get_columns_by_absent_faults(self, guarantee: str) -> dict[tuple[str, ...], list[str]]:
        """The fault models under which it is proved, by the faults whose absence the proof needs.

        All other faults may happen, also together: the proof assumes nothing about them.
        """
        columns: dict[tuple[str, ...], list[str]] = {}
        for obligation, core in self.cores.items():
            if obligation.kind is ObligationKind.SAFETY and obligation.claim == guarantee:
                absent = tuple(f.name for f in core.facts if f.kind is FactKind.ABSENCE)
                columns.setdefault(absent, []).append(obligation.where)
        return columns


def get_rule_name(obligation: Obligation) -> str:
    """The rule of an obligation's instance, for example ``cut_link`` of ``cut_link[0]``."""
    return obligation.where.partition("[")[0]


CORE_FOLDER = CERTIFICATE_FOLDER / "cores"


@frozen
class Core:
    """The facts that the proof of one obligation needs."""

    work: int
    """Z3's resource units for the obligation with all facts at hand."""
    facts: tuple[Fact, ...]
    """A sufficient set of facts; when it was found, no smaller part of it sufficed."""


@frozen
class CoreFailure:
    """A core that is missing, does not prove its obligation, or has no obligation."""

    obligation: Obligation
    reason: str


def find_cores(
    proof: Proof,
    on_progress: Callable[[str], None] = lambda text: None,
    known: Mapping[Obligation, Core] = MappingProxyType({}),
) -> dict[Obligation, Core]:
    """A core of every obligation: a known one that still proves it, or a minimal one.

    Raises InternalDisagreementError for an obligation that does not hold and SolverGaveUpError for
    one that Z3 gives up.
    """
    found = {}
    for obligation in proof.list_obligations():
        on_progress(f"{proof.structure.name}: {obligation}")
        if not _find_reason(proof, obligation, known.get(obligation)):
            found[obligation] = known[obligation]
            continue
        discharge = proof.discharge_minimally(obligation)
        if discharge.outcome is DischargeOutcome.GAVE_UP:
            raise SolverGaveUpError(f"{proof.structure.name}: {obligation}")
        if discharge.outcome is DischargeOutcome.FAILS:
            raise InternalDisagreementError(f"{proof.structure.name}: {obligation} does not hold")
        found[obligation] = Core(discharge.work, discharge.core)
    return found


def recheck_cores(proof: Proof, cores: Mapping[Obligation, Core]) -> tuple[CoreFailure, ...]:
    """The failures of the stored cores of a proof; none if everything is proved again.

    The obligations are listed again from rules and lemmas, so a missing one is found.
    """
    expected = list(proof.list_obligations())
    reasons = {o: _find_reason(proof, o, cores.get(o)) for o in expected}
    reasons |= dict.fromkeys(cores.keys() - set(expected), "there is no such obligation")
    return tuple(CoreFailure(o, reason) for o, reason in reasons.items() if reason)


def _find_reason(proof: Proof, obligation: Obligation, core: Core | None) -> str:
    """Why a core does not prove an obligation; empty if it does."""
    if core is None:
        return "no core is stored"
    question = proof.pose(obligation)
    if unknown := [fact for fact in core.facts if fact not in question.facts]:
        return f"there is no {unknown[0]}"
    if not follows_from(question, core.facts):
        return "it does not follow from its core"
    return ""


def save_cores(
    structure: ClaimedStructure, cores: Mapping[Obligation, Core], folder: Path = CORE_FOLDER
) -> Path:
    """Write the cores of a structure, a line for each rule or fault model; facts are numbered."""
    facts = sorted({str(fact) for core in cores.values() for fact in core.facts})
    numbers = {fact: number for number, fact in enumerate(facts)}
    tables = {
        kind.value: tabulate({o: core for o, core in cores.items() if o.kind is kind}, numbers)
        for kind in ObligationKind
    }
    head = {"structure": structure.name, "digest": compute_digest(structure), "facts": facts}
    text = render_lines({**head, "claims": {kind: t.claims for kind, t in tables.items()}})
    rows = ",\n".join(f'"{kind}": {render_lines(t.rows).strip()}' for kind, t in tables.items())
    path = get_path(structure, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.removesuffix("\n}\n") + f",\n{rows}\n}}\n")
    return path


@frozen
class CoreTable:
    """The cores of one kind of obligations: rows by where a claim is to hold, columns by claim."""

    claims: list[str]
    rows: dict[str, list[Any]]
    """Cells: the work, followed by the numbers of the facts if there are any; null: no obligation.
    """


def tabulate(cores: Mapping[Obligation, Core], numbers: Mapping[str, int]) -> CoreTable:
    """The table of these cores."""
    claims = list(dict.fromkeys(obligation.claim for obligation in cores))
    rows: dict[str, list[Any]] = {}
    for obligation, core in cores.items():
        row = rows.setdefault(obligation.where, [None] * len(claims))
        cell = [core.work, *(numbers[str(fact)] for fact in core.facts)]
        row[claims.index(obligation.claim)] = cell if core.facts else core.work
    return CoreTable(claims, rows)


def read_table(document: Mapping[str, Any], kind: ObligationKind) -> dict[Obligation, Core]:
    """The cores of one kind. Raises KeyError, IndexError, TypeError, ValueError if malformed."""
    facts = [Fact.parse(text) for text in document["facts"]]
    found = {}
    for where, row in document[kind.value].items():
        for claim, cell in zip(document["claims"][kind.value], row, strict=True):
            if cell is not None:
                work, *needed = cell if isinstance(cell, list) else [cell]
                core = Core(int(work), tuple(facts[number] for number in needed))
                found[Obligation(kind, claim, where)] = core
    return found


def load_cores(structure: ClaimedStructure, folder: Path = CORE_FOLDER) -> dict[Obligation, Core]:
    """The stored cores of a structure.

    Raises InternalDisagreementError when there are none for these rules, or they are malformed.
    """
    digest, cores = read_cores(structure, folder)
    if digest != compute_digest(structure):
        raise InternalDisagreementError(
            f"the cores of {structure.name} were made from other rules; run `{PROGRAM} renew`"
        )
    return cores


def read_cores(
    structure: ClaimedStructure, folder: Path = CORE_FOLDER
) -> tuple[str, dict[Obligation, Core]]:
    """The digest of the rules that the stored cores were made from, and the cores.

    Raises InternalDisagreementError when there are none, or they are malformed.
    """
    try:
        document = json.loads(get_path(structure, folder).read_text())
        tables = [read_table(document, kind) for kind in ObligationKind]
        digest: str = document["digest"]
    except (OSError, KeyError, IndexError, TypeError, ValueError, AttributeError) as problem:
        raise InternalDisagreementError(
            f"the cores of {structure.name} are missing or malformed ({problem!r}); "
            f"run `{PROGRAM} renew`"
        ) from problem
    return digest, {obligation: core for table in tables for obligation, core in table.items()}


def read_known(structure: ClaimedStructure, folder: Path = CORE_FOLDER) -> dict[Obligation, Core]:
    """The stored cores, perhaps of other rules; none if nothing whole is stored."""
    try:
        return read_cores(structure, folder)[1]
    except InternalDisagreementError:
        return {}


def main(names: Iterable[str]) -> None:
    """Find the cores of these structures anew; by default of all that are stored.

    Raises KeyError for the name of a structure that does not exist.
    """
    structures = [STRUCTURES[n] for n in names] or list_tagged(Tag.CORES)
    for structure in structures:
        cores = find_cores(load_proof(structure))
        path = save_cores(structure, cores)
        work = sum(core.work for core in cores.values())
        print(f"{path.name}: {len(cores)} obligations, {work} units of work")


if __name__ == "__main__":
    main(sys.argv[1:])
