"""Brokers' settings, interpreted as RocketMQ does, and the groups that they make, checked.

A real broker silently drops a value that its setter refuses and runs with the default
(MixAll#properties2Object). So does the model, with a warning; of keys that decide which group it is
such a value is an error, because the answer would be about a group that its author did not mean.
"""

from __future__ import annotations

import itertools
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import evolve

from reference.configuration import controller_keys, java_properties
from reference.configuration.broker_group import (
    HA_LISTEN_PORT,
    HA_MASTER_ADDRESS,
    HOST_NAME,
    BrokerConfiguration,
    BrokerGroup,
    ConfigurationError,
    ConfigurationWarning,
    Deployment,
    Setting,
    show_on_one_line,
)
from reference.configuration.file_warnings import check_settings, keep_last, warn
from reference.configuration.java_properties import JavaProperty
from reference.configuration.key import Value
from reference.configuration.keys import (
    KEYS,
    LOST_ADDRESS,
    explain_unknown_key,
    find_similar_key,
)
from reference.configuration.later_keys import (
    CONTROLLER_ADDRESS,
    ENABLE_CONTROLLER,
    LATER_KEYS,
    is_controller_asked,
    is_known_in,
    is_raft_asked,
)
from reference.configuration.release_keys import get_keys, trim
from reference.releases.versions import USUAL_VERSION, Version
from reference.roles import FlushDiskType, Role

SAMPLE_FILE = "(embedded sample)"
"""File name of the settings of `sample_group`."""

_WHAT_IF = "(what if)"


def sample_group(version: Version = USUAL_VERSION) -> BrokerGroup:
    """The pair broker-a of the stock folder ``2m-2s-sync``: SYNC_MASTER with one slave."""
    common = (
        "brokerClusterName=DefaultCluster\nbrokerName=broker-a\ndeleteWhen=04\n"
        "fileReservedTime=48\nflushDiskType=ASYNC_FLUSH\n"
    )
    members = [
        interpret_broker(SAMPLE_FILE, java_properties.parse_properties(common + own), [], version)
        for own in ("brokerId=0\nbrokerRole=SYNC_MASTER\n", "brokerId=1\nbrokerRole=SLAVE\n")
    ]
    return _build_group(members, members)


def change_master(group: BrokerGroup, key: str, value: str) -> BrokerGroup:
    """The group as it would be if its master's file set this key to this value.

    If a controller elects its master, every file sets a key of which the elected broker's value
    counts.

    Raises:
        ConfigurationError: 4.4.0 does not know the key or would ignore the value, or the master
            would be a slave or of another group.
    """
    changed = evolve(group, master=_change(group.master, key, value))
    if changed.is_controlled and key in KEPT_IN_CONTROLLER_MODE:
        return evolve(changed, slaves=tuple(_change(s, key, value) for s in group.slaves))
    return changed


def change_slaves(group: BrokerGroup, key: str, value: str) -> BrokerGroup:
    """The group as it would be if the files of all its slaves set this key to this value.

    Without slaves, the group stays as it is.

    Raises:
        ConfigurationError: as `change_master`, or two slaves would have one ``brokerId``.
    """
    slaves = [_change(slave, key, value) for slave in group.slaves]
    return _build_group([group.master, *slaves], [group.master])


KEPT_IN_CONTROLLER_MODE = (
    ENABLE_CONTROLLER,
    CONTROLLER_ADDRESS,
    *controller_keys.SHARED_KEYS,
)
"""The keys that an assumed slave of a controller's group has like its master."""

ASSUMED_ALIKE = (
    "slaveReadEnable",
    "offsetCheckInSlave",
    "mapedFileSizeCommitLog",
    "mappedFileSizeCommitLog",
    "fileReservedTime",
    "haSendHeartbeatInterval",
    "haHousekeepingInterval",
    *KEPT_IN_CONTROLLER_MODE,
)
"""The keys that an assumed slave has like its master: how it is read, and what assumptions read."""

