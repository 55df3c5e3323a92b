"""What the starts, stops and ends of brokers ask of a state of replication."""

from __future__ import annotations

import math
from functools import partial

from attrs import evolve

from brokers.recordings.ahead.boundaries import find_recovered_range
from brokers.recordings.ahead.order import Observation
from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.checks.closings import check_closed_by_stop
from brokers.recordings.checks.logs import check_dispatched_at_start, check_surgery, find_kept_end
from brokers.recordings.clock import SHUTDOWN_MS
from brokers.recordings.controller.goals import has_epoch_files, list_file_goals
from brokers.recordings.hidden.goals import fires
from brokers.recordings.hidden.node import Goal, Node, Requirements
from brokers.recordings.kinds import END_KINDS, START_KINDS
from brokers.recordings.log.asking import Asking, agrees, ask_for, note, see
from brokers.recordings.log.brokers import (
    list_checks,
    list_log_goals,
    list_start_stages,
    see_end,
)
from brokers.recordings.log.guide import name_instance
from brokers.recordings.log.notes import Notes
from brokers.recordings.log.seen import ShownFacts
from brokers.recordings.reading import Event
from brokers.recordings.recorded_log import name_broker, name_end
from brokers.recordings.roles.exchange import exchange_parts
from brokers.recordings.roles.places import EXCHANGE
from brokers.recordings.view import Blocked, View, check
from reference.language.machine import Action
from reference.roles import Role


