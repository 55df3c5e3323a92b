"""What a controller tells brokers, and what they tell it: roles, epochs, the SyncStateSet."""

from __future__ import annotations

from attrs import evolve

from brokers.explaining.controlled.shown import (
    change_set,
    check_epochs,
    is_out_or_lags,
    list_members,
    must,
)
from brokers.explaining.controlled.truncation import begin_truncation, may_give_up
from brokers.explaining.observing import EventObserver
from brokers.explaining.scene import Scene
from brokers.explaining.seen.facts import Handshake
from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.reading import Event
from brokers.recordings.roles.exchange import exchange_known
from brokers.recordings.roles.places import EXCHANGE
from reference.language.rule import replace_at
from reference.worlds.replication.controller.epochs import get_place


def see_to_master(observer: EventObserver, event: Event) -> None:
    """A controller has told a broker that it is the master, in this epoch and with this set.

    A running master is elected again, or a slave is elected. A broker that has started before is
    told its role only: its start was the step.
    """
    scene = observer.scene
    is_master = scene.plan.find_node(event) == MASTER and event.data.get("role") != "SLAVE"
    must(f"{event['node']} is told to be a master", is_so=is_master)
    must("the change of its role is done", is_so=event.data.get("result", True))
    control = scene.facts.control
    if EXCHANGE in event.data:
        slave = scene.plan.slaves.index(event[EXCHANGE])
        elect(observer, event, slave)
    elif MASTER in control.told:
        scene.take_one_of([("elect_master_again", {})])
    scene.facts = scene.facts.change_control(
        told=scene.facts.control.told | {MASTER},
        answered=frozenset(event["sync_state_set"]),
    )
    change_set(scene, event["sync_state_set"])


def elect(observer: EventObserver, event: Event, slave: int) -> None:
    """A running slave takes the place of the master, which is down."""
    scene = observer.scene
    scene.take_one_of([(f"elect_slave[{slave}]", {"recovered_offset": event["max_offset"]})])
    names = (scene.plan.master, scene.plan.slaves[slave])
    scene.facts = exchange_known(scene.facts, slave, names)
    scene.pins.forget((event.seq, False))
    scene.links[slave].begin(0, scene.now_ms)


def see_to_slave(observer: EventObserver, event: Event) -> None:
    """A controller has told a broker that it is a slave; from now on it looks for its master.

    Its client begins anew, and connects without a wait before (``AutoSwitchHAClient#reOpen``;
    ``v533_controller_w`` seq 201 and 205).
    """
    scene = observer.scene
    broker = scene.plan.find_node(event)
    is_slave = broker != MASTER and event.data.get("role", "SLAVE") == "SLAVE"
    must(f"{event['node']} is told to be a slave", is_so=is_slave)
    must("the change of its role is done", is_so=bool(event.data.get("result", True)))
    scene.facts = scene.facts.change_control(told=scene.facts.control.told | {broker})


def see_set(observer: EventObserver, event: Event) -> None:
    """A controller has told the master its set: who is not in it has left it at the latest."""
    scene = observer.scene
    check_is_master(scene, event)
    scene.facts = scene.facts.change_control(answered=frozenset(event["sync_state_set"]))
    change_set(scene, event["sync_state_set"])


def check_is_master(scene: Scene, event: Event) -> None:
    """An event is about a broker that was told to be the master."""
    is_told = scene.plan.find_node(event) == MASTER and MASTER in scene.facts.control.told
    must(f"{event['node']} is the master", is_so=is_told)


def see_request(observer: EventObserver, event: Event) -> None:
    """The master asks for another set. Who is new in it is waited for at once.

    Who is no more in it stays until the controller has answered. Both threads of a connection ask
    when it ends (``AutoSwitchHAService#removeConnection``), the second perhaps when the first is
    answered already (``v533_controller_d`` seq 165).
    """
    scene, members = observer.scene, set(event["set"])
    check_is_master(scene, event)
    ids, control = list_members(scene), scene.facts.control
    must(f"the set {event['set']} has the master", is_so=ids[0] in members)
    must(f"the set {event['set']} has known members", is_so=members <= set(ids))
    is_request = event.kind == "sss_listener"
    is_new = members != control.answered or members == control.asked or not is_request
    must(f"the set {event['set']} differs from the last answer", is_so=is_new)
    cluster = scene.cluster
    stay = {
        broker
        for slave, broker in enumerate(ids[1:])
        if cluster.in_sync_state_set[get_place(slave)] and broker not in members
    }
    for slave, broker in enumerate(ids[1:]):
        if broker in stay and is_request:
            text = f"slave {slave} is no member, or lags"
            must(text, is_so=is_out_or_lags(cluster, slave))
    change_set(scene, [*members, *stay])
    if is_request:
        scene.facts = scene.facts.change_control(asked=frozenset(members))


def see_slave_half(observer: EventObserver, event: Event) -> None:
    """A slave tells its id."""
    scene, link = observer.scene, observer.get_link(event)
    own = list_members(scene)[get_place(link.slave)]
    must(f"connection {event['conn']} is open", is_so=event["conn"] == link.connection)
    must(f"slave_id is {own}", is_so=event["slave_id"] == own)
    for name in ("sync_from_last_file", "async_learner"):
        must(f"{name} is false", is_so=not event.data.get(name, False))
    known = scene.facts.control.handshakes[link.slave]
    if known.connection != event["conn"]:
        known = Handshake(event["conn"])
    keep(scene, link.slave, evolve(known, asked=known.asked + 1))


def keep(scene: Scene, slave: int, known: Handshake) -> None:
    """What was shown of a slave's handshake."""
    handshakes = replace_at(scene.facts.control.handshakes, slave, known)
    scene.facts = scene.facts.change_control(handshakes=handshakes)


def see_master_half(observer: EventObserver, event: Event) -> None:
    """The master tells its epochs, and where its log ends: then the slave truncates."""
    scene, link = observer.scene, observer.get_link(event)
    known, rows = scene.facts.control.handshakes[link.slave], event["epochs"]
    is_next = known.connection == event["conn"] and known.answered < known.asked
    must("the slave has sent its half of the handshake", is_so=is_next)
    last = rows[-1][0] if rows else -1
    must(f"last_epoch is {last}", is_so=event.data.get("last_epoch", last) == last)
    check_epochs(scene, MASTER, rows)
    is_open = scene.get(f"links.{link.slave}.is_open")
    text = f"the link of slave {link.slave} is open"
    must(text, is_so=bool(is_open) or may_give_up(scene, link.slave))
    keep(scene, link.slave, evolve(known, answered=known.answered + 1))
    if not known.answered:
        begin_truncation(scene, event, link)
