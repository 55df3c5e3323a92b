"""``rmqspec record``: a proxy between slaves and masters that writes a recording for ``trace``."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import click

from command_line.options.version_option import add_version_option
from command_line.output import exit_codes
from reference.configuration.files import read_one_broker
from reference.recorder.nodes import Nodes, describe_node
from reference.recorder.recorder import Recorder, open_recorder
from reference.releases.versions import Version

LOOPBACK = "127.0.0.1"
NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
PORTS = range(1, 65536)
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}

EPILOG = """\b
Examples:
  rmqspec record --out pair.jsonl --link slave1=20912:10.0.0.1:10912
  rmqspec record --out pair.jsonl --link slave1=20912:127.0.0.1:10912 --node master=broker.conf
  rmqspec record --out pair.jsonl --link slave1=20912:127.0.0.1:10912 --events master.jsonl \\
      --events slave.jsonl --rotate 100MB
"""


class LinkOption(NamedTuple):
    """A slave, where it connects, and where its master listens."""

    slave: str
    listen_port: int
    host: str
    port: int


def read_port(text: str, problem: click.BadParameter) -> int:
    """A port. Raises the problem."""
    if text.isascii() and text.isdecimal() and int(text) in PORTS:
        return int(text)
    raise problem


def split_name(value: str, problem: click.BadParameter) -> tuple[str, str]:
    """The name and the rest of ``NAME=...``. Raises the problem."""
    name, equals, rest = value.partition("=")
    if not equals or not rest or not NAME.fullmatch(name):
        raise problem
    return name, rest


def parse_links(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> list[LinkOption]:
    """``SLAVE=LISTEN_PORT:MASTER_HOST:HA_PORT`` options."""
    links = []
    for value in values:
        text = f"{value!r} is not SLAVE=LISTEN_PORT:MASTER_HOST:HA_PORT"
        problem = click.BadParameter(text, context, parameter)
        slave, rest = split_name(value, problem)
        listen, _, target = rest.partition(":")
        host, _, port = target.rpartition(":")
        if not host:
            raise problem
        host = host.removeprefix("[").removesuffix("]")
        links.append(LinkOption(slave, read_port(listen, problem), host, read_port(port, problem)))
    return links


def parse_brokers(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> list[tuple[str, tuple[str, int]]]:
    """``NAME=HOST:PORT`` options."""
    found = []
    for value in values:
        problem = click.BadParameter(f"{value!r} is not NAME=HOST:PORT", context, parameter)
        name, address = split_name(value, problem)
        host, _, port = address.rpartition(":")
        if not host:
            raise problem
        host = host.removeprefix("[").removesuffix("]")
        found.append((name, (host, read_port(port, problem))))
    return found


def parse_nodes(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> list[tuple[str, Path]]:
    """``NAME=FILE`` options."""
    found = []
    for value in values:
        problem = click.BadParameter(f"{value!r} is not NAME=FILE", context, parameter)
        name, file = split_name(value, problem)
        found.append((name, Path(file)))
    return found


def parse_size(context: click.Context, parameter: click.Parameter, value: str) -> int:
    """A number of bytes, perhaps with a unit."""
    found = re.fullmatch(r"(\d{1,12})\s*([KMG]B)?", value, re.IGNORECASE)
    if found is None:
        text = f"{value!r} is no size such as 100MB, or 0 for one file"
        raise click.BadParameter(text, context, parameter)
    return int(found[1]) * UNITS[(found[2] or "").upper()]


@click.command(name="record", epilog=EPILOG)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
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
    callback=parse_nodes,
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
    default=1.0,
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
@add_version_option(default=None)
def command(  # noqa: PLR0913
    *,
    out: Path,
    links: list[LinkOption],
    nodes: list[tuple[str, Path]],
    events: tuple[Path, ...],
    brokers: list[tuple[str, tuple[str, int]]],
    every: float,
    rotate: int,
    bind: str,
    version: Version | None,
) -> int:
    """Record brokers: what passes between slaves and masters, and what the brokers tell.

    A slave has the recorder's port as its haMasterAddress. What passes is stamped and written down,
    then forwarded.
    """
    if not (links or events or brokers):
        raise click.UsageError("say with --link, --events or --broker what is to be recorded")
    found = Nodes(release=version.release if version else "")
    for name, file in nodes:
        settings, _ = read_one_broker(file, {}, version or Version())
        found.tell(name, describe_node(settings.values, settings.version))
    recorder = open_recorder(out, rotate, found, write_line)
    for link in links:
        recorder.add_link(link.slave, (bind, link.listen_port), (link.host, link.port))
    for path in events:
        recorder.add_events(path)
    for name, address in brokers:
        recorder.add_broker(name, address, every)
    asyncio.run(recorder.run(announce(recorder, out)))
    return exit_codes.ANALYSED


def write_line(text: str) -> None:
    """A line for whoever runs the recorder."""
    click.echo(f"rmqspec: {text}", err=True)


def announce(recorder: Recorder, out: Path) -> Callable[[], None]:
    """What tells that everything listens."""

    def tell() -> None:
        for link in recorder.links:
            listen, target = ("{}:{}".format(*each) for each in (link.listen, link.target))
            click.echo(f"{link.name}: {listen} to {target}")
        click.echo(f"recording to {out}")

    return tell
