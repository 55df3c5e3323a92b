"""A broker's answer to a pull: code, suggested broker, hold, commit.

4.4.0 writes code and suggestion several times, and the last write stays; the writes are tables
here, in the order of the code. A pull is held if there was nothing to answer.
Source: PullMessageProcessor#processRequest, PullRequestHoldService#run, #checkHoldRequest and
#notifyMessageArriving of 4.4.0.
"""

from __future__ import annotations

from attrs import frozen

from reference.decisions.reading.decision import (
    Case,
    Decided,
    choose_first,
    compute_last,
    write_in_order,
)
from reference.decisions.reading.get_message import (
    GetMessageOutcome,
    GetMessageResult,
    is_offset_corrected,
)
from reference.decisions.reading.pull import PullSituation, ResponseCode, find_group, find_refusal
from reference.decisions.reading.read import GetMessageStatus
from reference.decisions.reading.settings import BrokerSettings, StoreSettings
from reference.decisions.reading.subscription_group import DEFAULT_GROUP, SubscriptionGroup
from reference.language.operators import any_of, negate
from reference.roles import MASTER_ID

MOVED_STATUSES = (GetMessageStatus.OFFSET_TOO_SMALL, GetMessageStatus.OFFSET_OVERFLOW_BADLY)
RETRY_STATUSES = (GetMessageStatus.MESSAGE_WAS_REMOVING, GetMessageStatus.NO_MATCHED_MESSAGE)


@frozen
class PullAnswer:
    """A broker's answer, real or prospective for a request that it holds."""

    code: ResponseCode
    code_decided_by: str
    """Name of the condition that wrote the code last."""
    codes_overwritten: tuple[Decided[ResponseCode], ...] = ()
    """Codes that were overwritten."""
    suggested_broker_id: int | None = None
    """``suggestWhichBrokerId``; None in a refusal, which has none."""
    suggestion_decided_by: str = ""
    suggestions_overwritten: tuple[Decided[int], ...] = ()
    result: GetMessageResult | None = None
    """The store's answer; None in a refusal."""
    held_ms: int | None = None
    """How long the request may be held (R-PM-06); None: it is answered now."""
    committed_offset: int | None = None
    """Progress that the broker also stores (R-PM-08); None: none."""
    is_moved_event_written: bool = False
    """The broker puts a message about the corrected consumer into its own log (R-PM-05)."""


def answer_pull(situation: PullSituation) -> PullAnswer:
    """The answer to a pull; ``situation.result`` is the store's answer to it."""
    refusal = find_refusal(situation)
    if refusal:
        return PullAnswer(refusal.value, refusal.by)
    if situation.result is None:
        code, by = ResponseCode.SYSTEM_ERROR, is_store_unreadable.__name__
        return PullAnswer(code, by, committed_offset=compute_commit(situation))
    assert isinstance(situation.result, GetMessageResult)
    *codes, code_written = write_in_order(CODE_WRITES, situation)
    *suggestions, suggested = write_in_order(SUGGESTION_WRITES, situation)
    return PullAnswer(
        code=code_written.value,
        code_decided_by=code_written.by,
        codes_overwritten=tuple(codes),
        suggested_broker_id=suggested.value,
        suggestion_decided_by=suggested.by,
        suggestions_overwritten=tuple(suggestions),
        result=situation.result,
        held_ms=compute_hold_ms(situation, code_written.value),
        committed_offset=compute_commit(situation),
        is_moved_event_written=is_offset_moved(situation) & negate(situation.store.is_slave),
    )


def get_result(situation: PullSituation) -> GetMessageResult | GetMessageOutcome:
    """The store's answer; only called if there is one."""
    assert situation.result is not None
    return situation.result


def has_status(situation: PullSituation, *statuses: GetMessageStatus) -> bool:
    """The store has answered with one of these."""
    return any_of(*(get_result(situation).status == status for status in statuses))


def get_group(situation: PullSituation) -> SubscriptionGroup:
    """The group; only called after the checks have passed."""
    return find_group(situation) or DEFAULT_GROUP


