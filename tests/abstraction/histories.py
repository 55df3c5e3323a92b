"""Histories of a group: sequences of steps, drawn or given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from hypothesis import strategies as st

from reference.store import put
from reference.store.allocation import Creation
from tests.abstraction import ends, steps
from tests.abstraction.covering import Step
from tests.abstraction.forgetting import find_durable_end
from tests.abstraction.group import FILE_SIZE, LIVES, Group

Command: TypeAlias = tuple[str, int, int]
"""What is to happen, and two numbers whose meaning depends on it."""

TOPICS = ("T", "TopicA", "LongTopicName-%RETRY%group")
BODIES = (0, 1, 20, 64, 130)
PROPERTIES = (0, 2, 9, 30, 100, 256)


def make_message(a: int, b: int) -> put.MessageToPut:
    """A message of one of a few shapes."""
    length = PROPERTIES[b % len(PROPERTIES)]
    properties = "v" * length if length < 4 else f"k\x01{'v' * (length - 3)}\x02"
    body = bytes(1 + (a + i) % 255 for i in range(BODIES[a % len(BODIES)]))
    return put.MessageToPut(TOPICS[(a // 5) % 3], 0, body=body, properties=properties)


def choose_kept(group: Group, who: str, a: int) -> int:
    """A prefix that a power loss may keep."""
    broker = getattr(group, who)
    durable = find_durable_end(broker)
    return durable + a % (broker.max_offset - durable + 1)


def lose_power(
    group: Group, who: str, a: int, b: int, *, are_files_lost: bool = False
) -> Step | None:
    """A power loss that keeps a prefix, and pages behind it."""
    kept = choose_kept(group, who, a)
    if who == "slave":
        return ends.lose_slave_power(group, kept, b, are_files_lost=are_files_lost)
    if group.life + 1 == LIVES:
        return None
    return ends.lose_master_power(group, kept, b, are_files_lost=are_files_lost)


def restart_master(group: Group) -> Step | None:
    """A restart, while one more life can be told apart."""
    return ends.restart_master(group) if group.life + 1 < LIVES else None


def take_frame(group: Group, a: int, b: int) -> Step | None:
    """A frame arrives; one in eight meets a folder that takes no file."""
    creation = Creation.NOTHING if b % 8 == 7 else Creation.POSSIBLE
    return steps.append(group, a, creation)


def choose_least_pages(b: int) -> int:
    """``flushCommitLogLeastPages``, or 0 once in a while (``FlushRealTimeService#run``)."""
    return steps.FLUSH_LEAST_PAGES if b % 4 == 1 else 0


STEPS: dict[str, Callable[[Group, int, int], Step | None]] = {
    "put": lambda g, a, b: steps.put_message(g, make_message(a, b), is_followed=b % 2 == 1),
    "fill": lambda g, a, b: steps.fill_file(g),
    "too_large": lambda g, a, b: steps.refuse_message(g),
    "frame": take_frame,
    "dispatch_master": lambda g, a, b: steps.dispatch_broker(g, "master"),
    "dispatch_slave": lambda g, a, b: steps.dispatch_broker(g, "slave"),
    "flush_master": lambda g, a, b: steps.flush_broker(g, "master", choose_least_pages(b)),
    "flush_slave": lambda g, a, b: steps.flush_broker(g, "slave", choose_least_pages(b)),
    "expire_master": lambda g, a, b: steps.expire(g, "master"),
    "expire_slave": lambda g, a, b: steps.expire(g, "slave"),
    "kill_master": lambda g, a, b: ends.kill(g, "master"),
    "kill_slave": lambda g, a, b: ends.kill(g, "slave"),
    "stop_master": lambda g, a, b: ends.begin_stop(g, "master"),
    "stop_slave": lambda g, a, b: ends.begin_stop(g, "slave"),
    "stopped_master": lambda g, a, b: ends.finish_stop(g, "master", is_dispatched=a % 2 == 0),
    "stopped_slave": lambda g, a, b: ends.finish_stop(g, "slave", is_dispatched=a % 2 == 0),
    "restart_master": lambda g, a, b: restart_master(g),
    "restart_slave": lambda g, a, b: ends.restart_slave(g),
    "power_master": lambda g, a, b: lose_power(g, "master", a, b),
    "power_slave": lambda g, a, b: lose_power(g, "slave", a, b),
    "files_master": lambda g, a, b: lose_power(g, "master", a, b, are_files_lost=True),
    "files_slave": lambda g, a, b: lose_power(g, "slave", a, b, are_files_lost=True),
    "disk_master": lambda g, a, b: ends.lose_master_disk(g) if g.life + 1 < LIVES else None,
    "wipe_slave": lambda g, a, b: ends.wipe_slave(g),
}
"""What is checked against the rules, by name."""

TOLD: dict[str, Callable[[Group, int, int], Group]] = {
    "connect": lambda g, a, b: steps.connect(g),
    "send": lambda g, a, b: steps.send(g, a),
}
"""What only moves the connection: no byte of a store changes."""


def play(group: Group, commands: list[Command]) -> Iterator[tuple[Group, Step]]:
    """Each step of a history, with the group before it."""
    for name, a, b in commands:
        if name in TOLD:
            group = TOLD[name](group, a, b)
            continue
        if name == "frame":
            if not group.link.is_open:
                group = steps.connect(group)
            group = steps.send(group, a)
        step = STEPS[name](group, a, b)
        if step is not None:
            yield group, step
            group = step.after


COMMON = ("put",) * 10 + ("frame",) * 12 + ("kill_slave", "restart_slave") * 3
NAMES = (*COMMON, *STEPS, *TOLD)
COMMANDS = st.lists(
    st.tuples(
        st.sampled_from(NAMES),
        st.one_of(st.just(FILE_SIZE), st.integers(0, 600)),
        st.integers(0, 2**61 - 1),
    ),
    min_size=15,
    max_size=60,
)
