"""``rmqspec record``: a proxy between slaves and masters that writes a recording for ``trace``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import click
from attrs import frozen

from brokers.appended_file import AppendedFile, open_appended
from brokers.configuration_files import read_one_broker
from brokers.recorder.nodes import Nodes, describe_node
from brokers.recorder.recorder import Recorder, open_recorder
from brokers.recorder.watch.alarms import Alarm
from brokers.recorder.watch.live import LiveWatch
from brokers.recorder.watch.output import as_json, describe_alarm
from brokers.recorder.watch.playing import play
from brokers.recorder.watch.watch import Watch
from brokers.recordings.reading import read_recording
from command_line.options.recorder_options import (
    BrokerAddress,
    LinkAddress,
    parse_brokers,
    parse_files,
    parse_links,
    parse_port_or_file,
    parse_size,
)
from command_line.options.version_option import add_version_option
from command_line.output import exit_codes
from command_line.output.batch import Batch
from command_line.output.served_lines import Outlet, ServedLines, serve_lines
from reference.releases.versions import Version

LOOPBACK = "127.0.0.1"

EPILOG = """\b
Examples:
  rmqspec record --out pair.jsonl --link slave1=20912:master-host:10912
  rmqspec record --out pair.jsonl --link slave1=20912:master-host:10912 --node master=broker.conf
  rmqspec record --out pair.jsonl --link slave1=20912:master-host:10912 --events master.jsonl \\
      --events slave.jsonl --rotate 100MB
  rmqspec record --out pair.jsonl --link slave1=20912:master-host:10912 \\
      --broker master=master-host:10911 --watch --prometheus 9464
  rmqspec record --watch --play tests/data/traces/h_slave_ahead_aligned.jsonl

It listens on this machine only unless --bind says otherwise, and whoever reaches that port reaches
the master's HA port. SIGINT and SIGTERM end it in order. After a kill the same command goes on with
the same file. trace --parts reads the files that --rotate makes.

