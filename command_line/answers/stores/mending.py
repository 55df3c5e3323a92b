"""What to do with a pair that differs: one procedure, with the commands for these very folders.

The procedures are those of the recipes, which are tried in the model.
"""

from __future__ import annotations

import enum
import shlex
from collections.abc import Iterator
from pathlib import Path

from brokers.disk.files.table_files import FILE_NAMES
from brokers.disk.findings import DIFFERENT, GAPS, FindingKind
from brokers.disk.stored_brokers import StoredBroker
from command_line.answers.stores.pair import Pair
from command_line.answers.stores.words import tell_count
from command_line.output.width import wrap_command
from properties.scenarios.procedures.procedures import load_procedures
from properties.scenarios.procedures.store_findings import load_store_findings


class Mend(enum.Enum):
    """Which store becomes that of both."""

    NOTHING = "nothing has to be copied"
    MASTER = "copy the master's store to the slave"
    SLAVE = "copy the slave's store to the master"
    FILES = "copy the files that the master lacks from the slave"
    EMPTY = "empty the slave's store"
    CHOOSE = "each has records that the other has not"


def choose_mend(pair: Pair) -> Mend:
    """By what each store alone has: none is replaced while it has records that the other lacks.

    Only where each has some is one of them replaced, and the text names what it had.
    """
    if pair.kind is FindingKind.CANNOT_SAY:
        return Mend.NOTHING
    remarked = {(remark.kind, remark.broker) for remark in pair.remarks}
    only_slave = bool(pair.choices.if_master_stays.count)
    only_master = bool(pair.choices.if_slave_is_promoted.count)
    kinds = {finding.kind for finding in pair.logs.findings} & DIFFERENT
    if pair.choices.filling:
        return Mend.FILES
    have_epochs_lied = (FindingKind.EPOCH_AHEAD, pair.slave.name) in remarked
    if only_slave:
        return Mend.CHOOSE if only_master or have_epochs_lied else Mend.SLAVE
    if have_epochs_lied:
        return Mend.EMPTY
    if (FindingKind.EPOCH_LATE, pair.master.name) in remarked:
        return Mend.MASTER
    is_sent_by_itself = kinds <= {FindingKind.BEHIND, FindingKind.QUEUES}
    is_lost_on_both = kinds <= {FindingKind.QUEUES, *GAPS} and not only_master
    return Mend.NOTHING if is_sent_by_itself or is_lost_on_both else Mend.MASTER


def is_master_copied(pair: Pair, mend: Mend) -> bool:
    """The slave's store is set aside for a copy of its master's."""
    if mend is Mend.FILES:
        kinds = {finding.kind for finding in pair.logs.findings} & DIFFERENT
        return not kinds <= {FindingKind.MASTER_GAP, FindingKind.QUEUES}
    return mend in {Mend.MASTER, Mend.CHOOSE}


def list_saved(pair: Pair, mend: Mend) -> list[StoredBroker]:
    """Stores to be saved first: their next start cuts off whole records that no log serves.

    A store that is set aside needs no copy.
    """
    aside = {
        Mend.SLAVE: {pair.master.name},
        Mend.EMPTY: {pair.slave.name},
    }.get(mend, {pair.slave.name} if is_master_copied(pair, mend) else set())
    brokers = (pair.master, pair.slave)
    return [b for b in brokers if b.name in pair.choices.cut and b.name not in aside]


def describe_mending(pair: Pair) -> Iterator[str]:
    """What to do, the commands, what is taken away, and what to check afterwards."""
    mend = choose_mend(pair)
    for broker in list_saved(pair, mend):
        count = tell_count(pair.choices.cut[broker.name].count, "whole record")
        yield f"Save the {broker.name}'s store first: its start cuts off {count}."
        yield from wrap_command(tell_save(broker), "  ")
    if mend is Mend.NOTHING:
        if pair.kind is FindingKind.BEHIND:
            yield "Do: start both; the slave fetches the rest by itself."
        elif pair.kind in GAPS:
            yield "Do: nothing with these two stores: neither has what is missing."
        return
    yield f"Do: {TOLD[mend]}"
    for command in list_commands(pair, mend):
        yield from wrap_command(command, "  ")
    yield from (f"  {line}" for line in tell_taken(pair, mend))
    if mend is Mend.SLAVE:
        yield "  Keep the master's own topics, groups and progress: copy these back from *.aside."
    later = " once it has caught up" if mend is Mend.EMPTY else ""
    yield f"Then this must say equal{later}:"
    yield from wrap_command(tell_check(pair), "  ")
    if link := find_recipe(pair, mend):
        yield f"Tried in the model: {link}"


def find_recipe(pair: Pair, mend: Mend) -> str:
    """The recipe of the most serious finding whose procedures replace the same broker's store."""
    findings = (load_store_findings()[f.kind] for f in (*pair.remarks, *pair.logs.findings))
    fitting = (found for found in findings if REPLACED[mend] in list_replaced(found.recipe))
    return next((found.recipe_link for found in fitting), "")


def list_replaced(recipe: str) -> set[str]:
    """The brokers whose stores a recipe's procedures replace or empty."""
    return {p.advice.replaced for p in load_procedures() if p.recipe == recipe} - {""}


REPLACED = {
    Mend.NOTHING: "",
    Mend.MASTER: "slave",
    Mend.SLAVE: "master",
    Mend.FILES: "",
    Mend.EMPTY: "slave",
    Mend.CHOOSE: "slave",
}
"""The broker whose store is set aside."""
TOLD = {
    Mend.MASTER: "stop both brokers and copy the master's store to the slave.",
    Mend.SLAVE: "stop both brokers and copy the slave's store to the master, before it takes "
    "messages.",
    Mend.FILES: "stop both brokers and give the master the files that only the slave has.",
    Mend.EMPTY: "stop the slave, set its store aside, and start it empty: its epochs lie.",
    Mend.CHOOSE: "keep the master's store, set the slave's aside, and send again what only the "
    "slave has (--lost FILE lists it). Stop both brokers first.",
}


def tell_taken(pair: Pair, mend: Mend) -> Iterator[str]:
    """Records that are afterwards only in a store that is set aside, and why."""
    older = pair.choices.older.count
    if older and (is_master_copied(pair, mend) or mend is Mend.EMPTY):
        begin = pair.master.start.begin_offset
        yield (
            f"The slave's {tell_count(older, 'record')} below {begin} stay in *.aside only: the "
            f"master's log begins there."
        )


def list_commands(pair: Pair, mend: Mend) -> Iterator[str]:
    """What a shell has to do."""
    if mend is Mend.EMPTY:
        store = quote(pair.slave.folder.root)
        yield f"mv {store} {store}.aside"
        return
    for file in pair.choices.filling if mend is Mend.FILES else ():
        yield f"cp -a {quote(file.path)} {quote(pair.master.folder.commit_log / file.path.name)}"
    if mend is Mend.SLAVE:
        yield from list_copy_commands(pair.slave, pair.master)
    elif is_master_copied(pair, mend):
        yield from list_copy_commands(pair.master, pair.slave)
    else:
        yield "sync"


def tell_save(broker: StoredBroker) -> str:
    """The command that saves a store."""
    store = quote(broker.folder.root)
    return f"cp -a --sparse=always {store} {store}.saved"


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
