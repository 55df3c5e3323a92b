"""The processor: its checks in order, what is overwritten by what, holds and commits."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from reference.decisions.reading.consume_queue import MessageLocation, ReadableQueue
from reference.decisions.reading.get_message import get_message
from reference.decisions.reading.pull import (
    CHECKS,
    ConsumerRegistration,
    PullMessageRequest,
    PullSituation,
    ResponseCode,
    Topic,
    find_refusal,
)
from reference.decisions.reading.pull_processor import (
    HeldPull,
    PullAnswer,
    answer_pull,
    compute_check_interval_ms,
    is_woken_by_messages,
    look_at_held,
)
from reference.decisions.reading.read import GetMessageStatus, Read
from reference.decisions.reading.settings import BrokerSettings, StoreSettings
from reference.decisions.reading.subscription_group import SubscriptionGroup
from reference.roles import Role

QUEUE = ReadableQueue(2, 6, 2, [MessageLocation(n * 100, 100) for n in range(2, 6)])
GROUP = SubscriptionGroup(broker_id=7, slow_broker_id=8)
OPEN, CLOSED = BrokerSettings(is_slave_read_enabled=True), BrokerSettings()


def situation(offset: int = 3, **changes: Any) -> PullSituation:
    """A pull at a master whose memory holds everything."""
    store = changes.pop("store", StoreSettings(total_memory_bytes=10**9))
    queue = changes.pop("read_queue", QUEUE)
    found = PullSituation(
        pull=PullMessageRequest(offset),
        store=store,
        broker=OPEN,
        group=GROUP,
        topic=Topic(),
        registration=None,
        result=get_message(Read(store, queue, offset, 32, log_max_offset=600)),
    )
    return evolve(found, **changes)


def slave(**changes: Any) -> StoreSettings:
    """A slave's store."""
    return StoreSettings(role=Role.SLAVE, total_memory_bytes=10**9, **changes)


def ask(offset: int = 3, **changes: Any) -> PullAnswer:
    """The answer to a pull."""
    return answer_pull(situation(offset, **changes))


FAILURES: dict[str, dict[str, Any]] = {
    "is_broker_unreadable": {"broker": BrokerSettings(permission=2)},
    "is_group_unknown": {"group": None, "broker": BrokerSettings(is_group_created_on_demand=False)},
    "is_consumption_disabled": {"group": evolve(GROUP, is_consume_enabled=False)},
    "is_topic_unknown": {"topic": None},
    "is_topic_unreadable": {"topic": Topic(permission=2)},
    "is_queue_unknown": {"pull": PullMessageRequest(3, queue=4)},
    "is_subscription_unparsable": {"pull": PullMessageRequest(3, is_subscription_valid=False)},
    "is_consumer_unregistered": {"pull": PullMessageRequest(3, has_subscription=False)},
    "is_broadcast_forbidden": {
        "pull": PullMessageRequest(3, has_subscription=False),
        "registration": ConsumerRegistration(is_broadcasting=True),
        "group": evolve(GROUP, is_broadcast_enabled=False),
    },
    "is_topic_unsubscribed": {
        "pull": PullMessageRequest(3, has_subscription=False),
        "registration": ConsumerRegistration(has_topic=False),
    },
    "is_subscription_outdated": {
        "pull": PullMessageRequest(3, has_subscription=False),
        "registration": ConsumerRegistration(is_latest=False),
    },
    "is_filter_data_missing": {
        "pull": PullMessageRequest(3, has_subscription=False, is_property_filter=True),
        "registration": ConsumerRegistration(has_filter_data=False),
    },
    "is_filter_data_outdated": {
        "pull": PullMessageRequest(3, has_subscription=False, is_property_filter=True),
        "registration": ConsumerRegistration(is_filter_data_latest=False),
    },
    "is_filter_unsupported": {"pull": PullMessageRequest(3, is_property_filter=True)},
}
"""For each check a change that makes it fail."""


def test_checks_in_order() -> None:
    """Each check refuses with its code, and no check before it does."""
    assert [condition.__name__ for condition, _ in CHECKS] == list(FAILURES)
    for condition, code in CHECKS:
        changed = situation(**FAILURES[condition.__name__])
        assert next(c.__name__ for c, _ in CHECKS if c(changed)) == condition.__name__
        answer = answer_pull(changed)
        assert (answer.code, answer.code_decided_by) == (code, condition.__name__)
        assert (answer.suggested_broker_id, answer.result) == (None, None)
    assert find_refusal(situation()) is None


def test_an_earlier_check_wins() -> None:
    """A slave that does not know group and topic complains about the group."""
    changes = {**FAILURES["is_group_unknown"], **FAILURES["is_topic_unknown"]}
    assert ask(**changes).code is ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST


def test_unknown_groups_are_made_with_defaults() -> None:
    """Unless the broker may not; RocketMQ's own groups are always made."""
    assert ask(group=None).suggested_broker_id == 0
    named = PullMessageRequest(3, group_name="CID_RMQ_SYS_X")
    may_not = BrokerSettings(is_group_created_on_demand=False)
    assert ask(group=None, pull=named, broker=may_not).code is ResponseCode.SUCCESS


def test_a_store_that_cannot_be_read() -> None:
    """It is an error; progress is stored all the same."""
    answer = ask(result=None, pull=PullMessageRequest(3, commit_offset=2))
    assert (answer.code, answer.committed_offset) == (ResponseCode.SYSTEM_ERROR, 2)
    assert answer.code_decided_by == "is_store_unreadable"


