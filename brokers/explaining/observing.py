"""What an event shows is the step that it tells of, or a value of the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from attrs import define

from brokers.explaining.advancing import Advance
from brokers.explaining.checking import (
    CHECKS,
    check_remembered,
    check_start,
    check_stop,
)
from brokers.explaining.deadlines import check_timer
from brokers.explaining.facts import Check, make_view
from brokers.explaining.moments import HEALED_MS, Moment
from brokers.explaining.scene import Refused, Scene
from brokers.explaining.sightings import COMMITTED, STATE_KINDS, find_next_start
from brokers.explaining.traffic import LinkQueues
from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.checks.agreement import find_later_end
from brokers.recordings.checks.logs import check_surgery
from brokers.recordings.checks.settings import check_address, check_set_config
from brokers.recordings.checks.traffic import CLOSING_SIDES
from brokers.recordings.clock import (
    GRAIN_MS,
    KILL_MS,
    SLACK_MS,
    TRANSFER_WAITS,
    compute_longest_wait_ms,
    compute_time_out_ms,
)
from brokers.recordings.groups import OutsideTheModel
from brokers.recordings.kinds import START_KINDS
from brokers.recordings.reading import Event
from brokers.recordings.view import Blocked, View
from reference.releases.timing_differences import OWN_REPORT_TIMER
from reference.worlds.replication.state import ANSWERED

SIDES = 2
"""Of a connection; its proxy sees the end of each."""


@define(eq=False)
class Observer:
    """Holds moments against a scene."""

    scene: Scene
    advance: Advance
    checked: int = 0
    """How many values were held against the state or the clock."""

    def observe(self, moment: Moment) -> None:
        """Take the steps that a moment shows, and compare what it shows. Raises Refused."""
        look = LOOKS.get(moment.kind)
        if look is not None:
            look(self, moment.event)
        if moment.kind in START_KINDS:
            self.advance.run(self.scene)
        self.scene.pins.pass_moment(moment.key)
        for leaf, value in self.scene.sightings.list_shown(moment):
            self.checked += 1
            self.compare(leaf, value)
        if not moment.is_call:
            for check in (*CHECKS.get(moment.kind, ()), check_remembered):
                self.hold(check, moment.event)
            self.check_cursors(moment)
        if moment.kind == "put":
            slot = self.scene.puts.find_slot(moment.event.seq)
            if slot is not None:
                self.scene.drop_message(slot)

    def hold(self, check: Check, event: Event) -> View:
        """A check passes, and what it learns is known. Raises Refused."""
        scene = self.scene
        try:
            known = check(make_view(scene, event), event)
        except (Blocked, OutsideTheModel) as problem:
            raise Refused(str(problem)) from problem
        scene.facts = scene.facts.learn(known)
        return known

    def compare(self, leaf: str, shown: int) -> None:
        """A leaf is what is shown."""
        scene = self.scene
        stands = scene.get(leaf)
        if leaf == COMMITTED:
            # A file that was begun counts, though nothing of it is committed.
            stands = max(stands, scene.get("master.log.last_file_offset"))
        if stands == shown:
            return
        if leaf.endswith(".is_open"):
            link = scene.links[int(leaf.split(".")[1])]
            is_changing = abs(scene.now_ms - link.changed_ms) < KILL_MS
            if is_changing or (shown and link.is_stalled):
                return
        raise Refused(f"{leaf} is {stands}, shown {shown}")

    def check_cursors(self, moment: Moment) -> None:
        """What a look shows beside the leaves of the state. Raises Refused."""
        event, plan = moment.event, self.scene.plan
        if moment.kind not in STATE_KINDS:
            return
        if event["node"] == plan.master:
            self.check_later_end(event)
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
            raise Refused(f"slave_fall_behind is {shown}, by which the log would end at {later}")

    def check_reported(self, event: Event) -> None:
        """A slave's latest report: of this connection, of the one before, or its own end.

        HAClient#connectMaster sets it to the own end, even if the connect fails.
        """
        scene, slave = self.scene, self.scene.plan.slaves.index(event["node"])
        link = scene.links[slave]
        known = {0, scene.get(scene.get_slave_end(slave)), link.reported_before, link.last_report}
        if scene.get(f"links.{slave}.is_open") and scene.get(f"links.{slave}.has_reported"):
            known.add(scene.get(f"links.{slave}.reported_offset"))
        shown = event["ha_client_reported_offset"]
        if shown not in known:
            raise Refused(
                f"ha_client_reported_offset is {shown}, not one of {sorted(known - {None})}"
            )

    def check_timer(self, name: str, since_ms: float, link: LinkQueues) -> None:
        """A timer has run as long as it takes since something that no stall held back."""
        if since_ms > link.healed_ms + HEALED_MS:
            self.checked += 1
            check_timer(self.scene, name, self.scene.now_ms - since_ms, link.slave)

    def get_link(self, event: Event) -> LinkQueues:
        """The link of an event."""
        return self.scene.links[self.scene.plan.find_slave_of_link(event)]

    # Puts

    def see_answer(self, event: Event) -> None:
        """A put that was appended is answered as its wait has ended."""
        if event.data.get("append_status") != "PUT_OK" or event["node"] != self.scene.plan.master:
            return
        scene = self.scene
        slot = scene.puts.find_slot(event.seq)
        if slot is None:
            end = scene.get(scene.master_end)
            raise Refused(f"no message is put at {event['wrote_offset']}: the log ends at {end}")
        if scene.get(f"messages.{slot}.phase") != ANSWERED:
            raise Refused(f"the put is not answered {event['put_status']} yet")
        self.check_duration(event, slot)

    def check_duration(self, event: Event, slot: int) -> None:
        """No answer takes longer than its waits, and no time-out comes early."""
        timers, took_ms = self.scene.timers, event["duration_ms"]
        longest_ms = SLACK_MS
        if event["wait_store_ok"]:
            longest_ms += compute_longest_wait_ms(timers) + timers.sync_flush_timeout_ms
        self.checked += 1
        if took_ms > longest_ms:
            raise Refused(f"the put took {took_ms} ms, but it takes {longest_ms:g} ms at most")
        if event["put_status"] != "FLUSH_SLAVE_TIMEOUT":
            return
        woken = self.scene.get(f"messages.{slot}.wake_ups")
        has_waited = self.scene.puts.waits.get(event.seq, 0) > 0 or woken >= TRANSFER_WAITS
        if not has_waited and took_ms + GRAIN_MS < compute_time_out_ms(timers):
            raise Refused(f"FLUSH_SLAVE_TIMEOUT came after {took_ms} ms")

    # Connections

    def see_connect(self, event: Event) -> None:
        """A slave connects."""
        link = self.get_link(event)
        if link.is_open:
            self.close(link)
        name = f"connect_slave[{link.slave}]"
        self.scene.granted = {**self.scene.granted, name: self.scene.now_ms}
        link.begin(event["conn"], self.scene.now_ms)
        self.advance.run(self.scene)

    def see_close(self, event: Event) -> None:
        """A connection ends."""
        link = self.get_link(event)
        number = event.data.get("conn", link.connection)
        if event.kind == "ha_link_close":
            self.check_end(link, event)
        if link.is_open and number == link.connection:
            self.close(link)

    def check_end(self, link: LinkQueues, event: Event) -> None:
        """Each end of a connection that has begun is seen once at each of its two sides."""
        number = event["conn"]
        if event["closed_by"] not in CLOSING_SIDES:
            raise Refused(f"closed_by is {event['closed_by']!r}, which is no side of a connection")
        if not 0 < number <= link.latest or link.count_ends(number) == SIDES:
            raise Refused(f"connection {number} of this link has not begun, or ended before")
        link.ends_seen = {**link.ends_seen, number: link.count_ends(number) + 1}

    def close(self, link: LinkQueues) -> None:
        """The connection of a link ends, if it is open."""
        scene = self.scene
        connect = f"connect_slave[{link.slave}]"
        scene.granted = {name: t for name, t in scene.granted.items() if name != connect}
        if link.is_open and scene.get(f"links.{link.slave}.is_open"):
            scene.take_one_of([(f"cut_link[{link.slave}]", {})])
        link.begin(0, scene.now_ms)

    def see_stall(self, event: Event) -> None:
        """The proxy holds back what goes over a link."""
        link = self.get_link(event)
        link.is_stalled, link.stalled_ms = True, self.scene.now_ms

    def see_heal(self, event: Event) -> None:
        """The proxy lets it pass."""
        link = self.get_link(event)
        link.is_stalled, link.healed_ms = False, self.scene.now_ms

    # Traffic

    def see_report(self, event: Event) -> None:
        """A slave reports: what it has made, or the last one again."""
        link, offset, scene = self.get_link(event), event["slave_offset"], self.scene
        self.check_open(link, event)
        link.seen += 1
        self.checked += 1
        if link.made and link.made[0] == offset:
            del link.made[0]
        elif not scene.get(f"links.{link.slave}.has_reported"):
            self.see_first_report(link, offset)
        elif offset == link.last_report:
            self.see_repeated_report(link)
        else:
            made = ", ".join(map(str, link.made)) or "none"
            raise Refused(f"{offset} is reported; reports made: {made}; last {link.last_report}")
        link.last_report, link.last_report_ms = offset, scene.now_ms
        link.unread.append(offset)

    def check_open(self, link: LinkQueues, event: Event) -> None:
        """Nothing goes over a connection that has not begun or has ended."""
        if not link.connection or event["conn"] != link.connection:
            raise Refused(f"connection {event['conn']} of this link is not open")

    def see_first_report(self, link: LinkQueues, offset: int) -> None:
        """A slave says what it has, some time after it has connected."""
        scene = self.scene
        has = scene.get(f"links.{link.slave}.reported_offset")
        if offset != has:
            raise Refused(f"the first report is {offset}, not {has}")
        self.check_timer("first_report", link.changed_ms, link)
        rules = ("report_offset", "report_offset_to_earlier_put")
        scene.take_one_of([(f"{rule}[{link.slave}]", {}) for rule in rules])

    def see_repeated_report(self, link: LinkQueues) -> None:
        """A slave that has nothing new to report says the same, some time later."""
        if link.last_frame_ms is not None or link.is_stalled:
            return
        is_own = self.scene.plan.version.has(OWN_REPORT_TIMER)
        timer = "own_report" if is_own else "report_to_silent_master"
        self.check_timer(timer, link.last_report_ms, link)

    def see_frame(self, event: Event) -> None:
        """The master sends bytes, or where it stands."""
        link = self.get_link(event)
        self.check_open(link, event)
        self.checked += 1
        offset, size = event["master_offset"], event["body_bytes"]
        if size:
            self.see_bytes(link, offset, size)
        elif self.scene.get(f"links.{link.slave}.is_open"):
            self.see_heartbeat(link, offset)
        link.last_frame_ms = self.scene.now_ms

    def see_bytes(self, link: LinkQueues, offset: int, size: int) -> None:
        """A frame that was sent."""
        if link.sent <= link.noted:
            stands = self.scene.get(f"links.{link.slave}.next_transfer_offset")
            end = self.scene.get(self.scene.master_end)
            where = f"the transfer stands at {stands}, and the log ends at {end}"
            raise Refused(f"{size} B from {offset} cannot be sent: {where}")
        link.noted += 1
        link.last_end = offset + size

    def see_heartbeat(self, link: LinkQueues, offset: int) -> None:
        """A frame without bytes stands where the last one ended."""
        start = self.scene.get(f"links.{link.slave}.transfer_start_offset")
        stands = start if link.last_end is None else link.last_end
        if offset != stands:
            raise Refused(f"a heartbeat stands at {offset}, not {stands}")
        if link.last_frame_ms is not None and not link.is_stalled:
            self.check_timer("heartbeat", link.last_frame_ms, link)

    # Processes

    def see_kill(self, event: Event) -> None:
        """A process is killed; a store may lose what was not on its disk."""
        scene, rule, index = self.scene, *self.name_broker(event["node"])
        self.check_runs(event)
        surgery = scene.plan.surgeries.get(event.seq)
        if surgery is None:
            kept = find_next_start(scene.plan, event)
            tries = [] if kept is None else [(f"kill_{rule}_with_buffers", {"kept_offset": kept})]
            scene.take_one_of([*tries, (f"kill_{rule}{index}", {})])
        else:
            kept = surgery["lost_from_offset"]
            tries = [(f"lose_{rule}_power{index}", {"kept_offset": kept})]
            if rule == "master" and not kept:
                tries.append(("lose_master_disk", {}))
            scene.take_one_of(tries)
        self.end_process(event)

    def see_stop_begin(self, event: Event) -> None:
        """A process begins to stop, a little later at most."""
        rule, index = self.name_broker(event["node"])
        name = f"begin_{rule}_stop{index}"
        scene = self.scene
        scene.granted = {**scene.granted, name: scene.now_ms}
        node = scene.plan.find_node(event)
        scene.facts = scene.facts.change_broker(node, stop_begin_ms=event.t_ms)

    def see_stop(self, event: Event) -> None:
        """A process has stopped."""
        scene, rule, index = self.scene, *self.name_broker(event["node"])
        self.hold(check_stop, event)
        path = scene.sightings.paths[event["node"]]
        if not scene.get(f"{path}.is_stopping"):
            scene.take_one_of([(f"begin_{rule}_stop{index}", {})])
        self.advance.run(scene)
        shown = {}
        if "abort_file_present" in event.data:
            shown[f"{path}.has_abort_file"] = int(event["abort_file_present"])
        if "max_offset" in event.data:
            shown[scene.sightings.get_end(event["node"])] = event["max_offset"]
        scene.take_one_of([(f"finish_{rule}_stop{index}", {})], shown)
        self.end_process(event)

    def see_exit(self, event: Event) -> None:
        """A process ends, whose store has stopped before."""
        scene = self.scene
        node = scene.plan.find_node(event)
        if not scene.facts.get_broker(node).is_store_closed:
            self.see_hidden_stop(event)
        scene.facts = scene.facts.change_broker(node, is_store_closed=False)
        scene.process += event["node"] == scene.plan.master

    def see_hidden_stop(self, event: Event) -> None:
        """A whole broker stops its store before its process ends, and nobody notes that."""
        if not self.scene.plan.are_puts_hidden:
            raise Refused("the store of this broker was not shut down before its process ended")
        self.see_stop(event)

    def see_surgery(self, event: Event) -> None:
        """A store loses bytes behind a stop in order: what that has not written goes with the power.

        The rule is asked as if the process had ended by it.
        """
        scene, rule, index = self.scene, *self.name_broker(event["node"])
        kept = event["lost_from_offset"]
        if scene.get(scene.sightings.get_end(event["node"])) > kept:
            scene.change({f"{scene.sightings.paths[event['node']]}.is_up": True})
            scene.take_one_of([(f"lose_{rule}_power{index}", {"kept_offset": kept})])
        self.hold(check_surgery, event)

    def see_deletion(self, event: Event) -> None:
        """A broker deletes its oldest files."""
        scene, rule, index = self.scene, *self.name_broker(event["node"])
        rules = (f"expire_{rule}_file", f"expire_uncopied_{rule}_file", f"delete_young_{rule}_file")
        for _ in range(event["deleted"]):
            scene.take_one_of([(f"{each}{index}", {}) for each in rules])

    def see_settings(self, event: Event) -> None:
        """Properties are set; those that the master reads anew count at once."""
        scene = self.scene
        role = event["props"].get("brokerRole")
        if role is not None and event["node"] == scene.plan.master:
            shown = {"master.is_sync": int(role == "SYNC_MASTER")}
            if scene.get("master.is_sync") != shown["master.is_sync"]:
                scene.take_one_of([("switch_master_role", {})], shown)
        known = self.hold(check_set_config, event)
        scene.state = scene.machine.encode(known.cluster)

    def see_address(self, event: Event) -> None:
        """A slave is told where its master is."""
        known, scene = self.hold(check_address, event), self.scene
        if (node := scene.plan.find_node(event)) != MASTER:
            address = known.get_broker(node).ha_master_address
            scene.facts = scene.facts.change_broker(node, ha_master_address=address)

    def see_wipe(self, event: Event) -> None:
        """Somebody removes a slave's store."""
        rule, index = self.name_broker(event["node"])
        name = "lose_master_disk" if rule == "master" else f"wipe_slave{index}"
        scene = self.scene
        scene.take_one_of([(name, {})])
        scene.facts = scene.facts.end(scene.plan.find_node(event), is_left=False)

    def see_start(self, event: Event) -> None:
        """A process runs anew, with what it has recovered."""
        scene, rule, index = self.scene, *self.name_broker(event["node"])
        self.hold(check_start, event)
        self.check_last_exit(event)
        scene.facts = scene.facts.start(scene.plan.find_node(event), event)
        if scene.get(f"{scene.sightings.paths[event['node']]}.is_up"):
            return
        end = event.data.get("max_offset")
        recovered = {} if end is None else {"recovered_offset": end}
        tries = [
            (name, recovered if instance.arguments else {})
            for name, instance in scene.machine.instances.items()
            if name.startswith(f"restart_{rule}") and name.endswith(index)
        ]
        leaf = scene.sightings.get_end(event["node"])
        scene.take_one_of(tries, {} if end is None else {leaf: end})
        if event["node"] != scene.plan.master:
            scene.links[scene.plan.slaves.index(event["node"])].recover(scene.get(leaf))

    def name_broker(self, node: str) -> tuple[str, str]:
        """How rules name a broker, and its index in the names of instances."""
        plan = self.scene.plan
        return ("master", "") if node == plan.master else ("slave", f"[{plan.slaves.index(node)}]")

    def check_last_exit(self, event: Event) -> None:
        """A start finds the abort file that the last process has left, or none."""
        is_left = self.scene.plan.find_node(event) in self.scene.facts.abort_files
        if event.data.get("last_exit_normal", not is_left) == is_left:
            raise Refused(f"last_exit_normal is {event['last_exit_normal']}")

    def check_runs(self, event: Event) -> None:
        """A broker was seen to start, and not to end."""
        if not self.scene.facts.get_broker(self.scene.plan.find_node(event)).is_started:
            raise Refused("this broker does not run")

    def end_process(self, event: Event) -> None:
        """What a process knew is gone."""
        scene, node = self.scene, event["node"]
        is_left = scene.get(f"{scene.sightings.paths[node]}.has_abort_file")
        is_closed = event.kind != "node_kill9"
        scene.facts = scene.facts.end(
            scene.plan.find_node(event), is_left=bool(is_left), is_store_closed=is_closed
        )
        if node == scene.plan.master:
            for _ in range(len(scene.puts.slots)):
                scene.drop_message(0)
            scene.puts.end_run()
            scene.process += not is_closed
        for link in scene.links:
            if not scene.get(f"links.{link.slave}.is_open"):
                link.end(scene.now_ms)


Look: TypeAlias = Callable[[Observer, Event], None]

LOOKS: Mapping[str, Look] = {
    "put": Observer.see_answer,
    "ha_link_open": Observer.see_connect,
    "ha_link_close": Observer.see_close,
    "link_cut": Observer.see_close,
    "link_cut_mid_frame": Observer.see_close,
    "ha_report": Observer.see_report,
    "ha_frame": Observer.see_frame,
    "link_stalled": Observer.see_stall,
    "link_healed": Observer.see_heal,
    "node_kill9": Observer.see_kill,
    "node_stop_begin": Observer.see_stop_begin,
    "node_stop_clean": Observer.see_stop,
    "process_exit": Observer.see_exit,
    "store_surgery": Observer.see_surgery,
    "store_wiped": Observer.see_wipe,
    "delete_expired_files": Observer.see_deletion,
    "set_config": Observer.see_settings,
    "update_ha_master_address": Observer.see_address,
    "ha_master_address": Observer.see_address,
    **dict.fromkeys(START_KINDS, Observer.see_start),
}
"""What each kind of moment shows beside values of the state."""
