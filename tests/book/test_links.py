"""Links to sections: of each world's claims and rules, of lemmas, of variants."""

from __future__ import annotations

import itertools

import pytest

from book.links import find_chapter, link_claim, link_rule, link_variant
from properties.language.world import World
from properties.worlds.catalogue import OTHER_WORLDS
from properties.worlds.replication.world import CLAIMS, LEMMAS, SANITY_CHECKS
from reference.worlds.replication.rules import RULES
from tests.structures import name_of


def test_replication_has_two_chapters() -> None:
    """Claims and sanity checks in one, lemmas in the other."""
    assert {"guarantees.md"} == set(map(find_chapter, (*CLAIMS, *SANITY_CHECKS)))
    assert {"lemmas.md"} == set(map(find_chapter, LEMMAS))


@pytest.mark.parametrize("world", OTHER_WORLDS, ids=name_of)
def test_a_world_has_its_own(world: World) -> None:
    """For its claims and its rules."""
    assert {world.chapter} == set(map(find_chapter, world.claims))
    name, rule = next(iter(world.rules.items()))
    assert f"[`{name}`](../{world.chapter}#{name})" == link_rule(rule, up="../")


def test_no_name_is_of_two_chapters() -> None:
    """Else a link would lead to the wrong one."""
    named = [*CLAIMS, *SANITY_CHECKS, *LEMMAS, *itertools.chain(*(w.claims for w in OTHER_WORLDS))]
    assert len(set(named)) == len(named)


def test_rules_are_told_by_topic() -> None:
    """Those of replication."""
    assert "[`flush_master`](flush.md#flush_master)" == link_rule(RULES["flush_master"])


def test_a_variant_of_releases_only_has_no_section() -> None:
    """A repair has one."""
    assert "[`epoch_check`](variants.md#epoch_check)" == link_variant("epoch_check")
    assert "[`answered_in_line`](../versions.md)" == link_variant("answered_in_line", "../")


def test_an_unknown_claim_is_an_error() -> None:
    """A link to nowhere is never written."""
    with pytest.raises(KeyError, match="nothing_is_lost"):
        link_claim("nothing_is_lost")