CODES = {
    GetMessageStatus.FOUND: 0,
    GetMessageStatus.MESSAGE_WAS_REMOVING: 20,
    GetMessageStatus.NO_MATCHED_MESSAGE: 20,
    GetMessageStatus.NO_MESSAGE_IN_QUEUE: 21,
    GetMessageStatus.OFFSET_FOUND_NULL: 19,
    GetMessageStatus.OFFSET_OVERFLOW_ONE: 19,
    GetMessageStatus.OFFSET_OVERFLOW_BADLY: 21,
    GetMessageStatus.OFFSET_TOO_SMALL: 21,
}
"""R-PM-04, for an offset other than 0."""


@pytest.mark.parametrize("status", GetMessageStatus)
@pytest.mark.parametrize("is_checked", [True, False])
def test_codes(status: GetMessageStatus, is_checked: bool) -> None:
    """Each status has its code; a default slave says retry where the offset would move."""
    given = situation(store=slave(is_offset_checked_in_slave=is_checked))
    assert given.result is not None
    answer = answer_pull(evolve(given, result=evolve(given.result, status=status)))
    code = CODES[status]
    assert answer.code == (20 if code == 21 and not is_checked else code)
    assert not answer.is_moved_event_written


def test_an_empty_queue_read_from_its_start_is_waited_at() -> None:
    """Nothing has moved."""
    answer = ask(0, read_queue=ReadableQueue())
    assert (answer.code, answer.code_decided_by) == (19, "is_queue_empty_at_start")


def test_a_slave_closed_for_reads_serves_all_the_same() -> None:
    """Its first code is overwritten; what is left is the suggestion (R-PM-03)."""
    answer = ask(store=slave(), broker=CLOSED)
    assert (answer.code, answer.suggested_broker_id) == (ResponseCode.SUCCESS, 0)
    (before,) = answer.codes_overwritten
    assert (before.value, before.by) == (20, "is_slave_closed_for_reads")
    assert answer.suggestion_decided_by == "is_slave_read_off"
    assert answer.result is not None
    assert answer.result.message_count == 3


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("is_slow", [True, False])
def test_the_last_suggestion_wins(role: Role, is_slow: bool) -> None:
    """With slaveReadEnable it is the group's, on masters as on slaves; without it is 0."""
    store = StoreSettings(role=role, total_memory_bytes=0 if is_slow else 10**9)
    answer = ask(store=store)
    assert answer.suggested_broker_id == (8 if is_slow else 7)
    assert ask(store=store, broker=CLOSED).suggested_broker_id == 0


def test_a_slave_that_leaves_the_offset_suggests_the_group_s_broker() -> None:
    """Even without slaveReadEnable: the fourth write."""
    answer = ask(9, store=slave(), broker=CLOSED)
    assert (answer.code, answer.suggested_broker_id) == (20, 7)
    assert answer.suggestion_decided_by == "is_slave_leaving_offset"
    assert [each.by for each in answer.suggestions_overwritten] == [
        "is_slave_not_suggested",
        "is_slave_closed_for_reads",
        "is_slave_read_off",
    ]


def test_a_master_writes_a_message_about_a_moved_offset() -> None:
    """A slave would, but its store refuses it."""
    assert ask(9).is_moved_event_written
    assert not ask(9, store=slave(is_offset_checked_in_slave=True)).is_moved_event_written


@pytest.mark.parametrize(
    ("pull", "broker", "held"),
    [
        (PullMessageRequest(6, has_suspend_flag=True), OPEN, 15_000),
        (PullMessageRequest(6, has_suspend_flag=True, suspend_timeout_ms=7), OPEN, 7),
        (
            PullMessageRequest(6, has_suspend_flag=True),
            evolve(OPEN, is_long_polling_enabled=False),
            1_000,
        ),
        (PullMessageRequest(6), OPEN, None),
        (PullMessageRequest(6, has_suspend_flag=True, is_first_pass=False), OPEN, None),
    ],
)
def test_holds(pull: PullMessageRequest, broker: BrokerSettings, held: int | None) -> None:
    """A pull without news is held once, if both sides allow it (R-PM-06)."""
    assert ask(6, pull=pull, broker=broker).held_ms == held
    assert ask(3, pull=evolve(pull, offset=3), broker=broker).held_ms is None


def test_commits_by_pull() -> None:
    """On masters, at the first pass, whatever comes of it; not when it is refused (R-PM-08)."""
    first = PullMessageRequest(6, commit_offset=5, has_suspend_flag=True)
    assert ask(6, pull=first).committed_offset == 5
    assert ask(6, pull=evolve(first, is_first_pass=False)).committed_offset is None
    assert ask(6, pull=first, store=slave()).committed_offset is None
    assert ask(6, pull=first, topic=None).committed_offset is None


def test_held_pulls() -> None:
    """Run again for a message, or when the time is over; a slave only looks now and then."""
    assert look_at_held(HeldPull(5, 5, waited_ms=1, timeout_ms=2)) is None
    for held, by in (
        (HeldPull(5, 6, timeout_ms=9), "has_message_arrived"),
        (HeldPull(5, 6, is_filter_matching=False), "is_hold_over"),
        (HeldPull(5, 5, waited_ms=2, timeout_ms=2), "is_hold_over"),
    ):
        found = look_at_held(held)
        assert found is not None
        assert found.by == by
    no_polling = evolve(OPEN, is_long_polling_enabled=False)
    assert (compute_check_interval_ms(OPEN), compute_check_interval_ms(no_polling)) == (
        5_000,
        1_000,
    )
    assert is_woken_by_messages(StoreSettings(), OPEN)
    assert not is_woken_by_messages(slave(), OPEN)
    assert not is_woken_by_messages(StoreSettings(), no_polling)
