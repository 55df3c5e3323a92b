"""The settings that a read decision depends on, by their names in RocketMQ 4.4.0.

One of them determines how much of the log a broker assumes to be in memory. It compares a distance
in the log with the size of the machine's memory; it does not check what is really cached (R-GM-08,
DefaultMessageStore#getMessage at 4.4.0).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve, field, frozen

from reference.configuration.keys import KEYS, Value
from reference.roles import Role

DOUBLE_EXACT_BELOW = 2**53
"""Below it every whole number is a double; no machine has as many bytes of memory."""

DEFAULT_TOTAL_MEMORY_BYTES = 24 * 1024**3
"""Assumed by 4.4.0 if it cannot query the operating system (StoreUtil)."""


def compute_memory_bytes(total_bytes: int, ratio: int) -> int:
    """The share of the memory, as 4.4.0 computes it (R-GM-06).

    Two operations on doubles and a cast that drops the fraction. Python's floats are the same IEEE
    doubles, so this is exact, not approximate. ``total_bytes`` is from 0 to below
    DOUBLE_EXACT_BELOW, ``ratio`` is ``accessMessageInMemoryMaxRatio``, in percent.
    """
    return int(total_bytes * (ratio / 100.0))


def is_further_back_than_memory(max_offset: int, offset: int, memory_bytes: int) -> bool:
    """The record at ``offset`` lies more than ``memory_bytes`` behind the log's end (strictly)."""
    return max_offset - offset > memory_bytes


PERM_READ = 4
"""The bit of a permission that allows reading (PermName)."""


def _setting(name: str) -> Any:
    """A field with the default of a property, which it remembers."""
    return field(default=KEYS[name].default, metadata={"property": name})


@frozen
class StoreSettings:
    """Settings that affect DefaultMessageStore#getMessage."""

    role: Role = Role.ASYNC_MASTER
    total_memory_bytes: int = DEFAULT_TOTAL_MEMORY_BYTES
    """All memory of the machine (StoreUtil.TOTAL_PHYSICAL_MEMORY_SIZE)."""
    memory_ratio: int = _setting("accessMessageInMemoryMaxRatio")
    """In percent; 40 on slaves too, since 4.4.0 reads the role too early (R-GM-07)."""
    is_offset_checked_in_slave: bool = _setting("offsetCheckInSlave")
    count_max_in_memory: int = _setting("maxTransferCountOnMessageInMemory")
    bytes_max_in_memory: int = _setting("maxTransferBytesOnMessageInMemory")
    count_max_in_disk: int = _setting("maxTransferCountOnMessageInDisk")
    bytes_max_in_disk: int = _setting("maxTransferBytesOnMessageInDisk")
    commit_log_file_bytes: int = _setting("mapedFileSizeCommitLog")
    is_reset_to_end: bool = False
    """A reader beyond the end of a queue is always redirected to its end (V-18)."""

    @property
    def memory_bytes(self) -> int:
        """How far back the log is assumed to be in memory."""
        return compute_memory_bytes(self.total_memory_bytes, self.memory_ratio)

    @property
    def is_slave(self) -> bool:
        """The broker's role is SLAVE."""
        return self.role is Role.SLAVE


@frozen
class BrokerSettings:
    """Settings that affect PullMessageProcessor besides the store's."""

    is_slave_read_enabled: bool = _setting("slaveReadEnable")
    is_long_polling_enabled: bool = _setting("longPollingEnable")
    short_polling_ms: int = _setting("shortPollingTimeMills")
    is_group_created_on_demand: bool = _setting("autoCreateSubscriptionGroup")
    is_property_filter_enabled: bool = _setting("enablePropertyFilter")
    permission: int = _setting("brokerPermission")


def name_properties(settings: type) -> dict[str, str]:
    """The fields of a settings class by the properties that they represent."""
    return {
        each.metadata["property"]: each.name
        for each in settings.__attrs_attrs__  # type: ignore[attr-defined]
        if "property" in each.metadata
    }


STORE_FIELDS, BROKER_FIELDS = name_properties(StoreSettings), name_properties(BrokerSettings)
"""Field by property."""


def change_store(settings: StoreSettings, properties: Mapping[str, Any]) -> StoreSettings:
    """The store's settings with some properties set; others do not affect reading.

    Raises:
        ValueError: a value of another type than the property has.
    """
    return evolve(settings, **_select(STORE_FIELDS, properties))


def change_broker(settings: BrokerSettings, properties: Mapping[str, Any]) -> BrokerSettings:
    """The processor's settings with some properties set. Raises ValueError like `change_store`."""
    return evolve(settings, **_select(BROKER_FIELDS, properties))


def _select(names: Mapping[str, str], properties: Mapping[str, Any]) -> dict[str, Any]:
    return {names[n]: read_value(n, value) for n, value in properties.items() if n in names}


def read_value(name: str, value: object) -> Value:
    """A property's value, given as in JSON or as the text that an admin command sends.

    Raises:
        ValueError: not of the type of the property.
    """
    try:
        return KEYS[name].read(str(value))
    except ValueError as problem:
        raise ValueError(f"{name} is {value!r}, not {KEYS[name].expected}") from problem
