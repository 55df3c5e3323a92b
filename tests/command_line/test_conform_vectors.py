"""Vectors asked of a driver from the command line: what is printed, and the exit codes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from command_line.conformance.vectors import run
from command_line.export import command as export
from command_line.output import exit_codes
from properties.vectors import archive as archives
from properties.vectors.archive import write_archive
from properties.vectors.sets.progress import PROGRESS

REFERENCE = f"{sys.executable} -m properties.vectors.drivers.reference_driver"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of one set."""
    path = tmp_path_factory.mktemp("archive") / "vectors.zip"
    write_archive(path, lambda text: None, (PROGRESS,))
    return path


def write_driver(folder: Path, answer: str) -> str:
    """A driver that answers every question in one way; ``asked`` is the question."""
    script = folder / "driver.py"
    script.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    told = {'hello': {'protocol': 1, 'name': 'mine'}}\n"
        f"    print(json.dumps(told if 'hello' in asked else {answer}), flush=True)\n"
    )
    return f"{sys.executable} {script}"


def test_all_alike(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each set, and the sum."""
    assert run(file, REFERENCE) == exit_codes.ANALYSED
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "the reference: vectors of RocketMQ 4.4.0"
    assert lines[1].startswith("progress: ")
    assert lines[1].endswith(" alike, 0 different")
    assert lines[2].startswith("all ")


def test_differences(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first fields, and how many more there are."""
    driver = write_driver(tmp_path, "{'id': asked['id'], 'answer': {'code': 0, 'offset': 1}}")
    assert run(file, driver, shown=2) == exit_codes.REFUTED
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6
    assert "expected" in lines[2]
    assert "progress.md#" in lines[3]
    assert lines[4].startswith("  and ")
    assert lines[5].endswith("answers differ")


def test_json(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every difference, for programs."""
    driver = write_driver(tmp_path, "{'id': asked['id'], 'answer': {}}")
    assert run(file, driver, is_json=True) == exit_codes.REFUTED
    told = json.loads(capsys.readouterr().out)
    (result,) = told["sets"]
    assert told["problem"] is None
    assert result["different"] == result["questions"]
    assert result["differences"][0]["given"] == {"absent": True}


def test_nothing_answered(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A driver that supports nothing proves nothing."""
    driver = write_driver(tmp_path, "{'id': asked['id'], 'unsupported': True}")
    assert run(file, driver) == exit_codes.UNDECIDED
    assert "answered no question" in capsys.readouterr().out


def test_unusable_driver(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, and how far it came."""
    driver = write_driver(tmp_path, "sys.exit(5)")
    assert run(file, driver) == exit_codes.BAD_INPUT
    printed = capsys.readouterr()
    assert printed.err.startswith("the driver ended with exit code 5 instead of answering")
    assert printed.err.count("\n") == 1
    assert printed.out.splitlines()[-1] == "ended early after 0 answers"


def test_unusable_archive(tmp_path: Path, file: Path) -> None:
    """Told as any other bad argument."""
    with pytest.raises(click.BadParameter, match="No such file"):
        run(tmp_path / "none.zip", REFERENCE)
    with pytest.raises(click.BadParameter, match=r"no vectors of 4\.3\.0"):
        run(file, REFERENCE, release="4.3.0")


def test_export_writes_the_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts by release, size and sum; an existing file stays."""

    def write_small(file: Path, tell: archives.Tell) -> archives.Archive:
        return write_archive(file, tell, (PROGRESS,))

    monkeypatch.setattr("command_line.export.write_archive", write_small)
    out = tmp_path / "vectors.zip"
    told = CliRunner().invoke(export, ["vectors", "--product", str(out)], standalone_mode=False)
    assert told.return_value == exit_codes.ANALYSED
    assert "4.4.0: progress " in told.output
    assert "SHA-256" in told.output
    again = CliRunner().invoke(export, ["vectors", "--product", str(out)])
    assert "exists" in again.output
    for arguments in ([], ["--product", "a", "--out", "b"]):
        assert "choose --product" in CliRunner().invoke(export, ["vectors", *arguments]).output
    chosen = ["--product", "a.zip", "--structure", "delay/4.4.0"]
    assert "--structure chooses" in CliRunner().invoke(export, ["vectors", *chosen]).output
