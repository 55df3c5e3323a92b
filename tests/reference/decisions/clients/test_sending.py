"""Producers: which queue, which status, which retry."""

from __future__ import annotations

import pytest

from reference.decisions.clients.sending import (
    STATUS_BY_CODE,
    Attempt,
    SendAnswer,
    SendSettings,
    SendStatus,
    choose_queue,
    react,
    send,
)
from reference.decisions.metadata.broker_tables import DataVersion
from reference.decisions.name_server.client_side import (
    Route,
    find_publish_address,
    list_write_queues,
    pick_route,
)
from reference.decisions.name_server.registry import (
    QueueData,
    RegisterBrokerRequest,
    Registry,
    register,
)
from reference.decisions.name_server.removal import remove_address

QUEUES = (("a", 0), ("a", 1), ("b", 0))
OK = SendAnswer(0)


@pytest.mark.parametrize("code", STATUS_BY_CODE)
def test_four_statuses_are_results(code: int) -> None:
    """One attempt, no exception, also when no slave has the message (R-PR-01)."""
    sent = send(QUEUES, {"a": SendAnswer(code), "b": OK})
    assert sent.tried == (("a", 0),)
    assert sent.status is STATUS_BY_CODE[code]
    assert (sent.copies, sent.copies_unknown) == (1, 0)


def test_a_weak_status_may_be_refused() -> None:
    """``retryAnotherBrokerWhenNotStoreOK`` buys SEND_OK with a second copy."""
    answers = {"a": SendAnswer(11), "b": OK}
    sent = send(QUEUES, answers, SendSettings(is_weak_status_retried=True))
    assert sent.tried == (("a", 0), ("b", 0))
    assert (sent.status, sent.copies) == (SendStatus.SEND_OK, 2)


def test_a_weak_status_is_told_when_all_are_weak() -> None:
    """After three copies on one master."""
    settings = SendSettings(is_weak_status_retried=True)
    sent = send(QUEUES[:2], {"a": SendAnswer(12)}, settings)
    assert (sent.status, sent.copies) == (SendStatus.FLUSH_SLAVE_TIMEOUT, 3)


@pytest.mark.parametrize("code", [1, 14, 16, 17, 204, 205])
def test_errors_that_are_tried_elsewhere(code: int) -> None:
    """On another broker, where there is one (R-PR-04)."""
    sent = send(QUEUES, {"a": SendAnswer(code), "b": OK})
    assert sent.tried == (("a", 0), ("b", 0))
    assert (sent.status, sent.copies, sent.copies_unknown) == (SendStatus.SEND_OK, 1, 0)


@pytest.mark.parametrize("code", [2, 13])
def test_errors_that_are_final(code: int) -> None:
    """SYSTEM_BUSY and MESSAGE_ILLEGAL."""
    sent = send(QUEUES, {"a": SendAnswer(code), "b": OK})
    assert (sent.tried, sent.status) == ((("a", 0),), None)
    assert react(Attempt(SendAnswer(code), SendSettings())).by == "is_error_final"


def test_a_retry_after_an_unknown_outcome_may_duplicate() -> None:
    """A broken connection is tried elsewhere, though the message may be stored (R-PR-04)."""
    sent = send(QUEUES, {"a": SendAnswer(None, took_ms=10), "b": OK})
    assert (sent.status, sent.copies, sent.copies_unknown) == (SendStatus.SEND_OK, 1, 1)


@pytest.mark.parametrize(("took_ms", "attempts"), [(3_000, 2), (3_001, 1)])
def test_a_time_out_leaves_no_time_for_a_retry(took_ms: int, attempts: int) -> None:
    """All attempts share ``sendMsgTimeout`` (R-PR-03): strictly more than it is too long."""
    sent = send(QUEUES, {"a": SendAnswer(None, took_ms), "b": OK})
    assert len(sent.tried) == attempts


def test_another_broker_is_preferred() -> None:
    """In turn; the same one again only where there is no other."""
    assert [choose_queue(QUEUES, turn, None) for turn in range(3)] == list(QUEUES)
    assert choose_queue(QUEUES, 1, "a") == ("b", 0)
    assert choose_queue(QUEUES[:2], 1, "a") == ("a", 1)


def test_sends_go_to_id_0_only() -> None:
    """A slave's address is none for a producer (R-CC-03), so its name is skipped (R-PR-02)."""
    queues = {"a": QueueData(1, 1), "b": QueueData(1, 1)}
    route = Route(queues, {"a": {1: "s:1"}, "b": {0: "m:1", 1: "s:2"}})
    assert find_publish_address(route, "a") is None
    assert find_publish_address(route, "b") == "m:1"
    assert find_publish_address(route, "c") is None
    assert list_write_queues(route) == (("b", 0),)


def test_without_a_master_nothing_is_tried() -> None:
    """The group can be read, and a send fails without any attempt (K-60)."""
    registry, version = Registry(), DataVersion(0)
    for broker_id, address in ((0, "m:1"), (1, "s:1")):
        request = RegisterBrokerRequest("a", broker_id, address, "", version, {"T": QueueData()})
        registry, _ = register(registry, request, 0)
    answers = {"a": OK}
    assert send(list_write_queues(pick_route(registry, "T")), answers).copies == 1
    alone = list_write_queues(pick_route(remove_address(registry, "m:1"), "T"))
    assert send(alone, answers).tried == ()
    assert send(alone, answers).status is None
