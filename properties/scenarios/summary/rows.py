"""The fears of an operator, judged by the verdicts of a group: how grave, by which failures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from properties.restrictions.unmet_assumptions import list_named
from properties.scenarios.summary.answer import BrokenClaim, Failure, Kept, Row
from properties.scenarios.summary.effects import EVERYTHING
from properties.scenarios.summary.faults import count_faults, describe_blow
from properties.scenarios.summary.words import (
    FailureKind,
    FaultModelWords,
    Grade,
    RowWords,
    load_words,
)
from properties.verdicts.analysis import Analysis
from properties.verdicts.selectors import get_waiting_role
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.reading.world import ClaimedReading
from properties.worlds.replication.world import ClaimedGroup
from properties.worlds.system.world import ClaimedSystem
from properties.worlds.tables.world import ClaimedTables
from reference.releases.releases import CONTROLLER
from reference.releases.versions import find_version
from reference.roles import Role
from reference.worlds.replication.changes import put_outlasts_first_report
from reference.worlds.replication.changes.settings.transient_store_pool import STORE_POOL

CODE = re.compile(r"(?P<letter>[A-Z])(?P<number>[0-9]{1,2})")
"""A row and a fault model, or what happens without a failure: ``L12``."""

ALL_FAULTS = ("every fault",)
"""The fault models with faults that no other model admits; those have numbers of their own."""

EVERYTHING_OPEN = EVERYTHING

UNFAILED = "none"
"""The fault model without any failure."""

NO_ACKNOWLEDGEMENT = "no send is ever answered PUT_OK"
ONE_COPY = "no second copy is promised here"
NO_SLAVE = "there is no slave"
NO_SYSTEM_OF_MORE = "undecided with more than one slave"
NO_SYSTEM_OF_POOL = "undecided with the transient pool"
NO_SYSTEM_OF_TIMERS = "undecided with these timers"
NO_SYSTEM_CONTROLLED = "undecided with a controller"
NO_SYSTEM_OF_READERS = "undecided for these read settings"
NO_SYSTEM_OF_ACTING = "undecided while a slave may act as master"
NO_READING = "not decided for these read settings"
NO_TABLES = "not decided for these brokers"
"""Why no world judges a row of some group."""


def judge_rows(
    log: ClaimedGroup, sources: Sequence[Analysis], *, is_slave_acting: bool = False
) -> tuple[Row, ...]:
    """Every row for a group whose log has this structure, and whose slave may act as master."""
    rows = load_words().rows
    return tuple(judge_row(words, log, sources, is_slave_acting=is_slave_acting) for words in rows)


def judge_row(
    words: RowWords,
    log: ClaimedGroup,
    sources: Sequence[Analysis],
    *,
    is_slave_acting: bool = False,
) -> Row:
    """One row, judged by all verdicts on its claims."""
    title = words.title
    if words.needs_slaves and not log.slaves:
        return Row(words.letter, title, Grade.NOT_PROMISED, NO_SLAVE)
    cells = list_cells(words, sources)
    telling = [(s, v) for s, v in cells if not v.is_vacuous]
    if words.needs_waiting and not is_second_copy_promised(log):
        return Row(words.letter, title, Grade.NOT_PROMISED, ONE_COPY)
    is_waiting_alone = get_waiting_role(log) == Role.SYNC_MASTER.name and not log.slaves
    if (cells and is_silent(telling)) or (words.needs_system and is_waiting_alone):
        return Row(words.letter, title, Grade.NOT_PROMISED, NO_ACKNOWLEDGEMENT)
    failures = tuple(list_failures(words, telling))
    opened = [v for _, v in telling if is_open(v) and not (failures and v.disputed)]
    open_under = tuple(dict.fromkeys(v.fault for v in sorted(opened, key=rank_fault_model)))
    notes = {"" if v.assumption else v.note for v in opened}
    unjudged = say_unjudged(words, log, sources, is_slave_acting=is_slave_acting)
    if unjudged:
        open_under = (EVERYTHING_OPEN,)
    return Row(
        words.letter,
        title,
        compute_grade(failures, is_open=bool(open_under) or any(is_open(v) for _, v in telling)),
        note="" if failures else unjudged,
        failures=failures,
        others=tuple(list_others(words, telling, failures)),
        fallen=tuple(dict.fromkeys(make_code(words, s, v) for s, v in telling if is_refuted(v))),
        broken=tuple(list_broken(words, telling)),
        kept=tuple(list_kept(words, telling, log)),
        open_under=open_under,
        open_codes=tuple(number_fault_models(words, open_under)),
        open_note="".join(notes) if len(notes) == 1 else "",
        unmet=list_named(opened),
        disputed=tuple(dict.fromkeys(d for _, v in telling for d in v.disputed)),
    )


def list_cells(words: RowWords, sources: Sequence[Analysis]) -> list[tuple[Any, Verdict]]:
    """Every verdict on a row's claims, with its structure."""
    return [(s.structure, v) for s in sources for v in s.verdicts if is_of_row(words, v)]


