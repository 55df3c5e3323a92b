"""Actions against the failures of a group, decided by verdicts and by trial runs of procedures."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from properties.language.world import ClaimedStructure
from properties.scenarios.counterexamples.cases import choose_schedule
from properties.scenarios.procedures.procedures import (
    Procedure,
    fit,
    load_procedures,
    try_out,
)
from properties.scenarios.procedures.recoveries import Trials, try_recoveries
from properties.scenarios.summary.answer import Failure, OperatorAction, Row
from properties.scenarios.summary.effects import compare, is_better
from properties.scenarios.summary.rows import (
    NO_ACKNOWLEDGEMENT,
    find_code,
    is_of_row,
    judge_rows,
    list_fallen,
    make_code,
)
from properties.scenarios.summary.shown_actions import rank_codes
from properties.scenarios.summary.words import RowWords, load_words
from properties.schedules.judgement import ScheduleError
from properties.verdicts.analysis import Analysis
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.world import ClaimedGroup
from reference.worlds.replication.changes.controller_mode import VARIANT as CONTROLLED

ACTIONS_FILE = Path(__file__).with_name("actions.toml")


@frozen
class Switch:
    """Another value of a key."""

    key: str
    value: str
    of: str
    """``master``, ``slaves``, ``brokers``, ``consumers``, or ``group`` for no key at all."""
    text: str
    needs_slaves: bool = False
    """It applies only to groups with slaves."""
    adds_slaves: int = 0
    """The number of slaves added to a group without any; 0 for a switch of any group."""
    has_controller: bool = False
    """It is for groups whose master a controller elects, and set on every broker."""


@frozen
class ProcedureWords:
    """A procedure in a few words."""

    name: str
    text: str
    """In the words of the procedure's advice."""
    condition: str = ""
    """When it is done; empty for any time after the failure."""
    too_late: str = ""
    """The name of the procedure for when the condition no longer holds; empty for none."""
    with_controller: str = ""
    """The text for groups with a controller, if it is another one."""
    is_before: bool = False
    """It is done before what an operator does, not after a failure."""


@frozen
class RepairAction:
    """What is done after failures of one kind."""

    codes: tuple[str, ...]
    words: ProcedureWords


@frozen
class Precaution:
    """A precaution that prevents a failure of a fault model."""

    fault_model: str
    text: str
    keys: tuple[str, ...] = field(default=(), converter=tuple)
    """Keys of the master whose values are in the text."""
    number: int = 0
    """The number of the one failure that it prevents; 0 if it prevents all of the class."""


@frozen
class ActionWords:
    """The whole file."""

    switches: tuple[Switch, ...]
    procedures: Mapping[str, ProcedureWords]
    """By name."""
    precautions: tuple[Precaution, ...]


@cache
def load_actions(file: Path = ACTIONS_FILE) -> ActionWords:
    """Every action, in the order of the file."""
    document: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    procedures = (ProcedureWords(**entry) for entry in document["procedure"])
    return ActionWords(
        switches=tuple(Switch(**entry) for entry in document["switch"]),
        procedures={each.name: each for each in procedures},
        precautions=tuple(Precaution(**entry) for entry in document["precaution"]),
    )


@frozen
class SwitchedGroup:
    """The group with a switch applied."""

    switch: Switch
    log: ClaimedGroup
    sources: tuple[Analysis, ...]


def choose_actions(
    sources: Sequence[Analysis],
    rows: Sequence[Row],
    alternatives: Iterable[SwitchedGroup],
    values: Mapping[str, Any],
) -> tuple[OperatorAction, ...]:
    """Every action that helps, those against the gravest failures first.

    ``values`` has the effective values of the master's keys that precautions name.
    """
    order = [f.code for row in rows for f in row.failures]
    procedures = list(list_procedures(sources, order))
    recoveries = list_recoveries(
        sources, rows, {code for each in procedures for code in each.codes}
    )
    found = [
        *list_switches(sources, rows, alternatives),
        *say_repairs([*procedures, *recoveries], order),
        *list_precautions(order, values),
    ]
    rank = rank_codes(rows)
    return tuple(sorted(found, key=lambda action: [rank[code] for code in action.codes][:1]))


