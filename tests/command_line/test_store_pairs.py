"""``rmqspec store`` on pairs of stores of which every byte is known."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from attrs import evolve

from command_line.output import exit_codes
from reference.disk.files.folders import COMMIT_LOG
from reference.store.put import Message
from tests.command_line.run import run
from tests.reference.disk.real_stores import unpack
from tests.reference.disk.rendering import render_store
from tests.reference.store.logs import MASTER, fill, kill

MESSAGES = [
    Message("TopicA", 0, body=bytes([n + 1] * 20), properties=f"KEYS\1{n}\2") for n in range(6)
]
"""Six records of fewer than 200 bytes each, whose last bytes no checksum covers."""
SMALL_BYTES = 200
ONE_FILE = evolve(MASTER, mapped_file_size_commit_log_bytes=4096)
"""A broker whose log has room for all of them in one file."""


def leave(messages: list[Message], root: Path) -> Path:
    """A killed broker's store with these messages."""
    return render_store(kill(fill(ONE_FILE, messages)), root)


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """A master and a slave with equal stores."""
    return leave(MESSAGES, tmp_path / "master"), leave(MESSAGES, tmp_path / "slave")


def get_file(store: Path) -> Path:
    """The file of its log that has the records; a broker makes the next one ahead of time."""
    return min((store / COMMIT_LOG).iterdir())


def find_ends(store: Path) -> list[int]:
    """Where each record of its log ends."""
    data, ends = get_file(store).read_bytes(), [0]
    while size := int.from_bytes(data[ends[-1] : ends[-1] + 4], "big"):
        ends.append(ends[-1] + size)
        if len(ends) > len(MESSAGES):
            break
    return ends[1:]


def write_at(store: Path, offset: int, data: bytes) -> None:
    """Some bytes of its log are replaced."""
    file = get_file(store)
    held = bytearray(file.read_bytes())
    held[offset : offset + len(data)] = data
    file.write_bytes(bytes(held))


def judge(*stores: Path) -> tuple[int, str]:
    """The exit code, and the verdict for programs."""
    result: subprocess.CompletedProcess[str] = run("store", *stores, "--json")
    (told,) = json.loads(result.stdout)["pairs"]
    return result.returncode, told["verdict"]


def test_equal_stores_are_equal(pair: tuple[Path, Path]) -> None:
    """Every other test changes one thing of these."""
    assert (exit_codes.ANALYSED, "equal") == judge(*pair)


@pytest.mark.parametrize("place", ["first", "inner", "last"])
def test_one_byte_that_both_have_is_enough(pair: tuple[Path, Path], place: str) -> None:
    """The last byte of both logs too: it is part of a record's properties."""
    *_, before, end = find_ends(pair[1])
    offset = {"first": before - 2, "inner": end - 2, "last": end - 1}[place]
    write_at(pair[1], offset, b"\x7f")
    assert (exit_codes.REFUTED, "diverged") == judge(*pair)


@pytest.mark.parametrize(("shorter", "verdict"), [("slave", "behind"), ("master", "ahead")])
def test_one_small_record_is_a_difference(tmp_path: Path, shorter: str, verdict: str) -> None:
    """A promotion, or keeping the master, loses it."""
    stores = []
    for name in ("master", "slave"):
        kept = MESSAGES[:-1] if name == shorter else MESSAGES
        stores.append(leave(kept, tmp_path / name))
    longer = stores[shorter == "master"]
    *_, before, end = find_ends(longer)
    assert end - before < SMALL_BYTES
    assert (exit_codes.REFUTED, verdict) == judge(*stores)
    told = run("store", *stores).stdout
    assert f"{verdict} by {end - before} bytes" in told
    assert "Lost: 1 record" in told


def test_a_hole_at_the_end_of_the_log_is_found(pair: tuple[Path, Path]) -> None:
    """A write that failed was only logged: what follows is there, and lost to a start."""
    ends = find_ends(pair[1])
    write_at(pair[1], ends[2], bytes(ends[4] - ends[2]))
    assert (exit_codes.REFUTED, "gap") == judge(*pair)


def test_other_tables_are_a_difference(tmp_path: Path) -> None:
    """Equal logs with other progress: a promotion would repeat messages."""
    folder = unpack("group_skip_old", tmp_path)
    stores = folder / "master", folder / "slave1"
    assert (exit_codes.REFUTED, "equal") == judge(*stores)
    for name in ("consumerOffset.json", "consumerOffset.json.bak"):
        for found in stores[0].rglob(name):
            copy = stores[1] / found.relative_to(stores[0])
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(found, copy)
    assert (exit_codes.ANALYSED, "equal") == judge(*stores)
