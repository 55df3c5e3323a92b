"""Predictions: unreported behaviour of real brokers according to the model, with recipes."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from attrs import field, frozen

from properties.verdicts.certificates import load_refuted
from properties.verdicts.verdict import Verdict
from properties.worlds.replication.structures import CERTIFIED_BY_NAME
from properties.worlds.replication.world import REPLICATION, ClaimedGroup

PREDICTIONS_FILE = REPLICATION.reasons / "predictions.toml"


@frozen
class Prediction:
    """One prediction. Its texts are Markdown; lists are read in their order."""

    name: str
    title: str
    explanation: str
    """The class that its schedule belongs to."""
    claim: str
    """With fault and structure: the verdict whose schedule it is about."""
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
    """The expected observations."""
    refuted_by: tuple[str, ...] = field(converter=tuple)
    """Observations that would refute the prediction, and with it the model."""
    repaired_by: tuple[str, ...] = field(converter=tuple)
    """Variants under which the schedule is impossible or harmless."""
    repair_note: str = ""
    seen: tuple[str, ...] = field(default=(), converter=tuple)
    """The parts of it that were recorded or observed so far."""
    staged: tuple[str, ...] = field(default=(), converter=tuple)
    """The behaviour of real brokers when it was staged, with recordings."""
    features: tuple[str, ...] = field(default=(), converter=tuple)
    """Features of its schedule beyond those of its class."""

    @property
    def structure(self) -> ClaimedGroup:
        """The structure of its verdict."""
        return CERTIFIED_BY_NAME[self.structure_name]


@cache
def load_predictions() -> tuple[Prediction, ...]:
    """Every prediction, in the order of the file."""
    entries: list[dict[str, Any]] = tomllib.loads(PREDICTIONS_FILE.read_text())["prediction"]
    return tuple(Prediction(structure_name=e.pop("structure"), **e) for e in entries)


def get_cell(prediction: Prediction) -> Verdict:
    """The refuted verdict of a prediction. Raises LookupError if it is no longer refuted."""
    return load_refuted(prediction.structure, prediction.claim, prediction.fault)
