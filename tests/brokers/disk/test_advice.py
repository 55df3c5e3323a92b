"""The advice for two damaged stores, executed on copies: no record is lost that was not named.

What each store holds is told by the bytes that were written, not by any reader of stores.
"""

from __future__ import annotations

import atexit
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from attrs import frozen
from hypothesis import example, given, settings
from hypothesis import strategies as st

from brokers.disk.comparison.accounting import list_cut, list_missing
from brokers.disk.findings import FindingKind
from brokers.disk.reading import read_stored_broker
from brokers.disk.records.held_records import list_held_records
from brokers.disk.stored_brokers import StoredBroker
from command_line.answers.stores import mending
from command_line.answers.stores.mending import Mend, choose_mend
from command_line.answers.stores.pair import Pair, compare_stores
from reference.releases.start_rules import make_start_rules
from reference.store.mapped_file import name_file
from reference.store.put import MessageToPut
from tests.brokers.disk.rendering import render_store
from tests.reference.store.logs import FILE_SIZE, MASTER, fill, stop

RULES = make_start_rules("4.4.0")
LOG = "store/commitlog"
MESSAGES = [
    MessageToPut("TopicA", n % 2, body=bytes([n + 1] * (40 + 31 * n % 130))) for n in range(26)
]
OTHERS = [MessageToPut("TopicB", 0, body=bytes([n + 101] * (50 + 37 * n % 120))) for n in range(12)]
FILES = 6
"""At most, of a log of these messages."""


@frozen
class Damage:
    """Something that happens to one file of one store's log."""

    kind: str
    is_masters: bool
    file: int
    position: int = 0
    length: int = 0

    def do(self, root: Path) -> None:
        """Damage the file, if it is there."""
        folder = root / ("master" if self.is_masters else "slave") / LOG
        path = folder / name_file(self.file * FILE_SIZE)
        if not path.exists():
            return
        if self.kind == "remove":
            path.unlink()
            return
        data, end = bytearray(path.read_bytes()), min(FILE_SIZE, self.position + self.length)
        if self.kind == "tear":
            end = FILE_SIZE
        source = bytes(end - self.position)
        if self.kind == "foreign":
            other = folder / name_file((self.file + 1) % FILES * FILE_SIZE)
            source = other.read_bytes()[self.position : end] if other.exists() else source
        elif self.kind == "garbage":
            source = bytes(self.length % 255 + 1 for _ in source)
        data[self.position : end] = source
        path.write_bytes(data)


DAMAGES = st.lists(
    st.builds(
        Damage,
        st.sampled_from(["remove", "remove", "hole", "tear", "foreign", "garbage"]),
        st.booleans(),
        st.integers(0, FILES - 1),
        st.integers(0, FILE_SIZE - 1),
        st.integers(1, FILE_SIZE),
    ),
    max_size=4,
)


Shape = tuple[int, int]
"""How many messages of one kind a log has, and then of another."""
SHAPES = st.tuples(st.sampled_from([1, 9, 14, 22, 26]), st.sampled_from([0, 0, 4, 12]))


