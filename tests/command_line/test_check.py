"""``rmqspec check``: stock configurations, exit codes, JSON, the settings outside the model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from properties.worlds.replication.fault_models import FAULT_MODELS
from properties.worlds.replication.world import CLAIMS
from tests.command_line.run import CONF, run

MASTER = "brokerClusterName=C\nbrokerName=a\nbrokerId=0\nbrokerRole={role}\nflushDiskType={flush}\n"
SLAVE = "brokerClusterName=C\nbrokerName=a\nbrokerId={id}\nbrokerRole=SLAVE\n"


def write_group(
    folder: Path, role: str, flush: str = "ASYNC_FLUSH", slaves: int = 1, more: str = ""
) -> Path:
    """A folder with a master and its slaves."""
    folder.mkdir(exist_ok=True)
    (folder / "m.properties").write_text(MASTER.format(role=role, flush=flush) + more)
    for i in range(1, slaves + 1):
        (folder / f"s{i}.properties").write_text(SLAVE.format(id=i))
    return folder


def check_json(*arguments: object) -> Any:
    """The answer for programs."""
    return json.loads(run("check", *arguments, "--json").stdout)


@pytest.fixture(scope="module")
def stock() -> Any:
    """The answer for all stock configurations."""
    return check_json(CONF)


def test_stock_configurations_are_all_answered(stock: Any) -> None:
    """Four deployments; every group has every cell."""
    names = {(Path(g["deployment"]).name, g["broker_name"]) for g in stock["groups"]}
    expected = {
        ("conf", "broker-a"),
        ("2m-noslave", "broker-a"),
        ("2m-noslave", "broker-b"),
        ("2m-noslave", "broker-trace"),
        ("2m-2s-async", "broker-a"),
        ("2m-2s-async", "broker-b"),
        ("2m-2s-sync", "broker-a"),
        ("2m-2s-sync", "broker-b"),
    }
    assert expected == names
    assert "4.4.0" == stock["rocketmq_version"]
    for group in stock["groups"]:
        cells = {(v["guarantee"], v["fault"]) for v in group["verdicts"]}
        assert {(g, c.name) for g in CLAIMS for c in FAULT_MODELS} == cells
        for v in group["verdicts"]:
            assert v["sentence"]
            assert v["verdict"] in ("proved", "refuted")
            assert (v["steps"] is not None) == (v["verdict"] == "refuted")
            assert (v["schedule"] is not None) == (v["verdict"] == "refuted")


def test_the_synchronous_pair_can_lose_an_acknowledged_message(stock: Any) -> None:
    """The known truth: a slave that is ahead acknowledges what it never saw."""
    group = next(g for g in stock["groups"] if g["deployment"].endswith("2m-2s-sync"))
    assert "SYNC_MASTER" == group["configuration"]["brokerRole"]
    cells = {(v["guarantee"], v["fault"]): v for v in group["verdicts"]}
    false_ack = cells["acknowledgement_is_truthful", "master power loss"]
    assert ("refuted", 16, True) == (
        false_ack["verdict"],
        false_ack["steps"],
        false_ack["is_claimed"],
    )
    assert "proved" == cells["acknowledgement_is_truthful", "master kill"]["verdict"]


def test_a_false_acknowledgement_without_any_fault_is_found(stock: Any) -> None:
    """Known since a model predicted it: an empty slave joins while a put waits (finding 26)."""
    group = next(g for g in stock["groups"] if g["deployment"].endswith("2m-2s-sync"))
    cells = {(v["guarantee"], v["fault"]): v for v in group["verdicts"]}
    false_ack = cells["acknowledgement_is_truthful", "late join"]
    assert ("refuted", 11) == (false_ack["verdict"], false_ack["steps"])
    rules = [instance.partition("[")[0] for instance, _ in false_ack["schedule"]]
    assert {"position_at_last_file", "create_slave_file"} <= set(rules)
    assert "proved" == cells["acknowledgement_is_truthful", "none"]["verdict"]


def test_identical_groups_are_shown_once() -> None:
    """Two groups, one table; limits and version in the output."""
    output = run("check", CONF / "2m-2s-sync", "--all").stdout
    assert 1 == output.count("while nothing is lost")
    assert "DefaultCluster/broker-a, DefaultCluster/broker-b" in output
    assert "RocketMQ 4.4.0" in output
    assert "rollover" in output
    assert "## DELETES A FILE BEFORE ITS TIME" in output
    assert "While the master of broker-a is down, sends go to broker-b" in output


@pytest.mark.parametrize(
    ("guarantee", "role", "flush", "code"),
    [
        pytest.param(
            *("puts_are_answered:master power loss", "ASYNC_MASTER", "SYNC_FLUSH", 0),
            marks=pytest.mark.nightly,
        ),
        ("acknowledged_is_kept_on_master:master power loss", "ASYNC_MASTER", "SYNC_FLUSH", 0),
        ("acknowledged_is_kept_on_master:master power loss", "ASYNC_MASTER", "ASYNC_FLUSH", 1),
        ("acknowledged_is_kept_on_some_broker:power loss of both", "SYNC_MASTER", "SYNC_FLUSH", 0),
        ("acknowledged_is_kept_on_some_broker", "SYNC_MASTER", "SYNC_FLUSH", 1),
    ],
)
def test_required_guarantees_decide_the_exit_code(
    guarantee: str, role: str, flush: str, code: int, tmp_path: Path
) -> None:
    """0 holds, 1 refuted, 2 disputed."""
    folder = write_group(tmp_path / "g", role, flush)
    result = run("check", folder, "--require", guarantee, "--timelines", 0)
    assert code == result.returncode


@pytest.mark.parametrize(
    ("more", "word"),
    [
        ("duplicationEnable=true\n", "duplication"),
        ("enableDLegerCommitLog=true\n", "DLe"),
        ("inSyncReplicas=2\n", "inSyncReplicas"),
    ],
)
def test_settings_outside_the_model_leave_cells_undecided(
    more: str, word: str, tmp_path: Path
) -> None:
    """Nothing is claimed about a group that the model does not cover; --require leaves with 2."""
    folder = write_group(tmp_path / "g", "ASYNC_MASTER", more=more)
    answer = check_json(folder)["groups"][0]
    assert {"undecided"} == {v["verdict"] for v in answer["verdicts"]}
    assert {"outside the model"} == {v["reason"] for v in answer["verdicts"]}
    assert any(word in reason for reason in answer["outside_the_model"])
    required = run("check", folder, "--require", "acknowledged_is_kept_on_master")
    assert 2 == required.returncode


@pytest.mark.parametrize(
    ("required", "code"),
    [
        ("flush_reaches_the_end:master kill", 0),
        ("acknowledgement_is_truthful:master kill", 0),
        ("acknowledgement_is_truthful:master power loss", 1),
        ("acknowledged_is_held_twice:slave kill", 0),
        ("slaves_reach_the_masters_end:slave power loss", 1),
    ],
)
def test_a_fault_may_be_required(required: str, code: int) -> None:
    """GUARANTEE:FAULT asks for one cell of the embedded pair."""
    assert code == run("check", "--require", required, "--timelines", 0).returncode


def test_what_if_answers_for_other_settings() -> None:
    """With SYNC_FLUSH the embedded pair keeps what it has acknowledged."""
    cell = "acknowledged_is_kept_on_master:power loss of both"
    asked = ["--require", cell, "--timelines", 0]
    assert 1 == run("check", *asked).returncode
    changed = run("check", *asked, "--what-if", "flushDiskType=SYNC_FLUSH")
    assert 0 == changed.returncode
    assert "what if flushDiskType=SYNC_FLUSH" in changed.stdout
    assert "SYNC_MASTER/SYNC_FLUSH" in changed.stdout
    turn = "acknowledged_is_kept_on_master: refuted -> proved under master power loss, power"
    assert turn in changed.stdout
    same = run("check", "--timelines", 0, "--what-if", "haTransferBatchSize=65536")
    assert "changes in the tables of the log: no verdict" in same.stdout


def test_a_vacuous_proof_holds_nothing(tmp_path: Path) -> None:
    """A synchronous master without slaves holds nothing twice, whatever is proved about it."""
    folder = write_group(tmp_path / "g", "SYNC_MASTER", slaves=0)
    result = run("check", folder, "--require", "acknowledged_is_held_twice:none", "--timelines", 0)
    assert 2 == result.returncode
    assert "(vacuous)" in result.stdout


def test_names_are_printed_as_they_are(tmp_path: Path) -> None:
    """Brackets are no markup."""
    folder = tmp_path / "x[red] z"
    folder.mkdir()
    (folder / "m.conf").write_text("brokerName=[red]k\nbrokerRole=ASYNC_MASTER\n")
    result = run("check", folder, "--timelines", 0)
    assert 0 == result.returncode
    assert "x[red] z" in result.stdout
    assert "DefaultCluster/[red]k" in result.stdout


@pytest.mark.nightly
def test_a_strange_fall_behind_limit(tmp_path: Path) -> None:
    """Legal in 4.4.0: no slave is ever near enough, unless one is ahead."""
    folder = write_group(tmp_path / "g", "SYNC_MASTER", more=f"haSlaveFallbehindMax={-(2**31)}\n")
    verdicts = check_json(folder)["groups"][0]["verdicts"]
    assert {"proved", "refuted", "undecided"} >= {v["verdict"] for v in verdicts}
    assert "proved" == next(v["verdict"] for v in verdicts if v["fault"] == "none")


@pytest.mark.nightly
def test_three_slaves_are_answered(tmp_path: Path) -> None:
    """Every cell, with what refutes two slaves."""
    answer = check_json(write_group(tmp_path / "g", "SYNC_MASTER", slaves=3))["groups"][0]
    assert [] == answer["outside_the_model"]
    assert {"proved", "refuted"} == {v["verdict"] for v in answer["verdicts"]}


def test_four_slaves_are_outside_the_model(tmp_path: Path) -> None:
    """The model covers up to three slaves and says so."""
    answer = check_json(write_group(tmp_path / "g", "SYNC_MASTER", slaves=4))["groups"][0]
    assert ["4 slaves, the model covers up to 3"] == answer["outside_the_model"]


def test_small_sizes_are_answered_live(tmp_path: Path) -> None:
    """A fall-behind limit of one byte leaves no cell undecided."""
    folder = write_group(tmp_path / "g", "SYNC_MASTER", more="haSlaveFallbehindMax=1\n")
    answer = check_json(folder)["groups"][0]
    assert 1 == answer["configuration"]["haSlaveFallbehindMax"]
    assert "undecided" not in {v["verdict"] for v in answer["verdicts"]}


def test_unknown_keys_are_warnings_with_file_and_line(tmp_path: Path) -> None:
    """The table is printed all the same."""
    folder = write_group(tmp_path / "g", "ASYNC_MASTER", more="flushDiskTyp=SYNC_FLUSH\n")
    result = run("check", folder, "--timelines", 0)
    assert 0 == result.returncode
    assert "m.properties:6:" in result.stderr
    assert "flushDiskTyp" in result.stderr
