"""A broker under test on the simulated network, empty at first, and a case played against it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path

from attrs import define, field

from brokers.broker.broker import Broker
from brokers.broker.host import Peer
from brokers.broker.settings import Settings
from brokers.configuration_files import read_one_broker
from brokers.conformance.acts import play
from brokers.conformance.case import Case
from brokers.conformance.stage import Listen, Played, Serving, Stage
from reference.configuration.keys import KEYS
from reference.configuration.later_keys import name_in
from reference.releases.versions import parse_version
from tests.brokers.broker.simulated.network import Network, Process, SimulatedHost

MASTER_HOST, TESTER_HOST, HA_PORT = "10.0.0.1", "10.0.0.9", 10912
CLIENTS, CLIENTS_VIP, NAMES = (f"{TESTER_HOST}:{port}" for port in (10911, 10909, 9876))
USUAL = {
    "brokerName": "a",
    "mapedFileSizeCommitLog": "16384",
    "mapedFileSizeConsumeQueue": "2000",
    "maxMessageSize": "8192",
    "haSendHeartbeatInterval": "500",
    "haHousekeepingInterval": "3000",
    "diskMaxUsedSpaceRatio": "99",
    "sendMessageThreadPoolNums": "4",
}
CASE_MAX_MS = 900_000.0
KILLED_MS, RESTARTED_MS = 20.0, 500.0
"""How long a broker lives after a restart was asked for, and when it runs again."""


def choose_settings(case: Case, release: str) -> dict[str, str]:
    """What the broker is set to, so that the case can be played."""
    told = dict(USUAL)
    for key, (low, high) in case.needs.items():
        if not low <= int(told.get(key, -1)) <= high:
            value = 2 * low if high > 10 * low else (low + high) // 2
            is_switch = isinstance(KEYS[key].default, bool)
            told[key] = str(bool(value)).lower() if is_switch else str(value)
    usual = "SYNC_MASTER" if case.is_master_tested else "SLAVE"
    told["brokerRole"] = usual
    told.update(case.words)
    told["brokerId"] = "0" if case.is_master_tested else "1"
    if not case.is_master_tested:
        told["haMasterAddress"] = f"{TESTER_HOST}:{HA_PORT}"
    if case.is_whole and not case.is_master_tested:
        told["namesrvAddr"] = NAMES
    version = parse_version(release)
    return name_in(told, version)


def make_settings(case: Case, release: str, folder: Path, more: Mapping[str, str]) -> Settings:
    """Of the broker under test."""
    told = {**choose_settings(case, release), **more}
    configuration, _ = read_one_broker(None, told, parse_version(release))
    return Settings(configuration, folder / "tested", MASTER_HOST)


@define(eq=False, repr=False)
class TestedBroker:
    """The broker under test, in one life after another."""

    network: Network
    settings: Settings
    make_broker: Callable[[Settings, SimulatedHost], Broker]
    tester: SimulatedHost
    host: SimulatedHost = field(init=False)
    broker: Broker = field(init=False)

    def start(self) -> None:
        """A new life on the same store."""
        self.host = SimulatedHost(self.network, Process("tested"), self.settings.address)
        self.broker = self.make_broker(self.settings, self.host)
        self.broker.start()
        for address, server in (
            (self.settings.address, self.broker.server),
            (self.settings.ha_address, self.broker.ha),
        ):
            self.network.listeners[address] = (self.host.process, server.make_connection)

    def kill(self) -> None:
        """The end of a life: the operating system closes what is open."""
        self.host.process.is_alive = False
        for wire in (*self.host.wires, *self.tester.wires):
            for end in (wire.near, wire.far):
                if end.process is self.host.process:
                    end.close()
        self.broker.store.files.unlock()

    def restart(self, then: Callable[[], None]) -> None:
        """Both, and a while in between."""
        self.tester.after(KILLED_MS, self.kill)
        self.tester.after(RESTARTED_MS, self.start)
        self.tester.after(RESTARTED_MS + KILLED_MS, then)


def play_case(  # noqa: PLR0917
    case: Case,
    folder: Path,
    release: str = "4.4.0",
    seed: int = 1,
    make_broker: Callable[[Settings, SimulatedHost], Broker] = Broker,
    more: Mapping[str, str] | None = None,
) -> Played:
    """A case, played."""
    network = Network(random.Random(seed))
    settings = make_settings(case, release, folder, more or {})
    tester = SimulatedHost(network, Process("tester"), f"{TESTER_HOST}:5000")
    tested = TestedBroker(network, settings, make_broker, tester)
    tested.start()

    def listen_at(*addresses: str) -> Listen:
        def listen(make_peer: Callable[[], Peer]) -> Callable[[], None]:
            network.listeners |= dict.fromkeys(addresses, (tester.process, make_peer))

            def stop() -> None:
                for address in addresses:
                    network.listeners.pop(address, None)

            return stop

        return listen

    ha_address = f"{TESTER_HOST}:{HA_PORT}"
    serving = Serving(listen_at(NAMES), listen_at(CLIENTS, CLIENTS_VIP), CLIENTS, ha_address)
    addresses = (settings.ha_address, settings.address)
    stage = Stage(
        tester,
        folder / "tester",
        settings,
        *addresses,
        listen_at(ha_address),
        serving,
        tested.restart,
        is_whole=case.is_whole,
        own_settings=case.own_settings,
    )
    done: list[bool] = []
    play(stage, case.acts, lambda: done.append(True))
    network.run(lambda: bool(done) or network.now_ms > CASE_MAX_MS)
    stage.end()
    tested.kill()
    return stage.take_down(case.name)
