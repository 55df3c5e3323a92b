"""Schedules in which a rule differs from one of its mutants: questions of the set ``log``.

``python -m properties.vectors.sets.distinguishing`` takes them from the measurement of
mutants into ``distinguishing.json``, one a line, with the codes of its steps. They stay valid
questions when rules change, for their answers are computed when they are asked. With ``--check`` it
only says, by 1, if the mutants that they distinguish were not of these rules.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from properties.mutants.findings import MutantFinding, compute_world_digest, load_table
from properties.verdicts.storage.certificate_files import render_parts, write_whole
from properties.verdicts.storage.step_codes import pack_all, unpack_all
from reference.language.machine import Action

FILE = Path(__file__).with_name("distinguishing.json")

WORLD = "replication"


@frozen
class Distinguishing:
    """The shortest schedule known in which a rule differs from a mutant."""

    rule: str
    kind: str
    """The kind of the mutant."""
    instance: str
    """The small instance that was searched."""
    schedule: tuple[Action, ...]

    @property
    def row(self) -> list[Any]:
        """As it is stored."""
        steps = [[action.instance, dict(action.arguments)] for action in self.schedule]
        return [self.rule, self.kind, self.instance, steps]


def load() -> Iterator[Distinguishing]:
    """The stored schedules. Raises OSError, ValueError, KeyError."""
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    codes = {code: json.dumps(step) for code, step in stored["steps"].items()}
    for rule, kind, instance, steps in unpack_all(stored["schedules"], codes):
        yield Distinguishing(rule, kind, instance, tuple(Action(*step) for step in steps))


def select(findings: Iterable[MutantFinding]) -> list[Distinguishing]:
    """Each schedule once, under the name of the first mutant that it distinguishes."""
    found: dict[str, Distinguishing] = {}
    for finding in findings:
        if (told := finding.difference) is not None:
            steps = tuple(Action(*step) for step in told["schedule"])
            each = Distinguishing(finding.rule, finding.kind, told["instance"], steps)
            found.setdefault(json.dumps(each.row[2:]), each)
    return list(found.values())


def main(arguments: Sequence[str]) -> int:
    """Write the file anew; 1 without a measurement of these rules, or with ``--check`` if stale."""
    digest = compute_world_digest(WORLD)
    if "--check" in arguments:
        return int(json.loads(FILE.read_text(encoding="utf-8")).get("rules") != digest)
    entries = [entry for entry in load_table() if entry.world == WORLD]
    if {entry.digest for entry in entries} != {digest}:
        sys.stderr.write("no mutants of these rules are measured here; run ./rmqspec mutants\n")
        return 1
    save(select(finding for entry in entries for finding in entry.findings), digest)
    return 0


def save(chosen: Iterable[Distinguishing], digest: str) -> None:
    """Write the file, with the digest of the rules. Raises OSError."""
    steps: dict[str, str] = {}
    packed = [pack_all(each.row, steps) for each in chosen]
    rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in packed)
    head = f'{{"rules": "{digest}",\n"steps": {render_parts(steps)}'
    write_whole(FILE, f'{head},\n"schedules": [\n{rows}\n]}}\n')


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
