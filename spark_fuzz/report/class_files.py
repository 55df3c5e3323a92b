"""A class of violations in files: its story, a trace, a test, and when it became inevitable.

``classes.json`` has all classes; the folder ``classes`` beside it has for each one a trace in the
Informal Trace Format and a test file.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from properties.exports.itf import ItfTrace, encode_itf
from properties.schedules.judgement import JudgedStep, replay
from properties.schedules.regression import format_regression
from properties.schedules.telling import tell
from properties.verdicts.certificates import decode_schedule, encode_schedule
from reference.language.machine import Action
from spark_fuzz.campaign.schedule import CampaignOptions, parse_identifier
from spark_fuzz.campaign.store import CampaignError, put_in_place
from spark_fuzz.kernel.ancestry import parse_lineage


@frozen
class Continuations:
    """The outcomes of continuations after each step of a schedule that violates a guarantee."""

    violating: tuple[int, ...]
    """The number that violate the guarantee after step 0, 1, and so on; at the end all of them."""
    drawn: int
    """The number drawn after each step."""

    @property
    def inevitable_step(self) -> int:
        """The first step from which on all of them violate; 0 means from the beginning."""
        return self._find_first_step(self.drawn)

    @property
    def likely_step(self) -> int:
        """The first step from which on more than half of them violate."""
        return self._find_first_step(self.drawn // 2 + 1)

    def __str__(self) -> str:
        step, last = self.inevitable_step, len(self.violating) - 1
        if 0 < step == last:
            likely = self.likely_step
            but = f", but likely from step {likely} on" if likely < step else ""
            before = f"before it {self.violating[-2]} of {self.drawn} continuations violate"
            return f"inevitable with the last step only{but}; {before}"
        since = f"from step {step} on" if step else "from the beginning"
        every = f"{self.drawn} of {self.drawn}"
        return f"inevitable {since}: without further faults {every} continuations violate"

    def _find_first_step(self, least: int) -> int:
        step = len(self.violating) - 1
        while step and self.violating[step - 1] >= least:
            step -= 1
        return step


CLASSES_FILE = "classes.json"
CLASSES_FOLDER = "classes"


@frozen
class ViolationClass:
    """A class of violations, with the member that represents it."""

    guarantee: str
    rules: str
    """The rules that fire and how often, for example ``kill_master, put_message x2``."""
    members: int
    """The number of shortened schedules that belong to it."""
    identifier: str
    """The identifier of the campaign's schedule that was shortened."""
    schedule: tuple[Action, ...]
    """The shortened schedule; no step is needless."""
    continuations: Continuations
    file_stem: str
    """The stem of its files: its number and its guarantee."""

    @property
    def trace(self) -> ItfTrace:
        """The shortened schedule with its deployment and sizes."""
        options, number = parse_identifier(self.identifier)
        parameters = options.compute_environment(number).parameters
        return ItfTrace(options.structure, parameters, self.schedule, self.guarantee)

    @property
    def steps(self) -> list[JudgedStep]:
        """Every state of the schedule, judged by the class's guarantee."""
        trace = self.trace
        named = (self.guarantee,)
        return list(replay(trace.structure, trace.parameters, trace.schedule, named))

    @property
    def trace_file(self) -> str:
        """The path of its trace in the campaign's folder."""
        return f"{CLASSES_FOLDER}/{self.file_stem}.itf.json"

    @property
    def test_file(self) -> str:
        """The path of its test in the campaign's folder."""
        return f"{CLASSES_FOLDER}/test_{self.file_stem.replace('-', '_')}.py"


def number_classes(
    rows: Sequence[Mapping[str, Any]], options: CampaignOptions
) -> list[ViolationClass]:
    """The rows of ``find_classes`` as classes, numbered from 1 in their order."""
    width = max(2, len(str(len(rows))))
    return [
        ViolationClass(
            guarantee=row["guarantee"],
            rules=row["rules"],
            members=row["members"],
            identifier=options.format_identifier(parse_lineage(row["lineage"])),
            schedule=decode_schedule(json.loads(row["minimal_schedule"])),
            continuations=Continuations(
                tuple(row["violating_continuations"]), row["continuations"]
            ),
            file_stem=f"{number:0{width}}-{row['guarantee']}",
        )
        for number, row in enumerate(rows, start=1)
    ]


def write_classes(folder: Path, classes: Sequence[ViolationClass]) -> None:
    """Write classes.json and the files of each class into a campaign's folder."""
    (folder / CLASSES_FOLDER).mkdir(exist_ok=True)
    for each in classes:
        trace = each.trace
        put_text(folder / each.trace_file, json.dumps(encode_itf(trace), indent=1) + "\n")
        regression = format_regression(
            each.guarantee, trace.structure, trace.parameters, each.schedule, each.identifier
        )
        put_text(folder / each.test_file, regression)
    encoded = [encode_class(each) for each in classes]
    put_text(folder / CLASSES_FILE, json.dumps(encoded, indent=1) + "\n")


def read_classes(folder: Path) -> list[ViolationClass] | None:
    """The classes that were written; None if there are none yet.

    Raises CampaignError for a file that another version has written.
    """
    path = folder / CLASSES_FILE
    if not path.exists():
        return None
    try:
        return [decode_class(each) for each in json.loads(path.read_text())]
    except (ValueError, KeyError, TypeError) as problem:
        raise CampaignError(
            f"{path} is none of this version's ({problem!r}); make it anew: "
            f"{shlex.join(['rmqspec', 'fuzz', '--resume', str(folder), '--classes'])}"
        ) from problem


def put_text(path: Path, text: str) -> None:
    """Put a text in place as a whole."""
    with put_in_place(path) as temporary:
        temporary.write_text(text)


def encode_class(each: ViolationClass) -> dict[str, Any]:
    """A class as an entry of classes.json."""
    return {
        "guarantee": each.guarantee,
        "rules": each.rules,
        "steps": len(each.schedule),
        "members": each.members,
        "identifier": each.identifier,
        "minimal_schedule": encode_schedule(each.schedule),
        "sentences": [str(sentence) for sentence in tell(each.guarantee, each.steps)],
        "inevitable_step": each.continuations.inevitable_step,
        "likely_step": each.continuations.likely_step,
        "violating_continuations": list(each.continuations.violating),
        "continuations": each.continuations.drawn,
        "trace_file": each.trace_file,
        "test_file": each.test_file,
    }


def decode_class(entry: Mapping[str, Any]) -> ViolationClass:
    """The class that ``encode_class`` wrote."""
    return ViolationClass(
        guarantee=entry["guarantee"],
        rules=entry["rules"],
        members=entry["members"],
        identifier=entry["identifier"],
        schedule=decode_schedule(entry["minimal_schedule"]),
        continuations=Continuations(
            tuple(entry["violating_continuations"]), entry["continuations"]
        ),
        file_stem=Path(entry["trace_file"]).name.removesuffix(".itf.json"),
    )
