"""Files of a log: finding, appending, flushing, cutting, reading, deleting."""

from __future__ import annotations

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from reference.store import allocation, group_commit, mapped_file, reading
from reference.store import content as contents
from reference.store import mapped_file_queue as queues
from reference.store.allocation import Creation
from reference.store.content import Content
from reference.store.java import Thrown
from reference.store.mapped_file import MappedFile
from reference.store.mapped_file_queue import DiskFile, MappedFileQueue
from reference.store.store import Store
from tests.reference.store.logs import FILE_SIZE, NOW_MS, SLAVE, append, start

FRAMES = st.lists(st.binary(max_size=FILE_SIZE + 9), max_size=12)


def fill(frames: list[bytes], start_offset: int = 0) -> Store:
    """A slave that was sent frames."""
    store = start(SLAVE)
    for frame in frames:
        store, _ = append(store, Content(frame), start_offset)
    return store


@given(FRAMES, st.integers(0, 2000))
def test_what_was_appended_is_read(frames: list[bytes], start_offset: int) -> None:
    """At the end that the log had, whatever offset was named."""
    store = start(SLAVE)
    for frame in frames:
        before = queues.get_max_offset(store.commit_log)
        is_empty = not store.commit_log.mapped_files
        store, is_appended = append(store, Content(frame), start_offset)
        if is_empty:
            before = store.commit_log.mapped_files[0].file_from_offset_bytes
        wrote = len(frame) if is_appended else 0
        assert before + wrote == queues.get_max_offset(store.commit_log)
        if wrote:
            found = reading.get_data(store, before)
            assert found is not None
            assert frame == found.content.data
            assert before == found.start_offset_bytes


@given(FRAMES)
def test_positions_are_in_order(frames: list[bytes]) -> None:
    """Flushed is at most written, and flushes move on until all is flushed."""
    store = fill(frames)
    for _ in range(len(store.commit_log.mapped_files) + 1):
        before = store.commit_log.flushed_where_bytes
        store, flushed = group_commit.flush(store)
        assert before <= flushed <= queues.get_max_offset(store.commit_log)
    assert flushed == queues.get_max_offset(store.commit_log)
    assert flushed == store.commit_log.committed_where_bytes
    for file in store.commit_log.mapped_files:
        assert file.flushed_position_bytes == file.wrote_position_bytes


def test_a_log_below_0_cannot_be_read_but_at_its_begin() -> None:
    """The place of an offset below 0 in its file is below 0 as well."""
    store = fill([b"ab"], start_offset=-FILE_SIZE)
    assert mapped_file.name_file(-FILE_SIZE) == store.commit_log.mapped_files[0].name
    assert reading.get_data(store, -FILE_SIZE) is not None
    assert reading.get_data(store, 1 - FILE_SIZE) is None


@given(FRAMES)
def test_provenance_has_the_length_of_data(frames: list[bytes]) -> None:
    """Of every file, and the origins of what was appended follow each other."""
    store = start(SLAVE)
    sent = 0
    for frame in frames:
        told = Content(frame, tuple(range(sent, sent + len(frame))))
        store, is_appended = append(store, told)
        sent += len(frame) if is_appended else 0
    for file in store.commit_log.mapped_files:
        kept = contents.list_origins(file.content)
        assert FILE_SIZE == len(file.content) == len(kept)
        assert set(kept[file.wrote_position_bytes :]) <= {None}
    assert tuple(range(sent)) == contents.list_origins(reading.get_written(store))


def make_queue(*begins: int) -> MappedFileQueue:
    """Full files that begin at given offsets."""
    files = tuple(
        mapped_file.set_positions(
            MappedFile(str(begin), begin, 100, Content(bytes(100)), last_modified_ms=NOW_MS), 100
        )
        for begin in begins
    )
    return MappedFileQueue(100, mapped_files=files)


