"""The keys of a broker's file that the model reads, with their purpose and chapter."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen


@frozen
class KeyUse:
    """One key of 4.4.0 that the model reads."""

    name: str
    """The key as it is written in the file."""
    unit: str
    """What its value counts; a dash for a name or a yes or no."""
    meaning: str
    """What the model takes it for."""
    told: str
    """The chapter that describes it, perhaps with a heading."""


IDENTITY = (
    KeyUse("brokerClusterName", "-", "brokers of other clusters are other groups", "metadata.md"),
    KeyUse(
        "brokerName",
        "-",
        "common to a master and its slaves; the host's name by default",
        "metadata.md#registrations",
    ),
    KeyUse(
        "brokerId",
        "-",
        "distinguishes slaves; forced to 0 on a master (R-BR-01)",
        "metadata.md#registrations",
    ),
    KeyUse("brokerRole", "-", "master or slave, and whether a master waits for a slave", "put.md"),
    KeyUse(
        "listenPort",
        "port",
        "the port for clients; the HA port is one above (R-HA-02)",
        "wire_format.md#ports-and-sockets",
    ),
    KeyUse(
        "haListenPort",
        "port",
        "overwritten with `listenPort` + 1; `check` warns about it (R-HA-02)",
        "wire_format.md#ports-and-sockets",
    ),
    KeyUse(
        "haMasterAddress",
        "address",
        "the source of a slave's log; used if it has 6 characters or more (R-NS-04)",
        "metadata.md#registrations",
    ),
    KeyUse("storePathRootDir", "-", "where the broker's store lies, for `store`", "stores.md"),
    KeyUse("storePathCommitLog", "-", "where its log lies, if that is elsewhere", "stores.md"),
)
"""Keys that identify a broker and its group."""

VERDICTS = (
    KeyUse("brokerRole", "-", "of the master: whether a put waits for a slave (R-HA-18)", "put.md"),
    KeyUse(
        "flushDiskType",
        "-",
        "of the master: whether a put waits for its disk (R-FL-02)",
        "put.md#flush_for_put",
    ),
    KeyUse(
        "transientStorePoolEnable",
        "-",
        "of the master: whether appends wait in buffers before they are in page cache (R-FL-07)",
        "variants.md#transient_store_pool",
    ),
    KeyUse(
        "mapedFileSizeCommitLog",
        "bytes",
        "the size of every file of the log (R-CL-06)",
        "commit_log.md#files-and-the-blank-at-the-end-of-a-file",
    ),
    KeyUse(
        "maxMessageSize",
        "bytes",
        "the largest message that is appended (R-CL-01)",
        "commit_log.md#append_message",
    ),
    KeyUse(
        "haTransferBatchSize",
        "bytes",
        "the most that one frame carries (R-HA-13)",
        "replication.md#transfer_batch",
    ),
    KeyUse(
        "haSlaveFallbehindMax",
        "bytes",
        "a put waits for a slave only below this distance (R-HA-19)",
        "put.md#refuse_slave_wait",
    ),
)
"""Keys that decide the verdicts about the log. A proof holds for all values of the four sizes."""

READING = (
    KeyUse(
        "slaveReadEnable",
        "-",
        "the broker may suggest another one; a slave without it suggests its master (R-PM-02)",
        "reading.md#separating-reads-from-writes",
    ),
    KeyUse(
        "offsetCheckInSlave",
        "-",
        "a slave corrects offsets beyond its queue (R-GM-03, R-PM-05)",
        "reading.md#what-the-broker-answers",
    ),
    KeyUse(
        "accessMessageInMemoryMaxRatio",
        "% of memory",
        "the distance from the log's end at which a consumer counts as slow (R-GM-06, R-GM-07)",
        "reading.md#what-the-store-answers",
    ),
    KeyUse(
        "maxTransferCountOnMessageInMemory",
        "messages",
        "the most in one answer, if the log counts as in memory (R-GM-05)",
        "reading.md#what-the-store-answers",
    ),
    KeyUse(
        "maxTransferBytesOnMessageInMemory",
        "bytes",
        "the same in bytes (R-GM-05)",
        "reading.md#what-the-store-answers",
    ),
    KeyUse(
        "maxTransferCountOnMessageInDisk",
        "messages",
        "the most in one answer, if it counts as on disk (R-GM-05)",
        "reading.md#what-the-store-answers",
    ),
    KeyUse(
        "maxTransferBytesOnMessageInDisk",
        "bytes",
        "the same in bytes (R-GM-05)",
        "reading.md#what-the-store-answers",
    ),
    KeyUse(
        "mapedFileSizeConsumeQueue",
        "bytes",
        "the size of a file of a consume queue; a scan ends at its end (R-GM-04)",
        "reading.md#what-the-store-answers",
    ),
    KeyUse(
        "brokerPermission",
        "bits",
        "4 lets consumers read; the default is 6, for slaves too (R-BR-04)",
        "reading.md#what-the-broker-answers",
    ),
    KeyUse(
        "autoCreateSubscriptionGroup",
        "-",
        "an unknown group is created when it pulls (R-PM-01)",
        "reading.md#what-the-broker-answers",
    ),
    KeyUse(
        "enablePropertyFilter",
        "-",
        "consumers may filter by properties",
        "reading.md#what-the-broker-answers",
    ),
    KeyUse(
        "longPollingEnable",
        "-",
        "a pull that finds nothing is held for the time in its request (R-PM-06)",
        "reading.md#what-the-broker-answers",
    ),
    KeyUse(
        "shortPollingTimeMills",
        "ms",
        "how long it is held without long polling (R-PM-06)",
        "reading.md#what-the-broker-answers",
    ),
)
"""Keys that decide the answer to a pull: `pull` and the recordings have all of these."""

TIMES = (
    KeyUse(
        "haSendHeartbeatInterval",
        "ms",
        "the silence after which the master, or a new slave, sends (R-HA-12, R-HC-04)",
        "wire_format.md#timers",
    ),
    KeyUse(
        "haHousekeepingInterval",
        "ms",
        "the silence after which an end closes the connection (R-HA-08, R-HC-14)",
        "connection.md#close_idle_connection",
    ),
    KeyUse(
        "flushIntervalCommitLog",
        "ms",
        "how often an ASYNC_FLUSH broker looks for enough pages to flush (R-FL-06); in recordings",
        "recordings.md#how-an-event-is-explained",
    ),
    KeyUse(
        "flushCommitLogThoroughInterval",
        "ms",
        "after which it flushes however few pages there are (R-FL-06); in recordings",
        "recordings.md#how-an-event-is-explained",
    ),
    KeyUse(
        "syncFlushTimeout",
        "ms",
        "how long a put waits for the disk, then as long for a slave (R-FL-02, R-HA-18)",
        "put.md#time_out_slave_wait",
    ),
)
"""Keys that only recordings are compared with: rules have no clock."""

OWN_BROKER = (
    KeyUse(
        "deleteWhen",
        "-",
        "the hours in which it deletes expired files",
        "commit_log.md#expire_master_file",
    ),
    KeyUse(
        "fileReservedTime",
        "h",
        "how old a file has to be for that",
        "commit_log.md#expire_master_file",
    ),
    KeyUse(
        "cleanResourceInterval",
        "ms",
        "how often it looks for such files",
        "commit_log.md#expire_master_file",
    ),
    KeyUse(
        "diskMaxUsedSpaceRatio",
        "%",
        "a fuller disk makes every hour one of them",
        "commit_log.md#expire_master_file",
    ),
    KeyUse(
        "cleanFileForciblyEnable",
        "-",
        "a disk more than 85 % full takes files of any age",
        "faults.md#delete_young_master_file",
    ),
    KeyUse(
        "checkCRCOnRecover",
        "-",
        "a start compares the checksums of bodies",
        "lifecycle.md#restart_master",
    ),
    KeyUse(
        "flushCommitLogLeastPages",
        "pages",
        "how many have to be written for a flush (R-FL-06)",
        "flush.md#flush_master_too_few_pages",
    ),
    KeyUse(
        "flushConsumeQueueThoroughInterval",
        "ms",
        "how often it writes the checkpoint",
        "lifecycle.md#restart_master",
    ),
    KeyUse(
        "osPageCacheBusyTimeOutMills",
        "ms",
        "how long a put may hold the lock before others are refused",
        "put.md#refuse_put",
    ),
    KeyUse(
        "sendMessageThreadPoolNums",
        "threads",
        "how many puts are under way at once, up to 4.6.1",
        "own_broker.md",
    ),
    KeyUse(
        "sendThreadPoolQueueCapacity",
        "puts",
        "a figure that administrators are told",
        "own_broker.md",
    ),
    KeyUse("messageDelayLevel", "-", "how long the messages of each level wait", "delay.md"),
    KeyUse(
        "flushDelayOffsetInterval",
        "ms",
        "how often progress of delayed delivery is written",
        "delay.md",
    ),
    KeyUse("namesrvAddr", "-", "where it registers", "metadata.md#registrations"),
    KeyUse(
        "registerNameServerPeriod",
        "ms",
        "how often, within 10 and 60 seconds (R-NS-01)",
        "metadata.md#registrations",
    ),
    KeyUse(
        "registerBrokerTimeoutMills",
        "ms",
        "how long it waits for an answer there",
        "metadata.md#registrations",
    ),
    KeyUse("autoCreateTopicEnable", "-", "a message to an unknown topic makes it", "own_broker.md"),
    KeyUse(
        "defaultTopicQueueNums",
        "queues",
        "how many queues such a topic has at most",
        "own_broker.md",
    ),
    KeyUse(
        "brokerTopicEnable",
        "-",
        "permissions of the built-in topic named after the broker",
        "own_broker.md",
    ),
    KeyUse(
        "clusterTopicEnable", "-", "permissions of the one named after the cluster", "own_broker.md"
    ),
    KeyUse("traceTopicEnable", "-", "there is a built-in topic for traces", "own_broker.md"),
    KeyUse("msgTraceTopicName", "-", "its name", "own_broker.md"),
)
"""Keys that only the broker of our own follows: no verdict depends on them."""

CHECKED_KEYS = (
    *("brokerClusterName", "brokerName", "brokerId", "brokerRole", "listenPort", "haListenPort"),
    *("haMasterAddress", "flushDiskType", "mapedFileSizeCommitLog", "maxMessageSize"),
    *("haTransferBatchSize", "haSlaveFallbehindMax", "slaveReadEnable", "offsetCheckInSlave"),
    *("accessMessageInMemoryMaxRatio", "transientStorePoolEnable"),
)
"""The keys that an answer of ``check`` may depend on."""

STOCK_KEYS: Mapping[str, str] = {
    "brokerClusterName": "read",
    "brokerName": "read",
    "brokerId": "read",
    "brokerRole": "read",
    "flushDiskType": "read",
    "deleteWhen": "retention may run at any hour; only the own broker keeps to it",
    "fileReservedTime": "retention may delete any file but the last at any time; the same",
}
"""The keys of the files in RocketMQ's folder ``conf``, with their treatment here."""
