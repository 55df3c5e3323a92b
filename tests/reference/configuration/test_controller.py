"""Brokers with a controller: any may be elected, and keys that contradict each other are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from brokers.configuration_files import read_deployments
from properties.scenarios.analysis.log import compute_structure
from reference.configuration.broker_group import BrokerGroup, ConfigurationError
from reference.configuration.controller_keys import CONTROLLER_KEYS, OF_OTHERS
from reference.configuration.deployments import change_master
from reference.configuration.keys import KEYS
from reference.configuration.later_keys import LATER_KEYS
from reference.releases.releases import CONTROLLER
from reference.releases.versions import Version
from reference.roles import Role
from tests.brokers.broker_files import STOCK_CONTROLLER, write

LATEST = Version("5.3.3")
BROKER = (
    "brokerName=a\nbrokerRole=SLAVE\nbrokerId=-1\nenableControllerMode=true\n"
    "controllerAddr=127.0.0.1:9878\n"
)
"""What the stock files of 5.3.3 have, without allAckInSyncStateSet."""
ALL = BROKER + "allAckInSyncStateSet=true\n"


def read(folder: Path, version: Version = LATEST, **texts: str) -> tuple[BrokerGroup, list[str]]:
    """The only group of these files, and the warnings without their places."""
    deployments, warnings = read_deployments([write(folder, **texts)], version)
    (deployment,) = deployments
    (group,) = deployment.groups
    return group, [warning.message for warning in warnings]


def test_the_stock_files_are_one_group() -> None:
    """Two brokers that both say SLAVE, with brokerId=-1: the first one is taken as elected."""
    (deployment,), warnings = read_deployments([STOCK_CONTROLLER], LATEST)
    (group,) = deployment.groups
    assert () == warnings
    assert () == group.outside_the_model()
    assert (Role.SYNC_MASTER, 0) == (group.master.role, group.master.broker_id)
    assert [(Role.SLAVE, 1)] == [(s.role, s.broker_id) for s in group.slaves]
    assert "SYNC_MASTER/ASYNC_FLUSH/1 slave at 5.0.0-controller" == compute_structure(group).name


def test_brokers_of_a_group_may_lie_in_folders_of_their_own(tmp_path: Path) -> None:
    """As where each folder is one broker's conf."""
    write(tmp_path / "n0", broker=ALL)
    write(tmp_path / "n1", broker=ALL)
    (deployment,), _ = read_deployments([tmp_path], LATEST)
    assert 1 == len(deployment.groups[0].slaves)


def test_before_5_the_advice_is_to_name_the_release() -> None:
    """Without a release it is 4.4.0, which knows no controller."""
    with pytest.raises(ConfigurationError, match="with a controller, add --rocketmq-version"):
        read_deployments([STOCK_CONTROLLER])


def test_ignored_keys_are_told_in_one_sentence(tmp_path: Path) -> None:
    """A release below 5.0.0 ignores them all."""
    text = ALL.replace("brokerRole=SLAVE", "brokerRole=SYNC_MASTER")
    group, _ = read(tmp_path, Version("4.9.8"), a=text)
    (told,) = group.outside_the_model()
    assert "and so are controllerAddr, allAckInSyncStateSet: RocketMQ 4.9.8 ignores" in told
    assert told.endswith("add --rocketmq-version 5.0.0 or later.")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("allAckInSyncStateSet=true", "at 5.0.0-controller"),
        ("", "at 5.0.0-controller with ack_by_master_alone"),
        (
            "allAckInSyncStateSet=true\nminInSyncReplicas=2",
            "at 5.0.0-controller with two_in_sync",
        ),
        ("allAckInSyncStateSet=true\ninSyncReplicas=3\ntotalReplicas=3", "at 5.0.0-controller"),
        ("allAckInSyncStateSet=true\nhaMaxTimeSlaveNotCatchup=1", "at 5.0.0-controller"),
    ],
)
def test_keys_decide_the_rules(tmp_path: Path, lines: str, expected: str) -> None:
    """Those that decide something, and those of which the table says that they decide nothing."""
    group, _ = read(tmp_path, a=BROKER + lines, b=BROKER + lines)
    assert () == group.outside_the_model()
    assert f"SYNC_MASTER/ASYNC_FLUSH/1 slave {expected}" == compute_structure(group).name


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (
            ALL,
            ALL + "flushDiskType=SYNC_FLUSH",
            "flushDiskType is ASYNC_FLUSH and SYNC_FLUSH in files",
        ),
        (ALL, BROKER, "allAckInSyncStateSet is false and true in files of one group"),
        (ALL, "brokerName=a\nbrokerRole=SLAVE\nbrokerId=1\n", "in some files of the group only"),
        (*[ALL + "minInSyncReplicas=3"] * 2, "with 2 brokers: every put that waits is refused"),
        (*[BROKER + "minInSyncReplicas=2"] * 2, "is outside the model, which has 1, and 2 with"),
        (*[BROKER + "inSyncReplicas=2"] * 2, "set allAckInSyncStateSet=true instead"),
        (*[ALL + "syncFromLastFile=true"] * 2, "lets a new slave begin at the last file"),
    ],
)
def test_what_is_outside_the_model(tmp_path: Path, first: str, second: str, told: str) -> None:
    """One clear sentence."""
    group, _ = read(tmp_path, a=first, b=second)
    assert any(told in sentence for sentence in group.outside_the_model())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (ALL.replace("controllerAddr", "#"), "without controllerAddr the broker finds no"),
        (ALL + "enableDLegerCommitLog=true", "would exit with code -4"),
        ("brokerName=a\nallAckInSyncStateSet=true", "does nothing without enableControllerMode"),
        *((ALL + f"{name}=1", f"a broker ignores {name}: ") for name in OF_OTHERS),
    ],
)
def test_contradictions_are_warned_of(tmp_path: Path, text: str, told: str) -> None:
    """At the line of the key to change."""
    _, warnings = read(tmp_path, a=text)
    assert [True] == [told in warning for warning in warnings]


