"""Tables of a broker as recordings show them, and who asks the tester's master for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import define, field

from brokers.broker.broker import Broker
from brokers.broker.host import Peer, Transport
from brokers.wire.remoting import CommandReader
from brokers.wire.wire_error import WireError
from reference.decisions.metadata import stored_broker
from reference.decisions.metadata.json_text import TextError
from reference.decisions.metadata.stored_broker import TABLE_OF_STEP
from reference.decisions.metadata.table_text import ReadTable, read_table

SHOWN_STEPS = ("topics", "progress", "groups")
"""Tables that every look asks for. Delay offsets tell of a slave's copies only once it has started
again: a copy reaches its file, and not its memory (R-MS-07)."""
DELAY_STEP = "delay"


def describe_tables(texts: Mapping[str, str]) -> dict[str, Any]:
    """The fields of an event, from the texts that a broker answers. Raises TextError."""
    delays = {}
    if DELAY_STEP in texts:
        offsets = _read(DELAY_STEP, texts[DELAY_STEP]).entries or {}
        delays = {"delay_offsets_in_memory": dict(offsets)}
    found = {step: _read(step, texts.get(step, "")) for step in SHOWN_STEPS}
    topics, progress, groups = (found[step] for step in SHOWN_STEPS)
    return {
        "topics": sorted(topics.entries or ()),
        "topic_data_version_counter": topics.version.counter,
        "consumer_offsets": {
            key: {str(queue): offset for queue, offset in queues.items()}
            for key, queues in (progress.entries or {}).items()
        },
        "subscription_groups": {
            name: {
                "broker_id": group.broker_id,
                "which_broker_when_consume_slowly": group.slow_broker_id,
            }
            for name, group in (groups.entries or {}).items()
        },
        "subscription_group_data_version_counter": groups.version.counter,
        **delays,
    }


def _read(step: str, text: str) -> ReadTable:
    found = read_table(TABLE_OF_STEP[step], text, 0.0, is_version_kept=True)
    if found is None:
        raise TextError(f"no table of {step}")
    return found


def describe_own(broker: Broker) -> dict[str, Any]:
    """The same of a broker of the tester."""
    steps = (*SHOWN_STEPS, DELAY_STEP)
    texts = {s: stored_broker.answer_copy(broker.tables.broker, s) for s in steps}
    return describe_tables(texts)


@define(eq=False, repr=False)
class AskedPeer:
    """A client's connection to the tester's master, of which each request is counted."""

    inner: Peer
    count: Callable[[int], None]
    """Told the code of each request."""
    reader: CommandReader = field(factory=CommandReader)

    def opened(self, transport: Transport) -> None:
        """Open."""
        self.inner.opened(transport)

    def received(self, data: bytes) -> None:
        """Requests: what cannot be read, the master itself refuses."""
        try:
            for command in self.reader.feed(data):
                self.count(command.code)
        except WireError:
            self.reader = CommandReader()
        self.inner.received(data)

    def drained(self) -> None:
        """Room."""
        self.inner.drained()

    def lost(self, reason: str) -> None:
        """The end."""
        self.inner.lost(reason)
