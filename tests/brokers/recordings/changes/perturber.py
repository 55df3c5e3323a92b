"""One changed copy after another, of every recording, and what is said of each.

``python -m tests.brokers.recordings.changes.perturber`` judges a few copies for each field and
change, and writes ``.rmqspec/measurements/perturbations.json``; ``--table`` prints what that says,
by field. ``--check`` only says, by 1, if there is no measurement of these rules.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import evolve, frozen

from brokers.recordings.inspection.looks import Looks
from brokers.recordings.judging import CONFORMS, REJECTED, UNDECIDED, check_recording, find_version
from brokers.recordings.reading import Recording, TraceError, read_recording
from properties.judges.measurements import read_measurement, write_measurement
from reference.releases.versions import Version
from tests.brokers.recordings.changes.allowed import find_reason
from tests.brokers.recordings.changes.edits import Corruption
from tests.brokers.recordings.changes.events import change_events
from tests.brokers.recordings.changes.values import change_values, leave_out_entries
from tests.brokers.recordings.shared import ALL

MEASUREMENT = "perturbations"

PER_CHANGE = 4
"""How many copies are judged for each field and kind of change."""

EVENTS_MAX = 300
"""Recordings with more are explained slowly."""

SEED = 44

MALFORMED = "malformed"
ALLOWED = "allowed"
"""Accepted, and the table tells why."""
WORDS = (MALFORMED, REJECTED, ALLOWED, CONFORMS, UNDECIDED)


@frozen
class Copy:
    """A changed copy of a recording."""

    recording: str
    change: Corruption

    def describe(self) -> str:
        """In one line."""
        return f"{self.recording} {self.change.describe()} ({self.change.change})"


@frozen
class Original:
    """A recording that conforms, and what of it is read."""

    recording: Recording
    version: Version
    looks: Looks


@cache
def open_original(name: str) -> Original:
    """A recording, explained once."""
    recording = read_recording(next(path for path in ALL if path.stem == name))
    version, looks = find_version(recording) or Version(), Looks()
    assert check_recording(looks.watch(recording), version=version).is_conforming, name
    return Original(recording, version, looks)


@cache
def list_names() -> tuple[str, ...]:
    """The recordings that are explained quickly."""
    return tuple(p.stem for p in ALL if len(read_recording(p).events) <= EVENTS_MAX)


def perturb(name: str, chance: random.Random) -> Iterator[Copy]:
    """Every changed copy of a recording."""
    original = open_original(name)
    recording, is_read = original.recording, original.looks.is_read
    every = chain(
        change_values(recording, chance, is_read),
        leave_out_entries(recording, is_read),
        change_events(recording),
    )
    return (Copy(name, each) for each in every)


def draw(names: Iterable[str] | None = None, per_change: int = PER_CHANGE) -> list[Copy]:
    """So many of each change of each field, at most."""
    chance = random.Random(SEED)
    found: dict[tuple[str, str], list[Copy]] = defaultdict(list)
    for name in list_names() if names is None else names:
        for each in perturb(name, chance):
            found[each.change.name, each.change.change].append(each)
    groups = (group for _, group in sorted(found.items()))
    return [e for group in groups for e in chance.sample(group, min(per_change, len(group)))]


def judge(copy: Copy) -> str:
    """What is said of a copy, read from a file as anybody's would be: one of WORDS."""
    original = open_original(copy.recording)
    try:
        changed = read_again(copy.change.apply(original.recording))
    except TraceError:
        return MALFORMED
    word = check_recording(changed, version=original.version).verdict
    return ALLOWED if word == CONFORMS and find_reason(copy.change) else word


def read_again(recording: Recording) -> Recording:
    """The recording written to a file and read. Raises TraceError."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "copy.jsonl"
        events = (recording.config, *recording.events)
        lines = (json.dumps({**e.data, "ev": e.kind}) for e in events)
        path.write_text("\n".join(lines), encoding="utf-8")
        return evolve(read_recording(path), file=recording.file)


def list_wrong(copies: Iterable[Copy]) -> list[str]:
    """Copies that are accepted, and should not be."""
    return [copy.describe() for copy in copies if judge(copy) in (CONFORMS, UNDECIDED)]


def render(counts: dict[str, dict[str, int]]) -> Iterator[str]:
    """The counts as a table, a line for each field."""
    yield " | ".join(("field", "tried", *WORDS))
    every = sum(map(Counter, counts.values()), Counter[str]())
    for name, words in (*sorted(counts.items()), ("all", every)):
        numbers = (sum(words.values()), *(words.get(word, 0) for word in WORDS))
        yield " | ".join((name, *map(str, numbers)))


def main(arguments: Sequence[str]) -> int:
    """Measure, or say what was measured; 1 for no measurement, or with ``--check`` an old one."""
    if arguments:
        measured = read_measurement(MEASUREMENT)
        if measured is None:
            print("nothing is measured in this checkout", file=sys.stderr)
        elif "--table" in arguments:
            print("\n".join((measured.describe(), "", *render(measured.result["counts"]))))
        return int(measured is None or ("--check" in arguments and not measured.is_of_these_rules))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    drawn = draw()
    for number, copy in enumerate(drawn):
        counts[copy.change.name][word := judge(copy)] += 1
        if word in (CONFORMS, UNDECIDED):
            print(word, copy.describe())
        if number % 100 == 0:
            print(f"{number} of {len(drawn)}", file=sys.stderr)
    print(write_measurement(MEASUREMENT, {"seed": SEED, "tried": len(drawn), "counts": counts}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
