"""What epoch files, the SyncStateSet and frames are shown to be, held against the state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from brokers.explaining.controlled.truncation import find_refused
from brokers.explaining.refusal import Refusal
from brokers.explaining.scene import Scene
from brokers.explaining.seen.sightings import STATE_KINDS
from brokers.recordings.ahead.elections import list_ids
from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.reading import Event
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
from reference.worlds.replication.state import Cluster

NO_END = -1
"""The end of the last epoch, as it is shown."""

TRANSFER = "TRANSFER"
"""``HAConnectionState`` of frames and reports."""

STATES_BEFORE_REPORT = ("HANDSHAKE", "SHUTDOWN")
STATES_AFTER_REPORT = ("HANDSHAKE", "TRANSFER", "SHUTDOWN")
"""``HAConnectionState`` of a connection at the master, before and after the first report."""

PUSHED = "master.push2_slave_max_offset"

Row = Sequence[int]
"""An epoch: its number, where it begins, and perhaps where it ends."""


def list_members(scene: Scene) -> tuple[int, ...]:
    """The ids by which the SyncStateSet knows the brokers: the master's, then each slave's."""
    return list_ids(scene.plan.recording.config["nodes"])


def must(text: str, *, is_so: bool) -> None:
    """Refuse what is not so. Raises Refusal."""
    if not is_so:
        raise Refusal(f"{text}: this is not so")


def check_epochs(scene: Scene, broker: int, rows: Sequence[Row]) -> None:
    """A broker's epoch file has these entries, and no others that retention has left."""
    must(f"epochs {rows} follow one another", is_so=are_in_order(rows))
    told = scene.plan.controller
    are_known = {row[0] for row in rows} <= told.epoch_numbers.keys()
    have_begun = are_known and {tuple(row[:2]) for row in rows} <= told.epochs
    must(f"epochs {rows} have begun", is_so=have_begun)
    place = get_place(broker)
    stands = list(drop_expired(get_file(scene.cluster, place), get_log(scene.cluster, place)))
    shown = [NO_EPOCH] * len(stands)
    for number, start, *_ in rows:
        shown[told.epoch_numbers[number]] = start
    if shown != stands:
        raise Refusal(f"epochs are {rows}, but the epochs of broker {broker + 2} begin at {stands}")


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


def change_set(scene: Scene, members: Sequence[int]) -> None:
    """Slaves enter the set, or leave it, until it is the one that is shown. Raises Refusal."""
    for slave, broker in enumerate(list_members(scene)[1:]):
        is_in = broker in members
        if scene.get(f"in_sync_state_set.{get_place(slave)}") != is_in:
            way = "enter" if is_in else "leave"
            scene.take_one_of([(f"{way}_sync_state_set[{slave}]", {})])


def check_loaded(scene: Scene, event: Event) -> None:
    """What a process has loaded of its epoch file; the group's first ones have none.

    Raises Refusal.
    """
    must("a broker starts without a SyncStateSet", is_so=not event.data.get("sync_state_set"))
    rows = event.data.get("epochs")
    if rows is None:
        return
    if scene.get(f"{scene.sightings.paths[event['node']]}.is_up"):
        must("a broker starts first without epochs", is_so=not rows)
    else:
        check_epochs(scene, scene.plan.find_node(event), rows)


def check_members(scene: Scene, shown: Sequence[int]) -> None:
    """The SyncStateSet, which is the union that the master waits for, has these members."""
    ids = list_members(scene)
    is_known = set(shown) <= set(ids) and len(set(shown)) == len(shown)
    must(f"the SyncStateSet {shown} has known members", is_so=is_known)
    change_set(scene, shown)
    flags = scene.cluster.in_sync_state_set
    stands = [broker for broker, is_in in zip(ids, flags, strict=True) if is_in]
    if set(stands) != set(shown):
        raise Refusal(f"the SyncStateSet is {list(shown)}, but {stands} by the model")


def check_confirmed(scene: Scene, offset: int) -> None:
    """The master's confirm offset, where the state knows it.

    Unless it is alone in the set, it is computed when a report comes, and may lag until the next
    one (``v533_controller_h2`` seq 377).
    """
    cluster = scene.cluster
    confirmed = compute_confirm_offset(cluster)
    lags = any(cluster.in_sync_state_set[1:]) and offset < confirmed
    if confirmed >= 0 and confirmed != offset and not lags:
        raise Refusal(f"confirm_offset is {offset}, but {confirmed} by the model")


def is_out_or_lags(cluster: Cluster, slave: int) -> bool:
    """A slave is no member of the SyncStateSet, or has not reported all."""
    is_in = cluster.in_sync_state_set[get_place(slave)]
    return not is_in or get_report(cluster.links[slave]) < cluster.master.log.max_offset


