"""Reading brokers' files: what is read, what is refused, what is remarked."""

from __future__ import annotations

from pathlib import Path

import pytest

from brokers.configuration_files import find_properties_files, read_deployments, read_properties
from reference.configuration.broker_group import ConfigurationError
from reference.configuration.deployments import change_slaves, sample_group
from reference.roles import FlushDiskType, Role
from tests.brokers.broker_files import (
    MASTER,
    SLAVE,
    STOCK,
    read_broker,
    read_group,
    read_warnings,
    refuse,
    write,
)


def test_each_stock_folder_is_one_deployment() -> None:
    """The stock configuration has one folder of its own and three below it."""
    deployments, _ = read_deployments([STOCK])
    expected = ["conf", "conf/2m-2s-async", "conf/2m-2s-sync", "conf/2m-noslave"]
    actual = [str(Path(one.name).relative_to(STOCK.parent)) for one in deployments]
    assert expected == actual


def test_stock_configuration_has_no_warning() -> None:
    """Everything that RocketMQ itself ships is known and sound."""
    _, warnings = read_deployments([STOCK])
    assert () == warnings


def test_stock_sync_pairs() -> None:
    """Two groups with one synchronous master and one slave each."""
    deployments, _ = read_deployments([STOCK / "2m-2s-sync"])
    expected = [
        ("broker-a", Role.SYNC_MASTER, FlushDiskType.ASYNC_FLUSH, [1]),
        ("broker-b", Role.SYNC_MASTER, FlushDiskType.ASYNC_FLUSH, [1]),
    ]
    actual = [
        (
            group.broker_name,
            group.master.role,
            group.master.flush_disk_type,
            [slave.broker_id for slave in group.slaves],
        )
        for group in deployments[0].groups
    ]
    assert expected == actual


def test_deployment_has_the_name_that_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path stays relative."""
    monkeypatch.chdir(STOCK.parent)
    deployments, _ = read_deployments(["conf/broker.conf"])
    assert "conf" == deployments[0].name


def test_files_of_one_folder_are_one_deployment() -> None:
    """Naming the files of a pair is as good as naming their folder."""
    folder = STOCK / "2m-2s-sync"
    expected, _ = read_deployments([folder])
    actual, _ = read_deployments(sorted(folder.iterdir(), reverse=True))
    assert expected == actual


def test_a_file_that_is_reached_twice_counts_once(tmp_path: Path) -> None:
    """A folder and a file of it, or a link to a file, bring no second master."""
    folder = write(tmp_path / "conf", a=MASTER)
    (tmp_path / "conf" / "link.conf").symlink_to(folder / "a.properties")
    deployments, _ = read_deployments([folder, folder / "a.properties"])
    assert 1 == len(deployments[0].groups)


def test_slaves_are_sorted_by_id(tmp_path: Path) -> None:
    """The order of the files does not matter."""
    group = read_group(tmp_path, a=SLAVE.replace("Id=1", "Id=3"), b=MASTER, c=SLAVE)
    assert [1, 3] == [slave.broker_id for slave in group.slaves]


def test_groups_are_told_apart_by_cluster(tmp_path: Path) -> None:
    """The same brokerName in another cluster is another group."""
    folder = write(tmp_path, a=MASTER, b=MASTER + "brokerClusterName=other\n")
    deployments, _ = read_deployments([folder])
    expected = [("DefaultCluster", "broker-a"), ("other", "broker-a")]
    assert expected == [(group.cluster, group.broker_name) for group in deployments[0].groups]


def test_a_lone_master_may_be_nameless(tmp_path: Path) -> None:
    """RocketMQ takes the host's name, and there is nobody to confuse it with."""
    assert "(host name)" == read_broker(tmp_path, "brokerRole=SYNC_MASTER").broker_name


def test_sample_group_is_the_stock_pair() -> None:
    """The embedded sample says what the stock files say."""
    deployments, _ = read_deployments([STOCK / "2m-2s-sync"])
    stock, sample = deployments[0].groups[0], sample_group()
    expected = [{(one.key, one.value) for one in m.settings} for m in (stock.master, *stock.slaves)]
    actual = [{(one.key, one.value) for one in m.settings} for m in (sample.master, *sample.slaves)]
    assert expected == actual


