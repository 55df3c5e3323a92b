"""Which changed values of recordings are noticed.

``python -m tests.brokers.recordings.perturbing`` draws a few changes of each field that somebody
reads, judges them, and writes ``.rmqspec/measurements/perturbations.json`` (twenty minutes).
``--table`` prints what that says, by field. ``--check`` only says, by 1, if there is no measurement
of these rules. A short list of changes that are to be noticed is in
``tests/data/noticed_changes.jsonl.xz``.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import attrs
from attrs import evolve, frozen

from brokers.recordings.inspection.looks import Looks
from brokers.recordings.judging import (
    CONFORMS,
    REJECTED,
    UNDECIDED,
    check_recording,
    find_version,
)
from brokers.recordings.reading import Recording, TraceError, read_recording
from properties.judges.measurements import read_measurement, write_measurement
from reference.releases.versions import Version
from tests.brokers.recordings.edits import Corruption, Edit
from tests.brokers.recordings.shared import FOUND
from tests.brokers.recordings.value_changes import change_values, change_values_far
from tests.compressed import read_compressed

DATA = Path(__file__).parents[2] / "data"
LIST = DATA / "noticed_changes.jsonl.xz"
"""Changes that are noticed: one for half of the kinds of events and of changes, as they come."""

MEASUREMENT = "perturbations"

RECORDINGS = (
    *("traces/a_sync_healthy", "traces/b2_slave_node_rejects_put", "traces/d2_fallbehind_exact"),
    *("traces/e_async_lag_catchup", "traces/f_slave_restart_resume", "traces/j_rollover"),
    *("traces/l_wait_store_false", "traces/m_master_kill9_page_cache", "traces/n_clean_restart"),
    *("traces/p_slave_behind_master_min", "traces/s_idle_500_3000", "traces/r_random_seed1"),
    *("traces/h_slave_ahead_master_empty", "traces/x1_pull_decision_table"),
    *("traces/x2_consumer_offsets_and_sync", "traces/x3_master_crash_slave_offsets"),
    *("traces_498/v498_a_sync_healthy", "traces_498/v498_i_two_slaves_one_stalled"),
    *("traces_498/v498_n_clean_restart", "traces_498/v498_u2_control_no_rollover"),
    *("traces_5x/v533_a_sync_healthy", "traces_5x/v533_quorum_c_stall_heal"),
    *("traces_5x/v533_f_slave_restart_resume", "traces_5x/v533_quorum_i_two_slaves"),
    *("traces_by_search/c3_sync_stall_housekeeping",),
    *("traces_by_search/v498_n2_slave_shutdown_without_exit",),
)
"""Those that are explained quickly."""

PER_CHANGE = 2
"""How many copies are judged for each field and kind of change near by."""

PER_FAR_CHANGE = 1
"""The same of each change to a number far away."""

SEED = 44

MALFORMED = "malformed"

NOTICED = (MALFORMED, REJECTED)
WORDS = (*NOTICED, UNDECIDED, CONFORMS)


Drawn: TypeAlias = tuple[str, Corruption]
"""The name of a recording, and one change of it."""


@frozen
class Sample:
    """One copy, and what was said of it."""

    recording: str
    copy: Corruption
    verdict: str
    """One of WORDS."""

    @property
    def is_noticed(self) -> bool:
        """The copy is no recording, or rejected."""
        return self.verdict in NOTICED

    def as_json(self) -> dict[str, Any]:
        """As it stands in the file."""
        (edit,) = self.copy.edits
        copy = {"name": self.copy.name, "change": self.copy.change, **attrs.asdict(edit)}
        told = {"recording": self.recording, "verdict": self.verdict}
        return {**told, **copy, "path": list(edit.path)}


def read_sample(row: Mapping[str, Any]) -> Sample:
    """What ``as_json`` wrote. Raises KeyError for anything else."""
    edit = Edit(row["seq"], tuple(row["path"]), row["new"], row["old"])
    return Sample(row["recording"], Corruption(row["name"], row["change"], (edit,)), row["verdict"])


def load_list() -> list[Sample]:
    """The changes that are to be noticed."""
    lines = read_compressed(LIST).splitlines()
    return [read_sample(json.loads(line)) for line in lines]


@frozen
class Original:
    """A recording that conforms, and what of it is read."""

    recording: Recording
    version: Version
    looks: Looks


def find_file(name: str) -> Path:
    """The file of a recording, which is named with its folder."""
    folder = FOUND.parent if name.startswith(f"{FOUND.name}/") else DATA
    return folder / f"{name}.jsonl"


@cache
def open_original(name: str) -> Original:
    """A recording, explained once."""
    recording = read_recording(find_file(name))
    version, looks = find_version(recording) or Version(), Looks()
    assert check_recording(looks.watch(recording), version=version).is_conforming, name
    return Original(recording, version, looks)


def judge(name: str, corruption: Corruption) -> Sample:
    """A copy, read from a file as anybody's would be, and judged."""
    original = open_original(name)
    try:
        copy = read_again(corruption.apply(original.recording))
    except TraceError:
        return Sample(name, corruption, MALFORMED)
    verdict = check_recording(copy, version=original.version)
    return Sample(name, corruption, verdict.verdict)


