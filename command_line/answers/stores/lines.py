"""A pair of stores on one screen."""

from __future__ import annotations

from collections.abc import Iterator

from brokers.disk.comparison.byte_comparison import intersect
from brokers.disk.comparison.handshake import HandshakeReaction, compute_handshake
from brokers.disk.comparison.promotion import Lost
from brokers.disk.comparison.table_comparison import TableFinding, TableKind
from brokers.disk.files.table_files import FILE_NAMES
from brokers.disk.findings import GAPS, DiskFinding, FindingKind
from brokers.disk.records.walking import StopReason
from brokers.disk.starting import StoreStart
from brokers.disk.stored_brokers import StoredBroker, tell_start_problem
from command_line.answers.stores.pair import Pair
from command_line.answers.stores.returning import describe_return
from command_line.answers.stores.words import tell_count, tell_record, tell_size, tell_unit
from properties.scenarios.procedures.store_findings import load_store_findings

TABLES_SHOWN = 8
QUEUES_SHOWN = 6
RECORDS_SHOWN = 3
STOPS = {
    StopReason.LAST_BLANK: ", and cuts off the blank there",
    StopReason.HALF: ", before a record whose lengths contradict each other",
}


def describe_broker(broker: StoredBroker) -> Iterator[str]:
    """One store, and what a start would make of it."""
    log, start = broker.log, broker.start
    ended = "running or killed" if start.is_after_kill else "stopped in order"
    if not log.files:
        files = "no log file"
    else:
        files = f"{tell_count(len(log.files), 'file')} of {tell_size(log.file_size_bytes)}"
    yield f"{broker.name}: {broker.path} ({files}; {ended})"
    problem = tell_start_problem(broker)
    if problem:
        yield f"  A start {start.outcome.value if not start.is_started else 'fails'}: {problem}."
    if start.is_started:
        found = f"from {start.begin_offset} to {start.end_offset}"
        yield f"  A start finds the log {found}{tell_start(start)}."
    for note in list_notes(broker):
        yield f"  {note}"
    for remark in broker.remarks:
        yield from (f"  {line}" for line in describe_remark(remark))


def tell_start(start: StoreStart) -> str:
    """What else it does."""
    told = STOPS.get(start.stop, "")
    if start.deleted:
        told += f"; it deletes {tell_count(len(start.deleted), 'file')} behind"
    if start.entries_made:
        told += f"; it enters {tell_count(start.entries_made, 'message')} into queues again"
    if start.entries_cut:
        told += f"; it cuts {tell_count(start.entries_cut, 'queue entry')}"
    return told


def list_notes(broker: StoredBroker) -> Iterator[str]:
    """What is remarkable about the other files."""
    if broker.log.ignored and not broker.log.problem:
        count = tell_count(len(broker.log.ignored), "file")
        yield f"It ignores {count} of the log from {broker.log.ignored[0].name} on: another length."
    for table in broker.tables.values():
        if table.note and table.is_broker_started:
            yield f"config/{FILE_NAMES[table.name]} {table.note}."
    if broker.epochs.problem:
        yield f"The epoch file: {broker.epochs.problem}."
    if broker.epochs.entries:
        told = ", ".join(f"{e.number} from {e.begin_offset}" for e in broker.epochs.entries[-4:])
        yield f"Epochs: {told}."


def describe_pair(pair: Pair) -> Iterator[str]:
    """The verdict, what it rests on, and what each choice would lose."""
    yield f"{pair.slave.name} and {pair.master.name}: {tell_verdict(pair)}"
    for finding in pair.logs.findings:
        yield from (f"  {line}" for line in describe_finding(finding, pair))
    shown = pair.tables[:TABLES_SHOWN]
    yield from (f"  {describe_table(found)}" for found in shown)
    if len(pair.tables) > len(shown):
        yield f"  {len(pair.tables) - len(shown)} more differences of tables (--json has all)."
    if pair.kind is not FindingKind.CANNOT_SAY:
        yield from describe_handshake(pair)
        yield from describe_choices(pair)


def describe_handshake(pair: Pair) -> Iterator[str]:
    """With a controller, what the slave does when it connects."""
    handshake = compute_handshake(pair.master, pair.slave)
    if handshake is None:
        return
    told = handshake.answer.value
    if handshake.answer in {HandshakeReaction.TRUNCATES, HandshakeReaction.LIES}:
        told += f": {handshake.offset}, where its log ends at {pair.slave.start.end_offset}"
    differing = pair.logs.differs_from
    if handshake.answer is HandshakeReaction.GOES_ON and differing < handshake.offset:
        told += f", though its log differs from {differing} on"
    yield f"  At the next handshake {told}."


