"""From a broker group's configuration to its end-to-end guarantees, from put to consumption."""

from __future__ import annotations

from collections.abc import Iterable

from properties.scenarios.reading_analysis import ReadingQuestion, analyse_readings
from properties.verdicts.analysis import compute_structure
from properties.verdicts.certificates import load_cells
from properties.verdicts.world_analysis import WorldAnalysis
from properties.worlds import PROVED_STRUCTURES
from reference.configuration.broker_group import BrokerGroup
from reference.worlds.system.structure import SystemStructure


def analyse_systems(
    groups: Iterable[BrokerGroup], question: ReadingQuestion
) -> tuple[WorldAnalysis, ...]:
    """The verdicts for each group with one slave and its readers, if they were decided.

    They come from a certificate that was made from these rules; they are not proved again. Raises
    InternalDisagreementError for one that was made from other rules.
    """
    names = dict.fromkeys(
        SystemStructure(compute_structure(group), reading.from_first.structure).name
        for group in groups
        if len(group.slaves) == 1 and not list(group.outside_the_model())
        for reading in analyse_readings([group], question)
        if reading.from_first is not None
    )
    structures = (PROVED_STRUCTURES[name] for name in names if name in PROVED_STRUCTURES)
    return tuple(
        WorldAnalysis("from put to consumed", each, tuple(load_cells(each).values()))
        for each in structures
    )
