"""What to do with a pair that differs: one procedure, with the commands for these very folders.

The procedures are those of the operators' guide, which are tried in the model.
"""

from __future__ import annotations

import enum
import shlex
from collections.abc import Iterator
from pathlib import Path

from command_line.answers.stores.pair import Pair
from command_line.output.width import wrap_command
from properties.scenarios.procedures.store_findings import load_store_findings
from reference.disk.comparison.log_comparison import DIFFERENT, Kind
from reference.disk.files.table_files import FILE_NAMES
from reference.disk.stored_brokers import StoredBroker


class Mend(enum.Enum):
    """Which store becomes that of both."""

    NOTHING = "nothing has to be copied"
    MASTER = "copy the master's store to the slave"
    SLAVE = "copy the slave's store to the master"
    CHOOSE = "each has records that the other has not"


def choose_mend(pair: Pair) -> Mend:
    """By what each store alone has."""
    if pair.kind is Kind.CANNOT_SAY:
        return Mend.NOTHING
    only_slave = bool(pair.choices.if_master_stays.count)
    only_master = bool(pair.choices.if_slave_is_promoted.count)
    kinds = {finding.kind for finding in pair.logs.findings} & DIFFERENT
    if kinds <= {Kind.BEHIND, Kind.QUEUES}:
        return Mend.NOTHING
    if only_slave and only_master:
        return Mend.CHOOSE
    return Mend.SLAVE if only_slave else Mend.MASTER


def describe_mending(pair: Pair) -> Iterator[str]:
    """What to do, the commands, and what to check afterwards."""
    mend = choose_mend(pair)
    if mend is Mend.NOTHING:
        if pair.kind is Kind.BEHIND:
            yield "Do: start both; the slave fetches the rest by itself."
        return
    yield f"Do: {TOLD[mend]}"
    source, target = pair.master, pair.slave
    if mend is Mend.SLAVE:
        source, target = target, source
    for command in list_copy_commands(source, target):
        yield from wrap_command(command, "  ")
    if mend is Mend.SLAVE:
        yield "  Keep the master's own topics, groups and progress: copy these back from *.aside."
    yield "Then this must say equal:"
    yield from wrap_command(tell_check(pair), "  ")
    recipes = [load_store_findings()[f.kind].recipe_link for f in pair.logs.findings]
    if links := list(dict.fromkeys(filter(None, recipes))):
        yield f"Tried in the model: {links[0]}"


TOLD = {
    Mend.MASTER: "stop both brokers and copy the master's store to the slave.",
    Mend.SLAVE: "stop both brokers and copy the slave's store to the master, before it takes "
    "messages.",
    Mend.CHOOSE: "keep the master's store, set the slave's aside, and send again what only the "
    "slave has (--lost FILE lists it). Stop both brokers first.",
}


def list_copy_commands(source: StoredBroker, target: StoredBroker) -> Iterator[str]:
    """With both brokers stopped. The old store stays beside the new one."""
    old = quote(target.folder.root)
    new = quote(source.folder.root)
    yield f"mv {old} {old}.aside"
    yield f"cp -a --sparse=always {new} {old}"
    yield "sync"
    if source.epochs.entries or target.epochs.entries:
        yield f"cp -a {old}.aside/brokerIdentity {old}/brokerIdentity"
    if source.name != "master":
        delay = f"{old}/config/{FILE_NAMES['delay']}"
        yield f"rm -f {delay} {delay}.bak"


def tell_check(pair: Pair) -> str:
    """The command that compares them again."""
    return f"./rmqspec store {quote(pair.master.path)} {quote(pair.slave.path)}"


def quote(path: Path) -> str:
    """For a shell."""
    return shlex.quote(str(path))
