"""``rmqspec trace --follow``: a recording is explained while it is being written."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

from command_line.answers.recordings.following import UNSETTLED_MS
from tests.command_line.run import assert_one_line, run

TRACES = Path(__file__).parents[1] / "data" / "traces"
HEALTHY = TRACES / "a_sync_healthy.jsonl"
LONG = TRACES / "r_random_seed10.jsonl"


def read_lines(path: Path) -> list[str]:
    """The lines of a recording, with their ends."""
    return path.read_text(encoding="utf-8").splitlines(keepends=True)


def write_slowly(path: Path, lines: list[str]) -> None:
    """As a recorder does: some lines, and the half of the next."""
    with path.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(line[:20])
            file.flush()
            time.sleep(0.01)
            file.write(line[20:])


def test_a_growing_recording_is_explained(tmp_path: Path) -> None:
    """First a part of it, then all; half a line is not there yet."""
    path, lines = tmp_path / "pair.jsonl", read_lines(HEALTHY)
    path.write_text("".join(lines[:40]), encoding="utf-8")
    writer = threading.Thread(target=write_slowly, args=(path, lines))
    writer.start()
    result = run("trace", "--follow", "--idle", 2, path)
    writer.join()
    assert result.returncode == 0, result.stderr
    first, *_ = result.stdout.splitlines()
    assert first.startswith(f"{path}: ")
    assert first.endswith(" events are explained so far")
    assert f"{path}: conforms; 78 of 95 events explained" in result.stdout


def test_later_parts_are_found_by_their_names(tmp_path: Path) -> None:
    """As ``record --rotate`` names them."""
    lines = read_lines(HEALTHY)
    first, second = tmp_path / "pair.jsonl", tmp_path / "pair.1.jsonl"
    first.write_text("".join(lines[:40]), encoding="utf-8")
    later = [json.loads(line) for line in lines[40:]]
    begin = {name: later[0][name] for name in ("seq", "t_ms")}
    head = {**json.loads(lines[0]), "part": 1, **begin}
    written = [head, *({**each, "seq": each["seq"] + 1} for each in later)]
    second.write_text("".join(json.dumps(each) + "\n" for each in written), encoding="utf-8")
    result = run("trace", "--follow", "--idle", 0, first)
    assert result.returncode == 0, result.stderr
    assert "conforms; 78 of 95 events explained" in result.stdout


def test_a_refusal_ends_it(tmp_path: Path) -> None:
    """What comes later would not explain an event of so long before; nobody has to interrupt."""
    path, lines = tmp_path / "pair.jsonl", read_lines(LONG)
    events = [json.loads(line) for line in lines]
    report = next(e for e in events if e["ev"] == "ha_report" and e["slave_offset"] > 0)
    report["slave_offset"] += 1
    assert report["t_ms"] < events[-1]["t_ms"] - UNSETTLED_MS
    path.write_text("".join(json.dumps(each) + "\n" for each in events), encoding="utf-8")
    result = run("trace", "--follow", "--json", path)
    assert result.returncode == 1, result.stderr
    (told,) = map(json.loads, result.stdout.splitlines())
    assert (told["verdict"], told["first_unexplained_seq"]) == ("rejected", report["seq"])


def test_bad_input_is_one_line(tmp_path: Path) -> None:
    """No file, half a line, and several files."""
    path = tmp_path / "pair.jsonl"
    assert "has no line yet" in assert_one_line(run("trace", "--follow", "--idle", 0, path), 3)
    path.write_text('{"ev": "con', encoding="utf-8")
    assert "has no line yet" in assert_one_line(run("trace", "--follow", "--idle", 0, path), 3)
    assert "one recording" in assert_one_line(run("trace", "--follow", path, path), 3)