def read_again(recording: Recording) -> Recording:
    """The recording written to a file and read. Raises TraceError."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "copy.jsonl"
        lines = (json.dumps(dict(e.data)) for e in (recording.config, *recording.events))
        path.write_text("\n".join(lines), encoding="utf-8")
        return evolve(read_recording(path), file=recording.file)


def draw(names: Iterable[str] = RECORDINGS) -> list[Drawn]:
    """A few of each change of each field, from all recordings, then of each change far away."""
    chance = random.Random(SEED)
    near, far = list[Drawn](), list[Drawn]()
    for name in names:
        original = open_original(name)
        recording, is_read = original.recording, original.looks.is_read
        near += [(name, each) for each in change_values(recording, chance, is_read)]
        far += [(name, each) for each in change_values_far(recording, is_read)]
    few = sample_each(near, chance, PER_CHANGE)
    return [*few, *sample_each(far, chance, PER_FAR_CHANGE)]


def sample_each(every: Iterable[Drawn], chance: random.Random, most: int) -> list[Drawn]:
    """Of each change of each field so many at most."""
    found: dict[tuple[str, str], list[Drawn]] = defaultdict(list)
    for name, each in every:
        found[each.name, each.change].append((name, each))
    groups = (group for _, group in sorted(found.items()))
    return [each for group in groups for each in chance.sample(group, min(most, len(group)))]


def count(samples: Iterable[Sample]) -> Mapping[str, Counter[str]]:
    """By field: how often what was said, and how many were noticed."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for sample in samples:
        counts = found[sample.copy.name]
        counts["tried"] += 1
        counts[sample.verdict] += 1
        counts["noticed"] += sample.is_noticed
    return found


def render(samples: Iterable[Sample]) -> Iterator[str]:
    """The counts as a table, a line for each field."""
    yield " | ".join(("field", "tried", "noticed", *WORDS))
    found = count(samples)
    every = sum(found.values(), Counter[str]())
    for name, counts in (*sorted(found.items()), ("all", every)):
        numbers = (counts[each] for each in ("tried", "noticed", *WORDS))
        yield " | ".join((name, *map(str, numbers)))


def main(arguments: Sequence[str]) -> int:
    """Measure, or say what was measured; 1 for no measurement, or with ``--check`` an old one."""
    if arguments:
        measured = read_measurement(MEASUREMENT)
        if measured is None:
            print("nothing is measured in this checkout", file=sys.stderr)
        elif "--table" in arguments:
            samples = map(read_sample, measured.result["samples"])
            print("\n".join((measured.describe(), "", *render(samples))))
        return int(measured is None or ("--check" in arguments and not measured.is_of_these_rules))
    samples = list(judge_all(draw()))
    noticed = sum(sample.is_noticed for sample in samples)
    rows = [sample.as_json() for sample in samples]
    told = {"seed": SEED, "tried": len(samples), "noticed": noticed, "samples": rows}
    print(write_measurement(MEASUREMENT, told))
    return 0


def judge_all(drawn: Iterable[Drawn]) -> Iterator[Sample]:
    """Judge each, and tell now and then how far it is."""
    for number, (name, each) in enumerate(drawn):
        yield judge(name, each)
        if number % 100 == 0:
            print(number, each.describe(), file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
