"""Artefacts of modules: what they say about themselves, and what they say when they fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line.renewal import modules
from command_line.renewal.artefact import NotRenewedError
from command_line.renewal.modules import (
    JUDGED,
    MODULES,
    JudgedTable,
    is_current,
    list_modules,
    make,
)
from properties.checkout import ROOT
from properties.verdicts.fingerprint import compute_rules_digest
from properties.worlds.replication.structures import STOCK_PAIR
from reference.releases.versions import apply_rule_set

TOY = """
import sys
from pathlib import Path

file = Path(__file__).with_name("written")
if "--check" in sys.argv:
    sys.exit(not file.exists())
if Path(__file__).with_name("full").exists():
    sys.exit("no space left")
file.touch()
"""


@pytest.fixture(name="folder")
def _make_toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module that writes a file beside itself."""
    (tmp_path / "toy_maker.py").write_text(TOY)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


def say(_text: str) -> None:
    """Nobody listens."""


def test_a_module_is_run_and_then_current(folder: Path) -> None:
    """As the command does it."""
    assert not is_current("toy_maker")
    assert "written" == make("toy_maker", say)
    assert (folder / "written").exists()
    assert is_current("toy_maker")


def test_a_module_that_fails_is_told_in_its_own_words(folder: Path) -> None:
    """With the command that shows the rest."""
    (folder / "full").touch()
    with pytest.raises(NotRenewedError, match="no space left; try `python -m toy_maker`"):
        make("toy_maker", say)
    assert not is_current("toy_maker")
    with pytest.raises(NotRenewedError, match="No module named no_such_module"):
        make("no_such_module", say)


def test_a_table_is_stale_until_it_is_made(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A digest of what was read before is kept when it was made, and not when that failed."""
    digests = folder / "digests.json"
    monkeypatch.setattr(modules, "DIGESTS", digests)
    read = ["before"]
    monkeypatch.setattr(modules, "compute_judging_digest", lambda: read[0])
    table = JudgedTable("toys", "toy_maker", 1)
    digests.write_text('{"steps": {}, "entries": {"others": "kept"}}')
    (folder / "full").touch()
    with pytest.raises(NotRenewedError, match="no space left"):
        table.make(say)
    assert not table.is_current()
    (folder / "full").unlink()
    assert "written" == table.make(say)
    assert table.is_current()
    assert "kept" == modules.read_entries(digests)["others"]
    read[0] = "after"
    assert not table.is_current()


@pytest.mark.parametrize("table", JUDGED, ids=lambda table: table.name)
def test_a_recording_more_makes_a_table_stale(
    table: JudgedTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each folder has recordings, and a digest covers their bytes."""
    monkeypatch.setattr(modules, "compute_judging_digest", lambda: "rules")
    for name in table.folders:
        assert list((ROOT / "tests" / "data" / name).glob("*.jsonl*"))
    monkeypatch.setattr(modules, "ROOT", tmp_path)
    digests = [table.compute_digest()]
    for name in table.folders:
        folder = tmp_path / "tests" / "data" / name
        folder.mkdir(parents=True)
        (folder / "a.jsonl").write_text("{}")
        digests.append(table.compute_digest())
    assert len(set(digests)) == len(table.folders) + 1


@pytest.mark.parametrize(
    "table", [table for table in JUDGED if table.code], ids=lambda table: table.name
)
def test_changed_code_makes_a_table_stale(
    table: JudgedTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each folder has code, and a digest covers it at any depth."""
    monkeypatch.setattr(modules, "compute_judging_digest", lambda: "rules")
    for name in table.code:
        assert list((ROOT / name).rglob("*.py"))
    monkeypatch.setattr(modules, "ROOT", tmp_path)
    digests = [table.compute_digest()]
    for name in table.code:
        folder = tmp_path / name / "deeper"
        folder.mkdir(parents=True)
        for text in ("a = 1", "a = 2"):
            (folder / "a.py").write_text(text)
            digests.append(table.compute_digest())
    assert len(set(digests)) == 2 * len(table.code) + 1


def test_a_changed_rule_makes_the_tables_stale() -> None:
    """Of any release; claims do not count."""
    before = compute_rules_digest([STOCK_PAIR])
    assert before == compute_rules_digest([STOCK_PAIR])
    assert before != compute_rules_digest([apply_rule_set(STOCK_PAIR, "4.5.1")])


def test_every_module_has_an_artefact() -> None:
    """By its name."""
    names = [*(table.name for table in JUDGED), *(name for name, *_ in MODULES)]
    assert names == [each.name for each in list_modules()]
    assert modules.CHECK == "--check"
