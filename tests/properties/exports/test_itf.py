"""Traces in the Informal Trace Format: an independent reader understands them, and so do we."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from itf_py import trace_from_json

from properties.exports.itf import INITIAL_ACTION, ItfError, ItfTrace, decode_itf, encode_itf
from reference.language.leaves import flatten
from tests.properties.refutations import KnownSchedule, every_world, find_known


def make_trace(known: KnownSchedule) -> ItfTrace:
    """The known schedule as a trace."""
    return ItfTrace(known.structure, known.parameters, known.schedule, known.guarantee)


@pytest.fixture
def document() -> dict[str, Any]:
    """A trace of replication."""
    return encode_itf(make_trace(find_known("replication")))


@every_world
def test_an_independent_reader_sees_the_same_states(world: str) -> None:
    """The package itf-py reads every variable of every state; each leaf has its value."""
    known = find_known(world)
    trace = trace_from_json(json.loads(json.dumps(encode_itf(make_trace(known)))))
    assert ["parameters"] == trace.params
    assert len(known.steps) == len(trace.states)
    for step, state in zip(known.steps, trace.states, strict=True):
        assert step.index == state.meta["index"]
        assert set(trace.vars) == set(state.values) - {"parameters"}
        assert (step.action.instance if step.action else INITIAL_ACTION) == state.values["action"]
        for path, value in flatten(step.cluster).items():
            if step.index == 0 or not path.startswith("parameters."):
                assert value == look_up(state.values, path)


def look_up(values: dict[str, Any], path: str) -> Any:
    """What stands at a leaf's path in the reader's records and lists."""
    name, *rest = path.split(".")
    found = values[name]
    for part in rest:
        found = found[int(part)] if part.isdigit() else getattr(found, part)
    return found


@every_world
def test_a_document_gives_back_its_schedule(world: str) -> None:
    """Structure, sizes, limits, steps and the guarantee."""
    known = find_known(world)
    trace = make_trace(known)
    assert trace == decode_itf(json.loads(json.dumps(encode_itf(trace))))


def change_state(document: dict[str, Any]) -> None:
    """A number in the middle."""
    document["states"][3]["master"]["connection_count"] = {"#bigint": "7"}


def change_action(document: dict[str, Any]) -> None:
    """A step that is impossible there."""
    document["states"][1]["action"] = "restart_master"


def name_no_rule(document: dict[str, Any]) -> None:
    """A step of no rule."""
    document["states"][1]["action"] = "rain"


def name_no_structure(document: dict[str, Any]) -> None:
    """A deployment that there is not."""
    document["#meta"]["structure"] = "SYNC_MASTER"


def name_no_guarantee(document: dict[str, Any]) -> None:
    """One that is not claimed of this deployment."""
    document["#meta"]["guarantee"] = "no_message_is_skipped"


def drop_parameters(document: dict[str, Any]) -> None:
    """Nothing says how large a file is."""
    del document["states"][0]["parameters"]


def drop_states(document: dict[str, Any]) -> None:
    """Not even a first state."""
    document["states"] = []


def add_variable(document: dict[str, Any]) -> None:
    """One that the model does not have."""
    document["states"][2]["weather"] = "rain"


def break_arguments(document: dict[str, Any]) -> None:
    """No map."""
    document["states"][1]["arguments"] = ["size_bytes"]


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (change_state, "state 3 is not what the reference comes to: master"),
        (change_action, "is refused"),
        (name_no_rule, "rain"),
        (name_no_structure, "SYNC_MASTER"),
        (name_no_guarantee, "no_message_is_skipped is no guarantee"),
        (drop_parameters, "parameters"),
        (drop_states, "no trace"),
        (add_variable, "weather"),
        (break_arguments, "no trace"),
    ],
)
def test_a_changed_document_is_refused(
    document: dict[str, Any], change: Callable[[dict[str, Any]], None], word: str
) -> None:
    """In one line that names what is wrong."""
    changed = copy.deepcopy(document)
    change(changed)
    with pytest.raises(ItfError, match=word) as refusal:
        decode_itf(changed)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("document", [None, 7, [], {}, {"#meta": {}, "states": [{}]}, "text"])
def test_something_else_is_refused(document: object) -> None:
    """JSON that is no trace at all."""
    with pytest.raises(ItfError, match="no trace"):
        decode_itf(document)
