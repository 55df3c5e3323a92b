"""What a put asks of a state of the joined system."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from brokers.recordings.hidden.goals import agrees
from brokers.recordings.hidden.node import Asked, Goal, Node
from brokers.recordings.joined.asking import Asking, ask_for, name_end, note, owe
from brokers.recordings.joined.choice import is_blank, is_stored
from brokers.recordings.joined.notes import Shown, count_puts
from brokers.recordings.reading import Event
from reference.language.compiled import compute_places
from reference.worlds.reading.state import MASTER
from reference.worlds.replication.state import ANSWERED, NOT_SENT, PUT_OK, STATUS_NAMES

OTHERS = "append_other_message"
"""The put of a message that is not followed."""


def observe_put(asking: Asking, event: Event, node: Node) -> Asked:
    """A message is appended to the master's log; the followed one is answered."""
    if not is_stored(event, asking.roles):
        if not is_blank(event, asking.roles):
            return Asked(ignored="refused before anything was written")
        end = event["wrote_offset"] + event["wrote_bytes"]
        goal = asking.has_value("the log's end", name_end(asking, MASTER), end)
        return ask_for([goal], permits={"fill_file": 1})
    is_of_queue = asking.is_of_queue(event)
    place = int(event["queue_offset"])
    places = compute_places(asking.structure)
    # A promoted broker may give the same place to another message.
    is_new = node.state[places["cluster.messages.0.phase"]] == NOT_SENT
    is_followed = is_of_queue and place == asking.choice.message and is_new
    name = "append_message[0]" if is_followed else OTHERS
    end = node.state[places[name_end(asking, MASTER)]]
    arguments = {"size_bytes": asking.sizes.find_size(event, end)}
    if is_followed:
        arguments["waits_for_store"] = int(event.data.get("wait_store_ok", True))
    shown = Shown(name, is_of_queue, arguments["size_bytes"], event.data.get("wrote_offset"))
    # What the broker owes may come before it, which is known where the place is.
    is_late = shown.start_offset is not None and shown.start_offset > end
    owed = {OTHERS: 1 + len(node.notes.owed)} if is_late and node.notes.owed else {}
    goals = [takes_shown(shown)]
    if event.kind == "put":
        wrote = event["wrote_offset"] + event["wrote_bytes"]
        goals.append(asking.has_value("the log's end", name_end(asking, MASTER), wrote))
    if is_of_queue:
        goals.append(agrees(f"queue_offset is {place}", lambda after: is_place(after, place)))
    if is_followed:
        goals += list_answer_goals(asking, event)
    return ask_for(
        goals,
        permits={name: 1, "fill_file": 1, **owed},
        arguments={} if owed and not is_followed else {name: arguments},
        before=note(shown_put=shown),
        after=delay if event.data.get("delay_level") else None,
    )


def takes_shown(shown: Shown) -> Goal:
    """The append that an event shows has happened."""
    goal = agrees(f"{shown.instance} takes {shown.size_bytes} B", lambda n: not n.notes.shown_put)
    return evolve(goal, instances=(shown.instance,))


def is_place(node: Node, place: int) -> bool:
    """The message that was put last has this place in its queue, by those that were put before."""
    puts = node.notes.puts
    low, high = count_puts(puts, puts[-1].end_offset) if puts else (0, 0)
    return low <= place + 1 <= high


def list_answer_goals(asking: Asking, event: Event) -> Iterator[Goal]:
    """How the put of the followed message is answered."""
    told = event["put_status"] if event.kind == "put" else event["response"]
    status = PUT_OK if told == "SUCCESS" else STATUS_NAMES.index(told)
    yield asking.has_value("the put's phase", "cluster.messages.0.phase", ANSWERED)
    yield asking.has_value(f"its answer ({told})", "cluster.messages.0.status", status)


def delay(node: Node) -> Node:
    """A delayed message was put: from now on the broker owes it to its own topic."""
    return note(delayed=node.notes.delayed + 1)(owe(None)(node))
