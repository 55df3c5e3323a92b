"""A broker group as configured: settings, brokers, groups, deployments."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from attrs import frozen

from reference.configuration.acting_slaves import (
    explain_acting,
    is_acting_asked,
    is_counting_in_sync,
    is_one_enough,
)
from reference.configuration.controller_keys import (
    explain_controlled,
    find_unequal,
    is_waiting_for_all,
)
from reference.configuration.key import Value
from reference.configuration.keys import (
    CLAMPED,
    KEYS,
    LOST_ADDRESS,
    OUTSIDE_THE_MODEL,
    compute_behaviour,
)
from reference.configuration.later_keys import (
    ENABLE_CONTROLLER,
    ENABLE_DLEDGER,
    IN_SYNC_REPLICAS,
    LATER_KEYS,
    MIN_IN_SYNC_REPLICAS,
    compute_mode,
    explain_later_key,
    explain_mode,
    explain_partly_set,
    get_name_in,
    is_controller_asked,
    is_known_in,
    is_raft_asked,
)
from reference.configuration.release_keys import find_key, say_known, trim
from reference.releases.releases import (
    ALL_RELEASES,
    CONTROLLER,
    FIRST_RELEASE_WITH_MODES,
    is_since,
)
from reference.releases.versions import USUAL_VERSION, Version
from reference.roles import FlushDiskType, Role
from reference.worlds.replication.parameters import Parameters

READ_BUFFER_BYTES = 4 * 1024 * 1024
"""Size of a slave's read buffer for frames (HAClient, READ_MAX_BUFFER_SIZE at 4.4.0)."""
FRAME_HEADER_BYTES = 12
"""Size of a frame's header (HAConnection.WriteSocketService at 4.4.0)."""

HA_MASTER_ADDRESS = "haMasterAddress"
"""The key with a slave's address of its master's HA service."""
HA_LISTEN_PORT = "haListenPort"
"""The key of the port for slaves, which releases before 5.1.1 overwrite."""
FIRST_WITH_OWN_HA_PORT = "5.1.1"
"""From here on ``haListenPort`` counts if it is above 0 (BrokerStartup#buildBrokerController)."""
HOST_NAME = "(host name)"
"""The broker's name if no ``brokerName`` is set (BrokerConfig#localHostName)."""


class ConfigurationError(Exception):
    """Unusable configurations: one line each, with place, problem and advice."""

    def __init__(self, *problems: str) -> None:
        super().__init__(*problems)
        self.problems = problems
        """One line for each file that cannot be used, in the order of reading."""

    def __str__(self) -> str:
        return "\n".join(self.problems)


@frozen
class ConfigurationWarning:
    """A setting that a broker accepts but its author hardly intended."""

    message: str
    """What is odd, and how RocketMQ 4.4.0 treats it."""
    file: str
    """File of the setting."""
    line: int
    """Line of the setting, counted from 1."""
    is_grave: bool = False
    """A key that decides about guarantees was perhaps meant: the answer is about its default."""

    def __str__(self) -> str:
        """``file:line: message``."""
        return show_on_one_line(f"{self.file}:{self.line}: {self.message}")


@frozen
class Setting:
    """One setting of a broker's file, the last one of its key."""

    key: str
    """The key, known to the broker's release or to another one."""
    value: str
    """The value as text, with its trailing blanks."""
    file: str
    """File of the setting."""
    line: int
    """Line of the setting, counted from 1."""

    def __str__(self) -> str:
        """``key=value (file:line)``."""
        return show_on_one_line(f"{self.key}={self.value} ({self.file}:{self.line})")


