"""The chapter about every decision in the code: what covers it, and what was never run."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen

from properties.generated_text import SPEC, Page, leave_to_site, render_table

LEDGER = SPEC / "code_ledger"
LEFT_OUT = LEDGER / "left_out.toml"
"""Methods that are left out as a whole, by the reason."""
RUNS = LEDGER / "runs.toml"
"""Runs of the real classes in which decisions were counted, beside the rows of tables."""

ONE_WAY = {"case", "catch", "for each"}
"""Decisions that are only counted when they hold: otherwise the code continues after them."""

UNRANKED = 1000
"""Behind every rank."""

FIELD_BY_TREATMENT = {
    "modelled": "rules",
    "limit": "limit",
    "open": "open",
    "aside": "aside",
}
"""The treatments of a decision, each with the field that has the details."""


@frozen
class Branch:
    """A decision in the code of RocketMQ 4.4.0."""

    id: str
    """Class, method and number within the method, ``CommitLog#appendData/1``."""
    kind: str
    """``if``, ``for``, ``case``, ``catch`` and so on."""
    when: str
    does: str
    treatment: str
    """A key of ``FIELD_BY_TREATMENT``."""
    rules: tuple[str, ...] = ()
    limit: str = ""
    chapter: str = ""
    """The heading of ``limits.md`` that describes the limit; empty if only this ledger does."""
    open: str = ""
    rank: int = UNRANKED
    """The order of open questions; 1 is the most harmful if true."""
    aside: str = ""
    holds_in_rows: tuple[str, ...] = ()
    """Rows of oracle tables in which the condition was counted to hold, two at most."""
    fails_in_rows: tuple[str, ...] = ()
    holds_in_runs: tuple[str, ...] = ()
    fails_in_runs: tuple[str, ...] = ()
    parts_never: tuple[str, ...] = ()
    """Parts of the condition that came out only one way, ``2 holds``: the second never held."""
    recordings: tuple[str, ...] = ()
    """Lines of recordings that show that the condition held, ``name seq 7``."""
    findings: tuple[str, ...] = ()

    @property
    def owner(self) -> str:
        """The class."""
        return self.id.partition("#")[0]

    @property
    def ways(self) -> tuple[str, ...]:
        """How it can come out."""
        return ("holds",) if self.kind in ONE_WAY else ("holds", "fails")

    @property
    def ways_run(self) -> tuple[str, ...]:
        """How real code was seen to come out."""
        seen = {
            "holds": self.holds_in_rows or self.holds_in_runs or self.recordings,
            "fails": self.fails_in_rows or self.fails_in_runs,
        }
        return tuple(way for way in self.ways if seen[way])

    @property
    def evidence(self) -> str:
        """``every way run``, ``one way run`` or ``never run``."""
        if not self.ways_run:
            return "never run"
        return "every way run" if self.ways_run == self.ways else "one way run"


@frozen
class DecisionGroup:
    """The decisions of classes that belong together."""

    title: str
    branches: tuple[Branch, ...]


def read_branch(entry: Mapping[str, Any]) -> Branch:
    """A decision as its file has it. Raises TypeError for a field that is not known."""
    lists = {name: tuple(value) for name, value in entry.items() if isinstance(value, list)}
    return Branch(**{**entry, **lists})


def load_file(path: Path) -> dict[str, Any]:
    """The content of one file of the ledger."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def load_groups() -> tuple[DecisionGroup, ...]:
    """Every decision of the ledger, in the order of the files' places."""
    files = [load_file(path) for path in LEDGER.glob("*.toml") if path not in (LEFT_OUT, RUNS)]
    files.sort(key=lambda file: int(file["place"]))
    return tuple(
        DecisionGroup(file["title"], tuple(map(read_branch, file["branch"]))) for file in files
    )


def list_branches() -> list[Branch]:
    """Every decision of the ledger."""
    return [branch for group in load_groups() for branch in group.branches]


COLUMNS: Mapping[str, Callable[[Branch], bool]] = {
    "branches": lambda branch: True,
    "modelled": lambda branch: branch.treatment == "modelled",
    "limit": lambda branch: branch.treatment == "limit",
    "open": lambda branch: branch.treatment == "open",
    "aside": lambda branch: branch.treatment == "aside",
    "every way run": lambda branch: branch.evidence == "every way run",
    "one way run": lambda branch: branch.evidence == "one way run",
    "never run": lambda branch: branch.evidence == "never run",
}
"""What is counted of each class."""


def count(branches: Iterable[Branch]) -> tuple[int, ...]:
    """The number of decisions in each column."""
    listed = list(branches)
    return tuple(sum(map(is_counted, listed)) for is_counted in COLUMNS.values())


def render_classes() -> str:
    """A row for each class, and all of them together."""
    branches = list_branches()
    owners = dict.fromkeys(branch.owner for branch in branches)
    rows = [(f"`{o}`", *count(b for b in branches if b.owner == o)) for o in owners]
    return render_table(("Class", *COLUMNS), [*rows, ("All", *count(branches))])


def render_cover() -> str:
    """The treatments of decisions, by how much of them was run."""
    counted = Counter((b.treatment, b.evidence) for b in list_branches())
    evidences = ("every way run", "one way run", "never run")
    rows = [(t, *(counted[t, e] for e in evidences)) for t in FIELD_BY_TREATMENT]
    return render_table(("Accounted for as", *evidences), rows)


