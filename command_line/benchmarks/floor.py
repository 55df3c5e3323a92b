"""``rmqspec bench --floor``: whether kernel and reference are as fast as they were, on any machine.

Each is measured in turns with a loop of fixed work, in processor time. What is compared with the
record is the ratio of both at their fastest: what slows one slice slows the loop beside it, too. On
a busy machine it takes more rounds until each has met an undisturbed slice; no number of rounds
makes an engine look faster than it is.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import click
from attrs import frozen

from command_line.benchmarks.probe import make_engines, measure_rate
from command_line.output import exit_codes
from properties.worlds.replication.world import ClaimedGroup
from spark_fuzz.kernel import calibration
from spark_fuzz.kernel.kernel import compile_kernel

RECORD = Path(calibration.__file__).with_name("speed_floor.toml")
"""The ratios that were measured, and where."""

SHARE = 0.7
"""What an engine must keep of its recorded ratio."""

ROUNDS = 12
"""How often each engine and each loop is measured."""

REPEATS_MAX = 4
"""How often all rounds are repeated while a figure is too low."""

OPTIONS: Mapping[str, Any] = {"slaves": 1, "steps": 64, "healing_steps": 0, "is_swarm": False}
"""The measured configuration; the record holds for nothing else."""

LOOPS: Mapping[str, tuple[Callable[[int], int], int]] = {
    "kernel": (calibration.run_compiled_loop, 60_000_000),
    "reference": (calibration.run_interpreted_loop, 300_000),
}
"""Engine -> the loop that it is compared with, and the iterations of a slice."""


@frozen
class Pace:
    """An engine and its loop, a figure a round each, per second of processor time."""

    engine: str
    steps_per_second: Sequence[float]
    iterations_per_second: Sequence[float]

    @property
    def ratio(self) -> float:
        """Steps for each iteration, both at their fastest."""
        return max(self.steps_per_second) / max(self.iterations_per_second)

    def extend(self, others: Sequence[Pace]) -> Pace:
        """With the rounds of a further measurement."""
        (other,) = (pace for pace in others if pace.engine == self.engine)
        return Pace(
            self.engine,
            [*self.steps_per_second, *other.steps_per_second],
            [*self.iterations_per_second, *other.iterations_per_second],
        )

    def compute_share(self, recorded_ratio: float) -> float:
        """The share of a recorded ratio; 1 for as fast as then."""
        return self.ratio / recorded_ratio


class RecordError(click.ClickException):
    """Raised for a record that this measurement cannot be compared with; one line."""


def measure_paces(line: Callable[[str], None]) -> list[Pace]:
    """Both engines and their loops in turns."""
    line("compiling the kernel")
    engines = make_engines(OPTIONS)
    for loop, _ in LOOPS.values():
        loop(1)
    steps: dict[str, list[float]] = {name: [] for name in LOOPS}
    iterations: dict[str, list[float]] = {name: [] for name in LOOPS}
    for number in range(ROUNDS):
        line(f"round {number + 1} of {ROUNDS}")
        for name, (loop, count) in LOOPS.items():
            iterations[name].append(measure_rate(partial(run_loop, loop, count)))
            steps[name].append(measure_rate(engines[name]))
    return [Pace(name, steps[name], iterations[name]) for name in LOOPS]


def measure_until_enough(recorded: Mapping[str, float], line: Callable[[str], None]) -> list[Pace]:
    """The paces; while one is too low, more rounds, since a busy machine spoils some."""
    paces = measure_paces(line)
    for _ in range(REPEATS_MAX):
        if not find_low(paces, recorded):
            break
        again = measure_paces(line)
        paces = [pace.extend(again) for pace in paces]
    return paces


def run_loop(loop: Callable[[int], int], iterations: int) -> int:
    """Run a loop; how often it went round."""
    loop(iterations)
    return iterations


def read_record(path: Path = RECORD) -> dict[str, float]:
    """Engine -> recorded ratio; without the kernel's where it walks by another engine than then.

    A processor with other vectors is not to be compared. Raises RecordError.
    """
    try:
        record = tomllib.loads(path.read_text(encoding="utf-8"))
        loops, ratios = record["loops"], {name: float(record[name]["ratio"]) for name in LOOPS}
        engine = record.get("kernel_engine")
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise RecordError(f"{path} has no recorded speed ({problem}); --record-floor") from problem
    if loops != calibration.compute_digest():
        raise RecordError(f"{path} was recorded with other loops; measure again: --record-floor")
    if engine != describe_kernel_engine():
        del ratios["kernel"]
    return ratios


def describe_kernel_engine() -> str:
    """What walks the measured kernel's schedules on this machine."""
    return compile_kernel(ClaimedGroup(slaves=OPTIONS["slaves"])).describe_engine()


