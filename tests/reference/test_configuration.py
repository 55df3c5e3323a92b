"""Brokers' configuration files: what is read, what is refused, what is remarked."""

from __future__ import annotations

from pathlib import Path

import pytest

from reference.configuration import (
    BrokerConfiguration,
    BrokerGroup,
    ConfigurationError,
    FlushDiskType,
    Role,
    read_deployments,
    sample_group,
)
from reference.configuration_keys import KEYS, LATER_KEYS, Key, find_similar_key

STOCK = Path(__file__).parent.parent / "data" / "conf"

MASTER = "brokerName=broker-a\nbrokerRole=SYNC_MASTER\n"
SLAVE = "brokerName=broker-a\nbrokerRole=SLAVE\nbrokerId=1\n"


def _write(folder: Path, **texts: str) -> Path:
    """One ``.properties`` file for each keyword."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.properties").write_text(text, encoding="utf-8")
    return folder


def _read_group(folder: Path, **texts: str) -> BrokerGroup:
    deployments, _ = read_deployments([_write(folder, **texts)])
    return deployments[0].groups[0]


def _read_broker(folder: Path, text: str) -> BrokerConfiguration:
    return _read_group(folder, a=text).master


def _read_warnings(folder: Path, **texts: str) -> list[str]:
    """Warnings with the folder cut off."""
    _, warnings = read_deployments([_write(folder, **texts)])
    return [str(warning).removeprefix(f"{folder}/") for warning in warnings]


def _refuse(*paths: Path) -> str:
    with pytest.raises(ConfigurationError) as caught:
        read_deployments(paths)
    return str(caught.value)


# --- what is read -----------------------------------------------------------------------------


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
    folder = _write(tmp_path / "conf", a=MASTER)
    (tmp_path / "conf" / "link.conf").symlink_to(folder / "a.properties")
    deployments, _ = read_deployments([folder, folder / "a.properties"])
    assert 1 == len(deployments[0].groups)


def test_slaves_are_sorted_by_id(tmp_path: Path) -> None:
    """The order of the files does not matter."""
    group = _read_group(tmp_path, a=SLAVE.replace("Id=1", "Id=3"), b=MASTER, c=SLAVE)
    assert [1, 3] == [slave.broker_id for slave in group.slaves]


def test_groups_are_told_apart_by_cluster(tmp_path: Path) -> None:
    """The same brokerName in another cluster is another group."""
    folder = _write(tmp_path, a=MASTER, b=MASTER + "brokerClusterName=other\n")
    deployments, _ = read_deployments([folder])
    expected = [("DefaultCluster", "broker-a"), ("other", "broker-a")]
    assert expected == [(group.cluster, group.broker_name) for group in deployments[0].groups]


def test_a_lone_master_may_be_nameless(tmp_path: Path) -> None:
    """RocketMQ takes the host's name, and there is nobody to confuse it with."""
    assert "(host name)" == _read_broker(tmp_path, "brokerRole=SYNC_MASTER").broker_name


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
    assert expected == _read_broker(tmp_path, MASTER).get(key)


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
    assert expected == _read_broker(tmp_path, MASTER + line).get(key)


def test_an_unknown_key_has_no_value() -> None:
    """Asking for it is a mistake of the program, not of the file."""
    with pytest.raises(KeyError):
        sample_group().master.get("brokerrole")


@pytest.mark.parametrize("key", ["slaveReadEnable", "brokerName", "pullMessageThreadPoolNums"])
def test_only_a_number_is_a_number(key: str) -> None:
    """Truth values, texts and what only the host knows are none."""
    with pytest.raises(TypeError, match=key):
        sample_group().master.get_number(key)


@pytest.mark.parametrize("key", ["fileReservedTime", "brokerName", "useTLS"])
def test_only_a_truth_value_is_one(key: str) -> None:
    """Numbers, texts and what only the host knows are none."""
    with pytest.raises(TypeError, match=key):
        sample_group().master.is_enabled(key)


# --- what is refused --------------------------------------------------------------------------


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
        ("slaveReadEnable=yes", "take this silently for false", "write true or false"),
        ("slaveReadEnable=true ", "take this silently for false", "write true or false"),
    ],
)
def test_a_value_that_440_would_ignore(tmp_path: Path, line: str, effect: str, advice: str) -> None:
    """The message says in one line where, what a real broker would do, and what to write."""
    _write(tmp_path, a="brokerName=broker-a\n" + line)
    message = _refuse(tmp_path)
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
    message = _refuse(_write(tmp_path, **texts))
    assert message.startswith(f"{tmp_path}/{place} " if texts and place != ":" else f"{tmp_path}: ")
    assert problem in message
    assert advice in message.split("; ")[-1]
    assert 1 == len(message.splitlines())


def test_no_paths() -> None:
    """Nothing to read is not an empty answer."""
    assert "no configuration is given; name a broker's file" in _refuse()


def test_a_missing_path(tmp_path: Path) -> None:
    """The message names the path and the reason of the operating system."""
    expected = "No such file or directory); check the path"
    assert expected in _refuse(tmp_path / "missing.conf")


