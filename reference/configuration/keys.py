"""Every key that a RocketMQ 4.4.0 broker reads from its file.

``MixAll#properties2Object`` copies a broker's file into four objects: a key is known if one of them
has a public setter of that name. Source of each table: the class it is named after.
"""

from __future__ import annotations

import difflib
import enum
import re
from collections.abc import Mapping
from typing import TypeAlias

from attrs import frozen

from reference.configuration.later_keys import LATER_KEYS, NAMES_IN_440
from reference.releases.versions import Version

Value: TypeAlias = int | bool | str | None
"""A configured value; None is a default that depends on the host or its environment."""

_NUMBER = re.compile(r"[+-]?\d+")
_CLOSE_MATCH = 0.8
_SHORTEST_ADDRESS = 6


class Kind(enum.Enum):
    """How a setter's argument is read."""

    INT = "a whole number of 32 bits (-2147483648 to 2147483647)"
    LONG = "a whole number of 64 bits (-9223372036854775808 to 9223372036854775807)"
    BOOLEAN = "true or false"
    STRING = "any text"
    CHOICE = "one of the names of a Java enumeration"


@frozen
class Key:
    """One key that 4.4.0 knows."""

    name: str
    """The key as written in the file."""
    kind: Kind
    """How its value is read."""
    default: Value
    """Value without a setting; None if the host determines it (its name, address or processors)."""
    choices: tuple[str, ...] = ()
    """All allowed values, for a CHOICE."""

    @property
    def expected(self) -> str:
        """The allowed values, in words."""
        return "one of " + ", ".join(self.choices) if self.choices else self.kind.value

    def read(self, text: str) -> Value:
        """The value of this text; as in Java, blanks around it are not accepted.

        Source: MixAll#properties2Object, with Integer#parseInt, Long#parseLong and Enum#valueOf.

        Raises:
            ValueError: the text is not of this key's kind, or a number out of its range.
        """
        match self.kind:
            case Kind.INT:
                return _read_number(text, bits=32)
            case Kind.LONG:
                return _read_number(text, bits=64)
            case Kind.BOOLEAN:
                return _read_boolean(text)
            case Kind.CHOICE if text not in self.choices:
                raise ValueError(text)
        return text


def _read_number(text: str, bits: int) -> int:
    if not _NUMBER.fullmatch(text):
        raise ValueError(text)
    number = int(text)
    if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
        raise ValueError(text)
    return number


def _read_boolean(text: str) -> bool:
    """Stricter than Boolean#parseBoolean, which reads every other text as false."""
    if text.lower() not in ("true", "false"):
        raise ValueError(text)
    return text.lower() == "true"


def _table(kind: Kind, defaults: Mapping[str, Value]) -> dict[str, Key]:
    return {name: Key(name, kind, default) for name, default in defaults.items()}


def _flags(default: bool | None, names: str) -> dict[str, Key]:
    return {name: Key(name, Kind.BOOLEAN, default) for name in names.split()}


def _choice(name: str, *choices: str) -> dict[str, Key]:
    """The first choice is the default."""
    return {name: Key(name, Kind.CHOICE, choices[0], choices)}


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


MESSAGE_STORE_CONFIG: Mapping[str, Key] = {
    **_choice("brokerRole", "ASYNC_MASTER", "SYNC_MASTER", "SLAVE"),
    **_choice("flushDiskType", "ASYNC_FLUSH", "SYNC_FLUSH"),
    **_table(
        Kind.INT,
        {
            "mapedFileSizeCommitLog": 1024 * 1024 * 1024,
            "mapedFileSizeConsumeQueue": 300_000 * 20,
            "mappedFileSizeConsumeQueueExt": 48 * 1024 * 1024,
            "bitMapLengthConsumeQueueExt": 64,
            "flushIntervalCommitLog": 500,
            "commitIntervalCommitLog": 200,
            "flushIntervalConsumeQueue": 1000,
            "cleanResourceInterval": 10_000,
            "deleteCommitLogFilesInterval": 100,
            "deleteConsumeQueueFilesInterval": 100,
            "destroyMapedFileIntervalForcibly": 120_000,
            "redeleteHangedFileInterval": 120_000,
            "diskMaxUsedSpaceRatio": 75,
            "fileReservedTime": 72,
            "putMsgIndexHightWater": 600_000,
            "maxMessageSize": 4 * 1024 * 1024,
            "flushCommitLogLeastPages": 4,
            "commitCommitLogLeastPages": 4,
            "flushLeastPagesWhenWarmMapedFile": 1024 // 4 * 16,
            "flushConsumeQueueLeastPages": 2,
            "flushCommitLogThoroughInterval": 10_000,
            "commitCommitLogThoroughInterval": 200,
            "flushConsumeQueueThoroughInterval": 60_000,
            "maxTransferBytesOnMessageInMemory": 256 * 1024,
            "maxTransferCountOnMessageInMemory": 32,
            "maxTransferBytesOnMessageInDisk": 64 * 1024,
            "maxTransferCountOnMessageInDisk": 8,
            "accessMessageInMemoryMaxRatio": 40,
            "maxHashSlotNum": 5_000_000,
            "maxIndexNum": 20_000_000,
            "maxMsgsNumBatch": 64,
            "haListenPort": 10912,
            "haSendHeartbeatInterval": 5000,
            "haHousekeepingInterval": 20_000,
            "haTransferBatchSize": 32 * 1024,
            "haSlaveFallbehindMax": 256 * 1024 * 1024,
            "syncFlushTimeout": 5000,
            "defaultQueryMaxNum": 32,
            "transientStorePoolSize": 5,
        },
    ),
    **_table(Kind.LONG, {"flushDelayOffsetInterval": 10_000, "osPageCacheBusyTimeOutMills": 1000}),
    **_flags(
        True,
        "checkCRCOnRecover messageIndexEnable cleanFileForciblyEnable diskFallRecorded",
    ),
    **_flags(
        False,
        "enableConsumeQueueExt useReentrantLockWhenPutMessage flushCommitLogTimed "
        "messageIndexSafe warmMapedFileEnable offsetCheckInSlave debugLockEnable "
        "duplicationEnable transientStorePoolEnable fastFailIfNoBufferInStorePool",
    ),
    **_table(
        Kind.STRING,
        {
            "storePathRootDir": None,
            "storePathCommitLog": None,
            "deleteWhen": "04",
            "haMasterAddress": None,
            "messageDelayLevel": "1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h",
        },
    ),
}
"""``org.apache.rocketmq.store.config.MessageStoreConfig``."""