def is_store_unreadable(situation: PullSituation) -> bool:
    """The store is shut down or must not be read: it gives no answer."""
    return situation.result is None


def is_slave_suggested(situation: PullSituation) -> bool:
    """The store suggests reading elsewhere."""
    return get_result(situation).is_slave_suggested


def is_slave_not_suggested(situation: PullSituation) -> bool:
    """The store suggests nothing."""
    return negate(is_slave_suggested(situation))


def is_slave_closed_for_reads(situation: PullSituation) -> bool:
    """A slave without ``slaveReadEnable``; it answers anyway (R-PM-03)."""
    return situation.store.is_slave & negate(situation.broker.is_slave_read_enabled)


def is_slow_with_slave_read(situation: PullSituation) -> bool:
    """``slaveReadEnable`` on this broker, and the store suggests reading elsewhere."""
    return situation.broker.is_slave_read_enabled & is_slave_suggested(situation)


def is_not_slow_with_slave_read(situation: PullSituation) -> bool:
    """``slaveReadEnable`` on this broker, and the store suggests nothing."""
    return situation.broker.is_slave_read_enabled & negate(is_slave_suggested(situation))


def is_slave_read_off(situation: PullSituation) -> bool:
    """``slaveReadEnable`` is off on this broker, whatever its role."""
    return negate(situation.broker.is_slave_read_enabled)


def is_message_found(situation: PullSituation) -> bool:
    """The store has found messages."""
    return has_status(situation, GetMessageStatus.FOUND)


def is_batch_fruitless(situation: PullSituation) -> bool:
    """The store has read messages, and none of them is for this consumer."""
    return has_status(situation, *RETRY_STATUSES)


def is_queue_empty_at_start(situation: PullSituation) -> bool:
    """An empty queue, read from 0."""
    is_empty = has_status(situation, GetMessageStatus.NO_MESSAGE_IN_QUEUE)
    return is_empty & (situation.pull.offset == 0)


def is_queue_empty_further_on(situation: PullSituation) -> bool:
    """An empty queue, read from any other offset."""
    is_empty = has_status(situation, GetMessageStatus.NO_MESSAGE_IN_QUEUE)
    return is_empty & negate(situation.pull.offset == 0)


def is_queue_file_missing(situation: PullSituation) -> bool:
    """No file of the queue holds the requested entry."""
    return has_status(situation, GetMessageStatus.OFFSET_FOUND_NULL)


def is_everything_read(situation: PullSituation) -> bool:
    """The reader is at the end of the queue."""
    return has_status(situation, GetMessageStatus.OFFSET_OVERFLOW_ONE)


def is_offset_impossible(situation: PullSituation) -> bool:
    """The reader requests a message that is gone or was never here."""
    return has_status(situation, *MOVED_STATUSES)


def is_offset_moving(situation: PullSituation) -> bool:
    """The answer would be that the offset has moved."""
    return is_offset_impossible(situation) | is_queue_empty_further_on(situation)


def is_slave_leaving_offset(situation: PullSituation) -> bool:
    """A slave that does not check offsets must not move the reader's (R-PM-05)."""
    return is_offset_moving(situation) & negate(is_offset_corrected(situation.store))


def is_offset_moved(situation: PullSituation) -> bool:
    """A broker that checks offsets moves the reader's."""
    return is_offset_moving(situation) & negate(is_slave_leaving_offset(situation))


CODE_WRITES: tuple[Case[PullSituation, ResponseCode], ...] = (
    (is_slave_closed_for_reads, lambda _: ResponseCode.PULL_RETRY_IMMEDIATELY),
    (is_message_found, lambda _: ResponseCode.SUCCESS),
    (is_batch_fruitless, lambda _: ResponseCode.PULL_RETRY_IMMEDIATELY),
    (is_queue_empty_further_on, lambda _: ResponseCode.PULL_OFFSET_MOVED),
    (is_queue_empty_at_start, lambda _: ResponseCode.PULL_NOT_FOUND),
    (is_queue_file_missing, lambda _: ResponseCode.PULL_NOT_FOUND),
    (is_everything_read, lambda _: ResponseCode.PULL_NOT_FOUND),
    (is_offset_impossible, lambda _: ResponseCode.PULL_OFFSET_MOVED),
    (is_slave_leaving_offset, lambda _: ResponseCode.PULL_RETRY_IMMEDIATELY),
)
"""The writes of the code, in order (R-PM-02 to R-PM-05); one of the middle seven always applies.
"""

