"""The keys of RocketMQ 5.x's controller mode: their kinds, and what each decides in the model.

Source: BrokerConfig, MessageStoreConfig and ControllerConfig at 5.3.3; the classes that read a key
are named with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from attrs import frozen

from reference.configuration.keys import KEYS, Key, ValueKind
from reference.configuration.later_keys import (
    ALL_ACK,
    CONTROLLER_ADDRESS,
    ENABLE_CONTROLLER,
    FALSE,
    IN_SYNC_REPLICAS,
    MIN_IN_SYNC_REPLICAS,
    TRUE,
    is_known_in,
)
from reference.releases.releases import is_since
from reference.releases.versions import Version

FIRST_RELEASE_OF_SETTINGS = "5.2.0"
"""The first release in which dispatch waits for the confirm offset only with
``allAckInSyncStateSet`` (CommitLog#getConfirmOffset at 5.2.0; before, in 5.0.0
in AutoSwitchHAService#getConfirmOffset, the key is not asked)."""


@frozen
class ControllerKey:
    """A key that a broker with a controller reads, or that its author may expect it to read."""

    key: Key
    decides: str
    """What it decides in the model; begins with "Nothing" where it decides nothing."""
    source: str
    """Who reads it at 5.3.3."""


def _flag(name: str, decides: str, source: str) -> ControllerKey:
    return ControllerKey(Key(name, ValueKind.BOOLEAN, False), decides, source)


def _number(name: str, default: int, decides: str, source: str) -> ControllerKey:
    kind = ValueKind.LONG if name in LONGS else ValueKind.INT
    return ControllerKey(Key(name, kind, default), decides, source)


LONGS = frozenset(
    {
        "haMaxTimeSlaveNotCatchup",
        "syncBrokerMetadataPeriod",
        "checkSyncStateSetPeriod",
        "syncControllerMetadataPeriod",
        "controllerHeartBeatTimeoutMills",
    }
)
"""The keys whose setter takes a long."""


def _text(name: str, decides: str, source: str) -> ControllerKey:
    return ControllerKey(Key(name, ValueKind.STRING, ""), decides, source)


_DECIDING = (
    _flag(
        ENABLE_CONTROLLER,
        "Whether a controller elects the master; `brokerRole` and `brokerId` then decide nothing.",
        "BrokerStartup#buildBrokerController, ReplicasManager#changeToMaster",
    ),
    _flag(
        ALL_ACK,
        "Whether a put and dispatch wait for every member of the SyncStateSet, or for no slave.",
        "CommitLog#asyncPutMessage, CommitLog#getConfirmOffset",
    ),
    _number(
        MIN_IN_SYNC_REPLICAS,
        1,
        "With 2, a put that waits is refused while the master is alone in the SyncStateSet.",
        "CommitLog#asyncPutMessage",
    ),
    _number(
        IN_SYNC_REPLICAS,
        1,
        f"Nothing with `{ALL_ACK}=true`, which replaces it; without that the model has 1 only.",
        "CommitLog#asyncPutMessage",
    ),
    _flag(
        "syncFromLastFile",
        "A slave without a log would begin at the master's last file; the model has `false`.",
        "AutoSwitchHAConnection.WriteSocketService#run",
    ),
    _flag(
        "asyncLearner",
        "That broker would never be a member; the model has `false`.",
        "AutoSwitchHAConnection#maybeExpandInSyncStateSet",
    ),
)


_TIMERS = (
    _number(
        "haMaxTimeSlaveNotCatchup",
        15_000,
        "Nothing: a member that lags may leave at any time. One whose link hangs does not leave "
        "while its socket takes bytes (`v533_controller_a`).",
        "AutoSwitchHAService#maybeShrinkSyncStateSet",
    ),
    _number(
        "checkSyncStateSetPeriod",
        5000,
        "Nothing: how often the master looks for members that lag.",
        "ReplicasManager#schedulingCheckSyncStateSet",
    ),
    _number(
        "syncBrokerMetadataPeriod",
        5000,
        "Nothing: how often a broker asks who the master is; a role may change at any time.",
        "ReplicasManager#schedulingSyncBrokerMetadata",
    ),
    _number(
        "syncControllerMetadataPeriod",
        10_000,
        "Nothing: how often a broker asks which controller leads.",
        "ReplicasManager#schedulingSyncControllerMetadata",
    ),
    _number(
        "controllerHeartBeatTimeoutMills",
        10_000,
        "Nothing: after which silence a controller takes a broker for dead; it may at any time.",
        "ReplicasManager#sendHeartbeatToController",
    ),
    _number(
        "brokerHeartbeatInterval",
        1000,
        "Nothing: how often a broker tells the controller that it lives.",
        "BrokerController#scheduleSendHeartbeat",
    ),
    _number(
        "sendHeartbeatTimeoutMillis",
        1000,
        "Nothing: how long such a message may take.",
        "ReplicasManager#sendHeartbeatToController",
    ),
    _number(
        "slaveTimeout",
        3000,
        "Nothing: after which time a put is `FLUSH_SLAVE_TIMEOUT`; recordings have it.",
        "CommitLog#handleHA",
    ),
)


_IDLE = (
    _text(
        CONTROLLER_ADDRESS,
        "Nothing: the controller is always there. Without it a broker takes no puts at all.",
        "ReplicasManager#updateControllerAddr",
    ),
    _flag(
        "fetchControllerAddrByDnsLookup",
        "Nothing: how the address is found.",
        "ReplicasManager#updateControllerAddr",
    ),
    _number(
        "totalReplicas",
        1,
        "Nothing: read with `enableSlaveActingMaster` only.",
        "BrokerController#start, DefaultMessageStore (constructor)",
    ),
    _flag(
        "enableAutoInSyncReplicas",
        "Nothing: read with `enableSlaveActingMaster` and no controller only.",
        "CommitLog#calcNeedAckNums",
    ),
    _number(
        "haMaxGapNotInSync",
        256 * 1024 * 1024,
        "Nothing: a controller's SyncStateSet goes by time, not by distance.",
        "DefaultHAService#isInSyncSlave, overridden by AutoSwitchHAService#inSyncReplicasNums",
    ),
    _number(
        "brokerElectionPriority",
        2**31 - 1,
        "Nothing: any member may be elected in the model.",
        "ReplicasManager#sendHeartbeatToController",
    ),
    _text(
        "storePathEpochFile",
        "Nothing: where the epoch file is, `epochFileCheckpoint` below the store by default.",
        "AutoSwitchHAService#init",
    ),
    _text(
        "storePathBrokerIdentity",
        "Nothing: where the broker's id is, `brokerIdentity` below the store by default.",
        "ReplicasManager (constructor)",
    ),
)


CONTROLLER_KEYS: Mapping[str, ControllerKey] = {
    each.key.name: each for each in (*_DECIDING, *_TIMERS, *_IDLE)
}
"""Every key of a broker's file that is about its controller, by name."""

OF_OTHERS: Mapping[str, str] = {
    "enableElectUncleanMaster": "it is a key of the controller's own file (ControllerConfig), and "
    "the model has false: with true a broker outside the SyncStateSet may be elected",
    "scanNotActiveBrokerInterval": "it is a key of the controller's own file (ControllerConfig)",
    "scanInactiveMasterInterval": "it is a key of the controller's own file (ControllerConfig)",
    "brokerControllerId": "it is no key: the controller assigns it, and the broker keeps it in "
    "the file brokerIdentity of its store (ReplicasManager#register)",
    "autoInSyncReplicas": "did you mean enableAutoInSyncReplicas?",
    "haHeartbeatInterval": "did you mean haSendHeartbeatInterval?",
}
"""Keys that are expected in a broker's file and that no broker reads, with what they are."""

SHARED_KEYS = (ALL_ACK, MIN_IN_SYNC_REPLICAS, IN_SYNC_REPLICAS, "flushDiskType")
"""The keys of which the elected broker's value counts."""


def explain_contradictions(
    settings: Mapping[str, str], version: Version, *, is_controlled: bool
) -> Iterator[tuple[str, str]]:
    """Keys of one broker that contradict each other: the one to change, and what is so."""
    if is_controlled:
        if settings.get("enableDLegerCommitLog", FALSE).strip() == TRUE:
            told = f"with {ENABLE_CONTROLLER}=true a broker would exit with code -4; choose one"
            yield "enableDLegerCommitLog", told
        if ENABLE_CONTROLLER in settings and not settings.get(CONTROLLER_ADDRESS, "").strip():
            yield (
                ENABLE_CONTROLLER,
                f"without {CONTROLLER_ADDRESS} the broker finds no controller, stays fenced and "
                "refuses every put; name the controllers there",
            )
    elif is_known_in(ALL_ACK, version) and settings.get(ALL_ACK, FALSE).strip() == TRUE:
        yield (
            ALL_ACK,
            f"{ALL_ACK}=true does nothing without {ENABLE_CONTROLLER}=true: puts wait for "
            f"{IN_SYNC_REPLICAS} brokers (CommitLog#asyncPutMessage)",
        )


def explain_controlled(
    settings: Mapping[str, str], version: Version, brokers: int
) -> Iterator[str]:
    """One sentence for each setting of a controller's group that the model does not cover.

    ``settings`` are those of its first broker, ``brokers`` is how many it has.
    """
    number = _read_number(settings, MIN_IN_SYNC_REPLICAS)
    is_waiting = is_waiting_for_all(settings)
    if number > brokers:
        yield (
            f"{MIN_IN_SYNC_REPLICAS}={number} with {brokers} broker{'s' * (brokers > 1)}: every "
            "put that waits is refused, IN_SYNC_REPLICAS_NOT_ENOUGH; lower it to the number of "
            "brokers that may not fail"
        )
    elif number > MIN_IN_SYNC_MAX or (number > 1 and not is_waiting):
        yield (
            f"{MIN_IN_SYNC_REPLICAS}={number} is outside the model, which has 1, and 2 with "
            f"{ALL_ACK}=true"
        )
    if is_waiting:
        return
    if _read_number(settings, IN_SYNC_REPLICAS) > 1:
        yield (
            f"{IN_SYNC_REPLICAS}={settings[IN_SYNC_REPLICAS].strip()} with "
            f"{ENABLE_CONTROLLER}=true is outside the model: a put waits for so many connections, "
            f"whether their brokers may be elected or not; set {ALL_ACK}=true instead"
        )
    if not is_since(version.release, FIRST_RELEASE_OF_SETTINGS):
        yield (
            f"{ENABLE_CONTROLLER}=true without {ALL_ACK}=true is outside the model before "
            f"{FIRST_RELEASE_OF_SETTINGS}: consumers wait for the members, producers do not"
        )


MIN_IN_SYNC_MAX = 2
"""The largest ``minInSyncReplicas`` that the model has."""


def _read_number(settings: Mapping[str, str], name: str) -> int:
    return int(settings.get(name, "1").strip())


def is_waiting_for_all(settings: Mapping[str, str]) -> bool:
    """A put waits for every member; so also where a controller was asked for by name only."""
    usual = FALSE if ENABLE_CONTROLLER in settings else TRUE
    return settings.get(ALL_ACK, usual).strip().lower() == TRUE


def say_value(key: Key, settings: Mapping[str, str]) -> str:
    """The value in force, as a file has it."""
    value = key.read(settings[key.name].strip()) if key.name in settings else key.default
    return str(value).lower() if isinstance(value, bool) else str(value)


def find_unequal(members: Iterable[Mapping[str, str]]) -> Iterator[str]:
    """One sentence for each key of which brokers that a controller may elect have other values."""
    brokers = list(members)
    for name in SHARED_KEYS:
        key = KEYS[name] if name in KEYS else CONTROLLER_KEYS[name].key
        values = sorted({say_value(key, settings) for settings in brokers})
        if len(values) > 1:
            yield (
                f"{name} is {' and '.join(values)} in files of one group: whichever broker is "
                "elected decides by its own; write the same in every file"
            )
