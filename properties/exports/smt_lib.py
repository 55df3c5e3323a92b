"""Every proof obligation as a file in SMT-LIB 2, for use with solvers other than Z3.

A file is self-contained: it declares its constants, names each fact, states that the claim fails,
and queries whether that is possible. *unsat* means that it is not: the obligation holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import z3

from properties.verdicts.certificates import get_stem
from properties.z3.discharge import FactKind, ProofQuestion
from properties.z3.obligations import Obligation, ObligationKind, Proof, load_proof
from reference.releases.versions import find_version

LOGIC = "QF_LIA"
"""No quantifiers; sums and comparisons of integers, and truth values."""

_MEANING = {
    ObligationKind.INITIATION: (
        "{claim} holds in the initial state.",
        "the initial state has the property, for all parameters",
    ),
    ObligationKind.CONSECUTION: (
        "{claim} holds after one step of the rule {where}.",
        "no step of this rule leads from a state with every lemma to one without this property",
    ),
    ObligationKind.SAFETY: (
        "{claim} follows from the lemmas; faults: {where}.",
        "every state with every lemma has the property, if other faults never happen",
    ),
}

_FACTS = {
    FactKind.CONDITION: "The conditions of the rule",
    FactKind.RANGE: "The arguments of the rule are in their ranges",
    FactKind.REMAINDER: "A remainder is any number from 0 to below the divisor",
    FactKind.SIZE: "Sizes and thresholds are at least 1",
    FactKind.LIMIT: "These faults may happen, any number of times",
    FactKind.LEMMA: "All lemmas hold",
    FactKind.ABSENCE: "These faults never happen",
}


def write_smt_lib(structures: Iterable[Any], out: Path) -> dict[str, int]:
    """Write a folder for each structure into a new one; returns how many obligations each has.

    Raises FileExistsError when the folder exists, and InternalDisagreementError for a structure
    without a certificate for these rules.
    """
    proofs = [load_proof(structure) for structure in structures]
    out.mkdir()
    counts = {}
    for proof in proofs:
        renderer = Renderer(proof)
        obligations = list(proof.list_obligations())
        folder = out / get_stem(proof.structure)
        for obligation in obligations:
            file = folder / compute_file_name(obligation)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(renderer.render(obligation), encoding="utf-8")
        counts[folder.name] = len(obligations)
    return counts


def compute_file_name(obligation: Obligation) -> Path:
    """For example ``consecution/append_message-0/held_is_received.smt2``."""
    where = re.sub(r"[\[, ]", "-", obligation.where).removesuffix("]")
    return Path(obligation.kind.value, where, f"{obligation.claim}.smt2")


class Renderer:
    """Writes the obligations of one proof; caches the text of common assumptions."""

    def __init__(self, proof: Proof) -> None:
        self.proof = proof
        self.candidates = proof.structure.world.get_candidates(proof.structure)
        self._done: dict[int, tuple[Any, str, set[str]]] = {}

    def render(self, obligation: Obligation) -> str:
        """The text of an obligation's file."""
        header = "\n".join(f"; {line}".rstrip() for line in self._describe(obligation))
        body = "\n".join(self._render_question(self.proof.pose(obligation)))
        return f"{header}\n\n{body}\n"

    def _describe(self, obligation: Obligation) -> Iterator[str]:
        sentence, meaning = _MEANING[obligation.kind]
        where = obligation.where
        if obligation.kind is ObligationKind.SAFETY:
            where = (
                ", ".join(self.proof.structure.world.get_fault_model(where).admitted) or "nothing"
            )
        claim = sentence.format(claim=obligation.claim, where=where)
        structure = self.proof.structure
        yield f"Model of RocketMQ {find_version(structure.variants).name}, {structure.name}"
        yield f"{obligation.kind.value.capitalize()}: {claim}"
        yield f'"{self.candidates[obligation.claim].sentence}"'
        yield ""
        yield f"unsat: {meaning}."
        yield "sat: a counterexample; get it with (get-model)."

    def _render_question(self, question: ProofQuestion) -> Iterator[str]:
        negated = z3.Not(question.claim)
        yield f"(set-logic {LOGIC})"
        yield from self._declare([*question.facts.values(), negated])
        kind: FactKind | None = None
        for fact, formula in question.facts.items():
            if fact.kind is not kind:
                kind = fact.kind
                yield f"\n; {_FACTS[kind]}."
            yield f"(assert (! {self._translate(formula)[0]} :named |{fact}|))"
        yield "\n; The claim does not hold."
        yield f"(assert (! {self._translate(negated)[0]} :named |negated claim|))"
        yield "(check-sat)"

    def _declare(self, formulas: list[Any]) -> Iterator[str]:
        """Declarations: leaves in the order of the state, then arguments, remainders."""
        used = set[str]().union(*(self._translate(f)[1] for f in formulas))
        for path, variable in self.proof.problem.variables.items():
            if path in used:
                yield f"(declare-const {path} {variable.sort()})"
        for name in sorted(used - self.proof.problem.variables.keys()):
            yield f"(declare-const {name} Int)"

    def _translate(self, formula: Any) -> tuple[str, set[str]]:
        """The text of a formula, and the constants that it uses."""
        key = formula.get_id()
        if key not in self._done:
            # Z3 reuses the id of a formula unless the formula is kept.
            self._done[key] = formula, formula.sexpr(), _find_constants(formula)
        return self._done[key][1:]


def _find_constants(formula: Any) -> set[str]:
    """The names of the free constants of a formula."""
    seen, found = set[int](), set[str]()
    stack = [formula]
    while stack:
        node = stack.pop()
        if node.get_id() not in seen:
            seen.add(node.get_id())
            stack.extend(node.children())
            if z3.is_const(node) and node.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                found.add(node.decl().name())
    return found
