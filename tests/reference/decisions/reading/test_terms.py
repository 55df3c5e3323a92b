"""Decisions are the same function for numbers and for the terms of a proof."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve, fields_dict
from hypothesis import given
from hypothesis import strategies as st

from reference.decisions.reading.get_message import (
    UNSCANNED,
    GetMessageOutcome,
    GetMessageResult,
    Header,
    find,
)
from reference.decisions.reading.pull import PullMessageRequest, PullSituation, Topic
from reference.decisions.reading.pull_processor import (
    CODE_WRITES,
    SUGGESTION_WRITES,
    answer_pull,
    compute_code,
    compute_suggestion,
)
from reference.decisions.reading.read import GetMessageStatus
from reference.decisions.reading.scan import Scan
from reference.decisions.reading.settings import BrokerSettings, StoreSettings
from reference.decisions.reading.subscription_group import SubscriptionGroup
from reference.language.operator_table import Sort
from reference.language.terms import Term, leaf, substitute
from reference.roles import Role

NUMBERS = st.integers(0, 6)
HEADERS = st.builds(
    Header,
    offset=st.integers(-1, 6),
    min_offset=NUMBERS,
    max_offset=NUMBERS,
    has_queue_file=st.booleans(),
    next_file_offset=NUMBERS,
    is_offset_corrected=st.booleans(),
    is_reset_to_end=st.booleans(),
)
SCANS = st.builds(
    Scan,
    count=NUMBERS,
    consumed=NUMBERS,
    last=NUMBERS,
    miss_status=st.sampled_from(
        (GetMessageStatus.NO_MATCHED_MESSAGE, GetMessageStatus.MESSAGE_WAS_REMOVING)
    ),
)


def name_terms(value: Any, prefix: str) -> tuple[Any, dict[str, int | bool]]:
    """A value whose fields are terms, and what stands for each."""
    given_values = {f"{prefix}.{name}": getattr(value, name) for name in fields_dict(type(value))}
    terms = {
        name: leaf(
            f"{prefix}.{name}",
            Sort.BOOLEAN if isinstance(getattr(value, name), bool) else Sort.INTEGER,
        )
        for name in fields_dict(type(value))
    }
    return evolve(value, **terms), given_values


def read_term(term: Any, values: dict[str, int | bool]) -> int | bool:
    """What a term comes to."""
    return substitute(term, values) if isinstance(term, Term) else term


@given(HEADERS, SCANS, NUMBERS, NUMBERS)
def test_reads_are_the_same_as_terms(header: Header, scan: Scan, log_max: int, memory: int) -> None:
    """Status, next offset, messages and suggestion."""
    found = find(header, scan, log_max, memory)
    header_term, header_values = name_terms(header, "header")
    scan_term, scan_values = name_terms(scan, "scan")
    numbers = {"log_max": log_max, "memory": memory}
    ends = [leaf(name, Sort.INTEGER) for name in numbers]
    told = find(header_term, scan_term, *ends)  # type: ignore[arg-type]
    values = {**header_values, **scan_values, **numbers}
    for name in fields_dict(GetMessageOutcome):
        assert isinstance(getattr(told, name), Term)
        assert read_term(getattr(told, name), values) == getattr(found, name), name


def make_situation(
    status: GetMessageStatus, offset: int, role: Role, flags: tuple[bool, bool, bool]
) -> PullSituation:
    """A pull that is let through."""
    is_checked, is_open, is_slow = flags
    return PullSituation(
        PullMessageRequest(offset),
        StoreSettings(role, is_offset_checked_in_slave=is_checked),
        BrokerSettings(is_slave_read_enabled=is_open),
        SubscriptionGroup(broker_id=7, slow_broker_id=8),
        Topic(),
        None,
        GetMessageResult(status, "", offset, 0, 1, is_slave_suggested=is_slow),
    )


FLAGS = st.tuples(st.booleans(), st.booleans(), st.booleans())


@given(st.sampled_from(GetMessageStatus), st.integers(0, 1), st.sampled_from(Role), FLAGS)
def test_answers_are_the_same_as_terms(
    status: GetMessageStatus, offset: int, role: Role, flags: tuple[bool, bool, bool]
) -> None:
    """Code and suggested broker, as numbers, with a reason, and as terms."""
    situation = make_situation(status, offset, role, flags)
    answer = answer_pull(situation)
    assert compute_code(situation) == answer.code
    assert compute_suggestion(situation) == answer.suggested_broker_id
    found = GetMessageOutcome(int(status), offset, 0, flags[2])
    term, values = name_terms(found, "found")
    at = leaf("offset", Sort.INTEGER)
    asked = evolve(situation, result=term, pull=evolve(situation.pull, offset=at))
    values = {**values, "offset": offset}
    assert read_term(compute_code(asked), values) == answer.code
    assert read_term(compute_suggestion(asked), values) == answer.suggested_broker_id


@pytest.mark.parametrize("table", [UNSCANNED, CODE_WRITES, SUGGESTION_WRITES])
def test_conditions_are_named_once(table: Any) -> None:
    """So a report can tell them apart."""
    names = [condition.__name__ for condition, _ in table]
    assert len(names) == len(set(names))
