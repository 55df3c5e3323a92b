"""What epoch files and the SyncStateSet are shown to be, as goals on a state of controller mode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from attrs import evolve

from brokers.recordings.ahead.elections import list_ids
from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.hidden.node import Goal, Node
from brokers.recordings.log.asking import Asking, agrees, is_fact
from brokers.recordings.reading import Event
from reference.language.operators import any_of, negate
from reference.worlds.replication.controller.epochs import (
    NO_EPOCH,
    drop_expired,
    find_epoch_at,
    get_file,
    get_log,
    get_place,
    get_sent_starts,
)
from reference.worlds.replication.controller.sync_state_set import (
    compute_confirm_offset,
    get_report,
)

NO_END = -1
"""The end of the last epoch, as it is shown."""

Row = Sequence[int]
"""An epoch: its number, where it begins, and perhaps where it ends."""


def has_epoch_files(asking: Asking) -> bool:
    """The rules have epoch files and a SyncStateSet: there is a controller."""
    return asking.guide.has_epoch_files


def find_place(broker: int) -> int:
    """Where lists by broker have the master or a slave."""
    return get_place(broker)  # MASTER is the number before the first slave's.


def list_file_goals(asking: Asking, broker: int, rows: Sequence[Row]) -> Iterator[Goal]:
    """A broker's epoch file has these entries, and no others that retention has left."""
    yield is_fact(f"epochs {rows} follow one another", is_so=are_in_order(rows))
    starts = {find_epoch(asking, row[0]): row[1] for row in rows if len(row) > 1}
    place, lives = find_place(broker), asking.plan.structure.lives
    told = asking.plan.controller.epochs
    is_so = all(0 <= epoch < lives for epoch in starts) and {tuple(r[:2]) for r in rows} <= told
    yield is_fact(f"epochs {rows} have begun", is_so=is_so)
    for epoch in range(lives):
        if epoch in starts:
            text = f"the start of epoch {name_epoch(asking, epoch)} of broker {place + 1}"
            path = f"epoch_files.{place}.starts.{epoch}"
            is_possible = asking.landmarks.may_stand_at(starts[epoch])
            yield asking.has_value(text, path, starts[epoch], is_possible=is_possible)
        else:
            yield has_no_entry(asking, place, epoch)


def find_epoch(asking: Asking, number: int) -> int:
    """The epoch that has this number of the controller; -1 where none has."""
    return asking.plan.controller.epoch_numbers.get(number, -1)


def name_epoch(asking: Asking, epoch: int) -> str:
    """The number of an epoch, or that it has none, since no broker has recorded it."""
    numbers = asking.plan.controller.epoch_numbers
    return next((str(n) for n, place in numbers.items() if place == epoch), "without a number")


def has_no_entry(asking: Asking, place: int, epoch: int) -> Goal:
    """A broker's epoch file has no entry of an epoch any more, or not yet."""
    text = f"broker {place + 1} has no entry of epoch {name_epoch(asking, epoch)}"
    return asking.holds(text, has_dropped, place, epoch)


def has_dropped(state: Any, place: int, epoch: int) -> Any:
    """No entry of an epoch is in a broker's epoch file, or retention has taken it."""
    return drop_expired(get_file(state, place), get_log(state, place))[epoch] == NO_EPOCH


def are_in_order(rows: Sequence[Row]) -> bool:
    """Each epoch ends where the next one begins; the last one has no end."""
    for row, following in zip_longest(rows, rows[1:]):
        if len(row) not in (2, 3):
            return False
        end = NO_END if following is None else following[1]
        if row[2:] not in ([], [end]):
            return False
        if following is not None and not (row[0] < following[0] and row[1] < following[1]):
            return False
    return True


def list_set_goals(asking: Asking, shown: Sequence[int]) -> Iterator[Goal]:
    """The SyncStateSet, which is the union that the master waits for, has these members."""
    ids = list_ids(asking.plan.recording.config["nodes"])
    is_known = set(shown) <= set(ids) and len(set(shown)) == len(shown)
    yield is_fact(f"the SyncStateSet {shown} has known members", is_so=is_known)
    for place, broker in enumerate(ids):
        yield is_in_set(asking, place, is_in=broker in shown)


def is_in_set(asking: Asking, place: int, *, is_in: bool) -> Goal:
    """A broker is in the SyncStateSet, or is not."""
    text = f"whether broker {place + 1} is in the SyncStateSet"
    return asking.has_value(text, f"in_sync_state_set.{place}", is_in)


