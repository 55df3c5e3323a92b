"""The ledger of the code has every decision once, and names only what there is."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest

from book.model import code_ledger_page
from book.model.code_ledger_page import (
    COLUMNS,
    FIELD_BY_TREATMENT,
    LEFT_OUT,
    RUNS,
    SECTIONS,
    UNRANKED,
    Branch,
    DecisionGroup,
    count,
    is_told_before,
    list_branches,
    load_file,
    render_branches,
    render_questions,
    render_rest,
    tell_evidence,
)
from properties.checkout import ROOT
from properties.generated_text import SPEC
from properties.worlds.catalogue import OTHER_WORLDS
from reference.worlds.replication.rules import RULES
from tests.spec.pure_names import find_pure_names

INDEX = ROOT / "tests" / "data" / "code_branches.toml"
SHARED = ROOT.parent / "shared"
ORACLE = SHARED / "oracle"

ASIDES = {"logging", "statistics", "guard", "unreachable"}
"""Why nothing that anybody else can notice hangs on a decision."""

FINDING = re.compile(r"F1(0[1-9]|1\d|20)|F2(0[1-9]|1[0-2])")
"""Twenty findings about the log, twelve by reading."""

CITATION = re.compile(r"(\w+) seq (\d+)")

PART = re.compile(r"\d+ (holds|fails)")

ROW = re.compile(r"\b[TB]\d-\d{4,5}\b")


def load_index() -> dict[str, dict[str, object]]:
    """What a parser has counted, by whether the ledger keeps the method."""
    return tomllib.loads(INDEX.read_text(encoding="utf-8"))


def test_every_decision_is_there_once() -> None:
    """Each method has the decisions that the parser lists, of their kinds and in their order."""
    listed: dict[str, list[tuple[int, str]]] = {}
    for branch in list_branches():
        method, number = branch.id.rsplit("/", maxsplit=1)
        listed.setdefault(method, []).append((int(number), branch.kind))
    kept = load_index()["kept"]
    expected = {
        method: list(enumerate(kinds, start=1))
        for method, kinds in kept.items()
        if isinstance(kinds, list)
    }
    assert expected == {method: sorted(numbered) for method, numbered in listed.items()}


def test_every_method_that_is_left_out_has_one_reason() -> None:
    """None is forgotten, and none is kept all the same."""
    methods = Counter(method for rule in load_file(LEFT_OUT)["rule"] for method in rule["methods"])
    assert dict.fromkeys(load_index()["left_out"], 1) == methods


def test_every_branch_has_one_treatment() -> None:
    """The field of its treatment, with something in it, and no other one's."""
    wrong = [
        branch.id
        for branch in list_branches()
        if [t for t, field in FIELD_BY_TREATMENT.items() if getattr(branch, field)]
        != [branch.treatment]
        or (branch.chapter and branch.treatment != "limit")
        or (branch.rank != UNRANKED and branch.treatment != "open")
        or (branch.treatment == "aside" and branch.aside not in ASIDES)
    ]
    assert [] == wrong


def test_every_branch_says_when_and_what() -> None:
    """Both in words; a decision that is only counted when it holds has nothing for when not."""
    wrong = [
        branch.id
        for branch in list_branches()
        if not branch.when
        or not branch.does
        or (len(branch.ways) == 1 and (branch.fails_in_rows or branch.fails_in_runs))
        or not all(map(PART.fullmatch, branch.parts_never))
    ]
    assert [] == wrong


def test_named_rules_exist() -> None:
    """Of replication, of the worlds, or functions."""
    known = RULES.keys() | find_pure_names()
    known |= {f"{world.topic}:{name}" for world in OTHER_WORLDS for name in world.rules}
    named = {rule for branch in list_branches() for rule in branch.rules}
    assert set() == named - known


def test_named_chapters_of_limits_exist() -> None:
    """A limit that is told elsewhere is told under that heading."""
    text = (SPEC / "limits.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^## (.+)$", text, re.MULTILINE))
    assert set() == {branch.chapter for branch in list_branches() if branch.chapter} - headings


