"""Fingerprints of all states of small instances: other states are noticed, though as many.

``python -m tests.spark_fuzz.state_digests`` makes them anew after a change of the rules, into
``tests/data/state_digests.json``: of every instance by which some mutant is killed so and only so,
so that each of these kills is a test that would fail.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from properties.mutants.findings import compute_world_digest, load_table
from properties.verdicts.certificate_files import write_whole
from spark_fuzz.search.small_instances import (
    STATES_MORE,
    ListedInstance,
    get_budget,
    get_graph,
    list_further_instances,
    list_instances,
)
from spark_fuzz.search.state_graph import list_keys

FILE = Path(__file__).parents[1] / "data" / "state_digests.json"


def list_asked() -> Iterator[tuple[str, ListedInstance]]:
    """World and instance of each kill by other values, each once."""
    seen: set[str] = set()
    for entry in load_table():
        names = {f.values["instance"] for f in entry.findings if f.killers == ("values",)}
        names = {name for name in names if f"{entry.world}: {name}" not in seen}
        if not names:
            continue
        known = (
            *list_instances(entry.world, entry.rule),
            *list_further_instances(entry.world, entry.rule),
        )
        for instance in known:
            key = f"{entry.world}: {instance.name}"
            if instance.name in names and key not in seen:
                seen.add(key)
                yield entry.world, instance


def compute_state_digest(instance: ListedInstance) -> str:
    """A fingerprint of the states of each depth, whatever the order in which they are found."""
    graph = get_graph(instance, get_budget(instance) if instance.start else STATES_MORE)
    text = hashlib.sha256()
    for depth in range(len(graph.states_per_depth)):
        text.update(b"".join(sorted(list_keys(graph.get_level(depth)))))
    return text.hexdigest()[:16]


def load_digests() -> dict[str, dict[str, str]]:
    """By world and instance: the fingerprint of the rules, and that of the states."""
    digests: dict[str, dict[str, str]] = json.loads(FILE.read_text())
    return digests


def main(arguments: Sequence[str]) -> int:
    """Make all anew; with ``--check`` only say, by 1, if rules or kills have changed since."""
    rules = {f"{world}: {i.name}": compute_world_digest(world) for world, i in list_asked()}
    if "--check" in arguments:
        return int(rules != {name: entry["rules"] for name, entry in load_digests().items()})
    digests = {
        name: {"rules": rules[name], "states": compute_state_digest(instance)}
        for world, instance in list_asked()
        for name in [f"{world}: {instance.name}"]
    }
    write_whole(FILE, json.dumps(digests, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
