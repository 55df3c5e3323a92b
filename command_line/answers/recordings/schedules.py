"""The schedules that explain recordings, as files: a trace for tools, and a vector."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import define, evolve, field

from brokers.explaining.told.verdict import GroupVerdict
from brokers.recordings.judging import TraceVerdict
from properties.exports.itf import COUNTS_MAX, SUFFIX, ItfTrace, encode_itf
from properties.vectors.schedules import make_vector
from properties.worlds.catalogue import STRUCTURES


@define
class ScheduleFolder:
    """A folder with two files for each group: ``NAME.itf.json`` and ``NAME.vector.json``."""

    folder: Path
    names: set[str] = field(factory=set)

    def write(self, verdict: TraceVerdict) -> Iterator[str]:
        """What was written of a recording, and what was not, a line each."""
        stem, groups = Path(verdict.file).stem, verdict.groups
        for number, group in enumerate(groups, start=1):
            trace = make_trace(group, verdict.file)
            if trace is None:
                yield f"  no schedule is written: {say_missing(groups, number)}"
                continue
            name = self.choose_name(f"{stem}-group{number}" if len(groups) > 1 else stem)
            vector = make_vector(name, trace.structure, trace.parameters, trace.schedule)
            self._write(f"{name}{SUFFIX}", encode_itf(trace))
            self._write(f"{name}.vector.json", vector)
            yield f"  {len(trace.schedule)} steps are in {self.folder / name}{SUFFIX}"

    def choose_name(self, stem: str) -> str:
        """One that no other file has."""
        name, number = stem, 1
        while name in self.names:
            number += 1
            name = f"{stem}-{number}"
        self.names.add(name)
        return name

    def _write(self, name: str, document: object) -> None:
        text = json.dumps(document) + "\n"
        (self.folder / name).write_text(text, encoding="utf-8")


def make_trace(group: GroupVerdict, file: str) -> ItfTrace | None:
    """The schedule of a group; None if it has none, or is of no structure of the catalogue."""
    cluster, parameters = group.cluster, group.parameters
    if cluster is None or parameters is None:
        return None
    shape = cluster.structure
    known = STRUCTURES.get(shape.name)
    if known is None:
        return None
    structure = evolve(known, **{name: getattr(shape, name) for name in COUNTS_MAX})
    description = f"What explains {Path(file).name}, up to its last event that is explained"
    return ItfTrace(structure, parameters, group.schedule, description=description)


def say_missing(groups: Sequence[GroupVerdict], number: int) -> str:
    """Why a group has none."""
    where = f"group {number} " if len(groups) > 1 else "it "
    cluster = groups[number - 1].cluster
    if cluster is None or cluster.structure.name in STRUCTURES:
        return f"{where}was explained without the model's steps"
    return f"{where}is a {cluster.structure.name}, which has no structure in the catalogue"
