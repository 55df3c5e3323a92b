"""Content of a short answer in any format: groups, changes, warnings, what to type next."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence

from attrs import frozen

from command_line.answers.short.groups import ShortAnswer, say_slaves
from properties.scenarios.summary.answer import Action, Row, Summary
from properties.scenarios.summary.words import load_words
from reference.checkout import name_page
from reference.configuration.broker_group import ConfigurationWarning
from reference.releases.versions import USUAL_VERSION, Version

KEPT = "Proved to hold after these failures, if nothing else fails:"
"""What is said above the claims that hold."""

UNFAILED = "only while nothing fails"


@frozen
class Shown:
    """All that is shown."""

    answers: tuple[ShortAnswer, ...]
    before: tuple[ShortAnswer, ...]
    """The answers without the requested changes; empty if there are none."""
    warnings: tuple[ConfigurationWarning, ...]
    version: Version
    words: tuple[str, ...]
    """Paths and options by which another verb is asked about the same groups."""

    @property
    def release_note(self) -> str:
        """A note on answers about another release; empty for 4.4.0."""
        if self.version == USUAL_VERSION:
            return ""
        source = "" if self.version.is_recorded else " Brokers are judged by its source alone."
        return (
            f"Consumers are judged as in {USUAL_VERSION.release}; "
            f"{name_page('versions.md')} lists what {self.version.name} changes.{source}"
        )

    @property
    def asked(self) -> str:
        """These words as a shell takes them, with a blank before."""
        return f" {shlex.join(self.words)}" if self.words else ""

    def list_changes(self) -> Iterator[str]:
        """What the changes end and bring, a line for each group that they change."""
        for old, new in zip(self.before, self.answers, strict=False):
            for one, other in zip(old.summaries, new.summaries, strict=False):
                ends, brings = compare_rows(one.rows, other.rows)
                parts = [("ends", ends), ("brings", brings)]
                told = "; ".join(f"{verb} {', '.join(codes)}" for verb, codes in parts if codes)
                yield f"The change {told or 'changes no line'}, for {new.names}."


def compare_rows(
    before: tuple[Row, ...], after: tuple[Row, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The failures that are gone, of those that were shown, and the new ones that are shown.

    A row that is not decided on one side is left out.
    """
    pairs = [
        (one, other)
        for one, other in zip(before, after, strict=False)
        if not one.open_under and not other.open_under
    ]
    ends = (f.code for one, other in pairs for f in one.failures if f.code not in other.fallen)
    brings = (f.code for one, other in pairs for f in other.failures if f.code not in one.fallen)
    return tuple(ends), tuple(brings)


def list_holding(summaries: Sequence[Summary]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """For each row the gravest claim that holds, and after which failures: whatever the slaves."""
    for rows in zip(*(summary.rows for summary in summaries), strict=True):
        for first in rows[0].kept:
            same = [kept for row in rows for kept in row.kept if kept.claim == first.claim]
            codes = [c for c in first.codes if all(c in kept.codes for kept in same)]
            if len(same) == len(rows) and codes:
                yield first.words, name_failures(codes)
                break


def name_failures(codes: Iterable[str]) -> tuple[str, ...]:
    """The fault classes of codes, as ``--require`` takes them; or that there is none."""
    names = {str(c.number): c.name for c in load_words().columns.values()}
    found = [names[code[1:]] for code in codes]
    told = tuple(name for name in found if name != "none")
    return told or (UNFAILED,)


def say_action(action: Action) -> str:
    """What to do, and which failures that answers."""
    if not action.codes or action.is_repair:
        return f"{action.text}."
    if not action.is_switch:
        return f"{action.text} ({', '.join(action.codes)})."
    ends = [code for code in action.codes if code not in action.eases]
    parts = (("ends", ends), ("eases", action.eases), ("brings", action.brings))
    told = "; ".join(f"{verb} {', '.join(codes)}" for verb, codes in parts if codes)
    return f"{action.text}: {told}."


def say_open(row: Row) -> str:
    """The fault models under which something is not decided."""
    first, *others = row.open_under
    return first + (f" and {len(others)} more" if others else "")


def list_unknown(answer: ShortAnswer) -> Iterator[str]:
    """What is not decided, disputed, or rests on reading alone; a sentence each.

    A row that says itself that nothing is decided is left out.
    """
    for summary in answer.summaries:
        where = f"With {say_slaves(summary.slaves)}: " if answer.is_side_by_side else ""
        rows = [row for row in summary.rows if row.open_under and not row.note]
        if rows:
            told = ", ".join(f"{row.title.lower()} ({say_open(row)})" for row in rows)
            yield f"{where}Not decided: {told}."
        disputed = [f"{r.letter} ({', '.join(r.disputed)})" for r in summary.rows if r.disputed]
        if disputed:
            yield f"{where}Disputed by real brokers: {', '.join(disputed)}."
        if summary.resting:
            rest = "proof relies" if summary.resting == 1 else "proofs rely"
            source = "RocketMQ's source alone, not on a recorded run"
            yield f"{where}{summary.resting} {rest} on {source}."
