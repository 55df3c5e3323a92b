"""Content of a short answer in any format: groups, changes, warnings, what to type next."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from attrs import frozen

from command_line.answers.short.groups import ShortAnswer, say_slaves
from properties.checkout import PROGRAM, name_page
from properties.scenarios.beginning import ASSUMED
from properties.scenarios.summary.answer import OperatorAction, Row, Summary
from properties.scenarios.summary.effects import Effects, compare
from properties.scenarios.summary.shown_actions import CODES_MAX, choose_shown, list_all
from properties.scenarios.summary.words import load_words
from reference.configuration.broker_group import ConfigurationWarning
from reference.releases.versions import USUAL_VERSION, Version

KEPT = "Proved to hold after these failures, if nothing else fails:"
"""What is said above the claims that hold."""

UNFAILED = "only while nothing fails"


@frozen
class ShownAnswers:
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
            f"Clients are those of {USUAL_VERSION.release}; "
            f"{name_page('versions.md')} lists what {self.version.name} changes.{source}"
        )

    @property
    def asked(self) -> str:
        """These words as a shell takes them, with a blank before."""
        return f" {shlex.join(self.words)}" if self.words else ""

    def list_changes(self) -> Iterator[str]:
        """What the changes end, ease and bring, a line for each group that they change.

        Where the number of slaves is unknown, what each number has in common is said once.
        """
        for old, new in zip(self.before, self.answers, strict=False):
            pairs = list(zip(old.summaries, new.summaries, strict=False))
            told = [say_change(one, other) for one, other in pairs]
            if len(set(told)) == 1:
                yield f"The change {told[0]}, for {new.title}."
                continue
            for (_, other), change in zip(pairs, told, strict=True):
                yield f"The change {change}, for {new.title} with {say_slaves(other.slaves)}."


def say_change(before: Summary, after: Summary) -> str:
    """What a change does to the answer about a group, which one side may not have."""
    if before.outside and after.outside:
        return "leaves the group outside the model"
    if before.outside or after.outside:
        return f"takes the group {'out of' if after.outside else 'into'} the model"
    effects = say_effects(compare(before.rows, after.rows), most=None)
    left_open = say_left_open(before.rows, after.rows)
    return "; ".join(filter(None, (effects, left_open))) or "changes no line"


def say_left_open(before: Sequence[Row], after: Sequence[Row]) -> str:
    """The rows in which a change leaves proofs without an assumption that they need; or empty."""
    rows = zip(before, after, strict=True)
    opened = [f'"{new.title}"' for old, new in rows if not set(new.unmet) <= set(old.unmet)]
    return f"leaves proofs open in {', '.join(opened)}" if opened else ""


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
    """The fault models of codes, as ``--require`` takes them; or that there is none."""
    names = {str(c.number): c.name for c in load_words().fault_models.values()}
    found = [names[code[1:]] for code in codes]
    told = tuple(name for name in found if name != "none")
    return told or (UNFAILED,)


def say_action(action: OperatorAction, most: int | None = CODES_MAX) -> str:
    """What to do, and which failures that answers: at most so many codes of each kind."""
    if not action.codes or action.is_repair:
        return f"{action.text}."
    if not action.is_switch:
        return f"{action.text} ({say_codes(action.codes, most)})."
    ends = tuple(code for code in action.codes if code not in action.eases)
    effects = Effects(ends, action.eases, action.brings, action.worsens, action.voids)
    return f"{action.text}: {say_effects(effects, most)}."


def say_effects(effects: Effects, most: int | None) -> str:
    """What a change does, with at most so many codes of each kind; empty for nothing."""
    parts = (
        ("ends", effects.ends),
        ("eases", effects.eases),
        ("brings", effects.brings),
        ("worsens", effects.worsens),
    )
    told = [f"{verb} {say_codes(codes, most)}" for verb, codes in parts if codes]
    told += [f"no longer promises {', '.join(effects.voids)}"] if effects.voids else []
    return "; ".join(told)


def say_codes(codes: Sequence[str], most: int | None) -> str:
    """The codes, or the first of them and the number of the others."""
    left = codes[most:] if most is not None else ()
    return ", ".join(codes[:most]) + (f" (+{len(left)})" if left else "")


def say_open(row: Row) -> str:
    """The fault models under which something is not decided."""
    first, *others = row.open_under
    return first + (f" and {len(others)} more" if others else "")


def say_all_open(row: Row) -> str:
    """Every fault model under which something is not decided, and why."""
    reasons = "; ".join(filter(None, (row.open_note, *map(say_unmet, row.unmet))))
    return f"not decided under {', '.join(row.open_under)}{f': {reasons}' if reasons else ''}"


def say_unmet(line: str) -> str:
    """That proofs need an assumption which the group does not meet."""
    return f"without proof because of {line}"


def is_assumed(summary: Summary) -> bool:
    """Where consumer groups begin is assumed, and no reason says so already."""
    is_told = any(ASSUMED in row.open_note for row in summary.rows)
    return summary.slaves > 0 and "consumeFromWhere" not in summary.settings and not is_told


def say_number_left(summaries: Sequence[Summary]) -> str:
    """How many actions are not shown; empty for none."""
    left = len(list_all(summaries)) - len(choose_shown(summaries))
    return f" (+{left} more, with --all)" if left else ""


def list_unknown(answer: ShortAnswer, *, has_asides: bool = True) -> Iterator[str]:
    """What is not decided, disputed, or rests on reading alone; a sentence each.

    What is said of each number of slaves is said once. Asides are what every answer assumes, how
    many proofs rest on reading alone, and which rows have a dispute beside their failures.
    """
    told = [(s, list(list_unknown_of(s, has_asides=has_asides))) for s in answer.summaries]
    shared = [each for each in told[0][1] if all(each in lines for _, lines in told)]
    yield from shared
    for summary, lines in told:
        left = (line for line in lines if line not in shared)
        yield from (f"With {say_slaves(summary.slaves)}: {line}" for line in left)


def list_unknown_of(summary: Summary, *, has_asides: bool) -> Iterator[str]:
    """The same for one number of slaves, without the rows that say so themselves."""
    rows = [row for row in summary.rows if row.open_under and not row.note]
    for why, alike in groupby(rows, key=lambda row: row.open_note):
        told = ", ".join(f"{row.title.lower()} ({say_open(row)})" for row in alike)
        yield f"Not decided: {told}{f': {why}' if why else ''}."
    for line in summary.unmet:
        told = say_unmet(line)
        yield f"{told[:1].upper()}{told[1:]}."
    if is_assumed(summary) and has_asides:
        yield f"{ASSUMED[:1].upper()}{ASSUMED[1:]}."
    disputed = [f"{r.letter} ({', '.join(r.disputed)})" for r in summary.rows if r.disputed]
    if disputed and has_asides:
        yield f"Disputed by real brokers: {', '.join(disputed)}."
    if summary.gave_up:
        yield say_given_up(summary.gave_up)
    if summary.resting and has_asides:
        yield f"{say_relying(summary.resting)} on {SOURCE_ALONE}."
    if summary.unweighed:
        yield say_unweighed(summary.unweighed)


SOURCE_ALONE = "RocketMQ's source alone, not on a recorded run"


def say_relying(count: int) -> str:
    """So many proofs rely."""
    return f"{count} {'proof relies' if count == 1 else 'proofs rely'}"


def say_unweighed(count: int) -> str:
    """That nothing is known of so many proofs, and the command that finds it out."""
    return (
        f"It is unknown how many of {say_proofs(count)} rely on {SOURCE_ALONE}: the table of "
        f"restrictions is missing or was made from other rules; "
        f"`{PROGRAM} renew` renews it."
    )


def say_proofs(count: int) -> str:
    """So many proofs."""
    return f"{count} proof{'' if count == 1 else 's'}"


def say_given_up(queries: Sequence[str]) -> str:
    """On what Z3 gave up, and that this is no answer for ever."""
    first, *others = queries
    more = f" and {len(others)} more question{'' if len(others) == 1 else 's'}" if others else ""
    return f"Z3 gave up within its limit of work on {first}{more}; nothing of it is remembered."