def list_switches(
    sources: Sequence[Analysis], rows: Sequence[Row], alternatives: Iterable[SwitchedGroup]
) -> Iterator[OperatorAction]:
    """The switches whose gravest effect is an improvement, or which make the gravest rarer."""
    is_mute = any(row.note == NO_ACKNOWLEDGEMENT for row in rows)
    for other in alternatives:
        after = judge_rows(other.log, other.sources)
        if is_mute and all(row.note != NO_ACKNOWLEDGEMENT for row in after):
            text = f"{other.switch.text}: until then {NO_ACKNOWLEDGEMENT}"
            yield OperatorAction(text, (), key=other.switch.key, is_switch=True)
        elif proposed := list(propose(rows, other.switch, after)):
            yield from proposed
        elif codes := find_delayed(sources, rows, other):
            key = other.switch.key
            yield OperatorAction(other.switch.text, codes, key=key, is_switch=True, eases=codes)


def find_delayed(
    sources: Sequence[Analysis], rows: Sequence[Row], other: SwitchedGroup
) -> tuple[str, ...]:
    """The gravest row's codes whose schedules get longer by a switch that only a controller has.

    None if a schedule gets shorter, or something else of the row is refuted then. A flush is a step
    more of every put, which makes nothing rarer.
    """
    if not other.switch.has_controller or other.switch.key == "flushDiskType":
        return ()
    words = load_words().rows[0]
    then, now = (index_row(words, each) for each in (sources, other.sources))
    if any(is_sooner(then.get(cell), verdict) for cell, verdict in now.items()):
        return ()
    longer = {fault for (name, fault), v in now.items() if is_longer(then.get((name, fault)), v)}
    return tuple(f.code for f in rows[0].failures if f.fault in longer)


def is_longer(before: Verdict | None, after: Verdict) -> bool:
    """Still refuted, by more steps."""
    if before is None or {before.word, after.word} != {VerdictWord.REFUTED}:
        return False
    return len(before.schedule) < len(after.schedule)


def index_row(words: RowWords, sources: Iterable[Analysis]) -> dict[tuple[str, str], Verdict]:
    """The verdicts of a row by claim and fault model."""
    cells = (v for s in sources for v in s.verdicts if is_of_row(words, v))
    return {(v.guarantee, v.fault): v for v in cells}


def is_sooner(before: Verdict | None, after: Verdict) -> bool:
    """Refuted by fewer steps than before, or not refuted before."""
    if after.word is not VerdictWord.REFUTED:
        return False
    is_new = before is None or before.word is not VerdictWord.REFUTED
    return is_new or len(after.schedule) < len(before.schedule if before else ())


def propose(rows: Sequence[Row], switch: Switch, after: Sequence[Row]) -> Iterator[OperatorAction]:
    """The switch, if its gravest effect is an improvement."""
    effects = compare(rows, after)
    helped = {*effects.ends, *effects.eases}
    codes = tuple(f.code for row in rows for f in row.failures if f.code in helped)
    if codes and is_better(rows, after):
        yield OperatorAction(
            switch.text,
            codes,
            key=switch.key,
            is_switch=True,
            eases=effects.eases,
            brings=effects.brings,
            worsens=effects.worsens,
            voids=effects.voids,
        )


def say_repairs(repairs: Iterable[RepairAction], order: Sequence[str]) -> Iterator[OperatorAction]:
    """The repairs as actions; ``order`` has all codes, the gravest failures first.

    Failures of one kind that are repaired alike are named together, and so are a procedure and the
    one for when it is too late.
    """
    joined = join_alike(repairs, order)
    late = {
        each: later
        for each in joined
        for later in joined
        if each.words.too_late and later.words.name == each.words.too_late
        if name_kind(later) == name_kind(each)
    }
    for each in joined:
        if each not in late.values():
            yield say_repair(each, late.get(each))


def join_alike(repairs: Iterable[RepairAction], order: Sequence[str]) -> tuple[RepairAction, ...]:
    """Each repair once for all failures of one kind."""
    found: dict[tuple[str, ProcedureWords], tuple[str, ...]] = {}
    for each in repairs:
        key = (name_kind(each), each.words)
        found[key] = tuple(sorted((*found.get(key, ()), *each.codes), key=order.index))
    return tuple(RepairAction(codes, words) for (_, words), codes in found.items())


def name_kind(repair: RepairAction) -> str:
    """The number of the failures, which says what has happened."""
    return repair.codes[0][1:]


def say_repair(repair: RepairAction, later: RepairAction | None) -> OperatorAction:
    """A repair as an action, with the one for when it is too late."""
    codes = repair.codes + (later.codes if later else ())
    words = repair.words
    side = "Before" if words.is_before else "After"
    failure = f"{side} {', '.join(codes)} ({load_words().numbered[int(name_kind(repair))]})"
    if later is None:
        when = f", {words.condition}" if words.condition else ""
        return OperatorAction(f"{failure}{when}: {words.text}", codes, is_repair=True)
    parts = "; ".join(f"{each.condition}, {each.text}" for each in (words, later.words))
    return OperatorAction(f"{failure}: {parts}", codes, is_repair=True)