ASSUMED_FILE = "(assumed slave)"
"""File name of the settings of a slave whose file is not given."""


def assume_slaves(group: BrokerGroup, count: int) -> BrokerGroup:
    """The group with this number of slaves, which are set like their master.

    Raises:
        ConfigurationError: the master's file has a value that a slave would ignore.
    """
    names = {"brokerClusterName": group.cluster, "brokerName": group.broker_name}
    alike = {s.key: s.value for s in group.master.settings if s.key in ASSUMED_ALIKE}
    slaves = []
    for broker_id in range(1, count + 1):
        own = {**names, "brokerRole": Role.SLAVE.name, "brokerId": str(broker_id), **alike}
        entries = [JavaProperty(key, value, 0) for key, value in own.items()]
        slaves.append(interpret_broker(ASSUMED_FILE, entries, [], group.master.version))
    return evolve(group, slaves=tuple(slaves))


def _change(broker: BrokerConfiguration, key: str, value: str) -> BrokerConfiguration:
    if not is_known_in(key, broker.version):
        raise make_unknown_key_error(key, broker.version, _WHAT_IF)
    kept = [JavaProperty(s.key, s.value, s.line) for s in broker.settings if s.key != key]
    changed = interpret_broker(_WHAT_IF, [*kept, JavaProperty(key, value, 0)], [], broker.version)
    if broker.is_controlled:
        changed = evolve(changed, role=broker.role, broker_id=broker.broker_id)
    if (changed.role is Role.SLAVE) is not (broker.role is Role.SLAVE):
        was = "slave" if broker.role is Role.SLAVE else "master"
        problem = f"a {was} cannot be asked about as {changed.role.name}"
        raise make_error(problem, "choose another role", _WHAT_IF)
    if key in ("brokerName", "brokerClusterName"):
        raise make_error(f"{key} ties a group together", "choose another key", _WHAT_IF)
    return evolve(changed, file=broker.file)


def make_error(problem: str, advice: str, file: str = "", line: int = 0) -> ConfigurationError:
    """A problem at its place, and what to do about it, on one line."""
    place = f"{file}:{line}: " if line else f"{file}: " if file else ""
    return ConfigurationError(show_on_one_line(f"{place}{problem}; {advice}"))


def make_unknown_key_error(key: str, version: Version, file: str = "") -> ConfigurationError:
    """A key that the release does not know, with one that is spelled like it."""
    problem = explain_unknown_key(key, version, find_similar_key(key, version))
    return make_error(problem, "choose a key that it knows", file)


def _error_at(setting: Setting, problem: str, advice: str) -> ConfigurationError:
    return make_error(problem, advice, setting.file, setting.line)


def build_deployments(
    folders: Mapping[str, Sequence[BrokerConfiguration]],
) -> tuple[Deployment, ...]:
    """The deployments of some folders, by what tells these apart.

    Raises:
        ConfigurationError: brokers of a folder form no groups; with the problems of each folder.
    """
    homes = {folder: list(members) for folder, members in folders.items()}
    _bring_elected_together(homes)
    _bring_slaves_home(homes)
    built: list[Deployment] = []
    problems: list[str] = []
    for members in homes.values():
        try:
            built.append(_build_deployment(members))
        except ConfigurationError as problem:
            problems += problem.problems
    if problems:
        raise ConfigurationError(*problems)
    return tuple(built)


def _bring_elected_together(folders: dict[str, list[BrokerConfiguration]]) -> None:
    """Move brokers of one group, of which a controller elects the master, to its first folder."""
    homes: dict[tuple[str, str], str] = {}
    for folder, members in list(folders.items()):
        for broker in list(members):
            if broker.is_controlled and broker.find_setting("brokerName"):
                home = homes.setdefault((broker.cluster, broker.broker_name), folder)
                if home != folder:
                    members.remove(broker)
                    folders[home].append(broker)
        if not members:
            del folders[folder]


