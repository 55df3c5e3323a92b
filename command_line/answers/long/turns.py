"""What another setting changes in the tables of the log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import frozen

from properties.verdicts.analysis import Analysis
from properties.verdicts.verdict import Verdict


@frozen
class ChangedGuarantee:
    """A guarantee whose verdict changes under some fault models."""

    guarantee: str
    before: str
    """A verdict's word."""
    after: str
    faults: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.guarantee}: {self.before} -> {self.after} under {', '.join(self.faults)}"


def list_turns(before: Analysis, after: Analysis) -> Iterator[ChangedGuarantee]:
    """Every change of a verdict's word; another number of steps does not count."""
    turned: dict[tuple[str, str, str], list[str]] = {}
    known = {(v.guarantee, v.fault): name_word(v) for v in before.verdicts}
    for verdict in after.verdicts:
        was, word = known.get((verdict.guarantee, verdict.fault)), name_word(verdict)
        if was is not None and was != word:
            turned.setdefault((verdict.guarantee, was, word), []).append(verdict.fault)
    for (guarantee, was, word), faults in turned.items():
        yield ChangedGuarantee(guarantee, was, word, tuple(faults))


def name_word(verdict: Verdict) -> str:
    """The word of a verdict, marked if it is vacuous."""
    if verdict.disputed:
        return verdict.dispute
    return verdict.word.value + (" (vacuous)" if verdict.is_vacuous else "")


def tell_changes(what: str, pairs: Iterable[tuple[Analysis, Analysis]]) -> Iterator[str]:
    """The lines about what another setting changes, for groups before and after."""
    turns = list(dict.fromkeys(t for before, after in pairs for t in list_turns(before, after)))
    if not turns:
        yield f"What {what} changes in the tables of the log: no verdict."
        return
    yield f"What {what} changes in the tables of the log:"
    yield from (f"  {turn}" for turn in turns)
