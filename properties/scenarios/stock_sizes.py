"""Refuted verdicts in the sizes that brokers are installed with: files of 1 GiB, not of 4 bytes.

Most shortest schedules of small sizes fit into one file, and refute in any. Those that need a full
file begin with what fills it, and the shortest continuation is searched. Both are searched for
schedules with fewer steps, with offsets of 36 bits. ``python -m properties.scenarios.stock_sizes``
searches all again, in about half an hour. Once rules have changed, ``renew_all`` takes what still
refutes, and says that nothing was searched since.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby
from typing import Any

from attrs import asdict, evolve, frozen

from properties.generated_text import count_steps
from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import ScheduleError, follow, is_refuted_by
from properties.verdicts.certificates import (
    CERTIFICATE_FOLDER,
    decode_schedule,
    encode_schedule,
    load_cells,
)
from properties.verdicts.fingerprint import compute_digest
from properties.verdicts.storage.certificate_files import read_entries, render_entries, write_whole
from properties.verdicts.verdict import Verdict, VerdictWord, record_violation
from properties.worlds.replication.world import ClaimedGroup
from properties.z3.bounded_search import BoundedAnswer, BoundedSearch
from properties.z3.induction import prove_lemmas
from reference.language.machine import Action
from reference.worlds.replication.parameters import Parameters

PAIR = ClaimedGroup(slaves=1)
"""The stock pair, whose verdicts operators read first."""

FILE = CERTIFICATE_FOLDER / "stock_sizes.json"

OFFSET_BITS = 36
"""Three files of 1 GiB, and the sum of an offset and two files, with a sign."""

FILES = 3

DEPTH_MAX, DEPTH_MAX_FILLED = 11, 13
"""Beyond so many steps nothing is searched, from the initial state and behind a full file: a depth
takes minutes there."""

NOT_SEARCHED = -1
"""The depth searched of a verdict that rules have changed since."""

OLD = "not searched again since rules have changed"
"""What is said of it."""


@frozen
class StockVerdict:
    """What refutes a guarantee in stock sizes."""

    guarantee: str
    fault: str
    beginning: str
    """What fills the first file, a name of BEGINNINGS; empty if nothing has to. If no schedule is
    known, the last one that was tried."""
    schedule: tuple[Action, ...]
    """The steps from there; none if none are known."""
    depth_searched: int
    """No schedule from there has so many steps or fewer; or NOT_SEARCHED."""

    @property
    def is_searched(self) -> bool:
        """Fewer steps were searched with the rules as they are."""
        return self.depth_searched != NOT_SEARCHED

    @property
    def is_shortest(self) -> bool:
        """No schedule from there has fewer steps."""
        return self.depth_searched + 1 == len(self.schedule)


def make_stock_parameters(fault_model: FaultModel) -> Parameters:
    """The sizes of a broker as it is installed, with a modelled log of three files."""
    stock = ClaimedGroup.usual_parameters.limit(fault_model.search_limits)
    end = FILES * stock.mapped_file_size_bytes
    return evolve(stock, ghost_log_size_max_bytes=end)


def list_fill_sizes(sizes: Parameters) -> Iterator[int]:
    """The fewest messages that leave room for one frame, at the end of the first file."""
    left = sizes.mapped_file_size_bytes - sizes.ha_transfer_batch_size_bytes
    while left:
        yield min(left, sizes.message_size_max_bytes)
        left -= min(left, sizes.message_size_max_bytes)


def fill_alone(sizes: Parameters) -> Iterator[Action]:
    """Other messages fill the master's first file, but for one frame; no slave is connected."""
    for size in list_fill_sizes(sizes):
        yield Action("append_other_message", {"size_bytes": size})


