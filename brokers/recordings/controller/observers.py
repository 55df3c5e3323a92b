"""What a controller tells brokers, and what they tell it: roles, epochs, the SyncStateSet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import evolve

from brokers.recordings.ahead.elections import list_ids
from brokers.recordings.ahead.order import Observation
from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.controller.goals import (
    has_epoch_files,
    is_in_set,
    list_file_goals,
    list_set_goals,
    may_ask_to_leave,
)
from brokers.recordings.controller.truncation import (
    begin_truncation,
    count_until_noticed,
    may_give_up,
)
from brokers.recordings.hidden.goals import fires
from brokers.recordings.hidden.node import Goal, Node, Requirements, Stage
from brokers.recordings.log.asking import Asking, agrees, ask_for, is_fact, see
from brokers.recordings.log.brokers import observe_snapshot
from brokers.recordings.reading import Event
from brokers.recordings.recorded_log import name_end
from brokers.recordings.roles.exchange import exchange_notes
from brokers.recordings.roles.places import EXCHANGE
from reference.language.rule import replace_at
from reference.worlds.replication.controller.epochs import get_place

NO_CONTROLLER = "these brokers have a controller"


def observe_to_master(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """A controller has told a broker that it is the master, in this epoch and with this set.

    A running master is elected again, or a slave is elected. A broker that has started before is
    told its role only: its start was the step.
    """
    event = observation.event
    if not has_epoch_files(asking):
        return ask_for(agrees(NO_CONTROLLER, is_so=False))
    names = list_elections(asking, node, event)
    goals = [is_fact(f"{event['node']} is told to be a master", is_so=is_master(asking, event))]
    goals += [is_fact("the change of its role is done", is_so=event.data.get("result", True))]
    goals += [fires(f"{event['node']} is elected", *names)] if names else []
    look = observe_snapshot(asking, observation, tell_master(node, event))

    def list_changes(_: Node) -> tuple[Goal, ...]:
        return (
            *list_file_goals(asking, MASTER, event["epochs"]),
            *list_set_goals(asking, event["sync_state_set"]),
        )

    first: tuple[Stage, ...] = (lambda _: tuple(goals), list_changes)
    return put_before(
        look,
        first,
        permits={**dict.fromkeys(names, 1), **name_changes(asking, event["sync_state_set"])},
        arguments={
            n: {"recovered_offset": event["max_offset"]} for n in names if EXCHANGE in event.data
        },
        before=lambda before: begin_term(before, event, asking),
    )


def put_before(asked: Requirements, stages: tuple[Stage, ...], **others: Any) -> Requirements:
    """The same with these stages first, whichever way it is met."""
    changed = evolve(asked, stages=(*stages, *asked.stages), **others)
    other = asked.otherwise
    if other is None:
        return changed
    return evolve(changed, otherwise=lambda: put_before(other(), stages, **others))


def name_changes(asking: Asking, members: Sequence[int]) -> dict[str, int]:
    """The steps by which slaves enter a set, or leave it, once each."""
    ids = list_ids(asking.plan.recording.config["nodes"])[1:]
    return {
        f"{'enter' if broker in members else 'leave'}_sync_state_set[{slave}]": 1
        for slave, broker in enumerate(ids)
    }


def is_master(asking: Asking, event: Event) -> bool:
    """An event is about the master, in the role of one."""
    return asking.plan.find_node(event) == MASTER and event.data.get("role") != "SLAVE"


def list_elections(asking: Asking, node: Node, event: Event) -> tuple[str, ...]:
    """The steps that make a running broker the master; none for one that was told at its start."""
    if EXCHANGE in event.data:
        return (f"elect_slave[{asking.plan.slaves.index(event[EXCHANGE])}]",)
    return ("elect_master_again",) if MASTER in node.notes.seen.told else ()


def begin_term(node: Node, event: Event, asking: Asking) -> Node:
    """A master was told its role; if it was a slave, what was seen of it is that of the master."""
    if EXCHANGE in event.data:
        slave = asking.plan.slaves.index(event[EXCHANGE])
        node = exchange_notes(asking, node, slave)
    return tell_master(answer(node, event), event)


def tell_master(node: Node, event: Event) -> Node:
    """The node in which the master was told its role.

    At a start it has yet to dispatch what lies above the confirm offset that it has stored. It does
    not, while the set has a member that is not connected (``AutoSwitchHAService
    #computeConfirmOffset``; ``v533_controller_d`` seq 127 and 158).
    """
    is_start = EXCHANGE not in event.data and MASTER not in node.notes.seen.told
    behind = is_start and event["dispatched_offset"] < event["max_offset"]
    return see(lambda seen: evolve(seen, is_master_behind=behind))(tell(node, MASTER))


def answer(node: Node, event: Event) -> Node:
    """The node in which a controller has told a set."""
    told = frozenset(event["sync_state_set"])
    return see(lambda seen: evolve(seen, answered=told))(node)


def tell(node: Node, broker: int) -> Node:
    """The node in which a broker was told its role."""
    return see(lambda seen: evolve(seen, told=seen.told | {broker}))(node)


def observe_to_slave(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """A controller has told a broker that it is a slave; from now on it looks for its master."""
    event = observation.event
    if not has_epoch_files(asking):
        return ask_for(agrees(NO_CONTROLLER, is_so=False))
    broker = asking.plan.find_node(event)
    is_so = broker != MASTER and event.data.get("role", "SLAVE") == "SLAVE"
    goals = (
        is_fact(f"{event['node']} is told to be a slave", is_so=is_so),
        is_fact("the change of its role is done", is_so=bool(event.data.get("result", True))),
    )
    look = observe_snapshot(asking, observation, node)
    return put_before(
        look, (lambda _: goals,), before=lambda before: begin_to_follow(before, broker)
    )


def begin_to_follow(node: Node, broker: int) -> Node:
    """A slave was told its master: its client begins anew, and connects without a wait before.

    (``AutoSwitchHAClient#reOpen``; ``v533_controller_w`` seq 201 and 205.)
    """
    told = tell(node, broker)
    if broker == MASTER:
        return told
    return see(lambda seen: seen.change_wire(broker, closed_ms=None))(told)


def observe_set(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """A controller has told the master its set: who is not in it has left it at the latest."""
    event = observation.event
    if not has_epoch_files(asking):
        return ask_for(agrees(NO_CONTROLLER, is_so=False))
    is_so = is_master(asking, event) and MASTER in node.notes.seen.told
    goals = (agrees(f"{event['node']} is the master", is_so=is_so),)
    changes = name_changes(asking, event["sync_state_set"])

    def list_changes(_: Node) -> tuple[Goal, ...]:
        return tuple(list_set_goals(asking, event["sync_state_set"]))

    look = observe_snapshot(asking, observation, node)
    return put_before(
        look,
        (lambda _: goals, list_changes),
        permits=changes,
        before=lambda before: answer(before, event),
    )


def observe_request(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """The master asks for another set. Who is new in it is waited for at once.

    Who is no more in it stays until the controller has answered. Both threads of a connection ask
    when it ends (``AutoSwitchHAService#removeConnection``), the second perhaps when the first is
    answered already (``v533_controller_d`` seq 165).
    """
    event = observation.event
    if not has_epoch_files(asking):
        return ask_for(agrees(NO_CONTROLLER, is_so=False))
    ids, members = list_ids(asking.plan.recording.config["nodes"]), event["set"]
    is_so = is_master(asking, event) and MASTER in node.notes.seen.told and ids[0] in members
    goals = [agrees(f"{event['node']} is the master", is_so=is_so)]
    seen, is_request = node.notes.seen, event.kind == "sss_listener"
    is_new = set(members) != seen.answered or set(members) == seen.asked or not is_request
    goals += [agrees(f"the set {members} differs from the last answer", is_so=is_new)]
    goals += [is_fact(f"the set {members} has known members", is_so=set(members) <= set(ids))]
    for slave, broker in enumerate(ids[1:]):
        if broker in members:
            goals.append(is_in_set(asking, get_place(slave), is_in=True))
        elif is_request:
            goals.append(may_ask_to_leave(asking, slave))
    entries = {n: c for n, c in name_changes(asking, members).items() if n.startswith("enter")}
    if not is_request:
        return ask_for(*goals)
    asked = see(lambda seen: evolve(seen, asked=frozenset(members)))
    return ask_for(*goals, permits=entries, after=asked)


def observe_handshake(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """A slave tells its id, or the master its epochs: then the slave truncates, and will report."""
    event = observation.event
    if not has_epoch_files(asking):
        return ask_for(agrees(NO_CONTROLLER, is_so=False))
    slave = asking.plan.find_slave_of_link(event)
    known = node.notes.seen.handshakes[slave]
    if event.kind == "ha_handshake_slave":
        goals, said = list_slave_goals(asking, node, event, slave), known.ask(event["conn"])
    else:
        goals, said = list_master_goals(asking, node, event, slave), known.answer()

    def end(after: Node) -> Node:
        change = see(lambda seen: evolve(seen, handshakes=replace_at(seen.handshakes, slave, said)))
        if said.answered != 1 or known.answered:
            return change(after)
        if may_give_up(asking, after, slave):
            return count_until_noticed(asking, change(after), slave)
        return begin_truncation(asking, event, change(after), slave)

    return ask_for(*goals, after=end)


def list_slave_goals(asking: Asking, node: Node, event: Event, slave: int) -> list[Goal]:
    """What the slave's half of a handshake shows."""
    own = list_ids(asking.plan.recording.config["nodes"])[get_place(slave)]
    is_open = event["conn"] == node.notes.wires[slave].connection
    return [
        agrees(f"connection {event['conn']} is open", is_so=is_open),
        is_fact(f"slave_id is {own}", is_so=event["slave_id"] == own),
        *(
            is_fact(f"{name} is false", is_so=not event.data.get(name, False))
            for name in ("sync_from_last_file", "async_learner")
        ),
    ]


def list_master_goals(asking: Asking, node: Node, event: Event, slave: int) -> list[Goal]:
    """What the master's half of a handshake shows: its epochs, and where its log ends."""
    rows, known = event["epochs"], node.notes.seen.handshakes[slave]
    last = rows[-1][0] if rows and rows[-1] else 0
    is_next = known.connection == event["conn"] and known.answered < known.asked
    return [
        agrees("the slave has sent its half of the handshake", is_so=is_next),
        is_fact(f"last_epoch is {last}", is_so=event.data.get("last_epoch", last) == last),
        asking.has_value(
            "master_max_offset", name_end(asking.plan, MASTER), event["master_max_offset"]
        ),
        *list_file_goals(asking, MASTER, rows),
        *list_connect_goals(asking, node, slave),
    ]


def list_connect_goals(asking: Asking, node: Node, slave: int) -> list[Goal]:
    """The slave has connected, unless it cannot truncate: then it gives up."""
    if may_give_up(asking, node, slave):
        return []
    text = f"the link of slave {slave} is open"
    return [asking.has_value(text, f"links.{slave}.is_open", True)]