def _bring_slaves_home(folders: dict[str, list[BrokerConfiguration]]) -> None:
    """Move each slave without a master in its folder to the one folder that has its master."""
    homes: dict[tuple[str, str], list[str]] = {}
    for folder, members in folders.items():
        for broker in members:
            if broker.role is not Role.SLAVE and broker.find_setting("brokerName"):
                homes.setdefault((broker.cluster, broker.broker_name), []).append(folder)
    for folder, members in list(folders.items()):
        for broker in list(members):
            found = homes.get((broker.cluster, broker.broker_name), [])
            if broker.role is Role.SLAVE and len(found) == 1 and folder not in found:
                members.remove(broker)
                folders[found[0]].append(broker)
        if not members:
            del folders[folder]


def interpret_broker(
    file: str,
    entries: Iterable[JavaProperty],
    warnings: list[ConfigurationWarning],
    version: Version,
    *,
    is_strict: bool = True,
) -> BrokerConfiguration:
    """The broker of a file's entries; what it ignores is added to the warnings.

    Raises:
        ConfigurationError: a value that decides about the group would be ignored, or all that would
            be if ``is_strict``.
    """
    last, replaced = keep_last(file, entries)
    settings, odd = check_settings(file, last, version, is_strict=is_strict)
    broker = _build_broker(file, settings, version)
    warnings += [*replaced, *odd, *_check_broker(broker)]
    return broker


def _build_broker(
    file: str, settings: Mapping[str, Setting], version: Version
) -> BrokerConfiguration:
    def read(name: str) -> Value:
        key = get_keys(version.release)[name]
        setting = settings.get(name)
        return key.read(trim(key, setting.value, version.release)) if setting else key.default

    role = Role(read("brokerRole"))
    return BrokerConfiguration(
        cluster=str(read("brokerClusterName")),
        broker_name=str(read("brokerName") if "brokerName" in settings else HOST_NAME),
        broker_id=int(read("brokerId") or 0) if role is Role.SLAVE else 0,
        role=role,
        flush_disk_type=FlushDiskType(read("flushDiskType")),
        settings=tuple(settings.values()),
        file=file,
        version=version,
    )


def _check_broker(broker: BrokerConfiguration) -> Iterator[ConfigurationWarning]:
    """Settings that BrokerStartup#createBrokerController refuses or overrides after reading."""
    release = f"RocketMQ {broker.version.release}"
    own_id = broker.find_setting("brokerId")
    yield from _check_controller(broker)
    if broker.role is Role.SLAVE and broker.broker_id <= 0 and not broker.is_controlled:
        raise _error_at(
            own_id or broker.telling_setting,
            f"a slave has brokerId={broker.broker_id}: {release} would exit with code -3",
            _advise([broker], "set brokerId=1 or more"),
        )
    is_master = broker.role is not Role.SLAVE and not broker.is_controlled
    if own_id and is_master and KEYS["brokerId"].read(own_id.value) != 0:
        yield warn(
            own_id,
            f"{release} forces brokerId to 0, because this is a master",
        )
    port = broker.find_setting(HA_LISTEN_PORT)
    if port and not broker.has_own_ha_port:
        in_force = f"listenPort + 1 = {broker.get(HA_LISTEN_PORT)}"
        yield warn(port, f"{release} overwrites haListenPort with {in_force}")
    address = broker.find_setting(HA_MASTER_ADDRESS)
    if address and broker.has_lost_address:
        yield warn(address, f"{address.key}: {LOST_ADDRESS}")


def _advise(brokers: Iterable[BrokerConfiguration], usual: str) -> str:
    """What to do about roles or ids that contradict each other: a controller gives both."""
    if any(is_controller_asked(broker.values) for broker in brokers):
        since = LATER_KEYS[ENABLE_CONTROLLER].release
        return f"if it runs {since} or later, with a controller, add --rocketmq-version RELEASE"
    return usual