def check_control(scene: Scene, event: Event) -> None:
    """What an event shows of controller mode. Raises Refusal."""
    if not scene.sightings.has_controller:
        return
    if event.kind == "put" and "sync_state_set_after" in event.data:
        check_members(scene, event["sync_state_set_after"])
    if event.kind not in STATE_KINDS:
        return
    broker, data = scene.plan.find_node(event), event.data
    members, own = data.get("sync_state_set"), data.get("local_sync_state_set")
    if members is not None and own is not None:
        first = {list_members(scene)[0]}
        text = f"local_sync_state_set {own} is part of the union, and has the master"
        must(text, is_so=first & set(members) <= set(own) <= set(members))
    is_told = broker in scene.facts.control.told
    if members is not None and broker == MASTER and is_told:
        check_members(scene, members)
    elif members is not None:
        must("a broker that is no master shows no SyncStateSet", is_so=not members)
    if "epochs" in data and (broker != MASTER or is_told):
        check_epochs(scene, broker, data["epochs"])
    if broker == MASTER and is_told and "confirm_offset" in data:
        dispatched, confirmed = data["dispatched_offset"], data["confirm_offset"]
        text = f"dispatched_offset {dispatched} is not beyond confirm_offset {confirmed}"
        must(text, is_so=dispatched <= confirmed)
        check_confirmed(scene, confirmed)


def check_frame(scene: Scene, slave: int, event: Event) -> None:
    """What the header of a frame shows of controller mode. Raises Refusal."""
    data = event.data
    if "epoch" in data and "epoch_start_offset" in data:
        check_named_epoch(scene, slave, event)
    if "confirm_offset" in data:
        confirmed = compute_confirm_offset(scene.cluster)
        text = f"the confirm offset has come to {data['confirm_offset']}"
        must(text, is_so=confirmed < 0 or data["confirm_offset"] <= confirmed)
    must(f"a frame is sent in state {TRANSFER}", is_so=data.get("state", TRANSFER) == TRANSFER)


def check_report_state(scene: Scene, slave: int, event: Event) -> None:
    """A slave reports once it knows the epochs of its master. Raises Refusal."""
    if (state := event.data.get("state")) is None:
        return
    known = scene.facts.control.handshakes[slave]
    is_known = known.connection == event["conn"] and known.answered > 0
    must("the master has sent its half of the handshake", is_so=is_known)
    must(f"a report is sent in state {TRANSFER}", is_so=state == TRANSFER)


def is_own_connection(scene: Scene, slave: int, shown: Mapping[str, Any]) -> bool:
    """A connection that a master lists may be that of a slave, whose id it says once it knows.

    A handshake is over with the first report (``v533_controller_h`` seq 50: a little later).
    """
    own = list_members(scene)[get_place(slave)]
    told, state = shown.get("slave_id", NO_END), shown.get("state", TRANSFER)
    is_asked = shown["slave_request_offset"] >= 0
    may_be = STATES_AFTER_REPORT if is_asked else STATES_BEFORE_REPORT
    is_own = told == own or (told == NO_END and not is_asked)
    return is_own and ("state" not in shown or state in may_be)


def may_be_shown(scene: Scene, leaf: str, shown: int) -> bool:
    """A leaf may be shown so, though the state has another value.

    A connection without a link of the model counts, and ``push2_slave_max_offset`` is raised last.
    """
    refused = find_refused(scene)
    if leaf == "master.connection_count":
        stands = scene.get(leaf)
        return bool(stands < shown <= stands + len(refused))
    if leaf.endswith(".is_open"):
        return bool(shown) and any(leaf == f"links.{link.slave}.is_open" for link in refused)
    return leaf == PUSHED and shown == scene.pushed_before


def check_named_epoch(scene: Scene, slave: int, event: Event) -> None:
    """A frame names the epoch of its first byte, and where that begins.

    The last frame of an epoch may name the next one (``v533_controller_e`` seq 101), and a
    connection may go on to name the epoch that was the last one when it came there.
    """
    number, start = event["epoch"], event["epoch_start_offset"]
    begin, size = max(0, event["master_offset"]), event["body_bytes"]
    text = f"epoch {number} begins at {start} and is that of a frame from {begin}"
    epoch = scene.plan.controller.epoch_numbers.get(number, NO_EPOCH)
    must(text, is_so=epoch != NO_EPOCH and (number, start) in scene.plan.controller.epochs)
    cluster = scene.cluster
    starts = get_sent_starts(cluster)
    is_of_begin = find_epoch_at(starts, begin) == epoch
    is_fixed = get_file(cluster, get_place(slave)).fixed_epoch == epoch
    is_next = size > 0 and starts[epoch] == begin + size
    is_named = starts[epoch] == start and (is_of_begin or is_fixed or is_next)
    must(text, is_so=bool(is_named))
