"""The sets of vectors: their questions, answers and schemas agree with each other."""

from __future__ import annotations

import json
from itertools import islice, pairwise
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from properties.vectors.question import RELEASES, VectorSet, list_vectors
from properties.vectors.schedules import make_vector
from properties.vectors.sets import log
from properties.vectors.sets.every_set import SETS
from properties.vectors.sets.log_boundaries import list_boundary_schedules
from reference.decisions.reading.question import QuestionError
from reference.language.machine import Action
from reference.releases.versions import parse_version
from tests.structures import SYNCHRONOUS_PAIR

SMALL = [each for each in SETS if each.name != "log"]
"""The log's schedules take too long to be listed at every change."""


@pytest.mark.parametrize("vector_set", SMALL, ids=lambda each: each.name)
def test_questions_and_answers_fit_their_schemas(vector_set: VectorSet) -> None:
    """Every line, and no question comes twice."""
    Draft202012Validator.check_schema(vector_set.ask_schema)
    Draft202012Validator.check_schema(vector_set.answer_schema)
    asked = Draft202012Validator(vector_set.ask_schema)
    answered = Draft202012Validator(vector_set.answer_schema)
    vectors = list(list_vectors(vector_set, "4.4.0"))
    for vector in vectors[:: max(1, len(vectors) // 200)]:
        asked.validate(vector["ask"])
        answered.validate(vector["answer"])
        assert not answered.is_valid({**vector["answer"], "foreign": 1})
    assert len(vectors) >= 300
    assert len(vectors) == len({json.dumps(v["ask"], sort_keys=True) for v in vectors})
    assert len(vectors) == len({v["id"] for v in vectors})


@pytest.mark.parametrize("vector_set", SMALL, ids=lambda each: each.name)
def test_questions_are_always_the_same(vector_set: VectorSet) -> None:
    """Nothing but the seed decides."""
    first, second = (list(vector_set.list_asks("4.4.0")) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("vector_set", SMALL, ids=lambda each: each.name)
def test_releases_have_files_of_their_own_only_for_other_answers(vector_set: VectorSet) -> None:
    """Two files of a set differ; a release without answers says why."""
    owners = list(dict.fromkeys(vector_set.releases.values()))
    answers = [[v["answer"] for v in list_vectors(vector_set, owner)] for owner in owners]
    assert all(one != other for one, other in pairwise(answers))
    assert bool(vector_set.unknown) == (set(RELEASES) != set(vector_set.releases))


def list_some(release: str, count: int) -> list[dict[str, Any]]:
    """Some schedules of a pair, under the rules of a release."""
    structure = parse_version(release).apply(SYNCHRONOUS_PAIR)
    asks = [each.ask for each in log._list_certified(structure)]
    return asks[:: max(1, len(asks) // count)]


def test_log_says_what_the_exporter_says() -> None:
    """Visible leaves and ghosts together are the changes of a schedule with every leaf."""
    validator = Draft202012Validator(log.LOG.answer_schema)
    refused = 0
    for ask in list_some("4.4.0", 40):
        Draft202012Validator(log.LOG.ask_schema).validate(ask)
        told = log.answer("4.4.0", ask).answer
        validator.validate(told)
        schedule = [Action(step["rule"], step["arguments"]) for step in ask["steps"]]
        parameters = log.make_parameters(ask)
        whole = make_vector("", SYNCHRONOUS_PAIR, parameters, schedule)
        changes = [s["changes"] for s in whole["steps"] if "changes" in s]
        joined = [one | two for one, two in zip(told["steps"], told["ghosts"], strict=True)]
        assert changes == joined
        assert whole["refused_step"] == told["refusedStep"]
        assert whole["failed_conditions"] == told["failedConditions"]
        assert all(map(log.is_visible, (path for step in told["steps"] for path in step)))
        refused += told["refusedStep"] is not None
    assert 5 <= refused <= 35


def test_a_schedule_ends_where_another_release_refuses() -> None:
    """Of 4.4.0's schedules a later release keeps the part that it allows, and one step more."""
    cut = 0
    for ask in list_some("4.4.0", 60):
        kept = log.cut_at_refusal("5.3.3", ask)
        if kept["steps"]:
            told = log.answer("5.3.3", kept).answer
            assert told["refusedStep"] in (None, len(kept["steps"]) - 1)
        cut += len(kept["steps"]) < len(ask["steps"])
    assert cut


def test_boundaries_are_asked_from_both_sides() -> None:
    """Conditions that fail alone, and ends of ranges that are taken and refused."""
    world = SYNCHRONOUS_PAIR.world
    parameters = world.make_search_parameters(world.everything)
    found = list_boundary_schedules(SYNCHRONOUS_PAIR, parameters, [])
    names = set()
    for name, schedule in islice(found, 150):
        names.add(name)
        told, _ = log.replay("4.4.0", log.make_ask(SYNCHRONOUS_PAIR, parameters, schedule))
        is_refused = " refused by " in name or name.endswith("its range")
        assert (told["refusedStep"] == len(schedule) - 1) == is_refused
        if " refused by " in name:
            assert told["failedConditions"] == [name.split()[-1]]
    ends = ("with highest size_bytes", "with size_bytes above its range")
    assert {f"append_message {end}" for end in ends} <= names


def test_a_question_without_meaning_is_refused() -> None:
    """One line, whatever is asked."""
    for each in SMALL:
        ask = {"role": "MASTER"} if each.name == "reading" else {"kind": "none"}
        with pytest.raises(QuestionError):
            each.answer("4.4.0", ask)
    with pytest.raises(QuestionError, match="no rule"):
        log.answer("4.4.0", list_some("4.4.0", 1)[0] | {"steps": [{"rule": "x", "arguments": {}}]})
