"""Identifiers: what is printed can be read back, what is wrong is refused in one line."""

from __future__ import annotations

import pytest
from attrs import evolve, fields
from hypothesis import given
from hypothesis import strategies as st

from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.world import ClaimedGroup
from reference.worlds.reading.state import ReadingFaults
from spark_fuzz.campaign.schedule import (
    SEED_MAX,
    STEPS_MAX,
    STRUCTURE_BY_CODE,
    CampaignOptions,
    IdentifierError,
    parse_identifier,
)
from spark_fuzz.kernel.ancestry import Lineage
from spark_fuzz.kernel.scheduler import SCHEDULERS
from tests.spark_fuzz.kernel.test_ancestry import draw_lineages


@st.composite
def draw_options(draw: st.DrawFn) -> CampaignOptions:
    """Options of any structure of any world."""
    structure = draw(st.sampled_from(list(STRUCTURES.values())))
    limits = structure.world.everything.counts
    counts = (draw(st.integers(0, 9)) for _ in limits.__annotations__)
    steps, seed = draw(st.integers(1, STEPS_MAX)), draw(st.integers(0, SEED_MAX - 1))
    return CampaignOptions(
        structure,
        limits(*counts),
        steps,
        seed,
        draw(st.booleans()),
        draw(st.sampled_from(SCHEDULERS)),
        draw(st.integers(0, STEPS_MAX)),
    )


@given(draw_options())
def test_what_is_judged(options: CampaignOptions) -> None:
    """Every claim about each state; those about rest only if schedules heal and come to rest."""
    world = options.structure.world
    judged, at_rest = set(options.judged_claims), set(world.claims_about_rest)
    assert judged - at_rest == set(world.judged) >= set(world.guarantees)
    assert judged & at_rest == (at_rest if options.healing_steps else set())


PAIR = "SYNC_MASTER-ASYNC_FLUSH-1/2.2.2.2.2.2.2.2.2.2.2.2.2.2.2.0"
"""The beginning of an identifier."""


@given(draw_options(), draw_lineages())
def test_identifiers_are_read_back(options: CampaignOptions, lineage: Lineage) -> None:
    """An identifier says everything that decides a schedule."""
    assert (options, lineage) == parse_identifier(options.format_identifier(lineage))


def test_identifiers_stay_as_they_are() -> None:
    """Those of replication stand in documents; others spell the structure's name."""
    assert CampaignOptions().format_identifier(7).startswith(PAIR + "/64/0/7@")
    named = CampaignOptions(STRUCTURES["reading/open slow/no offset check/last"], steps=9)
    twice_each = ".".join("2" for _ in fields(ReadingFaults))
    code = f"reading-open_slow-no_offset_check-last/{twice_each}"
    assert named.format_identifier(7).startswith(f"{code}/9/0/7@")
    every = evolve(named, is_swarm=True, scheduler="pct", healing_steps=30)
    told = every.format_identifier(Lineage((7, 90), (4,)))
    assert told.startswith(f"{code}/9+30/0/7~4.90/swarm/pct@")


def test_every_structure_has_a_code_of_its_own() -> None:
    """A code leads back to its structure, and outside of replication is its name respelt."""
    assert list(STRUCTURES.values()) == list(STRUCTURE_BY_CODE.values())
    for code, structure in STRUCTURE_BY_CODE.items():
        if not isinstance(structure, ClaimedGroup):
            assert code == structure.name.replace("/", "-").replace(" ", "_")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "identifies no schedule"),
        (
            "SYNC_MASTER-ASYNC_FLUSH-4/2.2.2.2.2.2.2.2.2.2.2.2.2.2.2.0/64/0/1",
            "identifies no schedule",
        ),
        ("SLAVE-ASYNC_FLUSH-1/2.2.2.2.2.2.2.2.2.2.2.2.2.2.2.0/64/0/1", "identifies no schedule"),
        ("SYNC_MASTER-ASYNC_FLUSH-1/2.2.2.2/64/0/1", "identifies no schedule"),
        (
            "reading-open_slow-no_offset_check-last/2.2/64/0/1",
            "one looks like reading-open_slow",
        ),
        (PAIR + "/0/0/1", "steps 0 is out of range"),
        (PAIR + "/10001/0/1", "steps 10001 is out of range"),
        (PAIR + f"/64/{SEED_MAX}/1", "campaign seed"),
        (PAIR + f"/64/0/{SEED_MAX}", "schedule number"),
        (PAIR + "/64+10001/0/1", "healing steps"),
        (PAIR + f"/64/0/1~5.{SEED_MAX}", "schedule number"),
        (PAIR + "/64/0/1~5.2~5.3", "in no possible order"),
        (PAIR + "/64/0/1~5", "identifies no schedule"),
        (PAIR + "/64/0/1@00000000", "made with other rules"),
    ],
)
def test_bad_identifiers_are_refused(text: str, message: str) -> None:
    """One line that says what is wrong."""
    with pytest.raises(IdentifierError, match=message) as problem:
        parse_identifier(text)
    assert "\n" not in str(problem.value)