def test_named_runs_are_described() -> None:
    """And every run that is described was needed."""
    described = [run["name"] for run in load_file(RUNS)["run"]]
    named = {
        run for branch in list_branches() for run in (*branch.holds_in_runs, *branch.fails_in_runs)
    }
    assert len(described) == len(set(described))
    assert set() == named - set(described)


def test_findings_are_well_formed() -> None:
    """A letter and a number that there is."""
    named = {finding for branch in list_branches() for finding in branch.findings}
    assert [] == [finding for finding in sorted(named) if not FINDING.fullmatch(finding)]


@cache
def find_row_ids() -> frozenset[str]:
    """Every row of every oracle table."""
    return frozenset(
        json.loads(line)["id"]
        for path in ORACLE.glob("*/*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith('{"id":')
    )


@pytest.mark.skipif(not ORACLE.is_dir(), reason="the oracle tables are not beside it (../shared)")
def test_named_rows_exist() -> None:
    """In the lists of rows, and in the words of open questions."""
    named = {
        row
        for branch in list_branches()
        for row in (*branch.holds_in_rows, *branch.fails_in_rows, *ROW.findall(branch.open))
    }
    assert set() == named - find_row_ids()


def read_numbers(recording: str) -> Iterator[int]:
    """The numbers of a recording's lines; none where there is no such recording."""
    for path in SHARED.glob(f"traces*/{recording}.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)["seq"]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the recordings are not beside it (../shared)")
def test_named_lines_of_recordings_exist() -> None:
    """The recording, and the line in it."""
    wrong = []
    for branch in list_branches():
        for citation in branch.recordings:
            found = CITATION.fullmatch(citation)
            if found is None or int(found[2]) not in read_numbers(found[1]):
                wrong.append((branch.id, citation))
    assert [] == wrong


def test_every_branch_is_told_once() -> None:
    """In one of the sections before the rest, or in the rest."""
    rest = render_rest()
    for branch in list_branches():
        sections = [name for name, has in SECTIONS.items() if has(branch)]
        assert len(sections) + (f"| `{branch.id}` |" in rest) == 1, branch.id
        assert bool(sections) == is_told_before(branch)


def test_columns_add_up() -> None:
    """Treatments and evidences each make up all branches."""
    numbers = dict(zip(COLUMNS, count(list_branches()), strict=True))
    treatments = sum(numbers[name] for name in FIELD_BY_TREATMENT)
    runs = sum(numbers[name] for name in ("every way run", "one way run", "never run"))
    assert numbers["branches"] == treatments == runs == len(list_branches())


def make_branch(**fields: object) -> Branch:
    """A decision that nothing stands for."""
    known = {"id": "A#b/1", "kind": "if", "when": "w", "does": "d", "treatment": "open"}
    return Branch(**{**known, "open": "why", **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "evidence"),
    [
        ({}, "never run"),
        ({"holds_in_rows": ("T1-00001",)}, "one way run"),
        ({"fails_in_runs": ("a",), "recordings": ("r seq 1",)}, "every way run"),
        ({"kind": "catch", "recordings": ("r seq 1",)}, "every way run"),
        ({"parts_never": ("2 holds",)}, "never run"),
    ],
)
def test_evidence_counts_ways(fields: dict[str, object], evidence: str) -> None:
    """A recording shows that the condition held; a catch has one way only."""
    assert make_branch(**fields).evidence == evidence


def test_evidence_is_told() -> None:
    """For each way, and for parts of the condition."""
    branch = make_branch(fails_in_rows=("T1-00001",), parts_never=("2 holds",))
    assert tell_evidence(branch) == "holds: never; fails: T1-00001; part 2 never holds"


def test_questions_come_by_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    """What harms most first; branches with one question share a row."""
    branches = (
        make_branch(open="later"),
        make_branch(open="first", rank=1),
        make_branch(id="A#b/2", open="later"),
    )
    monkeypatch.setattr(code_ledger_page, "load_groups", lambda: (DecisionGroup("t", branches),))
    first, later = render_questions("open and not run").splitlines()[2:]
    assert first.startswith("| first |")
    assert later.count("A#b/") == 2


def test_an_empty_section_is_a_word() -> None:
    """A table without rows would be none."""
    assert render_branches([]) == "None."
