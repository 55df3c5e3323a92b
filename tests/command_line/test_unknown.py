"""What is not known is said aloud: questions that Z3 gave up, and tables that are stale."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from command_line.answers.restrictions import print_resting
from command_line.answers.short.groups import ShortAnswer
from command_line.answers.short.shown import list_unknown
from command_line.output import exit_codes
from properties.language.world import ClaimedStructure
from properties.restrictions import counting, evidence
from properties.restrictions.results import make_disagreement
from properties.scenarios.analysis import reading
from properties.scenarios.summary.answer import (
    Failure,
    Row,
    Summary,
    decode_summary,
    encode_summary,
)
from properties.scenarios.summary.summary import weigh
from properties.scenarios.summary.words import FailureKind, Grade
from properties.verdicts import analysis, certificates
from properties.verdicts.analysis import Analysis
from properties.verdicts.certificates import load_cells
from properties.verdicts.verdict import InternalDisagreementError, VerdictWord
from properties.worlds.replication.structures import STOCK_PAIR
from properties.z3 import induction
from reference.configuration.deployments import sample_group
from tests.command_line.run import CONF, run

ALONE = CONF / "2m-noslave" / "broker-a.properties"
RENEW = "rmqspec renew"
CACHED = (
    induction._prove_lemmas,
    induction._list_inductive,
    certificates.decide_fault_models,
    reading.decide_reading,
    analysis.decide_certified,
)


def say(summary: Summary) -> str:
    """What the screen says is unknown of a pair."""
    return " ".join(list_unknown(ShortAnswer("", (sample_group(),), (summary,))))


@pytest.fixture(name="fresh")
def forget_around() -> Iterator[None]:
    """Nothing that was proved before is known in this process."""
    for cached in CACHED:
        cached.cache_clear()
    yield
    for cached in CACHED:
        cached.cache_clear()


@pytest.mark.usefixtures("fresh")
def test_an_exhausted_solver_ends_no_answer(tmp_path: Path) -> None:
    """Losses are answered, proofs are open, and nothing of it is kept for the next run."""
    env = {"XDG_CACHE_HOME": str(tmp_path), "COLUMNS": "200"}
    required = ("--slaves", "0", "--require", "acknowledged_is_kept_on_master:none")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(induction, "RLIMIT_PER_QUERY", 10)
        result = run("check", ALONE, *required, env=env)
    assert result.returncode == exit_codes.UNDECIDED
    assert "Traceback" not in result.stderr
    assert "loss Acknowledged messages lost" in result.stdout
    assert "Proved to hold" not in result.stdout
    assert "Z3 gave up within its limit of work on whether " in result.stdout
    assert [] == list(tmp_path.glob("rmqspec/*"))


ROW = Row("L", "Acknowledged messages lost", Grade.UNDECIDED)
LOST = Failure("L12", "", FailureKind.COMMON, Grade.LOSS, "a", "none", "x", 3)


@pytest.mark.parametrize(
    ("rows", "is_decided"),
    [
        ((), False),
        ((ROW, ROW), False),
        ((ROW, evolve(ROW, grade=Grade.OK)), True),
        ((ROW, evolve(ROW, grade=Grade.NOT_PROMISED)), True),
        ((ROW, evolve(ROW, grade=Grade.LOSS, failures=(LOST,))), True),
    ],
)
def test_nothing_is_decided_where_every_row_is_open(rows: Any, *, is_decided: bool) -> None:
    """Such a group's `check` leaves with 2."""
    assert is_decided == Summary(1, {}, rows).is_decided


def test_given_up_questions_are_named_once() -> None:
    """The first one, and how many more there are; as data all of them."""
    summary = Summary(1, {}, gave_up=("whether a follows, none", "whether b follows, none"))
    told = say(summary)
    assert "on whether a follows, none and 1 more question; nothing of it is remembered." in told
    assert summary == decode_summary(encode_summary(summary))


@pytest.fixture(name="stale")
def make_stale(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The table of restrictions was made from other rules."""

    def load_judged(structure: ClaimedStructure, *_: Any) -> Any:
        raise make_disagreement(structure, "made from other rules")

    cached = (evidence.find_bearing, evidence.find_unevidenced, evidence.is_table_current)
    for each in cached:
        each.cache_clear()
    monkeypatch.setattr(evidence, "load_judged", load_judged)
    yield
    monkeypatch.undo()
    for each in cached:
        each.cache_clear()


@pytest.mark.usefixtures("stale")
def test_a_stale_table_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    """Not none: neither on the screen, nor below the tables, nor in the book."""
    cells = tuple(load_cells(STOCK_PAIR).values())
    proved = [v for v in cells if v.word is VerdictWord.PROVED]
    kept = sum(not v.is_vacuous for v in proved)
    assert (0, kept) == weigh(Analysis(STOCK_PAIR, cells))
    told = say(Summary(1, {}, unweighed=kept))
    assert f"It is unknown how many of {kept} proofs rely on RocketMQ's source alone" in told
    assert RENEW in told
    print_resting(STOCK_PAIR, cells)
    printed = " ".join(capsys.readouterr().out.split())
    assert f"It is unknown how many of {len(proved)} proofs" in printed
    assert RENEW in printed
    with pytest.raises(InternalDisagreementError, match=RENEW):
        counting.compute_tally("replication")


def test_a_current_table_is_counted() -> None:
    """As README shows it."""
    cells = tuple(load_cells(STOCK_PAIR).values())
    resting, unknown = weigh(Analysis(STOCK_PAIR, cells))
    assert (resting > 0, unknown) == (True, 0)
    vacuous = tuple(evolve(cell, is_vacuous=True) for cell in cells)
    assert (0, 0) == weigh(Analysis(STOCK_PAIR, vacuous))
    assert "18 proofs rely on RocketMQ's source alone" in say(Summary(1, {}, resting=18))