@pytest.mark.parametrize(
    ("begins", "offset", "found"),
    [
        ((), 0, None),
        ((0, 100), 0, 0),
        ((0, 100), 199, 100),
        ((0, 100), 200, None),
        ((0, 100), -1, None),
        ((300, 400), 300, 300),
        ((0, 200, 300), 150, None),
        ((0, 200, 300), 250, 200),
        ((-100, 0), -1, -100),
    ],
)
def test_the_file_of_an_offset(begins: tuple[int, ...], offset: int, found: int | None) -> None:
    """Also where files are missing."""
    queue = make_queue(*begins)
    file = queues.find_mapped_file_by_offset(queue, offset)
    assert found == (file.file_from_offset_bytes if file else None)
    first = queues.find_mapped_file_by_offset(queue, offset, is_first_returned=True)
    expected = found if found is not None else next(iter(begins), None)
    assert expected == (first.file_from_offset_bytes if first else None)


@given(st.integers(0, 500))
def test_truncated_at_an_offset(offset: int) -> None:
    """The log ends there, or at its own end before it."""
    queue = queues.truncate_dirty_files(make_queue(0, 100, 200), offset, NOW_MS)
    assert min(offset, 300) == queues.get_max_offset(queue)
    assert queue == queues.truncate_dirty_files(queue, offset, NOW_MS)


def test_a_held_file_is_cut_away_and_stays_on_disk() -> None:
    """Whoever holds it."""
    queue = make_queue(0, 100)
    held, _ = mapped_file.hold(queue.mapped_files[1])
    queue = queues.replace_file(queue, queue.mapped_files[1], held)
    queue = queues.truncate_dirty_files(queue, 50, NOW_MS)
    assert ["100"] == [file.name for file in queue.other_files]


def test_a_log_of_missing_files_is_loaded() -> None:
    """Files of another length end it; a name that is no number is an exception."""
    files = [DiskFile(mapped_file.name_file(at), Content(bytes(100))) for at in (200, 0)]
    queue, thrown = queues.load(MappedFileQueue(100, other_files=tuple(files)))
    assert thrown is None
    assert [0, 200] == [file.file_from_offset_bytes for file in queue.mapped_files]
    longer = DiskFile(mapped_file.name_file(100), Content(bytes(101)))
    queue, thrown = queues.load(MappedFileQueue(100, other_files=(*files, longer)))
    assert thrown is None
    assert ([0], 2) == (
        [file.file_from_offset_bytes for file in queue.mapped_files],
        len(queue.other_files),
    )
    strange = DiskFile("a", Content(bytes(100)))
    queue, thrown = queues.load(MappedFileQueue(100, other_files=(*files, strange)))
    assert Thrown("java.lang.NumberFormatException") == thrown
    assert 2 == len(queue.mapped_files)


@given(st.integers(1, 15), st.integers(0, 15), st.booleans())
def test_deletion(count: int, old: int, is_clean_immediately: bool) -> None:
    """Old files from the first on, at most ten, never the last one."""
    queue = make_queue(*range(0, 100 * count, 100))
    aged = tuple(
        evolve(file, last_modified_ms=NOW_MS - 1000) if index < old else file
        for index, file in enumerate(queue.mapped_files)
    )
    after, deleted = queues.delete_expired_file_by_time(
        evolve(queue, mapped_files=aged),
        1000,
        0,
        NOW_MS,
        is_clean_immediately=is_clean_immediately,
    )
    wanted = count if is_clean_immediately else old
    assert min(wanted, count - 1, queues.DELETE_FILES_BATCH_MAX) == deleted
    assert queue.mapped_files[-1] == after.mapped_files[-1] or old >= count
    assert count - deleted == len(after.mapped_files)