@frozen
class BrokerConfiguration:
    """One broker, as it would run with its file."""

    cluster: str
    """``brokerClusterName``."""
    broker_name: str
    """``brokerName``: the name that a master and its slaves share."""
    broker_id: int
    """0 on a master, whatever is configured; the configured ``brokerId`` on a slave."""
    role: Role
    """``brokerRole``."""
    flush_disk_type: FlushDiskType
    """``flushDiskType``."""
    settings: tuple[Setting, ...]
    """The file's settings in its order, without keys that no release reads; if a key is set more
    than once, only the last."""
    file: str
    """The file, as it was named."""
    version: Version = USUAL_VERSION
    """The release that the broker runs."""

    def get(self, key: str) -> Value:
        """The value in force: forced by BrokerStartup, else configured, else the release's default.

        A key of 4.4.0 that the release no longer reads has the default of 4.4.0, which is what the
        rules mean by it. None means a default that depends on the host.

        Raises:
            KeyError: neither this release nor 4.4.0 knows this key.
        """
        if key in ("brokerId", "brokerName"):
            return self.broker_id if key == "brokerId" else self.broker_name
        release = self.version.release
        name = get_name_in(key, self.version)
        own = find_key(name, release)
        if own is None:
            return KEYS[key].default
        setting = self.find_setting(name)
        value = own.read(trim(own, setting.value, release)) if setting else own.default
        if key == HA_LISTEN_PORT and not (setting and self.has_own_ha_port):
            return self.get_number("listenPort") + 1
        if key in CLAMPED and isinstance(value, int):
            least, most = CLAMPED[key]
            return max(least, min(value, most))
        return value

    @property
    def has_own_ha_port(self) -> bool:
        """``haListenPort`` is set, and the release does not overwrite it."""
        setting = self.find_setting(HA_LISTEN_PORT)
        is_kept = is_since(self.version.release, FIRST_WITH_OWN_HA_PORT)
        return is_kept and setting is not None and int(setting.value) > 0

    def get_number(self, key: str) -> int:
        """`get` for a number. Raises TypeError for a key that holds or may hold something else."""
        value = self.get(key)
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"{key} is {value!r}, not a number")
        return value

    def find_setting(self, key: str) -> Setting | None:
        """The setting of this key in the file, if there is one."""
        return next((setting for setting in self.settings if setting.key == key), None)

    @property
    def is_controlled(self) -> bool:
        """A controller elects the master: the role and the id in the file decide nothing."""
        return compute_mode(self.values, self.version) == CONTROLLER

    @property
    def values(self) -> Mapping[str, str]:
        """Each key of the file with its value, as written there."""
        return {setting.key: setting.value for setting in self.settings}

    def list_values_in_force(self) -> dict[str, Value]:
        """Every key of 4.4.0 that has a value, sorted by name; as the release has it."""
        found = {key: self.get(key) for key in sorted(KEYS)}
        return {key: value for key, value in found.items() if value is not None}

    @property
    def telling_setting(self) -> Setting:
        """The setting that messages about this broker point to."""
        return self.find_setting("brokerRole") or self.settings[0]

    @property
    def title(self) -> str:
        """Cluster and name, for messages."""
        return f"{self.broker_name!r} in cluster {self.cluster!r}"

    def same_behaviour_key(self) -> tuple[tuple[str, str], ...]:
        """Settings that affect behaviour and differ from the defaults, sorted, values normalised.

        Unknown keys are left out, because a broker ignores them.
        """
        behaviour = (
            (one.key, compute_behaviour(one.key, one.value, self.version)) for one in self.settings
        )
        return tuple(sorted((key, value) for key, value in behaviour if value is not None))

    def _is_outside_the_model(self, setting: Setting) -> bool:
        if setting.key == HA_MASTER_ADDRESS and self.role is not Role.SLAVE:
            return False  # BrokerController#initialize reads it on slaves only.
        if setting.key == IN_SYNC_REPLICAS and self.is_controlled:
            return False  # The group explains it.
        behaviour = compute_behaviour(setting.key, setting.value, self.version)
        return setting.key in {**LATER_KEYS, **OUTSIDE_THE_MODEL} and behaviour is not None

    @property
    def has_lost_address(self) -> bool:
        """A slave of 5.x whose file has its master's address for HA, which it then loses."""
        setting = self.find_setting(HA_MASTER_ADDRESS)
        is_lost = is_since(self.version.release, FIRST_RELEASE_WITH_MODES)
        is_lost = is_lost and self.version.mode != CONTROLLER and self.role is Role.SLAVE
        return is_lost and setting is not None and self._is_outside_the_model(setting)

    def _explain_sizes(self) -> Iterable[str]:
        """One sentence for each size with which a master gives wrong answers or sends too much."""
        batch_max = READ_BUFFER_BYTES - FRAME_HEADER_BYTES
        if self.get_number("haTransferBatchSize") > batch_max:
            yield (
                f"{self.find_setting('haTransferBatchSize')} is outside the model: frames of more "
                f"than {batch_max} bytes do not fit a slave's read buffer, so it never gets "
                "past a backlog of that size; the default is 32768."
            )
        blank = Parameters().end_file_min_blank_bytes
        message_max = self.get_number("mapedFileSizeCommitLog") - blank
        if self.get_number("maxMessageSize") > message_max:
            names = ("maxMessageSize", get_name_in("mapedFileSizeCommitLog", self.version))
            setting = next(filter(None, map(self.find_setting, names)))
            yield (
                f"{setting} is outside the model: a message of more than {message_max} bytes fits "
                "no file: it is answered PUT_OK but not stored; lower maxMessageSize to that."
            )

    def explain_outside_the_model(self) -> Iterable[str]:
        """One sentence for each setting of this broker that the model does not cover."""
        if self.role is not Role.SLAVE:
            yield from self._explain_sizes()
        outside = list(filter(self._is_outside_the_model, self.settings))
        ignored = [s for s in outside if s.key in LATER_KEYS and not self._is_read(s)]
        if len(ignored) > 1:
            yield self._explain_ignored(ignored)
        for setting in (s for s in outside if s not in ignored or len(ignored) == 1):
            reason = OUTSIDE_THE_MODEL.get(setting.key)
            if self.has_lost_address:
                reason = LOST_ADDRESS if setting.key == HA_MASTER_ADDRESS else reason
            if setting.key in LATER_KEYS:
                reason = explain_later_key(setting.key, setting.value, self.version)
            if reason:
                yield f"{setting} is outside the model: {reason}."

    def _is_read(self, setting: Setting) -> bool:
        """This release reads a later key."""
        return is_known_in(setting.key, self.version)

    def _explain_ignored(self, ignored: Sequence[Setting]) -> str:
        """One sentence for all keys of later releases."""
        first, *others = ignored
        names = ", ".join(setting.key for setting in others)
        verb = "is" if len(others) == 1 else "are"
        since = max((LATER_KEYS[s.key].release for s in ignored), key=ALL_RELEASES.index)
        return (
            f"{first} is outside the model, and so {verb} {names}: RocketMQ {self.version.release} "
            f"ignores these keys of later releases; if the broker runs one, add --rocketmq-version "
            f"{since} or later."
        )


