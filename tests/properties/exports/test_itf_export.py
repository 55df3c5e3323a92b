"""Every stored counterexample becomes a trace that others and we can read."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterable
from functools import cache
from itertools import chain
from pathlib import Path

import pytest
from itf_py import trace_from_json

from properties.exports.itf import (
    INDEX,
    SUFFIX,
    Exported,
    decode_itf,
    encode_itf,
    list_certified,
    list_counterexamples,
    list_issue_traces,
    make_issue_trace,
    write_traces,
)
from properties.scenarios.known_issues.catalogue import find_scenario, load_scenarios
from properties.schedules.judgement import is_refuted_by
from properties.verdicts.certificates import decode_cells, load
from properties.verdicts.verdict import VerdictWord
from properties.worlds.catalogue import STRUCTURES

SAMPLE = 250
SAMPLE_SEED = 20260101
NAMES = [scenario.name for scenario in load_scenarios()]


@cache
def load_exported() -> tuple[Exported, ...]:
    """Every stored counterexample."""
    return tuple(chain.from_iterable(map(list_counterexamples, list_certified())))


@cache
def load_issues() -> dict[str, Exported]:
    """The trace of every known issue, by the scenario's name."""
    return dict(zip(NAMES, list_issue_traces(), strict=True))


def check(each: Exported) -> None:
    """An independent reader sees every state; ours gives back the schedule and what it refutes."""
    document = json.loads(json.dumps(encode_itf(each.trace)))
    independent = trace_from_json(document)
    assert len(each.trace.schedule) + 1 == len(independent.states)
    trace = decode_itf(document)
    assert trace == each.trace
    if trace.guarantee is not None:
        assert is_refuted_by(trace.guarantee, trace.structure, trace.parameters, trace.schedule)


@pytest.mark.nightly
def test_a_sample_of_all_counterexamples_is_read_back() -> None:
    """A seeded one; every world and every release that has a certificate is in it."""
    exported = load_exported()
    by_structure = [next(e for e in exported if e.trace.structure == s) for s in list_certified()]
    for each in (*by_structure, *random.Random(SAMPLE_SEED).sample(exported, SAMPLE)):
        check(each)


@pytest.mark.nightly
def test_all_counterexamples_are_read_back() -> None:
    """Each of them."""
    for each in load_exported():
        check(each)


@pytest.mark.parametrize("name", NAMES)
def test_every_known_issue_is_read_back(name: str) -> None:
    """Also those that break no guarantee, and those that follow several messages."""
    each = load_issues()[name]
    assert each.file.name == f"{name}{SUFFIX}"
    check(each)


def test_every_refuted_cell_has_its_trace() -> None:
    """Each column once, in a file of its own or in one that it shares; names are unique."""
    cells = {
        (s.name, v.guarantee, v.fault)
        for s in list_certified()
        for v in decode_cells(s, load(s) or {})
        if v.word is VerdictWord.REFUTED
    }
    exported = load_exported()
    found = [(e.trace.structure.name, e.trace.guarantee, c) for e in exported for c in e.columns]
    assert sorted(cells) == sorted(found)
    files = [e.file for e in (*exported, *load_issues().values())]
    assert len(files) == len(set(files))
    assert len(load_scenarios()) == len(load_issues())


def test_files_and_index_agree(tmp_path: Path) -> None:
    """What is listed is there, and nothing else."""
    structure = STRUCTURES["delay/4.4.0"]
    folder = tmp_path / "traces"
    written = list(write_traces(list_counterexamples(structure), folder))
    index = json.loads((folder / INDEX).read_text())
    assert [e.describe() for e in written] == index
    listed = {folder / line["file"] for line in index}
    assert listed == set(folder.rglob("*.itf.json"))
    assert encode_all(written) == [json.loads((folder / e.file).read_text()) for e in written]
    with pytest.raises(FileExistsError):
        next(write_traces(written, folder))


def encode_all(traces: Iterable[Exported]) -> list[object]:
    """The documents, as JSON gives them back."""
    return [json.loads(json.dumps(encode_itf(each.trace))) for each in traces]


@pytest.mark.parametrize("messages", [0, -1, 99, "2", None, 1.5, 10**9])
def test_a_number_of_messages_that_is_none_is_refused(messages: object) -> None:
    """Nobody can ask for a machine without end."""
    document = encode_itf(make_issue_trace(find_scenario("timed_out_behind_another")))
    assert 2 == document["#meta"]["messages"]
    changed = copy.deepcopy(document)
    changed["#meta"]["messages"] = messages
    with pytest.raises(ValueError, match="no trace of this model"):
        decode_itf(changed)