BROKER_CONFIG: Mapping[str, Key] = {
    **_table(
        Kind.INT,
        {
            "brokerPermission": 6,
            "defaultTopicQueueNums": 8,
            "sendMessageThreadPoolNums": 1,
            "pullMessageThreadPoolNums": None,
            "queryMessageThreadPoolNums": None,
            "adminBrokerThreadPoolNums": 16,
            "clientManageThreadPoolNums": 32,
            "consumerManageThreadPoolNums": 32,
            "heartbeatThreadPoolNums": None,
            "endTransactionThreadPoolNums": None,
            "flushConsumerOffsetInterval": 5000,
            "flushConsumerOffsetHistoryInterval": 60_000,
            "sendThreadPoolQueueCapacity": 10_000,
            "pullThreadPoolQueueCapacity": 100_000,
            "queryThreadPoolQueueCapacity": 20_000,
            "clientManagerThreadPoolQueueCapacity": 1_000_000,
            "consumerManagerThreadPoolQueueCapacity": 1_000_000,
            "heartbeatThreadPoolQueueCapacity": 50_000,
            "endTransactionPoolQueueCapacity": 100_000,
            "filterServerNums": 0,
            "commercialTimerCount": 1,
            "commercialTransCount": 1,
            "commercialBigCount": 1,
            "commercialBaseCount": 1,
            "maxDelayTime": 40,
            "registerBrokerTimeoutMills": 6000,
            "expectConsumerNumUseFilter": 32,
            "maxErrorRateOfBloomFilter": 20,
            "registerNameServerPeriod": 30_000,
            "transactionCheckMax": 15,
        },
    ),
    **_table(
        Kind.LONG,
        {
            "brokerId": 0,
            "shortPollingTimeMills": 1000,
            "consumerFallbehindThreshold": 16 * 1024 * 1024 * 1024,
            "waitTimeMillsInSendQueue": 200,
            "waitTimeMillsInPullQueue": 5000,
            "waitTimeMillsInHeartbeatQueue": 31_000,
            "waitTimeMillsInTransactionQueue": 3000,
            "startAcceptSendRequestTimeStamp": 0,
            "filterDataCleanTimeSpan": 24 * 3600 * 1000,
            "transactionTimeOut": 6000,
            "transactionCheckInterval": 60_000,
        },
    ),
    **_flags(
        True,
        "autoCreateTopicEnable clusterTopicEnable brokerTopicEnable "
        "autoCreateSubscriptionGroup longPollingEnable notifyConsumerIdsChangedEnable "
        "commercialEnable transferMsgByHeap brokerFastFailureEnable traceOn forceRegister",
    ),
    **_flags(
        False,
        "traceTopicEnable rejectTransactionMessage fetchNamesrvAddrByAddressServer "
        "highSpeedMode slaveReadEnable disableConsumeIfConsumerReadSlowly "
        "enableCalcFilterBitMap filterSupportRetry enablePropertyFilter compressedRegister "
        "aclEnable",
    ),
    **_table(
        Kind.STRING,
        {
            "rocketmqHome": None,
            "namesrvAddr": None,
            "brokerIP1": None,
            "brokerIP2": None,
            "brokerName": None,
            "brokerClusterName": "DefaultCluster",
            "messageStorePlugIn": "",
            "msgTraceTopicName": "RMQ_SYS_TRACE_TOPIC",
            "regionId": "DefaultRegion",
        },
    ),
}
"""``org.apache.rocketmq.common.BrokerConfig``."""