@frozen
class BrokerGroup:
    """A master and its slaves: the unit that replicates."""

    cluster: str
    """``brokerClusterName`` of all members."""
    broker_name: str
    """``brokerName`` of all members."""
    master: BrokerConfiguration
    """The only master."""
    slaves: tuple[BrokerConfiguration, ...]
    """The slaves by ``brokerId``; may be empty."""

    def outside_the_model(self) -> tuple[str, ...]:
        """One sentence for each setting that the model does not cover; empty is best."""
        members = (self.master, *self.slaves)
        raft = [broker for broker in members if is_raft_asked(broker.values)]
        if raft and not self.is_controlled:
            return (explain_raft(raft[0], len(members)),)
        texts = [text for broker in members for text in broker.explain_outside_the_model()]
        texts += self._explain_store_pool()
        texts += (f"{reason}." for reason in self._explain_mode())
        return tuple(texts)

    def _explain_mode(self) -> Iterable[str]:
        """One sentence for each reason why the mode of these brokers is not covered."""
        values = self.master.values
        if not self.is_controlled:
            reason = explain_mode(values, self.version.mode)
            yield from () if reason is None else (reason,)
        members = [broker.values for broker in (self.master, *self.slaves)]
        yield from explain_acting(members, self.version)
        if not self.is_controlled:
            return
        asked = [settings for settings in members if is_controller_asked(settings)]
        yield from explain_partly_set(ENABLE_CONTROLLER, len(asked), len(members))
        yield from find_unequal(asked)
        yield from explain_controlled(values, self.version, len(members))

    @property
    def is_controlled(self) -> bool:
        """A controller elects the master among its brokers."""
        return self.version.mode == CONTROLLER

    @property
    def is_answered_alone(self) -> bool:
        """With a controller, and the master answers puts before any slave has them."""
        return self.is_controlled and not is_waiting_for_all(self.master.values)

    @property
    def is_refusing_alone(self) -> bool:
        """With a controller, and the master refuses puts while it is alone."""
        asked = self.master.values.get(MIN_IN_SYNC_REPLICAS, "1").strip()
        return self.is_controlled and asked == "2"

    @property
    def has_acting_slave(self) -> bool:
        """A slave acts for a master that is down."""
        return bool(self.slaves) and is_acting_asked(self.master.values, self.version)

    @property
    def is_answered_by_those_in_sync(self) -> bool:
        """The master needs a slave for a put only while one is in sync."""
        return self._is_counting_in_sync and is_one_enough(self.master.values)

    @property
    def is_refused_without_slave(self) -> bool:
        """The master refuses puts that wait while no slave is in sync."""
        return self._is_counting_in_sync and not is_one_enough(self.master.values)

    @property
    def _is_counting_in_sync(self) -> bool:
        """The master counts before a put who is in sync."""
        is_waiting = self.master.role is Role.SYNC_MASTER
        return is_waiting and is_counting_in_sync(self.master.values, self.version)

    @property
    def has_store_pool(self) -> bool:
        """The master appends to a pool of buffers first.

        Slaves have none, and until 4.9 neither has a master with SYNC_FLUSH
        (MessageStoreConfig#isTransientStorePoolEnable).
        """
        is_set = bool(self.master.get("transientStorePoolEnable"))
        return is_set and self.master.flush_disk_type is FlushDiskType.ASYNC_FLUSH

    def _explain_store_pool(self) -> Iterable[str]:
        """One sentence if the model does not cover the pool of this version."""
        setting = self.master.find_setting("transientStorePoolEnable")
        if setting is None or not self.master.get("transientStorePoolEnable"):
            return
        if self.version.mode == CONTROLLER:
            yield f"{setting} is outside the model: with a controller slaves have a pool too."
        elif is_since(self.version.release, "5.0.0") and not self.has_store_pool:
            yield f"{setting} is outside the model: from 5.0.0 on it serves SYNC_FLUSH too."

    @property
    def version(self) -> Version:
        """The release of its brokers, in the mode that the master's file selects."""
        asked = self.master.version
        return Version(asked.release, compute_mode(self.master.values, asked))

    def same_behaviour_key(self) -> Hashable:
        """Equal for groups that differ only in names, ids, ports, paths and addresses."""
        slaves = sorted(slave.same_behaviour_key() for slave in self.slaves)
        return (self.master.same_behaviour_key(), tuple(slaves))


@frozen
class Deployment:
    """All groups whose files lie in one folder."""

    name: str
    """The folder, as it was named."""
    groups: tuple[BrokerGroup, ...]
    """The groups by cluster and name."""


def explain_raft(broker: BrokerConfiguration, members: int) -> str:
    """Why there is no answer about a DLedger group, whatever its release."""
    setting = broker.find_setting(ENABLE_DLEDGER)
    told = (
        f"{setting} is outside the model: a group of brokers with this key (here {members}) "
        "replicates by Raft, which elects a leader (DLedgerCommitLog, V-06)."
    )
    if not is_known_in(ENABLE_DLEDGER, broker.version):
        told += (
            f" The key exists {say_known(ENABLE_DLEDGER)}; RocketMQ {broker.version.release} would "
            "ignore it and run each broker in the role that its file has."
        )
    return told


def show_on_one_line(text: str) -> str:
    """Make control characters visible, so that no value or file name can break a line."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