SUGGESTION_WRITES: tuple[Case[PullSituation, int], ...] = (
    (is_slave_suggested, lambda s: get_group(s).slow_broker_id),
    (is_slave_not_suggested, lambda _: MASTER_ID),
    (is_slave_closed_for_reads, lambda _: MASTER_ID),
    (is_slow_with_slave_read, lambda s: get_group(s).slow_broker_id),
    (is_not_slow_with_slave_read, lambda s: get_group(s).broker_id),
    (is_slave_read_off, lambda _: MASTER_ID),
    (is_slave_leaving_offset, lambda s: get_group(s).broker_id),
)
"""The writes of the suggested broker, in order (R-PM-02, R-PM-05)."""


def compute_code(situation: PullSituation) -> int:
    """The code of the answer to a pull that passed all checks: numbers and terms alike."""
    return compute_last(CODE_WRITES, situation)


def compute_suggestion(situation: PullSituation) -> int:
    """The broker that such an answer suggests: numbers and terms alike."""
    return compute_last(SUGGESTION_WRITES, situation)


def compute_hold_ms(situation: PullSituation, code: ResponseCode) -> int | None:
    """How long a pull without new messages is held; None: it is answered (R-PM-06)."""
    pull, broker = situation.pull, situation.broker
    is_held = pull.is_first_pass and pull.has_suspend_flag
    if code is not ResponseCode.PULL_NOT_FOUND or not is_held:
        return None
    return pull.suspend_timeout_ms if broker.is_long_polling_enabled else broker.short_polling_ms


def compute_commit(situation: PullSituation) -> int | None:
    """The progress that a pull also stores: on masters, at the first pass (R-PM-08).

    This does not depend on the outcome, even if the request is held; but a refused pull stores
    nothing.
    """
    may_commit = situation.pull.is_first_pass and not situation.store.is_slave
    return situation.pull.commit_offset if may_commit else None


CHECK_INTERVAL_MS = 5_000
"""How often held pulls are checked with long polling; else each ``shortPollingTimeMills``."""


def compute_hold_most_ms(hold_ms: int, broker: BrokerSettings) -> int:
    """The longest hold of a pull that may be held for ``hold_ms`` (R-PM-07).

    Its time is not checked at its very end, but at the next regular check.
    """
    return hold_ms + compute_check_interval_ms(broker)


@frozen
class HeldPull:
    """A held pull at the time of a check."""

    offset: int
    """Queue offset that it waits for."""
    queue_max_offset: int
    is_filter_matching: bool = True
    """The subscription takes the message that caused the check, or this is unknown."""
    waited_ms: int = 0
    timeout_ms: int = 0


def has_message_arrived(held: HeldPull) -> bool:
    """There is a message for it."""
    return held.queue_max_offset > held.offset and held.is_filter_matching


def is_hold_over(held: HeldPull) -> bool:
    """It has been held for as long as allowed."""
    return held.waited_ms >= held.timeout_ms


RELEASES: tuple[Case[HeldPull, bool], ...] = (
    (has_message_arrived, lambda _: True),
    (is_hold_over, lambda _: True),
)
"""When a held pull is run again, for the last time (R-PM-07)."""


def look_at_held(held: HeldPull) -> Decided[bool] | None:
    """Why a held pull is run again; None: it remains held."""
    return choose_first(RELEASES, held)


def compute_check_interval_ms(broker: BrokerSettings) -> int:
    """How often the held pulls are checked, whatever happens."""
    return CHECK_INTERVAL_MS if broker.is_long_polling_enabled else broker.short_polling_ms


def is_woken_by_messages(store: StoreSettings, broker: BrokerSettings) -> bool:
    """A new message triggers a check immediately: on masters with long polling only (R-RP-04)."""
    return not store.is_slave and broker.is_long_polling_enabled
