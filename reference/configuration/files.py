"""Brokers' configuration files, read as RocketMQ reads them, but checked.

A real broker silently drops a value that its setter refuses and runs with the default
(MixAll#properties2Object). So does the model, with a warning; of keys that decide which group it is
such a value is an error, because the answer would be about a group that its author did not mean.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from attrs import evolve, frozen

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
    FlushDiskType,
    Role,
    Setting,
    show_on_one_line,
)
from reference.configuration.file_warnings import check_settings, keep_last, warn
from reference.configuration.java_properties import Entry, JavaPropertiesError
from reference.configuration.key import Value
from reference.configuration.keys import (
    BROKER_CONFIG,
    KEYS,
    LOST_ADDRESS,
    MESSAGE_STORE_CONFIG,
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

_NOT_A_BROKERS = "no key in this file is one that a RocketMQ 4.4.0 broker reads"

_BROKERS = frozenset(MESSAGE_STORE_CONFIG) | frozenset(BROKER_CONFIG)
"""Keys by which a broker's file is recognised."""

SAMPLE_FILE = "(embedded sample)"
"""File name of the settings of `sample_group`."""

_WHAT_IF = "(what if)"

STANDARD_INPUT = Path("-")
"""Means standard input among paths."""

STANDARD_INPUT_NAME = "(standard input)"
"""File name of settings that were read from standard input."""

_YAML_SUFFIXES = (".yaml", ".yml")
_YAML_ADVICE = "write the broker.conf that it holds, lines of KEY=VALUE, to a file and name that"
_MANIFEST_KEYS = {"apiVersion", "kind"}


def read_deployments(
    paths: Sequence[str | Path],
    version: Version = USUAL_VERSION,
    read_standard_input: Callable[[], bytes] | None = None,
    *,
    is_strict: bool = False,
) -> tuple[tuple[Deployment, ...], tuple[ConfigurationWarning, ...]]:
    """Read files, and folders recursively for ``*.conf`` and ``*.properties``; ``-`` is one file.

    Each folder with a broker's file is one deployment; a file reached twice counts once. A slave
    whose master's file lies in another folder belongs to that folder. ``version`` is what the
    brokers run. A value that a broker would ignore is a warning, with ``is_strict`` an error.

    Raises:
        ConfigurationError: nothing to read, an unreadable file, a value that is refused, or brokers
            that do not form groups of one master and slaves with distinct ids; with the problems
            of every file.
    """
    if not paths:
        raise _error("no configuration is given", "name a broker's file or a folder of such files")
    warnings: list[ConfigurationWarning] = []
    brokers: dict[str, BrokerConfiguration | None] = {}
    problems: list[str] = []
    for path in map(Path, paths):
        try:
            reader = _Reader(
                version, read_standard_input or sys.stdin.buffer.read, is_strict, warnings
            )
            _read_path(path, brokers, reader)
        except ConfigurationError as problem:
            problems += problem.problems
    if problems:
        raise ConfigurationError(*dict.fromkeys(problems))
    return _build_deployments(list(filter(None, brokers.values()))), tuple(warnings)


