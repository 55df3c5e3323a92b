"""What is said of given verdicts: codes, counts and levels, without anything that proves."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

import pytest
from attrs import evolve

from command_line.answers.required import combine, judge, merge_variants
from command_line.answers.short.groups import ShortAnswer
from command_line.answers.short.junit import render_junit
from command_line.answers.short.sarif import render_sarif
from command_line.answers.short.screen import ScreenLayout, list_screen
from command_line.answers.short.shown import ShownAnswers
from command_line.output.exit_codes import ANALYSED, REFUTED, UNDECIDED
from properties.scenarios.summary.answer import BrokenClaim, Failure, Row, Summary
from properties.scenarios.summary.effects import compare
from properties.scenarios.summary.rows import compute_grade, list_kept
from properties.scenarios.summary.words import FailureKind, Grade, load_words
from properties.verdicts.analysis import Analysis
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.replication.structures import STOCK_PAIR
from reference.configuration.broker_group import ConfigurationWarning
from reference.configuration.deployments import sample_group
from reference.releases.versions import USUAL_VERSION

CLAIM = "acknowledged_is_kept_on_master"
PROVED = Verdict(CLAIM, "none", VerdictWord.PROVED)
VACUOUS = evolve(PROVED, is_vacuous=True)
DISPUTED = evolve(PROVED, disputed=("F101",))
OPEN = evolve(PROVED, word=VerdictWord.UNDECIDED)
BROKEN = evolve(PROVED, word=VerdictWord.REFUTED)


def require(*verdicts: Verdict) -> int:
    """The exit code of a requirement that these verdicts are about."""
    analysis = Analysis(STOCK_PAIR, verdicts)
    return judge(CLAIM, "", [("", analysis)]).code


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        ((PROVED,), ANALYSED),
        ((), UNDECIDED),
        ((VACUOUS,), UNDECIDED),
        ((PROVED, DISPUTED), UNDECIDED),
        ((PROVED, OPEN), UNDECIDED),
        ((OPEN, BROKEN), REFUTED),
        ((evolve(BROKEN, disputed=("F101",)),), UNDECIDED),
    ],
)
def test_only_a_proof_that_says_something_is_enough(verdicts: Any, code: int) -> None:
    """The worst verdict decides; one that real brokers dispute decides nothing."""
    assert code == require(*verdicts)


def test_requirements_together() -> None:
    """What is refuted comes before what is open; what depends on the slaves is open."""
    assert [ANALYSED, UNDECIDED, REFUTED, REFUTED] == [
        combine(codes)
        for codes in ([ANALYSED], [ANALYSED, UNDECIDED], [UNDECIDED, REFUTED], [REFUTED, ANALYSED])
    ]
    held, broken = (judge(CLAIM, "", [("", Analysis(STOCK_PAIR, (v,)))]) for v in (PROVED, BROKEN))
    for alternatives, code in (
        ((held, held), ANALYSED),
        ((held, broken), UNDECIDED),
        ((broken, held), UNDECIDED),
        ((broken, broken), REFUTED),
    ):
        (merged,) = merge_variants([[each] for each in alternatives])
        assert code == merged.code


def fail(code: str, grade: Grade) -> Failure:
    """A failure of this grade."""
    return Failure(code, f"words of {code}", FailureKind.COMMON, grade, CLAIM, "none", "x", 3)


@pytest.mark.parametrize(
    ("grades", "is_open", "grade"),
    [
        ((Grade.LOSS,), True, Grade.LOSS),
        ((Grade.RISK,), True, Grade.UNDECIDED),
        ((Grade.RISK,), False, Grade.RISK),
        ((), True, Grade.UNDECIDED),
        ((), False, Grade.OK),
    ],
)
def test_the_gravest_grade_counts(grades: Any, *, is_open: bool, grade: Grade) -> None:
    """A known loss is not hidden by what is open, and what is open may be a loss."""
    assert grade == compute_grade([fail("L12", each) for each in grades], is_open=is_open)


def test_what_is_disputed_is_not_said_to_hold() -> None:
    """Nor is what is open."""
    row = load_words().rows[0]
    claim = next(c.name for c in row.claim if c.kept)
    for verdict, kept in ((PROVED, 1), (DISPUTED, 0), (OPEN, 0), (BROKEN, 0)):
        cells = [(STOCK_PAIR, evolve(verdict, guarantee=claim))]
        assert kept == len(list(list_kept(row, cells, STOCK_PAIR))), verdict


def test_a_change_worsens_only_what_it_makes_worse() -> None:
    """The failure breaks more claims of the row than before; as many is no change."""
    code = "L12"
    one = Row(
        "L",
        "",
        Grade.LOSS,
        failures=(fail(code, Grade.LOSS),),
        fallen=(code,),
        broken=(BrokenClaim("a", (code,)), BrokenClaim("b", ())),
    )
    two = evolve(one, broken=(BrokenClaim("a", (code,)), BrokenClaim("b", (code,))))
    none = evolve(one, grade=Grade.OK, failures=(), fallen=(), broken=(BrokenClaim("a", ()),))
    assert ((), ()) == (compare([one], [one]).worsens, compare([one], [one]).eases)
    assert (code,) == compare([one], [two]).worsens
    assert (code,) == compare([two], [one]).eases
    assert (code,) == compare([one], [none]).ends
    assert (code,) == compare([none], [one]).brings


ROWS = (
    Row("L", "lost", Grade.LOSS, failures=(fail("L12", Grade.LOSS), fail("L13", Grade.RISK))),
    Row("C", "copies", Grade.RISK, failures=(fail("C12", Grade.RISK),)),
    Row("D", "twice", Grade.RISK, failures=(fail("D12", Grade.RISK),)),
    Row("N", "never", Grade.UNDECIDED, open_under=("none",)),
    Row("S", "stuck", Grade.OK),
)
ANSWER = ShortAnswer("conf", (sample_group(),), (Summary(1, {}, ROWS),))


def show(warnings: int = 0) -> ShownAnswers:
    """The answer, with so many warnings."""
    found = tuple(ConfigurationWarning(f"odd {n}", "a.conf", n + 1) for n in range(warnings))
    return ShownAnswers((ANSWER,), (), found, USUAL_VERSION, ())


def test_junit_counts_losses() -> None:
    """A risk is no failure of a test; what is open is skipped."""
    suites = ElementTree.fromstring(render_junit(show()).partition("\n")[2])
    counts = {name: int(suites.get(name, "")) for name in ("tests", "failures", "skipped")}
    assert {"tests": 5, "failures": 1, "skipped": 1} == counts
    assert 1 == len(suites.findall(".//failure"))


def test_sarif_has_a_level_for_each_grade() -> None:
    """A loss is an error, a risk a warning, what is open a note."""
    results = json.loads(render_sarif(show()))["runs"][0]["results"]
    levels = [(result["ruleId"], result["level"]) for result in results]
    assert [("L", "error"), ("L", "warning"), ("C", "warning")] == levels[:3]
    assert [("D", "warning"), ("N", "note")] == levels[3:]


@pytest.mark.parametrize(("warnings", "left"), [(0, 0), (3, 0), (4, 1), (9, 6)])
def test_warnings_that_are_not_shown_are_counted(warnings: int, left: int) -> None:
    """All of them are on the screen, or in its count."""
    lines = list(list_screen(show(warnings), 80, ScreenLayout(whole=5, kept=5)))
    assert min(warnings, 3) == sum("a.conf" in line for line in lines)
    assert bool(left) == (f"More warnings, with --all: {left}." in lines)
    assert left or not any("More warnings" in line for line in lines)