def tell_condition(branch: Branch) -> str:
    """Its condition, and its consequence."""
    return f"{branch.when} → {branch.does}"


def tell_findings(branch: Branch) -> str:
    """The findings that concern it, in brackets."""
    return f" ({', '.join(branch.findings)})" if branch.findings else ""


def tell_cover(branch: Branch) -> str:
    """What accounts for it, and the findings that concern it."""
    cover = {
        "modelled": ", ".join(f"`{rule}`" for rule in branch.rules),
        "limit": f"limit{f' ({branch.chapter})' if branch.chapter else ''}: {branch.limit}",
        "open": f"open: {branch.open}",
        "aside": branch.aside,
    }[branch.treatment]
    return cover + tell_findings(branch)


def tell_evidence(branch: Branch) -> str:
    """Rows, runs and recordings, for each outcome; outcomes that never occurred."""
    told = []
    for way in branch.ways:
        rows = getattr(branch, f"{way}_in_rows")
        runs = getattr(branch, f"{way}_in_runs")
        seen = [*rows, *runs, *(branch.recordings if way == "holds" else ())]
        told.append(f"{way}: {', '.join(seen) or 'never'}")
    parts = [f"part {part.replace(' ', ' never ')}" for part in branch.parts_never]
    return "; ".join([*told, *parts])


def render_branches(branches: Iterable[Branch]) -> str:
    """A row for each; "None." if there is none."""
    rows = [
        (f"`{branch.id}`", tell_condition(branch), tell_cover(branch), tell_evidence(branch))
        for branch in branches
    ]
    head = ("Branch", "Condition → consequence", "Accounted for by", "Seen")
    return render_table(head, rows) if rows else "None."


def is_to_be_asked(branch: Branch) -> bool:
    """It is not modelled, and not every outcome, or not the one that matters, was run."""
    is_unseen = branch.evidence != "every way run" or branch.rank < UNRANKED
    return branch.treatment == "open" and is_unseen


def is_run_without_rule(branch: Branch) -> bool:
    """It is not modelled, and real code was seen to do it."""
    return branch.treatment == "open" and not is_to_be_asked(branch)


SECTIONS: Mapping[str, Callable[[Branch], bool]] = {
    "open and not run": is_to_be_asked,
    "open and run": is_run_without_rule,
    "modelled by reading": lambda b: b.treatment == "modelled" and b.evidence == "never run",
    "modelled and half run": lambda b: b.treatment == "modelled" and b.evidence == "one way run",
    "limits not run": lambda b: b.treatment == "limit" and b.evidence != "every way run",
}
"""The sections before the rest, by the name of the generated part. They are disjoint."""


def select(name: str) -> list[Branch]:
    """The decisions of one section."""
    return [branch for branch in list_branches() if SECTIONS[name](branch)]


def render_questions(name: str) -> str:
    """A row for each open question of a section: what is not modelled, and where it occurs."""
    branches = sorted(select(name), key=lambda branch: branch.rank)
    questions = dict.fromkeys(branch.open for branch in branches)
    rows = []
    for question in questions:
        asked = [branch for branch in branches if branch.open == question]
        findings = dict.fromkeys(finding for branch in asked for finding in branch.findings)
        rows.append(
            (
                question,
                ", ".join(findings),
                "<br>".join(f"`{b.id}`: {tell_condition(b)} [{tell_evidence(b)}]" for b in asked),
            )
        )
    return render_table(("Not modelled", "Findings", "Where [seen]"), rows)


def is_told_before(branch: Branch) -> bool:
    """It is in one of the sections before the rest."""
    return any(has(branch) for has in SECTIONS.values())


def render_rest() -> str:
    """All others, a table for each group of classes."""
    parts = []
    for group in load_groups():
        rest = [branch for branch in group.branches if not is_told_before(branch)]
        parts += [f"### {group.title}", render_branches(rest)]
    return "\n\n".join(parts)


def render_left_out() -> str:
    """Why methods are left out as a whole, and how many of which class."""
    rows = []
    for rule in load_file(LEFT_OUT)["rule"]:
        owners = Counter(method.partition("#")[0] for method in rule["methods"])
        rows.append((rule["name"], rule["why"], ", ".join(f"`{o}` {n}" for o, n in owners.items())))
    return render_table(("Left out", "Why", "Methods by class"), rows)


def render_runs() -> str:
    """The counted runs."""
    rows = [(f"`{run['name']}`", run["says"]) for run in load_file(RUNS)["run"]]
    return render_table(("Run", "What was done"), rows)


def render_section(name: str) -> Callable[[], str]:
    """What writes one of the sections before the rest."""
    if name.startswith("open"):
        return lambda: render_questions(name)
    return lambda: render_branches(select(name))


CHAPTER = SPEC / "code_ledger.md"

PAGE = Page(
    CHAPTER,
    {
        "cover": render_cover,
        "classes": render_classes,
        **{name: render_section(name) for name in SECTIONS},
        "rest": render_rest,
        "left out": render_left_out,
        "runs": render_runs,
    },
    site_only=leave_to_site(CHAPTER, (*SECTIONS, "rest")),
)
"""The chapter."""
