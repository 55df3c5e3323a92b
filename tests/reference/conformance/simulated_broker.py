"""A broker under test on the simulated network, empty at first, and a case played against it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path

from reference.broker.broker import Broker
from reference.broker.host import Peer
from reference.broker.settings import Settings
from reference.configuration.files import read_one_broker
from reference.configuration.keys import KEYS
from reference.configuration.later_keys import get_name_in
from reference.conformance.acts import play
from reference.conformance.case import Case
from reference.conformance.stage import Listen, Played, Serving, Stage
from reference.releases.versions import parse_version
from tests.reference.broker.simulated.network import Network, Process, SimulatedHost

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
    return {get_name_in(key, version): value for key, value in told.items()}


def make_settings(case: Case, release: str, folder: Path, more: Mapping[str, str]) -> Settings:
    """Of the broker under test."""
    told = {**choose_settings(case, release), **more}
    configuration, _ = read_one_broker(None, told, parse_version(release))
    return Settings(configuration, folder / "tested", MASTER_HOST)


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
    host = SimulatedHost(network, Process("tested"), settings.address)
    tester = SimulatedHost(network, Process("tester"), f"{TESTER_HOST}:5000")
    broker = make_broker(settings, host)
    broker.start()
    network.listeners[settings.address] = (host.process, broker.server.make_connection)
    network.listeners[settings.ha_address] = (host.process, broker.ha.make_connection)

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
        is_whole=case.is_whole,
        own_settings=case.own_settings,
    )
    done: list[bool] = []
    play(stage, case.acts, lambda: done.append(True))
    network.run(lambda: bool(done) or network.now_ms > CASE_MAX_MS)
    stage.end()
    host.process.is_alive = False
    broker.files.unlock()
    return stage.take_down(case.name)
