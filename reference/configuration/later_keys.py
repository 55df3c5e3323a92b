"""Keys that only releases after 4.4.0 know, and how the model treats their values.

Source: the releases' MessageStoreConfig and BrokerConfig; semantics of 5.x: V-30 to V-37.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import frozen

from reference.releases.releases import CLASSIC, CONTROLLER, FIRST_RELEASE_WITH_MODES, QUORUM
from reference.releases.versions import Version

TRUE, FALSE = "true", "false"
ENABLE_CONTROLLER, CONTROLLER_ADDRESS = "enableControllerMode", "controllerAddr"
ALL_ACK, MIN_IN_SYNC_REPLICAS = "allAckInSyncStateSet", "minInSyncReplicas"
IN_SYNC_REPLICAS, QUORUM_SIZE = "inSyncReplicas", "2"
"""The key that makes a master of 5.x wait, and the only value above 1 that the model has."""


@frozen
class LaterKey:
    """One key that 4.4.0 ignores."""

    name: str
    """The key as written in the file."""
    release: str
    """The first release known to have it."""
    is_first: bool = True
    """No earlier release has it; if false, that has not been checked."""
    modelled: tuple[str, ...] = ()
    """The values that the model covers; empty if the value makes no difference to the model."""
    effect: str = ""
    """The effect of any other value."""

    @property
    def known(self) -> str:
        """Since when it is known, for messages."""
        return f"{'since' if self.is_first else 'in'} {self.release}"


def _list(release: str, names: str, *, is_first: bool = True) -> Iterable[LaterKey]:
    return (LaterKey(name, release, is_first) for name in names.split())


LATER_KEYS: Mapping[str, LaterKey] = {
    key.name: key
    for key in (
        LaterKey(
            "enableDLegerCommitLog", "4.5.0", modelled=(FALSE,), effect="replicates by Raft (V-06)"
        ),
        *_list("4.5.0", "dLegerGroup dLegerPeers dLegerSelfId"),
        *_list("4.7.1", "mappedFileSizeCommitLog mappedFileSizeConsumeQueue", is_first=False),
        *_list(
            "4.9.0",
            "autoDeleteUnusedStats enableBatchPush enableScheduleMessageStats preferredLeaderId "
            "processReplyMessageThreadPoolNums replyThreadPoolQueueCapacity "
            "storeReplyMessageEnable",
            is_first=False,
        ),
        *_list("4.9.3", "slaveTimeout"),
        LaterKey(
            "inSyncReplicas", "5.0.0", modelled=("1", "2"), effect="requires more slaves (V-31)"
        ),
        LaterKey(
            "enableSlaveActingMaster",
            "5.0.0",
            modelled=(FALSE,),
            effect="lets a slave act for its master (V-49)",
        ),
        LaterKey("asyncLearner", "5.0.0", False, (FALSE,), "keeps a slave out of all sets"),
        LaterKey(
            "syncFromLastFile", "5.0.0", False, (FALSE,), "lets a new slave begin at the last file"
        ),
        *_list(
            "5.0.0",
            "allAckInSyncStateSet controllerAddr enableAutoInSyncReplicas enableControllerMode "
            "haFlowControlEnable haMaxGapNotInSync haMaxTimeSlaveNotCatchup minInSyncReplicas "
            "totalReplicas",
        ),
        *_list(
            "5.0.0",
            "brokerHeartbeatInterval brokerNotActiveTimeoutMillis checkSyncStateSetPeriod "
            "deleteFileBatchMax diskSpaceCleanForciblyRatio diskSpaceWarningLevelRatio "
            "enableRemoteEscape lockInStrictMode maxHaTransferByteInSecond maxSlaveResendLength "
            "putMessageTimeout sendHeartbeatTimeoutMillis skipPreOnline storePathDLedgerCommitLog "
            "storePathEpochFile syncBrokerMetadataPeriod syncControllerMetadataPeriod "
            "syncMasterFlushOffsetWhenStartup",
            is_first=False,
        ),
        *_list(
            "5.1.0",
            "brokerElectionPriority controllerHeartBeatTimeoutMills fetchControllerAddrByDnsLookup",
        ),
        *_list("5.1.1", "storePathBrokerIdentity"),
        LaterKey(
            "readUnCommitted",
            "5.3.0",
            modelled=(FALSE,),
            effect="dispatches before the flush, as before 5.3.0 (V-37)",
        ),
        LaterKey(
            "enableRunningFlagsInFlush",
            "5.3.4",
            modelled=(FALSE,),
            effect="refuses puts after a flush error (issue 9709)",
        ),
        LaterKey(
            "writeWithoutMmap",
            "5.3.4",
            modelled=(FALSE,),
            effect="writes the log without a mapping (issue 9693)",
        ),
        LaterKey(
            "enableAcceleratedRecovery",
            "5.3.4",
            modelled=(FALSE,),
            effect="begins recovery where the queues end (issue 9666)",
        ),
        LaterKey(
            "checkCommitLogOffsetOnRecover",
            "5.5.0",
            modelled=(FALSE,),
            effect="refuses records at a foreign offset after a crash (issue 10017)",
        ),
        *_list("5.3.4", "enableSplitMetadata splitMetadataSize"),
    )
}
"""Every such key by name."""

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
    """A broker of this version reads this later key."""
    return name in LATER_KEYS and _sort(LATER_KEYS[name].release) <= _sort(version.release)


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
    if key.modelled and text.strip() not in key.modelled:
        return f"this value {key.effect}; the model covers {' and '.join(key.modelled)}"
    return None


def compute_mode(settings: Mapping[str, str], version: Version) -> str:
    """The mode in which a master of this version runs with these settings of its file."""
    if version.mode or _sort(version.release) < _sort(FIRST_RELEASE_WITH_MODES):
        return version.mode
    if is_controller_asked(settings):
        return CONTROLLER
    return QUORUM if settings.get(IN_SYNC_REPLICAS, "1").strip() == QUORUM_SIZE else CLASSIC


def is_controller_asked(settings: Mapping[str, str]) -> bool:
    """The file of a broker turns controller mode on."""
    return settings.get(ENABLE_CONTROLLER, FALSE).strip().lower() == TRUE


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


def _sort(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))
