"""A broker registers at its name servers, and a slave learns where its master is.

Source: BrokerController#registerBrokerAll and #doRegisterBrokerAll, BrokerOuterAPI of 4.4.0.
"""

from __future__ import annotations

import json
import re

from attrs import define, field

from brokers.broker.host import Host
from brokers.broker.network.client import RemotingClient
from brokers.broker.replication.slave_ha import SlaveHa
from brokers.broker.settings import Settings
from brokers.broker.storage.tables import LiveTables
from brokers.wire.codes import RequestCode
from brokers.wire.remoting import Command
from reference.decisions.metadata.stored_broker import write_table
from reference.decisions.metadata.table_text import TOPICS
from reference.decisions.name_server import broker_side
from reference.decisions.name_server.broker_side import Addresses
from reference.decisions.name_server.registry import RegisterBrokerResult
from reference.store.records import compute_body_crc

SUCCESS = 0


@define(eq=False, repr=False)
class BrokerRegistration:
    """What a broker tells its name servers, and what it takes from them."""

    settings: Settings
    tables: LiveTables
    client: RemotingClient
    host: Host
    slave: SlaveHa | None
    addresses: Addresses = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.addresses = broker_side.configure(self.settings.text("haMasterAddress"))
        if self.slave is not None and self.addresses.ha_master is not None:
            self.slave.set_master(self.addresses.ha_master)

    @property
    def name_servers(self) -> list[str]:
        """``namesrvAddr``."""
        return [each for each in re.split(r"[;\s]+", self.settings.text("namesrvAddr")) if each]

    def start(self) -> None:
        """At once, after ten seconds, and then again and again."""
        if self.name_servers:
            self.register()
            self.host.after(broker_side.FIRST_MS, self._again)

    def _again(self) -> None:
        period_ms = self.settings.number("registerNameServerPeriod")
        self.host.after(broker_side.compute_period_ms(period_ms), self._again)
        self.register()

    def register(self) -> None:
        """Tell all name servers; the first answer counts."""
        answers: list[RegisterBrokerResult] = []
        for address in self.name_servers:
            self._register_at(address, answers)

    def _register_at(self, address: str, answers: list[RegisterBrokerResult]) -> None:
        def take(answer: Command | None) -> None:
            if answer is None or answer.code != SUCCESS:
                why = "no answer" if answer is None else f"code {answer.code}"
                self.host.log(f"register broker to name server {address}: {why}")
                return
            answers.append(read_answer(answer))
            if len(answers) == 1:
                self._learn(answers)

        timeout_ms = self.settings.number("registerBrokerTimeoutMills")
        self.client.ask(address, self.make_request(), timeout_ms, take)

    def make_request(self) -> Command:
        """REGISTER_BROKER, not compressed."""
        configuration, settings = self.settings.configuration, self.settings
        topics = json.loads(write_table(self.tables.broker, TOPICS, is_pretty=False))
        whole = {"filterServerList": [], "topicConfigSerializeWrapper": topics}
        body = json.dumps(whole, separators=(",", ":")).encode()
        fields = {
            "brokerAddr": settings.address,
            "brokerId": str(configuration.broker_id),
            "brokerName": configuration.broker_name,
            "clusterName": configuration.cluster,
            "haServerAddr": settings.ha_address,
            "compressed": "false",
            "bodyCrc32": str(compute_body_crc(body)),
        }
        return Command(RequestCode.REGISTER_BROKER, fields, body)

    def _learn(self, answers: list[RegisterBrokerResult]) -> None:
        self.addresses = broker_side.learn(self.addresses, answers)
        self.tables.set_master(self.addresses.master if self.settings.is_slave else None)
        if self.slave is not None and self.addresses.ha_master is not None:
            self.slave.set_master(self.addresses.ha_master)

    def leave(self) -> None:
        """UNREGISTER_BROKER at a stop in order; no answer is awaited."""
        configuration = self.settings.configuration
        fields = {
            "brokerAddr": self.settings.address,
            "brokerId": str(configuration.broker_id),
            "brokerName": configuration.broker_name,
            "clusterName": configuration.cluster,
        }
        for address in self.name_servers:
            request = Command(RequestCode.UNREGISTER_BROKER, fields)
            self.client.ask(address, request, 1000.0, lambda _: None)


def read_answer(answer: Command) -> RegisterBrokerResult:
    """What an answer to a registration tells of the master; empty texts are none."""
    master, ha_address = answer.fields.get("masterAddr"), answer.fields.get("haServerAddr")
    return RegisterBrokerResult(master_address=master or None, ha_address=ha_address or None)
