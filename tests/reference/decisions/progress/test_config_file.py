"""The file that keeps a table, and its backup."""

from __future__ import annotations

import pytest

from reference.decisions.progress.config_file import (
    BrokenFile,
    Files,
    Loaded,
    list_after_kill,
    list_loadable_after_kill,
    list_loadable_after_power_loss,
    load,
    persist,
)

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
    without = [files for files in list_after_kill(SECOND, "3") if files.main is BrokenFile.MISSING]
    assert without == [Files(BrokenFile.MISSING, "2", "3")]


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
        ("2", BrokenFile.PARTIAL, Loaded("2")),
        (BrokenFile.EMPTY, "1", Loaded("1")),
        (BrokenFile.PARTIAL, "1", Loaded("1")),
        (BrokenFile.MISSING, BrokenFile.MISSING, Loaded(None)),
        (BrokenFile.PARTIAL, BrokenFile.EMPTY, Loaded(None)),
        (BrokenFile.MISSING, BrokenFile.PARTIAL, Loaded(None, is_broker_started=False)),
        (BrokenFile.FOREIGN, "1", Loaded(None)),
        (BrokenFile.FOREIGN, BrokenFile.PARTIAL, Loaded(None)),
        (BrokenFile.PARTIAL, BrokenFile.FOREIGN, Loaded(None)),
        (BrokenFile.EMPTY, BrokenFile.EMPTY, Loaded(None)),
    ],
)
def test_loads(main: str | BrokenFile, backup: str | BrokenFile, loaded: Loaded) -> None:
    """The file, else the backup, else an empty table; a damaged backup ends the start.

    A file without a table hides the backup (B5-00221), and such a backup is good enough (B5-00035).
    """
    assert load(Files(main, backup)) == loaded
