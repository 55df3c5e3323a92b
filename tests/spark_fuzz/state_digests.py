"""Fingerprints of all states of small instances: other states are noticed, though as many.

``python -m tests.spark_fuzz.state_digests`` makes them anew after a change of the rules, into
``tests/data/state_digests.json``: of every instance by which some mutant is killed so and only so,
so that each of these kills is a test that would fail.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from properties.mutants.findings import compute_world_digest, load_table
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


def main() -> None:
    """Make all anew."""
    digests = {
        f"{world}: {instance.name}": {
            "rules": compute_world_digest(world),
            "states": compute_state_digest(instance),
        }
        for world, instance in list_asked()
    }
    FILE.write_text(json.dumps(digests, indent=1) + "\n")


if __name__ == "__main__":
    main()