def tell_verdict(pair: Pair) -> str:
    """In a few words."""
    finding = next(iter(pair.logs.findings), None)
    if pair.kind is FindingKind.EQUAL:
        return "equal logs; tables differ" if pair.have_other_tables else "equal"
    assert finding is not None  # Something makes them different.
    if pair.kind in {FindingKind.AHEAD, FindingKind.BEHIND}:
        return f"{pair.kind.value} by {finding.end_offset - finding.offset} bytes"
    if pair.kind in {FindingKind.DIVERGED, FindingKind.FOREIGN}:
        return f"{pair.kind.value} from {finding.offset} on"
    return f"{pair.kind.value}"


def describe_finding(finding: DiskFinding, pair: Pair) -> Iterator[str]:
    """A finding: the facts, what it means, how it comes about."""
    if finding.kind is FindingKind.CANNOT_SAY:
        yield f"{finding.reason}."
        return
    yield from tell_facts(finding, pair)
    meaning = load_store_findings()[finding.kind]
    yield f"  {meaning.means}"
    history = meaning.find_history(finding)
    if history is not None and finding.kind is not FindingKind.BEHIND:
        yield f"  Likely: {history.text} ({history.page})"
    if meaning.issues:
        yield f"  Known issue: ./rmqspec issues {meaning.issues[0]}"


def tell_facts(finding: DiskFinding, pair: Pair) -> Iterator[str]:
    """Offsets and records."""
    low, high = finding.offset, finding.end_offset
    if finding.kind in {FindingKind.DIVERGED, FindingKind.FOREIGN} or finding.on_master is not None:
        until = pair.logs.differs_until
        end = min(pair.master.start.end_offset, pair.slave.start.end_offset)
        again = f"; equal again from {until} to {end}" if until < end else ""
        yield f"Equal up to {low}{again}. At {low}:"
        yield f"  master: {tell_unit(finding.on_master)}"
        yield f"  slave:  {tell_unit(finding.on_slave)}"
    if finding.kind is FindingKind.FOREIGN:
        source = low + finding.shift_bytes
        yield f"slave[{low}:{high}] is what belongs to {source} to {source + high - low}."
    elif finding.kind is FindingKind.GAP and finding.on_master is not None:
        yield f"The slave has zeros up to {high}."
    elif finding.is_hole:
        yield f"The slave lacks {low} to {high} inside a file, and has what follows."
        yield f"A start ends its log at {low}, and all behind it is lost to it."
    elif finding.kind in GAPS and finding.broker:
        yield tell_gap(finding, pair)
    elif finding.kind in {FindingKind.GAP, FindingKind.BEGINS_LATER}:
        rest = "no record at all" if finding.kind is FindingKind.GAP else f"nothing below {high}"
        yield f"The slave has {rest}; the master has {low} to {high}."
    elif finding.kind is FindingKind.MASTER_BEGINS_LATER:
        yield f"The slave has {low} to {high}, below the master's begin."
    elif finding.kind is FindingKind.AHEAD:
        yield f"Ahead: the slave ends at {high}, the master at {low}."
    elif finding.kind is FindingKind.BEHIND:
        yield f"Behind: the slave ends at {low}, the master at {high}."
    elif finding.kind is FindingKind.OUTRUN:
        yield f"The slave ends at {low}; the master's log begins at {high}."
    elif finding.kind is FindingKind.QUEUES:
        told = ", ".join(f"{topic}/{number}" for topic, number in finding.queues[:QUEUES_SHOWN])
        yield f"Queues that do not end alike: {told}."


def tell_gap(finding: DiskFinding, pair: Pair) -> str:
    """Who has the bytes of a file that one broker lacks."""
    low, high = finding.offset, finding.end_offset
    other = pair.slave if finding.broker == pair.master.name else pair.master
    parts = list(intersect([(low, high)], other.log.list_covered()))
    if parts == [(low, high)]:
        told = f"the {other.name} has it"
    elif parts:
        told = f"the {other.name} has " + ", ".join(f"{a} to {b}" for a, b in parts)
    else:
        told = f"the {other.name} has none either"
    return f"The {finding.broker} has no file for {low} to {high}; {told}."


def describe_remark(remark: DiskFinding) -> Iterator[str]:
    """A remark about one store."""
    count = f"{tell_count(remark.count, 'record')} from " if remark.count else ""
    until = f"to {remark.end_offset}" if remark.kind is FindingKind.MISSING_FILE else "on"
    yield f"{remark.kind.value.capitalize()}: {count}{remark.offset} {until}."
    yield f"  {load_store_findings()[remark.kind].means}"


