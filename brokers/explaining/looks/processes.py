"""Starts, stops and ends of brokers, and what is done to their stores and settings."""

from __future__ import annotations

from attrs import evolve

from brokers.explaining.checking import check_start, check_stop
from brokers.explaining.controlled.shown import check_loaded
from brokers.explaining.group_state import Arguments
from brokers.explaining.hidden.late_frames import hold_frames
from brokers.explaining.observing import EventObserver
from brokers.explaining.refusal import Refusal
from brokers.explaining.scene import Scene
from brokers.explaining.seen.sightings import find_next_start, find_start
from brokers.recordings.ahead.plan import MASTER, Plan
from brokers.recordings.checks.logs import check_surgery
from brokers.recordings.checks.settings import check_address, check_set_config
from brokers.recordings.clock import KILL_MS
from brokers.recordings.kinds import END_KINDS
from brokers.recordings.reading import Event
from brokers.recordings.roles.exchange import exchange_known, exchange_logs
from brokers.recordings.roles.places import EXCHANGE
from reference.language.leaves import flatten
from reference.releases.timing_differences import STOP_CLOSES_SOCKET
from reference.roles import Role
from reference.worlds.replication.controller.epochs import NO_EPOCH, get_file, get_place
from reference.worlds.replication.state import empty_log


def see_kill(observer: EventObserver, event: Event) -> None:
    """A process is killed; a store may lose what was not on its disk."""
    scene, rule, index = observer.scene, *name_broker(observer, event["node"])
    check_runs(observer, event)
    if rule == "master":
        hold_frames(scene)
    surgery = scene.plan.surgeries.get(event.seq)
    if surgery is None:
        kept = find_next_start(scene.plan, event)
        tries = [] if kept is None else [(f"kill_{rule}_with_buffers", {"kept_offset": kept})]
        if rule == "slave" and is_killed_in_frame(scene, event):
            tries.append((f"kill_slave_in_frame{index}", {}))
        scene.take_one_of([*tries, (f"kill_{rule}{index}", {})])
    else:
        kept = surgery["lost_from_offset"]
        tries = [(f"lose_{rule}_power{index}", {"kept_offset": kept})]
        if rule == "master":
            tries.append(("lose_master_power_in_record", {"kept_offset": kept}))
        if rule == "master" and not kept:
            tries.append(("lose_master_disk", {}))
        scene.take_one_of(tries)
    end_process(observer, event)


def is_killed_in_frame(scene: Scene, event: Event) -> bool:
    """A slave was killed when it had recorded a frame's epoch, and not appended its bytes.

    Its next start shows an epoch that it did not have, and that begins above its log's end
    (``v533_controller_n`` seq 130 and 170).
    """
    start = find_start(scene.plan, event)
    rows = [] if start is None else start.data.get("epochs") or []
    if start is None or not rows or rows[-1][1] <= start["max_offset"]:
        return False
    slave = scene.plan.slaves.index(event["node"])
    epoch = scene.plan.controller.epoch_numbers.get(rows[-1][0], -1)
    known = get_file(scene.cluster, get_place(slave)).starts
    return epoch >= 0 and known[epoch] == NO_EPOCH


def see_stop_begin(observer: EventObserver, event: Event) -> None:
    """A process begins to stop, a little later at most."""
    rule, index = name_broker(observer, event["node"])
    name = f"begin_{rule}_stop{index}"
    scene = observer.scene
    scene.granted = {**scene.granted, name: scene.now_ms}
    node = scene.plan.find_node(event)
    scene.facts = scene.facts.change_broker(node, stop_begin_ms=event.t_ms)


def see_stop(observer: EventObserver, event: Event) -> None:
    """A process has stopped."""
    scene, rule, index = observer.scene, *name_broker(observer, event["node"])
    observer.hold(check_stop, event)
    path = scene.sightings.paths[event["node"]]
    if not scene.get(f"{path}.is_stopping"):
        scene.take_one_of([(f"begin_{rule}_stop{index}", {})])
    observer.advance.run(scene)
    shown = {}
    if "abort_file_present" in event.data:
        shown[f"{path}.has_abort_file"] = int(event["abort_file_present"])
    if "max_offset" in event.data:
        shown[scene.sightings.get_end(event["node"])] = event["max_offset"]
    scene.take_one_of([(f"finish_{rule}_stop{index}", {})], shown)
    check_closed_by_stop(scene, event)
    end_process(observer, event)


