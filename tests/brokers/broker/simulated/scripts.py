"""What a recording tells of one side, as a script that plays it against a broker of our own."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import define, field

from brokers.broker.broker import Broker
from brokers.broker.settings import Settings
from brokers.configuration_files import read_one_broker
from brokers.disk.files.folders import COMMIT_LOG
from brokers.recordings.judging import find_version
from brokers.recordings.reading import Event, Recording
from reference.configuration.later_keys import name_in
from reference.releases.versions import Version
from tests.brokers.broker.simulated.network import Network, Process, SimulatedHost

HOST, PORT = "10.0.0.1", 10911
BEFORE_MS = 1.0
"""A start takes place this long before the line that tells of it."""


def read_version(recording: Recording) -> Version:
    """The release of the brokers."""
    version = find_version(recording)
    assert version is not None
    return version


def make_settings(recording: Recording, node: str, folder: Path) -> Settings:
    """A broker of our own with the settings of a recorded one."""
    told = recording.config.data["nodes"][node]
    version = read_version(recording)
    known = {**told.get("store_config", {}), "flushDiskType": told["flush_type"]}
    values = name_in({key: write(value) for key, value in known.items()}, version)
    values |= {
        "brokerRole": told["role"],
        "brokerId": str(told.get("broker_id", int(told["role"] == "SLAVE"))),
        "brokerName": "pair",
        "listenPort": str(PORT),
        "sendMessageThreadPoolNums": "16",
        "diskMaxUsedSpaceRatio": "99",
        "osPageCacheBusyTimeOutMills": "1000000",
    }
    if told["role"] == "SLAVE":
        values["haMasterAddress"] = "10.0.0.2:10912"
    configuration, _ = read_one_broker(None, values, version)
    return Settings(configuration, folder / node, HOST)


def write(value: Any) -> str:
    """A setting as its file has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def zero_from(root: Path, offset: int, file_bytes: int) -> None:
    """A power loss: bytes from an offset on are zeros, later files are gone."""
    for path in sorted((root / COMMIT_LOG).iterdir()):
        begin = int(path.name)
        if begin >= offset:
            path.unlink()
        elif begin + file_bytes > offset:
            with path.open("r+b") as file:
                file.seek(offset - begin)
                file.write(bytes(begin + file_bytes - offset))


@define(eq=False, repr=False)
class Life:
    """A broker of our own that lives and dies as a recorded one did."""

    recording: Recording
    node: str
    folder: Path
    network: Network
    on_start: Callable[[Broker], None] = field(default=lambda _: None)
    settings: Settings = field(init=False)
    broker: Broker | None = None
    process: Process | None = None

    def __attrs_post_init__(self) -> None:
        self.settings = make_settings(self.recording, self.node, self.folder)

    def plan(self) -> None:
        """Everything that befalls it, at its time."""
        acts: Mapping[str, Callable[[Event], None]] = {
            "node_started": lambda _: self.start(),
            "node_stop_begin": lambda _: self.stop(),
            "node_kill9": lambda _: self.end(),
            "process_exit": lambda _: self.end(),
            "store_surgery": self._lose,
            "store_wiped": lambda _: shutil.rmtree(self.settings.store_root),
        }
        for event in self.recording.events:
            if event.data.get("node") == self.node and event.kind in acts:
                early_ms = BEFORE_MS if event.kind == "node_started" else 0.0
                self.network.after(event.t_ms - early_ms, _bind(acts[event.kind], event), None)

    def start(self) -> None:
        """A new process on the store that is there."""
        self.process = Process(self.node)
        host = SimulatedHost(self.network, self.process, self.settings.address)
        self.broker = Broker(self.settings, host)
        self.broker.start()
        make = self.broker.ha.make_connection
        self.network.listeners[self.settings.ha_address] = (self.process, make)
        self.on_start(self.broker)

    def stop(self) -> None:
        """In order."""
        if self.broker is not None:
            self.broker.stop(lambda: None)

    def end(self) -> None:
        """The process is gone."""
        if self.broker is None or self.process is None:
            return
        self.process.is_alive = False
        for wire in list_wires(self.broker):
            for end in (wire.near, wire.far):
                if end.process is self.process:
                    end.close()
        self.broker.store.files.unlock()
        self.broker = None

    def _lose(self, event: Event) -> None:
        size = self.settings.number("mapedFileSizeCommitLog")
        zero_from(self.settings.store_root, int(event["lost_from_offset"]), size)


def list_wires(broker: Broker) -> Iterator[Any]:
    """All connections that a broker has."""
    ends = [each.transport for each in broker.ha.connections]
    if broker.slave is not None:
        ends.append(broker.slave.transport)
    for end in ends:
        if end is not None:
            yield end.wire  # type: ignore[attr-defined]


def _bind(act: Callable[[Event], None], event: Event) -> Callable[[], None]:
    return lambda: act(event)