def describe_table(found: TableFinding) -> str:
    """One line for a difference of tables."""
    key = f" {found.key}" if found.key else ""
    if found.kind is TableKind.AHEAD_OF_LOG:
        return (
            f"{found.file_name}{key}: {found.on_master} on the {found.broker}, "
            f"whose own queue ends at {found.on_slave}"
        )
    if found.kind is TableKind.EQUAL_VERSIONS:
        return f"{found.file_name}: {found.kind.value}; the slave will not copy it"
    if found.kind in {TableKind.AHEAD, TableKind.BEHIND}:
        return f"{found.file_name}{key}: slave {found.on_slave}, master {found.on_master}"
    return f"{found.file_name}{key}: {found.kind.value}"


def describe_choices(pair: Pair) -> Iterator[str]:
    """What is gone afterwards, for each choice."""
    choices = pair.choices
    yield "If the master's store is kept (the slave's is replaced by a copy of it):"
    yield from (f"  {line}" for line in describe_lost(choices.if_master_stays, "slave"))
    if choices.older.count:
        yield from (f"  {line}" for line in describe_older(pair))
    yield "If the slave is promoted, and the master's store is not used again:"
    yield from (f"  {line}" for line in describe_lost(choices.if_slave_is_promoted, "master"))
    yield from (f"  {line}" for line in describe_return(pair))
    yield from describe_cut(pair)
    for delay in choices.delays:
        passed = "never" if delay.is_passed else "perhaps not"
        yield (
            f"  Of delay level {delay.level} the master alone has delivered "
            f"{tell_count(delay.delivered, 'message')}; the slave's delayOffset.json has "
            f"passed them: {passed} delivered."
        )
    for group in choices.groups:
        told = []
        if group.repeats:
            told.append(f"receives {tell_count(group.repeats, 'message')} again")
        if group.skips:
            told.append(f"skips {tell_count(group.skips, 'message')}")
        if group.is_reset:
            told.append("is behind the queue's end, and is sent elsewhere")
        yield f"  {group.key}/{group.queue_id} {', '.join(told)}."


def describe_older(pair: Pair) -> Iterator[str]:
    """What the slave has below the master's begin."""
    count = tell_count(pair.choices.older.count, "record")
    begin = pair.master.start.begin_offset
    yield f"Also lost: {count} of the slave below {begin}, where the master's log begins:"
    yield "its retention deleted them, or its first files are lost."


def describe_cut(pair: Pair) -> Iterator[str]:
    """Whole records that no start reaches, by store."""
    for name, lost in pair.choices.cut.items():
        yield (
            f"  Either way, if not saved: {tell_count(lost.count, 'whole record')} behind the "
            f"{name}'s log end, which its start does not reach and the other log lacks."
        )


def describe_lost(lost: Lost, holder: str) -> Iterator[str]:
    """Records that only the other store has."""
    if not lost.count:
        yield f"No record is lost: the {holder} has none alone."
        return
    counts = sorted(lost.by_queue.items(), key=lambda item: -item[1])
    told = ", ".join(f"{t}/{q} {count:,}" for (t, q), count in counts[:QUEUES_SHOWN])
    more = f", {len(counts) - QUEUES_SHOWN} more queues" if len(counts) > QUEUES_SHOWN else ""
    count = tell_count(lost.count, "record")
    yield f"Lost: {count} that only the {holder} has: {told}{more}."
    for record in lost.first[:RECORDS_SHOWN]:
        yield f"  {tell_record(record)}"
    if lost.count > RECORDS_SHOWN:
        yield f"  ... and {lost.count - RECORDS_SHOWN:,} more; --lost FILE writes them all."


def describe_sought(pair: Pair) -> Iterator[str]:
    """Which store has what was acknowledged; without a list, what two stores cannot tell."""
    if not pair.sought:
        choices = pair.choices
        if choices.if_master_stays.count or choices.if_slave_is_promoted.count:
            yield "Which of these were answered PUT_OK no store knows: --acked FILE tells it."
        return
    names = (pair.master.name, pair.slave.name)
    only_master, only_slave = ([s for s in pair.sought if s.holders == (n,)] for n in names)
    nowhere = [s for s in pair.sought if not s.holders]
    both = len(pair.sought) - len(only_master) - len(only_slave) - len(nowhere)
    yield (
        f"Of {tell_count(len(pair.sought), 'acknowledged message')} both have {both}, only the "
        f"master {len(only_master)}, only the {pair.slave.name} {len(only_slave)}, "
        f"neither {len(nowhere)}."
    )
    for sought in (*nowhere, *only_master, *only_slave)[:TABLES_SHOWN]:
        yield f"  {sought.acknowledged.text}: {sought.holders[0] if sought.holders else 'nowhere'}"
