"""Keys that only releases after 4.4.0 know, and how the model treats their values.

Since when a key is known is in `reference.configuration.release_keys`; what the rules make of it is
here. Semantics of 5.x: V-30 to V-37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import frozen

from reference.configuration.release_keys import find_key, list_releases, say_known
from reference.releases.releases import (
    CLASSIC,
    CONTROLLER,
    FIRST_RELEASE_WITH_MODES,
    QUORUM,
    RELEASES,
    is_since,
)
from reference.releases.versions import Version

TRUE, FALSE = "true", "false"
ENABLE_CONTROLLER, CONTROLLER_ADDRESS = "enableControllerMode", "controllerAddr"
ALL_ACK, MIN_IN_SYNC_REPLICAS = "allAckInSyncStateSet", "minInSyncReplicas"
ENABLE_DLEDGER = "enableDLegerCommitLog"
"""The key that replaces a master and its slaves by a Raft group."""
IN_SYNC_REPLICAS, QUORUM_SIZE = "inSyncReplicas", "2"
"""The key that makes a master of 5.x wait, and the only value above 1 that the model has."""


@frozen
class LaterKey:
    """One key that 4.4.0 ignores, and that the model knows what to make of."""

    name: str
    """The key as written in the file."""
    modelled: tuple[str, ...] = ()
    """The values that the model covers; empty if the value makes no difference to the model."""
    effect: str = ""
    """The effect of any other value."""

    @property
    def release(self) -> str:
        """The first release with verdicts that reads it."""
        return next(each for each in list_releases(self.name) if each in RELEASES)

    @property
    def known(self) -> str:
        """Since when it is known, for messages."""
        return say_known(self.name)


_OTHERS_OUTSIDE = {
    ENABLE_DLEDGER: "replicates by Raft (V-06)",
    "asyncLearner": "keeps a slave out of all sets",
    "syncFromLastFile": "lets a new slave begin at the last file",
    "enableBuildConsumeQueueConcurrently": "dispatches by several threads "
    "(DefaultMessageStore.ConcurrentReputMessageService at 5.1.0)",
    "readUnCommitted": "dispatches before the flush, as before 5.3.0 (V-37)",
    "enableRunningFlagsInFlush": "refuses puts after a flush error (issue 9709)",
    "writeWithoutMmap": "writes the log without a mapping (issue 9693)",
    "enableAcceleratedRecovery": "begins recovery where the queues end (issue 9666)",
    "checkCommitLogOffsetOnRecover": "refuses records at a foreign offset after a crash "
    "(issue 10017)",
}
"""Flags of which the model has only false, with what true does."""

_WITHOUT_EFFECT = """
dLegerGroup dLegerPeers dLegerSelfId preferredLeaderId enableBatchPush storePathDLedgerCommitLog
mappedFileSizeCommitLog mappedFileSizeConsumeQueue
autoDeleteUnusedStats enableScheduleMessageStats processReplyMessageThreadPoolNums
replyThreadPoolQueueCapacity storeReplyMessageEnable
slaveTimeout
allAckInSyncStateSet controllerAddr enableAutoInSyncReplicas enableControllerMode
enableSlaveActingMaster
haFlowControlEnable haMaxGapNotInSync haMaxTimeSlaveNotCatchup minInSyncReplicas totalReplicas
brokerHeartbeatInterval brokerNotActiveTimeoutMillis checkSyncStateSetPeriod deleteFileBatchMax
diskSpaceCleanForciblyRatio diskSpaceWarningLevelRatio enableRemoteEscape lockInStrictMode
maxHaTransferByteInSecond maxSlaveResendLength putMessageTimeout sendHeartbeatTimeoutMillis
skipPreOnline storePathEpochFile syncBrokerMetadataPeriod syncControllerMetadataPeriod
syncMasterFlushOffsetWhenStartup
brokerElectionPriority controllerHeartBeatTimeoutMills fetchControllerAddrByDnsLookup
storePathBrokerIdentity enableSplitMetadata splitMetadataSize
"""
"""Keys of whose values the model has all, because they make no difference, or because the group's
mode has them."""

LATER_KEYS: Mapping[str, LaterKey] = {
    key.name: key
    for key in (
        LaterKey(IN_SYNC_REPLICAS, ("1", QUORUM_SIZE), "requires more slaves (V-31)"),
        LaterKey(
            "storeType",
            ("default",),
            "may keep the consume queues in RocksDB "
            "(BrokerController#isEnableRocksDBStore at 5.1.4)",
        ),
        *(LaterKey(name, (FALSE,), effect) for name, effect in _OTHERS_OUTSIDE.items()),
        *(LaterKey(name) for name in _WITHOUT_EFFECT.split()),
    )
}
"""Every such key by name."""

LEFT_OUT: Mapping[str, str] = {
    "enableLmq": "light queues, beside a message's own, are not modelled "
    "(LmqConsumerOffsetManager at 4.9.3)",
    "enableMultiDispatch": "a message may then enter more queues than its own; what is said about "
    "consumers is about its own (MultiDispatch at 4.9.3)",
    "enableScheduleAsyncDeliver": "delayed messages are then delivered without waiting for each "
    "put; what is said about them is said of waiting (ScheduleMessageService at 4.9.3)",
    "readOnlyCommitLogStorePaths": "the log then lies in several folders, of which the model knows "
    "one (MultiPathMappedFileQueue at 4.9.2)",
    "recheckReputOffsetFromCq": "a start then dispatches again from where the queues end "
    "(DefaultMessageStore#doRecheckReputOffsetFromCq at 5.0.0)",
    "enabledAppendPropCRC": "records then end with a checksum, of which the model knows nothing "
    "(CommitLog at 5.2.0)",
    "forceVerifyPropCRC": "recovery then compares the checksum of whole records; the model "
    "compares that of bodies (CommitLog#checkMessageAndReturnSize at 5.2.0)",
    "configManagerVersion": "with v2 tables and progress lie in RocksDB; what is said about both "
    "is said of files (BrokerController at 5.3.2)",
}
"""Keys with a value of which the answer leaves out something, with what that is and its source."""

NAMES_IN_440: Mapping[str, str] = {
    "mappedFileSizeCommitLog": "mapedFileSizeCommitLog",
    "mappedFileSizeConsumeQueue": "mapedFileSizeConsumeQueue",
    "haMaxGapNotInSync": "haSlaveFallbehindMax",
}
"""Keys that later releases renamed, with the name that 4.4.0 reads."""


NEW_NAMES = {old: new for new, old in NAMES_IN_440.items() if new != "haMaxGapNotInSync"}
"""Keys of 4.4.0 with the name under which later releases read them. The gap that makes a slave
leave a set differs from the distance that 4.4.0 checks."""


def get_name_in(name: str, version: Version) -> str:
    """The name under which a broker of this version reads a key of 4.4.0."""
    new = NEW_NAMES.get(name, name)
    return new if is_known_in(new, version) else name


def is_known_in(name: str, version: Version) -> bool:
    """A broker of this version reads this key."""
    return find_key(name, version.release) is not None


def name_in(settings: Mapping[str, str], version: Version) -> dict[str, str]:
    """Settings of 4.4.0 under a version's names, without those that it no longer reads."""
    named = {get_name_in(key, version): value for key, value in settings.items()}
    return {name: value for name, value in named.items() if is_known_in(name, version)}


