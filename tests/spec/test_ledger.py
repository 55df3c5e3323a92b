"""The ledger accounts for every statement of the sources, and says only what is there."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from properties.checkout import ROOT
from properties.worlds.catalogue import OTHER_WORLDS
from properties.worlds.replication.world import CLAIMS, CONVERGENCE, DIFFERENCES
from reference.releases.timing_differences import TIMING_DIFFERENCES
from reference.worlds.replication.changes import VARIANTS
from reference.worlds.replication.rules import RULES
from tests.spec.pure_names import find_pure_names

LEDGER = ROOT / "spec" / "ledger"
INDEX = ROOT / "tests" / "data" / "source_index.toml"
SHARED = ROOT.parent / "shared"

FIELD_BY_TREATMENT = {
    "modelled": "by",
    "abstracted": "how",
    "left_out": "why",
    "planned": "planned_in",
}
"""What an entry must say besides its treatment, and what no other entry may say."""

OTHER_FIELDS = {"id", "says", "treatment", "note"}
"""What an entry may say whatever its treatment; ``note`` is optional."""

PLANS: set[str] = set()
"""The topics that an entry may be planned in: none, every statement has its place."""

OUTSIDE_OF_RULES = ("configuration:", "trace:")
"""How a name begins that stands for neither a rule nor a claim."""

VARIANT = "variant:"
"""How the name of a variant begins."""

TIMING_DIFFERENCE = "timing_difference:"
"""How the name of a timing difference of later releases begins."""

OBSERVABLE_DIFFERENCE = "difference:"
"""How the name begins of what can be seen under one release and not under another."""

NUMBERED_BY_HAND = re.compile(r"seed-\d{3}-\d{2}|promise-\d{2}|issue-s1(-silent)?|issue-fact-\d{2}")
"""Identifiers of statements that carry no number in their source."""

CITATION = re.compile(r"\b(\w+) seq (\d+)")
"""A line of a recording: its name and its number."""

needs_sources = pytest.mark.skipif(
    not SHARED.is_dir(),
    reason="the source documents are not beside this checkout (../shared)",
)


def load_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def ledger_entries() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every entry of the ledger with its source."""
    for path in sorted(LEDGER.glob("*.toml")):
        content = load_toml(path)
        for entry in content["entry"]:
            yield content["source"], entry


def names_of(entry: dict[str, Any]) -> list[str]:
    """The rules, claims, variants and so on that an entry names, for what is done or is begun."""
    return [*entry.get("by", []), *entry.get("so_far", [])]


def section_of(text: str, heading: str) -> str:
    """The part of a Markdown document under a level-two heading that begins like this."""
    _, _, rest = text.partition(f"\n## {heading}")
    assert rest, f"no section {heading!r}"
    return rest.partition("\n## ")[0]


def read_source(*parts: str) -> str:
    """The text of one source document."""
    return SHARED.joinpath(*parts).read_text(encoding="utf-8")


def number_rows(prefix: str, rows: list[str]) -> set[str]:
    """Identifiers for rows that have none, in the order of their text."""
    return {f"{prefix}-{number:02}" for number in range(1, len(rows) + 1)}


def numbered_findings(prefix: str, section: str) -> set[str]:
    """The identifiers of the numbered items of a section."""
    return {f"{prefix}-{int(n):02}" for n in re.findall(r"^(\d+)\. ", section, re.MULTILINE)}


def extract_semantics() -> set[str]:
    """The rows that the source defines, in tables or in bold at the start of a line."""
    row = re.compile(r"^(?:\| |\*\*)((?:R-[A-Z]{2}|K|V)-\d{2})(?: \||\*\*)", re.MULTILINE)
    return set(row.findall(read_source("semantics.md")))


def extract_recordings_of_4_4_0() -> set[str]:
    """The numbered findings of the 4.4.0 recordings."""
    return numbered_findings(
        "recorded-440", section_of(read_source("traces", "README.md"), "Findings")
    )


def extract_recordings_of_4_9_8() -> set[str]:
    """The numbered observations of 4.9.8, the table of releases and the notes on 5.x."""
    text = read_source("traces_498", "README.md")
    releases = re.findall(r"^\| .*", section_of(text, "Which release"), re.MULTILINE)[1:]
    later = re.findall(r"^\* ", section_of(text, "5.x"), re.MULTILINE)
    return (
        numbered_findings("recorded-498", section_of(text, "What 4.9.8 does differently"))
        | number_rows("recorded-498-release", releases)
        | number_rows("recorded-498-later", later)
    )


