"""From put to consumed: what happens to an answered message in each situation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TypeAlias

from attrs import frozen

from book.merged_table import EVERY_ROW, group_equal, split_into_boxes, tell_box
from book.operators import cells
from book.operators.cells import Answer
from properties.verdicts.certificates import find_cells, load_cells
from properties.verdicts.verdict import VerdictWord
from properties.worlds.system.world import SYSTEM_STRUCTURES, ClaimedSystem

NOT_ASKED = "—"
"""The question does not arise in this situation: its proof is vacuous."""

UNDECIDED = "undecided"
"""Neither proved nor refuted."""

EVERY_GROUP = "every group"

SITUATIONS: Mapping[str, str] = {
    "nothing fails": "none",
    "master stopped": "master stop",
    "master killed": "master kill",
    "master killed while it makes a new file": "master kill in a roll",
    "slave stopped": "slave stop",
    "slave killed": "slave kill",
    "slave loses power": "slave power loss",
    "slave's queues miss messages": "slave misses messages",
    "slave starts empty": "slave wiped",
    "both stopped or killed": "both end",
    "both lose power": "power loss of both",
    "both stopped or killed after a power loss of the master": (
        "both end, after a master power loss"
    ),
    "master loses power": "master power loss",
    "master loses its disk": "master disk loss",
    "disk nearly full": "nearly full disk",
    "topic deleted and made again": "topic made again",
}
"""What may have happened, any number of times, and the fault model that decides it."""

QUESTIONS: Mapping[str, str] = {
    "Consumed or still to come": "acknowledged_is_consumed_or_to_come",
    "Master down: readable on the slave": "acknowledged_is_read_from_the_slave",
    "Slave promoted: nothing lost": "promotion_loses_no_acknowledged_message",
    "Slave promoted: nothing skipped": "promotion_skips_no_message",
    "Slave promoted: nothing repeated": "promotion_repeats_no_message",
}
"""Questions about a message that was answered PUT_OK, and the claim that answers each."""

Answers: TypeAlias = tuple[Answer, ...]


@frozen
class ConsumedRow:
    """Groups with the same answers in the same situations."""

    situations: tuple[str, ...]
    groups: str
    """Which groups, by what they have in common."""
    answers: Answers
    is_first: bool
    """No other row before it is about these situations."""


def find_answer(structure: ClaimedSystem, claim: str, fault: str) -> Answer:
    """The answer of a cell. Raises LookupError for one that no certificate has."""
    cell = load_cells(structure)[claim, fault]
    if cell.is_vacuous:
        return NOT_ASKED
    if cell.word is VerdictWord.UNDECIDED:
        return UNDECIDED
    return cells.find_answer(structure.name, claim, fault)


@cache
def list_groups() -> tuple[ClaimedSystem, ...]:
    """Every group that has a certificate."""
    return tuple(s for s in SYSTEM_STRUCTURES if find_cells(s))


def name_settings(structure: ClaimedSystem) -> str:
    """Role, flush and reading as code, with strokes between them; reading by its short name."""
    log, read = structure.log, structure.reading.name.removeprefix("reading/").split("/")
    parts = (log.role.name, log.flush_disk_type.name, *log.variants, *read)
    return "/".join(f"`{part}`" for part in parts)


@cache
def list_rows() -> tuple[ConsumedRow, ...]:
    """Every situation with every certified group, equal ones together."""
    tables = {
        situation: tuple(answer_all(fault_model)) for situation, fault_model in SITUATIONS.items()
    }
    merged = group_equal(list(tables), lambda situation: tables[situation])
    return tuple(
        ConsumedRow(tuple(situations), groups, answers, is_first=number == 0)
        for situations in merged
        for number, (groups, answers) in enumerate(tables[situations[0]])
    )


def answer_all(fault_model: str) -> Iterator[tuple[str, Answers]]:
    """Groups with equal answers under a fault model, and these answers."""
    names = {name_settings(structure): structure for structure in list_groups()}
    answers = {
        name: tuple(find_answer(structure, claim, fault_model) for claim in QUESTIONS.values())
        for name, structure in names.items()
    }
    every = [tuple(dict.fromkeys(v)) for v in zip(*(n.split("/") for n in names), strict=True)]
    for group in group_equal(list(names), lambda name: answers[name]):
        boxes = split_into_boxes([tuple(name.split("/")) for name in group])
        described = (
            EVERY_GROUP
            if len(group) == len(names)
            else "; ".join(tell_box(box, every) for box in boxes)
        )
        yield described.replace(EVERY_ROW, EVERY_GROUP), answers[group[0]]


def list_answers() -> Iterator[Answer]:
    """Every answer, in the order of the table."""
    for row in list_rows():
        yield from row.answers
