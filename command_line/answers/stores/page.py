"""The chapter about stores: its tables, and the screen of a real pair."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from brokers.disk.reading import read_stored_broker
from command_line.answers.stores.pair import compare_stores
from command_line.answers.stores.screen import describe_stores
from command_line.output.width import fit_line
from properties.checkout import ROOT
from properties.generated_text import SPEC, Page, render_table
from properties.scenarios.procedures.store_findings import StoreFinding, load_store_findings
from reference.releases.releases import RELEASES
from reference.releases.start_rules import StartRules, make_start_rules

ARCHIVE = ROOT / "tests" / "data" / "stores" / "torn_roll_kill.tar.xz"
FOLDER = "copies"
"""In place of the temporary folder."""
WIDTH = 96


def render_screen() -> str:
    """What ``store`` prints for the pair of the prediction ``torn_roll``."""
    with TemporaryDirectory() as name:
        with tarfile.open(ARCHIVE) as archive:
            archive.extractall(name, filter="data")
        root = Path(name) / "torn_roll_kill"
        lines = [line.replace(str(root), FOLDER) for line in list_lines(root)]
    fitted = "\n".join(fit_line(line, WIDTH) for line in lines)
    return f"```text\n{fitted}\n```"


def list_lines(root: Path) -> Iterator[str]:
    """The whole text, without the width of a terminal."""
    rules = make_start_rules(RELEASES[0])
    master = read_stored_broker("master", root / "master", rules)
    slave = read_stored_broker("slave", root / "slave1", rules)
    pair = compare_stores(master, slave, (), lambda _: None)
    yield from describe_stores((master, slave), (pair,), (None, None))


def render_findings() -> str:
    """Every kind with its meaning and its histories."""
    rows = [list_cells(finding) for finding in load_store_findings().values()]
    return render_table(("Found", "It means", "It may have come about so", "Guarantees"), rows)


def list_cells(finding: StoreFinding) -> tuple[str, ...]:
    """A row of the table."""
    histories = "<br>".join(
        f"{each.text} [More]({each.page.removeprefix('spec/')})." for each in finding.histories
    )
    claims = ", ".join(f"[`{name}`](guarantees.md#{name})" for name in finding.claims)
    return f"*{finding.kind.value}*", finding.means, histories, claims or "-"


FLAGS = {
    "is_other_length_refused": "a file of another length ends the start; before, it and all later "
    "ones are ignored",
    "are_queues_caught_up": "what lies behind the furthest entry of any queue is entered again, "
    "and the start waits for it",
    "are_queues_destroyed": "a log without any file destroys the queues after an orderly stop too",
    "are_entries_known_by_end": "a queue remembers where its last message ends",
    "has_ipv6_hosts": "records with IPv6 addresses",
    "is_folder_skipped": "a folder among the log's files does not count as a file",
    "has_long_topics": "records with two bytes for the topic's length",
    "is_empty_last_file_deleted": "a last file of no bytes is deleted",
    "is_begin_found_by_queues": "after an orderly stop recovery begins where the queues end, and "
    "enters what lies behind, but for the record that begins there",
    "is_empty_queue_file_fatal": "a queue whose last file has no entry ends the start, but for the "
    "file at 0",
    "is_size_checked_first": "a size beyond the file's end is refused first",
}
"""What each flag of the start rules means."""


def render_releases() -> str:
    """Since which release a start differs."""
    rows = []
    for name, text in FLAGS.items():
        has = [release for release in RELEASES if get_flag(make_start_rules(release), name)]
        rows.append((name_span(has), text))
    return render_table(("Releases", "At a start"), rows)


def name_span(releases: list[str]) -> str:
    """The first of them, and where there are none between or after."""
    last = RELEASES.index(releases[-1])
    span = RELEASES[RELEASES.index(releases[0]) : last + 1]
    missing = [release for release in span if release not in releases]
    told = f"{releases[0]}, not in {', '.join(missing)}" if missing else releases[0]
    return told if last == len(RELEASES) - 1 else f"{told} to {releases[-1]}"


def get_flag(rules: StartRules, name: str) -> bool:
    """A flag of the rules, or of their format of records."""
    return bool(getattr(rules, name, False) or getattr(rules.record_format, name, False))


PAGE = Page(
    SPEC / "stores.md",
    {"screen": render_screen, "findings": render_findings, "releases": render_releases},
)