def test_a_held_file_is_deleted_by_force() -> None:
    """A reader keeps it until it lets go, or for so long."""
    queue = make_queue(0, 100)
    held, is_held = mapped_file.hold(queue.mapped_files[0])
    assert is_held
    queue = queues.replace_file(queue, queue.mapped_files[0], held)
    queue, deleted = queues.delete_expired_file_by_time(
        queue, 0, 500, NOW_MS, is_clean_immediately=False
    )
    assert (0, False) == (deleted, queue.mapped_files[0].is_available)
    assert (queue.mapped_files[0], False) == mapped_file.hold(queue.mapped_files[0])
    assert mapped_file.select_mapped_buffer(queue.mapped_files[0], 0) is None
    for waited, is_deleted in ((499, False), (500, True)):
        after, answer = queues.retry_delete_first_file(queue, 500, NOW_MS + waited)
        assert is_deleted == answer
        assert (1 if is_deleted else 2) == len(after.mapped_files)
    let_go = mapped_file.release(queue.mapped_files[0])
    queue = queues.replace_file(queue, queue.mapped_files[0], let_go)
    assert queues.retry_delete_first_file(queue, 500, NOW_MS)[1]


@pytest.mark.parametrize(
    ("position", "size", "answer"),
    [
        (0, 60, (0, 60)),
        (60, 0, (60, 0)),
        (0, 61, None),
        (-1, 1, "java.lang.IllegalArgumentException"),
        (0, -1, "java.lang.IllegalArgumentException"),
        (2**31 - 1, 1, "java.lang.IllegalArgumentException"),
        (10, 2**31 - 1, "java.lang.IllegalArgumentException"),
    ],
)
def test_sized_reads(position: int, size: int, answer: object) -> None:
    """What throws has held the file and never lets it go."""
    file = mapped_file.set_positions(MappedFile("0", 0, 100, Content(bytes(100))), 60)
    read, found = mapped_file.select_sized_mapped_buffer(file, position, size)
    if isinstance(found, Thrown):
        assert answer == found.class_name
        assert 2 == read.reference_count
        assert not mapped_file.destroy(read, 0, NOW_MS)[1]
    else:
        assert answer == ((found.start_offset_bytes, found.size_bytes) if found else None)
        assert file == read


@pytest.mark.parametrize(
    ("wrote", "flushed", "pages", "is_able"),
    [
        (4096, 0, 1, True),
        (4095, 0, 1, False),
        (1, 0, 0, True),
        (1, 1, 0, False),
        (9000, 9000, 4, True),
    ],
)
def test_pages_to_flush(wrote: int, flushed: int, pages: int, is_able: bool) -> None:
    """A full file is always flushed."""
    file = MappedFile("0", 0, 9000, Content(bytes(9000)))
    file = evolve(file, wrote_position_bytes=wrote, flushed_position_bytes=flushed)
    assert is_able == mapped_file.is_able_to_flush(file, pages)


def test_a_flush_below_the_log_is_stuck() -> None:
    """The file of flushedWhere has expired (T4-00001)."""
    queue = evolve(make_queue(300, 400), flushed_where_bytes=100)
    assert (queue, True) == queues.flush(queue, 0)
    assert 400 == queues.flush(evolve(queue, flushed_where_bytes=0), 0)[0].flushed_where_bytes


def test_a_put_waits_in_vain_for_a_flush_that_is_stuck() -> None:
    """Both flushes of its request find no file; flushedWhere stays (R-CL-09)."""
    queue = evolve(make_queue(300, 400), flushed_where_bytes=100)
    store = evolve(start(SLAVE), commit_log=queue)
    after, answers = group_commit.do_commit(store, (400,))
    assert (False,) == answers
    assert 100 == after.commit_log.flushed_where_bytes
    store = evolve(store, commit_log=evolve(queue, flushed_where_bytes=0))
    assert (True,) == group_commit.do_commit(store, (400,))[1]


