"""Brokers' configuration files and folders, read from disk or standard input."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from attrs import frozen

from reference.configuration.broker_group import (
    BrokerConfiguration,
    ConfigurationError,
    ConfigurationWarning,
    Deployment,
)
from reference.configuration.deployments import (
    build_deployments,
    interpret_broker,
    make_error,
    make_unknown_key_error,
)
from reference.configuration.java_properties import (
    JavaPropertiesError,
    JavaProperty,
    decode_properties,
    parse_properties,
)
from reference.configuration.keys import (
    BROKER_CONFIG,
    MESSAGE_STORE_CONFIG,
)
from reference.configuration.later_keys import (
    is_known_in,
)
from reference.releases.versions import USUAL_VERSION, Version

_SUFFIXES = (".conf", ".properties")

_NOT_A_BROKERS = "no key in this file is one that a RocketMQ 4.4.0 broker reads"

_BROKER_KEYS = frozenset(MESSAGE_STORE_CONFIG) | frozenset(BROKER_CONFIG)
"""Keys by which a broker's file is recognised."""

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
        raise make_error(
            "no configuration is given", "name a broker's file or a folder of such files"
        )
    warnings: list[ConfigurationWarning] = []
    brokers: dict[str, BrokerConfiguration | None] = {}
    problems: list[str] = []
    for path in map(Path, paths):
        try:
            reader = _FileReader(
                version, read_standard_input or sys.stdin.buffer.read, is_strict, warnings
            )
            _read_path(path, brokers, reader)
        except ConfigurationError as problem:
            problems += problem.problems
    if problems:
        raise ConfigurationError(*dict.fromkeys(problems))
    folders: dict[str, list[BrokerConfiguration]] = {}
    for broker in filter(None, brokers.values()):
        folders.setdefault(os.path.realpath(Path(broker.file).parent), []).append(broker)
    return build_deployments(folders), tuple(warnings)


COMMAND_LINE = "(command line)"
"""File name of settings that were given as options."""


def read_one_broker(
    path: Path | None, options: Mapping[str, str], version: Version = USUAL_VERSION
) -> tuple[BrokerConfiguration, tuple[ConfigurationWarning, ...]]:
    """One broker of a file, of options that win over it, or of both.

    Raises:
        ConfigurationError: the file cannot be read, or a value is one that 4.4.0 would ignore.
    """
    warnings: list[ConfigurationWarning] = []
    settings: dict[str, JavaProperty] = {}
    if path is not None:
        reader = _FileReader(version, sys.stdin.buffer.read, True, warnings)
        found = reader.read(path)
        if found is None:
            raise _nothing_found(path)
        settings = {one.key: JavaProperty(one.key, one.value, one.line) for one in found.settings}
    for key, value in options.items():
        if not is_known_in(key, version):
            raise make_unknown_key_error(key, version)
        settings[key] = JavaProperty(key, value, 0)
    name = str(path) if path is not None else COMMAND_LINE
    return interpret_broker(name, list(settings.values()), warnings, version), tuple(warnings)


@frozen
class _FileReader:
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
                text = decode_properties(self.read_standard_input())
                entries = parse_properties(text)
            else:
                entries = read_properties(file)
        except (OSError, JavaPropertiesError) as problem:
            raise _unreadable(file, problem) from problem
        _refuse_yaml(file, entries)
        if not entries:
            advice = "fill it, or remove it: a broker would run with defaults only"
            raise make_error("the file is empty except for blanks and comments", advice, str(file))
        if not any(entry.key in _BROKER_KEYS for entry in entries):
            text = f"{_NOT_A_BROKERS}; the file is skipped"
            self.warnings.append(ConfigurationWarning(text, str(file), entries[0].line))
            return None
        return interpret_broker(
            str(file), entries, self.warnings, self.version, is_strict=self.is_strict
        )


def _read_path(
    path: Path, brokers: dict[str, BrokerConfiguration | None], reader: _FileReader
) -> None:
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
        return find_properties_files(path)
    except OSError as problem:
        raise _unreadable(path, problem) from problem


def _unreadable(path: Path, problem: OSError | JavaPropertiesError) -> ConfigurationError:
    if isinstance(problem, JavaPropertiesError):
        advice = "write the file in the text format of java.util.Properties"
        return make_error(problem.problem, advice, str(path), problem.line)
    reason = problem.strerror or str(problem)
    return make_error(f"cannot be read ({reason})", "check the path and its permissions", str(path))


def _nothing_found(path: Path) -> ConfigurationError:
    is_folder = path.is_dir()
    manifest = next((f for f in sorted(path.iterdir()) if _is_yaml(f)), None) if is_folder else None
    if manifest is not None:
        return make_error("this is YAML, not a broker's file", _YAML_ADVICE, str(manifest))
    problem = "no broker's *.conf or *.properties in this folder" if is_folder else _NOT_A_BROKERS
    return make_error(problem, "name a broker's file or the folder that holds it", str(path))


def _refuse_yaml(file: Path, entries: Iterable[JavaProperty]) -> None:
    """Raises ConfigurationError for a Kubernetes manifest, whose lines may look like settings."""
    is_manifest = _MANIFEST_KEYS <= {entry.key for entry in entries}
    if is_manifest or _is_yaml(file):
        raise make_error("this is YAML, not a broker's file", _YAML_ADVICE, str(file))


def _is_yaml(file: Path) -> bool:
    return file.suffix in _YAML_SUFFIXES


def find_properties_files(path: Path) -> tuple[Path, ...]:
    """The file itself, or all ``*.conf`` and ``*.properties`` below a folder, in a fixed order.

    Raises:
        OSError: there is no such path, or a folder cannot be listed.
    """

    def refuse(problem: OSError) -> None:
        raise problem

    if not path.is_dir():
        path.stat()
        return (path,)
    found: list[Path] = []
    for folder, folders, names in os.walk(path, onerror=refuse):
        # os.walk descends into the folders in the order that this list has now.
        folders.sort()
        found += [Path(folder, name) for name in sorted(names) if name.endswith(_SUFFIXES)]
    return tuple(found)


def read_properties(file: Path) -> tuple[JavaProperty, ...]:
    """All entries of a file, see `decode_properties` and `parse_properties`.

    Raises:
        JavaPropertiesError: the file is not a properties text.
        OSError: the file cannot be read.
    """
    if file.exists() and not file.is_file():
        raise OSError(errno.EINVAL, "not a regular file")
    return parse_properties(decode_properties(file.read_bytes()))