def observe_start(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """A broker has started, and shows what it has recovered, perhaps in another part."""
    event = observation.event
    if EXCHANGE not in event.data:
        return ask_for_start(asking, observation, node)
    asked = ask_for_start(asking, observation, exchange_parts(asking, event, node))
    return evolve(asked, before=lambda before: exchange_parts(asking, event, before))


def ask_for_start(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """What a start asks of a state in which the broker has the part that it starts in."""
    event = observation.event
    broker = asking.plan.find_node(event)
    is_up = asking.has_value(f"{event['node']} runs", f"{name_broker(broker)}.is_up", True)

    def start(seen: ShownFacts) -> ShownFacts:
        return see_end(seen, broker, event).start_broker(broker, event)

    seen = node.notes.seen.get_broker(broker)
    is_down = not (seen.is_started or seen.is_store_closed)
    return Requirements(
        (
            lambda _: (agrees(f"{event['node']} does not run yet", is_so=is_down),),
            lambda n: judge_start(asking, observation, broker, n),
            lambda n: list_loaded_goals(asking, n, event, broker),
            lambda _: (is_up, *list_log_goals(asking, node, event, broker)),
            *list_start_stages(asking, event, broker),
            asking.later(observation, lambda view: check_dispatched_at_start(view, broker, event)),
            lambda n: list_checks(asking, observation, broker, n),
        ),
        permits=dict.fromkeys(choose_starts(asking, event, broker), 1),
        after=see(start),
    )


def judge_start(
    asking: Asking, observation: Observation, broker: int, node: Node
) -> tuple[Goal, ...]:
    """What a process has left: perhaps a record whose put was under way at its end."""
    event, left = observation.event, node.notes.seen.abort_files
    path, text = name_end(asking.plan, broker), f"max_offset of {event['node']}"
    end = event.data.get("max_offset")
    way = () if end is None else (asking.has_value(text, path, end),)
    found = asking.judge(
        find_down(asking, node, broker),
        observation,
        lambda view: check_start(view, event, broker, left),
    )
    return tuple(evolve(goal, on_the_way=way) for goal in found)


def find_down(asking: Asking, node: Node, broker: int) -> Node:
    """The latest state in which a broker did not run; this one where it has run from the first."""
    place = asking.guide.places[f"{name_broker(broker)}.is_up"]
    return next((each for each in node.list_back() if not each.state[place]), node)


def list_loaded_goals(asking: Asking, node: Node, event: Event, broker: int) -> tuple[Goal, ...]:
    """What a process has loaded of its epoch file; of the group's first master's there is none."""
    if not has_epoch_files(asking):
        return ()
    members, rows = event.data.get("sync_state_set"), event.data.get("epochs")
    goals = [agrees("a broker starts without a SyncStateSet", is_so=not members)]
    down = find_down(asking, node, broker)
    if rows is not None and down.state[asking.guide.places[f"{name_broker(broker)}.is_up"]]:
        goals.append(agrees("a broker starts first without epochs", is_so=not rows))
    elif rows is not None:
        shown = [goal.check(down) for goal in list_file_goals(asking, broker, rows)]
        goals.append(agrees(f"the epoch file has {rows}", is_so=all(shown)))
    return tuple(goals)


def choose_starts(asking: Asking, event: Event, broker: int) -> list[str]:
    """The ways in which a broker may start here: a master in the epoch that it is told next."""
    names = list_starts(asking, broker)
    if broker != MASTER or not has_epoch_files(asking):
        return names
    return [name for name in names if is_told_next(asking, event, name)]


def is_told_next(asking: Asking, event: Event, name: str) -> bool:
    """A start in the next epoch is one behind which a master is told more epochs than it had."""
    rows = event.data.get("epochs")
    for later in asking.plan.recording.events:
        if later.seq > event.seq and later.data.get("node") == event["node"]:
            if later.kind in END_KINDS:
                break
            if later.kind == "to_master" and rows is not None and later["epochs"]:
                is_new = not rows or rows[-1][0] < later["epochs"][-1][0]
                return is_new == (name == IN_NEXT_EPOCH)
    return True


IN_NEXT_EPOCH = "restart_master_in_next_epoch"
"""The start of a master that its controller has elected again."""


def check_start(view: View, event: Event, broker: int, abort_files: frozenset[int]) -> View:
    """A broker that does not run starts, and finds what its last process has left."""
    if "last_exit_normal" in event.data:
        is_normal = broker not in abort_files
        view = check(view, "last_exit_normal", is_normal, event["last_exit_normal"])
    role = view.master_role if broker == MASTER else Role.SLAVE.name
    view = check(view, "role", role, event["role"])
    end = event.data.get("max_offset")
    if view.is_up(broker) or end is None:
        return view
    low, high = find_recovered_range(view.plan.tables, view.get_log(broker))
    if broker != MASTER or broker in abort_files:
        high = max(high, find_kept_end(view, event, broker))
    if not low <= end <= high and not view.plan.are_puts_hidden:
        raise Blocked(f"max_offset is {end}, but recovery leaves a log up to {low}")
    return view


def list_starts(asking: Asking, broker: int) -> list[str]:
    """The ways in which a broker may start."""
    begin = "restart_master" if broker == MASTER else "restart_slave"
    rules = (name for name in asking.plan.structure.rules if name.startswith(begin))
    return [name_instance(name, broker) for name in rules]


def observe_kill(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """A broker's process is killed, or loses power if its store then lacks bytes."""
    event = observation.event
    broker = asking.plan.find_node(event)
    names, kept = [name_instance("kill_WHO", broker)], {}
    surgery, rows = asking.plan.surgeries.get(event.seq), find_new_rows(asking, node, event, broker)
    if surgery is not None:
        rules = ["lose_WHO_power"]
        if broker == MASTER:
            rules += ["lose_WHO_power_in_record", *["lose_WHO_disk"] * is_whole(surgery)]
        names = [name_instance(rule, broker) for rule in rules]
        kept = {"kept_offset": surgery["lost_from_offset"]}
    elif rows:
        names = [name_instance("kill_WHO_in_frame", broker)]
    end = fires(f"{event['node']} ends by {' or '.join(names)}", *names)
    return ask_for(
        end,
        *(list_file_goals(asking, broker, rows) if rows else ()),
        permits=dict.fromkeys(names, 1),
        arguments=dict.fromkeys(names, kept),
        after=lambda after: end_process(asking, after, broker),
    )


def find_new_rows(asking: Asking, node: Node, event: Event, broker: int) -> list[list[int]]:
    """The epochs of a slave that was killed when it had recorded a frame's, and not appended it.

    Its next start shows them: an epoch that it did not have, and that begins above its log's end
    (``v533_controller_n`` seq 130 and 170). Of any other kill there are none.
    """
    rows = find_rows_without_bytes(asking, event, broker)
    start = find_next_start(asking, event)
    if not rows or start is None or rows[-1][1] == start["max_offset"]:
        return []
    is_known = all(goal.check(node) for goal in list_file_goals(asking, broker, rows))
    return [] if is_known else rows


def find_rows_without_bytes(asking: Asking, event: Event, broker: int) -> list[list[int]]:
    """The epochs with which a slave starts next, if the last begins where its log ends, or above.

    It was sent by a frame of which nothing was kept, or by a heartbeat.
    """
    start = find_next_start(asking, event)
    if broker == MASTER or start is None or not has_epoch_files(asking):
        return []
    rows = [row[:2] for row in start.data.get("epochs") or ()]
    return rows if rows and rows[-1][1] >= start.data.get("max_offset", math.inf) else []


def find_next_start(asking: Asking, event: Event) -> Event | None:
    """The next start of the broker that an event is about."""
    return next((e for e in asking.plan.list_later(event) if e.kind in START_KINDS), None)


def is_whole(surgery: Event) -> bool:
    """Nothing is left of a log."""
    return bool(surgery["lost_from_offset"] == 0)


def end_process(asking: Asking, node: Node, broker: int) -> Node:
    """What is forgotten with a broker's process."""
    notes: Notes = node.notes
    if broker == MASTER:
        for number in notes.slots:
            node = asking.drop_message(node, number)
        notes = evolve(node.notes, begun=frozenset(), process=notes.process + 1, connections=())
        notes = notes.see(lambda seen: evolve(seen, sends=0))
    is_left = asking.guide.get(node, f"{name_broker(broker)}.has_abort_file")
    notes = notes.spend(name_instance("begin_WHO_stop", broker)).see(
        lambda seen: end_broker(seen, broker, is_left=bool(is_left))
    )
    if broker != MASTER:
        notes = notes.see(lambda seen: seen.change_wire(broker, closed_ms=None, reported_before=0))
        notes = notes.change_wire(broker, late_point=-1)
    return node.edit(notes=notes)


def end_broker(seen: ShownFacts, broker: int, *, is_left: bool) -> ShownFacts:
    """A process has ended, with or without its abort file."""
    left = seen.abort_files - {broker}
    ended = seen.change_broker(broker, is_started=False, stop_begin_ms=None)
    ended = evolve(ended, told=ended.told - {broker})
    return evolve(ended, abort_files=left | {broker} if is_left else left)


def observe_stop_begin(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """A broker's store begins to stop in order."""
    event = observation.event
    broker = asking.plan.find_node(event)
    name = name_instance("begin_WHO_stop", broker)

    def begin(notes: Notes) -> Notes:
        return notes.grant(name).see(
            lambda seen: seen.change_broker(broker, stop_begin_ms=event.t_ms)
        )

    return ask_for(after=note(begin))


def observe_stop(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """A broker's store has stopped in order; its process lives on."""
    return ask_for_stop(asking, observation, has_process=True)


def ask_for_stop(asking: Asking, observation: Observation, *, has_process: bool) -> Requirements:
    """What the end of an orderly stop of a store asks."""
    event = observation.event
    broker = asking.plan.find_node(event)
    names = [name_instance(rule, broker) for rule in ("begin_WHO_stop", "finish_WHO_stop")]
    who = name_broker(broker)
    ended = asking.has_value(f"{event['node']} runs", f"{who}.is_up", False)
    goals = [evolve(ended, usual=lambda n: list_last_steps(asking, n, broker))]
    if "max_offset" in event.data:
        path = name_end(asking.plan, broker)
        goals.append(asking.has_value(f"max_offset of {event['node']}", path, event["max_offset"]))
    if "abort_file_present" in event.data:
        # The abort file stays if the dispatch could not come to the log's end (R-RC-13).
        is_left = event["abort_file_present"]
        goals.append(asking.has_value("abort_file_present", f"{who}.has_abort_file", is_left))

    def end(after: Node) -> Node:
        ended = end_process(asking, after, broker)
        return see(lambda seen: seen.change_broker(broker, is_store_closed=has_process))(ended)

    rows = find_rows_without_bytes(asking, event, broker)
    return Requirements(
        (
            asking.later(observation, lambda view: check_stop(view, event, broker)),
            lambda _: tuple(list_file_goals(asking, broker, rows)) if rows else (),
            lambda _: tuple(goals),
        ),
        permits=dict.fromkeys(names, 1),
        after=end,
    )


def list_last_steps(asking: Asking, node: Node, broker: int) -> list[Action]:
    """A store that stops has all of its log flushed, file by file, and dispatched (R-RC-13)."""
    get, log = partial(asking.guide.get, node), f"{name_broker(broker)}.log"
    end = get(name_end(asking.plan, broker))
    size = get("parameters.mapped_file_size_bytes")
    files = -(-(end - get(f"{log}.flushed_offset")) // size) + 1
    flush, dispatch, begin, finish = (
        name_instance(rule, broker)
        for rule in ("flush_WHO", "dispatch_WHO", "begin_WHO_stop", "finish_WHO_stop")
    )
    flushes = [Action(flush)] * files
    return [*flushes, Action(dispatch, {"dispatched_offset": end}), Action(begin), Action(finish)]


def check_stop(view: View, event: Event, broker: int) -> View:
    """A stop that has begun takes its time, and closes what it has to close."""
    if not view.get_broker(broker).is_started:
        raise Blocked("this broker does not run")
    if view.get_broker(broker).stop_begin_ms is None and "shutdown_ms" in event.data:
        raise Blocked("no clean stop of this broker has begun")
    took_ms = event.data.get("shutdown_ms", SHUTDOWN_MS)
    if took_ms < SHUTDOWN_MS:
        raise Blocked(f"shutdown_ms is {took_ms}, but a stop takes {SHUTDOWN_MS} ms")
    return view if broker == MASTER else check_closed_by_stop(view, broker)


def observe_exit(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """A process ends by itself: after the clean stop of its store.

    That of a whole broker stops its store first, which no other event need tell
    (``BrokerStartup#createBrokerController``, ``BrokerController#shutdown``).
    """
    broker = asking.plan.find_node(observation.event)
    is_closed = node.notes.seen.get_broker(broker).is_store_closed
    if asking.plan.are_puts_hidden and not is_closed:
        return ask_for_stop(asking, observation, has_process=False)
    text = "the store of this broker was shut down before its process ended"
    return ask_for(
        agrees(text, is_so=is_closed),
        after=see(lambda seen: seen.change_broker(broker, is_store_closed=False)),
    )


def observe_surgery(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """The recorder takes a tail of the store of a broker that is down: see `observe_kill`.

    Behind a stop in order, too: what that has not written is in the page cache, and a loss of power
    takes it later as well (`flush_file_gone` seq 171 to 204).
    """
    event = observation.event
    broker, lost_from = asking.plan.find_node(event), event["lost_from_offset"]
    checks = asking.later(observation, lambda view: check_surgery(view, event))
    if asking.guide.get_max(node, broker) <= lost_from:
        return Requirements((checks,))
    lost = lose_page_cache(asking, node, broker, lost_from)
    text = f"the bytes of {event['node']} from {lost_from} on were not on its disk"
    goal = agrees(text, is_so=lost is not None)
    return Requirements((lambda _: (goal,),), after=lambda _: lost or node)


def lose_page_cache(asking: Asking, node: Node, broker: int, kept: int) -> Node | None:
    """A node in which a broker whose process has ended has lost power; None: it may not lose that.

    The rule is asked as if the process had ended by it. Its abort file is gone by then, or not.
    """
    who, states, places = name_broker(broker), list(node.state), asking.guide.places
    states[places[f"{who}.is_up"]] = True
    step = Action(name_instance("lose_WHO_power", broker), {"kept_offset": kept})
    lost = asking.guide.machine.take(tuple(states), step)
    return None if lost is None else node.edit(state=lost)


def observe_wipe(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """The store of a stopped broker is emptied."""
    broker = asking.plan.find_node(observation.event)
    name = "lose_master_disk" if broker == MASTER else f"wipe_slave[{broker}]"
    return ask_for(
        fires(f"{name} happens", name),
        permits={name: 1},
        after=see(lambda seen: end_broker(seen, broker, is_left=False)),
    )
