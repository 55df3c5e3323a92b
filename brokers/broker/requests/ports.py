"""The three ports of a broker to those that serve its clients: its log, its tables, its clients."""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field

from brokers.broker.host import Host
from brokers.broker.replication.followed_puts import PendingPut
from brokers.broker.replication.puts import Puts
from brokers.broker.requests.request import Asker, Request
from brokers.broker.settings import Settings
from brokers.broker.storage.live_store import LiveStore
from brokers.broker.storage.tables import LiveTables
from brokers.wire.remoting import ONE_WAY_FLAG, Command, encode
from reference.decisions import consumer_groups
from reference.decisions.clients.queue_locks import LockTable
from reference.decisions.consumer_groups import ConsumerGroups, ProducerGroups
from reference.decisions.reading.settings import BrokerSettings, StoreSettings
from reference.store.put import MessageBatch, MessageToPut

NOTIFY_CONSUMER_IDS_CHANGED = 40
HELD_MAX = 100_000
"""``pullThreadPoolQueueCapacity``: pulls beyond it are answered at once."""


@define(eq=False, repr=False)
class Held:
    """A pull that is held."""

    request: Request
    since_ms: float
    timeout_ms: int


@define(eq=False, repr=False)
class Clients:
    """Who has registered here, and what clients hold or wait for."""

    groups: ConsumerGroups = field(factory=dict)
    producers: ProducerGroups = field(factory=dict)
    locks: LockTable = field(factory=dict)
    held: list[Held] = field(factory=list)
    """``PullRequestHoldService``."""

    def change(self, groups: ConsumerGroups) -> None:
        """Take over other groups, and tell the members of those that have changed."""
        before, self.groups = self.groups, groups
        for name in consumer_groups.list_changed(before, groups):
            fields = {"consumerGroup": name}
            request = Command(NOTIFY_CONSUMER_IDS_CHANGED, fields, flag=ONE_WAY_FLAG)
            for asker in list(groups[name].members):
                asker.send(encode(request))

    def forget(self, asker: Asker) -> None:
        """A connection is gone, with its registrations and held pulls."""
        groups = self.groups
        for name in list(groups):
            groups = consumer_groups.unregister(groups, asker, name)
        for name in list(self.producers):
            self.producers = consumer_groups.unregister_producer(self.producers, asker, name)
        self.change(groups)
        self.held = [held for held in self.held if held.request.asker is not asker]

    def hold(self, request: Request, now_ms: float, timeout_ms: int) -> bool:
        """Keep a pull; False: there are too many."""
        if len(self.held) >= HELD_MAX:
            return False
        self.held.append(Held(request, now_ms, timeout_ms))
        return True


@define(eq=False, repr=False)
class BrokerPorts:
    """What requests and deliveries may use of their broker."""

    puts: Puts
    """The log."""
    tables: LiveTables
    on_put: Callable[[PendingPut], None]
    """Called before whoever has asked for a put that has its answer."""
    puts_total: int = 0
    clients: Clients = field(factory=Clients)
    reading: tuple[StoreSettings, BrokerSettings] = field(init=False)
    """Settings of pulls: the store's, the processor's."""

    def __attrs_post_init__(self) -> None:
        self.reading = self.settings.make_reading_settings()

    def put(
        self,
        message: MessageToPut | MessageBatch,
        on_answer: Callable[[PendingPut], None] = lambda _: None,
    ) -> PendingPut | None:
        """A put; None: too many wait already."""

        def take(done: PendingPut) -> None:
            self.puts_total += 1
            self.on_put(done)
            on_answer(done)

        return self.puts.ask(message, take)

    @property
    def settings(self) -> Settings:
        """The broker's settings."""
        return self.puts.settings

    @property
    def store(self) -> LiveStore:
        """Where the log's messages lie."""
        return self.puts.store

    @property
    def host(self) -> Host:
        """Time and the network."""
        return self.puts.host
