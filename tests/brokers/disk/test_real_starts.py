"""Starts of a real 5.3.3 store over damaged files, and the same starts on paper."""

from __future__ import annotations

import json
import shutil
import tarfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from brokers.disk.files.folders import find_store
from brokers.disk.starting import compute_start, read_inputs
from reference.releases.start_rules import make_start_rules
from tests.brokers.disk.real_stores import ARCHIVES

RULES = make_start_rules("5.3.3")
ROWS: list[Mapping[str, Any]] = json.loads((ARCHIVES / "starts_5_3_3.json").read_text())["rows"]


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stores before any damage: after an orderly stop, and after a kill."""
    folder = tmp_path_factory.mktemp("bases")
    with tarfile.open(ARCHIVES / "starts_5_3_3.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


def damage(root: Path, step: list[Any]) -> None:
    """One step of a row: some bytes are written, or a file is removed or made longer."""
    kind, name, *told = step
    path = root / name
    if kind == "remove":
        path.unlink()
    elif kind == "lengthen":
        path.write_bytes(path.read_bytes() + bytes(told[0]))
    else:
        at, byte, count = told
        data = bytearray(path.read_bytes())
        data[at : at + count] = bytes.fromhex(byte) if byte else bytes(count)
        path.write_bytes(data)


def test_real_starts(bases: Path, tmp_path: Path) -> None:
    """Whether the store is loaded, where its log begins and ends, and the end of each queue."""
    for number, row in enumerate(ROWS):
        root = Path(shutil.copytree(bases / row["base"], tmp_path / str(number)))
        for step in row["damage"]:
            damage(root, step)
        start = compute_start(read_inputs(find_store(root), RULES, lambda _: None))
        assert start.is_started == row["is_loaded"], row
        if start.is_started:
            ends = {f"{t}-{q}": each.max_index for (t, q), each in start.queues.items()}
            assert start.begin_offset == row["begin_offset"], row
            assert start.end_offset == row["end_offset"], row
            assert {key: end for key, end in ends.items() if end} == row["queues"], row
        shutil.rmtree(root)


def test_rows_are_of_every_sort() -> None:
    """Orderly stops and kills, whole and damaged stores, those that are not loaded."""
    sorts = Counter((row["base"], bool(row["damage"]), row["is_loaded"]) for row in ROWS)
    assert min(sorts.values()) > 0
    assert len(sorts) == 6
    assert len({(row["end_offset"], *sorted(row["queues"].items())) for row in ROWS}) > 30
