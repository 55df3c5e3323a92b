"""``rmqspec broker``: a broker of our own, to which real slaves, masters and clients connect."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click
from attrs import evolve

from brokers.appended_file import open_appended
from brokers.broker.broker import Broker
from brokers.broker.mutants import MUTANTS, Mutant
from brokers.broker.mutants.mutant import BOTH, MASTER, SLAVE
from brokers.broker.parts import USUAL_PARTS
from brokers.broker.settings import Settings
from brokers.broker.sockets.running import LOOPBACK, BrokerProcess
from brokers.configuration_files import read_one_broker
from command_line.options.version_option import add_version_option
from command_line.output import exit_codes
from command_line.output.served_lines import serve_lines
from reference.configuration.broker_group import BrokerConfiguration
from reference.configuration.later_keys import (
    ALL_ACK,
    IN_SYNC_REPLICAS,
    QUORUM_SIZE,
    compute_mode,
)
from reference.releases.releases import CONTROLLER, QUORUM
from reference.releases.versions import Version

EPILOG = """\b
Examples:
  rmqspec broker --config broker-a.properties --store data  # role, ports and all from the file
  rmqspec broker --role SYNC_MASTER --store master
  rmqspec broker --role SLAVE --store slave --listen-port 20911 --master master-host:10912
  rmqspec broker --role SLAVE --store slave --set namesrvAddr=127.0.0.1:9876
  rmqspec broker --role ASYNC_MASTER --store master --events master.jsonl --snapshots 1
  rmqspec broker --role SYNC_MASTER --store m --rocketmq-version 5.3.3-controller --epoch 2
  rmqspec broker --role SLAVE --store s --master host:10912 --mutant reports_on_connect

Its decisions are the rules of this model; its store is a real one, which a real broker and
rmqspec store can read. It listens at its port, at that plus one (slaves) and at that less two, on
this machine only unless --bind says otherwise. It has no access control: bind it to an address
that strangers reach only where they may read and write everything. It is slow, and made to be
compared with: keep no data in it that you need. It refuses transactions, filters by tags only, and
knows no message by its keys. SIGINT and SIGTERM stop it in order.

--mutant makes a broker that does one thing wrong on purpose, for whoever wants to know whether a
check would notice it. The book lists all mutants (spec/own_broker.md).

