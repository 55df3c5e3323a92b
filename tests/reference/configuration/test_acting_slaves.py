"""Groups whose slave acts for its master: which rules they have, and which the model lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from brokers.configuration_files import read_deployments
from properties.scenarios.analysis.group import GroupAnalysis
from properties.scenarios.analysis.log import analyse_log, compute_structure
from properties.scenarios.analysis.reading import ReadingQuestion
from properties.scenarios.summary.rows import NO_SYSTEM_OF_ACTING, NO_TABLES, judge_rows
from properties.scenarios.summary.summary import summarise
from properties.scenarios.summary.words import Grade
from properties.verdicts.verdict import VerdictWord
from properties.worlds.replication.structures import STOCK_PAIR
from reference.configuration.broker_group import BrokerGroup
from reference.configuration.deployments import sample_group
from reference.releases.versions import parse_version
from tests.brokers.broker_files import write

SAMPLE = (
    "totalReplicas=2\ninSyncReplicas=2\nminInSyncReplicas=1\nenableAutoInSyncReplicas=true\n"
    "enableSlaveActingMaster=true\n"
)
"""What the sample of two containers has (distribution/conf/container at 5.3.3)."""


def read(folder: Path, keys: str, *, role: str = "SYNC_MASTER", slave: str = "") -> BrokerGroup:
    """A pair with these keys in both files, or with others in the slave's."""
    texts = {
        "m": f"brokerName=a\nbrokerRole={role}\nbrokerId=0\n{keys}",
        "s": f"brokerName=a\nbrokerRole=SLAVE\nbrokerId=1\n{slave or keys}",
    }
    (deployment,), _ = read_deployments([write(folder, **texts)], parse_version("5.3.3"))
    (group,) = deployment.groups
    return group


@pytest.mark.parametrize(
    ("role", "keys", "setting"),
    [
        ("SYNC_MASTER", SAMPLE, "answered_by_those_in_sync"),
        ("SYNC_MASTER", SAMPLE.replace("Replicas=1", "Replicas=2"), "refused_without_slave"),
        (
            "SYNC_MASTER",
            "inSyncReplicas=2\nenableSlaveActingMaster=true\n",
            "refused_without_slave",
        ),
        ("SYNC_MASTER", "enableSlaveActingMaster=true\n", ""),
        ("ASYNC_MASTER", SAMPLE, ""),
        ("SYNC_MASTER", SAMPLE.replace("Master=true", "Master=false"), ""),
    ],
)
def test_the_keys_choose_the_rules(tmp_path: Path, role: str, keys: str, setting: str) -> None:
    """Who must have a put: those in sync, two, or the master alone."""
    group = read(tmp_path, keys, role=role)
    assert () == group.outside_the_model()
    settings = [v for v in compute_structure(group).variants if not v[0].isdigit()]
    assert settings == ([setting] if setting else [])


@pytest.mark.parametrize(
    ("keys", "slave", "reason"),
    [
        ("enableSlaveActingMaster=true\n", "listenPort=1\n", "in some files of the group only"),
        ("enableSlaveActingMaster=true\nminInSyncReplicas=2\n", "", "minInSyncReplicas=2 is"),
        ("inSyncReplicas=2\nenableSlaveActingMaster=true\nminInSyncReplicas=3\n", "", "=3 is"),
    ],
)
def test_what_the_rules_lack_is_said(tmp_path: Path, keys: str, slave: str, reason: str) -> None:
    """In one sentence."""
    (told,) = read(tmp_path, keys, slave=slave).outside_the_model()
    assert reason in told


def test_a_master_that_needs_itself_alone_loses_what_it_acknowledged(tmp_path: Path) -> None:
    """In four steps; one that refuses instead needs a slave that reports other bytes."""
    steps = {}
    for name, keys in (("auto", SAMPLE), ("two", SAMPLE.replace("Replicas=1", "Replicas=2"))):
        found = analyse_log(read(tmp_path / name, keys)).verdicts
        cell = "acknowledged_is_kept_on_some_broker", "master power loss"
        (verdict,) = (v for v in found if (v.guarantee, v.fault) == cell)
        assert verdict.word is VerdictWord.REFUTED
        steps[name] = verdict.steps or 0
    assert 4 == steps["auto"] < steps["two"]


def test_nothing_is_said_of_its_consumers_and_tables(tmp_path: Path) -> None:
    """The rows that they judge are undecided, and say why; those of the log are not."""
    group = read(tmp_path, SAMPLE)
    analysis = GroupAnalysis(group, ReadingQuestion(), analyse_log(group))
    rows = {row.letter: row for row in summarise(analysis, analyse_log).rows}
    assert {"N", "P", "T"} == {k for k, row in rows.items() if row.note == NO_SYSTEM_OF_ACTING}
    assert {"N", "P", "T", "D"} == {k for k, row in rows.items() if row.open_under}
    assert Grade.LOSS is rows["L"].grade


def test_what_nobody_judges_is_not_called_good() -> None:
    """The tables are missing, of whatever group: the row is undecided, not proved."""
    sources = [analyse_log(sample_group())]
    rows = {row.letter: row for row in judge_rows(STOCK_PAIR, sources)}
    assert (Grade.UNDECIDED, NO_TABLES) == (rows["T"].grade, rows["T"].note)