def sample_group(version: Version = USUAL_VERSION) -> BrokerGroup:
    """The pair broker-a of the stock folder ``2m-2s-sync``: SYNC_MASTER with one slave."""
    common = (
        "brokerClusterName=DefaultCluster\nbrokerName=broker-a\ndeleteWhen=04\n"
        "fileReservedTime=48\nflushDiskType=ASYNC_FLUSH\n"
    )
    members = [
        _interpret(SAMPLE_FILE, java_properties.parse_properties(common + own), [], version)
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


COMMAND_LINE = "(command line)"
"""File name of settings that were given as options."""


def read_one_broker(
    path: Path | None, told: Mapping[str, str], version: Version = USUAL_VERSION
) -> tuple[BrokerConfiguration, tuple[ConfigurationWarning, ...]]:
    """One broker of a file, of options that win over it, or of both.

    Raises:
        ConfigurationError: the file cannot be read, or a value is one that 4.4.0 would ignore.
    """
    warnings: list[ConfigurationWarning] = []
    settings: dict[str, Entry] = {}
    if path is not None:
        reader = _Reader(version, sys.stdin.buffer.read, True, warnings)
        found = reader.read(path)
        if found is None:
            raise _nothing_found(path)
        settings = {one.key: Entry(one.key, one.value, one.line) for one in found.settings}
    for key, value in told.items():
        if not is_known_in(key, version):
            raise _unknown(key, version)
        settings[key] = Entry(key, value, 0)
    name = str(path) if path is not None else COMMAND_LINE
    return _interpret(name, list(settings.values()), warnings, version), tuple(warnings)


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
        entries = [Entry(key, value, 0) for key, value in own.items()]
        slaves.append(_interpret(ASSUMED_FILE, entries, [], group.master.version))
    return evolve(group, slaves=tuple(slaves))


def _change(broker: BrokerConfiguration, key: str, value: str) -> BrokerConfiguration:
    if not is_known_in(key, broker.version):
        raise _unknown(key, broker.version, _WHAT_IF)
    kept = [Entry(s.key, s.value, s.line) for s in broker.settings if s.key != key]
    changed = _interpret(_WHAT_IF, [*kept, Entry(key, value, 0)], [], broker.version)
    if broker.is_controlled:
        changed = evolve(changed, role=broker.role, broker_id=broker.broker_id)
    if (changed.role is Role.SLAVE) is not (broker.role is Role.SLAVE):
        was = "slave" if broker.role is Role.SLAVE else "master"
        problem = f"a {was} cannot be asked about as {changed.role.name}"
        raise _error(problem, "choose another role", _WHAT_IF)
    if key in ("brokerName", "brokerClusterName"):
        raise _error(f"{key} ties a group together", "choose another key", _WHAT_IF)
    return evolve(changed, file=broker.file)


def _error(problem: str, advice: str, file: str = "", line: int = 0) -> ConfigurationError:
    place = f"{file}:{line}: " if line else f"{file}: " if file else ""
    return ConfigurationError(show_on_one_line(f"{place}{problem}; {advice}"))


def _unknown(key: str, version: Version, file: str = "") -> ConfigurationError:
    problem = explain_unknown_key(key, version, find_similar_key(key, version))
    return _error(problem, "choose a key that it knows", file)


def _error_at(setting: Setting, problem: str, advice: str) -> ConfigurationError:
    return _error(problem, advice, setting.file, setting.line)


@frozen
class _Reader:
    """Reads one file after the other."""

    version: Version
    read_standard_input: Callable[[], bytes]
    is_strict: bool
    warnings: list[ConfigurationWarning]

    def read(self, file: Path) -> BrokerConfiguration | None:
        """The broker of a file; None for a file that is no broker's. Raises ConfigurationError."""
        try:
            if file == STANDARD_INPUT:
                file = Path(STANDARD_INPUT_NAME)
                text = java_properties.decode_properties(self.read_standard_input())
                entries = java_properties.parse_properties(text)
            else:
                entries = java_properties.read_properties(file)
        except (OSError, JavaPropertiesError) as problem:
            raise _unreadable(file, problem) from problem
        _refuse_yaml(file, entries)
        if not entries:
            advice = "fill it, or remove it: a broker would run with defaults only"
            raise _error("the file is empty except for blanks and comments", advice, str(file))
        if not any(entry.key in _BROKERS for entry in entries):
            text = f"{_NOT_A_BROKERS}; the file is skipped"
            self.warnings.append(ConfigurationWarning(text, str(file), entries[0].line))
            return None
        return _interpret(str(file), entries, self.warnings, self.version, is_strict=self.is_strict)


def _read_path(path: Path, brokers: dict[str, BrokerConfiguration | None], reader: _Reader) -> None:
    """Add the brokers of a path. Raises ConfigurationError with the problems of all its files."""
    files = {os.path.realpath(file): file for file in _find_files(path)}
    problems: list[str] = []
    for identity, file in files.items():
        try:
            if identity not in brokers:
                brokers[identity] = reader.read(file)
        except ConfigurationError as problem:
            brokers[identity] = None
            problems += problem.problems
    if problems:
        raise ConfigurationError(*problems)
    if not any(brokers[identity] for identity in files):
        raise _nothing_found(path)


def _find_files(path: Path) -> tuple[Path, ...]:
    """The files of a path. Raises ConfigurationError."""
    if path == STANDARD_INPUT:
        return (path,)
    try:
        return java_properties.find_properties_files(path)
    except OSError as problem:
        raise _unreadable(path, problem) from problem


def _build_deployments(brokers: Sequence[BrokerConfiguration]) -> tuple[Deployment, ...]:
    """The deployments of all folders. Raises ConfigurationError with the problems of each."""
    folders: dict[str, list[BrokerConfiguration]] = {}
    for broker in brokers:
        folders.setdefault(os.path.realpath(Path(broker.file).parent), []).append(broker)
    _bring_elected_together(folders)
    _bring_slaves_home(folders)
    built: list[Deployment] = []
    problems: list[str] = []
    for members in folders.values():
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


def _unreadable(path: Path, problem: OSError | JavaPropertiesError) -> ConfigurationError:
    if isinstance(problem, JavaPropertiesError):
        advice = "write the file in the text format of java.util.Properties"
        return _error(problem.problem, advice, str(path), problem.line)
    reason = problem.strerror or str(problem)
    return _error(f"cannot be read ({reason})", "check the path and its permissions", str(path))


def _nothing_found(path: Path) -> ConfigurationError:
    is_folder = path.is_dir()
    manifest = next((f for f in sorted(path.iterdir()) if _is_yaml(f)), None) if is_folder else None
    if manifest is not None:
        return _error("this is YAML, not a broker's file", _YAML_ADVICE, str(manifest))
    problem = "no broker's *.conf or *.properties in this folder" if is_folder else _NOT_A_BROKERS
    return _error(problem, "name a broker's file or the folder that holds it", str(path))


def _refuse_yaml(file: Path, entries: Iterable[Entry]) -> None:
    """Raises ConfigurationError for a Kubernetes manifest, whose lines may look like settings."""
    is_manifest = _MANIFEST_KEYS <= {entry.key for entry in entries}
    if is_manifest or _is_yaml(file):
        raise _error("this is YAML, not a broker's file", _YAML_ADVICE, str(file))


def _is_yaml(file: Path) -> bool:
    return file.suffix in _YAML_SUFFIXES


def _interpret(
    file: str,
    entries: Iterable[Entry],
    warnings: list[ConfigurationWarning],
    version: Version,
    *,
    is_strict: bool = True,
) -> BrokerConfiguration:
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
    for key, told in controller_keys.explain_contradictions(
        broker.values, broker.version, is_controlled=broker.is_controlled
    ):
        setting = broker.find_setting(key) or broker.telling_setting
        yield warn(setting, told, is_grave=True)


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
    return Deployment(str(Path(brokers[0].file).parent), groups)


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