def test_files_that_cannot_be_made() -> None:
    """Refused at once from the second time on; all is well when they can be made again."""
    store = start(SLAVE)
    log, service, file = allocation.get_or_create_last_mapped_file(
        store.commit_log, store.allocation, 700, Creation.NOTHING_NEW, NOW_MS
    )
    assert (None, True) == (file, service.has_exception)
    log, service = allocation.run(log, service, Creation.POSSIBLE, NOW_MS)
    assert not service.has_exception
    assert ["512", "1024"] == [f.name.lstrip("0") for f in allocation.list_disk_files(service)]
    log, service, file = allocation.get_or_create_last_mapped_file(
        log, service, 700, Creation.NOTHING, NOW_MS
    )
    assert file is not None
    assert 512 == file.file_from_offset_bytes
    stopped = allocation.shut_down(service)
    assert () == allocation.list_disk_files(stopped)


def test_a_file_made_before_is_refused_behind_one_that_failed() -> None:
    """The thread's last try counts, not the file that is wanted."""
    store, _ = append(start(SLAVE), Content(bytes(FILE_SIZE)))
    log, service, file = allocation.get_or_create_last_mapped_file(
        store.commit_log, store.allocation, 0, Creation.NOTHING, NOW_MS
    )
    assert file is not None  # The second file, made in advance; the third one fails.
    full = mapped_file.set_positions(file, FILE_SIZE)
    log = queues.replace_file(log, file, full)
    log, service, file = allocation.get_or_create_last_mapped_file(
        log, service, 0, Creation.NOTHING, NOW_MS
    )
    assert file is None


def test_old_bytes_of_a_file_come_back() -> None:
    """A file that is opened anew keeps what it held."""
    old = DiskFile(mapped_file.name_file(0), Content(b"old", (1, 2, 3)))
    queue, file = queues.take_from_disk(MappedFileQueue(5, other_files=(old,)), old.name, NOW_MS)
    assert () == queue.other_files
    assert Content(b"old\0\0", (1, 2, 3, None, None)) == file.content


@pytest.mark.parametrize(("offset", "answer"), [(0, False), (1, True), (99, True), (10**9, True)])
def test_reset_moves_nothing(offset: int, answer: bool) -> None:
    """Only the answer depends on the offset."""
    queue = make_queue(0, 100, 200)
    shorter = queues.replace_file(
        queue, queue.mapped_files[2], mapped_file.set_positions(queue.mapped_files[2], 1)
    )
    assert answer == queues.reset_offset(shorter, offset)
    assert queues.reset_offset(MappedFileQueue(100), offset)


def test_data_stand_in_for_a_missing_file() -> None:
    """At the offset's remainder in the first file (T3-00201)."""
    store = fill([bytes(100)], start_offset=5 * FILE_SIZE)
    found = reading.get_data(store, 1, is_first_returned=True)
    assert found is not None
    assert (5 * FILE_SIZE + 1, 99) == (found.start_offset_bytes, found.size_bytes)
    assert reading.get_data(store, 1) is None
    assert reading.get_commit_log_data(evolve(store, is_shutdown=True), 0) is None


def test_a_reader_holds_what_it_got() -> None:
    """Nothing is held where nothing is read."""
    store = fill([bytes(10)])
    store, file = reading.get_and_hold_data(store, 10)
    assert file is None
    store, file = reading.get_and_hold_data(store, 9)
    assert file is not None
    assert 2 == file.reference_count
    store = reading.release(store, file.file_from_offset_bytes)
    assert 1 == store.commit_log.mapped_files[0].reference_count


def test_a_place_below_0_takes_nothing_and_moves_on() -> None:
    """A file of a negative name that was cut inside: the write fails, which is only logged."""
    file = mapped_file.map_file("-5", 100, None, NOW_MS)
    queue = queues.add_file(MappedFileQueue(100), mapped_file.set_positions(file, 100))
    queue = queues.truncate_dirty_files(queue, -5, NOW_MS)
    assert -5 == queue.mapped_files[0].wrote_position_bytes
    appended, is_appended = mapped_file.append_data(queue.mapped_files[0], Content(b"abc"), NOW_MS)
    assert is_appended
    assert (-2, bytes(100)) == (appended.wrote_position_bytes, appended.content.data)
