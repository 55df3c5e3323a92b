"""What a mutant of the broker does on a link is refused, and what a right one does is explained."""

from __future__ import annotations

from pathlib import Path

import pytest

from reference.broker.broker import Broker
from reference.broker.mutants import MUTANTS
from reference.broker.parts import USUAL_PARTS
from reference.conformance.catalogue import MASTER_CASES, SLAVE_CASES
from reference.recordings.judging import CONFORMS, REJECTED, TraceVerdict, check_recording
from tests.reference.conformance.simulated_broker import play_case

CASES = {case.name: case for case in (*MASTER_CASES, *SLAVE_CASES)}


def play(folder: Path, name: str, release: str, mutant: str = "") -> TraceVerdict:
    """The verdict on a case, played by a broker or a mutant of it."""
    parts = MUTANTS[mutant].parts if mutant else USUAL_PARTS
    played = play_case(CASES[name], folder, release, 1, lambda s, h: Broker(s, h, parts=parts))
    return check_recording(played.recording)


@pytest.mark.parametrize("at_bytes", [12, 200])
def test_a_cut_frame_need_not_be_taken(tmp_path: Path, at_bytes: int) -> None:
    """A slave that connects again five seconds later has not got what its link's end has cut."""
    verdict = play(tmp_path, f"a frame of which {at_bytes} bytes come before the end", "5.3.3")
    assert verdict.verdict == CONFORMS, verdict.reason


@pytest.mark.parametrize(
    ("mutant", "case", "reason"),
    [
        ("frames_end_at_messages", "a frame ends inside a message", "all that the master had"),
        ("sends_to_one_slave_only", "two slaves get the same", "has had bytes from 1179 to send"),
    ],
)
def test_what_a_mutant_does_is_refused(tmp_path: Path, mutant: str, case: str, reason: str) -> None:
    """A behaviour that a right broker never shows."""
    verdict = play(tmp_path, case, "4.4.0", mutant)
    assert verdict.verdict == REJECTED
    assert reason in verdict.reason
