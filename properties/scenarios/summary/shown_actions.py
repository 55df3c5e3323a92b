"""The actions that are shown: few, the worst failure first, and what helps whatever the slaves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from attrs import evolve

from properties.scenarios.summary.answer import OperatorAction, Row, Summary
from properties.scenarios.summary.words import Grade

ACTIONS_MAX = 5
"""The maximal number of actions that are shown."""

CODES_MAX = 4
"""The maximal number of codes that one of them names, and of those that it brings."""

Rank: TypeAlias = tuple[bool, int, int]


def choose_shown(answers: Sequence[Summary]) -> tuple[OperatorAction, ...]:
    """At most five actions for a group; where its slaves are unknown those that help either way.

    None of them does only what earlier ones do. Where any action helps against the first failure of
    a row, one that does is among them, the gravest rows first.
    """
    firsts = [row.failures[0].code for answer in answers for row in answer.rows if row.failures]
    telling = list(keep_telling(list_all(answers)))
    needed: list[OperatorAction] = []
    for code in firsts:
        if not any(code in action.codes for action in needed):
            needed += [action for action in telling if code in action.codes][:1]
    chosen = [*needed, *(action for action in telling if action not in needed)][:ACTIONS_MAX]
    return tuple(action for action in telling if action in chosen)


def list_all(answers: Sequence[Summary]) -> tuple[OperatorAction, ...]:
    """Every action for a group, the one against the gravest failure first."""
    first, *others = answers
    found: Iterable[OperatorAction] = first.actions
    for other in others:
        found = list_common(found, other)
    ranks = [rank_codes(answer.rows) for answer in answers]
    return tuple(sorted(found, key=lambda action: list_ranks(action, ranks)[:1]))


def list_common(actions: Iterable[OperatorAction], other: Summary) -> Iterator[OperatorAction]:
    """Those of the actions that another answer has as well, and what they do in both."""
    known = {action.text: action for action in other.actions}
    for action in actions:
        same = known.get(action.text)
        if same is None:
            continue
        codes = tuple(code for code in action.codes if code in same.codes)
        if codes or not action.codes:
            yield evolve(
                action,
                codes=codes,
                eases=tuple(c for c in codes if c in action.eases or c in same.eases),
                brings=tuple(dict.fromkeys((*action.brings, *same.brings))),
                worsens=tuple(dict.fromkeys((*action.worsens, *same.worsens))),
                voids=tuple(dict.fromkeys((*action.voids, *same.voids))),
            )


def list_ranks(action: OperatorAction, ranks: Iterable[Mapping[str, Rank]]) -> list[Rank]:
    """The ranks of the failures that an action is against, the gravest first."""
    return sorted(rank[code] for rank in ranks for code in action.codes[:1] if code in rank)


def rank_codes(rows: Iterable[Row]) -> dict[str, Rank]:
    """The rank of a failure: losses first, then by row, then by its place there."""
    return {
        failure.code: (failure.grade is not Grade.LOSS, number, place)
        for number, row in enumerate(rows)
        for place, failure in enumerate(row.failures)
    }


def keep_telling(actions: Iterable[OperatorAction]) -> Iterator[OperatorAction]:
    """The actions that prevent or repair a failure that no earlier action does."""
    answered: dict[bool, set[str]] = {False: set(), True: set()}
    for action in actions:
        if not action.codes or not answered[action.is_repair].issuperset(action.codes):
            answered[action.is_repair] |= set(action.codes)
            yield action
