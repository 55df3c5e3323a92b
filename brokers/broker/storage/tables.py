"""The tables of a running broker: topics, groups, progress, delay progress, and their files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import define, evolve, field

from brokers.broker.host import Host
from brokers.broker.settings import Settings
from brokers.broker.storage.store_files import StoreFiles
from reference.decisions.metadata import stored_broker
from reference.decisions.metadata.broker_tables import BrokerTables
from reference.decisions.metadata.stored_broker import BrokerMetadata
from reference.decisions.metadata.table_text import DELAY, GROUPS, OFFSETS, TOPICS, TopicConfig
from reference.releases.known_differences import GROUPS_KEEP_THEIR_VERSION


class TablesFailedError(Exception):
    """A table and its backup cannot be read: the broker does not start. One line."""


@define(eq=False, repr=False)
class LiveTables:
    """The tables, each change of which reaches the files that its manager writes."""

    settings: Settings
    files: StoreFiles
    host: Host
    broker: BrokerMetadata = field(init=False)
    on_topic: Callable[[], None] = field(default=lambda: None)
    """Called when clients have made or changed a topic."""

    def __attrs_post_init__(self) -> None:
        configuration = self.settings.configuration
        made = stored_broker.make_broker(
            configuration.cluster,
            configuration.broker_name,
            self.host.wall_ms(),
            self.settings.make_built_in(),
        )
        is_made = bool(self.settings.get("autoCreateSubscriptionGroup"))
        self.broker = evolve(
            made,
            is_group_made_by_consumers=is_made,
            is_groups_version_kept=self.settings.version.has(GROUPS_KEEP_THEIR_VERSION),
        )

    @property
    def tables(self) -> BrokerTables:
        """What is in memory."""
        return self.broker.tables

    @property
    def topics(self) -> dict[str, TopicConfig]:
        """By name."""
        return dict(self.tables.topics.entries)

    def load(self) -> None:
        """Read the files (``ConfigManager#load``). Raises TablesFailedError, OSError."""
        found = evolve(self.broker, files=self.files.read_tables())
        self.broker, is_loaded = stored_broker.restart(found, self.host.wall_ms())
        failed = [name for name, is_read in is_loaded.items() if not is_read]
        if failed:
            text = f"{self.files.root}: {', '.join(failed)} and the backup cannot be read"
            raise TablesFailedError(text)

    def change(self, broker: BrokerMetadata) -> None:
        """Take over a broker's tables, and write the files that differ. Raises OSError."""
        before, self.broker = self.broker.files, broker
        for name, files in broker.files.items():
            if files != before[name]:
                self.files.write_table(name, files)

    def put_topic(self, topic: TopicConfig) -> None:
        """``TopicConfigManager#updateTopicConfig``."""
        name = str(topic.name)
        self.change(stored_broker.put_entry(self.broker, TOPICS, name, topic, self.host.wall_ms()))

    def change_topic(self, topic: TopicConfig) -> None:
        """A topic as a client wants it, of which the name servers are told."""
        self.put_topic(topic)
        self.on_topic()

    def know_topic(self, topic: TopicConfig) -> TopicConfig:
        """The topic of this name as it is; a new one is made so."""
        known = self.topics.get(str(topic.name))
        if known is None:
            self.change_topic(topic)
        return topic if known is None else known

    def put_group(self, name: str, group: Any) -> None:
        """``SubscriptionGroupManager#updateSubscriptionGroupConfig``."""
        self.change(stored_broker.put_entry(self.broker, GROUPS, name, group, self.host.wall_ms()))

    def delete_group(self, name: str) -> None:
        """``SubscriptionGroupManager#deleteSubscriptionGroupConfig``."""
        self.change(stored_broker.delete_entry(self.broker, GROUPS, name, self.host.wall_ms()))

    def find_group(self, name: str) -> Any | None:
        """A consumer group, which a lookup may make."""
        broker, group = stored_broker.find_group(self.broker, name, self.host.wall_ms())
        self.change(broker)
        return group

    def commit(self, key: str, queue: int, offset: int) -> None:
        """Progress, in memory only (``ConsumerOffsetManager#commitOffset``)."""
        self.broker = evolve(self.broker, tables=self.tables.commit(key, queue, offset))

    def persist_offsets(self) -> None:
        """``ConsumerOffsetManager#persist``."""
        self.change(stored_broker.persist(self.broker, OFFSETS))

    def deliver_next(self, level: int, offset: int) -> None:
        """Progress of delayed delivery, in memory (``ScheduleMessageService#updateOffset``)."""
        offsets = {**self.tables.delay_offsets, str(level): offset}
        self.broker = evolve(self.broker, tables=evolve(self.tables, delay_offsets=offsets))

    def persist_delay(self) -> None:
        """``ScheduleMessageService#persist``."""
        self.change(stored_broker.persist(self.broker, DELAY))

    def set_master(self, address: str | None) -> None:
        """``SlaveSynchronize#setMasterAddr``."""
        tables = evolve(self.tables, master_address=address)
        self.broker = evolve(self.broker, tables=tables)