NETTY_CONFIG: Mapping[str, Key] = {
    **_table(
        Kind.INT,
        {
            "listenPort": 10911,
            "serverWorkerThreads": 8,
            "serverCallbackExecutorThreads": 0,
            "serverSelectorThreads": 3,
            "serverOnewaySemaphoreValue": 256,
            "serverAsyncSemaphoreValue": 64,
            "serverChannelMaxIdleTimeSeconds": 120,
            "serverSocketSndBufSize": 131_072,
            "serverSocketRcvBufSize": 131_072,
            "clientWorkerThreads": 4,
            "clientCallbackExecutorThreads": None,
            "clientOnewaySemaphoreValue": 65_535,
            "clientAsyncSemaphoreValue": 65_535,
            "connectTimeoutMillis": 3000,
            "clientChannelMaxIdleTimeSeconds": 120,
            "clientSocketSndBufSize": 131_072,
            "clientSocketRcvBufSize": 131_072,
        },
    ),
    **_table(Kind.LONG, {"channelNotActiveInterval": 60_000}),
    **_flags(True, "serverPooledByteBufAllocatorEnable"),
    **_flags(
        False,
        "useEpollNativeSelector clientPooledByteBufAllocatorEnable clientCloseSocketIfTimeout",
    ),
    **_flags(None, "useTLS"),
}
"""``NettyServerConfig`` and ``NettyClientConfig`` of ``org.apache.rocketmq.remoting.netty``.

Port and buffer sizes are the broker's defaults: BrokerStartup#createBrokerController sets them.
"""

ADDRESS_SERVER: Mapping[str, Key] = _table(
    Kind.STRING, {"rmqAddressServerDomain": None, "rmqAddressServerSubGroup": None}
)
"""Read outside the four objects, by BrokerStartup#properties2SystemEnv."""

KEYS: Mapping[str, Key] = {
    **MESSAGE_STORE_CONFIG,
    **BROKER_CONFIG,
    **NETTY_CONFIG,
    **ADDRESS_SERVER,
}
"""All keys of 4.4.0 by name."""

IDENTITY_KEYS = frozenset(ADDRESS_SERVER) | _names(
    "brokerClusterName brokerId brokerIP1 brokerIP2 brokerName fetchNamesrvAddrByAddressServer "
    "haListenPort listenPort namesrvAddr regionId rocketmqHome storePathCommitLog "
    "storePathRootDir"
)
"""Keys that define who and where a broker is, not how it behaves."""

OUTSIDE_THE_MODEL: Mapping[str, str] = {
    "duplicationEnable": "RocketMQ 4.4.0 then never dispatches a message to its consume queue",
    "messageStorePlugIn": "a plug-in stands between the broker and its message store",
    "haMasterAddress": "the slave copies from the broker there; the model assumes its master",
}
"""Keys of 4.4.0 whose effect the model does not cover, with the reason."""

LOST_ADDRESS = (
    "from 5.0.0 on the address is lost, because it is set before the HA client is made, and that "
    "of the name server is not used either: the slave never connects. Remove the key"
)
"""What becomes of ``haMasterAddress`` (BrokerController#initialize and DefaultMessageStore#start at
5.0.0 and 5.3.3; recordings of 5.3.3, finding 9). A controller sets the address again."""


def compute_behaviour(name: str, text: str) -> str | None:
    """What a setting changes in the behaviour of a broker, normalised; None for nothing."""
    if name in LATER_KEYS:
        return text
    if name not in KEYS or name in IDENTITY_KEYS:
        return None
    value = KEYS[name].read(text)
    if name == "haMasterAddress":
        return "an address" if len(text) >= _SHORTEST_ADDRESS else None
    return None if value == KEYS[name].default else str(value)


def explain_refused_value(key: Key, text: str, version: Version) -> str:
    """What a broker does with a value not of the key's kind (MixAll#properties2Object)."""
    blank = ", with a trailing blank" if text != text.rstrip() else ""
    if key.kind is Kind.BOOLEAN:
        effect = "silently read this as false"
    elif key.default is None:
        effect = "silently ignore this and run with the host's default"
    else:
        effect = f"silently ignore this and run with {key.name}={key.default}"
    return f"{key.name} is {text!r}{blank}: RocketMQ {version.release} would {effect}"


def explain_unknown_key(name: str, version: Version) -> str:
    """What a broker does with a key that it does not know, and the key that was perhaps meant."""
    later = f" (it is known {LATER_KEYS[name].known})" if name in LATER_KEYS else ""
    similar = find_similar_key(name)
    hidden = "it begins with a byte order mark" if name.startswith("\ufeff") else ""
    advice = f"; did you mean {similar}?" if similar else ""
    advice = f": {hidden}{advice}" if hidden else advice
    return f"RocketMQ {version.release} does not know the key {name} and ignores it{later}{advice}"


def find_similar_key(name: str) -> str | None:
    """The key of 4.4.0 closest to an unknown name, if any is close."""
    if name in LATER_KEYS:
        return NAMES_IN_440.get(name)
    known = {key.lower(): key for key in KEYS}
    close = difflib.get_close_matches(name.lower(), known, n=1, cutoff=_CLOSE_MATCH)
    return known[close[0]] if close else None
