"""The chapter for re-implementers says what vectors, judges of mutants and checker say."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from book.implementers.implementers import (
    POINTS,
    SLICES,
    Mistake,
    Point,
    list_first_judges,
    list_judges,
    list_noticing,
)
from book.usage import prediction_page
from book.usage.known_issues_page import PAGE as ISSUES
from brokers.recordings.judging import check_trace
from command_line.answers import shown_outputs as implementers
from command_line.answers.shown_outputs import CHANGE, find_recording
from properties.generated_text import SPEC
from reference.worlds.replication.rules import RULES
from spark_fuzz.judges.mutant_judge import JudgingTask, judge_rule
from tests.brokers.recordings.recordings_page import TRACES
from tests.structures import leave_most_to_night

TEXT = implementers.PAGE.path.read_text(encoding="utf-8")
SCHEMA = json.loads((SPEC / "trace.schema.json").read_text(encoding="utf-8"))


def test_every_rule_is_built_once() -> None:
    """No rule is forgotten, and none is built twice."""
    assert dict.fromkeys(RULES, 1) == Counter(rule for each in SLICES for rule in each.rules)


def test_every_vector_belongs_to_one_slice() -> None:
    """No vector is forgotten, and none counted twice; each slice has both kinds."""
    found = [list_first_judges(position) for position in range(len(SLICES))]
    assert len(list_judges()) == sum(map(len, found))
    for each, judges in zip(SLICES, found, strict=True):
        assert {True, False} == {judge.is_valid for judge in judges}, each.title
        assert all(judge.rules & set(each.rules) for judge in judges)


def test_there_are_fifteen_points() -> None:
    """Numbered in the order of the list, each with a generated part of its own."""
    assert [str(n) for n in range(1, 16)] == re.findall(r"^### (\d+)\. ", TEXT, re.MULTILINE)
    assert [point.name for point in POINTS] == re.findall(r"begin generated: point (.+) -->", TEXT)


@pytest.mark.parametrize("point", leave_most_to_night(POINTS, 5), ids=lambda point: str(point.name))
def test_the_mistake_of_a_point_is_noticed(point: Point) -> None:
    """It is a mistake in one of the point's rules, or a variant, and a vector notices it."""
    mistake = point.mistake
    assert bool(mistake.mutant) is not bool(mistake.variant)
    assert mistake.variant or mistake.mutant.partition(":")[0] in point.rules
    assert list_noticing(mistake)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "mistake", [p.mistake for p in POINTS if p.mistake.mutant], ids=lambda m: str(m.mutant)
)
def test_what_else_notices_a_mistake_is_found_again(mistake: Mistake) -> None:
    """The lemma and the recording that the chapter names."""
    rule = mistake.mutant.partition(":")[0]
    task = JudgingTask("replication", rule, ("lemmas", "recordings"), TRACES, (mistake.mutant,))
    (finding,) = judge_rule(task, lambda text: None).findings
    assert mistake.lemma == (finding.lemma or {"lemma": ""})["lemma"]
    recording = finding.recording or {"name": "", "seq": 0}
    assert (mistake.refused_by, mistake.refused_seq) == (recording["name"], recording["seq"])


def test_no_mistake_is_not_noticed() -> None:
    """The true rules make every vector as it is; also after mistakes were made."""
    assert list_noticing(POINTS[1].mistake)
    assert () == list_noticing(Mistake("is as RocketMQ has it"))


def test_issues_are_known() -> None:
    """Each thread that the chapter names stands in the catalogue or among the predictions."""
    known = "".join(
        page.path.read_text(encoding="utf-8") for page in (ISSUES, prediction_page.PAGE)
    )
    named = set(re.findall(r"(?<![\w/.])#\d{3,5}\b", TEXT))
    assert len(named) >= 5
    assert [] == [issue for issue in sorted(named) if issue not in known]


def test_the_recording_is_right_and_its_change_is_wrong(tmp_path: Path) -> None:
    """Every line follows the schema; one event decides."""
    right = find_recording()
    wrong = right.replace(*CHANGE)
    assert 1 == right.count(CHANGE[0])
    validator = Draft202012Validator(SCHEMA)
    for text in (right, wrong):
        assert all(validator.is_valid(json.loads(line)) for line in text.splitlines())
    for name, text, is_conforming in (("right", right, True), ("wrong", wrong, False)):
        path = tmp_path / f"{name}.jsonl"
        path.write_text(text, encoding="utf-8")
        assert is_conforming is check_trace(path).is_conforming


def test_the_answers_are_those_of_the_verb() -> None:
    """With its exit code, and with its options."""
    wrong = find_recording().replace(*CHANGE)
    answer = implementers.render_answer(wrong, "wrong.jsonl", "--explain")
    assert "exit code 1\n```" in answer
    assert "the state at this event:" in answer