Exit codes: 0 ended in order, or nothing to be alarmed of in what was played back, 1 alarms in what
was played back, 3 it does not start or cannot go on: bad options, a port in use, a file that is no
recording of this recorder, a full disk; or it has ended in order, and alarms or figures are not
written.
"""


@frozen
class WatchOptions:
    """What the watch tells, and where."""

    is_on: bool
    json_path: Path | None
    prometheus: int | Path | None

    @property
    def is_asked(self) -> bool:
        """One of the options says so."""
        return self.is_on or self.json_path is not None or self.prometheus is not None


@click.command(name="record", epilog=EPILOG)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The recording; one of this recorder that is there is continued.",
)
@click.option(
    "--link",
    "links",
    multiple=True,
    callback=parse_links,
    metavar="SLAVE=LISTEN_PORT:MASTER_HOST:HA_PORT",
    help="Listen for this slave, and forward to its master. Repeatable.",
)
@click.option(
    "--node",
    "nodes",
    multiple=True,
    callback=parse_files,
    metavar="NAME=FILE",
    help="A broker's settings: its broker.conf. Repeatable.",
)
@click.option(
    "--events",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="A file of events that rmqspec broker appends to. Repeatable.",
)
@click.option(
    "--logs",
    multiple=True,
    callback=parse_files,
    metavar="NAME=DIR",
    help="The folder of a broker's own logs, whose new lines are recorded. Repeatable.",
)
@click.option(
    "--broker",
    "brokers",
    multiple=True,
    callback=parse_brokers,
    metavar="NAME=HOST:PORT",
    help="Ask this broker for the ends of its log, and for its settings. Repeatable.",
)
@click.option(
    "--every",
    type=click.FloatRange(0.05, 3600),
    default=0.5,
    show_default=True,
    metavar="SECONDS",
    help="How often brokers are asked.",
)
@click.option(
    "--rotate",
    callback=parse_size,
    default="0",
    metavar="SIZE",
    help="Begin a new file after so many bytes, such as 100MB. Without it there is one.",
)
@click.option("--bind", default=LOOPBACK, show_default=True, help="The address to listen on.")
@click.option("--watch", "is_on", is_flag=True, help="Tell alarms as lines to standard error.")
@click.option(
    "--watch-json",
    "json_path",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Append alarms as lines of JSON.",
)
@click.option(
    "--prometheus",
    callback=parse_port_or_file,
    metavar="PORT|FILE",
    help="Figures and alarms as Prometheus reads them: at a port of this machine, or in a file.",
)
@click.option(
    "--play",
    "played",
    multiple=True,
    metavar="FILE",
    help="Play a recording back to the watch, and record nothing. Repeatable.",
)
@add_version_option(default=None)
def command(
    *,
    played: tuple[str, ...],
    is_on: bool,
    json_path: Path | None,
    prometheus: int | Path | None,
    **options: Any,
) -> int:
    """Record brokers: what passes between slaves and masters, and what the brokers tell.

    A slave has the recorder's port as its haMasterAddress. What passes is stamped and written down,
    then forwarded.
    """
    watch = WatchOptions(is_on, json_path, prometheus)
    if isinstance(prometheus, Path) and prometheus.exists() and not prometheus.is_file():
        raise click.BadParameter(f"--prometheus: {prometheus} is no regular file")
    file = None if json_path is None else open_appended(json_path)
    if played:
        return play_back(played, file)
    with serve_lines() as lines:
        return record(watch, file, lines, **options)


def play_back(files: Iterable[str], json_file: AppendedFile | None) -> int:
    """Tell the alarms of recordings."""
    batch, count = Batch(), 0
    for file in files:
        recording = batch.attempt(partial(read_recording, file))
        if recording is None:
            continue
        alarms = list[Alarm]()
        play(recording, Watch(alarms.append))
        for alarm in alarms:
            click.echo(f"{file}: {describe_alarm(alarm, began_ms=0.0)}")
            if json_file is not None:
                told = json.dumps({"file": file, **as_json(alarm)}) + "\n"
                json_file.append(told.encode())
        if not alarms:
            click.echo(f"{file}: no alarm")
        count += len(alarms)
    batch.finish()
    return exit_codes.REFUTED if count else exit_codes.ANALYSED


def record(  # noqa: PLR0913
    watch: WatchOptions,
    json_file: AppendedFile | None,
    lines: ServedLines,
    *,
    out: Path | None,
    links: list[LinkAddress],
    nodes: list[tuple[str, Path]],
    events: tuple[Path, ...],
    logs: list[tuple[str, Path]],
    brokers: list[BrokerAddress],
    every: float,
    rotate: int,
    bind: str,
    version: Version | None,
) -> int:
    """Run a recorder until it is told to stop."""
    if out is None or not (links or events or logs or brokers):
        text = "say with --out where, and with --link, --events, --logs or --broker what to record"
        raise click.UsageError(text)
    found = Nodes(release=version.release if version else "")
    for name, file in nodes:
        settings, _ = read_one_broker(file, {}, version or Version())
        found.tell(name, describe_node(settings.values, settings.version))
    recorder = open_recorder(out, rotate, found, write_to(lines.err))
    for link in links:
        recorder.add_link(link.slave, (bind, link.listen_port), link.target)
    for path in events:
        recorder.add_events(path)
    for name, folder in logs:
        recorder.add_logs(name, folder)
    for broker in brokers:
        recorder.add_broker(broker.name, broker.address, every)
    live = make_watch(watch, json_file, recorder) if watch.is_asked else None
    recorder.observer = live
    asyncio.run(recorder.run(announce(recorder, out, lines.out)))
    problems = [] if live is None else live.list_problems()
    for problem in problems:
        recorder.write_line(problem)
    return exit_codes.BAD_INPUT if problems else exit_codes.ANALYSED


def make_watch(
    watch: WatchOptions, json_file: AppendedFile | None, recorder: Recorder
) -> LiveWatch:
    """A watch that tells what the options ask for."""
    prometheus = watch.prometheus
    return LiveWatch(
        recorder.write_line if watch.is_on else lambda _: None,
        recorder.write_line,
        json_file,
        prometheus if isinstance(prometheus, Path) else None,
        (LOOPBACK, prometheus) if isinstance(prometheus, int) else None,
        recorder.list_metrics,
    )


def write_to(outlet: Outlet) -> Callable[[str], None]:
    """Lines for the operator of the recorder."""
    return lambda text: outlet(f"rmqspec: {text}")


def announce(
    recorder: Recorder, out: Path, write_line: Callable[[str], None]
) -> Callable[[], None]:
    """What tells that everything listens."""

    def tell() -> None:
        for link in recorder.links:
            listen, target = ("{}:{}".format(*each) for each in (link.listen, link.target))
            write_line(f"{link.name}: {listen} to {target}")
        write_line(f"recording to {out}")

    return tell