def test_an_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the reason of the operating system."""

    def refuse(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    message = _refuse(_write(tmp_path, a=MASTER))
    assert f"{tmp_path}/a.properties: cannot be read (Permission denied); check" in message


def test_a_named_file_without_a_brokers_key(tmp_path: Path) -> None:
    """In a folder it would be skipped; named, it is a mistake."""
    file = _write(tmp_path, a="x=1") / "a.properties"
    assert f"{file}: no key in this file" in _refuse(file)


def test_a_file_name_cannot_break_the_line(tmp_path: Path) -> None:
    """Control characters in names and values are shown, not printed."""
    file = tmp_path / "a\nb.conf"
    file.write_text("brokerRole=\\u2028\\u001b[1m", encoding="utf-8")
    assert 1 == len(_refuse(file).splitlines())


# --- what is remarked -------------------------------------------------------------------------


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
    (warning,) = _read_warnings(tmp_path, a=MASTER + line)
    assert warning.startswith("a.properties:3: ")
    assert expected in warning


def test_a_byte_order_mark_hides_the_first_key(tmp_path: Path) -> None:
    """Java takes it for a part of the key, so the first setting has no effect."""
    (warning,) = _read_warnings(tmp_path, a="\ufeffbrokerRole=SYNC_MASTER\nbrokerName=a")
    assert warning.endswith("did you mean brokerRole?")


def test_a_foreign_file_in_a_folder_is_skipped(tmp_path: Path) -> None:
    """Name servers and tools keep their files beside the brokers'."""
    (warning,) = _read_warnings(tmp_path, a=MASTER, namesrv="# port\nlistenPort=9876")
    assert warning.startswith("namesrv.properties:2: ")
    assert warning.endswith("the file is skipped")


def test_the_last_duplicate_wins(tmp_path: Path) -> None:
    """As in java.util.Properties."""
    assert Role.ASYNC_MASTER is _read_broker(tmp_path, MASTER + "brokerRole=ASYNC_MASTER").role


def test_a_replaced_value_is_not_checked(tmp_path: Path) -> None:
    """It never reaches a setter."""
    assert Role.SYNC_MASTER is _read_broker(tmp_path, "brokerRole=?\n" + MASTER).role


# --- what the model covers --------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "transientStorePoolEnable=true",
        "duplicationEnable=true",
        "messageStorePlugIn=org.example.Store",
        "enableDLegerCommitLog=true",
        "inSyncReplicas=2",
    ],
)
def test_outside_the_model(tmp_path: Path, line: str) -> None:
    """One sentence with the setting and its place."""
    (sentence,) = _read_group(tmp_path, a=MASTER + line).outside_the_model()
    assert sentence.startswith(f"{line} ({tmp_path}/a.properties:3) is outside the model: ")
    assert sentence.endswith(".")


@pytest.mark.parametrize(
    "lines",
    [
        "transientStorePoolEnable=false",
        "transientStorePoolEnable=true\nflushDiskType=SYNC_FLUSH",
        "duplicationEnable=false",
        "messageStorePlugIn=",
        "haMasterAddress=10.0.0.1:10912",
        "colour=red",
        "haSlaveFallbehindMax=1",
    ],
)
def test_inside_the_model(tmp_path: Path, lines: str) -> None:
    """Settings without effect on this broker, and settings that the model has."""
    assert () == _read_group(tmp_path, a=MASTER + lines).outside_the_model()


def test_a_fixed_master_address_of_a_slave_is_outside_the_model(tmp_path: Path) -> None:
    """Nothing in the files says who answers at that address."""
    group = _read_group(tmp_path, a=MASTER, b=SLAVE + "haMasterAddress=10.0.0.1:10912")
    assert "haMasterAddress=10.0.0.1:10912" in group.outside_the_model()[0]


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
    expected = _read_group(tmp_path / "one", a=MASTER).same_behaviour_key()
    actual = _read_group(tmp_path / "other", a=other).same_behaviour_key()
    assert expected == actual


def test_same_behaviour_with_other_slave_ids(tmp_path: Path) -> None:
    """Which of two slaves has which id does not matter."""
    lagging = SLAVE + "offsetCheckInSlave=true\n"
    one = _read_group(tmp_path / "1", a=MASTER, b=SLAVE, c=lagging.replace("Id=1", "Id=2"))
    other = _read_group(tmp_path / "2", a=MASTER, b=SLAVE.replace("Id=1", "Id=9"), c=lagging)
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
    lone = _read_group(tmp_path / "one", a=MASTER).same_behaviour_key()
    other = _read_group(tmp_path / "other", **texts).same_behaviour_key()
    assert lone != other


def test_stock_groups_behave_the_same() -> None:
    """broker-a and broker-b of one stock folder differ in their names only, and hash alike."""
    deployments, _ = read_deployments([STOCK / "2m-2s-sync"])
    assert 1 == len({group.same_behaviour_key() for group in deployments[0].groups})


# --- the tables of keys -----------------------------------------------------------------------


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
