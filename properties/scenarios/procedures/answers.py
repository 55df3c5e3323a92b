"""What a producer knows after each answer, decided for a group that can give every answer.

The lemmas decide a question with yes or no for every run; otherwise it is open, and two schedules
show that both happen.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen

from properties.language.property import Predicate
from properties.scenarios.known_issues.scenario import as_actions
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME
from properties.worlds.replication.world import ClaimedGroup
from properties.z3.induction import InductionProblem, prove_lemmas
from reference.language.machine import Action, record_predicate
from reference.language.operators import all_of, any_of, implies, negate
from reference.language.terms import Term
from reference.roles import FlushDiskType, Role
from reference.worlds.replication.lineage import has_message
from reference.worlds.replication.producer import is_outcome_unknown
from reference.worlds.replication.put import is_acknowledged
from reference.worlds.replication.state import (
    ANSWERED,
    FLUSH_DISK_TIMEOUT,
    FLUSH_SLAVE_TIMEOUT,
    PUT_OK,
    REFUSED,
    SLAVE_NOT_AVAILABLE,
    Cluster,
    Message,
)

STRUCTURE = ClaimedGroup(Role.SYNC_MASTER, FlushDiskType.SYNC_FLUSH, 1)
"""The group in which a put may get every answer."""

FAULTS = FAULT_MODEL_BY_NAME["none"]
"""Without losses: the guarantees cover what a fault takes afterwards."""

SCHEDULES_FILE = Path(__file__).parent / "answers.toml"

AboutMessage = Callable[[Message], bool]
AboutBoth = Callable[[Cluster, Message], bool]


def is_answered(status: int) -> AboutMessage:
    """A put that waits got this answer."""
    return lambda m: all_of(m.phase == ANSWERED, m.status == status, m.waits_for_store)


def is_answered_at_once(message: Message) -> bool:
    """A put that does not wait got PUT_OK."""
    is_ok = (message.phase == ANSWERED) & (message.status == PUT_OK)
    return is_ok & negate(message.waits_for_store)


def is_refused(message: Message) -> bool:
    """The put was refused."""
    return message.phase == REFUSED


ANSWERS: Mapping[str, AboutMessage] = {
    "PUT_OK": is_acknowledged,
    "FLUSH_DISK_TIMEOUT": is_answered(FLUSH_DISK_TIMEOUT),
    "FLUSH_SLAVE_TIMEOUT": is_answered(FLUSH_SLAVE_TIMEOUT),
    "SLAVE_NOT_AVAILABLE": is_answered(SLAVE_NOT_AVAILABLE),
    "PUT_OK, sent with WAIT=false": is_answered_at_once,
    "refused": is_refused,
    "no answer, though it arrived": is_outcome_unknown,
}
"""The answers that a producer may get, in the order of the table."""


def is_stored(cluster: Cluster, message: Message) -> bool:
    """The message is in the master's log."""
    return has_message(cluster.master.log, message)


def is_on_masters_disk(cluster: Cluster, message: Message) -> bool:
    """The message is in the master's log, and a power loss would not take it."""
    is_durable = message.end_offset <= cluster.master.log.ghost_durable_offset
    return is_stored(cluster, message) & is_durable


def is_on_some_slave(cluster: Cluster, message: Message) -> bool:
    """A slave has received all of the message."""
    return message.ghost_is_received


QUESTIONS: Mapping[str, AboutBoth] = {
    "stored": is_stored,
    "on_disk": is_on_masters_disk,
    "on_slave": is_on_some_slave,
}
"""The questions about each answer."""


@frozen
class ProducerKnowledge:
    """The decision of one question after one answer."""

    answer: str
    question: str
    word: str
    """``yes`` or ``no`` in every run, or ``open``."""


@cache
def decide_all() -> Mapping[tuple[str, str], ProducerKnowledge]:
    """All questions for all answers. Raises SolverGaveUpError, LookupError for open ones."""
    return {(a, q): decide(a, q) for a in ANSWERS for q in QUESTIONS}


def decide(answer: str, question: str) -> ProducerKnowledge:
    """One question: two schedules, or a proof. Raises SolverGaveUpError, LookupError."""
    if {(answer, question, "yes"), (answer, question, "no")} <= load_schedules().keys():
        return ProducerKnowledge(answer, question, "open")
    asked = QUESTIONS[question]
    statements: dict[str, AboutBoth] = {"yes": asked, "no": lambda c, m: negate(asked(c, m))}
    for prove in (follows, is_inductive):
        for word, statement in statements.items():
            if prove(record_predicate(STRUCTURE, _say_always(answer, statement))):
                return ProducerKnowledge(answer, question, word)
    raise LookupError(f"neither proved nor shown both ways: {question} after {answer}")


def follows(statement: Term) -> bool:
    """The term follows from the lemmas."""
    return InductionProblem(STRUCTURE, FAULTS).follows(statement, prove_lemmas(STRUCTURE))


def is_inductive(statement: Term) -> bool:
    """Together with the lemmas it holds initially, and every step preserves it."""
    problem = InductionProblem(STRUCTURE, FAULTS, facts={"statement": statement})
    kept, _ = problem.run_houdini((*prove_lemmas(STRUCTURE), "statement"))
    return "statement" in kept


def _say_always(answer: str, question: AboutBoth) -> Predicate:
    """The question's answer is yes for every followed, unexpired message with this answer."""
    return lambda c: all_of(*(implies(is_told(m, answer), question(c, m)) for m in c.messages))


def is_told(message: Message, answer: str) -> bool:
    """The put got this answer, and retention has not deleted the message."""
    return ANSWERS[answer](message) & negate(message.ghost_is_expired)


def say_both_ways(answer: str, question: str) -> dict[str, Predicate]:
    """Some message got this answer, with yes or with no: the two sides of an open decision."""
    asked = QUESTIONS[question]
    return {
        "yes": lambda c: any_of(*(is_told(m, answer) & asked(c, m) for m in c.messages)),
        "no": lambda c: any_of(*(is_told(m, answer) & negate(asked(c, m)) for m in c.messages)),
    }


@cache
def load_schedules() -> Mapping[tuple[str, str, str], tuple[Action, ...]]:
    """The schedules of the open decisions, by answer, question, and ``yes`` or ``no``."""
    entries: list[dict[str, Any]] = tomllib.loads(SCHEDULES_FILE.read_text())["schedule"]
    return {(e["answer"], e["question"], e["shows"]): as_actions(e["steps"]) for e in entries}