def _check_controller(broker: BrokerConfiguration) -> Iterator[ConfigurationWarning]:
    """Keys about the controller that contradict each other."""
    for key, problem in controller_keys.explain_contradictions(
        broker.values, broker.version, is_controlled=broker.is_controlled
    ):
        setting = broker.find_setting(key) or broker.telling_setting
        yield warn(setting, problem, is_grave=True)


def _build_deployment(brokers: Sequence[BrokerConfiguration]) -> Deployment:
    nameless = [broker for broker in brokers if not broker.find_setting("brokerName")]
    if nameless and len(brokers) > 1:
        raise _error_at(
            nameless[0].telling_setting,
            "without brokerName a broker is named after its host, so no slave matches its master",
            "set brokerName in every file of this folder",
        )
    members: dict[tuple[str, str], list[BrokerConfiguration]] = {}
    for broker in brokers:
        members.setdefault((broker.cluster, broker.broker_name), []).append(broker)
    groups = tuple(_build_group(members[name], brokers) for name in sorted(members))
    return Deployment(posixpath.dirname(brokers[0].file) or ".", groups)


def _build_group(
    members: Sequence[BrokerConfiguration], neighbours: Sequence[BrokerConfiguration]
) -> BrokerGroup:
    is_raft = any(is_raft_asked(broker.values) for broker in members)
    if is_raft or any(broker.is_controlled for broker in members):
        return _build_elected_group(members)
    masters = [broker for broker in members if broker.role is not Role.SLAVE]
    slaves = [broker for broker in members if broker.role is Role.SLAVE]
    slaves.sort(key=lambda slave: slave.broker_id)
    if not masters:
        raise _no_master(slaves[0], neighbours)
    if len(masters) > 1:
        raise _error_at(
            masters[1].telling_setting,
            f"a second master of {masters[1].title}, after {masters[0].file}",
            _advise(members, "set brokerRole=SLAVE and a brokerId, or another brokerName"),
        )
    for first, second in itertools.pairwise(slaves):
        if first.broker_id == second.broker_id:
            raise _error_at(
                second.find_setting("brokerId") or second.telling_setting,
                f"a second slave of {second.title} with brokerId={second.broker_id}, after "
                f"{first.file}: a name server keeps only the last one that registers",
                "give each slave a brokerId of its own",
            )
    return BrokerGroup(masters[0].cluster, masters[0].broker_name, masters[0], tuple(slaves))


def _build_elected_group(members: Sequence[BrokerConfiguration]) -> BrokerGroup:
    """A group whose master a controller elects, or Raft: the first broker of the files.

    A broker that its file makes a master comes first, then the order is that of the files' names.
    The controller gives ids; the first one is 1 (MixAll#FIRST_BROKER_CONTROLLER_ID).
    """
    ordered = sorted(members, key=lambda broker: (broker.role is Role.SLAVE, broker.file))
    is_controlled = any(broker.is_controlled for broker in members)
    role = Role.SYNC_MASTER if is_controlled else Role.ASYNC_MASTER
    first, *others = (
        evolve(broker, role=Role.SLAVE if i else role, broker_id=i)
        for i, broker in enumerate(ordered)
    )
    return BrokerGroup(first.cluster, first.broker_name, first, tuple(others))


def _no_master(
    slave: BrokerConfiguration, neighbours: Sequence[BrokerConfiguration]
) -> ConfigurationError:
    masters = sorted(broker.title for broker in neighbours if broker.role is not Role.SLAVE)
    problem = f"a slave of {slave.title}, which has no master in this folder"
    found = f" (masters: {', '.join(masters) or 'none'})"
    usual = "put the master's file beside it, with the same brokerName and brokerClusterName"
    advice = _advise([slave], usual)
    return _error_at(slave.telling_setting, problem + found, advice)
