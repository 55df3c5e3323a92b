"""A broker's table of progress, and the file that keeps it."""

from __future__ import annotations

import itertools

import pytest

from reference.decisions.progress.offset_table import (
    Broken,
    Files,
    Loaded,
    Query,
    QueryCode,
    answer_query,
    commit,
    commit_first_lost,
    is_first_message_on_disk,
    list_after_kill,
    list_loadable_after_kill,
    list_loadable_after_power_loss,
    load,
    name_key,
    persist,
)

KEY = "T@G"


@pytest.mark.parametrize(("before", "after"), list(itertools.product((None, 0, 5), (0, 3, 9))))
def test_a_commit_overwrites(before: int | None, after: int) -> None:
    """Lower values as well (R-CO-01); other queues and keys stay."""
    table = {KEY: {1: 7} if before is None else {0: before, 1: 7}, "T@H": {0: 2}}
    assert commit(table, KEY, 0, after) == {KEY: {0: after, 1: 7}, "T@H": {0: 2}}


def test_a_first_commit_may_be_lost() -> None:
    """Two first commits of a key at the same time: one map replaces the other (R-CO-02)."""
    other = commit({}, KEY, 0, 5)
    assert commit_first_lost(other, KEY, 1, 6) == {KEY: {1: 6}}
    assert commit(other, KEY, 1, 6) == {KEY: {0: 5, 1: 6}}


def test_a_key_names_topic_and_group() -> None:
    """As the file has it."""
    assert name_key("T0", "G01") == "T0@G01"


@pytest.mark.parametrize(
    ("query", "code", "offset", "by"),
    [
        (Query({KEY: {0: 5}}, KEY, 0), QueryCode.SUCCESS, 5, "is_stored"),
        (Query({KEY: {0: 5}}, KEY, 0, 9), QueryCode.SUCCESS, 5, "is_stored"),
        (Query({KEY: {0: -1}}, KEY, 0), QueryCode.SUCCESS, 0, "is_queue_young"),
        (Query({}, KEY, 0), QueryCode.SUCCESS, 0, "is_queue_young"),
        (Query({KEY: {1: 5}}, KEY, 0), QueryCode.SUCCESS, 0, "is_queue_young"),
        (Query({}, KEY, 0, 1), QueryCode.QUERY_NOT_FOUND, None, "is_progress_unknown"),
        (
            Query({}, KEY, 0, 0, 100, 301, 200),
            QueryCode.QUERY_NOT_FOUND,
            None,
            "is_progress_unknown",
        ),
        (Query({}, KEY, 0, 0, 100, 300, 200), QueryCode.SUCCESS, 0, "is_queue_young"),
        (Query({}, KEY, 0, 0, None, 10**9, 0), QueryCode.SUCCESS, 0, "is_queue_young"),
    ],
)
def test_queries(query: Query, code: QueryCode, offset: int | None, by: str) -> None:
    """Stored, or 0 for a young queue, or not found (R-CO-05)."""
    answer = answer_query(query)
    assert (answer.code, answer.offset, answer.decided_by) == (code, offset, by)


def test_without_memory_every_first_message_is_on_disk() -> None:
    """A ratio of 0, as the recording of queries has it; without an entry there is nothing."""
    query = Query({}, KEY, 0, 0, 0, 91, 0)
    assert is_first_message_on_disk(query)
    assert not is_first_message_on_disk(Query({}, KEY, 0, 0, None, 91, 0))


FIRST = persist(Files(), "1")
SECOND = persist(FIRST, "2")


def test_a_table_is_written() -> None:
    """The one before becomes the backup; nothing temporary stays."""
    assert FIRST == Files(main="1")
    assert SECOND == Files(main="2", backup="1")


@pytest.mark.parametrize("files", [Files(), FIRST, SECOND], ids=["none", "first", "second"])
def test_a_kill_leaves_the_old_table_or_the_new_one(files: Files) -> None:
    """At whatever instant, and the broker starts (R-CO-07)."""
    assert list_loadable_after_kill(files, "new") == {load(files), Loaded("new")}


def test_a_second_kill_changes_nothing() -> None:
    """Whatever a kill has left, the next one leaves an old table or the new one."""
    for left in list_after_kill(SECOND, "3"):
        assert list_loadable_after_kill(left, "4") == {load(left), Loaded("4")}


def test_a_kill_between_delete_and_rename_needs_the_backup() -> None:
    """The only instant without the file itself."""
    without = [files for files in list_after_kill(SECOND, "3") if files.main is Broken.MISSING]
    assert without == [Files(Broken.MISSING, "2", "3")]


def test_a_power_loss_may_leave_nothing_or_stop_the_start() -> None:
    """No fsync: what was written since may be old, new, empty or in part (R-CO-03)."""
    third = persist(SECOND, "3")
    left = list_loadable_after_power_loss([SECOND, third])
    assert left == {
        Loaded("3"),
        Loaded("2"),
        Loaded("1"),
        Loaded(None),
        Loaded(None, is_broker_started=False),
    }


def test_a_power_loss_spares_what_is_on_disk() -> None:
    """Without a write since, nothing changes."""
    assert list_loadable_after_power_loss([SECOND]) == {Loaded("2")}


@pytest.mark.parametrize(
    ("main", "backup", "loaded"),
    [
        ("2", Broken.PARTIAL, Loaded("2")),
        (Broken.EMPTY, "1", Loaded("1")),
        (Broken.PARTIAL, "1", Loaded("1")),
        (Broken.MISSING, Broken.MISSING, Loaded(None)),
        (Broken.PARTIAL, Broken.EMPTY, Loaded(None)),
        (Broken.MISSING, Broken.PARTIAL, Loaded(None, is_broker_started=False)),
    ],
)
def test_loads(main: str | Broken, backup: str | Broken, loaded: Loaded) -> None:
    """The file, else the backup, else an empty table; a damaged backup ends the start."""
    assert load(Files(main, backup)) == loaded
