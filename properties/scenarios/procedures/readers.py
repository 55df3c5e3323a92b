"""What a recovery of the log leaves to its readers, judged by the guarantees of the whole system.

Readers do not take part in a recovery. They are judged as the schedule leaves them, and once more
after an administrator has stopped the group, set its progress back to the beginning of the queue
and started it. What they pull while brokers recover is not tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import evolve, frozen

from properties.language.world import ClaimedStructure
from properties.scenarios.procedures.procedures import take
from properties.schedules.judgement import ScheduleError, follow
from properties.verdicts.verdict import Verdict
from properties.worlds.reading.world import ClaimedReading
from properties.worlds.system.world import SYSTEM
from reference.language.machine import Action
from reference.worlds.reading.state import Reading
from reference.worlds.replication.state import Cluster
from reference.worlds.system.state import System, get_reading, put_cluster, put_reading

Run = Sequence[Cluster]
"""The states from one rest of a group to its next."""

JUDGED_DOWN = {
    "acknowledged_is_read_from_the_slave": (False, True),
    "promotion_loses_no_acknowledged_message": (False, False),
}
"""Claims that say something only while brokers are down: whether master and slave then run."""

JUDGED = ("acknowledged_is_consumed_or_to_come", *JUDGED_DOWN)
"""The claims of the whole system that brokers alone can break or mend."""

RESTART = (
    Action("start_broker[0]"),
    Action("start_broker[1]"),
    Action("list_master"),
    Action("stop_consumer", {"is_commit_taken": 1}),
    Action("start_consumer"),
    Action("refresh_route"),
    Action("take_queue"),
)
"""Steps that restart a group; those that are impossible are not needed."""

RESET = Action("reset_progress", {"progress": 0})
SET_BACK = (*RESTART[:4], RESET, *RESTART[4:])
"""Steps that set a group's progress back."""

RECOVERIES = {
    "Restart the group": RESTART,
    "Stop the group, set its progress back to the first message that it lacks, start it": SET_BACK,
}
"""What an administrator can try with consumers alone."""


@frozen
class Readers:
    """The readers of a log, and the claims about them."""

    end: System
    """The state at a schedule's end."""
    claims: tuple[str, ...]
    """Names of guarantees of the whole system."""
    reset: Reading | None
    """The readers with their progress set back; None if that is impossible."""


@frozen
class ReadersOutcome:
    """What the readers of a log can rely on after a recovery."""

    judged: tuple[str, ...] = ()
    """The claims about them."""
    broken: tuple[str, ...] = ()
    """The claims that do not hold while readers stay as they are."""
    broken_after_reset: tuple[str, ...] = ()
    """The claims that do not hold even if their progress is set back."""

    @property
    def is_mended(self) -> bool:
        """Every claim holds, at the latest when the group's progress has been set back."""
        return not self.broken or not self.broken_after_reset


def find_readers(end: Any, claims: Iterable[str]) -> Readers | None:
    """The readers at a schedule's end; None if none of the claims is about them."""
    named = tuple(name for name in dict.fromkeys(claims) if name in JUDGED)
    if not named or not isinstance(end, System):
        return None
    return Readers(end, named, set_back(get_reading(end)))


def set_back(reading: Reading) -> Reading | None:
    """The readers after their progress was set back to 0; None if that is impossible."""
    reading = take_possible(reading, SET_BACK)
    consumer = reading.consumer
    is_back = bool(consumer.is_running) and 0 == consumer.next_offset == consumer.progress
    return reading if is_back else None


def take_possible(reading: Reading, steps: Iterable[Action]) -> Reading:
    """The readers after those of these steps that are possible."""
    for step in steps:
        try:
            reading = take(reading, step)
        except ScheduleError:
            continue
    return reading


def try_reader_recoveries(structure: ClaimedStructure, verdict: Verdict) -> dict[str, bool]:
    """Whether a refuted claim about readers holds after each recovery; empty for other worlds."""
    if not isinstance(structure, ClaimedReading):
        return {}
    world = structure.world
    sizes = world.make_search_parameters(world.get_fault_model(verdict.fault))
    try:
        *_, (_, end) = follow(structure, sizes, verdict.schedule)
    except ScheduleError:
        return {}
    claim = world.claims[verdict.guarantee].predicate
    return {
        title: bool(claim(take_possible(end, steps)))
        for title, steps in RECOVERIES.items()
        if RESET not in steps or set_back(end) is not None
    }


def judge_readers(readers: Readers | None, runs: Iterable[Run]) -> ReadersOutcome:
    """Which claims do not hold for the readers in some state of these runs."""
    if readers is None:
        return ReadersOutcome()
    known = list(runs)
    return ReadersOutcome(
        readers.claims,
        find_broken(readers, readers.end.reading, known),
        readers.claims if readers.reset is None else find_broken(readers, readers.reset, known),
    )


def find_broken(readers: Readers, reading: Reading, runs: Iterable[Run]) -> tuple[str, ...]:
    """The claims that do not hold in some state of the group with these readers."""
    whole = put_reading(readers.end, reading)
    claims = SYSTEM.claims
    known = list(runs)
    return tuple(
        name
        for name in readers.claims
        if not all(
            claims[name].predicate(put_cluster(whole, state))
            for run in known
            for state in list_judged(name, run)
        )
    )


def list_judged(claim: str, run: Run) -> Iterable[Cluster]:
    """The states of a run in which a claim is judged.

    Those at rest with brokers down for a claim that is about that, and else all of them.
    """
    if claim not in JUDGED_DOWN:
        return run
    is_master_up, is_slave_up = JUDGED_DOWN[claim]
    return tuple(
        evolve(
            state,
            master=evolve(state.master, is_up=is_master_up),
            slaves=tuple(evolve(slave, is_up=is_slave_up) for slave in state.slaves),
        )
        for state in (run[0], run[-1])
    )
