"""What RocketMQ 4.4.0 is with its own files and defaults: the one list of stock deployments."""

from __future__ import annotations

from collections.abc import Mapping

from properties.worlds.replication.structures import CERTIFIED_BY_NAME
from reference.worlds.replication.structure import Structure

STOCK_PAIR = CERTIFIED_BY_NAME["SYNC_MASTER/ASYNC_FLUSH/1 slave"]
"""The pair of the folder ``2m-2s-sync``: what verbs and pages take where nothing is named."""

STOCK_FOLDERS: Mapping[str, Structure] = {
    "2m-noslave": CERTIFIED_BY_NAME["ASYNC_MASTER/ASYNC_FLUSH/0 slaves"],
    "2m-2s-async": CERTIFIED_BY_NAME["ASYNC_MASTER/ASYNC_FLUSH/1 slave"],
    "2m-2s-sync": STOCK_PAIR,
}
"""The deployment of each folder that RocketMQ ships; a test reads the folders."""

STOCK_WORLDS = (
    "consumer/no slave read/no offset check",
    "tables/topics/4.4.0",
    "delay/4.4.0",
)
"""What stock brokers do besides copying a log: ``slaveReadEnable`` and ``offsetCheckInSlave`` are
off (MessageStoreConfig, BrokerConfig), topics and delayed messages are as they are."""

STOCK_STRUCTURES = (*(s.name for s in STOCK_FOLDERS.values()), *STOCK_WORLDS)
"""All of them, by name."""
