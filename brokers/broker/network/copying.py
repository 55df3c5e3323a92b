"""A slave copies its master's tables, request by request (``SlaveSynchronize`` of 4.4.0)."""

from __future__ import annotations

from attrs import define

from brokers.broker.host import Host
from brokers.broker.network.client import RemotingClient
from brokers.broker.settings import Settings
from brokers.broker.storage.tables import LiveTables
from brokers.wire.remoting import Command
from reference.decisions.metadata import copying, stored_broker
from reference.decisions.metadata.copying import (
    REQUEST_CODES,
    STEPS,
    CopyForm,
    choose_form,
)
from reference.decisions.metadata.services import VIP_PORT_STEP

SUCCESS = 0


@define(eq=False, repr=False)
class Copying:
    """The schedule of a slave's copies."""

    settings: Settings
    tables: LiveTables
    client: RemotingClient
    host: Host

    @property
    def form(self) -> CopyForm:
        """When a copy is due, by release."""
        return choose_form(self.settings.version.release)

    def start(self) -> None:
        """The first copy is due a while after the start."""
        self.host.after(self.form.first_ms, self._tick)

    def _tick(self) -> None:
        self.host.after(self.form.period_ms, self._tick)
        self._go_on(list(STEPS))

    def _go_on(self, steps: list[str]) -> None:
        """One step after another; one that fails ends only itself."""
        tables = self.tables.tables
        if not steps or not copying.is_master_known(tables) or tables.master_address is None:
            return
        step, *rest = steps
        if copying.is_skipped(tables, self.form, self.settings.address):
            return

        def take(answer: Command | None) -> None:
            text = None
            if answer is not None and answer.code == SUCCESS and answer.body:
                text = answer.body.decode("utf-8", "replace")
            self.copy(step, text)
            self._go_on(rest)

        address = find_address(step, tables.master_address)
        self.client.ask(address, Command(REQUEST_CODES[step]), self.form.request_timeout_ms, take)

    def copy(self, step: str, text: str | None) -> None:
        """One table, from the text of an answer; None: there was none."""
        now_ms = self.host.wall_ms()
        self.tables.change(stored_broker.copy_one(self.tables.broker, step, text, now_ms))


def find_address(step: str, master: str) -> str:
    """Topics are asked for at the VIP port (``MixAll#brokerVIPChannel``)."""
    host, _, port = master.rpartition(":")
    is_vip = step == "topics" and port.isdigit()
    return f"{host}:{int(port) + VIP_PORT_STEP}" if is_vip else master
