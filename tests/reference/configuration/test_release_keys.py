"""The keys of every release: complete, consistent, and in force in every broker of a group."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from brokers.configuration_files import read_deployments
from properties.scenarios.analysis.log import compute_parameters, compute_structure
from reference.configuration.broker_group import BrokerConfiguration
from reference.configuration.controller_keys import CONTROLLER_KEYS, OF_OTHERS
from reference.configuration.key import ValueKind
from reference.configuration.keys import BROKER_CONFIG, IDENTITY_KEYS, KEYS, MESSAGE_STORE_CONFIG
from reference.configuration.later_keys import LATER_KEYS, LEFT_OUT, NAMES_IN_440, get_name_in
from reference.configuration.release_keys import (
    DATA,
    find_key,
    get_keys,
    is_source_read,
    list_releases,
    load_release_keys,
    say_known,
)
from reference.releases.releases import ALL_RELEASES, RELEASES, get_modes, is_since
from reference.releases.versions import Version, list_versions
from tests.brokers.broker_files import MASTER, SLAVE, write
from tests.reference.configuration.random_files import draw_pair

in_each_release = pytest.mark.parametrize("release", ALL_RELEASES)


def test_every_release_has_an_entry() -> None:
    """And no other does; the source of all but the last four was read as it was published."""
    assert list(ALL_RELEASES) == list(load_release_keys())
    assert ["5.3.4", "5.4.0", "5.5.0", "5.5.1"] == [
        r for r in ALL_RELEASES if not is_source_read(r)
    ]


def test_every_source_that_was_read_has_its_classes() -> None:
    """The four of 4.4.0, named by the blob that was read; later ones when they come or change."""
    table = json.loads(DATA.read_text(encoding="utf-8"))
    classes: set[str] = set()
    for release, entry in table.items():
        assert all(len(blob) == 40 for blob in entry["files"].values())
        assert bool(entry["source"]) == (release not in ("5.4.0", "5.5.0", "5.5.1"))
        classes |= set(entry["files"])
        if entry["source"]:
            assert {k.owner for k in get_keys(release).values() if k.owner} == classes
    assert len(table["4.4.0"]["files"]) == 4
    assert {"BrokerIdentity", "AuthConfig"} == classes - set(table["4.4.0"]["files"])


@pytest.mark.parametrize(
    ("release", "setters"),
    [("4.4.0", 157), ("4.9.8", 185), ("5.1.4", 363), ("5.3.2", 436), ("5.3.3", 442)],
)
def test_as_many_keys_as_setters(release: str, setters: int) -> None:
    """Counted at the tags; two more keys are read beside the objects."""
    assert setters + 2 == len(get_keys(release))


def test_the_keys_of_440_are_those_of_its_classes() -> None:
    """Those that make up a broker's file are found by the class that has them."""
    assert (62, 72) == (len(MESSAGE_STORE_CONFIG), len(BROKER_CONFIG))
    assert set(KEYS) >= IDENTITY_KEYS


@in_each_release
def test_defaults_are_of_their_kind(release: str) -> None:
    """Written into a file, each default is read back as itself."""
    for name, key in get_keys(release).items():
        assert name == key.name
        assert bool(key.choices) == (key.kind is ValueKind.CHOICE)
        if key.default is not None:
            assert key.default == key.read(str(key.default)), key


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("enableDLegerCommitLog", "since 4.5.0"),
        ("mapedFileSizeCommitLog", "until 4.5.1"),
        ("mappedFileSizeCommitLog", "since 4.5.2"),
        ("haSlaveFallbehindMax", "until 4.9.8"),
        ("configBlackList", "in 4.9.8, and since 5.2.0"),
        ("memTableFlushInterval", "in 5.1.4"),
        ("batchWriteKvCqSize", "in 5.3.1"),
        ("enableTransparentRetry", "from 5.2.0 to 5.3.1"),
        ("brokerRole", "since 4.4.0"),
        ("colour", ""),
    ],
)
def test_which_releases_know_a_key(name: str, known: str) -> None:
    """In words for an operator."""
    assert known == say_known(name)


def test_what_the_model_makes_of_keys_is_about_keys_that_exist() -> None:
    """Each is read by some release, and not by 4.4.0; renamed ones are another key there."""
    later = {*LATER_KEYS, *LEFT_OUT, *CONTROLLER_KEYS, *NAMES_IN_440}
    assert all(list_releases(name) for name in later)
    assert set() == later & set(KEYS)
    assert set() == set(LATER_KEYS) & set(LEFT_OUT)
    assert set(NAMES_IN_440.values()) <= set(KEYS)
    assert not any(list_releases(name) for name in OF_OTHERS)


