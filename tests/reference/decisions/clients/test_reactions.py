"""What clients decide is the same for numbers and terms, and the same as they tell in words."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from attrs import evolve, fields_dict
from hypothesis import given
from hypothesis import strategies as st

from reference.decisions.clients.process_queue import CachedMessage
from reference.decisions.clients.pulling import pull
from reference.decisions.clients.push_consumer import PushConsumer, make_reader
from reference.decisions.clients.reactions import (
    DECODED_CODES,
    PullResponse,
    ReadPosition,
    is_decoded,
    is_message_kept,
    is_no_message_kept,
    is_nothing_for_it,
    is_offset_illegal,
    meet,
)
from reference.decisions.clients.requests import Network, PullReply
from reference.decisions.progress.client_offsets import (
    NOT_READABLE,
    NOT_STORED,
    NOT_TAKEN,
    Beginning,
    ConsumeFromWhere,
    compute_begin,
    compute_pull_from_where,
)
from reference.decisions.progress.offset_table import (
    ProgressKnowledge,
    QueryCode,
    QueryConsumerOffsetRequest,
    answer_query,
    compute_answer,
)
from reference.decisions.reading.client import (
    NO_PROGRESS,
    Client,
    PullTarget,
    compute_commit_flag,
    compute_first_id,
    compute_target,
    find_offset_store,
    find_target,
    get_wanted_id,
    has_commit_flag,
)
from reference.decisions.reading.pull import ResponseCode
from reference.language.operator_table import Sort
from reference.language.terms import Term, leaf
from tests.reference.decisions.reading.test_terms import name_terms, read_term

OFFSETS = st.integers(NO_PROGRESS, 6)
IDS = st.integers(0, 2)
STANDINGS = st.builds(
    ReadPosition,
    next_offset=OFFSETS,
    progress=OFFSETS,
    suggested_id=IDS,
    is_cache_empty=st.booleans(),
)
ANSWERS = st.builds(
    PullResponse,
    code=st.sampled_from(ResponseCode).map(int),
    next_begin_offset=OFFSETS,
    suggested_id=IDS,
    is_message_left=st.booleans(),
)


@given(STANDINGS, ANSWERS)
def test_answers_are_met_alike_by_numbers_and_terms(
    standing: ReadPosition, answered: PullResponse
) -> None:
    """Next pull, progress and suggested broker; the cache is somebody else's."""
    standing_term, standing_values = name_terms(standing, "standing")
    answered_term, answered_values = name_terms(answered, "answered")
    values = {**standing_values, **answered_values}
    after, told = meet(standing, answered), meet(standing_term, answered_term)
    for name in fields_dict(ReadPosition):
        assert isinstance(getattr(told, name), Term)
        assert read_term(getattr(told, name), values) == getattr(after, name), name
    assert after.is_cache_empty is standing.is_cache_empty


@given(ANSWERS)
def test_an_answer_is_of_one_kind(answered: PullResponse) -> None:
    """Four kinds, or none, where the client does not decode the code."""
    kinds = (is_message_kept, is_no_message_kept, is_nothing_for_it, is_offset_illegal)
    assert is_decoded(answered) is (answered.code in DECODED_CODES)
    assert sum(kind(answered) for kind in kinds) == is_decoded(answered)


@given(STANDINGS, ANSWERS)
def test_what_cannot_be_decoded_changes_nothing(
    standing: ReadPosition, answered: PullResponse
) -> None:
    """Neither the next pull nor the broker that it goes to (B3-02514, B3-03498)."""
    refused = evolve(answered, code=int(ResponseCode.SYSTEM_ERROR))
    assert standing == meet(standing, refused)


def fill(consumer: PushConsumer) -> PushConsumer:
    """The consumer after a batch of one message at 3."""
    reply = PullReply(ResponseCode.SUCCESS, 4, 0, 20, 0, (CachedMessage(3, 1),))
    return pull(consumer, Network(pull=reply)).consumer


@pytest.mark.parametrize(
    ("code", "count", "is_cache_empty"),
    list(itertools.product(DECODED_CODES[:3], (0, 2), (False, True))),
)
def test_a_push_consumer_does_what_is_met(
    code: ResponseCode, count: int, is_cache_empty: bool
) -> None:
    """It stands where `meet` says; an offset that was moved is corrected later."""
    reader = make_reader(Client(), 4)
    consumer = reader if is_cache_empty else fill(reader)
    kept = count if code is ResponseCode.SUCCESS else 0
    messages = tuple(CachedMessage(offset, 1) for offset in range(4, 4 + kept))
    after = pull(consumer, Network(pull=PullReply(code, 9, 0, 20, 1, messages))).consumer
    progress = NO_PROGRESS if consumer.memory_offset is None else consumer.memory_offset
    met = meet(
        ReadPosition(4, progress, get_wanted_id(consumer.client), is_cache_empty),
        PullResponse(code, 9, 1, kept > 0),
    )
    assert met.next_offset == after.assignments[0].next_offset
    assert met.suggested_id == get_wanted_id(after.client)
    assert met.progress == (NO_PROGRESS if after.memory_offset is None else after.memory_offset)


