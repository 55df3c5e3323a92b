"""Links of the book to the sections of claims, lemmas, rules and variants.

``up`` is the way from the text that has the link to ``spec/``, for example ``../``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from properties.comparison.upgrades import COMPARED_VARIANTS, CONTROLLER_REPAIRS
from properties.worlds.catalogue import OTHER_WORLDS
from properties.worlds.reading.world import READING
from properties.worlds.replication.world import CLAIMS, LEMMAS, SANITY_CHECKS
from properties.worlds.system.world import SYSTEM
from reference.language.rule import Rule

CITATION = re.compile(r"(\w+) seq (\d+) \((\w+)\)")
"""A line of a recording: its name, its number, its kind of event."""

_CHAPTERS: Mapping[str, str] = {
    **dict.fromkeys((*CLAIMS, *SANITY_CHECKS), "guarantees.md"),
    **dict.fromkeys(LEMMAS, "lemmas.md"),
    **{name: w.chapter for w in (*OTHER_WORLDS, SYSTEM) for name in w.claims},
}


def find_chapter(claim: str) -> str:
    """The chapter with the section of a claim; of replication also of a lemma or sanity check.

    Raises KeyError for any other name.
    """
    return _CHAPTERS[claim]


def link_claim(name: str, up: str = "") -> str:
    """A claim, lemma or sanity check as code, leading to its section. Raises KeyError."""
    return f"[`{name}`]({up}{find_chapter(name)}#{name})"


def link_rule(rule: Rule, up: str = "") -> str:
    """A rule's name as code, leading to its section."""
    return f"[`{rule.name}`]({up}{find_topic(rule)}.md#{rule.name})"


def find_topic(rule: Rule) -> str:
    """The chapter of a rule, without its ending; for a lifted one, that of its part."""
    for world in OTHER_WORLDS:
        if world.rules.get(rule.name) is rule:
            return world.topic
    own = READING.rules.get(rule.name)
    return READING.topic if own is not None and own.topic == rule.topic else rule.topic


def link_variant(name: str, up: str = "") -> str:
    """A variant as code, leading to its section; to the releases where it is theirs only."""
    return f"[`{name}`]({up}{find_variant_place(name)})"


def find_variant_place(name: str) -> str:
    """The chapter of a variant, with its section where it has one of its own."""
    has_section = name in COMPARED_VARIANTS or name in CONTROLLER_REPAIRS
    return f"variants.md#{name}" if has_section else "versions.md"


def link_finding(identifier: str, up: str = "") -> str:
    """A finding's identifier, leading to its section."""
    return f"[{identifier}]({up}disputed.md#{identifier.lower()})"


def write_citation(line: str) -> str:
    """A line of a recording, ``name seq 5 (put)``, with its parts as code; all else as it is."""
    return CITATION.sub(r"`\1` seq \2 (`\3`)", line)


def read_title(path: Path) -> str:
    """The first heading of a text."""
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
