"""A code that is no failure of a group: why, what replaced it, and which change brings it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from command_line.answers.story.unmet import tell_unmet
from command_line.output.width import get_prose_width, wrap, wrap_command
from properties.scenarios.summary.actions import SwitchedGroup
from properties.scenarios.summary.answer import Failure, Row
from properties.scenarios.summary.rows import EVERYTHING_OPEN, judge_row, list_cells
from properties.scenarios.summary.rows import is_open as is_undecided
from properties.scenarios.summary.what_if import say_command
from properties.scenarios.summary.words import FailureKind, Grade, RowWords, load_words
from properties.verdicts.analysis import Analysis
from properties.verdicts.verdict import Verdict


@frozen
class AbsentCode:
    """A code without a failure of its own in a group."""

    code: str
    row: RowWords
    fault: str
    sources: tuple[Analysis, ...]
    judged: Row
    """Its row in the group."""
    cells: Sequence[Verdict]
    """The verdicts under its fault model that are not vacuous."""
    alternatives: tuple[SwitchedGroup, ...]
    words: tuple[str, ...]
    """Paths and options that name the group."""

    @property
    def is_unfailed(self) -> bool:
        """Its number stands for no failure at all."""
        return load_words().fault_models[self.fault].kind is FailureKind.UNFAILED

    @property
    def meaning(self) -> str:
        """What its number stands for."""
        return load_words().numbered[int(self.code[1:])]


def tell_absent(absent: AbsentCode) -> Iterator[str]:
    """Why the code is no failure here, and where it is one."""
    width = get_prose_width()
    for text in (say_why(absent), say_replaced(absent)):
        yield from wrap(text, width, "  ", "    ") if text else ()
    yield from (f"  {line}" for line in tell_unmet(absent.cells))
    for text, command in list_brought(absent):
        yield from wrap(text, width, "  ", "    ")
        yield from wrap_command(command, "    ")


def say_why(absent: AbsentCode) -> str:
    """Why it is no failure here."""
    row = absent.judged
    is_open = any(map(is_undecided, absent.cells)) or EVERYTHING_OPEN in row.open_under
    if is_open and row.grade is not Grade.NOT_PROMISED and absent.code[1:] != "0":
        return f"No answer here: {row.note}." if row.note else say_undecided(absent)
    reasons = {
        row.note: row.grade is Grade.NOT_PROMISED,
        "a failure without any fault has the number of its cause": absent.code[1:] == "0",
        f"no claim of this row is judged under {absent.meaning}": absent.fault
        not in list_judged_fault_models(absent),
        f"{absent.meaning} breaks nothing of this row": absent.is_unfailed,
        "there is nothing that it could break": not absent.cells,
    }
    found = (reason for reason, is_so in reasons.items() if is_so)
    reason = next(found, "")
    return f"It is no failure here: {reason}." if reason else "It does not fail here: proved."


def say_undecided(absent: AbsentCode) -> str:
    """That a claim is neither proved nor refuted here, with the reasons that its verdicts give."""
    opened = [v for v in absent.cells if is_undecided(v)]
    claims = ", ".join(dict.fromkeys(v.guarantee for v in opened))
    notes = "; ".join(dict.fromkeys(v.note for v in opened if v.note and not v.assumption))
    return (
        f"It is not decided here{f' ({claims})' if claims else ''}{f': {notes}' if notes else ''}."
    )


def list_judged_fault_models(absent: AbsentCode) -> frozenset[str]:
    """The fault models under which claims of the row are judged in the group."""
    structures = {s.name: s for s, _ in list_cells(absent.row, absent.sources)}
    return frozenset(c.name for s in structures.values() for c in s.world.fault_models)


def say_replaced(absent: AbsentCode) -> str:
    """The codes of this row for what happens here without a failure."""
    found = [f for f in absent.judged.failures if f.kind is FailureKind.UNFAILED]
    if not absent.is_unfailed or absent.judged.note:
        return ""
    if not found:
        return "Without a failure nothing of this row breaks here."
    told = ", ".join(f"{failure.code} ({failure.words})" for failure in found)
    return f"Without a failure this row breaks here as {told}."


def list_brought(absent: AbsentCode) -> Iterator[tuple[str, str]]:
    """Each change that brings the code, or another one of this kind, with a command to see it."""
    for other in absent.alternatives:
        for failure in find_brought(absent, other):
            text = f"{other.switch.text}: that brings {failure.code} ({failure.words})."
            verb = ("explain", failure.code)
            yield text, say_command(verb, absent.words, other.switch.text)


def find_brought(absent: AbsentCode, other: SwitchedGroup) -> Iterator[Failure]:
    """The failures of the row in a changed group that the code stands for."""
    here = {failure.code for failure in absent.judged.failures}
    for failure in judge_row(absent.row, other.log, other.sources).failures:
        is_meant = failure.code == absent.code
        is_unfailed = absent.code[1:] == "0" and failure.kind is FailureKind.UNFAILED
        if (is_meant or is_unfailed) and failure.code not in here:
            yield failure
