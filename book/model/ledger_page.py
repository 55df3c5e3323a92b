"""The share of the sources, counted from the ledger for ``spec/limits.md``.

``rmqspec docs --write spec/limits.md`` writes it anew.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from attrs import frozen

from properties.generated_text import SPEC, Page, render_table
from properties.worlds.catalogue import OTHER_WORLDS

LEDGER = SPEC / "ledger"

Entry: TypeAlias = Mapping[str, Any]
"""One statement, as the ledger has it."""

WORLD_PREFIXES = tuple(f"{world.topic}:" for world in OTHER_WORLDS)
"""How the ledger names rules and guarantees of the worlds beside replication."""


@frozen
class SourcePart:
    """A part of a source, which is counted by itself."""

    title: str
    source: str
    """As the ledger's files name it."""
    pattern: str = ".*"
    """What its statements' identifiers begin with."""

    def has(self, source: str, entry: Entry) -> bool:
        """The statement belongs to this part."""
        return source == self.source and re.match(self.pattern, entry["id"]) is not None


PARTS = (
    SourcePart("1. Commit log, put path, flush", "semantics", "R-(CL|FL)-"),
    SourcePart("2. Recovery and dispatch", "semantics", "R-(RC|RP)-"),
    SourcePart("3. Replication on the master", "semantics", "R-HA-"),
    SourcePart("4. Replication on the slave", "semantics", "R-HC-"),
    SourcePart("5. Acknowledgements", "semantics", "R-AK-"),
    SourcePart("6. Copied metadata", "semantics", "R-MS-"),
    SourcePart("7. Name server and registration", "semantics", "R-NS-"),
    SourcePart("8. Pulls in the store", "semantics", "R-GM-"),
    SourcePart("9. Pulls in the processor", "semantics", "R-PM-"),
    SourcePart("10. Consumer offsets on brokers", "semantics", "R-CO-"),
    SourcePart("11. Clients", "semantics", "R-(CC|PR)-"),
    SourcePart("12. Subscription groups", "semantics", "R-SG-"),
    SourcePart("13. Roles and other services", "semantics", "R-BR-"),
    SourcePart("15. Known consequences", "semantics", "K-"),
    SourcePart("17. Later versions", "semantics", "V-"),
    SourcePart("Store of 4.4.0, tested row by row", "store of 4.4.0"),
    SourcePart("Recordings of 4.4.0", "recordings of 4.4.0"),
    SourcePart("Recordings of 4.9.8, notes on releases", "recordings of 4.9.8"),
    SourcePart("Seed 000: synchronous and asynchronous copies", "seed 000"),
    SourcePart("Seed 001: highly available brokers", "seed 001"),
    SourcePart("Seed 002: reading from slaves, progress", "seed 002"),
    SourcePart("Seed 003: copying metadata, later form", "seed 003"),
    SourcePart("Seed 004: copying metadata and messages", "seed 004"),
    SourcePart("Known issues", "known issues", "issue-"),
    SourcePart("Threads beside the survey", "threads"),
    SourcePart("Promises of the documentation", "known issues", "promise-"),
    SourcePart("Requests of users", "known issues", "request-"),
)
"""The sections of the dossier by their numbers, then the other sources."""


def load_entries() -> tuple[tuple[str, Entry], ...]:
    """Every statement of the ledger, with its source."""
    files = (tomllib.loads(path.read_text("utf-8")) for path in sorted(LEDGER.glob("*.toml")))
    return tuple((file["source"], entry) for file in files for entry in file["entry"])


def is_modelled_by_rules(entry: Entry) -> bool:
    """A rule, a guarantee or a variant models it, so faults and proofs cover it."""
    return any(
        ":" not in name or name.startswith(("variant:", *WORLD_PREFIXES))
        for name in entry.get("by", ())
    )


def is_modelled_by_functions(entry: Entry) -> bool:
    """Only functions, or the checker of recordings, model it."""
    return entry["treatment"] == "modelled" and not is_modelled_by_rules(entry)


COLUMNS: Mapping[str, Callable[[Entry], bool]] = {
    "statements": lambda entry: True,
    "modelled by rules": is_modelled_by_rules,
    "by functions": is_modelled_by_functions,
    "abstracted": lambda entry: entry["treatment"] == "abstracted",
    "left out": lambda entry: entry["treatment"] == "left_out",
    "planned": lambda entry: entry["treatment"] == "planned",
}
"""What is counted."""


def count(entries: Iterable[Entry]) -> tuple[int, ...]:
    """The number of statements in each column."""
    listed = list(entries)
    return tuple(sum(map(is_counted, listed)) for is_counted in COLUMNS.values())


def render_sources() -> str:
    """A row for each part of a source, and all of them together."""
    entries = load_entries()
    rows = [
        (part.title, *count(entry for source, entry in entries if part.has(source, entry)))
        for part in PARTS
    ]
    total = ("All", *count(entry for _, entry in entries))
    return render_table(("Source", *COLUMNS), [*rows, total])


def render_plans() -> str:
    """The plans, by topic; a sentence if nothing is left."""
    planned = Counter(e["planned_in"] for _, e in load_entries() if "planned_in" in e)
    if not planned:
        return "Nothing: every statement is decided."
    return render_table(("Planned about", "statements"), sorted(planned.items()))


PAGE = Page(SPEC / "limits.md", {"sources": render_sources, "plans": render_plans})
"""The chapter."""
