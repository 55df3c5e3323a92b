"""The generated parts of ``spec/implementers.md``: the slices, and the effects of mistakes.

The output of the checker in it is written by ``command_line.answers.shown_outputs``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from textwrap import TextWrapper

from book.implementers.implementers import (
    JUDGED,
    POINTS,
    SLICES,
    Mistake,
    Point,
    list_first_judges,
    list_judges,
    list_noticing,
)
from book.links import link_claim, link_rule, link_variant
from properties.generated_text import SPEC, count_steps, render_table
from properties.vectors.schedules import get_file_name
from properties.worlds.replication.world import LEMMAS
from reference.worlds.replication.changes import VARIANTS
from reference.worlds.replication.rules import RULES

CHAPTER = SPEC / "implementers.md"

ITEM = TextWrapper(
    100, initial_indent="- ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
)
"""A line of a list, wrapped as the rest of the text is."""


def render_slices() -> str:
    """A row for each slice: its rules, the vectors that come with it, recordings that need it."""
    rows = []
    for position, each in enumerate(SLICES):
        judges = list_first_judges(position)
        valid = sum(judge.is_valid for judge in judges)
        recordings = [f"`{name}`" for name in each.recordings]
        names = ", ".join(link_rule(RULES[rule]) for rule in each.rules)
        rows.append(
            (position + 1, each.title, names, valid, len(judges) - valid, ", ".join(recordings))
        )
    head = ("", "Slice", "Rules", "vectors", "refused", "recordings")
    return render_table(head, rows)


def render_counts() -> str:
    """How many vectors judge, and of how many files."""
    return (
        f"Counted are {len(list_judges())} vectors of {len(JUDGED)} files, those of groups without "
        "a slave and with one."
    )


def render_point(point: Point) -> str:
    """The rules of a point with their sources, and the checks that detect the mistake."""
    sources = dict.fromkeys(RULES[rule].source for rule in point.rules)
    lines = (
        f"Rules: {', '.join(link_rule(RULES[rule]) for rule in point.rules)}",
        f"Source: {'; '.join(sources)}",
        f"A broker that {point.mistake.text}: {describe_vectors(point.mistake)}",
        *list_witnesses(point.mistake),
    )
    return "\n".join(map(ITEM.fill, lines))


def describe_vectors(mistake: Mistake) -> str:
    """The number of vectors that change, and the shortest of them."""
    noticing = list_noticing(mistake)
    if not noticing:
        return "it changes no vector."
    first = min(noticing, key=lambda judge: len(judge.schedule))
    return (
        f"it changes {len(noticing)} vectors, the first after "
        f"{count_steps(len(first.schedule))}: *{first.name}* in "
        f"`{get_file_name(first.structure)}`."
    )


def list_witnesses(mistake: Mistake) -> list[str]:
    """The other checks that detect the mistake, according to the judges of mutants."""
    if mistake.variant:
        variant = VARIANTS[mistake.variant]
        return [f"As the variant {link_variant(variant.name)} does: {variant.comes_from}"]
    found = []
    if mistake.lemma:
        kind = "Lemma" if mistake.lemma in LEMMAS else "Sanity check"
        found.append(f"{kind} that it breaks: {link_claim(mistake.lemma)}")
    if mistake.refused_by:
        place = f"`{mistake.refused_by}` at seq {mistake.refused_seq}"
        found.append(f"Recording that refuses it: {place}")
    return found


PARTS: Mapping[str, Callable[[], str]] = {
    "slices": render_slices,
    "counts": render_counts,
    **{f"point {point.name}": partial(render_point, point) for point in POINTS},
}
"""The generated parts of the chapter, by their marker; the checker's output is not among them."""
