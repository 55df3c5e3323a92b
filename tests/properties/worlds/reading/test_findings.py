"""What real consumers were seen to do is possible in the world of reading, step by step."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from properties.schedules.judgement import find_needless_steps, follow, is_refuted_by
from properties.worlds.reading.world import READERS, READING
from properties.z3.induction import InductionProblem, prove_lemmas
from reference.language.machine import Action
from reference.worlds.reading.state import Reading

STRUCTURES = {structure.name: structure for structure in READERS}


def take(instance: str, **arguments: int) -> Action:
    """One step; arguments that are not given are the lowest."""
    return Action(instance, arguments)


BEGIN = (take("start_consumer"), take("take_queue"))
"""The group's first position, in an empty queue."""

PUT, PUT_FOLLOWED = take("put_messages"), take("put_messages", is_followed=1)
"""Another message, and the one that is followed."""


def assert_refuted(name: str, structure: str, column: str, schedule: Sequence[Action]) -> None:
    """The schedule is possible, its last step is the first to refute the claim, all are needed."""
    parameters = READING.make_search_parameters(READING.get_fault_model(column))

    def is_refuting(steps: Sequence[Action]) -> bool:
        return is_refuted_by(name, STRUCTURES[structure], parameters, steps)

    assert is_refuting(schedule)
    assert [] == find_needless_steps(schedule, is_refuting)


def reach(structure: str, column: str, schedule: Sequence[Action]) -> Reading:
    """The state at the end of a schedule."""
    parameters = READING.make_search_parameters(READING.get_fault_model(column))
    *_, (_, last) = follow(STRUCTURES[structure], parameters, schedule)
    assert isinstance(last, Reading)
    return last


MOVED_BY_LAGGING_SLAVE = (
    *BEGIN,
    PUT,
    PUT_FOLLOWED,
    PUT,
    take("replicate_messages", queue_max=2),
    take("expire_messages[0]", first_kept=1),
    take("expire_messages[1]", first_kept=1),
    take("correct_queue_min[1]"),
    take("pull_messages[0]", consumed=3),
    take("pull_nothing[1]"),
)
"""The slave lags by a message, and both brokers' retention has taken the first one."""


def test_a_lagging_slave_makes_cached_messages_skipped() -> None:
    """Finding F201: the slave moves the pull, what is cached is dropped, and progress goes past it.

    Nothing fails, and neither broker has lost the message that is skipped.
    """
    structure = "reading/open all/offset check/first"
    assert_refuted("no_message_is_skipped", structure, "none", MOVED_BY_LAGGING_SLAVE)
    cached = reach(structure, "none", MOVED_BY_LAGGING_SLAVE[:-1])
    assert cached.message.is_cached
    dropped = reach(structure, "none", MOVED_BY_LAGGING_SLAVE)
    message, consumer = dropped.message, dropped.consumer
    assert message.is_on_master & message.is_on_slave
    assert not message.is_cached | message.ghost_was_handed
    assert message.offset < consumer.corrected < cached.consumer.next_offset
    schedule = (*MOVED_BY_LAGGING_SLAVE, take("correct_progress"))
    stored = reach(structure, "none", schedule)
    assert consumer.corrected == stored.master.progress
    assert_refuted("stored_progress_covers_consumed_only", structure, "none", schedule)


def test_a_slow_consumer_is_moved_by_a_lagging_slave_too() -> None:
    """Finding F201, where only slow consumers are sent to the slave."""
    *before, pulled, moved = MOVED_BY_LAGGING_SLAVE
    schedule = (*before, take("age_messages[0]", first_in_memory=3), pulled, moved)
    structure = "reading/open slow/offset check/last"
    assert_refuted("no_message_is_skipped", structure, "none", schedule)


def test_a_message_that_the_slave_has_deleted_is_passed_over() -> None:
    """Finding F202: seven steps without a failure, and the master still has the message."""
    schedule = (
        *BEGIN,
        take("pull_nothing[0]"),
        PUT_FOLLOWED,
        take("replicate_messages", queue_max=1),
        take("delete_first", first_kept=1),
        take("pull_messages[1]", consumed=1),
    )
    assert 7 == len(schedule)
    structure = "reading/open all/no offset check/first"
    assert_refuted("no_message_is_skipped", structure, "slave deletes first", schedule)
    assert reach(structure, "slave deletes first", schedule).message.is_on_master


