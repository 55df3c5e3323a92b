"""The drawing of a consumer's schedules."""

from __future__ import annotations

from attrs import evolve

from reference.language.drawing import draw_timeline, fill_lanes, list_lanes
from reference.language.machine import Action, compute_machine
from reference.language.structure import LaneText
from reference.worlds.consumption.state import SMALL_CONSUMPTION, Broker, Consumer, Routes
from reference.worlds.consumption.structure import (
    CONSUMPTION_RULES,
    PHRASES,
    ConsumptionStructure,
    draw_broker,
    draw_consumer,
    draw_routes,
)
from reference.worlds.toy import TankStructure

STRUCTURE = ConsumptionStructure()


def test_every_rule_has_a_phrase() -> None:
    """No step of any schedule is undrawable."""
    assert set(CONSUMPTION_RULES) == set(PHRASES)


def test_queues_are_drawn_message_by_message() -> None:
    """What is expired, what is the master's, what is not; long queues in numbers."""
    broker = Broker(queue_min=1, queue_max=4, progress=3, progress_on_disk=-1)
    assert draw_broker(broker, 3) == "[·mmx] 3/-"
    assert draw_broker(broker, 0) == "[·xxx] 3/-"
    assert draw_broker(evolve(broker, is_up=False, queue_max=2), 9) == "[·m] down/-"
    assert draw_broker(evolve(broker, queue_max=30), 20) == "[·1 m19 x10] 3/-"
    assert draw_broker(evolve(broker, queue_max=30), 30) == "[·1 m29] 3/-"


def test_consumer_and_routes_are_told() -> None:
    """Where it stands, and who knows whom."""
    drawn = [
        draw_consumer(c)
        for c in (Consumer(), Consumer(is_running=True), Consumer(True, position=2))
    ]
    assert drawn == ["down", "at ?", "at 2"]
    routes = Routes(is_master_listed=False, is_slave_seen=False, is_master_known=False)
    assert draw_routes(routes) == "lists -S seen M- known -"


def test_steps_stand_in_their_lane() -> None:
    """A put is the master's; the violation is named below the step."""
    before = STRUCTURE.make_initial(SMALL_CONSUMPTION)
    action = Action("put_message")
    after = compute_machine(STRUCTURE).step(before, action).cluster
    consumer, master, slave, routes = fill_lanes(after, action)
    assert LaneText("a message is put", "[m] -/-") == master
    assert ["", "", ""] == [text.phrase for text in (consumer, slave, routes)]
    lines = draw_timeline([(None, before, ()), (action, after, ("x",))]).splitlines()
    assert lines[0].split() == [
        "step",
        "consumer",
        "│",
        "master",
        "│",
        "slave",
        "│",
        "name",
        "server",
    ]
    assert lines[3].strip() == "✗ x"


def test_a_world_without_lanes_tells_its_steps() -> None:
    """One lane, with the actions by name."""
    tank = TankStructure().template
    assert fill_lanes(tank, Action("move", {"by": 2})) == (LaneText("move(by=2)"),)
    assert len(list_lanes(tank)) == 1
