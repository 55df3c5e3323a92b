"""The chapter of each world says what its rules and certificates say."""

from __future__ import annotations

import pytest

from book.model import world_page
from properties.language.world import World
from properties.worlds.catalogue import OTHER_WORLDS
from tests.structures import name_of


def read(world: World) -> str:
    """The text of the chapter."""
    return world.chapter_path.read_text(encoding="utf-8")


@pytest.mark.parametrize("world", OTHER_WORLDS, ids=name_of)
def test_every_rule_and_lemma_is_told(world: World) -> None:
    """With its name, and its conditions."""
    for name, rule in world.rules.items():
        section = read(world).partition(f"### `{name}`\n")[2].partition("\n### ")[0]
        conditions, _ = world_page.list_conditions(world, rule)
        assert all(f"`{condition}`" in section for condition in conditions)
    for name, lemma in world.lemmas.items():
        section = read(world).partition(f"### `{name}`\n\n> ")[2].partition("\n### ")[0]
        assert f"\n\nDemanded by: {lemma.why}\n" in section