def test_sample_group_names_its_file() -> None:
    """Messages about the sample must not point to a file that nobody has."""
    assert "(embedded sample)" == sample_group().master.file


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("haSlaveFallbehindMax", 268_435_456),
        ("flushDiskType", "ASYNC_FLUSH"),
        ("slaveReadEnable", False),
        ("consumerFallbehindThreshold", 17_179_869_184),
        ("brokerClusterName", "DefaultCluster"),
        ("listenPort", 10911),
        ("haListenPort", 10912),
        ("namesrvAddr", None),
    ],
)
def test_defaults_of_440(tmp_path: Path, key: str, expected: object) -> None:
    """Without a setting the default of 4.4.0 is in force."""
    assert expected == read_broker(tmp_path, MASTER).get(key)


@pytest.mark.parametrize(
    ("line", "key", "expected"),
    [
        ("haSlaveFallbehindMax=+0005", "haSlaveFallbehindMax", 5),
        ("haSlaveFallbehindMax=-2147483648", "haSlaveFallbehindMax", -(2**31)),
        ("consumerFallbehindThreshold=4294967296", "consumerFallbehindThreshold", 2**32),
        ("slaveReadEnable=TRUE", "slaveReadEnable", True),
        ("slaveReadEnable:False", "slaveReadEnable", False),
        ("brokerName=b", "brokerName", "b"),
        ("brokerId=7", "brokerId", 0),
        ("listenPort=20911", "haListenPort", 20912),
        ("haListenPort=5", "haListenPort", 10912),
    ],
)
def test_value_in_force(tmp_path: Path, line: str, key: str, expected: object) -> None:
    """Configured values, read as Java reads them; what BrokerStartup forces comes first."""
    assert expected == read_broker(tmp_path, MASTER + line).get(key)


def test_an_unknown_key_has_no_value() -> None:
    """Asking for it is a mistake of the program, not of the file."""
    with pytest.raises(KeyError):
        sample_group().master.get("brokerrole")


@pytest.mark.parametrize("key", ["slaveReadEnable", "brokerName", "pullMessageThreadPoolNums"])
def test_only_a_number_is_a_number(key: str) -> None:
    """Truth values, texts and what only the host knows are none."""
    with pytest.raises(TypeError, match=key):
        sample_group().master.get_number(key)


@pytest.mark.parametrize(
    ("line", "effect", "advice"),
    [
        ("brokerRole=SYNC_MASTER ", "trailing blank", "with nothing after it"),
        (
            "brokerRole=SYNC_MASTER ",
            "run with brokerRole=ASYNC_MASTER",
            "write one of ASYNC_MASTER, ",
        ),
        ("brokerRole=SYNC_MASTR", "run with brokerRole=ASYNC_MASTER", "SYNC_MASTER, SLAVE"),
        ("brokerRole=sync_master", "run with brokerRole=ASYNC_MASTER", "SYNC_MASTER, SLAVE"),
        ("brokerRole=", "run with brokerRole=ASYNC_MASTER", "SYNC_MASTER, SLAVE"),
        ("brokerRole=SLAVE\\n", r"'SLAVE\n'", "with nothing after it"),
        ("flushDiskType=SYNC", "run with flushDiskType=ASYNC_FLUSH", "SYNC_FLUSH"),
        ("brokerId=one", "run with brokerId=0", "a whole number of 64 bits"),
        ("fileReservedTime=48 ", "run with fileReservedTime=72", "a whole number of 32 bits"),
        ("fileReservedTime=1_000", "run with fileReservedTime=72", "a whole number of 32 bits"),
        ("fileReservedTime=4.8", "run with fileReservedTime=72", "a whole number of 32 bits"),
        ("fileReservedTime", "run with fileReservedTime=72", "a whole number of 32 bits"),
        (
            "haSlaveFallbehindMax=2147483648",
            "run with haSlaveFallbehindMax=268435456",
            "-2147483648 to 2147483647",
        ),
        ("pullMessageThreadPoolNums=many", "run with the host's default", "a whole number"),
        ("slaveReadEnable=yes", "silently read this as false", "write true or false"),
        ("slaveReadEnable=true ", "silently read this as false", "write true or false"),
    ],
)
def test_a_value_that_440_would_ignore(tmp_path: Path, line: str, effect: str, advice: str) -> None:
    """The message says in one line where, what a real broker would do, and what to write."""
    write(tmp_path, a="brokerName=broker-a\n" + line)
    message = refuse(tmp_path, is_strict=True)
    assert message.startswith(f"{tmp_path}/a.properties:2: ")
    assert "RocketMQ 4.4.0 would " in message
    assert effect in message
    assert advice in message.split("; ")[-1]
    assert 1 == len(message.splitlines())


