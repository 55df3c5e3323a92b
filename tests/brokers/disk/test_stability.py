"""A store that another process writes to while it is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from brokers.disk.files.folders import StoreFolder
from brokers.disk.reading import read_stored_broker
from brokers.disk.stability import StoreChange, find_change
from brokers.disk.stored_brokers import StoredBroker
from reference.releases.start_rules import make_start_rules
from reference.store.put import MessageToPut
from reference.store.store import Store
from tests.brokers.disk.rendering import render_store
from tests.reference.store.logs import MASTER, fill, kill

MESSAGES = [MessageToPut("TopicA", 0, body=bytes([n + 1] * 100)) for n in range(12)]
BEFORE = 9
"""Messages that are there when the store is read first."""


def make_store(messages: list[MessageToPut]) -> Store:
    """Of a broker that runs."""
    return kill(fill(MASTER, messages))


@pytest.fixture
def broker(tmp_path: Path) -> StoredBroker:
    """A store that was read."""
    root = render_store(make_store(MESSAGES[:BEFORE]), tmp_path)
    return read_stored_broker("master", root, make_start_rules("4.4.0"))


def list_log_files(folder: StoreFolder) -> list[Path]:
    """The files of its log."""
    return sorted(folder.commit_log.iterdir())


def test_nothing_happens(broker: StoredBroker) -> None:
    """Most stores are at rest."""
    assert find_change(broker) is None


def test_the_log_grows(broker: StoredBroker) -> None:
    """Further messages are put."""
    render_store(make_store(MESSAGES), broker.folder.root)
    found = find_change(broker)
    assert found is not None
    assert found.change is StoreChange.GROWN
    assert found.before_offset == broker.start.end_offset < found.now_offset


def test_retention_deletes_a_file(broker: StoredBroker) -> None:
    """The log begins later."""
    list_log_files(broker.folder)[0].unlink()
    found = find_change(broker)
    assert found is not None
    assert found.change is StoreChange.FILES_GONE


def test_the_end_is_rewritten(broker: StoredBroker) -> None:
    """Its last record is gone."""
    last = broker.log.find_file(broker.start.last_offset)
    assert last is not None
    data = bytearray(last.path.read_bytes())
    data[broker.start.last_offset - last.begin_offset :] = bytes(8)
    last.path.write_bytes(bytes(data).ljust(last.size_bytes, b"\0"))
    found = find_change(broker)
    assert found is not None
    assert found.change is StoreChange.REWRITTEN
