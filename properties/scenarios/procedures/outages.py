"""The master is gone: what may be done with both brokers, tried from each situation.

A situation is a schedule to an outage of a pair. What follows is one of the recoveries of
``recoveries.py``: the master is started again, is given its slave's store, or is replaced by the
slave, which then perhaps gets the old master for its slave. Every choice that the steps leave open
is tried, one more message is put afterwards, and every state is judged.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen

from properties.scenarios.known_issues.scenario import as_actions
from properties.scenarios.procedures.procedures import ANSWERS, make_start, take
from properties.scenarios.procedures.recoveries import (
    PROMOTIONS,
    RECOVERIES,
    RecoveryOutcome,
    find_next,
    make_last_cluster,
    settle,
    try_recovery,
)
from properties.schedules.judgement import ScheduleError
from properties.worlds.catalogue import STRUCTURES
from reference.language.machine import Action
from reference.worlds.replication.put import is_acknowledged
from reference.worlds.replication.state import Cluster

OUTAGES_FILE = Path(__file__).with_name("outages.toml")

KEPT = ("acknowledged_is_kept_on_some_broker", "acknowledged_is_kept_on_master")
EQUAL = "equal_offsets_mean_equal_bytes"
FOLLOWED = "slaves_reach_the_masters_end"
ASKED = (*KEPT, EQUAL, FOLLOWED)
"""What an operator wants of a course: no acknowledged message is lost, consumers find it, no two
brokers have different bytes at one offset, and a slave has all that its master has."""

LEAVE, COPY_TO_SLAVE, COPY_TO_MASTER = RECOVERIES[0], RECOVERIES[-2], RECOVERIES[-1]
COURSES = (LEAVE, COPY_TO_SLAVE, COPY_TO_MASTER, *PROMOTIONS)
"""What may be done: without a promotion, and with one."""

ANSWER = "answer"
"""In a schedule: the steps by which the followed message is answered."""


def answer(state: Cluster) -> Cluster:
    """The state once the followed message is answered. Raises ScheduleError if it never is."""
    while not is_acknowledged(state.messages[0]):
        step = find_next(state, ANSWERS)
        if step is None:
            raise ScheduleError("the message is not answered PUT_OK")
        state = take(state, step)
    return state


@frozen(eq=False)
class MasterOutage:
    """A situation in which the master is gone."""

    name: str
    words: str
    """What has happened to the master, and what the slave has."""
    harm: Mapping[str, tuple[Action, ...]]
    """The steps to it by ``brokerRole``; there is none for a role in which it cannot happen."""

    def make_cluster(self, role: str, release: str = "") -> Cluster:
        """The pair at rest after these steps, its master down. Raises ScheduleError."""
        state = make_start(STRUCTURES[f"{role}/ASYNC_FLUSH/1 slave{release and f' at {release}'}"])
        for action in self.harm[role]:
            state = answer(state) if action.instance == ANSWER else take(state, action)
        last = make_last_cluster(state)
        if last is None:
            raise ScheduleError("there is no log")
        return list(settle(last, 0))[-1]

    def list_outcomes(self, role: str, release: str = "") -> tuple[RecoveryOutcome, ...]:
        """What each course gives, in their order."""
        gone = self.make_cluster(role, release)
        return tuple(try_recovery(course, gone, ASKED, None) for course in COURSES)


@cache
def load_outages() -> tuple[MasterOutage, ...]:
    """Every situation, in the order of the table."""
    document: dict[str, Any] = tomllib.loads(OUTAGES_FILE.read_text("utf-8"))
    return tuple(_decode(entry, document["begin"]) for entry in document["outage"])


def _decode(entry: dict[str, Any], beginnings: Mapping[str, Any]) -> MasterOutage:
    begins = beginnings[entry["begin"]]
    harm = {
        role: as_actions((*begins[role], *entry["harm"])) for role in entry.get("roles", begins)
    }
    return MasterOutage(entry["name"], entry["words"], harm)