@cache
def render_log(shape: Shape) -> str:
    """The folder of a broker that stopped in order; it is copied."""
    root = Path(tempfile.mkdtemp(prefix="advice-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    count, others = shape
    render_store(stop(fill(MASTER, [*MESSAGES[:count], *OTHERS[:others]])), root / "store")
    return str(root)


@cache
def list_written(shape: Shape) -> dict[int, bytes]:
    """Each record of a log, by its offset."""
    broker = read(Path(render_log(shape)), "master")
    begin, end = broker.start.begin_offset, broker.start.end_offset
    found = list_held_records(broker.log, begin, end, RULES.record_format)
    return {r.offset: broker.log.read(r.offset, r.size_bytes) for r in found}


def read(root: Path, name: str) -> StoredBroker:
    """A store, whatever it holds."""
    return read_stored_broker(name, root, RULES)


Held = frozenset[tuple[int, bytes]]


@frozen
class Truth:
    """What may be held."""

    records: Held

    def list_held(self, root: Path) -> Held:
        """The records whose bytes lie where they were written."""
        held = set()
        for offset, data in self.records:
            path = root / "commitlog" / name_file(offset - offset % FILE_SIZE)
            at = offset % FILE_SIZE
            if path.exists() and path.read_bytes()[at : at + len(data)] == data:
                held.add((offset, data))
        return frozenset(held)

    def list_served(self, broker: StoredBroker) -> Held:
        """Those that its log has after a start."""
        begin, end = broker.start.begin_offset, broker.start.end_offset
        held = self.list_held(broker.folder.root)
        return frozenset((o, data) for o, data in held if begin <= o < end)


def compare(root: Path) -> Pair:
    """Both, as they are."""
    master, slave = read(root / "master", "master"), read(root / "slave", "slave")
    return compare_stores(master, slave, (), lambda _: None)


def execute(pair: Pair, mend: Mend) -> None:
    """The commands that are printed, but for the one that empties the machine's cache."""
    commands = [mending.tell_save(broker) for broker in mending.list_saved(pair, mend)]
    if mend is not Mend.NOTHING:
        commands += mending.list_commands(pair, mend)
    script = "\n".join(command for command in commands if command != "sync")
    subprocess.run(["sh", "-ec", script], check=True)


def list_named(pair: Pair, mend: Mend) -> set[int]:
    """Offsets of the records that are said to be taken away, or to be cut off by a start."""
    if mend is Mend.SLAVE:
        named = {r.offset for r in list_missing(pair.master, pair.slave, pair.logs)}
        return named | {r.offset for r in list_cut(pair.master, pair.slave, pair.logs)}
    is_replaced = mend is Mend.EMPTY or mending.is_master_copied(pair, mend)
    if not is_replaced:
        return set()
    filled = [(f.begin_offset, f.end_offset) for f in pair.choices.filling]
    missing = {r.offset for r in list_missing(pair.slave, pair.master, pair.logs)}
    if mend is Mend.FILES:
        missing = {o for o in missing if not any(low <= o < high for low, high in filled)}
    return missing | {r.offset for r in list_cut(pair.slave, pair.master, pair.logs)}


def list_saved(truth: Truth, root: Path) -> Iterator[tuple[int, bytes]]:
    """The records of stores that were saved first."""
    for folder in root.glob("*/store.saved"):
        yield from truth.list_held(folder)


WHOLE = (26, 0)


@example(WHOLE, WHOLE, [Damage("remove", True, 1)])
@example(WHOLE, WHOLE, [Damage("remove", False, 1)])
@example(WHOLE, WHOLE, [Damage("remove", True, 1), Damage("remove", False, 2)])
@example(WHOLE, (9, 0), [Damage("remove", True, 3)])
@example(WHOLE, WHOLE, [Damage("hole", True, 0, 40, 200)])
@example(WHOLE, WHOLE, [Damage("hole", True, 4, 0, 9), Damage("remove", False, 4)])
@example((22, 4), (22, 0), [Damage("remove", False, 0)])
@example((14, 0), (14, 0), [Damage("remove", True, 4), Damage("tear", False, 4, 148, 1)])
@example((14, 0), (14, 0), [Damage("remove", False, 0), Damage("foreign", False, 4, 0, 218)])
@example((1, 0), (14, 0), [Damage("remove", False, 0), Damage("foreign", False, 4, 0, 218)])
@given(SHAPES, SHAPES, DAMAGES)
def test_no_advice_takes_a_record_away_unnamed(
    masters: Shape, slaves: Shape, damages: list[Damage]
) -> None:
    """Records of both stores before; records of what is left, and after a start, afterwards."""
    truth = Truth(frozenset([*list_written(masters).items(), *list_written(slaves).items()]))
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        shutil.copytree(render_log(masters), root / "master")
        shutil.copytree(render_log(slaves), root / "slave")
        for damage in damages:
            damage.do(root)
        pair = compare(root)
        if pair.kind is FindingKind.CANNOT_SAY:
            return
        check_what_is_said(pair, truth)
        mend = choose_mend(pair)
        brokers = (pair.master, pair.slave)
        held = frozenset().union(*(truth.list_held(b.folder.root) for b in brokers))
        served = frozenset().union(*(truth.list_served(b) for b in brokers))
        named = list_named(pair, mend)
        execute(pair, mend)
        after = [read(root / "master", "master")]
        after += [read(root / "slave", "slave")] if (root / "slave/store").exists() else []
        left = frozenset().union(*(truth.list_served(b) for b in after))
        saved = frozenset(list_saved(truth, root))
        assert {offset for offset, _ in held - left - saved} <= named
        if mend is not Mend.NOTHING:
            begin = pair.master.start.begin_offset
            expired = {(o, data) for o, data in left if o < begin}
            assert {o for o, _ in served - truth.list_served(after[0]) - expired} <= named


def check_what_is_said(pair: Pair, truth: Truth) -> None:
    """Every record that one log serves alone is named; what is named besides is no whole record."""
    for broker, other in ((pair.master, pair.slave), (pair.slave, pair.master)):
        alone = truth.list_served(broker) - truth.list_served(other)
        named = {record.offset for record in list_missing(broker, other, pair.logs)}
        assert {offset for offset, _ in alone} <= named
        both = truth.list_served(broker) & truth.list_served(other)
        assert not named & {offset for offset, _ in both}


@pytest.mark.nightly
@settings(max_examples=1000)
@given(SHAPES, SHAPES, DAMAGES)
def test_many_more(masters: Shape, slaves: Shape, damages: list[Damage]) -> None:
    """The same, of many more pairs."""
    run = test_no_advice_takes_a_record_away_unnamed.hypothesis.inner_test
    run(masters, slaves, damages)
