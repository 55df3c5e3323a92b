"""Tables beside certificates: schedules are read as they were written, damaged ones never."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from properties.restrictions.results import RESTRICTIONS_FILE
from properties.verdicts.certificates import CERTIFICATE_FOLDER
from properties.verdicts.fault_sets.certificates import FAULT_SET_FILE, load_borders
from properties.verdicts.storage import step_codes
from properties.verdicts.storage.certificate_files import read_entries, render_entries, write_entry
from properties.verdicts.storage.step_codes import pack_all, pack_schedule, unpack_all
from properties.verdicts.verdict import InternalDisagreementError
from properties.worlds.replication.structures import STOCK_PAIR
from properties.z3.vacuity import WITNESS_FILE, are_witnesses_current, has_witnesses

TABLES = (WITNESS_FILE, FAULT_SET_FILE, RESTRICTIONS_FILE, "differences.json")

ENTRY: dict[str, Any] = {
    "digest": "d",
    "schedules": {
        "first": [["fill[0]", {"litres": 1}], ["leak", {}]],
        "second": [["leak", {}], ["fill[0]", {"litres": 1}], ["leak", {}]],
        "at once": [],
    },
    "names": ["fill", ["leak", "drain"]],
}


def test_schedules_are_unpacked_as_they_were() -> None:
    """Wherever they are; a step is there once."""
    steps: dict[str, str] = {}
    packed = pack_all(ENTRY, steps)
    assert len(steps) == 2
    assert packed["schedules"]["second"].count(" ") == 3
    assert packed["schedules"]["at once"] == []
    assert ENTRY == unpack_all(packed, steps)


def test_two_steps_with_one_code_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """None stands for the other."""
    monkeypatch.setattr(step_codes, "compute_code", lambda _: "0")
    with pytest.raises(ValueError, match="two steps have the code 0"):
        pack_schedule(ENTRY["schedules"]["first"], {})


def test_an_entry_is_written_and_others_are_kept(tmp_path: Path) -> None:
    """Each on a line of its own."""
    path = tmp_path / "table.json"
    write_entry(path, "one", ENTRY)
    write_entry(path, "two", {**ENTRY, "digest": "e"})
    assert {"one": ENTRY, "two": {**ENTRY, "digest": "e"}} == read_entries(path)
    assert 1 == sum(line.startswith('"one": ') for line in path.read_text().splitlines())


def test_a_changed_or_missing_step_is_never_believed(tmp_path: Path) -> None:
    """The table counts as damaged, and is begun anew when it is written."""
    path = tmp_path / "table.json"
    write_entry(path, "one", ENTRY)
    whole = path.read_text()
    document = json.loads(whole)
    code = next(iter(document["steps"]))
    damages = [
        whole.replace('{"litres":1}', '{"litres":2}'),
        json.dumps({**document, "steps": {}}),
        json.dumps({**document, "steps": {code: ["drain", {}]}}),
        json.dumps({**document, "steps": []}),
        json.dumps({"steps": {}}),
        "[]",
        "{",
    ]
    for damaged in damages:
        assert damaged != whole
        path.write_text(damaged)
        with pytest.raises(ValueError, match=r"is no table|Expecting"):
            read_entries(path)
    write_entry(path, "two", ENTRY)
    assert {"two": ENTRY} == read_entries(path)


@pytest.mark.parametrize("name", TABLES)
def test_shipped_tables_are_as_they_are_written(name: str) -> None:
    """Every byte, so that writing one entry changes no other line."""
    found = [path for path in CERTIFICATE_FOLDER.rglob(name) if path.parent.name != "parts"]
    assert found
    for path in found:
        assert path.read_text(encoding="utf-8") == render_entries(read_entries(path)), path


def test_no_stored_table_is_large() -> None:
    """What is computed from the rules has less than a megabyte in each file."""
    assert all(path.stat().st_size < 1_000_000 for path in CERTIFICATE_FOLDER.rglob("*.json"))


def test_damaged_tables_are_stale(tmp_path: Path) -> None:
    """Without a traceback: witnesses were never searched for, fault sets have to be decided."""
    for name in (WITNESS_FILE, FAULT_SET_FILE):
        text = (CERTIFICATE_FOLDER / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(text.replace('"waits_for_store":1', '"waits_for_store":0'))
    assert not has_witnesses(STOCK_PAIR, tmp_path)
    assert not are_witnesses_current(STOCK_PAIR, tmp_path)
    with pytest.raises(InternalDisagreementError, match="missing or malformed"):
        load_borders(STOCK_PAIR, tmp_path)