ROUTES = [order for n in (1, 2) for order in itertools.permutations((0, 1), n)]
"""Every route with a master, a slave or both, in either order."""


@pytest.mark.parametrize("brokers", ROUTES, ids=str)
@pytest.mark.parametrize("suggested", [None, 0, 1, 2])
def test_a_pull_goes_where_numbers_and_words_say(
    brokers: tuple[int, ...], suggested: int | None
) -> None:
    """The broker of a pull, and the one that keeps progress (R-CC-01, R-CC-02)."""
    client = Client(suggested_id=suggested, brokers=brokers)
    first = compute_first_id(0 in brokers)
    assert find_offset_store(client) == first
    wanted = get_wanted_id(client)
    target = find_target(client)
    assert target is not None
    assert compute_target(wanted, wanted in brokers, first) == target.broker_id
    is_master_there, is_wanted_there, wanted_id = (
        leaf("is_master_there", Sort.BOOLEAN),
        leaf("is_wanted_there", Sort.BOOLEAN),
        leaf("wanted_id", Sort.INTEGER),
    )
    values = {
        "is_master_there": 0 in brokers,
        "is_wanted_there": wanted in brokers,
        "wanted_id": wanted,
    }
    terms: Any = (wanted_id, is_wanted_there, compute_first_id(is_master_there))  # type: ignore[arg-type]
    assert read_term(compute_target(*terms), values) == target.broker_id


@given(OFFSETS, st.integers(0, 1))
def test_progress_goes_along_with_pulls_to_masters(progress: int, broker: int) -> None:
    """From 1 on, told in both ways (R-CC-06, R-CC-07)."""
    in_memory = None if progress == NO_PROGRESS else progress
    committed = compute_commit_flag(in_memory, PullTarget(broker, ""))
    assert has_commit_flag(progress, broker) is (committed is not None)
    term: Any = leaf("progress", Sort.INTEGER)
    told = read_term(has_commit_flag(term, broker), {"progress": progress})
    assert told == has_commit_flag(progress, broker)


@given(st.builds(ProgressKnowledge, OFFSETS, st.integers(0, 2), st.booleans()))
def test_progress_is_told_alike_by_numbers_and_terms(known: ProgressKnowledge) -> None:
    """And as a query is answered (R-CO-05)."""
    term, values = name_terms(known, "known")
    told = compute_answer(known)
    assert isinstance(compute_answer(term), Term)
    assert read_term(compute_answer(term), values) == told
    is_far = known.is_first_message_on_disk
    table = {"T@G": {0: known.stored}} if known.stored >= 0 else {}
    query = QueryConsumerOffsetRequest(
        table, "T@G", 0, known.queue_min_offset, 0 if is_far else None, 9, 8
    )
    answer = answer_query(query)
    assert told == (NO_PROGRESS if answer.offset is None else answer.offset)
    assert (answer.code is QueryCode.SUCCESS) is (told >= 0)


@given(
    st.integers(NOT_READABLE, 6),
    st.sampled_from(ConsumeFromWhere),
    st.booleans(),
    st.integers(NOT_TAKEN, 6),
    st.integers(NOT_TAKEN, 6),
)
def test_a_beginning_is_the_same_for_numbers_and_terms(
    stored: int, strategy: ConsumeFromWhere, is_retry: bool, master_max: int, master_time: int
) -> None:
    """And as it is explained (R-CC-15); strategy and topic never are terms."""
    beginning = Beginning(stored, strategy, is_retry, master_max, master_time)
    values = {
        "stored": stored,
        "master_max_offset": master_max,
        "master_time_offset": master_time,
    }
    terms: dict[str, Any] = {name: leaf(name, Sort.INTEGER) for name in values}
    term = evolve(beginning, **terms)
    begin = compute_begin(beginning)
    assert read_term(compute_begin(term), values) == begin
    explained = compute_pull_from_where(beginning).value
    assert begin == (NOT_TAKEN if explained is None else explained)
    assert NOT_TAKEN == NOT_STORED


def test_the_first_case_that_holds_decides() -> None:
    """Progress wins over the strategy, and an unreadable answer over both."""
    first = Beginning(3, ConsumeFromWhere.FIRST_OFFSET, master_max_offset=9)
    stored = (3, NOT_READABLE, NOT_STORED)
    assert [3, NOT_TAKEN, 0] == [compute_begin(evolve(first, stored=each)) for each in stored]
