"""A start on paper says what the store in memory does with the same files."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from brokers.disk.files.folders import find_store
from brokers.disk.starting import StartOutcome, StoreStart, compute_start, read_inputs
from reference.releases.start_rules import make_start_rules
from reference.store import content as contents
from reference.store import recovery
from reference.store import store as stores
from reference.store.content import Content
from reference.store.mapped_file_queue import DiskFile
from reference.store.put import MessageToPut
from reference.store.store import Store
from tests.brokers.disk.rendering import render_store
from tests.reference.store.logs import FILE_SIZE, MASTER, MESSAGES, NOW_MS, fill, kill, stop

RULES = make_start_rules("4.4.0")
DAMAGES = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, FILE_SIZE - 1), st.binary(min_size=1, max_size=30)),
    max_size=3,
)

INDEX_MAX = 1 << 58
"""A damaged record may name a greater one, whose place in bytes overflows."""


def start_on_paper(store: Store) -> StoreStart:
    """The files are written, read, and started from."""
    with tempfile.TemporaryDirectory() as name:
        folder = find_store(render_store(store, Path(name)))
        return compute_start(read_inputs(folder, RULES, lambda _: None))


def damage(store: Store, damages: list[tuple[int, int, bytes]]) -> Store:
    """Some bytes of the log's files are overwritten."""
    files = list(store.commit_log.other_files)
    for index, position, data in damages:
        if files:
            file = files[index % len(files)]
            cut = Content(data[: FILE_SIZE - position])
            content = contents.write(file.content, position, cut)
            files[index % len(files)] = DiskFile(file.name, content, file.last_modified_ms)
    return evolve(store, commit_log=evolve(store.commit_log, other_files=tuple(files)))


def check(store: Store) -> StoreStart:
    """Both say the same."""
    told = start_on_paper(store)
    loaded, is_loaded = recovery.load(store, NOW_MS)
    assert told.is_started == (is_loaded is True)
    if not told.is_started:
        return told
    assert told.end_offset == stores.get_max_physical_offset(loaded)
    assert told.begin_offset == max(0, stores.get_min_physical_offset(loaded))
    queues = {(q.topic, q.queue_id): q for q in loaded.consume_queues.values()}
    for key in told.queues.keys() | queues.keys():
        ours = told.queues[key].max_index if key in told.queues else 0
        if 0 <= ours < INDEX_MAX:
            assert ours == (queues[key].max_offset_in_queue if key in queues else 0), key
    return told


@given(MESSAGES, st.booleans(), DAMAGES)
def test_a_start_on_paper(
    messages: list[MessageToPut], is_killed: bool, damages: list[tuple[int, int, bytes]]
) -> None:
    """After a stop in order or a kill, whatever bytes are damaged."""
    left = (kill if is_killed else stop)(fill(MASTER, messages))
    check(damage(left, damages))


@given(MESSAGES, MESSAGES, st.integers(0, 3))
def test_queues_that_point_behind_the_log(
    messages: list[MessageToPut], more: list[MessageToPut], dropped: int
) -> None:
    """The log's last files are gone, the queues are not; and files of queues of another age."""
    left = kill(fill(MASTER, [*messages, *more]))
    old = kill(fill(MASTER, messages))
    files = left.commit_log.other_files
    kept = files[: max(0, len(files) - dropped)]
    for queues in (left.consume_queues_on_disk, old.consume_queues_on_disk):
        log = evolve(left.commit_log, other_files=kept)
        store = evolve(left, commit_log=log, consume_queues_on_disk=queues)
        for is_killed in (False, True):
            told = check(evolve(store, has_abort_file=is_killed))
            assert told.outcome is StartOutcome.STARTS


PLACES = 20
"""Entries of a queue's file, by the store's settings."""


def start_with_queue_file(release: str, messages: int, begin: int) -> StoreStart:
    """So many messages in one queue, whose file from ``begin`` on is made anew without an entry.

    The queue of one more message is lost, so that no queue points to the log's end.
    """
    put = [*([MessageToPut("T", 0, body=b"b")] * messages), MessageToPut("U", 0, body=b"b")]
    store = stop(fill(MASTER, put))
    with tempfile.TemporaryDirectory() as name:
        folder = find_store(render_store(store, Path(name)))
        shutil.rmtree(Path(name) / "consumequeue" / "U")
        queue = Path(name) / "consumequeue" / "T" / "0"
        queue.mkdir(parents=True, exist_ok=True)
        (queue / f"{begin * 20:020d}").write_bytes(bytes(PLACES * 20))
        return compute_start(read_inputs(folder, make_start_rules(release), lambda _: None))


@pytest.mark.parametrize("release", ["5.0.0", "5.3.3", "5.4.0"])
def test_a_queue_whose_last_file_is_empty_ends_the_start(release: str) -> None:
    """The problem names the file."""
    told = start_with_queue_file(release, PLACES, PLACES)
    assert told.outcome is StartOutcome.REFUSES
    assert told.problem.startswith("consumequeue/T/0/00000000000000000400, the last file")


@pytest.mark.parametrize(
    ("release", "messages", "begin"),
    [("4.9.8", PLACES, PLACES), ("5.5.0", PLACES, PLACES), ("5.3.3", 0, 0), ("5.3.3", 1, PLACES)],
    ids=["earlier release", "later release", "the file at 0", "a file behind one with room"],
)
def test_an_empty_queue_file_ends_no_other_start(release: str, messages: int, begin: int) -> None:
    """Nor does one that recovery removes, because the file before it has room."""
    assert start_with_queue_file(release, messages, begin).outcome is StartOutcome.STARTS