def has_confirmed(asking: Asking, offset: int) -> Goal:
    """The master's confirm offset, where the state knows it.

    Unless it is alone in the set, it is computed when a report comes, and may lag until the next
    one (``v533_controller_h2`` seq 377).
    """
    text, is_possible = f"confirm_offset is {offset}", asking.landmarks.may_stand_at(offset)
    return asking.holds(text, is_confirmed, numbers=(offset,), is_possible=is_possible)


def is_confirmed(state: Any, offset: int) -> Any:
    """The confirm offset is this one, or may lag there, or the state does not know it."""
    confirmed = compute_confirm_offset(state)
    lags = any_of(*state.in_sync_state_set[1:]) & (offset < confirmed)
    return any_of(confirmed == offset, confirmed < 0, lags)


def may_ask_to_leave(asking: Asking, slave: int) -> Goal:
    """The master may ask to take a slave out: it is not connected, or has not reported all."""
    text = f"slave {slave} is no member, or lags"
    return asking.holds(text, is_out_or_lags, slave)


def is_out_or_lags(state: Any, slave: int) -> Any:
    """A slave is no member of the SyncStateSet, or has not reported all."""
    return any_of(
        negate(state.in_sync_state_set[get_place(slave)]),
        get_report(state.links[slave]) < state.master.log.max_offset,
    )


def list_shown_goals(asking: Asking, node: Node, event: Event, broker: int) -> Iterator[Goal]:
    """What a look at a broker shows of controller mode; nothing where the rules have none of it."""
    if not has_epoch_files(asking):
        return
    members, own = event.data.get("sync_state_set"), event.data.get("local_sync_state_set")
    if members is not None and own is not None:
        text = f"local_sync_state_set {own} is part of the union, and has the master"
        first = {list_ids(asking.plan.recording.config["nodes"])[0]}
        yield is_fact(text, is_so=first & set(members) <= set(own) <= set(members))
    if broker != MASTER or broker not in node.notes.seen.told:
        if members is not None:
            text = "a broker that is no master shows no SyncStateSet"
            yield agrees(text, is_so=not members)
    elif members is not None:
        yield from list_set_goals(asking, members)
    if "epochs" in event.data and (broker != MASTER or broker in node.notes.seen.told):
        yield from list_file_goals(asking, broker, event["epochs"])
    if broker == MASTER and broker in node.notes.seen.told and "confirm_offset" in event.data:
        dispatched, confirmed = event["dispatched_offset"], event["confirm_offset"]
        text = f"dispatched_offset {dispatched} is not beyond confirm_offset {confirmed}"
        yield is_fact(text, is_so=dispatched <= confirmed)
        yield has_confirmed(asking, confirmed)


def list_connection_state(asking: Asking, slave: int, shown: Mapping[str, Any]) -> Iterator[Goal]:
    """Whose connection it is, as soon as its slave has said so, and how far it has come.

    A handshake is over with the first report (``v533_controller_h`` seq 50: a little later).
    """
    own = list_ids(asking.plan.recording.config["nodes"])[get_place(slave)]
    told, state = shown.get("slave_id", NO_END), shown.get("state", TRANSFER)
    is_asked = shown["slave_request_offset"] >= 0
    if "slave_id" in shown:
        text = f"slave_id of the connection is {own}, or {NO_END} before the handshake"
        yield is_fact(text, is_so=told == own or (told == NO_END and not is_asked))
    if "state" in shown:
        may_be = STATES_AFTER_REPORT if is_asked else STATES_BEFORE_REPORT
        yield is_fact(f"state of the connection is one of {may_be}", is_so=state in may_be)


STATES_BEFORE_REPORT = ("HANDSHAKE", "SHUTDOWN")
STATES_AFTER_REPORT = ("HANDSHAKE", "TRANSFER", "SHUTDOWN")
"""``HAConnectionState`` of a connection at the master, before and after the first report."""


def is_dispatch_open(asking: Asking, node: Node, broker: int) -> bool:
    """How far a broker's dispatch has come is left open by the rules.

    Under a controller a slave dispatches as far as it knows the confirm offset, and a broker that
    starts as far as it has stored that, until it computes it anew (ABSTRACTED of controller mode).
    """
    seen = node.notes.seen
    is_known = broker == MASTER and broker in seen.told and not seen.is_master_behind
    return has_epoch_files(asking) and not is_known