def check_closed_by_stop(scene: Scene, event: Event) -> None:
    """The clean stop of a slave's store is over: its connection has ended with it (V-19).

    Its proxy may see that later; a clock that is exact tells how much. Raises Refusal.
    """
    is_asked = scene.is_clock_exact and scene.plan.version.has(STOP_CLOSES_SOCKET)
    if not is_asked or event["node"] == scene.plan.master:
        return
    link = scene.links[scene.plan.slaves.index(event["node"])]
    is_free = link.is_open and link.traffic.is_shown and not link.is_stalled
    end_ms = link.traffic.noted_ends_ms.get(link.connection, scene.plan.end_ms)
    if is_free and end_ms > scene.now_ms + KILL_MS:
        raise Refusal("the slave's store is shut down, but its connection is still open")


def see_exit(observer: EventObserver, event: Event) -> None:
    """A process ends, whose store has stopped before."""
    scene = observer.scene
    node = scene.plan.find_node(event)
    if not scene.facts.get_broker(node).is_store_closed:
        see_hidden_stop(observer, event)
    scene.facts = scene.facts.change_broker(node, is_store_closed=False)
    scene.process += event["node"] == scene.plan.master


def see_hidden_stop(observer: EventObserver, event: Event) -> None:
    """A whole broker stops its store before its process ends, and nobody notes that."""
    if not observer.scene.plan.are_puts_hidden:
        raise Refusal("the store of this broker was not shut down before its process ended")
    see_stop(observer, event)


def see_surgery(observer: EventObserver, event: Event) -> None:
    """A store loses bytes behind a stop in order: what that has not written goes with the power.

    The rule is asked as if the process had ended by it.
    """
    scene, rule, index = observer.scene, *name_broker(observer, event["node"])
    kept = event["lost_from_offset"]
    if scene.get(scene.sightings.get_end(event["node"])) > kept:
        scene.change({f"{scene.sightings.paths[event['node']]}.is_up": True})
        scene.take_one_of([(f"lose_{rule}_power{index}", {"kept_offset": kept})])
    observer.hold(check_surgery, event)
    lose_empty_file(observer, event)


def lose_empty_file(observer: EventObserver, event: Event) -> None:
    """The first file of a slave without bytes is gone with the power, as its next start shows.

    No byte of it was ever written, and a folder may lose what was made in it last. No rule does
    this: to the rules a power loss leaves every file.
    """
    scene, start = observer.scene, find_start(observer.scene.plan, event)
    if start is None or start.data.get("mapped_files") != 0 or event["node"] == scene.plan.master:
        return
    path = f"{scene.sightings.paths[event['node']]}.log"
    is_empty = scene.get(f"{path}.start_offset") == scene.get(
        scene.sightings.get_end(event["node"])
    )
    if is_empty and scene.get(f"{path}.has_file"):
        leaves = flatten(empty_log(scene.plan.structure.lives))
        scene.change({f"{path}.{leaf}": value for leaf, value in leaves.items()})


def see_deletion(observer: EventObserver, event: Event) -> None:
    """A broker deletes its oldest files."""
    scene, rule, index = observer.scene, *name_broker(observer, event["node"])
    rules = (f"expire_{rule}_file", f"expire_uncopied_{rule}_file", f"delete_young_{rule}_file")
    for _ in range(event["deleted"]):
        scene.take_one_of([(f"{each}{index}", {}) for each in rules])


def see_settings(observer: EventObserver, event: Event) -> None:
    """Properties are set; those that the master reads anew count at once."""
    scene = observer.scene
    role = event["props"].get("brokerRole")
    if role is not None and event["node"] == scene.plan.master:
        shown = {"master.is_sync": int(role == "SYNC_MASTER")}
        if scene.get("master.is_sync") != shown["master.is_sync"]:
            scene.take_one_of([("switch_master_role", {})], shown)
    known = observer.hold(check_set_config, event)
    scene.show(scene.machine.encode(known.cluster))


def see_address(observer: EventObserver, event: Event) -> None:
    """A slave is told where its master is."""
    known, scene = observer.hold(check_address, event), observer.scene
    if (node := scene.plan.find_node(event)) != MASTER:
        address = known.get_broker(node).ha_master_address
        scene.facts = scene.facts.change_broker(node, ha_master_address=address)


def see_wipe(observer: EventObserver, event: Event) -> None:
    """Somebody removes a slave's store."""
    rule, index = name_broker(observer, event["node"])
    name = "lose_master_disk" if rule == "master" else f"wipe_slave{index}"
    scene = observer.scene
    scene.take_one_of([(name, {})])
    scene.facts = scene.facts.end(scene.plan.find_node(event), is_left=False)


