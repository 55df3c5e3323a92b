"""What a broker's file says, as the parts of a broker need it."""

from __future__ import annotations

from pathlib import Path

from attrs import define, field

from brokers.broker.habits import Habits, get_habits
from brokers.broker.ruled_state import NO_LIMITS
from reference.configuration.broker_group import BrokerConfiguration
from reference.configuration.keys import Value
from reference.decisions.delay.levels import parse_delay_levels
from reference.decisions.metadata.services import Ports, compute_ports
from reference.decisions.metadata.table_text import BuiltIn
from reference.decisions.reading.settings import (
    BROKER_FIELDS,
    STORE_FIELDS,
    BrokerSettings,
    StoreSettings,
    change_broker,
    change_store,
)
from reference.releases.releases import CONTROLLER
from reference.releases.timing_differences import OVERFLOW_RESETS_TO_MAX
from reference.releases.versions import Version
from reference.roles import FlushDiskType, Role
from reference.store.records import DELAYS_MS
from reference.store.store import StoreConfig
from reference.worlds.replication.parameters import SIZE_KEYS, Parameters
from reference.worlds.replication.structure import Structure

SLOTS_OF_CONNECTIONS, SLOTS_OF_PUTS = 6, 16
"""How many connections and waiting puts the rules follow at once; more wait, or are refused."""
EPOCHS = 8
"""How many epochs of a controller the rules follow: the latest."""
MEMORY_BYTES = 24 * 1024**3


@define(eq=False, repr=False)
class Settings:
    """One broker's settings."""

    configuration: BrokerConfiguration
    store_root: Path
    own_host: str = "127.0.0.1"
    """``brokerIP1``: what others are told."""
    total_memory_bytes: int = MEMORY_BYTES
    epoch: int | None = None
    """The epoch in which a controller would tell it that it is the master; None: its latest."""
    habits: Habits = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.habits = get_habits(self.version.release)

    @property
    def version(self) -> Version:
        """The release that it imitates."""
        return self.configuration.version

    @property
    def role(self) -> Role:
        """``brokerRole``; an elected one is a SYNC_MASTER (``ReplicasManager#changeToMaster``)."""
        told = self.configuration.role
        return Role.SYNC_MASTER if self.is_controlled and told is not Role.SLAVE else told

    @property
    def is_slave(self) -> bool:
        """It copies a master's log and takes no puts."""
        return self.role is Role.SLAVE

    @property
    def is_controlled(self) -> bool:
        """It replicates as under a controller (``enableControllerMode``)."""
        return self.version.mode == CONTROLLER

    @property
    def broker_id(self) -> int:
        """``brokerId``; under a controller a master has one too, 1 unless the file says more."""
        if self.is_controlled and not self.is_slave:
            return self.later_number("brokerId", 0) or 1
        return self.configuration.broker_id

    @property
    def is_sync_flush(self) -> bool:
        """Puts wait for the disk."""
        return self.configuration.flush_disk_type is FlushDiskType.SYNC_FLUSH

    @property
    def ports(self) -> Ports:
        """Where it listens."""
        return compute_ports(self.number("listenPort"))

    @property
    def address(self) -> str:
        """Where clients reach it."""
        return f"{self.own_host}:{self.ports.listen}"

    @property
    def ha_address(self) -> str:
        """Where slaves reach it."""
        return f"{self.own_host}:{self.ports.ha}"

    def get(self, key: str) -> Value:
        """The value in force of a key of 4.4.0."""
        return self.configuration.get(key)

    def number(self, key: str) -> int:
        """The value of a key that is a number."""
        return self.configuration.get_number(key)

    def text(self, key: str) -> str:
        """The value of a key that is a text; empty without one."""
        value = self.configuration.get(key)
        return "" if value is None else str(value)

    def later_number(self, key: str, default: int) -> int:
        """The value of a key that later releases know; a text that is no number counts as none."""
        setting = self.configuration.find_setting(key)
        try:
            return default if setting is None else int(setting.value)
        except ValueError:
            return default

    @property
    def slave_timeout_ms(self) -> int:
        """How long a put may wait for a slave."""
        if self.habits.has_slave_timeout:
            return self.later_number("slaveTimeout", 3000)
        return self.number("syncFlushTimeout")

    @property
    def puts_at_once(self) -> int:
        """How many puts may be under way: a thread each, until they ceased to hold one."""
        if self.habits.are_waits_at_once:
            return SLOTS_OF_PUTS
        return max(1, min(self.number("sendMessageThreadPoolNums"), SLOTS_OF_PUTS))

    def make_structure(self, *, is_copying: bool) -> Structure:
        """The group whose rules move its HA service, or its HA client."""
        structure = Structure(
            role=Role.ASYNC_MASTER if self.is_slave else self.role,
            flush_disk_type=self.configuration.flush_disk_type,
            slaves=1 if is_copying else SLOTS_OF_CONNECTIONS,
            messages=1 if self.is_slave else SLOTS_OF_PUTS,
            lives=EPOCHS if self.is_controlled else 1,
        )
        return self.version.apply(structure)

    def make_parameters(self) -> Parameters:
        """Sizes and thresholds of the rules; faults without limit."""
        sizes = {name: self.number(key) for name, key in SIZE_KEYS.items()}
        return Parameters(**sizes, limits=NO_LIMITS)

    def make_store_config(self) -> StoreConfig:
        """Settings of the store."""
        return StoreConfig(
            mapped_file_size_commit_log_bytes=self.number("mapedFileSizeCommitLog"),
            mapped_file_size_consume_queue_bytes=self.number("mapedFileSizeConsumeQueue"),
            max_message_size_bytes=self.number("maxMessageSize"),
            broker_role=self.role,
            broker_id=self.configuration.broker_id,
            flush_disk_type=self.configuration.flush_disk_type,
            is_crc_checked_on_recover=bool(self.get("checkCRCOnRecover")),
            ha_slave_fallbehind_max_bytes=self.number("haSlaveFallbehindMax"),
            delays_ms=parse_delay_levels(self.text("messageDelayLevel")) or DELAYS_MS,
        )

    def make_built_in(self) -> BuiltIn:
        """Settings of the topics that are always there."""
        return BuiltIn(
            default_queues=self.number("defaultTopicQueueNums"),
            is_topic_made_by_sends=bool(self.get("autoCreateTopicEnable")),
            is_cluster_open=bool(self.get("clusterTopicEnable")),
            is_broker_open=bool(self.get("brokerTopicEnable")),
            trace_topic=self.text("msgTraceTopicName") if self.get("traceTopicEnable") else None,
        )

    def make_reading_settings(self) -> tuple[StoreSettings, BrokerSettings]:
        """Settings of pulls: the store's, the processor's."""
        told = self.configuration.values
        usual = StoreSettings(
            self.role,
            self.total_memory_bytes,
            is_reset_to_end=self.version.has(OVERFLOW_RESETS_TO_MAX),
        )
        store = {key: told[key] for key in STORE_FIELDS if key in told}
        broker = {key: told[key] for key in BROKER_FIELDS if key in told}
        return change_store(usual, store), change_broker(BrokerSettings(), broker)