PULL_AND_HAND = (take("pull_messages[0]", consumed=1), take("hand_over"))


@pytest.mark.parametrize(
    "change",
    [
        (take("give_queue_back"),),
        (take("stop_consumer", is_commit_taken=1), take("start_consumer")),
    ],
    ids=["hand-over", "stop"],
)
def test_what_is_being_consumed_is_consumed_again(change: Sequence[Action]) -> None:
    """Finding F203: nobody waits for what is not done when a queue moves or a process stops.

    Every commit arrives, and nothing fails.
    """
    again = (*change, take("take_queue"), *PULL_AND_HAND)
    schedule = (*BEGIN, PUT_FOLLOWED, *PULL_AND_HAND, *again)
    structure = "reading/closed/no offset check/last"
    assert_refuted("no_message_is_consumed_twice", structure, "none", schedule)


def test_a_consumer_starves_at_a_stuck_slave() -> None:
    """Finding F204: whoever is at the slave's end is sent to the slave, whatever the master has."""
    structure = "reading/open all/no offset check/last"
    schedule = (
        *BEGIN,
        take("pull_nothing[0]"),
        take("send_progress"),
        take("persist_progress[0]"),
        take("synchronise_progress"),
        take("persist_progress[1]"),
        take("stall_slave"),
        PUT,
    )
    assert_refuted("consumers_drain", structure, "slave stuck", schedule)
    starved = reach(structure, "slave stuck", schedule)
    asked = reach(structure, "slave stuck", [*schedule, take("pull_nothing[1]")])
    assert starved == asked


JOINED_LATE = (
    *BEGIN,
    PUT_FOLLOWED,
    PUT,
    take("join_late", first=1),
    take("replicate_messages", queue_max=2),
)
"""A slave that has only the second message of the queue."""


def test_a_slave_that_joined_late_makes_a_consumer_skip() -> None:
    """Finding F207: it moves the consumer to its own first message."""
    begun, put = JOINED_LATE[:2], JOINED_LATE[2:]
    schedule = (*begun, take("pull_nothing[0]"), *put, take("pull_nothing[1]"))
    structure = "reading/open all/offset check/first"
    assert_refuted("no_message_is_skipped", structure, "slave loss", schedule)


def test_a_slave_that_joined_late_makes_a_consumer_loop() -> None:
    """Finding F207, where the slave must leave offsets: the same pull again and again."""
    begun, put = JOINED_LATE[:2], JOINED_LATE[2:]
    schedule = (*begun, take("pull_nothing[0]"), *put)
    structure = "reading/open all/no offset check/first"
    name = "no_pull_is_repeated_at_once"
    assert not READING.claims[name].predicate(reach(structure, "slave loss", schedule))
    looping = reach(structure, "slave loss", schedule)
    again = reach(structure, "slave loss", [*schedule, *[take("pull_nothing[1]")] * 2])
    assert looping.consumer.next_offset == again.consumer.next_offset == 0
    assert_refuted(name, structure, "slave loss", schedule)


@pytest.mark.parametrize(("begin", "is_proved"), [("first", True), ("last", False)])
def test_where_a_group_begins_decides_whether_messages_are_skipped(
    begin: str, is_proved: bool
) -> None:
    """Finding F208: the same question has another answer for another ``consumeFromWhere``."""
    structure = STRUCTURES[f"reading/closed/no offset check/{begin}"]
    problem = InductionProblem(structure, READING.get_fault_model("none"))
    found = problem.find_consequences(prove_lemmas(structure))
    assert is_proved is ("no_message_is_skipped" in found.proved)
    assert "known_group_skips_no_message" in found.proved


def test_a_group_that_begins_at_the_end_skips_a_message() -> None:
    """Finding F208: before a broker knows the group, it begins at the end a second time."""
    schedule = (
        PUT,
        take("age_messages[0]", first_in_memory=1),
        *BEGIN,
        PUT_FOLLOWED,
        take("give_queue_back"),
        take("take_queue"),
    )
    structure = "reading/closed/no offset check/last"
    assert_refuted("no_message_is_skipped", structure, "none", schedule)