def is_silent(telling: Sequence[tuple[Any, Verdict]]) -> bool:
    """Only the verdict under every fault is not vacuous: a stranger may feign a report."""
    return all(s.world.every_fault.name == v.fault for s, v in telling)


def is_second_copy_promised(log: ClaimedGroup) -> bool:
    """A put waits for a slave, or would if there were one."""
    alone = log.role is Role.SYNC_MASTER and not log.slaves
    return alone or get_waiting_role(log) == Role.SYNC_MASTER.name


def say_unjudged(
    words: RowWords, log: ClaimedGroup, sources: Sequence[Analysis], *, is_slave_acting: bool
) -> str:
    """Why the world that must judge the row decides nothing for such a group; empty if it does."""
    kinds = {type(source.structure) for source in sources}
    lacks_system = words.needs_system and ClaimedSystem not in kinds
    lacks_reading = words.needs_reading and log.slaves > 0 and ClaimedReading not in kinds
    lacks_tables = words.needs_tables and ClaimedTables not in kinds
    if is_slave_acting and (lacks_system or lacks_reading or lacks_tables):
        return NO_SYSTEM_OF_ACTING
    if lacks_system:
        return say_no_system(log)
    return NO_READING if lacks_reading else NO_TABLES if lacks_tables else ""


def say_no_system(log: ClaimedGroup) -> str:
    """Why nothing is decided from put to consumption: the first setting that no proof is for."""
    if log.slaves > 1:
        return NO_SYSTEM_OF_MORE
    if STORE_POOL in log.variants:
        return NO_SYSTEM_OF_POOL
    if put_outlasts_first_report.VARIANT.name in log.variants:
        return NO_SYSTEM_OF_TIMERS
    is_controlled = find_version(log.variants).mode == CONTROLLER
    return NO_SYSTEM_CONTROLLED if is_controlled else NO_SYSTEM_OF_READERS


def is_of_row(words: RowWords, verdict: Verdict) -> bool:
    """The verdict's claim is in the row."""
    return any(claim.name == verdict.guarantee for claim in words.claim)


def list_fallen(words: RowWords, verdicts: Iterable[Verdict], fault: str) -> list[Verdict]:
    """What a schedule refutes of a row under a fault model, the gravest claim first."""
    fallen = (v for v in verdicts if v.fault == fault and v.word is VerdictWord.REFUTED)
    by_claim = {v.guarantee: v for v in fallen}
    return [by_claim[claim.name] for claim in words.claim if claim.name in by_claim]


def is_open(verdict: Verdict) -> bool:
    """The verdict is unknown: not decided, or real brokers contradict the proof."""
    return bool(verdict.disputed) or verdict.word not in (VerdictWord.PROVED, VerdictWord.REFUTED)


def compute_grade(failures: Iterable[Failure], *, is_open: bool) -> Grade:
    """The gravest grade of all; an open verdict may be a loss."""
    grades = {failure.grade for failure in failures}
    if Grade.LOSS in grades:
        return Grade.LOSS
    if is_open:
        return Grade.UNDECIDED
    return Grade.RISK if grades else Grade.OK


def list_failures(words: RowWords, cells: Iterable[tuple[Any, Verdict]]) -> Iterator[Failure]:
    """The weakest failures of a row, one for each fault model, the gravest first."""
    told: set[str] = set()
    for failure in list_weakest(words, cells):
        if failure.code not in told and failure.words not in told:
            told |= {failure.code, failure.words}
            yield failure


def list_others(
    words: RowWords, cells: Sequence[tuple[Any, Verdict]], shown: Sequence[Failure]
) -> Iterator[Failure]:
    """The weakest failures whose own schedules break a claim that breaks without any, too.

    Only what is not shown already. A search goes on under a fault model only for a schedule that
    is shorter than the one without a failure, so that there may be more.
    """
    unfailed = {(s, v.guarantee) for s, v in cells if is_refuted(v) and v.fault == UNFAILED}
    own = [
        (s, v)
        for s, v in cells
        if (s, v.guarantee) in unfailed and is_refuted(v) and count_faults(s, v)
    ]
    told = {text for f in shown for text in (f.code, f.words)}
    for failure in list_failures(words, own):
        if failure.code not in told and failure.words not in told:
            yield failure


def list_broken(words: RowWords, cells: Sequence[tuple[Any, Verdict]]) -> Iterator[BrokenClaim]:
    """For each claim that has a verdict the common failures that break it, weakest or not."""
    fault_models = load_words().fault_models
    fallen = [
        make_failure(words, s, v)
        for s, v in cells
        if is_refuted(v) and words.weigh(fault_models[v.fault].kind, v.fault).grade is Grade.LOSS
    ]
    for name in (c.name for c in words.claim if any(v.guarantee == c.name for _, v in cells)):
        codes = (f.code for f in fallen if f.claim == name and f.grade is Grade.LOSS)
        yield BrokenClaim(name, tuple(dict.fromkeys(codes)))