@pytest.mark.parametrize(
    ("texts", "place", "problem", "advice"),
    [
        pytest.param(
            {"a": SLAVE}, "a.properties:2:", "no master", "put the master's file", id="no master"
        ),
        pytest.param(
            {"a": MASTER, "b": SLAVE.replace("broker-a", "broker-a ")},
            "b.properties:2:",
            "'broker-a ' in cluster 'DefaultCluster', which has no master",
            "same brokerName",
            id="blank after the name",
        ),
        pytest.param(
            {"a": MASTER, "b": MASTER},
            "b.properties:2:",
            "second master of 'broker-a'",
            "set brokerRole=SLAVE",
            id="two masters",
        ),
        pytest.param(
            {"a": MASTER, "b": "brokerName=broker-a"},
            "b.properties:1:",
            "second master",
            "set brokerRole=SLAVE",
            id="two masters, one by default",
        ),
        pytest.param(
            {"a": MASTER, "b": SLAVE.replace("Id=1", "Id=0")},
            "b.properties:3:",
            "exit with code -3",
            "set brokerId=1 or more",
            id="slave with id 0",
        ),
        pytest.param(
            {"a": MASTER, "b": SLAVE.replace("Id=1", "Id=-1")},
            "b.properties:3:",
            "exit with code -3",
            "set brokerId=1 or more",
            id="slave with a negative id",
        ),
        pytest.param(
            {"a": MASTER, "b": SLAVE.replace("brokerId=1", "")},
            "b.properties:2:",
            "exit with code -3",
            "set brokerId=1 or more",
            id="slave without id",
        ),
        pytest.param(
            {"a": MASTER, "b": SLAVE, "c": SLAVE},
            "c.properties:3:",
            "second slave of 'broker-a' in cluster 'DefaultCluster' with brokerId=1",
            "a brokerId of its own",
            id="two slaves with one id",
        ),
        pytest.param(
            {"a": MASTER, "b": "brokerRole=SLAVE\nbrokerId=1"},
            "b.properties:1:",
            "without brokerName",
            "set brokerName",
            id="nameless among others",
        ),
        pytest.param(
            {"a": "\n# nothing\n"}, "a.properties:", "empty", "fill it, or remove it", id="empty"
        ),
        pytest.param(
            {"a": "brokerId=0\n\x00"}, "a.properties:2:", "not a text", "text format", id="binary"
        ),
        pytest.param(
            {"a": "brokerId=\\u00"}, "a.properties:1:", "\\u is not", "text format", id="escape"
        ),
        pytest.param({"a": "x=1"}, ":", "no broker's *.conf", "name a broker's file", id="other"),
        pytest.param({}, ":", "no broker's *.conf", "name a broker's file", id="empty folder"),
    ],
)
def test_a_folder_that_is_refused(
    tmp_path: Path, texts: dict[str, str], place: str, problem: str, advice: str
) -> None:
    """The message says in one line where, what is wrong and what to do."""
    message = refuse(write(tmp_path, **texts))
    assert message.startswith(f"{tmp_path}/{place} " if texts and place != ":" else f"{tmp_path}: ")
    assert problem in message
    assert advice in message.split("; ")[-1]
    assert 1 == len(message.splitlines())


def test_no_paths() -> None:
    """Nothing to read is not an empty answer."""
    assert "no configuration is given; name a broker's file" in refuse()


def test_a_missing_path(tmp_path: Path) -> None:
    """The message names the path and the reason of the operating system."""
    expected = "No such file or directory); check the path"
    assert expected in refuse(tmp_path / "missing.conf")


