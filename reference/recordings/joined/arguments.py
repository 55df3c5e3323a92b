"""Arguments for a step: numbers that a goal wants, the ends of a range, and indexes as counted."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from reference.language.machine import Action, Instance, compute_machine
from reference.language.rule import Argument
from reference.recordings.joined.goals import Goal, Node, Put, get_leaf
from reference.recordings.joined.relevance import Chosen
from reference.worlds.replication.commit_log import compute_second_file
from reference.worlds.system.state import THE_SLAVE

INDEXES = ("index", "first_index", "last_index", "kept_index")
"""Arguments that count messages of the queue."""

ENDS = ("dispatched_offset", "recovered_offset")
"""Arguments up to which a queue shows messages."""


def count_puts(puts: Sequence[Put], offset: int) -> tuple[int, int]:
    """How many messages of the queue lie wholly below an offset: at least, and at most."""
    below = [put.is_of_queue for put in puts if put.end_offset <= offset]
    known = below.count(True)
    return known, known + below.count(None)


def list_actions(node: Node, chosen: Chosen, unmet: Sequence[Goal]) -> Iterator[Action]:
    """The actions of an instance that are worth a try."""
    instance = chosen.reach.recorded.instance
    forced = [g.action.arguments for g in unmet if g.action and g.action.instance == instance.name]
    given: Mapping[str, int] = {name: v for each in forced for name, v in each.items()}
    plain = [a for a in chosen.ranges if a.name not in INDEXES]
    counted = [a for a in chosen.ranges if a.name in INDEXES]
    choices = [_list_values(node, chosen, a, given, unmet) for a in plain]
    for values in itertools.product(*choices):
        arguments = dict(zip((a.name for a in plain), values, strict=True))
        offsets = _list_ends(node, instance, arguments)
        indexes = [list_indexes(node, a, offsets) for a in counted]
        for numbers in itertools.product(*indexes):
            counts = dict(zip((a.name for a in counted), numbers, strict=True))
            yield Action(instance.name, {**arguments, **counts})


def _list_values(
    node: Node, chosen: Chosen, argument: Argument, given: Mapping[str, int], unmet: Sequence[Goal]
) -> list[int]:
    low, high = argument.low, argument.high
    if argument.name in given:
        return [given[argument.name]] if low <= given[argument.name] <= high else []
    if argument.name == "is_full":
        return [low]
    if high - low <= 1:
        return list(range(low, high + 1))
    wanted = [goal.wanted for goal in unmet if goal.path]
    near = [high, *wanted, *_list_slopes(node, chosen, argument, unmet)]
    if argument.name in ENDS:
        # A queue that shows the followed message for the first time ends with it.
        near.append(node.state.message.end_offset)
    return [v for v in dict.fromkeys(near) if low <= v <= high]


def _list_slopes(
    node: Node, chosen: Chosen, argument: Argument, unmet: Sequence[Goal]
) -> Iterator[int]:
    """The value that makes a leaf the wanted one, if each one more makes that one more."""
    instance = chosen.reach.recorded.instance
    wanted = [goal for goal in unmet if goal.path in chosen.reach.effects]
    if not wanted:
        return
    lowest = Action(instance.name, {argument.name: argument.low})
    outcome = compute_machine(node.state.structure).step(node.state, lowest)
    for goal in wanted:
        yield argument.low + goal.wanted - int(get_leaf(goal.path)(outcome.cluster))


def _list_ends(node: Node, instance: Instance, arguments: Mapping[str, int]) -> list[int]:
    """The offsets at which a step may have to know how many messages lie below."""
    cluster, parameters = node.state.cluster, node.state.parameters
    is_of_slave = "slave" in instance.rule.name
    log = cluster.slaves[THE_SLAVE].log if is_of_slave else cluster.master.log
    told = [arguments[name] for name in ENDS if name in arguments]
    ends = told or [log.max_offset]
    if is_of_slave:
        ends.append(log.start_offset)
    if instance.rule.name.startswith(("expire", "delete")):
        ends = [compute_second_file(log, parameters)]
    return ends


def list_indexes(node: Node, argument: Argument, offsets: Sequence[int]) -> list[int]:
    """What an index may be, as the recorded puts tell it."""
    found: list[int] = []
    for offset in offsets:
        low, high = count_puts(node.puts, offset)
        # The followed message, shown for the first time, gets its index and ends the queue.
        found += [n for n in range(low - 1, high + 1) if argument.low <= n <= argument.high]
    return list(dict.fromkeys(found))