def extract_known_issues() -> set[str]:
    """The numbered rows of the tables, and the numbered requests of users."""
    text = read_source("known_issues.md")
    rows = re.findall(r"^\| (\d+)([a-z]?) \|", text, re.MULTILINE)
    requests = re.findall(r"(?:^| )(\d+)\. ", section_of(text, "J. "), re.MULTILINE)
    return {f"issue-{int(number):02}{letter}" for number, letter in rows} | {
        f"request-{int(number):02}" for number in requests
    }


EXTRACTORS = {
    "semantics": extract_semantics,
    "recordings of 4.4.0": extract_recordings_of_4_4_0,
    "recordings of 4.9.8": extract_recordings_of_4_9_8,
    "known issues": extract_known_issues,
}
"""How to find the identifiers of a source in its document."""


def test_identifiers_are_unique() -> None:
    """No statement is accounted for twice."""
    ids = [entry["id"] for _, entry in ledger_entries()]
    twice = {name for name in ids if ids.count(name) > 1}
    assert set() == twice


def test_every_entry_says_what_its_treatment_needs() -> None:
    """Each entry has the field of its treatment, with something in it, and no other one's."""
    wrong = []
    for _, entry in ledger_entries():
        needed = FIELD_BY_TREATMENT[entry["treatment"]]
        allowed = OTHER_FIELDS | {needed}
        if entry["treatment"] == "planned":
            allowed |= {"so_far"}
        if not entry.get(needed) or not entry["says"] or not entry.keys() <= allowed:
            wrong.append(entry["id"])
    assert [] == wrong


def test_every_statement_is_one_short_sentence() -> None:
    """A statement begins like a sentence, ends in a full stop and fits on a line."""
    wrong = [
        entry["id"]
        for _, entry in ledger_entries()
        if len(entry["says"]) > 92 or not re.fullmatch(r"[A-Za-z0-9].*\.", entry["says"])
    ]
    assert [] == wrong


def test_planned_entries_name_a_known_topic() -> None:
    """What is planned is planned somewhere."""
    topics = {entry["planned_in"] for _, entry in ledger_entries() if "planned_in" in entry}
    assert set() == topics - PLANS


def test_named_rules_claims_and_variants_exist() -> None:
    """Every name in ``by`` and ``so_far`` is one of them, or says what else it is."""
    known = RULES.keys() | CLAIMS.keys() | {VARIANT + name for name in VARIANTS}
    known |= {TIMING_DIFFERENCE + name for name in TIMING_DIFFERENCES} | {
        OBSERVABLE_DIFFERENCE + name for name in DIFFERENCES
    }
    known |= find_pure_names()
    known |= {f"{w.topic}:{name}" for w in OTHER_WORLDS for name in (*w.rules, *w.claims)}
    unknown = {
        name
        for _, entry in ledger_entries()
        for name in names_of(entry)
        if name not in known and not name.startswith(OUTSIDE_OF_RULES)
    }
    assert set() == unknown


def test_every_claim_of_convergence_is_accounted_for() -> None:
    """Somebody asked for each, or ran into its opposite."""
    named = {name for _, entry in ledger_entries() for name in names_of(entry)}
    assert set() == CONVERGENCE.keys() - named


def test_every_rule_is_accounted_for() -> None:
    """No rule is in the model that no statement of a source asks for."""
    named = {name for _, entry in ledger_entries() for name in names_of(entry)}
    assert set() == RULES.keys() - named


def test_every_change_of_a_release_is_accounted_for() -> None:
    """No release differs from 4.4.0 in what no statement of a source says."""
    named = {name for _, entry in ledger_entries() for name in names_of(entry)}
    changes = {VARIANT + v.name for v in VARIANTS.values() if v.span}
    assert set() == (changes | {TIMING_DIFFERENCE + name for name in TIMING_DIFFERENCES}) - named


def test_ledger_is_complete() -> None:
    """The ledger has exactly the statements of every source, no more and no less."""
    expected = {(source, name) for source, ids in load_toml(INDEX).items() for name in ids}
    actual = {(source, entry["id"]) for source, entry in ledger_entries()}
    assert expected == actual


@needs_sources
@pytest.mark.parametrize("source", EXTRACTORS)
def test_index_agrees_with_the_source_documents(source: str) -> None:
    """The index lists what a regular expression finds in the source document today."""
    listed = {name for name in load_toml(INDEX)[source] if not NUMBERED_BY_HAND.fullmatch(name)}
    assert EXTRACTORS[source]() == listed


@needs_sources
def test_citations_exist() -> None:
    """Every line of a recording that an entry cites exists."""
    wrong = []
    for _, entry in ledger_entries():
        for name, number in CITATION.findall(entry.get("note", "")):
            path = SHARED / "traces" / f"{name}.jsonl"
            lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
            if not any(json.loads(line)["seq"] == int(number) for line in lines):
                wrong.append((entry["id"], name, number))
    assert [] == wrong
