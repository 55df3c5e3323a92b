"""The command that asks rows: its codes and its one line for what it cannot read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.oracle.__main__ import main

STORED = Path(__file__).parents[1] / "data" / "oracle_store"
ROW = {"id": "X-1", "cfg": {"file_size": 1024}, "ops": [{"op": "load"}]}
EMPTY = {
    "load_ok": True,
    "max": 0,
    "min": -1,
    "flushed": 0,
    "committed": 0,
    "reput": 0,
    "files": [],
    "cq": {},
    "tq": {},
    "crc": None,
}


def write(file: Path, *rows: object) -> str:
    """A table of rows."""
    file.write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    return str(file)


def test_alike_rows_end_with_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each table."""
    table = write(tmp_path / "mine.jsonl", {**ROW, "out": [EMPTY]})
    assert 0 == main([table, str(STORED / "get_data.jsonl.xz")])
    lines = capsys.readouterr().out.splitlines()
    assert "mine: 1 rows, 1 answered alike, 0 different, may differ: 0 (0 do)" == lines[0]
    assert lines[1].startswith("get_data: ")


def test_a_different_row_ends_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first differences are printed; so is what a race gave."""
    other = {**ROW, "out": [{**EMPTY, "max": 5}]}
    table = write(tmp_path / "mine.jsonl", other, {**other, "id": "X-2", "race": 1})
    assert 1 == main([table])
    lines = capsys.readouterr().out.splitlines()
    assert "mine: 2 rows, 0 answered alike, 1 different, may differ: 1 (1 do)" == lines[0]
    assert "  X-1 op 0 max: expected 5, got 0" == lines[1]
    assert "  may differ: X-2 op 0 max: expected 5, got 0" == lines[2]


def test_a_race_alone_ends_with_0(tmp_path: Path) -> None:
    """It may differ."""
    row = {**ROW, "out": [{**EMPTY, "max": 5}], "race": 1}
    assert 0 == main([write(tmp_path / "mine.jsonl", row)])


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"id": "X-1"}, "a row has no cfg"),
        ([1], "a row has no fields"),
        ({**ROW, "cfg": {}, "out": []}, "a row has no cfg.file_size"),
        (ROW, "a row has no out"),
        ({"id": "X-1", "cfg": {}, "script": []}, "a row has no service"),
        ({**ROW, "ops": [{"op": "jump"}], "out": [1]}, "X-1: there is no operation 'jump'"),
        ({**ROW, "ops": [{"op": "get"}], "out": [1]}, "X-1: 'offset' is missing"),
        ({**ROW, "cfg": {"file_size": 9, "role": "KING"}, "out": []}, "X-1: 'KING'"),
        (
            {**ROW, "ops": [{"op": "append", "start": 0, "range": [0, 1]}], "out": [1]},
            "X-1: append has a range, but the row has no source",
        ),
        (
            {**ROW, "image": {"files": [[0, 4]], "layers": []}, "image_crc": "1", "out": []},
            "X-1: its files are not those that image_crc was made of",
        ),
    ],
)
def test_unreadable_rows_end_with_3(
    row: object, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, which says what is missing and where."""
    assert 3 == main([write(tmp_path / "mine.jsonl", row)])
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("cannot read ")
    assert reason in printed.err
    assert 1 == len(printed.err.splitlines())


def test_unreadable_files_end_with_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Missing, not JSON, not text."""
    (tmp_path / "broken.jsonl").write_text("{\n")
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe")
    for name, reason in (
        ("nowhere.jsonl", "No such file or directory"),
        ("broken.jsonl", "broken.jsonl:1: not JSON"),
        ("binary.jsonl", "not UTF-8"),
    ):
        assert 3 == main([str(tmp_path / name)])
        assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ({"service": "transfer", "script": [{"op": "sing", "at": 0}]}, "no operation 'sing'"),
        ({"service": "commit", "script": [{"op": "run", "at": 0}]}, "no operation 'run'"),
        ({"service": "bakery", "script": []}, "there is no service 'bakery'"),
    ],
)
def test_unreadable_scripts(
    script: dict[str, object], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a script cannot ask."""
    row = {"id": "X-1", "cfg": {"file_size": 512}, "prepare": [], "push2": 0, **script}
    answers = [None for _ in row["script"]]  # type: ignore[attr-defined]
    row |= {"answers": answers, "script_lag_ms": []}
    assert 3 == main([write(tmp_path / "mine.jsonl", row)])
    assert reason in capsys.readouterr().err


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    """And the exit codes."""
    with pytest.raises(SystemExit) as exited:
        main(["--help"])
    assert exited.value.code == 0
    printed = capsys.readouterr().out
    assert "python -m tests.oracle ../shared/oracle/store/*.jsonl" in printed
    assert "exit codes" in printed
