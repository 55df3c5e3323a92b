"""The generated tables of ``spec/progress.md``, rendered from the functions and the searches.

``rmqspec docs --write spec/progress.md`` writes them anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from attrs import evolve

from book.usage.reading_page import get_sentence
from properties.generated_text import SPEC, Page, render_table
from properties.scenarios.progress_search import (
    Explored,
    Limits,
    ProgressSituation,
    explore,
    is_message_repeated,
    is_message_skipped,
    is_returned_master_behind,
    is_skipped_after_commit,
    is_slave_set_back,
    is_takeover_behind,
)
from reference.decisions.progress.client_offsets import BEGINNINGS, ConsumeFromWhere
from reference.decisions.progress.config_file import (
    Files,
    Loaded,
    list_loadable_after_kill,
    list_loadable_after_power_loss,
    persist,
)
from reference.decisions.progress.offset_table import ANSWERS

ENOUGH = 40
"""More steps than any sequence has that leads to something new."""

YOUNG = Limits(steps=ENOUGH)
KEPT = evolve(YOUNG, is_consumer_replaced=False)
OLD = evolve(YOUNG, is_queue_young=False)
FIRST = evolve(OLD, strategy=ConsumeFromWhere.FIRST_OFFSET)

SEARCHES: tuple[tuple[str, Callable[[ProgressSituation], bool], Limits], ...] = (
    ("young queue", is_message_skipped, YOUNG),
    ("young queue", is_message_skipped, evolve(YOUNG, faults=2)),
    ("old queue, first offset", is_message_skipped, evolve(FIRST, faults=2)),
    ("old queue, last offset", is_message_skipped, evolve(OLD, faults=0)),
    ("old queue, last offset", is_skipped_after_commit, evolve(OLD, faults=0)),
    ("old queue, last offset", is_skipped_after_commit, OLD),
    ("young queue", is_takeover_behind, evolve(YOUNG, faults=0)),
    ("young queue", is_takeover_behind, YOUNG),
    ("young queue", is_returned_master_behind, evolve(YOUNG, faults=0)),
    ("young queue", is_returned_master_behind, YOUNG),
    ("young queue", is_slave_set_back, evolve(YOUNG, faults=0)),
    ("young queue", is_slave_set_back, YOUNG),
    ("young queue", is_message_repeated, evolve(YOUNG, faults=0)),
    ("young queue, one consumer to the end", is_message_repeated, evolve(KEPT, faults=2)),
)
"""The group, the situation searched for, and the limits."""

REMEDIES: Mapping[str, Limits] = {
    "4.4.0": YOUNG,
    "a copy keeps the larger": evolve(YOUNG, is_larger_kept=True),
    "a returning master takes over": evolve(YOUNG, is_brought_back=True),
    "both": evolve(YOUNG, is_larger_kept=True, is_brought_back=True),
}
"""The remedies that users request (issue 1094), and the limits of the search."""


def render_queries() -> str:
    """What decides the answer to a query, in the order of the code."""
    answers = ("the stored offset", "0", "`QUERY_NOT_FOUND`")
    pairs = zip(ANSWERS, answers, strict=True)
    rows = [(f"`{c.__name__}`", get_sentence(c), answer) for (c, _), answer in pairs]
    return render_table(("Condition", "Meaning", "Answer"), rows)


def render_beginnings() -> str:
    """What decides where a consumer begins, in the order of the code."""
    offsets = (
        "the stored offset",
        "nowhere: the queue is taken later",
        "0",
        "0",
        "the end, queried from the master",
        "the first message of that time, queried from the master",
    )
    pairs = zip(BEGINNINGS, offsets, strict=True)
    rows = [(f"`{c.__name__}`", get_sentence(c), offset) for (c, _), offset in pairs]
    return render_table(("Condition", "Meaning", "Reading begins at"), rows)


def render_files() -> str:
    """What a start may read after the third table was being written over the second."""
    second = persist(persist(Files(), "first"), "second")
    third = persist(second, "third")
    rows = [
        ("a kill", describe_all(list_loadable_after_kill(second, "third"))),
        ("a power loss", describe_all(list_loadable_after_power_loss([second, third]))),
    ]
    return render_table(("After", "a start reads"), rows)


def describe_all(loaded: Iterable[Loaded]) -> str:
    """Everything that a start may read, in words."""
    return ", ".join(sorted(map(describe, loaded)))


def describe(loaded: Loaded) -> str:
    """What a start reads, in words."""
    if not loaded.is_broker_started:
        return "the broker does not start"
    return f"the {loaded.text} table" if loaded.text else "an empty table"


def render_searches() -> str:
    """The situations searched for, and the shortest run to each."""
    rows = []
    for group, wanted, limits in SEARCHES:
        explored = explore(limits, wanted)
        name = f"`{wanted.__name__}`"
        kills = limits.faults
        rows.append((name, group, kills, explored.situations, describe_search(explored)))
    return render_table(("Situation", "Group", "kills", "situations visited", "shortest run"), rows)


def describe_search(explored: Explored) -> str:
    """The run that was found, or a note that there is none."""
    if explored.found is not None:
        return ", ".join(f"`{step}`" for step in explored.found)
    return "never" if explored.is_complete else "not within these steps"


def render_remedies() -> str:
    """The shortest runs in which progress moves back, with each remedy."""
    rows = [
        (f"`{wanted.__name__}`", remedy, describe_search(explore(limits, wanted)))
        for wanted in (is_takeover_behind, is_returned_master_behind, is_slave_set_back)
        for remedy, limits in REMEDIES.items()
    ]
    return render_table(("Situation", "With", "shortest run"), rows)


PAGE = Page(
    SPEC / "progress.md",
    {
        "queries": render_queries,
        "beginnings": render_beginnings,
        "files": render_files,
        "searches": render_searches,
        "remedies": render_remedies,
    },
)
"""The chapter."""