def number_fault_models(words: RowWords, names: Iterable[str]) -> Iterator[str]:
    """The codes of those names in a row that are fault models."""
    fault_models = load_words().fault_models
    yield from (
        f"{words.letter}{fault_models[name].number}" for name in names if name in fault_models
    )


def list_kept(
    words: RowWords, cells: Sequence[tuple[Any, Verdict]], log: ClaimedGroup
) -> Iterator[Kept]:
    """The claims of a row with words for it that are proved under some fault model."""
    known = (c for c in load_words().fault_models.values() if log.slaves or not c.needs_slaves)
    ordered = sorted(known, key=rank)
    for claim in (c for c in words.claim if c.kept):
        verdicts = [v for _, v in cells if v.guarantee == claim.name]
        fallen = {v.fault for v in verdicts if v.word is not VerdictWord.PROVED or is_open(v)}
        proved = {v.fault for v in verdicts} - fallen
        codes = tuple(f"{words.letter}{c.number}" for c in ordered if c.name in proved)
        if codes:
            yield Kept(claim.name, claim.kept, codes)


def rank(model: FaultModelWords) -> tuple[bool, int, bool]:
    """What an operator asks first comes first.

    No failure at all comes last: whatever holds after a failure holds without one.
    """
    return model.kind is FailureKind.UNFAILED, model.kind.order, "master" not in model.name


def rank_fault_model(verdict: Verdict) -> tuple[bool, int, bool]:
    """The rank of a verdict's fault model."""
    return rank(load_words().fault_models[verdict.fault])


def list_weakest(words: RowWords, cells: Iterable[tuple[Any, Verdict]]) -> list[Failure]:
    """The weakest failures of each claim of a row, the gravest first."""
    order = {claim.name: i for i, claim in enumerate(words.claim)}
    found = [make_failure(words, s, v) for s, v in keep_weakest(cells)]
    return sorted(found, key=lambda f: (f.grade is not Grade.LOSS, f.kind.order, order[f.claim]))


def make_failure(words: RowWords, structure: ClaimedStructure, verdict: Verdict) -> Failure:
    """A refuted verdict as a failure of a row."""
    blow = describe_blow(structure, verdict)
    kind = words.weigh(blow.kind, verdict.fault)
    claim = next(c for c in words.claim if c.name == verdict.guarantee)
    return Failure(
        code=f"{words.letter}{blow.number}",
        words=blow.words,
        kind=kind,
        grade=claim.cap(kind),
        claim=verdict.guarantee,
        fault=verdict.fault,
        structure=structure.name,
        steps=verdict.steps or 0,
    )


def make_code(words: RowWords, structure: ClaimedStructure, verdict: Verdict) -> str:
    """The row's letter and the number of what a refuted verdict takes."""
    fault_model = load_words().fault_models[verdict.fault]
    is_told = fault_model.kind is FailureKind.UNFAILED or verdict.fault in ALL_FAULTS
    number = describe_blow(structure, verdict).number if is_told else fault_model.number
    return f"{words.letter}{number}"


def is_refuted(verdict: Verdict) -> bool:
    """A schedule refutes the verdict, and no finding disputes that."""
    return verdict.word is VerdictWord.REFUTED and not verdict.disputed


def keep_weakest(cells: Iterable[tuple[Any, Verdict]]) -> Iterator[tuple[Any, Verdict]]:
    """The refuted verdicts, without those whose claim already breaks under less."""
    refuted = [(s, v) for s, v in cells if is_refuted(v)]
    for structure, verdict in refuted:
        fault_model = get_fault_model(structure, verdict)
        if not any(
            s is structure
            and v.guarantee == verdict.guarantee
            and v.fault != verdict.fault
            and get_fault_model(s, v).is_contained_in(fault_model)
            for s, v in refuted
        ):
            yield structure, verdict


def get_fault_model(structure: ClaimedStructure, verdict: Verdict) -> FaultModel:
    """The fault model of a verdict."""
    return structure.world.get_fault_model(verdict.fault)


def find_code(code: str) -> tuple[RowWords, str]:
    """The row of a code and the name of its fault model. Raises LookupError for no code."""
    found = CODE.fullmatch(code)
    words = load_words()
    rows = {row.letter: row for row in words.rows}
    names = {str(cause.number): "none" for cause in words.causes}
    names |= {str(f.number): ALL_FAULTS[0] for f in words.faults.values() if f.number}
    names |= {str(fault_model.number): name for name, fault_model in words.fault_models.items()}
    if found is None or found["letter"] not in rows or found["number"] not in names:
        raise LookupError(f"{code!r} is no code of a failure")
    return rows[found["letter"]], names[found["number"]]