def see_start(observer: EventObserver, event: Event) -> None:
    """A process runs anew, with what it has recovered."""
    scene, rule, index = observer.scene, *name_broker(observer, event["node"])
    if EXCHANGE in event.data:
        exchange(observer, event)
    observer.hold(check_start, event)
    check_last_exit(observer, event)
    if scene.sightings.has_controller:
        check_loaded(scene, event)
    scene.facts = scene.facts.start_broker(scene.plan.find_node(event), event)
    if scene.get(f"{scene.sightings.paths[event['node']]}.is_up"):
        return
    end, leaf = event.data.get("max_offset"), scene.sightings.get_end(event["node"])
    tries = [
        (name, arguments)
        for name in scene.machine.instances
        if name.startswith(f"restart_{rule}")
        and name.endswith(index)
        and (rule == "slave" or is_told_next(scene.plan, event, name))
        for arguments in list_recovered(scene, name, leaf, end)
    ]
    shown = {} if end is None else {leaf: end}
    try:
        scene.take_one_of(tries, shown)
    except Refusal:
        if not has_written(scene, event):
            raise
        scene.take_one_of(tries)
    if event["node"] != scene.plan.master:
        scene.links[scene.plan.slaves.index(event["node"])].recover(scene.get(leaf))


def has_written(scene: Scene, event: Event) -> bool:
    """A master that shows a start may have written messages of its own since its recovery."""
    is_master = event["node"] == scene.plan.master
    return is_master and any(each.begin_ms <= event.t_ms for each in scene.plan.own_writes)


def list_recovered(scene: Scene, name: str, leaf: str, end: int | None) -> list[Arguments]:
    """What a start may recover: what it shows, or what is seen later, or as much as possible."""
    instance = scene.machine.instances[name]
    if not instance.arguments:
        return [{}]
    ranges = instance.find_ranges(scene.state)
    if end is not None or not ranges:
        return [{"recovered_offset": end or 0}]
    low, high = ranges[0]
    seen = min(high, scene.pins.compute_cap(leaf))
    return [{"recovered_offset": int(n)} for n in dict.fromkeys((seen, high, low)) if n >= low]


IN_NEXT_EPOCH = "restart_master_in_next_epoch"
"""The start of a master that its controller has elected again."""


def is_told_next(plan: Plan, event: Event, name: str) -> bool:
    """A start in the next epoch is one behind which a master is told more epochs than it had."""
    rows = event.data.get("epochs")
    for later in plan.list_later(event):
        if later.kind in END_KINDS:
            break
        if later.kind == "to_master" and rows is not None and later["epochs"]:
            is_new = not rows or rows[-1][0] < later["epochs"][-1][0]
            return is_new == (name == IN_NEXT_EPOCH)
    return True


def exchange(observer: EventObserver, event: Event) -> None:
    """A stopped slave takes the place of the master, which is stopped, too."""
    scene, plan = observer.scene, observer.scene.plan
    slave, role = plan.slaves.index(event[EXCHANGE]), plan.roles[scene.process]
    cluster = exchange_logs(scene.cluster, slave, is_sync=role is Role.SYNC_MASTER)
    scene.show(scene.machine.encode(cluster))
    known = exchange_known(scene.facts, slave, (plan.master, plan.slaves[slave]))
    scene.facts = evolve(known, master_role=role.name)
    scene.pins.forget((event.seq, False))


def name_broker(observer: EventObserver, node: str) -> tuple[str, str]:
    """How rules name a broker, and its index in the names of instances."""
    plan = observer.scene.plan
    return ("master", "") if node == plan.master else ("slave", f"[{plan.slaves.index(node)}]")


def check_last_exit(observer: EventObserver, event: Event) -> None:
    """A start finds the abort file that the last process has left, or none."""
    is_left = observer.scene.plan.find_node(event) in observer.scene.facts.abort_files
    if event.data.get("last_exit_normal", not is_left) == is_left:
        raise Refusal(f"last_exit_normal is {event['last_exit_normal']}")


def check_runs(observer: EventObserver, event: Event) -> None:
    """A broker was seen to start, and not to end."""
    if not observer.scene.facts.get_broker(observer.scene.plan.find_node(event)).is_started:
        raise Refusal("this broker does not run")


def end_process(observer: EventObserver, event: Event) -> None:
    """What a process knew is gone."""
    scene, node = observer.scene, event["node"]
    is_left = scene.get(f"{scene.sightings.paths[node]}.has_abort_file")
    is_closed = event.kind != "node_kill9"
    path = scene.sightings.paths[node]
    scene.dispatches = {name: each for name, each in scene.dispatches.items() if name != path}
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
