"""What induction makes of the facts of the comparison grammar, and what still needs a human.

The facts that random walks leave are tried together with the named lemmas and sanity checks, then
alone, each time under every fault. The report says which guarantees follow in which column, and
which of the named properties the machine would have found without us.
``python -m properties.comparison_grammar --structure NAME`` prints it, with ``--store`` it writes
what ``spec/lemmas.md`` shows.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import attrs
from attrs import field, frozen

from properties.certificates import CERTIFICATE_FOLDER
from properties.fact_induction import FactInduction
from properties.facts import Grammar
from properties.fault_sets import FaultSetProver, get_all_faults
from properties.fingerprint import compute_digest
from properties.induction import get_lemmas
from properties.random_walk import walk_randomly
from properties.worlds.replication.columns import FAULT_CLASSES
from properties.worlds.replication.structures import CERTIFIED_BY_NAME
from properties.worlds.replication.world import CLAIMS, LEMMAS
from reference.structure import Structure

REPORT_FILE = CERTIFICATE_FOLDER / "comparison_grammar.json"

REPORTED_WALKS = 120
"""Walks that filter the facts; more of them find little that induction would not find."""


@frozen
class GrammarReport:
    """The grammar of one structure, judged."""

    structure: str
    digest: str
    """Of the rules that it was made from."""
    states: int
    """States of the random walks."""
    candidates: int
    """Facts of the grammar."""
    survivors: int
    """Facts that no walk falsifies."""
    inductive: int
    """Of these the ones that every step preserves, whatever strikes; no named property helps."""
    inductive_with_lemmas: int
    """The same with the help of the named lemmas and sanity checks."""
    seconds: int = field(eq=False)
    """Processor time that it took, on the machine that wrote it."""
    proved_by_facts: Mapping[str, tuple[str, ...]]
    """Guarantees by fault class that follow from the facts alone."""
    proved_by_lemmas: Mapping[str, tuple[str, ...]]
    """The same from the sanity checks and named lemmas alone."""
    proved_by_both: Mapping[str, tuple[str, ...]]
    """The same from all together."""
    found: tuple[str, ...]
    """Named lemmas and sanity checks that follow from the facts alone: the machine finds them."""
    trivial: tuple[str, ...]
    """Named ones that say nothing in this structure, for example of slaves where there are none."""

    @property
    def needed_by_hand(self) -> tuple[str, ...]:
        """Named lemmas and sanity checks that do not follow from the facts alone."""
        return tuple(n for n in get_lemmas() if n not in {*self.found, *self.trivial})


def make_report(
    structure: Structure,
    on_progress: Callable[[str], None] = lambda text: None,
    *,
    walks: int = REPORTED_WALKS,
) -> GrammarReport:
    """Judge the grammar of a structure under every fault. Raises SolverGaveUpError."""
    begun = time.process_time()
    grammar = Grammar(structure, walk_randomly(structure, walks=walks))
    survivors = list(grammar.list_survivors())
    on_progress(f"{structure.name}: {len(survivors)} facts survive {grammar.states} states")
    given = {str(fact): grammar.record(fact) for fact in survivors}
    implied_by = {str(f): str(f.claim) for f in survivors if f.guard is not None}
    induction = FactInduction(structure, given, implied_by)
    named = tuple(get_lemmas())
    both = induction.find_inductive_set((*named, *given))
    on_progress(f"{structure.name}: {len(both) - len(named)} are inductive beside the lemmas")
    facts = induction.find_inductive_set([n for n in both if n in given])
    on_progress(f"{structure.name}: {len(facts)} are inductive by themselves")
    predicates = induction.problem.predicates
    trivial = tuple(n for n in named if predicates[n].operator == "constant")
    by_facts = FaultSetProver(structure, induction.find_strongest(facts), given)
    follows = {n for n in named if by_facts.find_survived(n, get_all_faults(structure)) is not None}
    return GrammarReport(
        structure=structure.name,
        digest=compute_digest(structure),
        states=grammar.states,
        candidates=sum(1 for _ in grammar.list_facts()),
        survivors=len(survivors),
        inductive=len(facts),
        inductive_with_lemmas=sum(name in given for name in both),
        proved_by_facts=_prove(by_facts),
        proved_by_lemmas=_prove(FaultSetProver(structure, named)),
        proved_by_both=_prove(FaultSetProver(structure, induction.find_strongest(both), given)),
        found=tuple(n for n in named if n in follows and n not in trivial),
        trivial=trivial,
        seconds=round(time.process_time() - begun),
    )


def _prove(prover: FaultSetProver) -> dict[str, tuple[str, ...]]:
    """The guarantees that follow, by fault class."""
    return {
        c.name: tuple(
            name for name in CLAIMS if prover.find_survived(name, frozenset(c.admitted)) is not None
        )
        for c in FAULT_CLASSES
    }


def save_report(report: GrammarReport, path: Path = REPORT_FILE) -> None:
    """Write a report."""
    path.write_text(json.dumps(attrs.asdict(report), indent=1) + "\n", encoding="utf-8")


def load_report(path: Path = REPORT_FILE) -> GrammarReport:
    """The stored report."""
    document = json.loads(path.read_text(encoding="utf-8"))
    for name in ("proved_by_facts", "proved_by_lemmas", "proved_by_both"):
        document[name] = {fault: tuple(found) for fault, found in document[name].items()}
    for name in ("found", "trivial"):
        document[name] = tuple(document[name])
    return GrammarReport(**document)


def render_report(report: GrammarReport) -> str:
    """A report as Markdown."""
    head = ["Guarantee", "By the facts alone", "By the lemmas alone", "By both"]
    tables = (report.proved_by_facts, report.proved_by_lemmas, report.proved_by_both)
    rows = [[f"`{g}`", *(_count_columns(table, g) for table in tables)] for g in CLAIMS]
    figures = (
        f"{report.structure}: {report.candidates:,} facts, of which {report.survivors:,} hold in "
        f"all {report.states:,} states of the walks. By themselves {report.inductive:,} are "
        "inductive under every fault, with the help of the named lemmas and sanity checks "
        f"{report.inductive_with_lemmas:,}. The search took {report.seconds} s of processor time."
    )
    columns = len(report.proved_by_lemmas)
    parts = [
        figures,
        f"In how many of the {columns} fault classes each guarantee is proved:",
        _render_table([head, ["---"] * len(head), *rows]),
        f"Found automatically: {_list_names(report.found)}.",
        f"Needed by hand: {_list_names(report.needed_by_hand)}.",
        f"Without a meaning in this structure: {_list_names(report.trivial)}.",
    ]
    return "\n\n".join(parts)


def _count_columns(table: Mapping[str, tuple[str, ...]], guarantee: str) -> str:
    names = [fault for fault, proved in table.items() if guarantee in proved]
    return f"{len(names)}" + (f" ({', '.join(names)})" if 0 < len(names) < 4 else "")


def _render_table(rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _list_names(names: tuple[str, ...]) -> str:
    told = [f"`{name}`" + (" (lemma)" if name in LEMMAS else "") for name in names]
    return ", ".join(told) or "nothing"


def main() -> None:
    """Print, or store, the report of one structure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--structure", choices=CERTIFIED_BY_NAME, default=Structure().name)
    parser.add_argument("--store", action="store_true", help="write what the chapter shows")
    options = parser.parse_args()
    report = make_report(CERTIFIED_BY_NAME[options.structure], print)
    if options.store:
        save_report(report)
    print(render_report(report))


if __name__ == "__main__":
    main()
