"""``explain --timed``: how long puts and slaves take under a group's own timers."""

from __future__ import annotations

from pathlib import Path

from command_line.output import exit_codes
from tests.command_line.run import assert_one_line, run


def test_times_follow_the_story_of_a_code() -> None:
    """The timers in force, and what was measured without and with failures."""
    answer = run("explain", "C41", "--timed", "--what-if", "slave.haSendHeartbeatInterval=2000")
    assert exit_codes.ANALYSED == answer.returncode
    assert "C41, fewer copies than promised" in answer.stdout
    assert "a slave's first report comes after\n  2.0 s" in answer.stdout
    calm, struck = answer.stdout.split("While ")[1:]
    for scene in (calm, struck):
        assert "a put until PUT_OK" in scene
        assert "a slave's start to equal logs" in scene


def test_groups_that_are_not_simulated_say_so(tmp_path: Path) -> None:
    """Those without exactly one slave, and those with a controller."""
    master = tmp_path / "broker.conf"
    master.write_text("brokerRole=SYNC_MASTER\nbrokerName=a\nbrokerId=0\n")
    answer = run("explain", "L12", master, "--timed", "--slaves", "2")
    assert "How long it takes in a: not simulated with 2 slaves; try --slaves 1." in answer.stdout
    answer = run("explain", "L12", "--timed", "--rocketmq-version", "5.3.3-controller")
    assert "not simulated with a controller" in answer.stdout


def test_times_need_a_group() -> None:
    """A claim of a structure has no timers."""
    answer = run("explain", "acknowledgement_is_truthful", "late join", "--timed")
    assert "--timed is about groups" in assert_one_line(answer, exit_codes.BAD_INPUT)
