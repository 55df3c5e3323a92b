"""Artefacts of modules that are run by themselves: ``python -m MODULE``.

Most say by themselves whether they are current: with ``--check`` a module writes nothing, and
leaves with 0 if what it would write is current. Of tables of recordings and of wire mutants this
keeps a digest, which covers the code that explains recordings. It does not cover that of our own
broker, or else each change of a word would cost minutes: nightly tests compute those rows again.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache, partial

from attrs import frozen

from command_line.renewal.artefact import Artefact, Need, NotRenewedError, Say
from properties.checkout import ROOT
from properties.verdicts.fingerprint import compute_rules_digest
from properties.verdicts.storage.certificate_files import read_entries, write_entry
from properties.worlds.replication.structures import CONTROLLED_GROUPS, STOCK_PAIR
from properties.worlds.tables.world import TABLES
from reference.releases.versions import RULE_SETS, USUAL, apply_rule_set

CHECK = "--check"

MODULES = (
    ("counterexamples of lemmas", "properties.z3.lemma_counterexamples", Need.PAGE, 100),
    ("counts of SPIN", "spark_fuzz.search.peers", Need.PAGE, 600),
    ("counts of TLC", "properties.exports.tlc", Need.PAGE, 600),
    ("counts of states", "tests.spark_fuzz.state_counts", Need.PAGE, 120),
    ("digests of states", "tests.spark_fuzz.state_digests", Need.PAGE, 120),
    ("planted mistakes", "spark_fuzz.judges.planted_run", Need.MEASUREMENT, 7200),
    ("changed values", "tests.brokers.recordings.changes.perturber", Need.MEASUREMENT, 900),
    ("kill rates of vectors", "properties.vectors.kill_rates", Need.MEASUREMENT, 400),
    ("schedules of mutants", "properties.vectors.sets.distinguishing", Need.MEASUREMENT, 5),
)
"""Name, module, what needs it, and about how many seconds it takes.

A clone has no measurements: they are looked at only when they are asked for.
"""


NEEDS: Mapping[str, tuple[str, ...]] = {"counts of TLC": ("counts of SPIN",)}
"""What else they are computed from: TLC is asked about the violations that SPIN has found."""


EXPLAINING = ("brokers/explaining", "brokers/recordings")
"""The code by which a recording is explained, from the root."""

DIGESTS = ROOT / "tests" / "data" / "table_digests.json"
"""Of each table the digest of what was read when it was made."""


@cache
def compute_judging_digest() -> str:
    """Of the rules by which recordings are judged, and which our own broker follows."""
    groups = (apply_rule_set(STOCK_PAIR, name) for name in (USUAL, *RULE_SETS))
    return compute_rules_digest((*groups, *CONTROLLED_GROUPS, *TABLES.structures))


@frozen
class JudgedTable:
    """A table of what the rules say of recordings or brokers, of which a digest is kept."""

    name: str
    module: str
    seconds: float
    need: Need = Need.PAGE
    folders: tuple[str, ...] = ()
    """The recordings that it is about: folders of ``tests/data``."""
    needs: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    """Folders of the code that it rests on, from the root."""

    def compute_digest(self) -> str:
        """Of the rules, its recordings and its code now. Raises OSError."""
        digest = hashlib.sha256(compute_judging_digest().encode())
        for folder in self.folders:
            for path in sorted((ROOT / "tests" / "data" / folder).glob("*.jsonl*")):
                digest.update(path.name.encode() + path.read_bytes())
        for folder in self.code:
            for path in sorted((ROOT / folder).rglob("*.py")):
                digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
        return digest.hexdigest()[:16]

    def is_current(self) -> bool:
        """Neither rules nor recordings have changed. Raises OSError and ValueError."""
        return bool(read_entries(DIGESTS).get(self.name) == self.compute_digest())

    def make(self, say: Say) -> str:
        """Make it, then keep the digest from before. Raises NotRenewedError."""
        digest = self.compute_digest()
        told = make(self.module, say)
        write_entry(DIGESTS, self.name, digest, [table.name for table in JUDGED])
        return told


JUDGED = (
    JudgedTable(
        "alarms in recordings",
        "tests.brokers.recorder.alarms_page",
        5,
        Need.PAGE,
        ("traces", "traces_498", "traces_5x", "traces_by_search"),
    ),
    JudgedTable(
        "tables of recordings",
        "tests.brokers.recordings.recordings_page",
        31,
        Need.PAGE,
        ("traces", "traces_498", "traces_5x"),
        code=EXPLAINING,
    ),
    JudgedTable(
        "recordings under other releases",
        "tests.brokers.recordings.release_table",
        120,
        Need.MEASUREMENT,
        ("traces", "traces_498"),
        ("tables of recordings",),
        EXPLAINING,
    ),
    JudgedTable("caught wire mutants", "tests.brokers.conformance.catching", 500, Need.MEASUREMENT),
)
"""Two of them write the same page, and so one waits for the other. Those that take minutes are made
when measurements are asked for."""


def list_modules() -> Iterator[Artefact]:
    """An artefact for each module."""
    for table in JUDGED:
        yield Artefact(
            table.name,
            table.need,
            table.is_current,
            table.make,
            table.needs,
            "recordings",
            table.seconds,
        )
    for name, module, need, seconds in MODULES:
        yield Artefact(
            name,
            need,
            partial(is_current, module),
            partial(make, module),
            NEEDS.get(name, ()),
            seconds=seconds,
        )


def is_current(module: str) -> bool:
    """What a module would write is there already."""
    return run(module, CHECK).returncode == 0


def make(module: str, say: Say) -> str:
    """Run a module. Raises NotRenewedError with the last line of what it says."""
    say(f"python -m {module}")
    ended = run(module)
    if ended.returncode:
        lines = ended.stderr.strip().splitlines() or [f"it ended with {ended.returncode}"]
        raise NotRenewedError(f"{lines[-1]}; try `python -m {module}`")
    return "written"


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """A module in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
