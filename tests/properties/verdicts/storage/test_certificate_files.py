"""Files of certificates: each is read as it was written, whatever it shares with others."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from properties.verdicts import certificates
from properties.verdicts.storage.certificate_files import (
    PARTS_FOLDER,
    find_named,
    pack,
    read_document,
    read_parts,
    unpack,
    write_document,
    write_whole,
)
from properties.worlds.replication.structures import STOCK_PAIR
from tests.command_line.run import ROOT

Document = dict[str, Any]


@pytest.fixture(name="parts_path")
def _make_parts_path(tmp_path: Path) -> Path:
    """Where certificates in the test's own folder share their parts."""
    return tmp_path / PARTS_FOLDER / "toy.json"


def make_document(name: str, more: int = 0) -> Document:
    """A certificate of a toy; ``more`` makes its schedule longer."""
    schedule = [["fill[0]", {"litres": 1}]] * (1 + more)
    cells = [
        {"guarantee": claim, "fault": fault, "verdict": "proved"}
        for fault in ("none", "leak")
        for claim in ("never_overflows", "never_runs_dry")
    ]
    cells[3] |= {"verdict": "refuted", "schedule": schedule, "is_shortest": False}
    parts = {"claims": {"never_overflows": "1"}, "lemmas": {"is_tight": "2"}}
    return {
        "structure": name,
        "fingerprint": {"frame": "0", "rules": {"fill": "3 4", "drain": "5"}, **parts},
        "inductive_set": ["is_tight"],
        "cells": cells,
        "seal": "s",
    }


def test_it_is_read_as_it_was_written(tmp_path: Path, parts_path: Path) -> None:
    """Also in a folder of its own, and with cells that are missing."""
    documents = {
        tmp_path / "a.json": make_document("a"),
        tmp_path / "variant" / "a.json": make_document("a with more", 1),
        tmp_path / "b.json": make_document("b"),
    }
    del documents[tmp_path / "b.json"]["cells"][1]
    for path, document in documents.items():
        write_document(path, parts_path, document)
    for path, document in documents.items():
        assert document == read_document(path)


def test_shipped_certificates_are_packed_and_unpacked() -> None:
    """Nothing is lost, and the order of cells is the table's."""
    found = 0
    for path in sorted(certificates.CERTIFICATE_FOLDER.rglob("*_master*.json"))[::5]:
        document = read_document(path)
        if "cells" in document:
            found += 1
            parts: dict[str, str] = {}
            assert json.dumps(document) == json.dumps(unpack(pack(document, parts), parts))
    assert found > 30


def test_what_is_read_is_nobody_elses(tmp_path: Path, parts_path: Path) -> None:
    """A reader may change it; the next reader gets it as it is stored."""
    path, document = tmp_path / "a.json", make_document("a")
    write_document(path, parts_path, document)
    read = read_document(path)
    read["cells"][3]["schedule"].append(["leak[0]", {}])
    read["inductive_set"].clear()
    read["fingerprint"]["claims"].clear()
    assert document == read_document(path)


def test_what_is_alike_is_stored_once(tmp_path: Path, parts_path: Path) -> None:
    """Another certificate of the same content adds no part."""
    write_document(tmp_path / "a.json", parts_path, make_document("a"))
    before = parts_path.read_text()
    write_document(tmp_path / "b.json", parts_path, make_document("b"))
    assert before == parts_path.read_text()


def test_parts_go_with_the_last_certificate_that_names_them(
    tmp_path: Path, parts_path: Path
) -> None:
    """The other's parts stay."""
    first, second = make_document("a"), make_document("b", 1)
    write_document(tmp_path / "a.json", parts_path, first)
    alone = set(read_parts(parts_path))
    write_document(tmp_path / "b.json", parts_path, second)
    assert alone < set(read_parts(parts_path))
    write_document(tmp_path / "b.json", parts_path, first)
    assert alone == set(read_parts(parts_path))
    assert first == read_document(tmp_path / "a.json")


def test_no_part_is_unused() -> None:
    """Of the certificates that are shipped."""
    found = sorted((certificates.CERTIFICATE_FOLDER / PARTS_FOLDER).glob("*.json"))
    assert len(found) >= 5
    for path in found:
        parts = read_parts(path)
        assert set(parts) == find_named(path, parts), path


def list_damages(parts_path: Path) -> Iterator[str]:
    """What can be wrong with the shared parts."""
    parts = json.loads(parts_path.read_text())
    first, *others = parts
    yield "{"
    yield "[]"
    yield json.dumps({digest: parts[digest] for digest in others})
    yield json.dumps(parts | {first: ["another"]})


def test_a_damaged_part_is_never_believed(tmp_path: Path, parts_path: Path) -> None:
    """Not even one that is well-formed: it is not what its digest says."""
    path = tmp_path / "a.json"
    write_document(path, parts_path, make_document("a"))
    damages = [*list_damages(parts_path)]
    assert len(damages) == 4
    for damage in damages:
        parts_path.write_text(damage)
        with pytest.raises(ValueError, match=r"is no certificate|Expecting"):
            read_document(path)
    parts_path.unlink()
    with pytest.raises(ValueError, match="is no certificate"):
        read_document(path)


def test_a_damaged_part_leaves_a_structure_without_a_certificate(tmp_path: Path) -> None:
    """So it is proved again, not answered wrongly."""
    document = certificates.read(STOCK_PAIR)
    assert document is not None
    certificates.write(STOCK_PAIR, document, tmp_path)
    assert document == certificates.load(STOCK_PAIR, tmp_path)
    (parts_path,) = (tmp_path / PARTS_FOLDER).iterdir()
    parts_path.write_text(parts_path.read_text().replace('"proved"', '"refuted"'))
    assert certificates.load(STOCK_PAIR, tmp_path) is None


def test_a_file_is_written_whole_or_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full leaves the old one, and nothing beside it."""
    path = tmp_path / "a.json"
    path.write_text("old")

    def fail(*_args: object, **_more: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, "new")
    monkeypatch.undo()
    assert ["a.json"] == [p.name for p in tmp_path.iterdir()]
    assert "old" == path.read_text()


WRITER = """
import json, sys
from pathlib import Path
from properties.verdicts.storage.certificate_files import write_document

document = json.loads(sys.stdin.read())
for number in range(20):
    document["inductive_set"] = [f"{sys.argv[1]} {number}"]
    write_document(Path(sys.argv[2]) / f"{sys.argv[1]}.json", Path(sys.argv[3]), document)
"""


def test_several_processes_write_at_once(tmp_path: Path, parts_path: Path) -> None:
    """None loses a part of another."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, name, str(tmp_path), str(parts_path)],
            stdin=subprocess.PIPE,
            env=environment,
        )
        for name in ("a", "b", "c")
    ]
    for process in running:
        process.communicate(json.dumps(make_document("toy")).encode())
        assert 0 == process.returncode
    for name in ("a", "b", "c"):
        expected = copy.deepcopy(make_document("toy")) | {"inductive_set": [f"{name} 19"]}
        assert expected == read_document(tmp_path / f"{name}.json")
    parts = read_parts(parts_path)
    assert set(parts) == find_named(parts_path, parts)
