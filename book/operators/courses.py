"""What each course keeps after each outage: proved or refuted, by what had happened before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product

from properties.generated_text import render_table
from properties.scenarios.courses.certificates import GROUPS, load_courses
from properties.scenarios.courses.courses import COURSES, OUTAGES, CourseClaim, OutageCourse
from properties.scenarios.courses.refutations import Key
from properties.scenarios.courses.verdicts import CourseVerdicts
from properties.verdicts.verdict import VerdictWord
from properties.worlds.replication.fault_models import FAULT_MODELS
from properties.worlds.replication.world import ClaimedGroup

Words = tuple[VerdictWord, ...]
"""A verdict for each fault model, in their order."""

HEAD = ("Course", "Asked", "Pair", *(outage.words for outage in OUTAGES))
BEFORE_HEAD = (
    "Letter",
    "Proved if nothing else happened before than",
    "Refuted after",
    "Refuted or open after",
)


@cache
def load_words() -> Mapping[tuple[str, Key], Words]:
    """The verdicts of every group and every case."""
    return {
        (group.name, each.case.key): list_words(each)
        for group in GROUPS
        for each in load_courses(group)
    }


def list_words(verdicts: CourseVerdicts) -> Words:
    """The verdict for each fault model."""
    return tuple(verdicts.get_word(frozenset(each.admitted)) for each in FAULT_MODELS)


def is_proved(words: Words) -> tuple[bool, ...]:
    """Where it is proved."""
    return tuple(word is VerdictWord.PROVED for word in words)


@cache
def name_mixed() -> Mapping[tuple[bool, ...], str]:
    """A letter for each way to be proved in some columns and not in others."""
    proved = dict.fromkeys(is_proved(load_words()[name]) for name in list_names())
    mixed = [each for each in proved if any(each) and not all(each)]
    return {each: f"`{chr(ord('a') + number)}`" for number, each in enumerate(mixed)}


def list_names() -> Iterator[tuple[str, Key]]:
    """Every cell, in the order of the table."""
    for course in COURSES:
        for question, group, outage in product(course.questions, GROUPS, OUTAGES):
            name = (group.name, (outage.key, course.key, question.key))
            if name in load_words():
                yield name


def say_words(words: Words) -> str:
    """``yes`` after anything, ``no`` after nothing else already, or a letter."""
    if all(is_proved(words)):
        return "yes"
    if any(is_proved(words)):
        return name_mixed()[is_proved(words)]
    return "**no**" if words[0] is VerdictWord.REFUTED else "open"


def render_courses() -> str:
    """The table: a row for each course and question, equal rows of pairs in one."""
    rows = [
        row
        for course in COURSES
        for question in course.questions
        for row in list_rows(course, question)
    ]
    return render_table(HEAD, rows)


def list_rows(course: OutageCourse, question: CourseClaim) -> Iterator[tuple[str, ...]]:
    """The rows of one question; pairs with equal cells are one row."""
    by_cells: dict[tuple[str, ...], list[ClaimedGroup]] = {}
    for group in GROUPS:
        keys = [(group.name, (o.key, course.key, question.key)) for o in OUTAGES]
        cells = tuple(say_words(load_words()[k]) if k in load_words() else "-" for k in keys)
        by_cells.setdefault(cells, []).append(group)
    for cells, groups in by_cells.items():
        yield (course.words, question.words, name_groups(groups), *cells)


def name_groups(groups: list[ClaimedGroup]) -> str:
    """The pairs by role and flush; ``each`` for all of them."""
    if len(groups) == len(GROUPS):
        return "each"
    roles = {group.role for group in groups}
    if len(groups) * 2 == len(GROUPS) and len(roles) == 1:
        return f"`{groups[0].role.name}`"
    return "; ".join(f"`{g.role.name}`, `{g.flush_disk_type.name}`" for g in groups)


def render_befores() -> str:
    """What the letters mean."""
    return render_table(BEFORE_HEAD, list_befores())


def list_befores() -> Iterator[tuple[str, ...]]:
    """A row for each letter."""
    for proved, letter in name_mixed().items():
        known = [words for words in load_words().values() if is_proved(words) == proved]
        refuted = [all(w[n] is VerdictWord.REFUTED for w in known) for n in range(len(proved))]
        rest = [not (p or r) for p, r in zip(proved, refuted, strict=True)]
        yield (letter, *(name_models(chosen) for chosen in (proved, refuted, rest)))


def name_models(chosen: list[bool] | tuple[bool, ...]) -> str:
    """The names of these fault models; a dash for none."""
    names = [m.name for m, is_in in zip(FAULT_MODELS, chosen, strict=True) if is_in]
    return ", ".join(names) or "-"


def render_count() -> str:
    """One sentence: how many cells there are, and what is known of them."""
    counts = Counter(word for words in load_words().values() for word in words)
    proved, refuted, left = (
        f"{counts[word]:,} {told}"
        for word, told in (
            (VerdictWord.PROVED, "proved"),
            (VerdictWord.REFUTED, "refuted"),
            (VerdictWord.UNDECIDED, "open"),
        )
    )
    questions = sum(len(course.questions) for course in COURSES)
    return (
        f"{len(GROUPS)} pairs, {len(OUTAGES)} outages, {len(COURSES)} courses with {questions} "
        f"questions and {len(FAULT_MODELS)} fault models: {counts.total():,} cells, of which "
        f"{proved}, {refuted}, {left}."
    )
