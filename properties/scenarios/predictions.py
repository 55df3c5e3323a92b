"""Predictions: what the model says of real brokers and nobody has reported, with recipes."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from attrs import field, frozen

from properties.verdicts.certificates import load_refuted
from properties.verdicts.verdict import Verdict
from properties.worlds.replication.structures import CERTIFIED_BY_NAME
from reference.worlds.replication.structure import Structure

PREDICTIONS_FILE = Path(__file__).parent / "predictions.toml"


@frozen
class Prediction:
    """One prediction. Its texts are Markdown; lists are read in their order."""

    name: str
    title: str
    explanation: str
    """The class that its schedule belongs to."""
    claim: str
    """With fault and structure: the cell whose schedule it is about."""
    fault: str
    structure_name: str
    what: str
    """The mechanism, in a paragraph."""
    unreported: str
    """Where we looked for a report."""
    configuration: tuple[str, ...] = field(converter=tuple)
    """Brokers and their settings."""
    events: tuple[str, ...] = field(converter=tuple)
    """What to do, in this order."""
    expected: tuple[str, ...] = field(converter=tuple)
    """What is to be observed."""
    refuted_by: tuple[str, ...] = field(converter=tuple)
    """What would show that the prediction, and with it the model, is wrong."""
    repaired_by: tuple[str, ...] = field(converter=tuple)
    """Variants under which the schedule is impossible or harmless."""
    repair_note: str = ""
    seen: tuple[str, ...] = field(default=(), converter=tuple)
    """What of it was recorded or seen so far."""
    staged: tuple[str, ...] = field(default=(), converter=tuple)
    """What real brokers did when it was staged, with recordings."""
    features: tuple[str, ...] = field(default=(), converter=tuple)
    """What its schedule shows beyond its class."""

    @property
    def structure(self) -> Structure:
        """The structure of its cell."""
        return CERTIFIED_BY_NAME[self.structure_name]


@cache
def load_predictions() -> tuple[Prediction, ...]:
    """Every prediction, in the order of the file."""
    entries: list[dict[str, Any]] = tomllib.loads(PREDICTIONS_FILE.read_text())["prediction"]
    return tuple(Prediction(structure_name=e.pop("structure"), **e) for e in entries)


def get_cell(prediction: Prediction) -> Verdict:
    """The refuted cell of a prediction. Raises LookupError where it is not refuted any more."""
    return load_refuted(prediction.structure, prediction.claim, prediction.fault)
