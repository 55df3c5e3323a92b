"""Fingerprints of all states of small instances: other states are noticed, though as many.

``python -m tests.spark_fuzz.state_digests`` makes them anew after a change of the rules, into
``tests/data/state_digests.json``: of every instance by which some mutant is killed so and only so,
so that each of these kills is a test that would fail. Which these are is known from the measurement
of mutants; without one they stay the same.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from properties.mutants.findings import compute_world_digest, load_table
from properties.verdicts.storage.certificate_files import write_whole
from spark_fuzz.judges.small_instances import (
    STATES_MORE,
    ListedInstance,
    get_budget,
    get_graph,
    list_further_instances,
    list_instances,
)
from spark_fuzz.search.state_graph import list_keys

FILE = Path(__file__).parents[1] / "data" / "state_digests.json"


def list_kills() -> Iterator[tuple[str, str, str]]:
    """World, rule and instance of kills by other values; the stored ones if none are measured."""
    table = load_table()
    for entry in table:
        for finding in entry.findings:
            if finding.values is not None and finding.killers == ("values",):
                yield entry.world, entry.rule, finding.values["instance"]
    if not table:
        for name, stored in load_digests().items():
            world, _, instance = name.partition(": ")
            yield world, stored["rule"], instance


def list_asked() -> Iterator[tuple[str, str, ListedInstance]]:
    """World, rule and instance of each kill by other values, each instance once.

    One that there is no more once rules have changed is told and left out.
    """
    seen: set[str] = set()
    for world, rule, name in list_kills():
        if f"{world}: {name}" not in seen:
            seen.add(f"{world}: {name}")
            known = (*list_instances(world, rule), *list_further_instances(world, rule))
            found = next((each for each in known if each.name == name), None)
            if found is None:
                print(f"{world}: {name} is gone", file=sys.stderr)
            else:
                yield world, rule, found


def compute_state_digest(instance: ListedInstance) -> str:
    """A fingerprint of the states of each depth, whatever the order in which they are found."""
    graph = get_graph(instance, get_budget(instance) if instance.start else STATES_MORE)
    text = hashlib.sha256()
    for depth in range(len(graph.states_per_depth)):
        text.update(b"".join(sorted(list_keys(graph.get_level(depth)))))
    return text.hexdigest()[:16]


def load_digests() -> dict[str, dict[str, str]]:
    """By world and instance: a rule with a mutant that dies there, digests of rules and states."""
    digests: dict[str, dict[str, str]] = json.loads(FILE.read_text())
    return digests


def main(arguments: Sequence[str]) -> int:
    """Make all anew; with ``--check`` only say, by 1, if rules have changed since."""
    if "--check" in arguments:
        stored = ((name.partition(": ")[0], e["rules"]) for name, e in load_digests().items())
        return int(any(rules != compute_world_digest(world) for world, rules in stored))
    digests = {
        f"{world}: {instance.name}": {
            "rule": rule,
            "rules": compute_world_digest(world),
            "states": compute_state_digest(instance),
        }
        for world, rule, instance in list_asked()
    }
    write_whole(FILE, json.dumps(digests, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