def list_procedures(sources: Sequence[Analysis], codes: Sequence[str]) -> Iterator[RepairAction]:
    """The procedures that repair failures of these groups, the first one for each failure."""
    repaired: set[str] = set()
    for procedure in load_procedures():
        told = load_actions().procedures.get(procedure.name)
        if told is None:
            continue
        for source in sources:
            code = find_code_of(procedure, source)
            if code not in codes or code in repaired or not is_worth_doing(procedure, source):
                continue
            repaired.add(code)
            yield RepairAction((code,), choose_words(told, source.structure))


def choose_words(told: ProcedureWords, structure: ClaimedStructure) -> ProcedureWords:
    """The words of a procedure for a group, with a controller or without one."""
    is_controlled = isinstance(structure, ClaimedGroup) and CONTROLLED in structure.changes
    return evolve(told, text=told.with_controller or told.text) if is_controlled else told


def list_recoveries(
    sources: Sequence[Analysis], rows: Sequence[Row], repaired: Collection[str]
) -> Iterator[RepairAction]:
    """For the first failure of each row that no procedure repairs, a recovery that does.

    It is one of those that ``explain`` lists; where it can, one that promotes no slave, and after
    which all is as before.
    """
    for row in rows:
        for failure in (f for f in row.failures[:1] if f.code not in repaired):
            trials = try_out_recoveries(sources, failure)
            outcomes = [o for o in trials.outcomes if o.is_mending]
            order = sorted(outcomes, key=lambda o: (o.is_promotion, not o.is_as_good_as_new))
            for best in order[:1]:
                title = best.title[:1].lower() + best.title[1:]
                yield RepairAction((failure.code,), ProcedureWords("", title))


def try_out_recoveries(sources: Sequence[Analysis], failure: Failure) -> Trials:
    """What each recovery gives after a failure of the log; nothing for one of another world."""
    row = find_code(failure.code)[0]
    for source in (s for s in sources if isinstance(s.structure, ClaimedGroup)):
        if source.structure.name != failure.structure:
            continue
        cells = list_fallen(row, source.verdicts, failure.fault)
        (own,) = (v for v in cells if v.guarantee == failure.claim)
        claims = [v.guarantee for v in cells if make_code(row, source.structure, v) == failure.code]
        shown = choose_schedule(source.structure, own).verdict
        return try_recoveries(source.structure, shown, claims, [v.guarantee for v in cells])
    return Trials()


def find_code_of(procedure: Procedure, source: Analysis) -> str:
    """The code of the failure that a procedure is for, in this group; empty if there is none."""
    return next(
        (
            make_code(row, source.structure, v)
            for row in load_words().rows
            for v in source.verdicts
            if is_of_row(row, v) and is_meant(procedure, v)
        ),
        "",
    )


def is_worth_doing(procedure: Procedure, source: Analysis) -> bool:
    """In this group the failure is possible, the advice helps, and a mistake does not."""
    structure: ClaimedStructure = STRUCTURES[procedure.structure_name]
    if type(structure) is not type(source.structure) or not is_refuted(procedure, source):
        return False
    if source.structure.name not in STRUCTURES:
        return False
    tried = fit(procedure, source.structure.name)
    try:
        helps = try_out(tried, tried.advice).is_claim_kept
        return helps and not all(try_out(tried, m).is_claim_kept for m in tried.mistakes)
    except (ScheduleError, KeyError):
        # Its steps do not fit this group: it waits for a slave that is not there.
        return False


def is_refuted(procedure: Procedure, source: Analysis) -> bool:
    """The fault model of the procedure breaks its claim."""
    return any(is_meant(procedure, v) for v in source.verdicts)


def is_meant(procedure: Procedure, verdict: Verdict) -> bool:
    """The verdict is refuted, and about the claim and the fault model of the procedure."""
    is_about = (verdict.guarantee, verdict.fault) == (procedure.claim, procedure.fault)
    return is_about and verdict.word is VerdictWord.REFUTED


def list_precautions(codes: Sequence[str], values: Mapping[str, Any]) -> Iterator[OperatorAction]:
    """The precautions that prevent failures of a fault model."""
    for each in load_actions().precautions:
        number = each.number or load_words().fault_models[each.fault_model].number
        meant = tuple(code for code in codes if code[1:] == str(number))
        if meant:
            told = {key: values[key] for key in each.keys}
            yield OperatorAction(each.text.format(**told), meant)
