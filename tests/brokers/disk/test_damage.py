"""Damaged stores: nothing crashes, nothing is changed, and no damaged log or queue is equal."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from brokers.disk.files.folders import StoreError
from brokers.disk.findings import FindingKind
from brokers.disk.reading import read_stored_broker
from command_line.answers.stores import as_json
from command_line.answers.stores.lines import describe_broker, describe_pair
from command_line.answers.stores.pair import Pair, compare_stores
from reference.releases.start_rules import StartRules, make_start_rules
from reference.store.put import MessageToPut
from tests.brokers.disk.rendering import render_store
from tests.reference.store.logs import MASTER, fill, stop

RELEASES = ("4.4.0", "4.9.8", "5.3.3")
MESSAGES = [
    MessageToPut("TopicA", n % 2, body=bytes([n + 1] * (20 * n)), properties="k\x01v\x02")
    for n in range(9)
]
TABLES = {
    "topics.json": '{"dataVersion":{"counter":1,"timestamp":5},"topicConfigTable":{}}',
    "consumerOffset.json": '{"offsetTable":{"TopicA@G":{0:3,1:2}}}',
    "delayOffset.json": '{"offsetTable":{1:1}}',
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with records, queues and tables."""
    root = render_store(stop(fill(MASTER, MESSAGES)), tmp_path_factory.mktemp("store"))
    (root / "config").mkdir()
    for name, text in TABLES.items():
        (root / "config" / name).write_text(text)
    (root / "epochFileCheckpoint").write_text("1\n0\n1-0\n")
    return root


def read_pair(master: Path, slave: Path, rules: StartRules) -> Pair:
    """Both, with everything that is said of them."""
    pair = compare_stores(
        read_stored_broker("master", master, rules),
        read_stored_broker("slave", slave, rules),
        (),
        lambda _: None,
    )
    assert list(describe_broker(pair.slave))
    assert list(describe_pair(pair))
    assert as_json.tell_pair(pair)
    return pair


def compute_checksum(root: Path) -> str:
    """Of all files, with their names."""
    total = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        total.update(str(path.relative_to(root)).encode())
        if path.is_file():
            total.update(path.read_bytes())
    return total.hexdigest()


def damage(root: Path, choice: int, position: int, data: bytes) -> tuple[str, bool]:
    """Overwrite some bytes of a file, or shorten it: in which folder, and whether it changes."""
    files = sorted(path for path in root.rglob("*") if path.is_file())
    path = files[choice % len(files)]
    before = path.read_bytes()
    at = position % (len(before) + 1)
    after = before[:at] + data + before[at + len(data) :] if data else before[:at]
    path.write_bytes(after[: max(at, len(before))])
    return path.relative_to(root).parts[0], path.read_bytes() != before


@example(19, 0, b"", "4.9.8")  # A queue's file is cut to no bytes.
@example(8, 487, bytes(6), "4.9.8")  # A queue's last entry, which a start enters again.
@example(20, 0, b"\x80", "4.9.8")  # A queue's first entry has an offset below 0.
@given(st.integers(0, 50), st.integers(0, 4095), st.binary(max_size=12), st.sampled_from(RELEASES))
def test_damage(store: Path, choice: int, position: int, data: bytes, release: str) -> None:
    """Whatever is overwritten or cut short in one file."""
    rules = make_start_rules(release)
    with tempfile.TemporaryDirectory() as name:
        copy = Path(shutil.copytree(store, Path(name) / "slave"))
        whole = read_pair(store, copy, rules)
        assert whole.kind is FindingKind.EQUAL
        assert not whole.have_other_tables
        folder, is_changed = damage(copy, choice, position, data)
        before = compute_checksum(copy)
        try:
            pair = read_pair(store, copy, rules)
        except StoreError:
            return
        finally:
            assert before == compute_checksum(copy)
        is_within = is_changed and is_compared(folder, copy, store)
        assert not is_within or pair.kind is not FindingKind.EQUAL


def is_compared(folder: str, copy: Path, store: Path) -> bool:
    """The damage lies in bytes of the log, or of a queue, up to its end."""
    if folder not in {"commitlog", "consumequeue"}:
        return False
    for path in (store / folder).rglob("*"):
        if path.is_file():
            held = path.read_bytes().rstrip(b"\0")
            if (copy / path.relative_to(store)).read_bytes()[: len(held)] != held:
                return True
    return False


def test_a_store_is_read_only(store: Path, tmp_path: Path) -> None:
    """Not a byte is changed, nothing is created."""
    before = compute_checksum(store)
    read_pair(store, Path(shutil.copytree(store, tmp_path / "slave")), make_start_rules("4.4.0"))
    assert before == compute_checksum(store)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("1\n0\n1-0\n", set()),
        ("2\n0\n1-0\n2-99999\n", {FindingKind.EPOCH_AHEAD}),
        ("1\n0\n3-200\n", {FindingKind.EPOCH_LATE}),
        ("2\n0\n1-0\n", set()),
        ("1\n12345\n3-200\n", set()),
    ],
    ids=["sound", "behind the end", "above the begin", "a line is missing", "wrong checksum"],
)
def test_epochs(store: Path, tmp_path: Path, text: str, kinds: set[FindingKind]) -> None:
    """Those that contradict the log are remarked; a damaged file has none."""
    copy = Path(shutil.copytree(store, tmp_path / "slave"))
    (copy / "epochFileCheckpoint").write_text(text)
    broker = read_stored_broker("slave", copy, make_start_rules("5.3.3"))
    assert kinds == {remark.kind for remark in broker.remarks}
    is_sound = bool(broker.epochs.entries)
    assert is_sound != bool(broker.epochs.problem)