def fill_both(sizes: Parameters) -> Iterator[Action]:
    """The slave connects to the empty master, and copies what fills the first file."""
    frame = sizes.ha_transfer_batch_size_bytes
    yield Action("connect_slave[0]", {})
    yield Action("report_offset[0]", {})
    yield Action("receive_report[0]", {"slave_offset": 0})
    yield Action("position_transfer[0]", {})
    for size in list_fill_sizes(sizes):
        yield Action("append_other_message", {"size_bytes": size})
        for _ in range(size // frame):
            yield Action("transfer_batch[0]", {"size_bytes": frame})
            yield Action("append_to_slave[0]", {"size_bytes": frame})
    yield Action("receive_report[0]", {"slave_offset": sum(list_fill_sizes(sizes))})


BEGINNINGS: Mapping[str, Callable[[Parameters], Iterator[Action]]] = {
    "the master's first file is filled": fill_alone,
    "the master's first file is filled and copied": fill_both,
}


@cache
def make_begin(beginning: str, fault_model: FaultModel) -> Any:
    """The state after a beginning, in stock sizes."""
    parameters = make_stock_parameters(fault_model)
    steps = BEGINNINGS[beginning](parameters) if beginning else ()
    for _, state in follow(PAIR, parameters, steps):
        last = state
    return last


def is_confirmed(verdict: StockVerdict) -> bool:
    """The reference takes all steps in stock sizes, and the last one violates the guarantee."""
    parameters = make_stock_parameters(PAIR.world.get_fault_model(verdict.fault))
    before = BEGINNINGS[verdict.beginning](parameters) if verdict.beginning else ()
    return is_refuted_by(verdict.guarantee, PAIR, parameters, [*before, *verdict.schedule])


def is_confirmed_behind(verdict: StockVerdict) -> bool:
    """The same from the state after its beginning, which is computed once for all verdicts."""
    fault_model = PAIR.world.get_fault_model(verdict.fault)
    try:
        begin = make_begin(verdict.beginning, fault_model)
    except (ScheduleError, KeyError):
        return False
    return is_refuted_by(verdict.guarantee, PAIR, begin.parameters, verdict.schedule, begin)


def list_refuted() -> list[Verdict]:
    """The refuted guarantees of the pair."""
    guarantees = PAIR.world.guarantees
    return [
        verdict
        for verdict in load_cells(PAIR).values()
        if verdict.word is VerdictWord.REFUTED and verdict.guarantee in guarantees
    ]


def renew_all(on_progress: Callable[[str], None]) -> Iterator[StockVerdict]:
    """Every refuted guarantee of the pair, by what is known: nothing is searched."""
    content = read_content()
    try:
        known = {} if content is None else decode_content(content)
    except (KeyError, TypeError, ValueError, AttributeError):  # It is damaged inside.
        known = {}
    for cell in list_refuted():
        on_progress(f"{cell.guarantee}, {cell.fault}")
        yield renew_one(cell, known.get((cell.guarantee, cell.fault)))


def renew_one(cell: Verdict, before: StockVerdict | None) -> StockVerdict:
    """What is known and still refutes, else the certificate's schedule if it does, else none."""
    small = StockVerdict(cell.guarantee, cell.fault, "", cell.schedule, NOT_SEARCHED)
    for known in (before, small):
        if known and known.schedule and is_confirmed_behind(known):
            return evolve(known, depth_searched=NOT_SEARCHED)
    return evolve(small, beginning=[*BEGINNINGS][-1], schedule=())


def search_all(
    refuted: Iterable[Verdict], on_progress: Callable[[str], None]
) -> Iterator[StockVerdict]:
    """These refuted guarantees of the pair, in stock sizes."""
    for fault, cells in groupby(refuted, key=lambda verdict: verdict.fault):
        fault_model = PAIR.world.get_fault_model(fault)
        parameters = make_stock_parameters(fault_model)
        schedules = {verdict.guarantee: verdict.schedule for verdict in cells}
        kept = {
            name: len(schedule) - 1
            for name, schedule in schedules.items()
            if is_refuted_by(name, PAIR, parameters, schedule)
        }
        for name, answer in search_from("", fault_model, kept, on_progress).items():
            schedule = answer.schedule or schedules[name]
            yield StockVerdict(name, fault, "", schedule, count_searched(answer))
        left = {name: len(steps) for name, steps in schedules.items() if name not in kept}
        for beginning in BEGINNINGS:
            answers = search_from(beginning, fault_model, left, on_progress)
            for name, answer in answers.items():
                if answer.schedule or beginning == [*BEGINNINGS][-1]:
                    searched = count_searched(answer)
                    yield StockVerdict(name, fault, beginning, answer.schedule or (), searched)
            left = {name: steps for name, steps in left.items() if not answers[name].schedule}


def count_searched(answer: BoundedAnswer) -> int:
    """The depth up to which there is no schedule."""
    return answer.depth - (answer.schedule is not None)


def search_from(
    beginning: str,
    fault_model: FaultModel,
    depths: Mapping[str, int],
    on_progress: Callable[[str], None],
) -> Mapping[str, BoundedAnswer]:
    """The answers of bounded search from a beginning, for guarantees and depths."""
    if not depths:
        return {}
    begin = make_begin(beginning, fault_model)
    limit = DEPTH_MAX_FILLED if beginning else DEPTH_MAX
    search = BoundedSearch(
        PAIR,
        fault_model,
        prove_lemmas(PAIR),
        sizes=begin.parameters,
        initial=begin,
        offset_bits=OFFSET_BITS,
    )
    return search.find_shortest(
        {name: record_violation(PAIR, name) for name in depths},
        depth_limits={name: min(depth, limit) for name, depth in depths.items()},
        on_progress=lambda depth, left: on_progress(
            f"{fault_model.name}, {beginning or 'from the beginning'}: depth {depth}, {left} open"
        ),
    )


def save(verdicts: Iterable[StockVerdict]) -> None:
    """Write the verdicts for these rules."""
    cells = [{**asdict(v), "schedule": encode_schedule(v.schedule)} for v in verdicts]
    write_whole(FILE, render_entries({"digest": compute_digest(PAIR), "cells": cells}))


@cache
def load() -> Mapping[tuple[str, str], StockVerdict]:
    """The verdicts by guarantee and fault model; none if they are of other rules or damaged."""
    content = read_content()
    if content is None or content.get("digest") != compute_digest(PAIR):
        return {}
    return decode_content(content)


def read_content() -> dict[str, Any] | None:
    """What is stored, of whatever rules; None if it is missing or damaged."""
    try:
        return read_entries(FILE)
    except (OSError, ValueError):
        return None


def decode_content(content: Mapping[str, Any]) -> Mapping[tuple[str, str], StockVerdict]:
    """The stored verdicts by guarantee and fault model."""
    found = (
        StockVerdict(**{**cell, "schedule": decode_schedule(cell["schedule"])})
        for cell in content["cells"]
    )
    return {(verdict.guarantee, verdict.fault): verdict for verdict in found}


def say_stock(structure: ClaimedStructure, verdict: Verdict) -> str:
    """A sentence about a refuted verdict in stock sizes; empty if none is known."""
    found = load().get((verdict.guarantee, verdict.fault)) if structure == PAIR else None
    return f"In stock sizes, with files of 1 GiB, {_say_steps(found)}." if found else ""


def _say_steps(found: StockVerdict) -> str:
    searched = count_steps(found.depth_searched)
    if not found.schedule:
        told = f"none of up to {searched} after a full file" if found.is_searched else OLD
        return f"none is known: {told}"
    before = f"{found.beginning}; then " if found.beginning else ""
    bound = "and no fewer" if found.is_shortest else f"and none of up to {searched}"
    told = bound if found.is_searched else OLD
    return f"{before}{count_steps(len(found.schedule))} break it, {told}"


if __name__ == "__main__":
    save(search_all(list_refuted(), lambda text: print(text, file=sys.stderr)))