def has_dispatched(asking: Asking, who: str, path: str, offset: int) -> Goal:
    """A broker's dispatch can have come so far: it is not beyond what the rules allow."""
    place, is_possible = asking.guide.places[path], asking.landmarks.may_stand_at(offset)
    return Goal(
        f"dispatched_offset of {who} has come to {offset}",
        lambda n: is_possible and offset <= n.state[place],
        frozenset((path,)),
        path,
        offset,
        place,
        is_possible=is_possible,
    )


def lag_behind(asking: Asking, goal: Goal) -> Goal:
    """A goal on ``push2_slave_max_offset`` that its value before the latest report meets as well.

    With a SyncStateSet it is raised last: puts are answered by the reports of each connection, and
    the set is changed, before that (``AutoSwitchHAService#notifyTransferSome``;
    ``v533_controller_c`` seq 74, ``v533_controller_h`` seq 323). The rules do all of it at once.
    """
    if not has_epoch_files(asking):
        return goal

    def is_met(node: Node) -> bool:
        return goal.check(node) or find_before(node, goal.place) == goal.wanted

    return evolve(goal, check=is_met)


def find_before(node: Node, place: int) -> int | None:
    """What a leaf was before it was changed last; None where nobody knows."""
    value = node.state[place]
    return next((int(n.state[place]) for n in node.list_back() if n.state[place] != value), None)


def names_epoch(asking: Asking, slave: int, event: Event) -> Goal:
    """A frame names the epoch of its first byte, and where that begins.

    The last frame of an epoch may name the next one (``v533_controller_e`` seq 101), and a
    connection may go on to name the epoch that was the last one when it came there.
    """
    epoch, start = find_epoch(asking, event["epoch"]), event["epoch_start_offset"]
    begin, size = max(0, event["master_offset"]), event["body_bytes"]
    text = f"epoch {event['epoch']} begins at {start} and is that of a frame from {begin}"
    if (event["epoch"], start) not in asking.plan.controller.epochs:
        return is_fact(text, is_so=False)
    return asking.holds(text, is_named, slave, epoch, numbers=(start, begin, begin + size))


def is_named(state: Any, slave: int, epoch: int, *numbers: int) -> Any:
    """An epoch begins at ``start``, and a frame from ``begin`` to ``end`` may name it."""
    start, begin, end = numbers
    starts = get_sent_starts(state)
    is_of_begin = find_epoch_at(starts, begin) == epoch
    is_fixed = get_file(state, get_place(slave)).fixed_epoch == epoch
    is_next = (begin < end) & (starts[epoch] == end)
    return (starts[epoch] == start) & any_of(is_of_begin, is_fixed, is_next)


def list_handshake_goals(asking: Asking, node: Node, slave: int, event: Event) -> Iterator[Goal]:
    """A slave reports once it knows the epochs of its master, in the state that follows that."""
    state = event.data.get("state")
    if not has_epoch_files(asking) or state is None:
        return
    known = node.notes.seen.handshakes[slave]
    is_known = known.connection == event["conn"] and known.answered > 0
    yield agrees("the master has sent its half of the handshake", is_so=is_known)
    yield is_fact(f"a report is sent in state {TRANSFER}", is_so=state == TRANSFER)


def list_frame_goals(asking: Asking, slave: int, event: Event) -> Iterator[Goal]:
    """What the header of a frame shows of controller mode."""
    if not has_epoch_files(asking):
        return
    if "epoch" in event.data and "epoch_start_offset" in event.data:
        yield names_epoch(asking, slave, event)
    if "confirm_offset" in event.data:
        offset = event["confirm_offset"]
        text = f"the confirm offset has come to {offset}"
        is_possible = asking.landmarks.may_stand_at(offset)
        yield asking.holds(text, has_come_to, numbers=(offset,), is_possible=is_possible)
    if "state" in event.data:
        yield is_fact(f"a frame is sent in state {TRANSFER}", is_so=event["state"] == TRANSFER)


def has_come_to(state: Any, offset: int) -> Any:
    """The confirm offset has been this one, as far as the state knows: it never sinks."""
    confirmed = compute_confirm_offset(state)
    return any_of(offset <= confirmed, confirmed < 0)


TRANSFER = "TRANSFER"
"""``HAConnectionState`` of frames and reports."""