def explain_later_key(name: str, text: str, version: Version) -> str | None:
    """Why the model does not cover a broker with this setting; None if it does.

    The version is that of the broker, with its mode.
    """
    key = LATER_KEYS[name]
    if not is_known_in(name, version):
        return (
            f"RocketMQ {version.release} ignores this key, which is known {key.known}; if the "
            f"broker runs that, add --rocketmq-version {key.release} or later"
        )
    if key.modelled and text.strip().lower() not in key.modelled:
        return f"this value {key.effect}; the model covers {' and '.join(key.modelled)}"
    return None


def is_raft_asked(settings: Mapping[str, str]) -> bool:
    """The file of a broker makes it a member of a DLedger group (Boolean#parseBoolean)."""
    return settings.get(ENABLE_DLEDGER, FALSE).lower() == TRUE


def compute_mode(settings: Mapping[str, str], version: Version) -> str:
    """The mode in which a master of this version runs with these settings of its file."""
    if version.mode or not is_since(version.release, FIRST_RELEASE_WITH_MODES):
        return version.mode
    if is_controller_asked(settings):
        return CONTROLLER
    return QUORUM if settings.get(IN_SYNC_REPLICAS, "1").strip() == QUORUM_SIZE else CLASSIC


def is_controller_asked(settings: Mapping[str, str]) -> bool:
    """The file of a broker turns controller mode on."""
    return is_set(settings, ENABLE_CONTROLLER)


def is_set(settings: Mapping[str, str], key: str) -> bool:
    """The file of a broker has true for this flag (Boolean#parseBoolean)."""
    return settings.get(key, FALSE).strip().lower() == TRUE


def explain_partly_set(key: str, asked: int, members: int) -> Iterator[str]:
    """Why a group is not covered in which only some files set a flag; empty if all do, or none."""
    if 0 < asked < members:
        yield f"{key}=true is in some files of the group only; set it in all"


def explain_mode(settings: Mapping[str, str], mode: str) -> str | None:
    """Why the model does not cover a master in this mode with these settings; None if it does.

    A quorum that was asked for by name is one of two brokers, whatever the file says.
    """
    asked = settings.get(IN_SYNC_REPLICAS, QUORUM_SIZE).strip()
    if mode == QUORUM and asked != QUORUM_SIZE:
        return (
            f"{IN_SYNC_REPLICAS}={asked} is outside the model of a quorum, which is of "
            f"{QUORUM_SIZE} brokers; without -quorum in --rocketmq-version the file decides"
        )
    if mode == CONTROLLER and settings.get(ALL_ACK, FALSE).strip() != TRUE:
        return (
            f"{ENABLE_CONTROLLER}=true is compared with {ALL_ACK}=true only: without that a put is "
            "answered before every member of the SyncStateSet has it (V-33)"
        )
    return None
