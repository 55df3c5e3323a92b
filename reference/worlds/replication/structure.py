"""A master/slave group: its static shape, rules, initial state and lanes."""

from __future__ import annotations

import string
from collections.abc import Mapping
from itertools import cycle
from typing import ClassVar, Self

from attrs import evolve, frozen

from reference.language.machine import OBSERVED
from reference.language.rule import Rule
from reference.language.structure import LANE_WIDTH, Lanes, LaneText, Step
from reference.language.variant import Variant
from reference.releases.versions import compute_rules, expand
from reference.worlds.replication.parameters import Parameters
from reference.worlds.replication.shape import GroupShape
from reference.worlds.replication.state import (
    ANSWERED,
    REFUSED,
    STATUS_NAMES,
    Cluster,
    CommitLog,
    Link,
    Master,
    Message,
    Slave,
    compute_first_committed,
    compute_first_epoch_files,
    compute_first_sync_state_set,
    empty_log,
)

PRODUCER_WIDTH = 27
LIFE_LETTERS = string.ascii_letters
"""Of log epochs, in their order; what explains a recording may have more, which begin anew."""
DRAWN_BYTES_MAX = 16


def draw_log(log: CommitLog) -> str:
    """The bytes of a log, a letter per log epoch (`life` in the code): ``[aab]``, ``[a512 b100]``.

    A bar marks where the last file begins, a dot a byte below the first file, a question mark a
    byte of unknown content.
    """
    begin = (log.start_offset, *log.ends)
    lengths = [max(0, end - start) for start, end in zip(begin, log.ends, strict=False)]
    pieces = [(letter, n) for letter, n in zip(cycle(LIFE_LETTERS), lengths, strict=False) if n]
    if log.max_offset > DRAWN_BYTES_MAX:
        lost = [f"·{log.start_offset}"] if log.start_offset else []
        lost += [f"?{log.ghost_unknown_below_offset}"] if log.ghost_unknown_below_offset else []
        return "[" + " ".join(lost + [f"{letter}{n}" for letter, n in pieces]) + "]"
    known = "".join(letter * n for letter, n in [("·", log.start_offset), *pieces])
    unknown = max(0, log.ghost_unknown_below_offset - log.start_offset)
    drawn = known[: log.start_offset] + "?" * unknown + known[log.start_offset + unknown :]
    last = log.last_file_offset
    return "[" + (f"{drawn[:last]}|{drawn[last:]}" if last else drawn) + "]"


PRODUCER, MASTER, FIRST_SLAVE = range(3)
"""The lanes of a group."""


def list_lanes(state: Cluster) -> tuple[tuple[str, int], ...]:
    """The producer, the master, and a lane for each slave."""
    titles = ("master", *(f"slave {i + 1}" for i in range(len(state.slaves))))
    return (("producer", PRODUCER_WIDTH), *((title, LANE_WIDTH) for title in titles))


def fill_lanes(state: Cluster, step: Step) -> tuple[LaneText, ...]:
    """What each node does in a step; a put's answer appears in the producer's lane."""
    logs = (state.master.log, *(s.log for s in state.slaves))
    if step.rule_name == OBSERVED:
        drawn = (LaneText("", draw_log(log)) for log in logs)
        return (LaneText(say_observed(step)), *drawn)
    rule, number = state.structure.rules[step.rule_name], step.index or 0
    link = state.links[number] if number < len(state.links) else None
    phrase = rule.tell(step.arguments, state, number=number + 1, link=link)
    lane = find_lane(rule, number)
    producer = phrase if lane == PRODUCER else draw_answer(rule, number, state)
    return (
        LaneText(producer),
        *(LaneText(phrase if lane == i else "", draw_log(log)) for i, log in enumerate(logs, 1)),
    )


def say_observed(step: Step) -> str:
    """What a recording shows that no rule has done, by the parts of the state."""
    parts = [path.split(".") for path in step.arguments]
    if all(part[0] == "messages" for part in parts):
        return "follows a put no more"
    heads = (f"{part[0]} {part[1]}" if part[1].isdigit() else part[0] for part in parts)
    return f"seen: {', '.join(dict.fromkeys(heads))}"


def find_lane(rule: Rule, number: int) -> int:
    """The lane of a step: the slave's if its rule is indexed by slave and not the master's own."""
    if rule.who == "producer" and not rule.lane:
        return PRODUCER
    is_slaves = rule.indexes == ("slave",) and rule.who not in ("master", "controller")
    return FIRST_SLAVE + number if is_slaves else MASTER


def list_running(state: Cluster) -> tuple[bool, ...]:
    """Whether the node of each lane is running; a producer always is."""
    return (True, bool(state.master.is_up), *(bool(s.is_up) for s in state.slaves))


def draw_answer(rule: Rule, number: int, cluster: Cluster) -> str:
    """The answer that the producer gets, if the rule ends a put."""
    if rule.indexes != ("message",):
        return ""
    message = cluster.messages[number]
    if message.phase not in (REFUSED, ANSWERED):
        return ""
    return f"m{number + 1}: {STATUS_NAMES[message.status]}"


LANES = Lanes(list_lanes, fill_lanes, list_running)


@frozen(cache_hash=True)
class Structure(GroupShape):
    """The static shape of a master/slave group: each structure specialises every rule."""

    usual_parameters: ClassVar[Parameters] = Parameters()
    lanes: ClassVar[Lanes] = LANES

    @property
    def changes(self) -> tuple[Variant, ...]:
        """The variants, those of a release one by one. Raises KeyError for an unknown name."""
        return expand(self.variants)

    @property
    def rules(self) -> Mapping[str, Rule]:
        """Those of RocketMQ 4.4.0 in their order, then those that its variants add."""
        return compute_rules(self.variants)

    @property
    def index_counts(self) -> Mapping[str, int]:
        """The numbers of slaves and of followed messages."""
        return {"slave": self.slaves, "message": self.messages}

    def follow_messages(self, messages: int) -> Self:
        """The group with so many followed messages."""
        return evolve(self, messages=messages)

    def make_initial(self, parameters: Parameters) -> Cluster:
        """Every broker up, every log empty, no connection yet."""
        empty = empty_log(self.lives)
        cluster = Cluster(
            structure=self,
            parameters=parameters,
            master=Master(log=empty, is_sync=self.is_sync_master),
            slaves=(Slave(log=empty),) * self.slaves,
            links=(Link(),) * self.slaves,
            messages=(Message(),) * self.messages,
        )
        return evolve(
            cluster,
            in_sync_state_set=compute_first_sync_state_set(cluster),
            epoch_files=compute_first_epoch_files(cluster),
            committed_offset=compute_first_committed(cluster),
        )
