"""Starts: their structures, rules, initial state and lane.

``RUNNING log SIZED/EMPTY queue ABSENT/ABSENT m-`` is a broker that serves. Of each file the stage
as processes see it stands before that on the disk; ``m`` is the followed message in the log and
``e`` its entry in the queue, ``M`` and ``E`` if the disk has them too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from attrs import frozen

from reference.language.rule import Rule, collect_rules
from reference.language.structure import Lanes, LaneText, Step, fill_one_lane
from reference.worlds.starts import disk, files, lifecycle
from reference.worlds.starts.shape import StartsShape
from reference.worlds.starts.state import (
    DOWN,
    PHASE_NAMES,
    STAGE_NAMES,
    NewestFile,
    StartingBroker,
    StartsParameters,
)

WIDTH = 80


def list_lanes(state: StartingBroker) -> tuple[tuple[str, int], ...]:
    """The broker alone."""
    return (("broker", WIDTH),)


def fill_lanes(state: StartingBroker, step: Step) -> tuple[LaneText, ...]:
    """What happens in a step, and the state afterwards."""
    phrase = state.structure.rules[step.rule_name].tell(step.arguments, state)
    return fill_one_lane(0, phrase, (draw_broker(state),))


def list_running(state: StartingBroker) -> tuple[bool, ...]:
    """Whether there is a process."""
    return (state.phase != DOWN,)


def draw_broker(state: StartingBroker) -> str:
    """Its phase, its files, the message and its entry."""
    message = draw_flag("m", state.is_stored, state.is_stored_on_disk)
    entry = draw_flag("e", state.is_entered, state.is_entered_on_disk)
    files = f"log {draw_file(state.log_file)} queue {draw_file(state.queue_file)}"
    return f"{PHASE_NAMES[state.phase]} {files} {message}{entry}"


def draw_file(file: NewestFile) -> str:
    """Its stages, that on the disk last."""
    return f"{STAGE_NAMES[file.stage]}/{STAGE_NAMES[file.disk_stage]}"


def draw_flag(letter: str, is_there: bool, is_on_disk: bool) -> str:
    """The letter of what is there, a capital if the disk has it; else a dash."""
    if is_there:
        return letter.upper() if is_on_disk else letter
    return "-"


LANES = Lanes(list_lanes, fill_lanes, list_running)


STARTS_RULES: dict[str, Rule] = collect_rules(files, disk, lifecycle)
"""Every rule of this world by name, in the order of the book."""

REFUSING = ("refuse_short_file", "refuse_empty_queue_file", "remove_file")
"""The rules of releases that refuse starts."""


@frozen(cache_hash=True)
class StartsStructure(StartsShape):
    """What a release asks of the files at a start."""

    usual_parameters: ClassVar[StartsParameters] = StartsParameters()
    lanes: ClassVar[Lanes] = LANES

    @property
    def rules(self) -> Mapping[str, Rule]:
        """All rules of this world; a start is refused only where the release refuses one."""
        refused = (self.is_short_file_refused, self.is_empty_queue_file_refused)
        left_out = dict(zip(REFUSING, (not each for each in (*refused, any(refused))), strict=True))
        return {name: rule for name, rule in STARTS_RULES.items() if not left_out.get(name)}

    def make_initial(self, parameters: StartsParameters) -> StartingBroker:
        """Stopped, with files that are all full, and about to be started."""
        return StartingBroker(self, parameters)
