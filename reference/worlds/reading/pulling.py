"""The consumer pulls: the broker decides on its answer, the consumer on its reaction.

These decisions are functions of `reference.decisions.reading` and `reference.decisions.clients`,
called here with terms in place of numbers.
"""

from __future__ import annotations

from attrs import evolve, frozen

from reference.decisions.clients.reactions import (
    PullResponse,
    ReadPosition,
    is_message_kept,
    is_offset_illegal,
    meet,
)
from reference.decisions.reading.client import (
    compute_first_id,
    compute_target,
    has_commit_flag,
)
from reference.decisions.reading.get_message import (
    Header,
    find,
    is_offset_corrected,
    is_scanned,
)
from reference.decisions.reading.pull import PullMessageRequest, PullSituation, Topic
from reference.decisions.reading.pull_processor import compute_code, compute_suggestion
from reference.decisions.reading.read import GetMessageStatus
from reference.decisions.reading.scan import NOT_SCANNED, Scan
from reference.decisions.reading.settings import StoreSettings
from reference.language.operators import choose, maximum, minimum, negate
from reference.language.rule import RuleBody, between, rule, when
from reference.roles import Role
from reference.worlds.reading.queues import change_broker, get_place, has_message
from reference.worlds.reading.state import MASTER, NO_OFFSET, SLAVE, Reading


@frozen
class AnsweredPull:
    """A broker's answer to a pull, with the messages that come with it."""

    answered: PullResponse
    first: int
    """Place of the first message in the answer."""
    end: int
    """One past the last one; not beyond ``first`` if there is none."""


def compute_asked(state: Reading) -> int:
    """The broker that the next pull goes to (R-CC-01)."""
    routes, suggested = state.routes, state.consumer.suggested_id
    is_there = choose(suggested == MASTER, routes.is_master_seen, routes.is_slave_seen)
    return compute_target(suggested, is_there, compute_first_id(routes.is_master_seen))


def is_reading(state: Reading) -> bool:
    """The consumer runs and has a queue to pull."""
    return state.consumer.is_running & (state.consumer.next_offset >= 0)


def is_rejecting(state: Reading, broker: int) -> bool:
    """The broker rejects pulls, and the consumer asks it again later (V-41).

    ``PullMessageProcessor#rejectRequest`` at 5.0.0: a slave without ``slaveReadEnable``. The answer
    is SYSTEM_BUSY and suggests no other broker.
    """
    structure = state.structure
    return structure.is_closed_slave_silent and broker == SLAVE and not structure.is_slave_open


def is_asked(state: Reading, broker: int) -> bool:
    """The next pull goes to this broker, which is reachable and does not reject it."""
    if is_rejecting(state, broker):
        return False
    is_it = compute_asked(state) == broker
    return is_reading(state) & is_it & state.brokers[broker].is_up


def make_store_settings(state: Reading, broker: int) -> StoreSettings:
    """The settings that a broker's store reads from its file."""
    return StoreSettings(
        role=Role.SLAVE if broker == SLAVE else Role.ASYNC_MASTER,
        is_offset_checked_in_slave=state.structure.is_offset_checked_in_slave,
        is_reset_to_end=state.structure.is_reset_to_end,
    )


def make_header(state: Reading, broker: int) -> Header:
    """The values that a broker's store compares before it reads any entry."""
    node = state.brokers[broker]
    return Header(
        offset=state.consumer.next_offset,
        min_offset=node.queue_min,
        max_offset=node.queue_max,
        has_queue_file=True,
        next_file_offset=node.queue_max,
        is_offset_corrected=is_offset_corrected(make_store_settings(state, broker)),
        is_reset_to_end=state.structure.is_reset_to_end,
    )


def answer(state: Reading, broker: int, scan: Scan) -> PullResponse:
    """A broker's answer if its store would find ``scan`` (R-GM-02, R-PM-02 to R-PM-05).

    Distances in the log are counted in messages of this queue, which lie in the log's order.
    """
    node, offset = state.brokers[broker], state.consumer.next_offset
    reach = node.queue_max - node.first_in_memory
    found = find(make_header(state, broker), scan, node.queue_max, reach)
    situation = PullSituation(
        pull=PullMessageRequest(offset=offset),
        store=make_store_settings(state, broker),
        broker=state.structure.broker_settings[broker],
        group=state.structure.group,
        topic=Topic(),
        registration=None,
        result=found,
    )
    return PullResponse(
        code=compute_code(situation),
        next_begin_offset=found.next_begin_offset,
        suggested_id=compute_suggestion(situation),
        is_message_left=found.message_count > 0,
    )


