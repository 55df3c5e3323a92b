"""Broker groups: what is outside the model, which behave the same, what the keys say."""

from __future__ import annotations

from pathlib import Path

import pytest

from brokers.configuration_files import read_deployments
from reference.configuration.keys import KEYS, Key, find_similar_key
from reference.configuration.later_keys import LATER_KEYS
from reference.releases.releases import CONTROLLER, QUORUM
from reference.releases.versions import Version
from tests.brokers.broker_files import (
    MASTER,
    SLAVE,
    STOCK,
    read_group,
)


@pytest.mark.parametrize(
    "line",
    [
        "duplicationEnable=true",
        "messageStorePlugIn=org.example.Store",
        "enableDLegerCommitLog=true",
        "inSyncReplicas=2",
        "haTransferBatchSize=4194293",
        "mapedFileSizeCommitLog=4194311",
    ],
)
def test_outside_the_model(tmp_path: Path, line: str) -> None:
    """One sentence with the setting and its place."""
    (sentence,) = read_group(tmp_path, a=MASTER + line).outside_the_model()
    assert sentence.startswith(f"{line} ({tmp_path}/a.properties:3) is outside the model: ")
    assert sentence.endswith(".")


@pytest.mark.parametrize(
    "lines",
    [
        "transientStorePoolEnable=false",
        "transientStorePoolEnable=true",
        "transientStorePoolEnable=true\nflushDiskType=SYNC_FLUSH",
        "duplicationEnable=false",
        "messageStorePlugIn=",
        "haMasterAddress=10.0.0.1:10912",
        "colour=red",
        "haSlaveFallbehindMax=1",
        "haTransferBatchSize=4194292",
        "mapedFileSizeCommitLog=4194312",
    ],
)
def test_inside_the_model(tmp_path: Path, lines: str) -> None:
    """Settings without effect on this broker, and settings that the model has."""
    assert () == read_group(tmp_path, a=MASTER + lines).outside_the_model()


def test_a_fixed_master_address_of_a_slave_is_outside_the_model(tmp_path: Path) -> None:
    """Nothing in the files says who answers at that address."""
    group = read_group(tmp_path, a=MASTER, b=SLAVE + "haMasterAddress=10.0.0.1:10912")
    assert "haMasterAddress=10.0.0.1:10912" in group.outside_the_model()[0]


def test_a_fixed_master_address_is_lost_in_5(tmp_path: Path) -> None:
    """A warning at the line, and no verdict; a controller sets the address again."""
    (tmp_path / "a.conf").write_text(MASTER)
    (tmp_path / "b.conf").write_text(SLAVE + "haMasterAddress=10.0.0.1:10912")
    (deployment,), warnings = read_deployments([tmp_path], Version("5.3.3"))
    assert "the slave never connects" in deployment.groups[0].outside_the_model()[0]
    assert [True] == ["the slave never connects" in str(w) for w in warnings]
    for version in (Version("4.9.8"), Version("5.3.3", CONTROLLER)):
        _, warnings = read_deployments([tmp_path], version)
        assert not any("never connects" in str(w) for w in warnings)


@pytest.mark.parametrize(("value", "is_inside"), [("1", False), ("2", True), ("3", False)])
def test_a_quorum_is_of_two(tmp_path: Path, value: str, is_inside: bool) -> None:
    """Asked for by name, a file with another number contradicts it."""
    (tmp_path / "a.conf").write_text(MASTER + f"inSyncReplicas={value}")
    (deployment,), _ = read_deployments([tmp_path], Version("5.3.3", QUORUM))
    assert is_inside is (() == deployment.groups[0].outside_the_model())


def test_sizes_of_a_slave_are_not_asked(tmp_path: Path) -> None:
    """It sends no frames and takes no puts."""
    sizes = "haTransferBatchSize=4194293\nmapedFileSizeCommitLog=4194311"
    assert () == read_group(tmp_path, a=MASTER, b=SLAVE + sizes).outside_the_model()


@pytest.mark.parametrize(
    "other",
    [
        MASTER.replace("broker-a", "broker-b"),
        MASTER + "brokerClusterName=other",
        MASTER + "brokerId=0\nlistenPort=20911\nnamesrvAddr=b:9876\nstorePathRootDir=/b",
        MASTER + "brokerIP1=10.0.0.2\nbrokerIP2=10.0.0.2",
        MASTER + "flushDiskType=ASYNC_FLUSH",
        MASTER + "haSlaveFallbehindMax=+268435456",
        MASTER + "colour=red",
    ],
)
def test_same_behaviour(tmp_path: Path, other: str) -> None:
    """Names, addresses, paths, defaults spelled out and ignored keys change nothing."""
    expected = read_group(tmp_path / "one", a=MASTER).same_behaviour_key()
    actual = read_group(tmp_path / "other", a=other).same_behaviour_key()
    assert expected == actual


def test_same_behaviour_with_other_slave_ids(tmp_path: Path) -> None:
    """Which of two slaves has which id does not matter."""
    lagging = SLAVE + "offsetCheckInSlave=true\n"
    one = read_group(tmp_path / "1", a=MASTER, b=SLAVE, c=lagging.replace("Id=1", "Id=2"))
    other = read_group(tmp_path / "2", a=MASTER, b=SLAVE.replace("Id=1", "Id=9"), c=lagging)
    assert one.same_behaviour_key() == other.same_behaviour_key()


@pytest.mark.parametrize(
    "texts",
    [
        {"a": MASTER.replace("SYNC_", "ASYNC_")},
        {"a": MASTER + "flushDiskType=SYNC_FLUSH"},
        {"a": MASTER + "haSlaveFallbehindMax=1"},
        {"a": MASTER + "inSyncReplicas=2"},
        {"a": MASTER, "b": SLAVE},
    ],
)
def test_other_behaviour(tmp_path: Path, texts: dict[str, str]) -> None:
    """Roles, sizes, slaves and keys that answers must mention make another group."""
    lone = read_group(tmp_path / "one", a=MASTER).same_behaviour_key()
    other = read_group(tmp_path / "other", **texts).same_behaviour_key()
    assert lone != other


def test_stock_groups_behave_the_same() -> None:
    """broker-a and broker-b of one stock folder differ in their names only, and hash alike."""
    deployments, _ = read_deployments([STOCK / "2m-2s-sync"])
    assert 1 == len({group.same_behaviour_key() for group in deployments[0].groups})


def test_later_keys_are_unknown_to_440() -> None:
    """No key is in both tables."""
    assert set() == set(KEYS) & set(LATER_KEYS)


@pytest.mark.parametrize("key", [key for key in KEYS.values() if key.default is not None])
def test_defaults_are_of_their_kind(key: Key) -> None:
    """Written into a file, each default is read back as itself."""
    assert key.default == key.read(str(key.default))


def test_a_later_key_is_no_misspelling() -> None:
    """Only renamed keys have a name in 4.4.0."""
    assert None is find_similar_key("inSyncReplicas")