@pytest.mark.parametrize("name", CONTROLLER_KEYS)
def test_keys_about_the_controller_are_those_of_the_source(name: str) -> None:
    """Of the same kind, with the same default, in every release that reads them."""
    told = CONTROLLER_KEYS[name].key
    for release in list_releases(name):
        found = find_key(name, release)
        assert found is not None
        assert (told.kind, told.default or None) == (found.kind, found.default or None), release


NUMBERS = {
    "haSendHeartbeatInterval": (5000, "4.4.0"),
    "haHousekeepingInterval": (20_000, "4.4.0"),
    "syncFlushTimeout": (5000, "4.4.0"),
    "slaveTimeout": (3000, "4.9.3"),
    "mapedFileSizeCommitLog": (1024**3, "4.4.0"),
    "haTransferBatchSize": (32_768, "4.4.0"),
}
"""Keys on which timing and sizes rest, with their default and first release."""


def read_members(folder: Path, version: Version, lines: str = "") -> list[BrokerConfiguration]:
    """The master and the slave of a group whose files have the same further lines."""
    write(folder, a=MASTER + lines, b=SLAVE + lines)
    (deployment,), _ = read_deployments([folder], version)
    (group,) = deployment.groups
    return [group.master, *group.slaves]


@pytest.mark.parametrize("version", list_versions(), ids=lambda version: version.name)
def test_numbers_are_in_force_on_every_broker(version: Version, tmp_path: Path) -> None:
    """The release's default, or what the file of this broker says under the release's name."""
    lines = "".join(f"{get_name_in(key, version)}=4321\n" for key in NUMBERS)
    for broker in read_members(tmp_path / "default", version):
        for key, (default, first) in NUMBERS.items():
            if is_since(version.release, first):
                assert default == broker.get_number(key)
            else:
                with pytest.raises(KeyError):
                    broker.get(key)
    for broker in read_members(tmp_path / "set", version, lines):
        known = [key for key, (_, first) in NUMBERS.items() if is_since(version.release, first)]
        assert {4321} == {broker.get_number(key) for key in known}


@pytest.mark.parametrize(
    ("release", "line", "key", "value"),
    [
        ("4.9.0", "", "flushCommitLogTimed", False),
        ("4.9.1", "", "flushCommitLogTimed", True),
        ("5.0.0", "haSlaveFallbehindMax=5", "haSlaveFallbehindMax", 256 * 1024 * 1024),
        ("4.5.2", "mapedFileSizeCommitLog=4096", "mapedFileSizeCommitLog", 1024**3),
        ("4.4.0", "diskMaxUsedSpaceRatio=99", "diskMaxUsedSpaceRatio", 95),
        ("5.3.3", "diskMaxUsedSpaceRatio=1", "diskMaxUsedSpaceRatio", 10),
        ("5.1.0", "haListenPort=5", "haListenPort", 10_912),
        ("5.1.1", "haListenPort=5", "haListenPort", 5),
        ("5.1.1", "haListenPort=0", "haListenPort", 10_912),
        ("5.2.0", "deleteWhen=05  ", "deleteWhen", "05"),
        ("5.1.4", "deleteWhen=05  ", "deleteWhen", "05  "),
        ("4.4.0", "cleanResourceInterval=1024 * 1024", "cleanResourceInterval", 10_000),
        ("4.4.0", "slaveReadEnable=yes", "slaveReadEnable", False),
    ],
)
def test_value_in_force_by_release(
    release: str, line: str, key: str, value: object, tmp_path: Path
) -> None:
    """Defaults, names, ranges and blanks are those of the release."""
    for broker in read_members(tmp_path, Version(release), line):
        assert value == broker.get(key)


@pytest.mark.parametrize("release", RELEASES)
def test_random_valid_files_are_read(release: str, tmp_path: Path) -> None:
    """Whatever a release reads is known, in every mode, and leads to an answer."""
    for number, mode in enumerate(get_modes(release)):
        seed = 1000 * ALL_RELEASES.index(release) + number
        print(f"seed {seed}")
        drawn = draw_pair(tmp_path / str(seed), release, seed)
        (deployment,), warnings = read_deployments([tmp_path / str(seed)], Version(release, mode))
        unknown = [w.message for w in warnings if "know" in w.message and "ignores" in w.message]
        assert [] == unknown, f"seed {seed}: {drawn}"
        for group in deployment.groups:
            assert compute_structure(group), seed
            assert compute_parameters(group), seed
            assert group.same_behaviour_key() == group.same_behaviour_key()
            assert all(text.endswith(".") for text in group.outside_the_model()), seed
            for broker in (group.master, *group.slaves):
                assert broker.list_values_in_force(), seed
