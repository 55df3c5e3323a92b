"""Which mutants of replication's rules the search contradicts by a recording, beside the plan.

``python -m tests.properties.mutants_by_search`` searches under a seeded sample of the mutants that
the plan contradicts by ``tests/data/mutants.json``, and of the others, and writes
``tests/data/mutants_by_search.json`` (twenty minutes on a small machine).
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import attrs

from properties.mutants.derivation import RuleMutant, list_mutants
from properties.mutants.search_judge import find_explained, find_unexplained

DATA = Path(__file__).parents[1] / "data"
TRACES = DATA / "traces"
TABLE = DATA / "mutants_by_search.json"

KILLED, OTHERS, SEED = 120, 60, 44
"""How many mutants are drawn that the plan contradicts, how many others, and from which seed."""


def read_planned() -> dict[str, dict[str, Any] | None]:
    """By mutant of replication: the recording that contradicts it by plan; None for none."""
    rows = json.loads((DATA / "mutants.json").read_text(encoding="utf-8"))
    return {
        finding["name"]: finding.get("recording")
        for row in rows
        if row["world"] == "replication"
        for finding in row["findings"]
        if finding.get("likeness") == "different"
    }


def choose() -> list[RuleMutant]:
    """The mutants that are searched, of rules that the explanations need."""
    rules = frozenset().union(*(each.rules for each in find_explained(TRACES).values()))
    planned = read_planned()
    needed = [
        each for each in list_mutants("replication") if each.rule in rules and each.name in planned
    ]
    killed = [each for each in needed if planned[each.name]]
    others = [each for each in needed if not planned[each.name]]
    chance = random.Random(SEED)
    drawn = ((killed, KILLED), (others, OTHERS))
    return [each for every, most in drawn for each in chance.sample(every, min(most, len(every)))]


def main() -> None:
    """Writes the file."""
    planned, rows, counts = read_planned(), [], Counter[str]()
    for number, mutant in enumerate(choose()):
        found = find_unexplained(mutant, TRACES)
        plan = planned[mutant.name]
        word = "none" if found is None else "undecided" if found.is_undecided else "refused"
        counts[f"plan {'refused' if plan else 'none'}, search {word}"] += 1
        told = attrs.asdict(found) if found else None
        rows.append({"name": mutant.name, "plan": plan, "search": told})
        if number % 20 == 0:
            print(number, mutant.name, word, file=sys.stderr, flush=True)
    head = {
        "command": "python -m tests.properties.mutants_by_search",
        "seed": SEED,
        "counts": dict(sorted(counts.items())),
    }
    text = json.dumps(head, indent=1).removesuffix("\n}")
    lines = ",\n".join(json.dumps(row) for row in rows)
    TABLE.write_text(f'{text},\n "mutants": [\n{lines}\n]\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
