"""What a mutant of the broker does on a link is refused, and what a right one does is explained."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from brokers.broker.broker import Broker
from brokers.broker.mutants import MUTANTS
from brokers.broker.parts import USUAL_PARTS
from brokers.conformance.catalogue import MASTER_CASES, SLAVE_CASES
from brokers.recordings.judging import CONFORMS, REJECTED, check_exactly
from brokers.recordings.kinds import WITH_HEARTBEATS
from brokers.recordings.reading import Recording
from tests.brokers.conformance.simulated_broker import play_case

CASES = {case.name: case for case in (*MASTER_CASES, *SLAVE_CASES)}


def play(folder: Path, name: str, release: str, mutant: str = "") -> Recording:
    """A case, played by a broker or a mutant of it."""
    parts = MUTANTS[mutant].parts if mutant else USUAL_PARTS
    played = play_case(CASES[name], folder, release, 1, lambda s, h: Broker(s, h, parts=parts))
    return played.recording


@pytest.mark.parametrize("at_bytes", [12, 200])
def test_a_cut_frame_need_not_be_taken(tmp_path: Path, at_bytes: int) -> None:
    """A slave that connects again five seconds later has not got what its link's end has cut."""
    case = f"a frame of which {at_bytes} bytes come before the end"
    verdict = check_exactly(play(tmp_path, case, "5.3.3"))
    assert verdict.verdict == CONFORMS, verdict.reason


@pytest.mark.parametrize(
    ("mutant", "case", "reason"),
    [
        ("frames_end_at_messages", "a frame ends inside a message", "all that the master had"),
        ("no_heartbeat", "heartbeats come in silence", "has sent no frame, and no heartbeat"),
        ("never_times_out", "no report in time", "the log ends at 393"),
        ("never_closes_silent_slaves", "a slave that says nothing is left", "has not closed"),
        (
            "first_of_several_reports_counts",
            "of three reports in one piece the last one counts",
            "FLUSH_SLAVE_TIMEOUT",
        ),
        ("lower_reports_lower", "a lower report lowers nothing", "SLAVE_NOT_AVAILABLE"),
        (
            "retention_asks_slaves",
            "a request below the first file is sent nothing",
            "is kept for no time",
        ),
        (
            "highest_report_begins_at_the_end",
            "a master that starts again knows of no report",
            "FLUSH_SLAVE_TIMEOUT",
        ),
        ("second_slave_is_ignored", "either of two slaves acknowledges", "FLUSH_SLAVE_TIMEOUT"),
        ("ignores_frames_out_of_step", "a frame that the slave has", "it is connected still"),
        ("heartbeats_are_not_compared", "a heartbeat at 0", "it is connected still"),
        (
            "heartbeats_make_no_file",
            "a heartbeat in a later file to an empty slave",
            "has had 32768 to report",
        ),
        ("reports_once_only", "a master that says nothing is reported to", "has reported nothing"),
        ("keeps_a_silent_master", "a master that says nothing is left", "has read nothing for"),
        ("reconnects_late", "a master that says nothing is left", "R-HC-12"),
        ("appends_one_frame_late", "a frame, and then silence", "has had 400 to report"),
    ],
)
def test_what_a_mutant_does_is_refused(tmp_path: Path, mutant: str, case: str, reason: str) -> None:
    """A behaviour that a right broker never shows."""
    verdict = check_exactly(play(tmp_path, case, "4.4.0", mutant))
    assert verdict.verdict == REJECTED
    assert reason in verdict.reason


def test_bytes_are_missed_in_silence(tmp_path: Path) -> None:
    """Also where a recording leaves out heartbeats: bytes of a log are never left out."""
    played = play(tmp_path, "two slaves get the same", "4.4.0", "sends_to_one_slave_only")
    data = {key: each for key, each in played.config.data.items() if key != WITH_HEARTBEATS}
    verdict = check_exactly(evolve(played, config=evolve(played.config, data=data)))
    assert verdict.verdict == REJECTED
    assert "transfer_batch[0] has been possible" in verdict.reason


def test_silence_may_be_left_out(tmp_path: Path) -> None:
    """Without the promise of heartbeats in its first line a recording may have none."""
    played = play(tmp_path, "heartbeats come in silence", "4.4.0")
    beats = [e for e in played.events if e.kind == "ha_frame" and not e["body_bytes"]]
    events = tuple(event for event in played.events if event not in beats)
    data = {key: each for key, each in played.config.data.items() if key != WITH_HEARTBEATS}
    assert beats
    assert check_exactly(evolve(played, events=events)).verdict == REJECTED
    silent = evolve(played, events=events, config=evolve(played.config, data=data))
    assert check_exactly(silent).verdict == CONFORMS
