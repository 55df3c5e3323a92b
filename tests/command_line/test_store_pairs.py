"""``rmqspec store`` on pairs of stores of which every byte is known."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve

from brokers.disk.comparison.promotion import DelayEffect
from brokers.disk.files.folders import COMMIT_LOG, CONSUME_QUEUE
from command_line.output import exit_codes
from reference.store.put import MessageToPut
from tests.brokers.disk.real_stores import unpack
from tests.brokers.disk.rendering import render_store
from tests.command_line.run import run
from tests.reference.store.logs import MASTER, fill, kill

MESSAGES = [
    MessageToPut("TopicA", 0, body=bytes([n + 1] * 20), properties=f"KEYS\1{n}\2") for n in range(6)
]
"""Six records of fewer than 200 bytes each, whose last bytes no checksum covers."""
SMALL_BYTES = 200
ONE_FILE = evolve(MASTER, mapped_file_size_commit_log_bytes=4096)
"""A broker whose log has room for all of them in one file."""


def leave(messages: list[MessageToPut], root: Path) -> Path:
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
    """Equal logs with other progress, or with a topic that the slave alone has."""
    folder = unpack("group_skip_old", tmp_path)
    stores = folder / "master", folder / "slave1"
    assert (exit_codes.REFUTED, "equal") == judge(*stores)
    for name in ("consumerOffset.json", "consumerOffset.json.bak"):
        for found in stores[0].rglob(name):
            copy = stores[1] / found.relative_to(stores[0])
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(found, copy)
    assert (exit_codes.ANALYSED, "equal") == judge(*stores)
    for topics in stores[1].rglob("topics.json"):
        table = json.loads(topics.read_text())
        known = table["topicConfigTable"]
        known["another"] = {**next(iter(known.values())), "topicName": "another"}
        topics.write_text(json.dumps(table))
    assert (exit_codes.REFUTED, "equal") == judge(*stores)


def test_other_queue_entries_are_a_difference(pair: tuple[Path, Path]) -> None:
    """The queues end alike, and one of them leads elsewhere."""
    first = min((pair[1] / CONSUME_QUEUE / "TopicA" / "0").iterdir())
    data = bytearray(first.read_bytes())
    data[19] ^= 1
    first.write_bytes(bytes(data))
    assert (exit_codes.REFUTED, "other queues") == judge(*pair)


def test_a_message_that_was_sent_again_is_not_lost(tmp_path: Path) -> None:
    """The other store has it by its producer's id, though its record is another one."""
    stores = []
    for name, body, key in (("master", b"once", "k"), ("slave", b"again", "k")):
        last = MessageToPut("TopicA", 0, body=body, properties=f"UNIQ_KEY\1{key}\2")
        stores.append(leave([*MESSAGES[:-1], last], tmp_path / name))
    told = run("store", *stores).stdout
    assert "diverged" in told
    assert "Lost:" not in told
    other = MessageToPut("TopicA", 0, body=b"again", properties="UNIQ_KEY\1other\2")
    stores[1] = leave([*MESSAGES[:-1], other], tmp_path / "other")
    assert 2 == run("store", *stores).stdout.count("Lost: 1 record")


@pytest.mark.parametrize(("progress", "skipped"), [(4, 0), (5, 1), (6, 2)])
def test_a_group_skips_what_the_master_never_had(
    progress: int, skipped: int, tmp_path: Path
) -> None:
    """The slave alone has the last two messages; progress names the next one to consume."""
    stores = leave(MESSAGES[:-2], tmp_path / "master"), leave(MESSAGES, tmp_path / "slave")
    table = stores[1] / "config" / "consumerOffset.json"
    table.parent.mkdir(exist_ok=True)
    table.write_text(json.dumps({"offsetTable": {"TopicA@G": {"0": progress}}}))
    told = run("store", *stores).stdout
    found = re.search(r"TopicA@G/0 .*skips (\d+) message", told)
    assert skipped == (int(found[1]) if found else 0)


@pytest.mark.parametrize(("on_slave", "is_passed"), [(4, False), (5, True), (6, True)])
def test_a_slave_as_far_as_its_master_never_delivers(on_slave: int, *, is_passed: bool) -> None:
    """Its progress is behind all that the master alone has delivered."""
    assert is_passed == DelayEffect(3, 1, 5, on_slave).is_passed


@pytest.mark.parametrize("change", [str.upper, str.lower])
def test_a_producers_id_is_found_in_either_case(
    change: Callable[[str], str], tmp_path: Path
) -> None:
    """Producers write it in capitals; a log or a tool may not."""
    key = "7F0000011A2B18B4AAC2000000AB0001"
    last = MessageToPut("TopicA", 0, body=b"x", properties=f"UNIQ_KEY\1{key}\2")
    stores = leave([*MESSAGES, last], tmp_path / "master"), leave(MESSAGES, tmp_path / "slave")
    ids = tmp_path / "ids.txt"
    ids.write_text(change(key) + "\n")
    told = run("store", *stores, "--acked", ids).stdout
    assert "both have 0, only the master 1, only the slave 0, neither 0" in told


@pytest.mark.parametrize(
    ("master", "slave", "why"),
    [
        (6, 6, "its log is the beginning of the promoted one"),
        (4, 6, "its log is the beginning of the promoted one"),
        (0, 6, "it has no log"),
        (6, 5, "its log is longer"),
    ],
)
def test_an_old_master_returns_if_the_promoted_log_goes_on_from_its_own(
    master: int, slave: int, why: str, tmp_path: Path
) -> None:
    """A number of messages each has of the same six."""
    stores = leave(MESSAGES[:master], tmp_path / "master"), leave(MESSAGES[:slave], tmp_path / "s")
    if not master:
        shutil.rmtree(stores[0] / COMMIT_LOG)
        (stores[0] / COMMIT_LOG).mkdir()
    (told,) = json.loads(run("store", *stores, "--json").stdout)["pairs"]
    found = told["old_master_as_slave"]
    assert (found["why"], found["is_good"]) == (why, why.startswith("its log is the beginning"))
    shown = run("store", *stores).stdout
    assert ("may start as its slave" in shown) is found["is_good"]
    assert ("must not start as its slave" in shown) is not found["is_good"]


def test_an_old_master_with_other_bytes_does_not_return(pair: tuple[Path, Path]) -> None:
    """Equal ends do not help; the place is where the record begins."""
    *_, begin, end = find_ends(pair[0])
    write_at(pair[0], end - 1, b"\x7f")
    (told,) = json.loads(run("store", *pair, "--json").stdout)["pairs"]
    found = told["old_master_as_slave"]
    assert (found["why"], found["offset"]) == ("its log has other bytes", begin)
    assert f"from {begin} on it has other bytes" in run("store", *pair).stdout
