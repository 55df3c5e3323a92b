"""Exports, run as a user runs them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.command_line.run import assert_one_line, run

STRUCTURE = "ASYNC_MASTER/ASYNC_FLUSH/0 slaves"


@pytest.mark.parametrize(
    ("what", "unit", "pattern"),
    [("vectors", "vectors", "*.jsonl"), ("smt-lib", "obligations", "*/*/**/*.smt2")],
)
def test_export_writes_a_new_folder(tmp_path: Path, what: str, unit: str, pattern: str) -> None:
    """One line for each structure; a folder that exists is left as it is."""
    out = tmp_path / "out"
    result = run("export", what, "--out", out, "--structure", STRUCTURE)
    assert 0 == result.returncode, result.stderr
    assert 1 == len(result.stdout.splitlines())
    assert result.stdout.rstrip().endswith(unit)
    assert list(out.glob(pattern))
    again = run("export", what, "--out", out, "--structure", STRUCTURE)
    assert "exists and is left as it is" in assert_one_line(again, 3)


TINY = ("--size", "ghost_log_size_max_bytes=4", "--size", "mapped_file_size_bytes=2")


def test_export_promela_writes_a_new_file(tmp_path: Path) -> None:
    """One line that tells how large the model is; a file that exists is left as it is."""
    out = tmp_path / "model.pml"
    asked = ("export", "promela", "--out", out, "--structure", STRUCTURE, *TINY)
    result = run(*asked, "--fault", "master kill", "--times", 1)
    assert 0 == result.returncode, result.stderr
    assert 1 == len(result.stdout.splitlines())
    options = len(re.findall(r"->\n +printf\(", out.read_text()))
    assert f"{options} options" in result.stdout
    assert "faults: master kill, each at most once" in out.read_text()
    assert "mapped_file_size_bytes: 2" in out.read_text()
    assert "exists; choose another --out" in assert_one_line(run(*asked), 3)


def test_export_tla_writes_a_new_folder(tmp_path: Path) -> None:
    """The module and its configuration, for a column, with other sizes."""
    out = tmp_path / "model"
    asked = ("export", "tla", "--out", out, "--structure", STRUCTURE, *TINY)
    result = run(*asked, "--fault", "master kill", "--times", 1)
    assert 0 == result.returncode, result.stderr
    assert [line.split(":")[0] for line in result.stdout.splitlines()] == [
        str(out / "Replication.tla"),
        str(out / "Replication.cfg"),
    ]
    configuration = (out / "Replication.cfg").read_text()
    for line in ("mapped_file_size_bytes = 2", "master_kills_max = 1", "slave_kills_max = 0"):
        assert f"    {line}\n" in configuration
    assert "exists and is left as it is" in assert_one_line(run(*asked), 3)
    wrong = run("export", "tla", "--out", tmp_path / "b", "--structure", "delay/4.4.0", *TINY)
    assert "ghost_queue_size_max" in assert_one_line(wrong, 3)


@pytest.mark.parametrize("structure", ["reading/open slow/no offset check/last", "delay/4.4.0"])
def test_export_promela_knows_every_world(tmp_path: Path, structure: str) -> None:
    """Any structure by its name."""
    out = tmp_path / "model.pml"
    result = run("export", "promela", "--out", out, "--structure", structure)
    assert 0 == result.returncode, result.stderr
    assert f"structure: {structure}" in out.read_text()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--size", "no_such_size=3"), "ghost_log_size_max_bytes"),
        (("--size", "mapped_file_size_bytes=0"), "from 1 to 99"),
        (("--size", "mapped_file_size_bytes"), "NAME=NUMBER"),
        (("--highest", "master.is_up=1"), "master.connection_count"),
        (("--fault", "consumer kill"), "master power loss"),
        (("--out", "/no/such/folder/model.pml"), "cannot be made"),
    ],
)
def test_export_promela_tells_what_is_wrong(
    tmp_path: Path, given: tuple[str, str], words: str
) -> None:
    """One line that names what is possible; nothing is written."""
    out = tmp_path / "model.pml"
    result = run("export", "promela", "--out", out, *given)
    assert words in assert_one_line(result, 3)
    assert not out.exists()
