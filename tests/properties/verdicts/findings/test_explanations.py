"""Every refuted cell is a documented problem or a prediction, and what they cite is there."""

from __future__ import annotations

import json
import re
import tomllib
from itertools import groupby
from pathlib import Path

import pytest
from attrs import evolve

from properties.language.property import PropertyRole
from properties.scenarios.predictions import Prediction, get_cell, load_predictions
from properties.schedules.judgement import follow, is_refuted_by
from properties.verdicts.certificates import decode_cells, load
from properties.verdicts.findings.explanations import (
    Explanation,
    explain_all,
    load_explanations,
    replay_states,
    shows,
)
from properties.verdicts.verdict import VerdictWord
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME
from properties.worlds.replication.world import CLAIMS, REPLICATION
from reference.language.machine import Action
from reference.worlds.replication.changes import VARIANTS
from reference.worlds.replication.lineage import has_message
from reference.worlds.replication.parameters import SMALL_PARAMETERS
from reference.worlds.replication.put import is_acknowledged
from reference.worlds.replication.rules import RULES

ROOT = Path(__file__).parents[4]
SHARED = ROOT.parent / "shared"
CITATION = re.compile(r"`?(\w+)`? seq (\d+) \(`?(\w+)`?\)")

EXPLANATIONS = load_explanations()
PREDICTIONS = load_predictions()


def name_of(entry: Explanation | Prediction) -> str:
    """The name of an entry, for messages."""
    return entry.name


def test_every_refuted_cell_is_explained_and_no_class_is_empty() -> None:
    """``explain_all`` raises where no class fits; each class is the first to fit somewhere."""
    found = {explanation.name for _, _, explanation in explain_all()}
    assert [e.name for e in EXPLANATIONS if e.name not in found] == []
    assert len({e.name for e in EXPLANATIONS}) == len(EXPLANATIONS)


def test_every_claim_of_a_class_is_broken_by_it() -> None:
    """A class names no claim for which it explains no cell."""
    broken = {(e.name, verdict.guarantee) for _, verdict, e in explain_all()}
    assert {(e.name, claim) for e in EXPLANATIONS for claim in e.claims} == broken


@pytest.mark.parametrize("explanation", EXPLANATIONS, ids=name_of)
def test_class_is_documented_or_predicted(explanation: Explanation) -> None:
    """It has a report or a recording, or else a prediction; and it names what exists."""
    assert explanation.rules or explanation.features
    assert set(explanation.rules) <= set(RULES)
    assert set(explanation.features) <= set(REPLICATION.select(PropertyRole.FEATURE))
    assert set(explanation.claims) <= set(CLAIMS)


def test_predictions_and_classes_agree() -> None:
    """Every predicted class has its recipe, and every feature is used."""
    predicted = {e.name for e in EXPLANATIONS if e.is_prediction}
    assert predicted <= {p.explanation for p in PREDICTIONS}
    used = {name for entry in (*EXPLANATIONS, *PREDICTIONS) for name in entry.features}
    assert set(REPLICATION.select(PropertyRole.FEATURE)) == used


def test_cited_issues_are_in_the_ledger() -> None:
    """Each is a row of the survey of known issues, or a request of users."""
    known = set()
    for path in (ROOT / "spec" / "ledger").glob("known_issues_*.toml"):
        known |= {entry["id"] for entry in tomllib.loads(path.read_text())["entry"]}
    assert set() == {issue for e in EXPLANATIONS for issue in e.issues} - known


@pytest.mark.skipif(not SHARED.is_dir(), reason="the sources are not beside this checkout")
def test_cited_threads_are_in_the_sources() -> None:
    """Each number stands in the survey of known issues or in the dossier."""
    text = (SHARED / "known_issues.md").read_text() + (SHARED / "semantics.md").read_text()
    numbers = set(re.findall(r"(?<!\w)(?:ali)?#\d+", text))
    assert set() == {thread for e in EXPLANATIONS for thread in e.threads} - numbers


def test_cited_lines_of_recordings_exist() -> None:
    """Classes and predictions cite lines that are there, and are of the kind they say."""
    cited = [line for e in EXPLANATIONS for line in e.recordings]
    cited += [line for p in PREDICTIONS for line in p.seen]
    citations = sorted({c for line in cited for c in CITATION.findall(line)})
    assert citations
    for name, group in groupby(citations, key=lambda citation: citation[0]):
        text = (ROOT / "tests" / "data" / "traces" / f"{name}.jsonl").read_text(encoding="utf-8")
        kinds = {str(e["seq"]): e["ev"] for e in map(json.loads, text.splitlines())}
        assert [] == [c for c in group if kinds.get(c[1]) != c[2]]


@pytest.mark.parametrize("prediction", PREDICTIONS, ids=name_of)
def test_prediction_is_about_its_cell(prediction: Prediction) -> None:
    """Its cell is refuted, belongs to its class, and its schedule shows its features."""
    verdict = get_cell(prediction)
    explanations = {
        e.name
        for structure, found, e in explain_all()
        if structure == prediction.structure and found == verdict
    }
    assert {prediction.explanation} == explanations
    states = replay_states(prediction.structure, verdict)
    assert all(shows(states, name) for name in prediction.features)


@pytest.mark.parametrize("prediction", PREDICTIONS, ids=name_of)
def test_repairs_of_a_prediction_repair_it(prediction: Prediction) -> None:
    """Its schedule does not refute the variant, nor is the variant's cell of the same class."""
    verdict = get_cell(prediction)
    limits = FAULT_MODEL_BY_NAME[verdict.fault].search_limits
    parameters = evolve(SMALL_PARAMETERS, limits=limits)
    assert set(prediction.repaired_by) <= set(VARIANTS)
    for name in prediction.repaired_by:
        repaired = evolve(prediction.structure, variants=(name,))
        assert not is_refuted_by(prediction.claim, repaired, parameters, verdict.schedule)
        document = load(repaired)
        cells = decode_cells(repaired, document) if document is not None else []
        for cell in cells:
            if (cell.guarantee, cell.fault) == (prediction.claim, prediction.fault):
                assert cell.word is VerdictWord.PROVED


def test_recorded_false_answer_needs_no_corner() -> None:
    """With one put more, which makes the next file, the slave that joins late answers as well."""
    cells = [(s, v) for s, v, e in explain_all() if e.name == "late_join_answers"]
    assert cells
    for structure, verdict in cells:
        limits = FAULT_MODEL_BY_NAME[verdict.fault].search_limits
        parameters = evolve(SMALL_PARAMETERS, limits=limits)
        put = Action("append_other_message", {"size_bytes": 1})
        filled = [a.instance for a in verdict.schedule].index("fill_file") + 1
        schedule = (*verdict.schedule[:filled], put, *verdict.schedule[filled:])
        *_, (_, last) = follow(structure, parameters, schedule)
        (message,) = last.messages
        assert is_acknowledged(message)
        assert not any(has_message(slave.log, message) for slave in last.slaves)
