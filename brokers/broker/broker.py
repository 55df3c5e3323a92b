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
from brokers.broker.network.registration import Registration
from brokers.broker.network.remoting_server import RemotingServer
from brokers.broker.parts import USUAL_PARTS, Parts
from brokers.broker.replication.controlled_master import ControlledMasterHa
from brokers.broker.replication.controlled_slave import ControlledSlaveHa
from brokers.broker.replication.epochs import LiveEpochs
from brokers.broker.replication.followed_puts import Put
from brokers.broker.replication.master_ha import MasterHa
from brokers.broker.replication.puts import Puts
from brokers.broker.replication.slave_ha import SlaveHa
from brokers.broker.requests.clients import Consumers
from brokers.broker.requests.pulling import HeldPulls
from brokers.broker.ruled_state import RuledState
from brokers.broker.settings import Settings
from brokers.broker.storage.live_store import LiveStore
from brokers.broker.storage.store_files import StoreFiles
from brokers.broker.storage.tables import LiveTables
from reference.decisions.clients.queue_locks import LockTable
from reference.decisions.metadata.table_text import TopicConfig
from reference.decisions.reading.settings import BrokerSettings, StoreSettings


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
    files: StoreFiles = field(init=False)
    serving: RuledState = field(init=False)
    copying_rules: RuledState | None = field(init=False)
    store: LiveStore = field(init=False)
    tables: LiveTables = field(init=False)
    epochs: LiveEpochs = field(init=False)
    """Of controller mode; empty otherwise."""
    ha: MasterHa = field(init=False)
    slave: SlaveHa | None = field(init=False)
    puts: Puts = field(init=False)
    client: RemotingClient = field(init=False)
    registration: Registration = field(init=False)
    copying: Copying = field(init=False)
    consumers: Consumers = field(factory=Consumers)
    locks: LockTable = field(factory=dict)
    held_pulls: HeldPulls = field(init=False)
    delivery: Delivery = field(init=False)
    server: RemotingServer = field(init=False)
    events: EventWriter = field(init=False)
    reading: tuple[StoreSettings, BrokerSettings] = field(init=False)
    """Settings of pulls: the store's, the processor's."""
    puts_total: int = 0
    started_ms: int = 0
    is_stopping: bool = False

    def __attrs_post_init__(self) -> None:
        settings, host, parts = self.settings, self.host, self.parts
        self.reading = settings.make_reading_settings()
        self.files = StoreFiles(settings.store_root)
        parameters = settings.make_parameters()
        self.serving = RuledState(settings.make_structure(is_copying=False), parameters)
        self.copying_rules = None
        if settings.is_slave:
            self.copying_rules = RuledState(settings.make_structure(is_copying=True), parameters)
        self.store = parts.store(settings, self.files, host, self.serving, self.copying_rules)
        self.tables = LiveTables(settings, self.files, host)
        self.epochs = LiveEpochs(self.files)
        self.ha, self.slave = self._make_ha()
        self.puts = parts.puts(
            settings, self.store, self.serving, host, self.ha.wake_writers, parts.transfer
        )
        self.ha.on_report = self.puts.transfer.notify
        self.client = RemotingClient(host)
        self.registration = Registration(settings, self.tables, self.client, host, self.slave)
        self.copying = parts.copying(settings, self.tables, self.client, host)
        self.held_pulls = HeldPulls(self)
        self.delivery = Delivery(self)
        self.server = RemotingServer(self, host)
        self.events = EventWriter(self, self.append_event, self.node)

    def _make_ha(self) -> tuple[MasterHa, SlaveHa | None]:
        """Both sides of replication; a master has no second one."""
        common, rules = (self.settings, self.store), self.copying_rules
        if self.settings.is_controlled:
            master = ControlledMasterHa(*common, self.serving, self.host, epochs=self.epochs)
            master.on_set = lambda: self.events.write_set(master.list_members())
            if rules is None:
                return master, None
            return master, ControlledSlaveHa(*common, rules, self.host, epochs=self.epochs)
        ha = self.parts.master(*common, self.serving, self.host)
        return ha, None if rules is None else self.parts.slave(*common, rules, self.host)

    def start(self) -> None:
        """Load everything, and let all services run; who listens, does so after this.

        Raises StoreLockedError, StoreFailedError, TablesFailedError, EpochRefusedError, OSError.
        """
        self.files.lock()
        self.tables.load()
        self.store.load()
        self.epochs.load()
        self.store.start()
        self.started_ms = self.host.wall_ms()
        self.events.write_start()
        if self.settings.is_controlled:
            self._take_role()
        self.held_pulls.start()
        self.delivery.start()
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

    def know_topic(self, topic: TopicConfig) -> TopicConfig:
        """The topic of this name as it is; a new one is made so, and the name servers are told."""
        known = self.tables.topics.get(str(topic.name))
        if known is not None:
            return known
        self.tables.put_topic(topic)
        self.registration.register()
        return topic

    def note_put(self, put: Put) -> None:
        """A put has its answer."""
        self.puts_total += 1
        self.events.write_put(put)

    def stop(self, on_done: Callable[[], None]) -> None:
        """``BrokerController#shutdown``: no more puts, a second later no more replication."""
        if self.is_stopping:
            return
        self.is_stopping = True
        self.events.write("node_stop_begin")
        self.registration.leave()
        self.store.begin_stop()
        for state, leaf in ((self.serving, "master"), (self.copying_rules, "slaves.0")):
            if state is not None:
                state.learn_all({f"{leaf}.is_stopping": 1})
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
        self.files.unlock()
        self._tell_rules()

    def _tell_rules(self) -> None:
        taken = self.count_taken().most_common()
        text = ", ".join(f"{name} {count:,}" for name, count in taken)
        self.host.log(f"rules: {text or 'none was taken'}")

    def count_taken(self) -> Counter[str]:
        """How often each rule was taken."""
        states = [each for each in (self.serving, self.copying_rules) if each is not None]
        return sum((each.taken for each in states), Counter[str]())
