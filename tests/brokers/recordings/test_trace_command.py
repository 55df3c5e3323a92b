"""``rmqspec trace``: what it prints, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import click
from click.testing import CliRunner, Result

from command_line.output.batch import BatchError
from command_line.trace import EPILOG, command

TRACES = Path(__file__).parents[2] / "data" / "traces"
NO_SLAVE = TRACES / "b_sync_no_slave.jsonl"
LATER = TRACES.parent / "traces_498" / "v498_c_sync_stall_heal.jsonl"


def run(*arguments: str) -> Result:
    """The command with these arguments; its exit code is what it returns."""
    return CliRunner().invoke(command, [*arguments], standalone_mode=False)


def write_false_answer(path: Path) -> Path:
    """A recording in which a put was answered PUT_OK without any slave."""
    lines = NO_SLAVE.read_text(encoding="utf-8").splitlines()
    lines[9] = lines[9].replace("SLAVE_NOT_AVAILABLE", "PUT_OK")
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_conforms() -> None:
    """One line for each recording that conforms."""
    result = run(str(NO_SLAVE), str(TRACES / "a_sync_healthy.jsonl"))
    assert result.return_value == 0
    assert result.output.count("conforms; ") == 2


def test_rejected(tmp_path: Path) -> None:
    """The blocked event, the rule that would be needed, and its condition that fails."""
    result = run(str(write_false_answer(tmp_path / "trace.jsonl")))
    assert result.return_value == 1
    assert (
        "the put is not answered PUT_OK yet; request_slave_wait[0] would help, but is_slave_ok"
        in (result.output)
    )
    assert "state there" not in result.output


def test_explained(tmp_path: Path) -> None:
    """On request the state there, and every rule that could not help."""
    result = run("--explain", str(write_false_answer(tmp_path / "trace.jsonl")), str(NO_SLAVE))
    assert result.return_value == 1
    assert "master: SYNC_MASTER, up, log 0 to 399" in result.output
    assert "nearest rule: request_slave_wait[0]; is_slave_ok does not hold" in result.output
    assert "put 0: 0 to 399" in result.output
    assert result.output.count("state there:") == 1
    assert " other rules could not happen there:" in result.output
    assert "    send_again[0]: is_outcome_unknown does not hold" in result.output


def test_json() -> None:
    """A list with one object for each recording."""
    result = run("--json", str(NO_SLAVE))
    assert result.return_value == 0
    (verdict,) = json.loads(result.output)
    assert verdict["verdict"] == "conforms"
    assert verdict["explained"] + verdict["ignored"] == verdict["events"]


def test_each_recording_names_its_version() -> None:
    """The version stands above what is judged by it, and in the JSON of each verdict."""
    result = run(str(NO_SLAVE), str(LATER))
    assert result.return_value == 0
    lines = [line for line in result.output.splitlines() if line.startswith("Model of")]
    assert lines[0] == "Model of RocketMQ 4.4.0."
    assert lines[1].startswith("Model of RocketMQ 4.9.8, ")
    verdicts = json.loads(run("--json", str(NO_SLAVE), str(LATER)).output)
    assert [v["rocketmq_version"] for v in verdicts] == ["4.4.0", "4.9.8"]


def test_another_version_may_be_asked_for() -> None:
    """Under 4.4.0 a put would have waited longer; the rule that is missing is named."""
    result = run("--rocketmq-version", "4.4.0", str(LATER))
    assert result.return_value == 1
    assert result.output.startswith("Model of RocketMQ 4.4.0.")
    assert "seq 37: the put is not answered FLUSH_SLAVE_TIMEOUT yet" in result.output
    later = run("--rocketmq-version", "4.9.8", "--json", str(NO_SLAVE))
    assert [v["rocketmq_version"] for v in json.loads(later.output)] == ["4.9.8"]


def test_an_unknown_version_is_refused_or_noted(tmp_path: Path) -> None:
    """Asked for, it is an error of the caller; named by a recording, it is worth a note."""
    refused = run("--rocketmq-version", "4.9.77", str(LATER)).exception
    assert isinstance(refused, click.BadParameter)
    assert "not a release the model knows" in str(refused)
    path = tmp_path / "trace.jsonl"
    text = NO_SLAVE.read_text(encoding="utf-8")
    path.write_text(text.replace('"rocketmq": "4.4.0"', '"rocketmq": "4.9.77"'), encoding="utf-8")
    result = run(str(path))
    assert result.return_value == 0
    assert "names RocketMQ 4.9.77, which the model does not know" in result.output


def test_the_steps_at_an_event_are_drawn() -> None:
    """Between their neighbours, in lines that fit a terminal, and the same in JSON."""
    healthy = str(TRACES / "a_sync_healthy.jsonl")
    result = run("--explain", "27", healthy)
    assert result.return_value == 0
    lines = result.output.splitlines()
    drawn = lines[next(n for n, line in enumerate(lines) if "What is put at seq 27" in line) :]
    assert max(map(len, drawn)) <= 80
    assert "    | receive_report[0](slave_offset=199)  master, hidden" in drawn
    assert "    |   master.push2_slave_max_offset: 0 -> 199" in drawn
    assert any(line.startswith("  > seq 27 2421.5 ms put: ") for line in drawn)
    assert any(line.startswith("    seq 24 ") for line in lines)
    (told,) = json.loads(run("--explain", "27", "--json", healthy).output)
    assert told["steps"]["here"][1]["steps"][0]["arguments"] == {"slave_offset": 199}
    assert told["groups"][0]["verdict"] == "conforms"


def test_the_stop_is_drawn(tmp_path: Path) -> None:
    """Of a rejected recording: the nearest rule, its condition, and the state there."""
    path = str(write_false_answer(tmp_path / "trace.jsonl"))
    for arguments in (("--explain", path), ("--explain", "9", path), ("--explain", "19", path)):
        result = run(*arguments)
        assert result.return_value == 1
        assert "What is refused at seq 9:" in result.output
        assert "nearest rule: request_slave_wait[0]; is_slave_ok does not hold" in result.output
        assert "the state at this event:" in result.output
        assert "rejected; not met: the put is not answered PUT_OK yet" in result.output
        is_whole = arguments == ("--explain", path)
        assert ("lists them" in result.output) != is_whole
        assert ("    send_again[0]: " in result.output) == is_whole
        assert ("has not come to seq 19" in result.output) == ("19" in arguments)


def test_an_event_at_which_nothing_is_explained() -> None:
    """A remark; a number that no event has is an error, and the other files are explained."""
    result = run("--explain", "1", str(NO_SLAVE))
    assert result.return_value == 0
    assert "nothing is explained at seq 1" in result.output
    healthy = str(TRACES / "a_sync_healthy.jsonl")
    result = run("--explain", "27", str(NO_SLAVE), healthy)
    assert isinstance(result.exception, BatchError)
    (problem,) = result.exception.problems
    assert problem == f"{NO_SLAVE}: has no event of seq 27; explain one from 0 to 20"
    assert "What is put at seq 27" in result.output


def test_a_file_that_is_missing() -> None:
    """It has no line to name."""
    result = run("missing.jsonl")
    assert isinstance(result.exception, BatchError)
    told = "missing.jsonl: cannot be read (No such file or directory); check the path"
    assert result.exception.problems[0].startswith(told)


def test_what_was_looked_at(tmp_path: Path) -> None:
    """By kind and field on request; what nobody has read, and what is unknown, in any case."""
    text = NO_SLAVE.read_text(encoding="utf-8").splitlines()
    path = tmp_path / "trace.jsonl"
    unknown = '{"seq": 1000, "t_ms": 1e6, "ev": "earthquake"}'
    path.write_text("\n".join([*text, unknown]), encoding="utf-8")
    result = run(str(path))
    assert result.return_value == 0
    assert "  not looked at: node_started.load_ok 1" in result.output
    assert "  unknown kinds of events, left out: earthquake 1" in result.output
    counted = run("--counts", str(path)).output
    assert "  node_started 1: connection_count, dispatched_offset, " in counted
    assert "not looked at: load_ok" in " ".join(counted.split())
    (told,) = json.loads(run("--json", str(path)).output)
    assert told["looked_at"]["unknown_kinds"] == {"earthquake": 1}
    assert told["looked_at"]["values_not_read"]["node_started.load_ok"] == 1
    assert told["looked_at"]["values_read"]["put.put_status"] == told["looked_at"]["events"]["put"]


def test_strict_refuses_what_is_unknown(tmp_path: Path) -> None:
    """In one line, after the others have been explained; else nothing is refused."""
    text = NO_SLAVE.read_text(encoding="utf-8")
    paths = [tmp_path / name for name in ("kind.jsonl", "field.jsonl", "version.jsonl")]
    paths[0].write_text(text + '{"seq": 1000, "t_ms": 1e6, "ev": "earthquake"}', encoding="utf-8")
    paths[1].write_text(text.replace('"load_ok"', '"load_fine"'), encoding="utf-8")
    paths[2].write_text(text.replace('"4.4.0"', '"4.9.77"'), encoding="utf-8")
    assert run(*map(str, paths)).return_value == 0
    result = run("--strict", *map(str, paths), str(NO_SLAVE))
    assert result.output.count("conforms; ") == 1
    assert isinstance(result.exception, BatchError)
    problems = result.exception.problems
    assert [len(problem.splitlines()) for problem in problems] == [1, 1, 1]
    assert "kind.jsonl:22: unknown kinds of events: earthquake (1); " in problems[0]
    assert "unknown fields: node_started.load_fine (1); " in problems[1]
    assert "version.jsonl:1: names RocketMQ 4.9.77, which is not known; " in problems[2]


def test_help_has_examples() -> None:
    """Whoever asks for help finds examples and the exit codes."""
    result = run("--help")
    assert "--explain" in result.output
    shown = " ".join(result.output.split())
    for line in EPILOG.splitlines():
        assert " ".join(line.strip("\b ").split()) in shown
