"""What an event shows is the step that it tells of, or a value of the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from attrs import define

from brokers.explaining.advancing import Advance
from brokers.explaining.deadlines import check_timer
from brokers.explaining.moments import HEALED_MS, Moment
from brokers.explaining.scene import Refused, Scene
from brokers.explaining.sightings import COMMITTED
from brokers.explaining.traffic import LinkQueues
from brokers.recordings.ahead.plan import Plan
from brokers.recordings.clock import (
    GRAIN_MS,
    KILL_MS,
    SLACK_MS,
    TRANSFER_WAITS,
    compute_longest_wait_ms,
    compute_time_out_ms,
)
from brokers.recordings.reading import Event
from reference.releases.timing_differences import OWN_REPORT_TIMER
from reference.worlds.replication.state import ANSWERED


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
        if moment.kind == "node_started":
            self.advance.run(self.scene)
        self.scene.pins.pass_moment(moment.key)
        for leaf, value in self.scene.sightings.list_shown(moment):
            self.checked += 1
            self.compare(leaf, value)
        if moment.kind == "put":
            slot = self.scene.puts.find_slot(moment.event.seq)
            if slot is not None:
                self.scene.drop_message(slot)

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
            is_changing = any(abs(scene.now_ms - each.opened_ms) < KILL_MS for each in scene.links)
            if is_changing or (shown and link.is_stalled):
                return
        raise Refused(f"{leaf} is {stands}, shown {shown}")

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
        timers, took_ms = self.scene.plan.timers, event["duration_ms"]
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
        if event.data.get("conn") in (None, link.connection):
            self.close(link)

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
        if event["conn"] != link.connection:
            raise Refused(f"connection {event['conn']} of this link is not open")

    def see_first_report(self, link: LinkQueues, offset: int) -> None:
        """A slave says what it has, some time after it has connected."""
        scene = self.scene
        has = scene.get(f"links.{link.slave}.reported_offset")
        if offset != has:
            raise Refused(f"the first report is {offset}, not {has}")
        self.check_timer("first_report", link.opened_ms, link)
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
        self.end_process(event["node"])

    def see_stop_begin(self, event: Event) -> None:
        """A process begins to stop, a little later at most."""
        rule, index = self.name_broker(event["node"])
        name = f"begin_{rule}_stop{index}"
        self.scene.granted = {**self.scene.granted, name: self.scene.now_ms}

    def see_stop(self, event: Event) -> None:
        """A process has stopped."""
        scene, rule, index = self.scene, *self.name_broker(event["node"])
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
        self.end_process(event["node"])

    def see_wipe(self, event: Event) -> None:
        """Somebody removes a slave's store."""
        _, index = self.name_broker(event["node"])
        self.scene.take_one_of([(f"wipe_slave{index}", {})])

    def see_start(self, event: Event) -> None:
        """A process runs anew, with what it has recovered."""
        scene, rule, index = self.scene, *self.name_broker(event["node"])
        if scene.get(f"{scene.sightings.paths[event['node']]}.is_up"):
            return
        recovered = {"recovered_offset": event["max_offset"]}
        tries = [
            (name, recovered if instance.arguments else {})
            for name, instance in scene.machine.instances.items()
            if name.startswith(f"restart_{rule}") and name.endswith(index)
        ]
        end = scene.sightings.get_end(event["node"])
        scene.take_one_of(tries, {end: event["max_offset"]})

    def name_broker(self, node: str) -> tuple[str, str]:
        """How rules name a broker, and its index in the names of instances."""
        plan = self.scene.plan
        return ("master", "") if node == plan.master else ("slave", f"[{plan.slaves.index(node)}]")

    def end_process(self, node: str) -> None:
        """What a process knew is gone."""
        scene = self.scene
        if node == scene.plan.master:
            for _ in range(len(scene.puts.slots)):
                scene.drop_message(0)
            scene.puts.end_run()
        for link in scene.links:
            if not scene.get(f"links.{link.slave}.is_open"):
                link.made, link.unread, link.is_open = [], [], False


def find_next_start(plan: Plan, event: Event) -> int | None:
    """Where the log of a broker ends when it runs anew; None if it never does."""
    starts = (each for each in plan.list_later(event) if each.kind == "node_started")
    return next((int(each["max_offset"]) for each in starts), None)


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
    "store_wiped": Observer.see_wipe,
    "node_started": Observer.see_start,
}
"""What each kind of moment shows beside values of the state."""
