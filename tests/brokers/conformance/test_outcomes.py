"""What a run makes of its cases: words, reports, exit codes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from attrs import evolve

from brokers.broker.broker import Broker
from brokers.broker.mutants import MUTANTS
from brokers.conformance.acts import CatchUp, Put, Restart, Start, Wait
from brokers.conformance.case import master_case
from brokers.conformance.judging import (
    FAILED,
    INCONCLUSIVE,
    PASSED,
    SKIPPED,
    VACUOUS,
    CaseOutcome,
    judge,
)
from brokers.conformance.running import BrokerUnderTest, NoBrokerError, find_obstacle, run_command
from brokers.conformance.stage import Played
from command_line.conform import find_exit_code
from command_line.conformance.junit import render_junit
from command_line.conformance.matrix_page import render_matrix
from command_line.conformance.run_report import make_report, say_counts, say_outcome
from tests.brokers.conformance.catching import ALL_CASES
from tests.brokers.conformance.simulated_broker import make_settings, play_case

CASE = master_case("one put", ("put.md",), Start("slave1"), CatchUp(), Put(300))
IDLE = master_case("nothing at all", ("put.md",), Wait(10.0))
LIAR = "an empty slave joins while a put waits at a file's end"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """The case, played once."""
    return play_case(CASE, tmp_path_factory.mktemp("case"))


def test_a_wrong_answer_fails_and_names_its_event(tmp_path: Path) -> None:
    """A mutant's frames are not where the rules have them."""
    parts = MUTANTS["frame_names_its_end"].parts
    wrong = play_case(CASE, tmp_path, make_broker=lambda s, h: Broker(s, h, parts=parts))
    outcome = judge(CASE, wrong)
    assert outcome.word == FAILED
    assert outcome.seq is not None
    assert f"seq {outcome.seq}" in outcome.reason
    slow = judge(CASE, evolve(wrong, late_ms=40.0))
    assert slow.word == INCONCLUSIVE
    assert "40 ms late" in slow.reason


def test_a_case_that_excludes_nothing_is_vacuous(tmp_path: Path) -> None:
    """Nobody was asked anything."""
    assert judge(IDLE, play_case(IDLE, tmp_path)).word == VACUOUS


def test_a_request_without_an_answer_fails(played: Played) -> None:
    """Even if all else is explained."""
    assert judge(CASE, evolve(played, unanswered=1)).word == FAILED


def test_a_conforming_broker_may_break_its_promise(tmp_path: Path) -> None:
    """4.4.0 acknowledges what no slave was sent, and that is told."""
    case = next(each for each in ALL_CASES if each.name == LIAR)
    outcome = judge(case, play_case(case, tmp_path))
    assert outcome.word == PASSED
    assert any(each.startswith("false_acknowledgement") for each in outcome.broken)
    assert any("guarantee broken" in line for line in say_outcome(outcome))


def test_a_case_tells_which_setting_it_needs(tmp_path: Path) -> None:
    """It is skipped, not failed."""
    case = master_case("far", ("put.md",), Put(), needs={"haSlaveFallbehindMax": (1, 2)})
    target = BrokerUnderTest(make_settings(CASE, "4.4.0", tmp_path, {}))
    assert find_obstacle(CASE, target) == ""
    assert "haSlaveFallbehindMax is 268435456" in find_obstacle(case, target)
    role = master_case("async", ("put.md",), Put(), words={"brokerRole": "ASYNC_MASTER"})
    assert "ASYNC_MASTER" in find_obstacle(role, target)


def test_a_restart_needs_a_command_that_ends_well(tmp_path: Path) -> None:
    """Without one the case is skipped; one that fails is told."""
    case = master_case("again", ("put.md",), Put(), Restart(), Put())
    target = BrokerUnderTest(make_settings(CASE, "4.4.0", tmp_path, {}))
    assert "--restart" in find_obstacle(case, target)
    target = evolve(target, restart="true")
    assert "--broker" in find_obstacle(case, target)
    assert find_obstacle(case, evolve(target, broker_address="master-host:10911")) == ""
    asyncio.run(run_command("--restart", "true"))
    with pytest.raises(NoBrokerError, match="--restart ends with 3: no store"):
        asyncio.run(run_command("--restart", "echo no store >&2; exit 3"))


CASES = [evolve(CASE, name=f"case {n}") for n in range(5)]
OUTCOMES = [
    CaseOutcome(CASES[0], PASSED, excluded="seq 3: no put"),
    CaseOutcome(CASES[1], FAILED, "seq 3: because", 3, waiver="known"),
    CaseOutcome(CASES[2], FAILED, "seq 4: <why>", 4),
    CaseOutcome(CASES[3], INCONCLUSIVE, "late"),
    CaseOutcome(CASES[4], SKIPPED, "not empty"),
]


def test_reports_say_the_same() -> None:
    """JSON, JUnit and the page."""
    report = make_report("a <broker>", "master", "4.4.0", OUTCOMES)
    assert report["counts"][FAILED] == report["counts"]["waived"] == 1
    suite = ElementTree.fromstring(render_junit(report))
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("5", "1", "3")
    page = render_matrix([json.loads(json.dumps(report)), report])
    assert "a &lt;broker&gt;" in page
    assert "&lt;why&gt;" in page
    assert say_counts(report["counts"]).startswith("1 conform, 1 fail, 1 are inconclusive")


@pytest.mark.parametrize(
    ("chosen", "is_strict", "code"),
    [
        ([0], False, 0),
        ([0, 1], False, 0),
        ([0, 2], False, 1),
        ([0, 3], False, 2),
        ([0, 4], False, 0),
        ([0, 4], True, 2),
        ([4], False, 1),
        ([], False, 1),
    ],
)
def test_exit_codes(chosen: list[int], is_strict: bool, code: int) -> None:
    """A failure that is not waived is one; no case at all is one too."""
    assert find_exit_code([OUTCOMES[n] for n in chosen], is_strict=is_strict) == code
