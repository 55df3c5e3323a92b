"""``rmqspec store``: what brokers left on disk, compared, and what a promotion would lose."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click
from attrs import define

from brokers.disk.comparison.accounting import list_cut, list_missing
from brokers.disk.comparison.acknowledged import Acknowledged, read_acknowledged
from brokers.disk.files.folders import StoreError
from brokers.disk.findings import FindingKind
from brokers.disk.reading import read_stored_broker
from brokers.disk.stability import Stability, find_change
from brokers.disk.stored_brokers import MASTER, StoredBroker
from command_line.answers.stores import as_json
from command_line.answers.stores.model import describe_in_model, tell_in_model
from command_line.answers.stores.pair import Pair, compare_stores
from command_line.answers.stores.screen import describe_stores
from command_line.options.version_option import add_version_option
from command_line.output import exit_codes
from command_line.output.new_files import check_new, tell_problem
from command_line.output.progress import ProgressLine, show_progress
from command_line.output.width import echo
from reference.releases.start_rules import make_start_rules
from reference.releases.versions import Version

EPILOG = """\b
Examples:
  rmqspec store master/store slave/store
  rmqspec store master/store
  rmqspec store master slave slave2 --json
  rmqspec store master slave --acked ids.txt --lost lost.jsonl
  rmqspec store master slave --explain
  rmqspec store master slave --rocketmq-version 5.3.3

MASTER and SLAVE are stores (storePathRootDir), folders around them, or broker.conf files that name
them. Nothing in them is changed. Read copies, snapshots or the stores of stopped brokers; of a
running broker's store the part is read that is there, and the output says so. Each line of --acked
is a message id of a producer or a broker, or an offset of the log.

Exit codes: 0 the logs and tables of all slaves equal their master's (for one store: its broker
starts and no file of its log is missing), 1 one differs (the broker does not start, or a file is
missing), 2 nothing can be said of one, 3 a store cannot be read.
"""


@define
class Reporter:
    """Bytes that were read, on the line of progress."""

    line: ProgressLine
    total_bytes: int
    done_bytes: int = 0
    text: str = ""

    def begin(self, text: str) -> None:
        """Another stage."""
        self.text = text
        self(0)

    def __call__(self, read_bytes: int) -> None:
        """So much more was read."""
        self.done_bytes = min(self.total_bytes, self.done_bytes + read_bytes)
        self.line.advance(self.done_bytes, max(1, self.total_bytes), self.text)


@click.command(name="store", epilog=EPILOG)
@click.argument("master", metavar="MASTER")
@click.argument("slaves", nargs=-1, metavar="SLAVE...")
@click.option("--json", "is_json", is_flag=True, help="Print JSON for programs.")
@click.option(
    "--acked",
    "acked",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Messages that were answered PUT_OK, one in each line; says which store has each.",
)
@click.option(
    "--lost",
    "lost",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write every record that one store alone has to a new file, a line of JSON each.",
)
@click.option(
    "--explain",
    "is_explained",
    is_flag=True,
    help="Put the pair into the model: what does not hold, and the shortest way to a loss.",
)
@add_version_option()
def command(  # noqa: PLR0913
    master: str,
    slaves: tuple[str, ...],
    *,
    is_json: bool,
    is_explained: bool,
    acked: Path | None,
    lost: Path | None,
    version: Version,
) -> int:
    """Compare a slave's store with its master's, byte by byte, and say what a promotion would lose.

    With one store: what its broker would do at its next start.
    """
    if lost is not None:
        check_new(lost)
    acknowledged = read_acknowledged(acked) if acked else ()
    with show_progress() as line:
        brokers, reporter = read_all((master, *slaves), version, line)
        pairs = [compare(brokers[0], slave, acknowledged, reporter) for slave in brokers[1:]]
        changes = [find_change(broker) for broker in brokers]
    if lost is not None:
        write_lost(lost, pairs)
    if is_json:
        told = tell_all(brokers, pairs, changes)
        if is_explained:
            told["in_the_model"] = [tell_in_model(pair, version) for pair in pairs]
        click.echo(json.dumps(told, indent=1))
    else:
        echo(f"Model of {version.describe()}.")
        echo("\n".join(describe_stores(brokers, pairs, changes)))
        for pair in pairs if is_explained else ():
            echo("\n".join(describe_in_model(pair, version)))
    if not pairs:
        return exit_codes.ANALYSED if is_sound(brokers[0]) else exit_codes.REFUTED
    return max(pair.exit_code for pair in pairs)


def is_sound(broker: StoredBroker) -> bool:
    """It starts, and its log has no gap."""
    is_gapped = any(remark.kind is FindingKind.MISSING_FILE for remark in broker.remarks)
    return broker.is_up_after_start and not is_gapped


def read_all(
    paths: Sequence[str], version: Version, line: ProgressLine
) -> tuple[list[StoredBroker], Reporter]:
    """The stores, the master's first. Raises StoreError."""
    rules = make_start_rules(version.release)
    names = [MASTER, *name_slaves(len(paths) - 1)]
    reporter = Reporter(line, sum(map(measure, paths)) * 2)
    brokers: list[StoredBroker] = []
    for name, path in zip(names, paths, strict=True):
        reporter.begin(f"reading {path}")
        broker = read_stored_broker(name, path, rules, reporter)
        for other in brokers:
            if other.folder.root.samefile(broker.folder.root):
                raise StoreError(f"{path}: it is the store of {other.path}, which is named already")
        brokers.append(broker)
    return brokers, reporter


def name_slaves(count: int) -> list[str]:
    """``slave``, or numbered ones."""
    return ["slave"] if count == 1 else [f"slave {number}" for number in range(1, count + 1)]


def measure(path: str) -> int:
    """About how much is to be read (bytes)."""
    try:
        return sum(f.stat().st_blocks * 512 for f in Path(path).rglob("commitlog/*"))
    except OSError:
        return 0


def compare(
    master: StoredBroker,
    slave: StoredBroker,
    acknowledged: Sequence[Acknowledged],
    reporter: Reporter,
) -> Pair:
    """One pair. Raises StoreError."""
    reporter.begin(f"comparing {slave.path}")
    try:
        return compare_stores(master, slave, acknowledged, reporter)
    except OSError as problem:
        raise StoreError(f"{problem.filename or slave.path}: {problem.strerror}") from problem


def tell_all(
    brokers: Sequence[StoredBroker], pairs: Sequence[Pair], changes: Sequence[Stability | None]
) -> dict[str, object]:
    """For programs."""
    named = zip(brokers, changes, strict=True)
    return {
        "stores": [as_json.tell_broker(broker) for broker in brokers],
        "pairs": [as_json.tell_pair(pair) for pair in pairs],
        "changed_while_read": [broker.name for broker, change in named if change is not None],
    }


def write_lost(path: Path, pairs: Sequence[Pair]) -> None:
    """Every record that one store alone has, those that no start reaches last."""
    with tell_problem(path), path.open("x", encoding="utf-8") as file:
        for pair in pairs:
            for holder, other in ((pair.master, pair.slave), (pair.slave, pair.master)):
                for is_served, list_records in ((True, list_missing), (False, list_cut)):
                    for record in list_records(holder, other, pair.logs):
                        told = {"only_on": holder.name, "is_in_its_log": is_served}
                        told |= {"slave": str(pair.slave.path), **as_json.tell_record(record)}
                        file.write(json.dumps(told) + "\n")
