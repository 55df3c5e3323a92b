"""What an event shows is the step that it tells of, or a value of the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from attrs import define, field

from brokers.explaining.checking import CHECKS, REMEMBERED_KINDS, check_remembered
from brokers.explaining.controlled.shown import (
    check_control,
    is_own_connection,
    may_be_shown,
)
from brokers.explaining.controlled.truncation import finish_truncations
from brokers.explaining.hidden.advancing import Advance
from brokers.explaining.hidden.deadlines import check_timer
from brokers.explaining.refusal import Refusal
from brokers.explaining.scene import Scene
from brokers.explaining.seen.facts import Check
from brokers.explaining.seen.moments import HEALED_MS, NotedMoment
from brokers.explaining.seen.sightings import (
    COMMITTED,
    CONNECTION_FIELDS,
    STATE_KINDS,
    name_field,
)
from brokers.explaining.seen.traffic import LinkQueues
from brokers.explaining.viewing import make_view
from brokers.recordings.checks.agreement import find_later_end
from brokers.recordings.clock import (
    KILL_MS,
    LATE_MS,
)
from brokers.recordings.groups import OutsideTheModel
from brokers.recordings.kinds import CONTROLLER_KINDS, START_KINDS
from brokers.recordings.reading import Event
from brokers.recordings.view import Blocked, View

WRITTEN = ("PUT_OK", "END_OF_FILE")
"""The append_status of what has left bytes in a log: a message, or a blank (R-CL-04)."""


@define(eq=False)
class EventObserver:
    """Holds moments against a scene."""

    scene: Scene
    advance: Advance
    looks: Mapping[str, Look] = field(repr=False)
    """By kind of moment: what it shows beside values of the state."""
    checked: int = 0
    """How many values were held against the state or the clock."""

    def observe(self, moment: NotedMoment) -> None:
        """Take the steps that a moment shows, and compare what it shows. Raises Refusal."""
        self.prepare(moment)
        look = self.looks.get(moment.kind)
        if look is not None:
            look(self, moment.event)
        if moment.kind in START_KINDS or moment.kind == "to_master":
            self.advance.run(self.scene)
        self.scene.pins.pass_moment(moment.key)
        if moment.kind in STATE_KINDS and moment.event["node"] == self.scene.plan.master:
            self.check_later_end(moment.event)
        for leaf, value in self.scene.sightings.list_shown(moment):
            self.checked += 1
            self.compare(leaf, value)
        if not moment.is_call:
            for check in CHECKS.get(moment.kind, ()):
                self.checked += 1
                self.hold(check, moment.event)
            if moment.kind in REMEMBERED_KINDS:
                self.hold(check_remembered, moment.event)
            self.check_cursors(moment)
            check_control(self.scene, moment.event)
        if moment.kind == "put":
            slot = self.scene.puts.find_slot(moment.event.seq)
            if slot is not None:
                self.scene.drop_message(slot)

    def prepare(self, moment: NotedMoment) -> None:
        """What a moment has made certain before anything is compared. Raises Refusal."""
        is_controlled = self.scene.sightings.has_controller
        if not is_controlled and moment.kind in CONTROLLER_KINDS:
            raise Refusal("these brokers have no controller")
        if is_controlled and not moment.is_call:
            finish_truncations(self.scene, moment.event)
        self.learn_end(moment)
        if moment.is_call and moment.event.kind == "broker_status":
            self.check_asked(moment.event)

    def learn_end(self, moment: NotedMoment) -> None:
        """How long the master's log is at least, and how far a dispatch has come."""
        event, scene = moment.event, self.scene
        if moment.is_call:
            return
        is_shown = moment.kind in STATE_KINDS and "dispatched_offset" in event.data
        if is_shown and event.seq not in scene.sightings.open_dispatch_seqs:
            node, offset = scene.plan.find_node(event), event["dispatched_offset"]
            scene.facts = scene.facts.change_broker(node, dispatched_offset=offset)
        if event.data.get("node") != scene.plan.master:
            return
        if moment.kind in STATE_KINDS:
            scene.known_end = event.data.get("max_offset", scene.known_end)
        elif moment.kind == "put" and event.data.get("append_status") in WRITTEN:
            scene.known_end = max(scene.known_end, event["wrote_offset"] + event["wrote_bytes"])

    def check_asked(self, event: Event) -> None:
        """No answer is older than its question, and a log only grows. Raises Refusal."""
        stands = self.scene.get(self.scene.sightings.get_shown_end(event["node"]))
        if event["max_offset"] < stands:
            shown = event["max_offset"]
            raise Refusal(f"max_offset is {shown}, but the log had come to {stands} when asked")
        behind, end = (
            event["dispatch_behind_bytes"],
            self.scene.get(self.scene.sightings.get_end(event["node"])),
        )
        settled = self.scene.compute_settled_offset(self.scene.sightings.paths[event["node"]])
        if end - behind < settled and event.seq not in self.scene.sightings.open_dispatch_seqs:
            raise Refusal(f"the dispatch is {behind} behind, but it had come to {settled} long ago")

    def hold(self, check: Check, event: Event) -> View:
        """A check passes, and what it learns is known. Raises Refusal."""
        scene = self.scene
        try:
            known = check(make_view(scene, event), event)
        except (Blocked, OutsideTheModel) as problem:
            raise Refusal(str(problem)) from problem
        scene.facts = scene.facts.learn(known)
        return known

    def compare(self, leaf: str, shown: int) -> None:
        """A leaf is what is shown, or may be shown so. Raises Refusal."""
        scene = self.scene
        stands = scene.get(leaf)
        if leaf == COMMITTED:
            # A file that was begun counts, though nothing of it is committed.
            stands = max(stands, scene.get("master.log.last_file_offset"))
        is_shown_so = stands == shown or self.is_unknown_yet(leaf, shown)
        if scene.sightings.has_controller:
            is_shown_so |= may_be_shown(scene, leaf, shown)
        if not is_shown_so:
            name = name_field(leaf, self.scene.plan)
            raise Refusal(f"{name} is {shown}, but {stands} by the model")

    def is_unknown_yet(self, leaf: str, shown: int) -> bool:
        """Who shows the state of a link need not know its latest change."""
        if not leaf.startswith("links."):
            return False
        scene, slave = self.scene, int(leaf.split(".")[1])
        link, name = scene.links[slave], scene.plan.slaves[slave]
        is_changing = abs(scene.now_ms - link.changed_ms) < KILL_MS
        if not leaf.endswith(".is_open"):
            return is_changing and not scene.get(f"links.{slave}.is_open")
        is_its_own = name in scene.facts.tables.own_masters
        return is_changing or bool(shown and (link.is_stalled or is_its_own))

    def check_cursors(self, moment: NotedMoment) -> None:
        """What a look shows beside the leaves of the state. Raises Refusal."""
        event, plan = moment.event, self.scene.plan
        if moment.kind not in STATE_KINDS:
            return
        if event["node"] == plan.master:
            self.check_list(event)
        elif event.data.get("ha_client_reported_offset") is not None:
            self.check_reported(event)

    def check_later_end(self, event: Event) -> None:
        """The distance to the slaves is read last: the log may have gone on, by the next put."""
        later, scene = find_later_end(event), self.scene
        if later is None or later == event["max_offset"]:
            return
        put = scene.puts.find_next_called(event.t_ms)
        if put is None or later != put.end_offset:
            shown = event["slave_fall_behind"]
            raise Refusal(f"slave_fall_behind is {shown}, by which the log would end at {later}")

    def check_list(self, event: Event) -> None:
        """A master lists the connections that it counts; a new one a moment later.

        It counts one in ``HAConnection``'s constructor, and lists it in HAService#addConnection.
        """
        listed, counted = event.data.get("connections"), event.data.get("connection_count")
        if listed is None or counted is None:
            return
        now_ms = self.scene.now_ms
        new = sum(now_ms - each.changed_ms <= LATE_MS for each in self.scene.links if each.is_open)
        if not counted - new <= len(listed) <= counted:
            raise Refusal(f"connection_count is {counted}, and {len(listed)} are listed")
        for each in listed:
            if not any(self.is_as_listed(link, each) for link in self.scene.links):
                raise Refusal(f"no connection of the master is as the one listed: {each}")

    def is_as_listed(self, link: LinkQueues, shown: Mapping[str, int]) -> bool:
        """A connection may be the one that is listed; one that has ended is for a while.

        The list may be some moments old, and what a connection has done since does not count.
        """
        scene = self.scene
        if scene.sightings.has_controller and not is_own_connection(scene, link.slave, shown):
            return False
        fields = CONNECTION_FIELDS.items()
        leaves = {name: self.scene.get(f"links.{link.slave}.{leaf}") for name, leaf in fields}
        is_ended = not self.scene.get(f"links.{link.slave}.is_open")
        return is_ended or all(
            value in (-1, leaves[name]) or (name != "slave_request_offset" and value < leaves[name])
            for name, value in shown.items()
            if name in leaves
        )

    def check_reported(self, event: Event) -> None:
        """A slave's latest report: of this connection, of the one before, or its own end.

        HAClient#connectMaster sets it to the own end, even if the connect fails; under a controller
        the handshake sets it to what will be reported (`v533_controller_n0` seq 207).
        """
        scene, slave = self.scene, self.scene.plan.slaves.index(event["node"])
        link = scene.links[slave]
        known = {0, scene.get(scene.get_slave_end(slave)), link.reported_before, link.last_report}
        has_reported = scene.get(f"links.{slave}.has_reported") or scene.sightings.has_controller
        if scene.get(f"links.{slave}.is_open") and has_reported:
            known.add(scene.get(f"links.{slave}.reported_offset"))
        shown = event["ha_client_reported_offset"]
        if shown not in known:
            raise Refusal(
                f"ha_client_reported_offset is {shown}, not one of {sorted(known - {None})}"
            )

    def check_timer(self, name: str, since_ms: float, link: LinkQueues) -> None:
        """A timer has run as long as it takes since something that no stall held back."""
        healed_ms = link.frames_healed_ms if name == "heartbeat" else link.healed_ms
        if since_ms > healed_ms + HEALED_MS:
            self.checked += 1
            check_timer(self.scene, name, self.scene.now_ms - since_ms, link.slave)

    def get_link(self, event: Event) -> LinkQueues:
        """The link of an event."""
        return self.scene.links[self.scene.plan.find_slave_of_link(event)]


Look: TypeAlias = Callable[[EventObserver, Event], None]
"""Takes the steps that an event shows; raises Refusal where there are none."""
