"""Odd settings: what is said about them, and that very many of them cost little."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest

from brokers.configuration_files import read_deployments
from reference.configuration import keys
from reference.configuration.file_warnings import COMPARED_MAX, NAMED_MAX
from reference.releases.versions import Version
from tests.brokers.broker_files import MASTER, SLAVE, read_group, refuse, write

STRANGERS = 5000
"""Far more keys than are compared."""


def warn(folder: Path, text: str, release: str = "4.4.0") -> list[str]:
    """The warnings about a master's file, without their places; grave ones are marked."""
    _, warnings = read_deployments([write(folder, a=MASTER + text)], Version(release))
    return [f"{'! ' if w.is_grave else ''}{w.message}" for w in warnings]


@pytest.mark.parametrize("release", ["4.4.0", "5.3.3"])
def test_unknown_keys_cost_bounded_work(
    release: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many there are, a fixed number is compared; the first are named, the rest counted."""
    compared: list[str] = []
    usual = difflib.get_close_matches

    def count(word: str, *others: object, **named: object) -> list[str]:
        compared.append(word)
        return usual(word, *others, **named)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(keys.difflib, "get_close_matches", count)
    strangers = "".join(f"stranger{number}=x\n" for number in range(STRANGERS))
    found = warn(tmp_path, strangers + "slaveReadEnable=true\n", release)
    assert COMPARED_MAX == len(compared)
    assert NAMED_MAX + 1 == len(found)
    assert f"and {STRANGERS - NAMED_MAX} more keys that no release reads" in found[-1]
    assert f"only the first {COMPARED_MAX} were compared" in found[-1]


def test_a_file_with_strangers_is_answered_as_without_them(tmp_path: Path) -> None:
    """No release reads them, so nothing keeps them."""
    strangers = "".join(f"stranger{number}=x\n" for number in range(STRANGERS))
    group = read_group(tmp_path, a=MASTER + strangers)
    assert ["brokerName", "brokerRole"] == [s.key for s in group.master.settings]


def test_a_misspelt_key_that_decides_is_named_among_many(tmp_path: Path) -> None:
    """It is grave, so it is not among those that are only counted."""
    strangers = "".join(f"stranger{number}=x\n" for number in range(NAMED_MAX + 5))
    found = warn(tmp_path, strangers + "slaveReadEnabled=true\n")
    (grave,) = (text for text in found if text.startswith("! "))
    assert grave.endswith("did you mean slaveReadEnable?")
    assert "and 5 more keys that no release reads" == found[-1]


def test_replaced_values_are_counted(tmp_path: Path) -> None:
    """The first are named."""
    found = warn(tmp_path, "deleteWhen=04\n" * (NAMED_MAX + 4))
    assert NAMED_MAX + 1 == len(found)
    assert "and 3 more settings after it replace an earlier value of their key" == found[-1]


@pytest.mark.parametrize(
    ("release", "line", "expected"),
    [
        ("4.4.0", "timerWheelEnable=true", "ignores it (it is known since 5.0.0)"),
        ("5.0.0", "commercialEnable=true", "ignores it (it is known until 4.9.8)"),
        ("5.5.1", "commercialEnable=true", "its source was not read) (it is known until 4.9.8)"),
        ("5.3.4", "colour=red", "colour is no key that is known of RocketMQ 5.3.4 (its source was"),
        ("4.5.2", "mapedFileSizeCommitLog=1073741824", "ignores it; write mappedFileSizeCommitLog"),
        ("4.5.2", "mapedFileSizeCommitLog=4096", "does not start on a store whose files are of an"),
        ("4.9.2", "mapedFileSizeCommitLog=4096", "does not read files of another length"),
        ("5.3.3", "maxTransferCountOnMessageInMemori=4", "mean maxTransferCountOnMessageInMemory?"),
        ("5.3.3", "haMaxGapNotInSnc=4", "mean haMaxGapNotInSync?"),
        (
            "5.3.3",
            "timerWheelEnable=false",
            "reads timerWheelEnable, and no rule of the model does",
        ),
        ("4.9.3", "enableLmq=true", "! enableLmq=true: the answer leaves this out: light queues"),
        ("5.2.0", "forceVerifyPropCRC=true", "the answer leaves this out: recovery then compares"),
        ("4.4.0", "diskMaxUsedSpaceRatio=99", "runs with diskMaxUsedSpaceRatio=95, not 99"),
        ("4.4.0", "diskMaxUsedSpaceRatio=75%", "! diskMaxUsedSpaceRatio is '75%': RocketMQ 4.4.0"),
        ("5.1.1", "maxTopicLength=many", "would silently ignore this and run with maxTopicLength="),
    ],
)
def test_one_warning(release: str, line: str, expected: str, tmp_path: Path) -> None:
    """What this very release makes of the setting."""
    (told,) = warn(tmp_path, line, release)
    assert expected in told


@pytest.mark.parametrize(
    ("release", "line"),
    [
        ("4.5.2", "mappedFileSizeCommitLog=4096"),
        ("4.7.0", "mappedFileSizeCommitLog=1073741824"),
        ("5.3.3", "timerWheelEnable=true"),
        ("5.3.3", "enableLmq=false"),
        ("5.3.2", "storeType=default"),
        ("5.3.0", "authenticationEnabled=true"),
        ("4.9.3", "serverSocketBacklog=7"),
        ("5.2.0", "namesrvAddr=a:9876 "),
        ("5.1.1", "haListenPort=20912"),
    ],
)
def test_no_warning(release: str, line: str, tmp_path: Path) -> None:
    """What the release reads, and what has no effect on the log, a queue or a start."""
    assert [] == warn(tmp_path, line, release)


def test_keys_without_rules_are_one_warning(tmp_path: Path) -> None:
    """However many there are; those with their default are none."""
    names = [f"popCkMaxBufferSize={1}", "popPollingSize=1", "reviveQueueNum=1", "reviveInterval=1"]
    names += ["popPollingMapSize=1", "ackMessageThreadPoolNums=1", "maxPopPollingSize=100000"]
    (told,) = warn(tmp_path, "\n".join(names), "5.3.3")
    assert "reviveInterval, popPollingMapSize and 1 more, and no rule of the model does" in told


@pytest.mark.parametrize("line", ["diskMaxUsedSpaceRatio=75%", "slaveReadEnable=yes"])
def test_strict_refuses_what_a_broker_ignores(line: str, tmp_path: Path) -> None:
    """With the same words."""
    write(tmp_path, a=MASTER + line)
    assert "RocketMQ 4.4.0 would silently" in refuse(tmp_path, is_strict=True)


@pytest.mark.parametrize(
    "line",
    [
        "storeType=defaultRocksDB",
        "enableBuildConsumeQueueConcurrently=true",
        "enableDLegerCommitLog=true",
        "duplicationEnable=true",
    ],
)
def test_another_log_or_queue_is_outside_the_model(line: str, tmp_path: Path) -> None:
    """Nothing is decided there."""
    write(tmp_path, a=MASTER + line, b=SLAVE)
    (deployment,), _ = read_deployments([tmp_path], Version("5.3.3"))
    (told,) = deployment.groups[0].outside_the_model()
    assert "is outside the model: " in told


@pytest.mark.parametrize("release", ["4.4.0", "4.9.8", "5.3.3"])
@pytest.mark.parametrize("members", [1, 3])
def test_a_raft_group_is_outside_the_model(release: str, members: int, tmp_path: Path) -> None:
    """In every release, and never a second master; 4.4.0 does not have the key yet."""
    text = "brokerName=n\nenableDLegerCommitLog=true\ndLegerGroup=n\ndLegerSelfId=n{}\n"
    write(tmp_path, **{f"n{i}": text.format(i) for i in range(members)})
    (deployment,), _ = read_deployments([tmp_path], Version(release))
    (group,) = deployment.groups
    (told,) = group.outside_the_model()
    assert f"(here {members}) replicates by Raft" in told
    assert ("The key exists since 4.5.0" in told) == (release == "4.4.0")
    assert members - 1 == len(group.slaves)
