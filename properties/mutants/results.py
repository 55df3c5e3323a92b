"""Results as they come, so that an interrupted run can go on, and the stored table of all of them.

A file has one line of JSON per rule. Lines that were made from other rules, or by other judges, are
passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from properties.generated_text import ROOT
from properties.mutants.findings import RuleFindings, compute_world_digest, decode, encode
from properties.worlds import STRUCTURES_BY_WORLD

RESULTS_NAME = "results.jsonl"

TABLE = ROOT / "tests" / "data" / "mutants.json"
"""What the whole run found; ``./rmqspec mutants --json`` writes it anew."""


def append(folder: Path, found: RuleFindings) -> None:
    """Add the findings about one rule. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / RESULTS_NAME).open("a", encoding="utf-8") as file:
        file.write(json.dumps(encode(found)) + "\n")


def read(folder: Path) -> list[RuleFindings]:
    """What an earlier run has found with the rules of now; a broken line is passed over."""
    path = folder / RESULTS_NAME
    if not path.exists():
        return []
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            entry = decode(json.loads(line))
        except (ValueError, KeyError, TypeError):
            continue
        if entry.world in STRUCTURES_BY_WORLD and entry.digest == compute_world_digest(entry.world):
            found.append(entry)
    return found


def render_json(found: Iterable[RuleFindings]) -> str:
    """The stored table: a list with one line per rule."""
    return "[\n" + ",\n".join(json.dumps(encode(entry)) for entry in found) + "\n]\n"


def load_table(path: Path = TABLE) -> tuple[RuleFindings, ...]:
    """The stored table, in the order of worlds and rules. Raises OSError."""
    return tuple(decode(entry) for entry in json.loads(path.read_text(encoding="utf-8")))