def test_an_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the reason of the operating system."""

    def deny(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", deny)
    message = refuse(write(tmp_path, a=MASTER))
    assert f"{tmp_path}/a.properties: cannot be read (Permission denied); check" in message


def test_a_named_file_without_a_brokers_key(tmp_path: Path) -> None:
    """In a folder it would be skipped; named, it is a mistake."""
    file = write(tmp_path, a="x=1") / "a.properties"
    assert f"{file}: no key in this file" in refuse(file)


def test_a_file_name_cannot_break_the_line(tmp_path: Path) -> None:
    """Control characters in names and values are shown, not printed."""
    file = tmp_path / "a\nb.conf"
    file.write_text("brokerRole=\\u2028\\u001b[1m", encoding="utf-8")
    assert 1 == len(refuse(file).splitlines())


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("brokerRole=SYNC_MASTER", "brokerRole replaces its value of line 2: the last one counts"),
        ("brokerId=4", "RocketMQ 4.4.0 forces brokerId to 0, because this is a master"),
        ("haListenPort=5", "RocketMQ 4.4.0 overwrites haListenPort with listenPort + 1 = 10912"),
        ("namesrvAddr=a:9876 ", "trailing blanks are part of the value of namesrvAddr"),
        (
            "slaveReadEnabled=true",
            "does not know the key slaveReadEnabled and ignores it; did you ",
        ),
        ("slaveReadEnabled=true", "did you mean slaveReadEnable?"),
        ("BrokerId=4", "did you mean brokerId?"),
        ("colour=red", "does not know the key colour and ignores it"),
        ("inSyncReplicas=2", "(it is known since 5.0.0)"),
        ("slaveTimeout=2", "(it is known since 4.9.3)"),
        ("enableDLegerCommitLog=true", "(it is known since 4.5.0)"),
        ("mappedFileSizeCommitLog=2", "did you mean mapedFileSizeCommitLog?"),
    ],
)
def test_warning(tmp_path: Path, line: str, expected: str) -> None:
    """The one warning names file and line, and says what 4.4.0 makes of it."""
    (warning,) = read_warnings(tmp_path, a=MASTER + line)
    assert warning.startswith("a.properties:3: ")
    assert expected in warning


def test_a_byte_order_mark_hides_the_first_key(tmp_path: Path) -> None:
    """Java takes it for a part of the key, so the first setting has no effect."""
    (warning,) = read_warnings(tmp_path, a="\ufeffbrokerRole=SYNC_MASTER\nbrokerName=a")
    assert warning.endswith("it begins with a byte order mark; did you mean brokerRole?")


def test_a_foreign_file_in_a_folder_is_skipped(tmp_path: Path) -> None:
    """Name servers and tools keep their files beside the brokers'."""
    (warning,) = read_warnings(tmp_path, a=MASTER, namesrv="# port\nlistenPort=9876")
    assert warning.startswith("namesrv.properties:2: ")
    assert warning.endswith("the file is skipped")


def test_the_last_duplicate_wins(tmp_path: Path) -> None:
    """As in java.util.Properties."""
    assert Role.ASYNC_MASTER is read_broker(tmp_path, MASTER + "brokerRole=ASYNC_MASTER").role


def test_a_replaced_value_is_not_checked(tmp_path: Path) -> None:
    """It never reaches a setter."""
    assert Role.SYNC_MASTER is read_broker(tmp_path, "brokerRole=?\n" + MASTER).role


def test_slaves_may_be_changed(tmp_path: Path) -> None:
    """All of them, and nothing else."""
    second = SLAVE.replace("brokerId=1", "brokerId=2")
    group = read_group(tmp_path / "g", m=MASTER, s=SLAVE, t=second)
    changed = change_slaves(group, "slaveReadEnable", "true")
    assert [True, True] == [slave.get("slaveReadEnable") for slave in changed.slaves]
    assert group.master == changed.master
    assert [slave.file for slave in group.slaves] == [slave.file for slave in changed.slaves]


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("brokerId", "3", "a second slave"),
        ("brokerRole", "ASYNC_MASTER", "a slave cannot be asked about as ASYNC_MASTER"),
        ("brokerName", "x", "brokerName ties a group together"),
        ("slaveReadEnable", "yes", "slaveReadEnable"),
    ],
)
def test_slaves_must_stay_slaves_of_their_group(
    tmp_path: Path, key: str, value: str, words: str
) -> None:
    """With ids of their own."""
    second = SLAVE.replace("brokerId=1", "brokerId=2")
    group = read_group(tmp_path / "g", m=MASTER, s=SLAVE, t=second)
    with pytest.raises(ConfigurationError, match=words):
        change_slaves(group, key, value)


def test_a_group_without_slaves_stays_as_it_is(tmp_path: Path) -> None:
    """There is nothing to change."""
    group = read_group(tmp_path / "g", m=MASTER)
    assert change_slaves(group, "slaveReadEnable", "true") == group


def test_files_are_found_below_a_folder_in_a_fixed_order(tmp_path: Path) -> None:
    """Files of a folder come before its sub-folders, both sorted by name."""
    for name in ("z.conf", "b/a.properties", "a/c.conf", "a.properties", "a.xml", "a/NOTICE"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    actual = [str(file.relative_to(tmp_path)) for file in find_properties_files(tmp_path)]
    assert ["a.properties", "z.conf", "a/c.conf", "b/a.properties"] == actual


def test_a_file_is_found_whatever_its_name(tmp_path: Path) -> None:
    """Only folders are searched by suffix."""
    file = tmp_path / "broker.txt"
    file.touch()
    assert (file,) == find_properties_files(file)


def test_a_folder_is_no_properties_file(tmp_path: Path) -> None:
    """A folder named like a file cannot be read."""
    with pytest.raises(OSError, match="not a regular file"):
        read_properties(tmp_path)