@pytest.mark.parametrize("line", ["minInSyncReplicas=two", "allAckInSyncStateSet=yes"])
def test_a_wrong_value_is_ignored(tmp_path: Path, line: str) -> None:
    """As by a real broker, which would run with the default, or with false."""
    text = BROKER + line
    group, warnings = read(tmp_path, a=text, b=text)
    assert [True, True] == ["would silently" in told for told in warnings]
    assert "at 5.0.0-controller with ack_by_master_alone" in compute_structure(group).name


def test_a_wrong_value_of_a_key_that_is_not_read_is_no_matter(tmp_path: Path) -> None:
    """A release that does not know the key ignores it."""
    read(tmp_path, Version("4.9.8"), a="brokerName=a\nminInSyncReplicas=two")


def test_a_change_is_made_on_every_broker_that_may_be_elected(tmp_path: Path) -> None:
    """Else the files would differ."""
    group, _ = read(tmp_path, a=ALL, b=ALL)
    changed = change_master(group, "flushDiskType", "SYNC_FLUSH")
    assert () == changed.outside_the_model()
    assert all(b.get("flushDiskType") == "SYNC_FLUSH" for b in (changed.master, *changed.slaves))


def test_a_default_is_the_value_that_it_is(tmp_path: Path) -> None:
    """A file that spells it out does not differ from one that does not."""
    group, _ = read(tmp_path, a=ALL + "flushDiskType=ASYNC_FLUSH\nminInSyncReplicas=1", b=ALL)
    assert () == group.outside_the_model()


def test_before_5_2_consumers_wait_where_producers_do_not(tmp_path: Path) -> None:
    """CommitLog#getConfirmOffset asks for allAckInSyncStateSet from 5.2.0 on."""
    group, _ = read(tmp_path, Version("5.1.4"), a=BROKER, b=BROKER)
    assert "before 5.2.0" in group.outside_the_model()[0]


def test_every_key_is_known_to_some_release() -> None:
    """By its name among the keys of later releases, and not to 4.4.0."""
    assert set(CONTROLLER_KEYS) <= set(LATER_KEYS)
    assert set() == set(OF_OTHERS) & {*KEYS, *LATER_KEYS}
    for each in CONTROLLER_KEYS.values():
        assert each.key.default == each.key.read(str(each.key.default))


def test_a_controller_asked_for_by_name_waits_for_all(tmp_path: Path) -> None:
    """The files need not say so."""
    pair = {"a": "brokerName=a\nbrokerRole=SYNC_MASTER\n", "b": "brokerName=a\nbrokerRole=SLAVE\n"}
    group, _ = read(tmp_path, Version("5.3.3", CONTROLLER), **pair)
    assert () == group.outside_the_model()
    assert "SYNC_MASTER/ASYNC_FLUSH/1 slave at 5.0.0-controller" == compute_structure(group).name
