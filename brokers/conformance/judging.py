"""The outcome of a case: whether the rules explain what came, and what they would not explain."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, Final

from attrs import evolve, field, frozen

from brokers.conformance.alternatives import Alternative, list_alternatives
from brokers.conformance.case import Case
from brokers.conformance.stage import Played
from brokers.recorder.watch.alarms import (
    FALSE_ACKNOWLEDGEMENT,
    POSITIONED_ABOVE_PUT,
    SLAVE_OUTRUN,
)
from brokers.recorder.watch.playing import play_all
from brokers.recordings.clock import JITTER_MS
from brokers.recordings.judging import (
    CONFORMS,
    REJECTED,
    TraceVerdict,
    check_exactly,
)
from brokers.recordings.reading import Recording

PASSED: Final = "conforms"
FAILED: Final = "fails"
INCONCLUSIVE: Final = "inconclusive"
"""This machine was too slow for what came to count."""
VACUOUS: Final = "vacuous"
"""Any other answer would have been explained too; the case is not counted."""
SKIPPED: Final = "skipped"
"""It was not played, for the reason that is told."""
WORDS = (PASSED, FAILED, INCONCLUSIVE, VACUOUS, SKIPPED)

LATE_MAX_MS = JITTER_MS
"""How late a timer of the tester may be before a refusal counts as this machine's slowness: stamps
are trusted so far."""
UNANSWERED = (
    "requests have no answer after 30 s; a put that waits for a slave is given up in time "
    "(put.md#time_out_slave_wait)"
)
BROKEN = (FALSE_ACKNOWLEDGEMENT, POSITIONED_ABOVE_PUT, SLAVE_OUTRUN)
"""Alarms that tell of a guarantee that the broker under test has broken."""
TRIED_MAX = 60
"""So many alternatives are tried, in an order drawn from the case's name."""


@frozen
class CaseOutcome:
    """What came of one case."""

    case: Case
    word: str
    """One of WORDS."""
    reason: str = ""
    """Why it fails, is not decided or was not played."""
    seq: int | None = None
    """The event that no rule explains."""
    excluded: str = ""
    """An answer that would have failed it."""
    broken: tuple[str, ...] = ()
    """Guarantees that were broken, with what was seen: a conforming broker may do so."""
    recording: Recording | None = field(default=None, repr=False)
    late_ms: float = 0.0
    """How late a timer of the tester was at most."""
    waiver: str = ""
    """Why a failure is accepted."""

    def as_json(self) -> dict[str, Any]:
        """The outcome for other programs."""
        return {
            "case": self.case.name,
            "headings": list(self.case.headings),
            "outcome": self.word,
            "reason": self.reason,
            "seq": self.seq,
            "excluded": self.excluded,
            "broken_guarantees": list(self.broken),
            "late_ms": round(self.late_ms, 1),
            "waiver": self.waiver,
        }


def judge(case: Case, played: Played) -> CaseOutcome:
    """Explain what a case has brought."""
    recording, late_ms = played.recording, played.late_ms
    verdict = check_exactly(recording)
    broken = tuple(find_broken(recording)) if case.is_master_tested else ()
    common: Mapping[str, Any] = {"broken": broken, "recording": recording, "late_ms": late_ms}
    if played.unanswered and verdict.verdict == CONFORMS:
        return CaseOutcome(case, FAILED, f"{played.unanswered} {UNANSWERED}", **common)
    if verdict.verdict == CONFORMS:
        excluded = find_excluded(case, played)
        if excluded is None:
            return CaseOutcome(case, VACUOUS, "every other answer would conform too", **common)
        return CaseOutcome(case, PASSED, excluded=f"seq {excluded.seq}: {excluded.what}", **common)
    reason = tell(verdict)
    is_late = late_ms > LATE_MAX_MS
    if verdict.verdict == REJECTED and not is_late:
        return CaseOutcome(case, FAILED, reason, verdict.first_unexplained_seq, **common)
    if is_late:
        reason = f"this machine was {late_ms:.0f} ms late: {reason}"
    return CaseOutcome(case, INCONCLUSIVE, reason, verdict.first_unexplained_seq, **common)


def tell(verdict: TraceVerdict) -> str:
    """Why a recording is not explained."""
    return f"seq {verdict.first_unexplained_seq}: {verdict.reason}"


def find_broken(recording: Recording) -> list[str]:
    """What the watch tells of guarantees, which has to know that nobody else is connected."""
    nobody = {"connection_count_before": 0, "connection_count_after": 0}
    events = tuple(
        evolve(event, data={**nobody, **event.data}) if event.kind == "put" else event
        for event in recording.events
    )
    alarms = play_all(evolve(recording, events=events))
    return [f"{a.definition.name}: {a.text}" for a in alarms if a.definition in BROKEN]


def find_excluded(case: Case, played: Played) -> Alternative | None:
    """Some alternative that the rules do not explain."""
    is_master = case.is_master_tested
    told = played.recording, played.focus_ms
    found = list(list_alternatives(*told, is_master_tested=is_master))
    random.Random(case.name).shuffle(found)
    for each in found[:TRIED_MAX]:
        if check_exactly(each.recording).verdict == REJECTED:
            return each
    return None
