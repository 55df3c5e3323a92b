"""Rows of the oracle as restarts: what real classes made of a log received up to a cut.

A row of one layer is a slave that has received its master's log up to ``cut``. In a row of two
layers the first one is what an older life left behind the cut. What else a row damages, no rule of
the model describes: `UNCOVERED` says why, by family.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import evolve, frozen

from reference.language.machine import Action, Machine
from reference.store.recovery import RECOVERED_FILES
from reference.worlds.replication.lineage import has_message
from reference.worlds.replication.parameters import Parameters
from reference.worlds.replication.state import (
    ANSWERED,
    Cluster,
    CommitLog,
    Master,
    Message,
    Slave,
)
from tests.abstraction.covering import MACHINE
from tests.abstraction.group import LIMITS, LIVES, STRUCTURE
from tests.abstraction.steps import SLAVE_STARTS

Row = Mapping[str, Any]

UNCOVERED = {
    "damage_inside_checkpoint": (
        "a record in the middle is damaged on disk; the model's disks lose bytes at a tail or whole"
    ),
    "field": "a field of a record is wrong; no master of the model writes such a record",
    "odd_files": "files of a wrong length or name, or a file that is missing between two others",
    "no_blank_left": "a file ends less than eight bytes behind a message; no master does that",
}
"""Families whose rows are no restart of the model, and why."""

EXCEPTIONS = {
    "three files made in advance": (
        "a normal exit looks at the last three files only; here all of them are zeros, and what"
        " lies before counts as full. No broker makes more than two files in advance, and a normal"
        " exit removes them"
    ),
    "old bytes in later files": (
        "old records go on in the next file; a cut deletes later files, so this takes a power loss"
        " (the gap 'pages of a later file')"
    ),
}
"""Rows of other families that no rule has to cover, and why."""


@frozen
class Case:
    """A row as a restart."""

    before: Cluster
    end: int
    begin: int
    files: list[list[int]]
    first_difference: int | None


def list_items(layer: Row) -> list[tuple[int, int]]:
    """Begin and end of each record or blank."""
    return [
        (item["at"], item["at"] + item.get("n", item.get("blank", 0))) for item in layer["items"]
    ]


def list_records(image: Row) -> list[tuple[int, int]]:
    """Begin and end of each record of the undamaged log."""
    items = image["layers"][image["truth"]]["items"]
    return [(item["at"], item["at"] + item["n"]) for item in items if "n" in item]


def find_exception(row: Row) -> str | None:
    """Why no rule has what the real classes made of a row; None: one has to."""
    files, size = row["image"]["files"], row["cfg"]["file_size"]
    cut = max(row["cut"], files[0][0])
    later = [base for base, _ in files if base > cut]
    if not row["cfg"].get("abort") and len(later) >= RECOVERED_FILES:
        return "three files made in advance"
    if find_stale(row) > max(cut - 1, files[0][0]) // size * size + size:
        return "old bytes in later files"
    return None


def spread(life: int, begin: int, end: int) -> tuple[int, ...]:
    """A log all of whose bytes are of one life."""
    return tuple(end if life <= i else begin for i in range(LIVES))


def find_stale(row: Row) -> int:
    """Where the bytes behind the cut end that were there before; 0: none."""
    image = row["image"]
    if len(image["layers"]) == 1:
        return 0
    layer = image["layers"][0]
    if "items" in layer:
        end = list_items(layer)[-1][1]
    else:
        end = layer["to"] if "to" in layer else layer["at"] + len(layer["hex"]) // 2
    if "hex" in image["layers"][1]:
        layer = image["layers"][1]
        end = layer["at"] + len(layer["hex"]) // 2
    return int(end)


def read_case(row: Row, *, is_followed: bool) -> Case:
    """The restart that a row is; with the record followed that is cut."""
    image, cut, size = row["image"], row["cut"], row["cfg"]["file_size"]
    truth = list_items(image["layers"][image["truth"]])
    begin, life = image["files"][0][0], int(len(image["layers"]) > 1)
    cut = max(cut, begin)
    last = next(b for b, _ in reversed(image["files"]) if b < cut or b == begin)
    log = CommitLog(
        ends=spread(life, begin, cut),
        start_offset=begin,
        last_file_offset=last,
        has_file=True,
        stale_end_offset=min(find_stale(row), last + size),
    )
    whole = CommitLog(
        ends=spread(life, begin, truth[-1][1]),
        start_offset=begin,
        last_file_offset=(truth[-1][1] - 1) // size * size,
        has_file=True,
    )
    torn = [(a, b) for a, b in list_records(image) if a < cut < b and is_followed]
    message = Message()
    for a, b in torn:
        message = Message(phase=ANSWERED, start_offset=a, end_offset=b, ghost_life=life)
    sizes = Parameters(mapped_file_size_bytes=size, message_size_max_bytes=size - 8, limits=LIMITS)
    cluster = evolve(
        STRUCTURE.make_initial(sizes),
        master=Master(log=whole, ghost_life=life),
        slaves=(Slave(log=log, is_up=False),),
        messages=(message,),
    )
    told = row["out"][0]
    return Case(cluster, told["max"], told["min"], told["files"], told.get("first_diff"))


def list_misses(case: Case, after: Cluster) -> Iterator[str]:
    """What a rule says of the log that the real classes do not."""
    log, size = after.slaves[0].log, after.parameters.mapped_file_size_bytes
    files = case.files if len(case.files) < 2 or case.files[-1][1] else case.files[:-1]
    last = log.last_file_offset
    if log.start_offset < last == log.max_offset:
        last -= size
    pairs = {
        "max": (log.max_offset, case.end),
        "min": (log.start_offset, case.begin),
        "flushed": (log.flushed_offset, case.end),
        "last file": (last, files[-1][0]),
    }
    yield from (
        f"{name} {one}, not {other}" for name, (one, other) in pairs.items() if one != other
    )
    at = case.first_difference
    hull = range(log.ghost_foreign_start_offset, log.ghost_foreign_end_offset)
    if at is not None and at >= log.ghost_unknown_below_offset and at not in hull:
        yield f"the byte at {at} is not told to be another one"
    message = after.messages[0]
    is_hit = at is not None and message.start_offset <= at < message.end_offset
    if is_hit and has_message(log, message):
        yield "the followed message is not whole"


def find_rule(case: Case, machine: Machine = MACHINE) -> tuple[str | None, list[str]]:
    """The rule whose range has what the real classes made of the row."""
    told = []
    for name in SLAVE_STARTS:
        if f"{name}[0]" not in machine.instances:
            continue
        action = Action(f"{name}[0]", {"recovered_offset": case.end})
        outcome = machine.step(case.before, action)
        if outcome.is_refused:
            told.append(f"{name}: {', '.join(outcome.failed)}")
            continue
        misses = list(list_misses(case, outcome.cluster))
        if not misses:
            return name, []
        told.append(f"{name}: {'; '.join(misses)}")
    return None, told
