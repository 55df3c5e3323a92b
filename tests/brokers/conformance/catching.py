"""Which case catches which wire mutant, and what the page of cases says of it.

``./rmqspec renew "caught wire mutants"`` computes everything anew and writes the data and the page.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attrs import frozen

from brokers.broker.broker import Broker
from brokers.broker.mutants import MUTANTS, Mutant
from brokers.broker.mutants.mutant import BOTH, MASTER
from brokers.conformance.case import Case
from brokers.conformance.catalogue import MASTER_CASES, SLAVE_CASES
from brokers.recordings.judging import REJECTED, check_exactly
from properties.verdicts.storage.certificate_files import write_whole
from reference.releases.versions import parse_version
from tests.brokers.conformance.simulated_broker import play_case
from tests.brokers.recordings.recordings_page import replace_table

DATA = Path("tests/data/caught_mutants.json")
PAGE = Path("spec/conformance.md")
RELEASES = ("4.4.0", "4.9.8", "5.3.3-quorum")
"""A mutant is played as a broker of the first of these that differs from it."""
ALL_CASES: tuple[Case, ...] = (*MASTER_CASES, *SLAVE_CASES)


@frozen
class Caught:
    """One mutant, and what came of it."""

    mutant: str
    release: str
    case: str = ""
    """The case that catches it; empty: none does."""

    def as_json(self) -> dict[str, Any]:
        """A row of the data."""
        return {"release": self.release, "case": self.case}


def load() -> dict[str, Caught]:
    """By mutant, as it was computed last."""
    told = json.loads(DATA.read_text(encoding="utf-8"))
    return {name: Caught(name, **row) for name, row in told["mutants"].items()}


def load_killers() -> dict[str, str]:
    """By case: a mutant that it catches."""
    return dict(json.loads(DATA.read_text(encoding="utf-8"))["cases"])


def choose_release(mutant: Mutant) -> str:
    """The release of which it is a mutant."""
    return next(r for r in RELEASES if mutant.applies_to(parse_version(r)))


def list_cases(mutant: Mutant) -> list[Case]:
    """The cases that may show it, those about the same heading first, then the same page."""
    page = mutant.forbidden_by.partition("#")[0]
    cases = [
        case
        for case in ALL_CASES
        if mutant.role == BOTH or case.is_master_tested is (mutant.role == MASTER)
    ]

    def rank(case: Case) -> int:
        if mutant.forbidden_by in case.headings:
            return 0
        return 1 if any(each.startswith(page) for each in case.headings) else 2

    return sorted(cases, key=rank)


def find_reason(mutant: Mutant, case: Case) -> str:
    """Why a case refuses a mutant; empty if it explains it."""
    with TemporaryDirectory() as folder:
        played = play_case(
            case,
            Path(folder),
            choose_release(mutant),
            make_broker=partial(Broker, parts=mutant.parts),
        )
    verdict = check_exactly(played.recording)
    if verdict.verdict == REJECTED:
        return f"seq {verdict.first_unexplained_seq}: {verdict.reason}"
    return f"{played.unanswered} requests have no answer" if played.unanswered else ""


def catch(name: str) -> Caught:
    """The first case that catches a mutant."""
    mutant = MUTANTS[name]
    release = choose_release(mutant)
    for case in list_cases(mutant):
        if find_reason(mutant, case):
            return Caught(name, release, case.name)
    return Caught(name, release)


def find_killer(case: Case) -> str:
    """A mutant that a case catches; empty: none."""
    fitting = [m for m in MUTANTS.values() if case in list_cases(m)]
    fitting.sort(key=lambda mutant: mutant.forbidden_by not in case.headings)
    return next((m.name for m in fitting if find_reason(m, case)), "")


def list_rows(caught: Iterable[Caught]) -> Iterator[str]:
    """The table of mutants."""
    yield "| Mutant | played as | caught by the case |"
    yield "| --- | --- | --- |"
    for each in caught:
        case = f"*{each.case}*" if each.case else "none"
        yield f"| `{each.mutant}` | {each.release} | {case} |"


def render_mutants() -> str:
    """The table, as the page has it."""
    return "\n".join(list_rows(load().values()))


def render_cases() -> str:
    """How many cases each heading has, as the page has it."""
    counts: dict[str, list[int]] = {}
    for case in ALL_CASES:
        for heading in case.headings:
            counts.setdefault(heading, [0, 0])[0 if case.is_master_tested else 1] += 1
    lines = ["| Heading | cases for a master | for a slave |", "| --- | --- | --- |"]
    lines += [f"| [{h}]({h}) | {m or ''} | {s or ''} |" for h, (m, s) in sorted(counts.items())]
    total = f"| **all cases** | {len(MASTER_CASES)} | {len(SLAVE_CASES)} |"
    return "\n".join((*lines, total))


def update_page(text: str) -> str:
    """The page with its tables as they should be."""
    text = replace_table(text, "cases", render_cases())
    return replace_table(text, "mutants", render_mutants())


def render_data(told: dict[str, dict[str, Any]]) -> str:
    """Mutants, then cases, one a line."""
    parts = (
        f'"{name}": {{\n'
        + ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in rows.items())
        + "\n}"
        for name, rows in told.items()
    )
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main() -> None:
    """Compute, and write."""
    with Pool(2) as pool:
        caught = pool.map(catch, MUTANTS, chunksize=1)
        killers = {each.case: each.mutant for each in caught if each.case}
        left = [case for case in ALL_CASES if case.name not in killers]
        killers |= dict(zip([c.name for c in left], pool.map(find_killer, left, 1), strict=True))
    told = {
        "mutants": {each.mutant: each.as_json() for each in caught},
        "cases": {case.name: killers[case.name] for case in ALL_CASES},
    }
    write_whole(DATA, render_data(told))
    write_whole(PAGE, update_page(PAGE.read_text(encoding="utf-8")))
    missed = [each.mutant for each in caught if not each.case]
    idle = [name for name, killer in told["cases"].items() if not killer]
    print(f"{len(caught)} mutants, not caught: {missed}; cases that catch none: {idle}")


if __name__ == "__main__":
    sys.exit(main())
