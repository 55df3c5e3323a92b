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
from reference.disk.files.table_files import FILE_NAMES
from reference.disk.findings import DIFFERENT, Kind
from reference.disk.stored_brokers import StoredBroker


class Mend(enum.Enum):
    """Which store becomes that of both."""

    NOTHING = "nothing has to be copied"
    MASTER = "copy the master's store to the slave"
    SLAVE = "copy the slave's store to the master"
    EMPTY = "empty the slave's store"
    CHOOSE = "each has records that the other has not"


def choose_mend(pair: Pair) -> Mend:
    """By what each store alone has."""
    if pair.kind is Kind.CANNOT_SAY:
        return Mend.NOTHING
    remarked = {(remark.kind, remark.broker) for remark in pair.remarks}
    if (Kind.EPOCH_AHEAD, pair.slave.name) in remarked:
        return Mend.EMPTY
    if (Kind.EPOCH_LATE, pair.master.name) in remarked:
        return Mend.MASTER
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
    for command in list_commands(pair, mend):
        yield from wrap_command(command, "  ")
    if mend is Mend.SLAVE:
        yield "  Keep the master's own topics, groups and progress: copy these back from *.aside."
    later = " once it has caught up" if mend is Mend.EMPTY else ""
    yield f"Then this must say equal{later}:"
    yield from wrap_command(tell_check(pair), "  ")
    findings = (*pair.remarks, *pair.logs.findings)
    recipes = [load_store_findings()[finding.kind].recipe_link for finding in findings]
    if links := list(dict.fromkeys(filter(None, recipes))):
        yield f"Tried in the model: {links[0]}"


TOLD = {
    Mend.MASTER: "stop both brokers and copy the master's store to the slave.",
    Mend.SLAVE: "stop both brokers and copy the slave's store to the master, before it takes "
    "messages.",
    Mend.EMPTY: "stop the slave, set its store aside, and start it empty: its epochs lie.",
    Mend.CHOOSE: "keep the master's store, set the slave's aside, and send again what only the "
    "slave has (--lost FILE lists it). Stop both brokers first.",
}


def list_commands(pair: Pair, mend: Mend) -> Iterator[str]:
    """What a shell has to do."""
    if mend is Mend.EMPTY:
        store = quote(pair.slave.folder.root)
        yield f"mv {store} {store}.aside"
        return
    is_from_slave = mend is Mend.SLAVE
    source, target = (pair.slave, pair.master) if is_from_slave else (pair.master, pair.slave)
    yield from list_copy_commands(source, target)


def list_copy_commands(source: StoredBroker, target: StoredBroker) -> Iterator[str]:
    """With both brokers stopped. The old store stays beside the new one."""
    old = quote(target.folder.root)
    new = quote(source.folder.root)
    yield f"mv {old} {old}.aside"
    yield f"cp -a --sparse=always {new} {old}"
    yield "sync"
    if (target.folder.root / "brokerIdentity").exists():
        yield f"cp -a {old}.aside/brokerIdentity {old}/brokerIdentity"
    if not source.is_master:
        delay = f"{old}/config/{FILE_NAMES['delay']}"
        yield f"rm -f {delay} {delay}.bak"


def tell_check(pair: Pair) -> str:
    """The command that compares them again."""
    return f"./rmqspec store {quote(pair.master.path)} {quote(pair.slave.path)}"


def quote(path: Path) -> str:
    """For a shell."""
    return shlex.quote(str(path))