Exit codes: 0 stopped in order, 3 it does not start, or cannot go on: bad settings, a store that is
taken or cannot be loaded, an epoch that is over, a port in use, a full disk; 70 rules and bytes
disagree, which is a defect of this program.
"""


def parse_settings(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    """``KEY=VALUE`` options."""
    told: dict[str, str] = {}
    for each in values:
        key, equals, value = each.partition("=")
        if not equals or not key:
            raise click.BadParameter(f"{each!r} is not KEY=VALUE", context, parameter)
        told[key.strip()] = value
    return told


@click.command(name="broker", epilog=EPILOG)
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="A broker.conf; other options win over it.",
)
@click.option(
    "--role",
    type=click.Choice(("ASYNC_MASTER", "SYNC_MASTER", "SLAVE")),
    help="brokerRole; ASYNC_MASTER if nothing sets it.",
)
@click.option(
    "--store",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where the store lies; else storePathRootDir of the file.",
)
@click.option("--listen-port", type=click.IntRange(3, 65534), help="listenPort, by default 10911.")
@click.option("--master", metavar="HOST:PORT", help="A master's HA address: haMasterAddress.")
@click.option(
    "--set",
    "told",
    multiple=True,
    callback=parse_settings,
    metavar="KEY=VALUE",
    help="A setting as in the file. Repeatable.",
)
@click.option(
    "--epoch",
    type=click.IntRange(1),
    metavar="N",
    help="In controller mode, the epoch that makes it a master; default: its last one.",
)
@click.option("--bind", default=LOOPBACK, show_default=True, help="The address to listen on.")
@click.option(
    "--events",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Append what the broker does, as lines of a recording.",
)
@click.option("--name", default="", metavar="NAME", help="Its name among the events.")
@click.option(
    "--snapshots",
    type=click.FloatRange(0),
    default=0.0,
    metavar="SECONDS",
    help="How often its counters are among the events; 0: never.",
)
@click.option(
    "--mutant",
    type=click.Choice(sorted(MUTANTS)),
    metavar="NAME",
    help="Do one thing wrong, to be caught: a wire mutant.",
)
@add_version_option()
def command(  # noqa: PLR0913
    *,
    config: Path | None,
    role: str | None,
    store: Path | None,
    listen_port: int | None,
    master: str | None,
    told: dict[str, str],
    epoch: int | None,
    bind: str,
    events: Path | None,
    name: str,
    snapshots: float,
    mutant: str | None,
    version: Version,
) -> int:
    """Run one broker until it is stopped, master or slave: every decision is a rule of this model.

    A real slave can copy from it, it can copy from a real master, and real producers, consumers and
    administrators can use it. Lines of what happens go to standard output.
    """
    options = {"brokerRole": role, "listenPort": listen_port, "haMasterAddress": master}
    given = {key: str(value) for key, value in options.items() if value is not None}
    configuration = read_configuration(config, {**told, **given}, version)
    own = configuration.get("brokerIP1") if "brokerIP1" in configuration.values else bind
    root = store or Path(str(configuration.get("storePathRootDir") or ""))
    if not root.name:
        raise click.BadParameter("say with --store where the store is to lie")
    settings = Settings(configuration, root, str(own), epoch=epoch)
    node = name or ("slave" if settings.is_slave else "master")
    file = None if events is None else open_appended(events)
    chosen = None if mutant is None else choose_mutant(mutant, settings)
    with serve_lines() as lines:
        process = BrokerProcess(
            settings,
            partial(write_line, lines.out),
            bind,
            None if file is None else file.append,
            node,
            snapshots * 1000,
            USUAL_PARTS if chosen is None else chosen.parts,
            partial(announce, lines.out, chosen),
        )
        asyncio.run(process.run())
    return exit_codes.ANALYSED


def read_configuration(
    config: Path | None, told: dict[str, str], version: Version
) -> BrokerConfiguration:
    """What a file and options say, in the mode that they choose. Raises ConfigurationError."""
    configuration, warnings = read_one_broker(config, complete(told, version), version)
    for warning in warnings:
        click.echo(f"rmqspec: {warning}", err=True)
    mode = compute_mode(configuration.values, version)
    return evolve(configuration, version=Version(version.release, mode))


def choose_mutant(name: str, settings: Settings) -> Mutant:
    """The mutant of this name. Raises BadParameter if a broker of this kind cannot show it."""
    found = MUTANTS[name]
    if not found.applies_to(settings.version):
        raise click.BadParameter(f"{name} would be no mistake in RocketMQ {settings.version.name}")
    if found.role not in (BOTH, SLAVE if settings.is_slave else MASTER):
        raise click.BadParameter(f"{name} is a mutant of a {found.role}")
    return found


def complete(told: dict[str, str], version: Version) -> dict[str, str]:
    """A slave needs a broker id of its own, and a mode the setting that chooses it."""
    usual = {"brokerId": "1"} if told.get("brokerRole") == "SLAVE" else {}
    if version.mode == CONTROLLER:
        usual |= dict.fromkeys(usual, "2") | {ALL_ACK: "true"}
    if version.mode == QUORUM:
        usual[IN_SYNC_REPLICAS] = QUORUM_SIZE
    return {**usual, **told}


def write_line(outlet: Callable[[str], None], line: str) -> None:
    """A line with its time."""
    now = datetime.now(UTC).strftime("%H:%M:%S.%f")[:-3]
    outlet(f"{now} {line}")


def announce(outlet: Callable[[str], None], mutant: Mutant | None, broker: Broker) -> None:
    """Where it can be reached, and before that, whether it is made to be caught."""
    ports, settings = broker.settings.ports, broker.settings
    if mutant is not None:
        text = f"MUTANT {mutant.name}: it is wrong on purpose. {mutant.sentence}"
        outlet(f"{text} ({mutant.role}; against {mutant.forbidden_by})")
    outlet(
        f"{settings.role.name} of RocketMQ {settings.version.name} listens: clients "
        f"{ports.listen} and {ports.vip}, slaves {ports.ha}; store {settings.store_root}, "
        f"log {max(0, broker.store.min_offset)} to {broker.store.max_offset}"
    )
