"""``rmqspec trace``: what it prints, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import click
from click.testing import CliRunner, Result

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
    assert "seq 9: request_slave_wait[0] would be needed, but is_slave_ok" in result.output
    assert "state there" not in result.output


def test_explained(tmp_path: Path) -> None:
    """On request the state there, and every rule that could not help."""
    result = run("--explain", str(write_false_answer(tmp_path / "trace.jsonl")), str(NO_SLAVE))
    assert result.return_value == 1
    assert "master: SYNC_MASTER, up, log 0 to 399" in result.output
    assert "request_slave_wait[0]: is_slave_ok does not hold" in result.output
    assert "put 0: 0 to 399" in result.output
    assert result.output.count("state there:") == 2


def test_json() -> None:
    """A list with one object for each recording."""
    result = run("--json", str(NO_SLAVE))
    assert result.return_value == 0
    (verdict,) = json.loads(result.output)
    assert verdict["verdict"] == "conforms"
    assert verdict["explained"] + verdict["ignored"] == verdict["events"]


def test_joined() -> None:
    """On request a second line about the joined system, and the same in JSON."""
    whole = str(TRACES / "x4_send_codes_sync_master.jsonl")
    result = run("--joined", whole, str(NO_SLAVE))
    assert result.return_value == 0
    assert "joined system: conforms; 34 events explained by a schedule of" in result.output
    assert "joined system: outside; it has 1 masters and 0 slaves" in result.output
    (told,) = json.loads(run("--joined", "--json", whole).output)
    assert told["joined"]["verdict"] == "conforms"
    assert told["joined"]["schedule"]


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
    assert "seq 37: give_up_slave_wait[0]" in result.output
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


def test_help_has_examples() -> None:
    """Whoever asks for help finds examples and the exit codes."""
    result = run("--help")
    assert "--explain" in result.output
    shown = " ".join(result.output.split())
    for line in EPILOG.splitlines():
        assert " ".join(line.strip("\b ").split()) in shown
