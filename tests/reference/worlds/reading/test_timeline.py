"""The drawing of a consumer's schedules."""

from __future__ import annotations

import pytest
from attrs import evolve

from reference.language.drawing import draw_timeline, fill_lanes, list_lanes
from reference.language.machine import Action, compute_machine
from reference.language.structure import LaneText
from reference.worlds.reading.state import (
    MASTER,
    SLAVE,
    SMALL_READING,
    Consumer,
    FollowedMessage,
    QueueBroker,
    Reading,
    ReadingFaults,
    Routes,
)
from reference.worlds.reading.structure import (
    LANE_NAMES,
    READING_RULES,
    ReadingStructure,
    draw_broker,
    draw_consumer,
    draw_routes,
    list_running,
)
from reference.worlds.toy import TankStructure

STRUCTURE = ReadingStructure()
INITIAL = STRUCTURE.make_initial(SMALL_READING)


def draw_queue(broker: QueueBroker, message: FollowedMessage | None = None) -> str:
    """A master's lane with this queue."""
    state = evolve(INITIAL, brokers=(broker, QueueBroker()), message=message or FollowedMessage())
    return draw_broker(state, MASTER)


def test_every_rule_has_a_lane() -> None:
    """Its own, or that of the broker that it is about, or that of who acts."""
    for rule in READING_RULES.values():
        assert rule.lane in LANE_NAMES or rule.indexes or rule.who in LANE_NAMES, rule.name


def test_queues_are_drawn_by_their_ends() -> None:
    """What is deleted, what is out of memory, where the followed message is, and progress."""
    broker = QueueBroker(queue_min=1, first_kept=1, queue_max=4, progress=3)
    assert "[1..4) 3/-" == draw_queue(broker)
    assert "[1.2..4) 3/-" == draw_queue(evolve(broker, first_kept=2))
    assert "[1>3..4) 3/-" == draw_queue(evolve(broker, first_in_memory=3))
    assert "[1..4) down/2" == draw_queue(evolve(broker, is_up=False, progress_on_disk=2))
    assert "[1..4) *2 3/-" == draw_queue(broker, FollowedMessage(offset=2, is_on_master=True))
    assert "[1..4) 3/-" == draw_queue(
        broker, FollowedMessage(offset=2, slave_offset=2, is_on_slave=True)
    )


def test_a_message_is_drawn_on_the_broker_that_has_it() -> None:
    """On the slave alone, once the master has deleted it."""
    state = evolve(
        INITIAL,
        brokers=(QueueBroker(queue_max=1, first_kept=1), QueueBroker(queue_max=1)),
        message=FollowedMessage(offset=0, slave_offset=0, is_on_slave=True),
    )
    assert ["[0.1..1) -/-", "[0..1) *0 -/-"] == [draw_broker(state, n) for n in (MASTER, SLAVE)]


@pytest.mark.parametrize(
    ("consumer", "is_cached", "drawn"),
    [
        (Consumer(), False, "down"),
        (Consumer(is_running=True), False, "no queue"),
        (Consumer(is_running=True, next_offset=2), False, "at 2 done -"),
        (
            Consumer(is_running=True, next_offset=4, cache_first=1, cache_end=4, progress=1),
            True,
            "at 4 has 1..3* done 1",
        ),
        (Consumer(is_running=True, corrected=0, progress=2), False, "moved to 0, done 2"),
    ],
)
def test_consumers_are_told(consumer: Consumer, is_cached: bool, drawn: str) -> None:
    """Where it pulls next, what it has cached, its progress."""
    state = evolve(INITIAL, consumer=consumer, message=FollowedMessage(is_cached=is_cached))
    assert drawn == draw_consumer(state)


def test_routes_are_told() -> None:
    """Who knows whom."""
    assert "lists MS seen MS known M" == draw_routes(Routes())
    routes = Routes(is_master_listed=False, is_slave_seen=False, is_master_known=False)
    assert "lists -S seen M- known -" == draw_routes(routes)


def test_whose_node_does_not_run_is_marked() -> None:
    """Lane by lane; the name server always runs."""
    assert (False, True, True, True) == list_running(INITIAL)


def step(state: Reading, action: Action) -> Reading:
    """The state after a step that is possible."""
    outcome = compute_machine(STRUCTURE).step(state, action)
    assert not outcome.is_refused
    assert isinstance(outcome.cluster, Reading)
    return outcome.cluster


def test_steps_stand_in_their_lane() -> None:
    """A put is the master's; the violation is named below the step."""
    action = Action("put_messages")
    after = step(INITIAL, action)
    consumer, master, slave, routes = fill_lanes(after, action)
    assert LaneText("puts messages below 1", "[0..1) -/-") == master
    assert ["", "", ""] == [text.phrase for text in (consumer, slave, routes)]
    lines = draw_timeline([(None, INITIAL, ()), (action, after, ("x",))]).splitlines()
    names = ["consumer", "│", "master", "│", "slave", "│", "name", "server"]
    assert ["step", *names] == lines[0].split()
    assert lines[3].strip() == "✗ x"


def test_steps_with_an_index_name_their_broker() -> None:
    """Those of brokers stand in the broker's lane; pulls stand in the consumer's, with a name."""
    limits = ReadingFaults(slave_stops=1)
    begun = evolve(INITIAL, parameters=evolve(SMALL_READING, limits=limits))
    for name in ("put_messages", "start_consumer", "take_queue"):
        begun = step(begun, Action(name))
    for action, lane, phrase in (
        (Action("stop_broker[1]"), 2, "stops cleanly"),
        (Action("age_messages[0]", {"first_in_memory": 1}), 1, "its log grows past 1 messages"),
        (Action("pull_messages[0]", {"consumed": 1}), 0, "gets 1 of broker (master)"),
    ):
        texts = fill_lanes(step(begun, action), action)
        assert [phrase] == [text.phrase for text in texts if text.phrase]
        assert phrase == texts[lane].phrase


def test_a_world_without_lanes_tells_its_steps() -> None:
    """One lane, with the actions by name."""
    tank = TankStructure().template
    assert fill_lanes(tank, Action("move", {"by": 2})) == (LaneText("move(by=2)"),)
    assert len(list_lanes(tank)) == 1
