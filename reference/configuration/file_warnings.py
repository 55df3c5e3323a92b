"""What is odd in the settings of one file: each as a warning, and not more work than is worth it.

A key that no release reads is compared with all that are known, to find the one that was meant.
That takes a millisecond, so of a file with very many such keys the first are named and the rest is
counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from attrs import evolve

from reference.configuration import controller_keys
from reference.configuration.broker_group import (
    ConfigurationError,
    ConfigurationWarning,
    Setting,
    show_on_one_line,
)
from reference.configuration.influence import UNREAD, InfluenceKind, load_influences
from reference.configuration.java_properties import JavaProperty
from reference.configuration.key import Key, ValueKind
from reference.configuration.keys import (
    CLAMPED,
    KEYS,
    OUTSIDE_THE_MODEL,
    explain_refused_value,
    explain_unknown_key,
    find_similar_key,
)
from reference.configuration.later_keys import LATER_KEYS, LEFT_OUT, get_name_in
from reference.configuration.release_keys import find_key, get_keys, list_releases, trim
from reference.releases.start_rules import make_start_rules
from reference.releases.versions import Version

DECIDING_KEYS = (
    "brokerRole",
    "brokerId",
    "brokerName",
    "brokerClusterName",
    "flushDiskType",
    "transientStorePoolEnable",
    "slaveReadEnable",
    "offsetCheckInSlave",
)
"""The keys on which most of an answer depends."""

REFUSED_KEYS = ("brokerRole", "brokerId", "flushDiskType")
"""Keys of which a wrong value is always refused: with the default it would be another group."""

NAMED_MAX = 20
"""How many unknown keys of a file are named, and how many keys that are set twice."""

COMPARED_MAX = 200
"""How many unknown keys of a file are compared with the known ones."""

LISTED_MAX = 5
"""How many keys that no rule reads are listed."""

WITHOUT_RULES = ("NettyServerConfig", "NettyClientConfig", "AuthConfig")
"""Classes of which no key changes the log, a queue or a start: sockets, threads, permissions."""

TOLD_ELSEWHERE = frozenset({*LATER_KEYS, *LEFT_OUT, *OUTSIDE_THE_MODEL})
"""Keys of which another sentence says what the answer makes of them."""


def keep_last(
    file: str, entries: Iterable[JavaProperty]
) -> tuple[dict[str, JavaProperty], list[ConfigurationWarning]]:
    """The last entry of each key, in the order of the file, and those that are replaced."""
    last: dict[str, JavaProperty] = {}
    replaced: list[ConfigurationWarning] = []
    left = 0
    for entry in entries:
        earlier = last.pop(entry.key, None)
        last[entry.key] = entry
        if earlier and len(replaced) < NAMED_MAX:
            text = f"{entry.key} replaces its value of line {earlier.line}: the last one counts"
            replaced.append(ConfigurationWarning(text, file, entry.line))
        elif earlier:
            left += 1
    if left:
        text = f"and {left} more settings after it replace an earlier value of their key"
        replaced.append(evolve(replaced[-1], message=text))
    return last, replaced


def check_settings(
    file: str, entries: Mapping[str, JavaProperty], version: Version, *, is_strict: bool
) -> tuple[dict[str, Setting], list[ConfigurationWarning]]:
    """The settings as a broker of this version reads them, and what is odd in them.

    Keys that no release reads are left out.

    Raises:
        ConfigurationError: a value that a broker would not accept, of a key that decides which
            group it is, or with ``is_strict`` of any key.
    """
    known = get_keys(version.release)
    kept: dict[str, Setting] = {}
    warnings: list[ConfigurationWarning] = []
    unknown = _UnknownKeys(file, version)
    for name, entry in entries.items():
        key = known.get(name)
        if key is None:
            warnings += unknown.explain(entry)
        if list_releases(name):
            setting = Setting(name, entry.value, file, entry.line)
            found = _read(key, setting, version, warnings, is_strict=is_strict) if key else setting
            kept |= {name: found} if found else {}
    warnings += unknown.count()
    warnings += _list_without_rules(kept, version)
    return kept, warnings


class _UnknownKeys:
    """Explains keys that a release does not read, the first ones by name."""

    def __init__(self, file: str, version: Version) -> None:
        self.file = file
        self.version = version
        self.named = 0
        self.compared = 0
        self.left = 0
        self.first_left = 0

    def explain(self, entry: JavaProperty) -> Iterable[ConfigurationWarning]:
        """A warning if there is still room, or if the key decides about the answer."""
        if entry.key in controller_keys.OF_OTHERS:
            told = f"a broker ignores {entry.key}: {controller_keys.OF_OTHERS[entry.key]}"
            return (ConfigurationWarning(told, self.file, entry.line),)
        if list_releases(entry.key):
            return (self._explain_of_other_release(entry),)
        similar = None
        if self.compared < COMPARED_MAX:
            self.compared += 1
            similar = find_similar_key(entry.key, self.version)
        is_grave = similar in DECIDING_KEYS
        if self.named >= NAMED_MAX and not is_grave:
            self.first_left = self.first_left or entry.line
            self.left += 1
            return ()
        self.named += 1
        return (self._warn(entry, similar, is_grave=is_grave),)

    def _explain_of_other_release(self, entry: JavaProperty) -> ConfigurationWarning:
        """A key that an earlier release reads, or a later one, perhaps by another name."""
        if get_name_in(entry.key, self.version) != entry.key:
            return _explain_renamed(entry, self.file, self.version)
        return self._warn(entry, find_similar_key(entry.key, self.version))

    def _warn(
        self, entry: JavaProperty, similar: str | None, *, is_grave: bool = False
    ) -> ConfigurationWarning:
        told = explain_unknown_key(entry.key, self.version, similar)
        return ConfigurationWarning(told, self.file, entry.line, is_grave)

    def count(self) -> Iterator[ConfigurationWarning]:
        """One warning for all that were not named."""
        if self.left:
            told = f"and {self.left} more key{'s' * (self.left > 1)} that no release reads"
            if self.compared == COMPARED_MAX:
                told += (
                    f"; only the first {COMPARED_MAX} were compared with the keys that are known"
                )
            yield ConfigurationWarning(told, self.file, self.first_left)


def _explain_renamed(entry: JavaProperty, file: str, version: Version) -> ConfigurationWarning:
    """A size of files under the old name of its key: it decides whether a broker starts."""
    new = get_name_in(entry.key, version)
    default = KEYS[entry.key].default
    told = f"RocketMQ {version.release} does not know the key {entry.key} and ignores it"
    is_default = entry.value == str(default)
    if not is_default:
        is_refused = make_start_rules(version.release).is_other_length_refused
        told += f": its files have {default} bytes, and it does not "
        told += "start on a store whose files are" if is_refused else "read files"
        told += " of another length (MappedFileQueue#load)"
    return ConfigurationWarning(f"{told}; write {new}", file, entry.line, not is_default)


def _read(
    key: Key,
    setting: Setting,
    version: Version,
    warnings: list[ConfigurationWarning],
    *,
    is_strict: bool,
) -> Setting | None:
    """The setting as the setter takes it; None for a value that it refuses."""
    value = trim(key, setting.value, version.release)
    try:
        key.read(value)
    except ValueError as problem:
        refused = explain_refused_value(key, setting.value, version)
        advice = f"write {key.expected}, with nothing after it"
        if is_strict or key.name in REFUSED_KEYS:
            raise ConfigurationError(
                show_on_one_line(f"{setting.file}:{setting.line}: {refused}; {advice}")
            ) from problem
        warnings.append(warn(setting, f"{refused}; {advice}", is_grave=True))
        return evolve(setting, value="false") if key.kind is ValueKind.BOOLEAN else None
    if value != value.rstrip():
        warnings.append(warn(setting, f"trailing blanks are part of the value of {setting.key}"))
    warnings += _explain_effect(key, setting, version)
    return setting


def _explain_effect(key: Key, setting: Setting, version: Version) -> Iterator[ConfigurationWarning]:
    """What a broker makes of a value, or the model does not make of it."""
    value = key.read(trim(key, setting.value, version.release))
    if key.name in LEFT_OUT and value != key.default:
        told = f"{key.name}={setting.value}: the answer leaves this out: {LEFT_OUT[key.name]}"
        yield warn(setting, told, is_grave=True)
    if key.name in CLAMPED and isinstance(value, int):
        least, most = CLAMPED[key.name]
        if not least <= value <= most:
            used = min(max(value, least), most)
            told = f"RocketMQ {version.release} runs with {key.name}={used}, not {value}"
            yield warn(setting, f"{told} (MessageStoreConfig#getDiskMaxUsedSpaceRatio)")


def _list_without_rules(
    settings: Mapping[str, Setting], version: Version
) -> Iterator[ConfigurationWarning]:
    """One warning for all keys that the release reads and no rule of the model has."""
    found = [s for s in settings.values() if _is_without_rules(s, version)]
    if found:
        names = ", ".join(s.key for s in found[:LISTED_MAX])
        more = f" and {len(found) - LISTED_MAX} more" if len(found) > LISTED_MAX else ""
        told = f"RocketMQ {version.release} reads {names}{more}, and no rule of the model does"
        yield warn(
            found[0],
            f"{told}: what {'it' if len(found) == 1 else 'they'} may change is not in this answer",
        )


def _is_without_rules(setting: Setting, version: Version) -> bool:
    """The key has another value than by default, and nobody knows that this makes no difference."""
    key = find_key(setting.key, version.release)
    if key is None or key.name in TOLD_ELSEWHERE or key.owner in WITHOUT_RULES:
        return False
    value = key.read(trim(key, setting.value, version.release))
    influence = load_influences().get(key.name, UNREAD)
    is_open = influence.kind in (InfluenceKind.UNKNOWN, InfluenceKind.OUTSIDE)
    return value != key.default and is_open


def warn(setting: Setting, message: str, *, is_grave: bool = False) -> ConfigurationWarning:
    """A warning at the line of a setting."""
    return ConfigurationWarning(message, setting.file, setting.line, is_grave)
