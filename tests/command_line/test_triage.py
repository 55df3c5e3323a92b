"""What triage prints."""

from __future__ import annotations

import json

import pytest

from command_line.answers.triage import as_json, print_triage
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME
from properties.z3.triage import triage
from tests.structures import SYNCHRONOUS_PAIR

NO_FAULT = FAULT_MODEL_BY_NAME["none"]


def test_every_counterexample_has_its_answer(capsys: pytest.CaptureFixture[str]) -> None:
    """The excluded one with what excludes it, the reachable one with its timeline."""
    print_triage(SYNCHRONOUS_PAIR, NO_FAULT, "message_is_stored_once")
    text = capsys.readouterr().out
    assert "message_is_stored_once: A message is in the master's commit log at most once." in text
    assert "\nappend_other_message(size_bytes=1): excluded by intact_master" in text
    assert "\nsend_again[0](size_bytes=1): reachable, 3 steps\n" in text
    assert "✗ message_is_stored_once" in text


def test_answers_are_json() -> None:
    """Each answer survives JSON, with its schedule."""
    found = triage(SYNCHRONOUS_PAIR, NO_FAULT, "message_is_stored_once", depth_limit=3)
    answers = json.loads(json.dumps([as_json(one) for one in found]))
    assert {"excluded", "reachable"} == {one["answer"] for one in answers}
    assert [3] == [len(one["schedule"]) for one in answers if one["answer"] == "reachable"]
