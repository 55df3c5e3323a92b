"""How the options of ``record`` are written: links, brokers, files by name, sizes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import click

NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
PORTS = range(1, 65536)
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}
SIZE = re.compile(r"(\d{1,12})\s*([KMG]B)?", re.IGNORECASE)


class LinkAddress(NamedTuple):
    """A slave, where it connects, and where its master listens."""

    slave: str
    listen_port: int
    target: tuple[str, int]


class BrokerAddress(NamedTuple):
    """A broker, and where it listens to clients."""

    name: str
    address: tuple[str, int]


def read_port(text: str, problem: click.BadParameter) -> int:
    """A port. Raises the problem."""
    if text.isascii() and text.isdecimal() and int(text) in PORTS:
        return int(text)
    raise problem


def read_address(text: str, problem: click.BadParameter) -> tuple[str, int]:
    """``HOST:PORT``; an address of version 6 may be in brackets. Raises the problem."""
    host, _, port = text.rpartition(":")
    if not host:
        raise problem
    return host.removeprefix("[").removesuffix("]"), read_port(port, problem)


def split_name(value: str, problem: click.BadParameter) -> tuple[str, str]:
    """The name and the rest of ``NAME=...``. Raises the problem."""
    name, equals, rest = value.partition("=")
    if not equals or not rest or not NAME.fullmatch(name):
        raise problem
    return name, rest


def parse_links(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> list[LinkAddress]:
    """``SLAVE=LISTEN_PORT:MASTER_HOST:HA_PORT`` options."""
    links = list[LinkAddress]()
    for value in values:
        text = f"{value!r} is not SLAVE=LISTEN_PORT:MASTER_HOST:HA_PORT"
        problem = click.BadParameter(text, context, parameter)
        slave, rest = split_name(value, problem)
        listen, _, target = rest.partition(":")
        link = LinkAddress(slave, read_port(listen, problem), read_address(target, problem))
        if any(link[:1] == each[:1] or link[1] == each[1] for each in links):
            text = f"{value!r}: another link has this slave or this port"
            raise click.BadParameter(text, context, parameter)
        links.append(link)
    return links


def parse_brokers(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> list[BrokerAddress]:
    """``NAME=HOST:PORT`` options."""
    found = []
    for value in values:
        problem = click.BadParameter(f"{value!r} is not NAME=HOST:PORT", context, parameter)
        name, address = split_name(value, problem)
        found.append(BrokerAddress(name, read_address(address, problem)))
    return found


def parse_files(
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
    found = SIZE.fullmatch(value)
    if found is None:
        text = f"{value!r} is no size such as 100MB, or 0 for one file"
        raise click.BadParameter(text, context, parameter)
    return int(found[1]) * UNITS[(found[2] or "").upper()]


def parse_port_or_file(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> int | Path | None:
    """A port to listen on, or a file to write."""
    if value is None:
        return None
    problem = click.BadParameter(f"{value!r} is no port", context, parameter)
    return read_port(value, problem) if value.isdecimal() else Path(value)
