"""What a change of a group does to its failures: one comparison for actions and for what-ifs.

A code that is not decided on the side that matters is left out: it is neither ended nor brought.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from properties.scenarios.summary.answer import Row
from properties.scenarios.summary.words import Grade, load_words

EVERYTHING = "every fault model"
"""Represents all fault models, if nothing about a row is decided."""


@frozen
class Effects:
    """Codes, each row by row, the gravest failure first."""

    ends: tuple[str, ...] = ()
    """Shown before; afterwards their failures break nothing in the row."""
    eases: tuple[str, ...] = ()
    """Shown before; afterwards their failures break fewer claims of the row, or need more steps."""
    brings: tuple[str, ...] = ()
    """Shown afterwards; before, their failures broke nothing in the row."""
    worsens: tuple[str, ...] = ()
    """Shown afterwards; their failures broke fewer of the row's claims before."""
    voids: tuple[str, ...] = ()
    """The letters of rows in which nothing is promised any more."""


def compare(before: Sequence[Row], after: Sequence[Row]) -> Effects:
    """What the rows of a changed group say that those of the group do not, and the other way."""
    pairs = list(zip(before, after, strict=True))
    kept = [(old, new) for old, new in pairs if is_promised(new)]
    told = [(old, new, f.code) for old, new in kept for f in old.failures]
    left = [(old, new, code) for old, new, code in told if not is_open(new, code)]
    shown = [(old, f.code) for old, new in kept for f in new.failures]
    return Effects(
        ends=tuple(code for _, new, code in left if code not in new.fallen),
        eases=tuple(
            code
            for old, new, code in left
            if code in new.fallen and count_claims(new, code) < count_claims(old, code)
        ),
        brings=tuple(c for old, c in shown if c not in old.fallen and not is_open(old, c)),
        worsens=tuple(
            code
            for old, new, code in ((old, new, f.code) for old, new in kept for f in new.failures)
            if code in old.fallen and not (is_open(old, code) or is_open(new, code))
            if count_claims(old, code) < count_claims(new, code)
        ),
        voids=tuple(old.letter for old, new in pairs if is_promised(old) and not is_promised(new)),
    )


def is_better(before: Sequence[Row], after: Sequence[Row]) -> bool:
    """Fewer common failures break the gravest claim that differs, of rows that promise anything."""
    counts = [
        (len(then), len(now))
        for old, new in zip(before, after, strict=True)
        if is_promised(old) and is_promised(new)
        for now, then in list_decided(old, new)
    ]
    return [then for then, _ in counts] < [now for _, now in counts]


def list_decided(old: Row, new: Row) -> Iterator[tuple[list[str], list[str]]]:
    """For each claim of a row the failures that break it before, and after, where both are known.

    A side without any verdict on a claim says nothing of it.
    """
    now, then = ({each.claim: each.codes for each in row.broken} for row in (old, new))
    for claim in (claim for claim in now if claim in then):
        sides = (now[claim], then[claim])
        one, other = ([c for c in s if not (is_open(old, c) or is_open(new, c))] for s in sides)
        yield one, other


def is_promised(row: Row) -> bool:
    """Something is promised in the row."""
    return row.grade is not Grade.NOT_PROMISED


def is_open(row: Row, code: str) -> bool:
    """It is not decided whether the failure of a code breaks each claim of the row."""
    if EVERYTHING in row.open_under:
        return True
    fault_models = load_words().fault_models.values()
    is_of_one = int(code[1:]) in {each.number for each in fault_models}
    # What happens without a failure, or under the class of all faults alone, has another number.
    doubtful = [code] if is_of_one else [f"{code[0]}{n}" for n in (0, EVERY_FAULT)]
    return any(each in row.open_codes for each in doubtful)


EVERY_FAULT = next(c.number for c in load_words().fault_models.values() if c.name == "every fault")


def count_claims(row: Row, code: str) -> int:
    """The number of the row's claims that the failure of a code breaks, if it is a common one."""
    return sum(code in each.codes for each in row.broken)
