"""Identifiers: what is printed can be read back, what is wrong is refused in one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from properties.subject import get_everything
from properties.worlds import STRUCTURES
from reference.structure import Structure
from spark_fuzz.schedule import (
    SEED_MAX,
    STEPS_MAX,
    STRUCTURE_BY_CODE,
    CampaignOptions,
    IdentifierError,
    parse_identifier,
)


@st.composite
def draw_options(draw: st.DrawFn) -> CampaignOptions:
    """Options of any structure of any world."""
    structure = draw(st.sampled_from(list(STRUCTURES.values())))
    limits = get_everything(structure).counts
    counts = (draw(st.integers(0, 9)) for _ in limits.__annotations__)
    steps, seed = draw(st.integers(1, STEPS_MAX)), draw(st.integers(0, SEED_MAX - 1))
    return CampaignOptions(structure, limits(*counts), steps, seed, draw(st.booleans()))


PAIR = "SYNC_MASTER-ASYNC_FLUSH-1/2.2.2.2.2.2.2.2.2.2.2.2.2.0"
"""The beginning of an identifier."""


@given(draw_options(), st.integers(0, SEED_MAX - 1))
def test_identifiers_are_read_back(options: CampaignOptions, schedule: int) -> None:
    """An identifier says everything that decides a schedule."""
    assert (options, schedule) == parse_identifier(options.format_identifier(schedule))


def test_identifiers_stay_as_they_are() -> None:
    """Those of replication stand in documents; others spell the structure's name."""
    assert CampaignOptions().format_identifier(7).startswith(PAIR + "/64/0/7@")
    named = CampaignOptions(STRUCTURES["consumer/slave read/no offset check"], steps=9)
    code = "consumer-slave_read-no_offset_check/2.2.2.2.2.2.2.2/9/0/7@"
    assert named.format_identifier(7).startswith(code)


def test_every_structure_has_a_code_of_its_own() -> None:
    """A code leads back to its structure, and outside of replication is its name respelt."""
    assert list(STRUCTURES.values()) == list(STRUCTURE_BY_CODE.values())
    for code, structure in STRUCTURE_BY_CODE.items():
        if not isinstance(structure, Structure):
            assert structure.name == code.replace("-", "/").replace("_", " ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "identifies no schedule"),
        ("SYNC_MASTER-ASYNC_FLUSH-4/2.2.2.2.2.2.2.2.2.2.2.2.2.0/64/0/1", "identifies no schedule"),
        ("SLAVE-ASYNC_FLUSH-1/2.2.2.2.2.2.2.2.2.2.2.2.2.0/64/0/1", "identifies no schedule"),
        ("SYNC_MASTER-ASYNC_FLUSH-1/2.2.2.2/64/0/1", "identifies no schedule"),
        ("consumer-slave_read-no_offset_check/2.2/64/0/1", "one looks like consumer-slave_read"),
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
