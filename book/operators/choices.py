"""What a broker group can be made of, and what each choice promises: read from the certificates."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from attrs import evolve, frozen

from book.operators import consumed
from book.operators.cells import Answer, Reasons, find_answer
from properties.language.property import Predicate
from properties.scenarios.analysis.reading import find_structure
from properties.scenarios.reading_claims import ReadingDeployment, list_steps
from properties.scenarios.reading_claims import decide as find_wrong_run
from properties.worlds.replication.fault_models import EVERY_FAULT
from properties.worlds.replication.situations.witnesses import is_answered
from properties.worlds.replication.world import CERTIFIED_GROUPS, ClaimedGroup
from properties.z3.induction import InductionProblem, prove_lemmas
from reference.language.machine import record_predicate
from reference.language.operators import negate
from reference.roles import MASTER_ID
from reference.worlds.replication.state import (
    FLUSH_DISK_TIMEOUT,
    FLUSH_SLAVE_TIMEOUT,
    SLAVE_NOT_AVAILABLE,
    STATUS_NAMES,
)

COLUMNS: Mapping[str, tuple[str, str]] = {
    "Master killed: still on it": ("acknowledged_is_kept_on_master", "master kill"),
    "Master loses power: still on it": ("acknowledged_is_kept_on_master", "master power loss"),
    "Master loses power, twice: on some broker": (
        "acknowledged_is_kept_on_some_broker",
        "master power loss",
    ),
    "Both lose power: on some broker": (
        "acknowledged_is_kept_on_some_broker",
        "power loss of both",
    ),
    "Master's disk lost: on some broker": (
        "acknowledged_is_kept_on_some_broker",
        "master disk loss",
    ),
    "Two copies: nothing fails": ("acknowledged_is_held_twice", "none"),
    "Two copies: a slave loses power": ("acknowledged_is_held_twice", "slave power loss"),
    "Two copies: an empty slave joins": ("acknowledged_is_held_twice", "late join"),
}
"""Questions about a message that was answered PUT_OK, and the verdict that answers each."""

STATUSES = (FLUSH_DISK_TIMEOUT, FLUSH_SLAVE_TIMEOUT, SLAVE_NOT_AVAILABLE)
"""What a put that waits may be answered besides PUT_OK."""

READERS: Mapping[str, ReadingDeployment] = {
    "nothing set": ReadingDeployment(False, False, 0, 1),
    "`slaveReadEnable` on both": ReadingDeployment(True, True, 0, 1),
    "`slaveReadEnable` on both, both ids of the group 1": ReadingDeployment(True, True, 1, 1),
}
"""Ways to set up reading from slaves, with equal settings on both brokers."""

READER_COLUMNS: Mapping[str, tuple[str, str]] = {
    "Nothing fails: none skipped": ("no_message_is_skipped", "none"),
    "Nothing fails: none skipped once known": (
        "known_group_skips_no_message",
        "none",
    ),
    "Master stopped: none skipped once known": (
        "known_group_skips_no_message",
        "master stop",
    ),
    "Slave stuck: backlog is consumed": ("consumers_drain", "slave stuck"),
    "Nothing fails: no pull in a tight loop": ("no_pull_is_repeated_at_once", "none"),
    "Master stopped: no tight loop": ("no_pull_is_repeated_at_once", "master stop"),
    "Master stopped: progress never goes back": ("progress_never_moves_back", "master stop"),
}
"""Questions about a consumer, and the verdict that answers each."""


@frozen
class Choice:
    """Groups with the same promises, in one row."""

    structures: tuple[ClaimedGroup, ...]

    @property
    def slaves(self) -> str:
        """Their numbers of slaves."""
        first, last = self.structures[0].slaves, self.structures[-1].slaves
        if first == last:
            return {0: "no slave", 1: "1 slave"}.get(first, f"{first} slaves")
        return f"{first} to {last} slaves"


@cache
def list_choices() -> tuple[Choice, ...]:
    """Every certified group; neighbours with the same answers are one choice."""
    ordered = sorted(
        CERTIFIED_GROUPS, key=lambda s: (s.role.name, s.flush_disk_type.name, s.slaves)
    )
    groups = itertools.groupby(
        ordered, lambda s: (s.role, s.flush_disk_type, s.slaves > 0, list_answers(s))
    )
    return tuple(Choice(tuple(members)) for _, members in groups)


def list_answers(structure: ClaimedGroup) -> tuple[Answer, ...]:
    """The answers to all questions about a group."""
    return tuple(find_answer(structure.name, *cell) for cell in COLUMNS.values())


def say_waits(structure: ClaimedGroup) -> str:
    """What a put waits for after it was written."""
    waits = {"its disk": structure.is_sync_flush, "a slave": structure.is_sync_master}
    return ", then ".join(name for name, is_waited in waits.items() if is_waited) or "nothing"


def say_statuses(structure: ClaimedGroup) -> str:
    """What a put that waits may be answered besides PUT_OK: all that the lemmas do not exclude."""
    problem = InductionProblem(structure, EVERY_FAULT)
    lemmas = prove_lemmas(structure)
    possible = [
        f"`{STATUS_NAMES[status]}`"
        for status in STATUSES
        if not problem.follows(record_predicate(structure, say_never(status)), lemmas)
    ]
    return ", ".join(possible) or "no other"


def say_never(status: int) -> Predicate:
    """That no followed put is answered so."""
    return lambda cluster: negate(is_answered(cluster, status))


@cache
def collect_reasons() -> Reasons:
    """The reasons of all tables; the letters of each table continue those of the one before."""
    groups = (list_answers(choice.structures[0]) for choice in list_choices())
    readers = (list_reader_answers(name_structure(reader)) for reader in list_readers())
    return Reasons.collect(itertools.chain(*groups, *readers, consumed.list_answers()))


def list_rows() -> Iterator[Iterable[str]]:
    """The rows of the table: the choice and its answers."""
    for choice in list_choices():
        first = choice.structures[0]
        yield (
            f"{say_kind(first)}, {choice.slaves}",
            *map(collect_reasons().say, list_answers(first)),
        )


def say_kind(structure: ClaimedGroup) -> str:
    """Role and flush type as code."""
    return f"`{structure.role.name}`, `{structure.flush_disk_type.name}`"


def list_prices() -> Iterator[Iterable[str]]:
    """What a put waits for, and its other statuses: a row for each kind of group."""
    firsts = (choice.structures[0] for choice in list_choices())
    return iter(dict.fromkeys((say_kind(s), say_waits(s), say_statuses(s)) for s in firsts))


@frozen
class ConsumerRow:
    """A row about consumers."""

    words: str
    """How reading from slaves is set up."""
    deployment: ReadingDeployment
    is_from_first: bool
    """The group begins at the first message."""


def list_readers() -> Iterator[ConsumerRow]:
    """Every row about consumers."""
    for words, deployment in READERS.items():
        for is_checked in (False, True):
            for is_from_first in (False, True):
                checked = evolve(deployment, is_offset_checked_in_slave=is_checked)
                yield ConsumerRow(words, checked, is_from_first)


def name_structure(reader: ConsumerRow) -> str:
    """The structure of the world of reading that has these settings."""
    structure = find_structure(reader.deployment, is_from_first=reader.is_from_first)
    assert structure is not None  # No broker sends a consumer to the master only when it is slow.
    return structure.name


def list_reader_answers(name: str) -> tuple[Answer, ...]:
    """The answers of a structure to all questions about a consumer."""
    return tuple(find_answer(name, *cell) for cell in READER_COLUMNS.values())


def list_reader_rows() -> Iterator[Iterable[str]]:
    """The rows about consumers: where they read, and what that brings."""
    for reader in list_readers():
        answers = map(collect_reasons().say, list_reader_answers(name_structure(reader)))
        checked = "yes" if reader.deployment.is_offset_checked_in_slave else "no"
        begins = "FIRST" if reader.is_from_first else "LAST"
        yield (f"{reader.words}: {say_target(reader.deployment)}", checked, begins, *answers)


def say_target(deployment: ReadingDeployment) -> str:
    """From which broker consumers pull that know both."""
    if find_wrong_run("reads_stay_at_the_master", deployment) is None:
        return "pulls go to the master"
    if find_wrong_run("reads_move_to_the_slave", deployment) is None:
        return "pulls go to the slave after the first one"
    steps = list_steps(deployment, MASTER_ID)
    is_slow_sent_only = all(s.next_broker == MASTER_ID or s.circumstance.is_slow for s in steps)
    return "slow consumers pull from the slave" if is_slow_sent_only else "pulls go to both"
