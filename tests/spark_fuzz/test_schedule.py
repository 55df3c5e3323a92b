"""Identifiers: what is printed can be read back, what is wrong is refused in one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.roles import FlushDiskType, Role
from reference.structure import SLAVES_MAX, FaultCounts, Structure
from spark_fuzz.schedule import (
    SEED_MAX,
    STEPS_MAX,
    CampaignOptions,
    IdentifierError,
    parse_identifier,
)

OPTIONS = st.builds(
    CampaignOptions,
    st.builds(
        Structure,
        st.sampled_from([Role.ASYNC_MASTER, Role.SYNC_MASTER]),
        st.sampled_from(FlushDiskType),
        st.integers(0, SLAVES_MAX),
    ),
    st.builds(FaultCounts, *[st.integers(0, 9)] * len(FaultCounts.__annotations__)),
    st.integers(1, STEPS_MAX),
    st.integers(0, SEED_MAX - 1),
)


PAIR = "SYNC_MASTER-ASYNC_FLUSH-1/2.2.2.2.2.2.2.2.2.2.2.2.2.0"
"""The beginning of an identifier."""


@given(OPTIONS, st.integers(0, SEED_MAX - 1))
def test_identifiers_are_read_back(options: CampaignOptions, schedule: int) -> None:
    """An identifier says everything that decides a schedule."""
    assert (options, schedule) == parse_identifier(options.format_identifier(schedule))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "identifies no schedule"),
        ("SYNC_MASTER-ASYNC_FLUSH-4/2.2.2.2.2.2.2.2.2.2.2.2.2.0/64/0/1", "identifies no schedule"),
        ("SLAVE-ASYNC_FLUSH-1/2.2.2.2.2.2.2.2.2.2.2.2.2.0/64/0/1", "identifies no schedule"),
        ("SYNC_MASTER-ASYNC_FLUSH-1/2.2.2.2/64/0/1", "identifies no schedule"),
        (PAIR + "/0/0/1", "steps 0 is out of range"),
        (PAIR + "/10001/0/1", "steps 10001 is out of range"),
        (PAIR + f"/64/{SEED_MAX}/1", "campaign seed"),
        (PAIR + f"/64/0/{SEED_MAX}", "schedule number"),
    ],
)
def test_bad_identifiers_are_refused(text: str, message: str) -> None:
    """One line that says what is wrong."""
    with pytest.raises(IdentifierError, match=message) as problem:
        parse_identifier(text)
    assert "\n" not in str(problem.value)