def format_record(paces: Sequence[Pace], machine: Mapping[str, Any]) -> str:
    """The record of this measurement, with how it was made."""
    lines = [
        "# Written by `rmqspec bench --record-floor`: what `rmqspec bench --floor` compares with.",
        "# A ratio is steps for each iteration of the loop, both at their fastest round.",
        *(f"{key} = {format_value(value)}" for key, value in {**machine, **OPTIONS}.items()),
        f'kernel_engine = "{describe_kernel_engine()}"',
        f"rounds = {len(paces[0].steps_per_second)}",
        f'loops = "{calibration.compute_digest()}"',
    ]
    for pace in paces:
        lines += [
            "",
            f"[{pace.engine}]",
            f'loop = "{LOOPS[pace.engine][0].__name__}"',
            f"steps_per_second = {max(pace.steps_per_second):.0f}",
            f"iterations_per_second = {max(pace.iterations_per_second):.0f}",
            f"ratio = {pace.ratio:.4g}",
        ]
    return "\n".join(lines) + "\n"


def format_value(value: object) -> str:
    """A text, a number or a truth value as TOML writes it."""
    return str(value).lower() if isinstance(value, bool | int) else f'"{value}"'


def print_paces(paces: Sequence[Pace], recorded: Mapping[str, float]) -> None:
    """Each engine's speed, and its share of the record."""
    for pace in paces:
        ratio = recorded.get(pace.engine)
        if ratio is None:
            click.echo(f"{pace.engine:9} not compared: the record is of another engine")
            continue
        click.echo(
            f"{pace.engine:9} {max(pace.steps_per_second):12,.0f} steps per second, ratio to its "
            f"loop {pace.ratio:.4g}, recorded {ratio:.4g}: {pace.compute_share(ratio):.0%}"
        )


def find_low(paces: Sequence[Pace], recorded: Mapping[str, float]) -> dict[str, float]:
    """The engines that have become too slow, each with its share of the record."""
    compared = [pace for pace in paces if pace.engine in recorded]
    shares = {pace.engine: pace.compute_share(recorded[pace.engine]) for pace in compared}
    return {engine: share for engine, share in shares.items() if share < SHARE}


def judge_paces(paces: Sequence[Pace], recorded: Mapping[str, float]) -> int:
    """The exit code: 1, with one line, if an engine has become too slow."""
    low = find_low(paces, recorded)
    if not low:
        return exit_codes.ANALYSED
    found = ", ".join(f"{engine} at {share:.0%}" for engine, share in low.items())
    click.echo(
        f"rmqspec: slower than {SHARE:.0%} of the recorded speed: {found}; "
        "`rmqspec bench --against COMMIT` finds out since when",
        err=True,
    )
    return exit_codes.REFUTED


def paces_as_json(paces: Sequence[Pace], recorded: Mapping[str, float]) -> list[dict[str, Any]]:
    """The paces for programs."""
    return [
        {
            **attrs.asdict(pace),
            "ratio": pace.ratio,
            "recorded_ratio": recorded[pace.engine],
            "share": pace.compute_share(recorded[pace.engine]),
            "share_at_least": SHARE,
        }
        for pace in paces
        if pace.engine in recorded
    ]
