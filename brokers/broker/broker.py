"""A whole broker: its store, its tables, both sides of replication, and its servers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from attrs import define, field

from brokers.broker import habits
from brokers.broker.delivery import Delivery
from brokers.broker.events import EventWriter
from brokers.broker.host import Host
from brokers.broker.network.client import RemotingClient
from brokers.broker.network.copying import Copying
from brokers.broker.network.registration import BrokerRegistration
from brokers.broker.network.remoting_server import RemotingServer
from brokers.broker.parts import USUAL_PARTS, Parts
from brokers.broker.replication.controlled_master import ControlledMasterHa
from brokers.broker.replication.controlled_slave import ControlledSlaveHa
from brokers.broker.replication.epochs import LiveEpochs
from brokers.broker.replication.master_ha import MasterHa
from brokers.broker.replication.puts import Puts
from brokers.broker.replication.slave_ha import SlaveHa
from brokers.broker.requests.ports import BrokerPorts
from brokers.broker.requests.pulling import hold_pulls
from brokers.broker.ruled_state import RuledState
from brokers.broker.settings import Settings
from brokers.broker.storage.live_store import LiveStore
from brokers.broker.storage.store_files import StoreFiles
from brokers.broker.storage.tables import LiveTables


@define(eq=False, repr=False)
class Broker:
    """One broker in one process."""

    settings: Settings
    host: Host
    append_event: Callable[[bytes], None] | None = None
    node: str = "broker"
    """Its name among the events."""
    parts: Parts = USUAL_PARTS
    """The classes that it is made of."""
    store: LiveStore = field(init=False)
    tables: LiveTables = field(init=False)
    epochs: LiveEpochs = field(init=False)
    """Of controller mode; empty otherwise."""
    ha: MasterHa = field(init=False)
    slave: SlaveHa | None = field(init=False)
    puts: Puts = field(init=False)
    client: RemotingClient = field(init=False)
    registration: BrokerRegistration = field(init=False)
    copying: Copying = field(init=False)
    ports: BrokerPorts = field(init=False)
    server: RemotingServer = field(init=False)
    events: EventWriter = field(init=False)

    def __attrs_post_init__(self) -> None:
        settings, host, parts = self.settings, self.host, self.parts
        files, parameters = StoreFiles(settings.store_root), settings.make_parameters()
        serving = RuledState(settings.make_structure(is_copying=False), parameters)
        copying = None
        if settings.is_slave:
            copying = RuledState(settings.make_structure(is_copying=True), parameters)
        self.store = parts.store(settings, files, host, serving, copying)
        self.tables = LiveTables(settings, files, host)
        self.epochs = LiveEpochs(files)
        self.ha, self.slave = self._make_ha()
        self.events = EventWriter(self.ha, self.slave, self.append_event, self.node)
        wake = self.ha.wake_writers
        self.puts = parts.puts(settings, self.store, serving, host, wake, parts.transfer)
        self.ha.on_report = self.puts.transfer.notify
        self.client = RemotingClient(host)
        self.registration = BrokerRegistration(settings, self.tables, self.client, host, self.slave)
        self.tables.on_topic = self.registration.register
        self.copying = parts.copying(settings, self.tables, self.client, host)
        self.ports = BrokerPorts(self.puts, self.tables, self.events.write_put)
        self.server = RemotingServer(self.ports, parts.request, parts.handlers)

    def _make_ha(self) -> tuple[MasterHa, SlaveHa | None]:
        """Both sides of replication; a master has no second one."""
        common, rules = (self.settings, self.store), self.store.copying
        if self.settings.is_controlled:
            master = ControlledMasterHa(*common, self.store.serving, self.host, epochs=self.epochs)
            master.on_set = lambda: self.events.write_set(master.list_members())
            if rules is None:
                return master, None
            return master, ControlledSlaveHa(*common, rules, self.host, epochs=self.epochs)
        ha = self.parts.master(*common, self.store.serving, self.host)
        return ha, None if rules is None else self.parts.slave(*common, rules, self.host)

    def start(self) -> None:
        """Load everything, and let all services run; who listens, does so after this.

        Raises StoreLockedError, StoreFailedError, TablesFailedError, EpochRefusedError, OSError.
        """
        self.store.files.lock()
        self.tables.load()
        self.store.load()
        self.epochs.load()
        self.store.start()
        self.events.write_start()
        if self.settings.is_controlled:
            self._take_role()
        hold_pulls(self.ports)
        Delivery(self.ports).start()
        interval_ms = 5000.0
        self.store.every("progress", interval_ms, self.tables.persist_offsets, first_ms=10_000.0)
        if self.slave is not None:
            self.slave.start()
            self.copying.start()
        self.registration.start()

    def _take_role(self) -> None:
        """What a controller would tell: that it is the master of an epoch, or a slave."""
        if self.slave is None and isinstance(self.ha, ControlledMasterHa):
            self.ha.begin()
        self.events.write("to_master" if self.slave is None else "to_slave", **self.events.tell())

    def stop(self, on_done: Callable[[], None]) -> None:
        """``BrokerController#shutdown``: no more puts, a second later no more replication."""
        if self.store.is_stopping:
            return
        self.events.write("node_stop_begin")
        self.registration.leave()
        self.store.begin_stop()
        began_ms = self.host.now_ms()

        def shut() -> None:
            if self.slave is not None:
                self.slave.stop()
            self.ha.shut()
            self.puts.stop()
            self.host.after(habits.SHUTDOWN_REST_MS, finish)

        def finish() -> None:
            self.finish_stop()
            self.events.write(
                "node_stop_clean",
                abort_file_present=self.store.store.has_abort_file,
                shutdown_ms=round(self.host.now_ms() - began_ms, 3),
            )
            on_done()

        self.host.after(habits.SHUTDOWN_SLEEP_MS, shut)

    def finish_stop(self) -> None:
        """The last part of a stop in order."""
        self.server.close()
        self.client.close()
        self.store.finish_stop()
        self.tables.persist_offsets()
        self.store.files.unlock()
        self._tell_rules()

    def _tell_rules(self) -> None:
        taken = self.count_taken().most_common()
        text = ", ".join(f"{name} {count:,}" for name, count in taken)
        self.host.log(f"rules: {text or 'none was taken'}")

    def count_taken(self) -> Counter[str]:
        """How often each rule was taken."""
        copying = self.store.copying
        return self.store.serving.taken + (Counter() if copying is None else copying.taken)