def make_scan(state: Reading, broker: int, consumed: int, last: int) -> Scan:
    """The result of scanning ``consumed`` entries, whose first messages may be gone."""
    offset = state.consumer.next_offset
    passed = minimum(consumed, maximum(0, state.brokers[broker].first_kept - offset))
    miss = GetMessageStatus.MESSAGE_WAS_REMOVING
    return Scan(count=consumed - passed, consumed=consumed, last=last, miss_status=miss)


def compute_last_looked_at(state: Reading, broker: int, consumed: int, is_full: bool) -> int:
    """The last entry scanned: if the batch was full, one beyond it, if there is one.

    A batch without messages is never full (R-GM-05).
    """
    node, end = state.brokers[broker], state.consumer.next_offset + consumed
    is_one_more = is_full & (node.first_kept < end) & (end < node.queue_max)
    return choose(is_one_more, end, end - 1)


def store_with_pull(state: Reading, broker: int) -> Reading:
    """The progress that comes with a pull is stored, on a master (R-CC-07, R-PM-08)."""
    progress, node = state.consumer.progress, state.brokers[broker]
    is_stored = has_commit_flag(progress, broker)
    stored = evolve(node, progress=choose(is_stored, progress, node.progress))
    taken = choose(is_stored, progress, state.consumer.ghost_stored)
    consumer = evolve(state.consumer, ghost_stored=taken)
    return change_broker(evolve(state, consumer=consumer), broker, stored)


def take(state: Reading, answer: AnsweredPull, is_coming: bool, place: int) -> Reading:
    """The consumer after an answer.

    ``is_coming``: the answer contains the followed message, from this place in the broker's queue.
    If it is already cached, this is another copy of it, and the older one is no longer followed. A
    queue whose offset is illegal is given up immediately, with all cached messages.
    """
    consumer, message, answered = state.consumer, state.message, answer.answered
    is_empty = consumer.cache_first < 0
    before = ReadPosition(consumer.next_offset, consumer.progress, consumer.suggested_id, is_empty)
    after = meet(before, answered)
    is_kept, is_given_up = is_message_kept(answered), is_offset_illegal(answered)
    first = choose(is_kept & is_empty, answer.first, consumer.cache_first)
    met = evolve(
        consumer,
        suggested_id=after.suggested_id,
        next_offset=choose(is_given_up, NO_OFFSET, after.next_offset),
        progress=after.progress,
        cache_first=choose(is_given_up, NO_OFFSET, first),
        cache_end=choose(is_given_up, 0, choose(is_kept, answer.end, consumer.cache_end)),
        corrected=choose(is_given_up, after.next_offset, consumer.corrected),
    )
    is_new = is_kept & is_coming
    cached = evolve(
        message,
        cached_offset=choose(is_new, place, message.cached_offset),
        is_cached=(message.is_cached | is_new) & negate(is_given_up),
        is_consuming=message.is_consuming & negate(is_given_up),
    )
    return evolve(state, consumer=met, message=cached)


@rule(
    who="broker",
    source="PullMessageProcessor#processRequest, DefaultMQPushConsumerImpl#pullMessage",
    lane="consumer",
    says=lambda a, s: f"gets {a['consumed']} of broker",
)
def pull_messages(state: Reading, broker: int) -> RuleBody:
    """The consumer pulls from a broker that has entries at its offset.

    Messages whose log is gone are skipped (MESSAGE_WAS_REMOVING).
    """
    node, offset = state.brokers[broker], state.consumer.next_offset
    # ENABLED WHEN
    yield when(is_asked=is_asked(state, broker), is_looked=is_scanned(make_header(state, broker)))
    consumed = yield between("consumed", 1, node.queue_max - offset)
    is_full = yield between("is_full", 0, 1)
    # EFFECT
    last = compute_last_looked_at(state, broker, consumed, is_full == 1)
    answered = answer(state, broker, make_scan(state, broker, consumed, last))
    first, end = maximum(offset, node.first_kept), offset + consumed
    place = get_place(state.message, broker)
    is_coming = has_message(state, broker) & (first <= place) & (place < end)
    return take(
        store_with_pull(state, broker), AnsweredPull(answered, first, end), is_coming, place
    )


@rule(
    who="broker",
    source="PullMessageProcessor#processRequest, DefaultMQPushConsumerImpl#pullMessage",
    lane="consumer",
    says="gets no message",
)
def pull_nothing(state: Reading, broker: int) -> RuleBody:
    """The consumer pulls from a broker that has no entry at its offset: no message, or moved."""
    # ENABLED WHEN
    yield when(
        is_asked=is_asked(state, broker),
        is_not_looked=negate(is_scanned(make_header(state, broker))),
    )
    # EFFECT
    answered = answer(state, broker, NOT_SCANNED)
    return take(store_with_pull(state, broker), AnsweredPull(answered, 0, 0), False, NO_OFFSET)
