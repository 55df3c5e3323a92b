"""Every artefact, in the order in which they are told.

An artefact knows by itself whether it is current: it stores a digest of the recorded rules and
claims that it was computed from, or, for a page, is written again and compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from attrs import frozen

from command_line.answers.fault_sets import search_borders
from command_line.renewal.artefact import Artefact, Need, NotRenewedError, Say
from command_line.renewal.certified import list_certificates, name_certificate
from command_line.renewal.modules import list_modules
from command_line.renewal.pages import list_pages
from properties.checkout import PROGRAM
from properties.comparison import difference_search, repairs
from properties.language.world import ClaimedStructure
from properties.restrictions import results
from properties.scenarios import stock_sizes
from properties.scenarios.courses.certificates import GROUPS, load_courses, save_courses
from properties.scenarios.courses.verdicts import decide_courses
from properties.schedules.known_schedules import load_known_schedules
from properties.verdicts.certificates import get_world_folder
from properties.verdicts.fault_sets.certificates import list_open_sets, load_borders, save_borders
from properties.verdicts.renewal import RENEWAL_DEPTH_LIMIT
from properties.verdicts.verdict import InternalDisagreementError
from properties.worlds.catalogue import Tag, list_tagged
from properties.z3 import cores
from properties.z3.obligations import load_proof
from properties.z3.vacuity import (
    are_witnesses_current,
    has_witnesses,
    load_open_questions,
    renew_witnesses,
    save_witnesses,
)


def list_artefacts(*, is_accepting: bool = False) -> list[Artefact]:
    """All of them; ``is_accepting`` writes verdicts that have changed."""
    told = [
        *list_certificates(is_accepting=is_accepting),
        *list_entries(),
        *list_comparisons(),
        *list_modules(),
    ]
    names = tuple(each.name for each in told if each.need is not Need.MEASUREMENT)
    return [*told, *list_pages(names)]


def is_loaded(load: Callable[[], object]) -> bool:
    """Something is stored, and made from what its inputs are now."""
    try:
        return bool(load())
    except InternalDisagreementError:
        return False


@frozen
class StructureTable:
    """What is stored about many structures, each for itself, and made from its certificate."""

    name: str
    need: Need
    structures: Iterable[Any]
    load: Callable[[Any], object]
    """What is stored about a structure; nothing, or InternalDisagreementError, if it is stale."""
    make: Callable[[Any, Say], str]
    seconds: float


def list_entries() -> Iterator[Artefact]:
    """An artefact for each structure of each table."""
    for table in TABLES:
        for structure in table.structures:
            yield Artefact(
                f"{table.name} of {structure.name}",
                table.need,
                partial(is_loaded, partial(table.load, structure)),
                partial(table.make, structure),
                (name_certificate(structure),),
                structure.name,
                table.seconds,
            )


def make_witnesses(structure: ClaimedStructure, say: Say) -> str:
    """Replay the known ones, and search for what they no longer reach; open questions stay so."""
    again = f"run `{PROGRAM} prove --search`"
    if not has_witnesses(structure):
        raise NotRenewedError(f"{structure.name} was never searched for witnesses; {again}")
    left_open = set(load_open_questions(structure))
    known = load_known_schedules(get_world_folder(structure))
    answers = renew_witnesses(
        structure, say, known=known, depth_limit=RENEWAL_DEPTH_LIMIT, left_open=left_open
    )
    missing = {a.question for a in answers if a.is_open}
    if new := sorted(missing - left_open):
        raise NotRenewedError(f"nothing shows that {new[0]} is reachable; {again}")
    save_witnesses({structure: answers})
    return f"{sum(a.schedule is not None for a in answers)} reached"


def make_fault_sets(structure: ClaimedStructure, say: Say) -> str:
    """Decide every set again; one that was open, and still is, is not searched again."""
    before = list_open_sets(structure)
    borders = search_borders(structure, say, before)
    save_borders({structure: borders})
    left = {(faults, border.guarantee) for border in borders for faults in border.undecided}
    kept = len(left & {*before})
    command = f'`{PROGRAM} prove --fault-sets --search --structure "{structure.name}"`'
    told = f", {kept} open sets not searched again; {command} does" if kept else ""
    return f"{len(borders)} guarantees{told}"


def make_restrictions(structure: ClaimedStructure, say: Say) -> str:
    """Relax and judge every restriction again."""
    judged = results.judge_structure(structure, say)
    results.save_judged(structure, judged)
    return f"{sum(j.is_load_bearing for j in judged)} of {len(judged)} are needed"


def make_courses(structure: Any, say: Say) -> str:
    """Prove or refute again what each course after an outage keeps."""
    known = load_known_schedules(get_world_folder(structure))
    verdicts = decide_courses(structure, known, say)
    save_courses(structure, verdicts)
    return f"{len(verdicts)} questions"


def make_cores(structure: ClaimedStructure, say: Say) -> str:
    """Find those anew that prove no more what they proved."""
    say("facts of each proof")
    found = cores.find_cores(load_proof(structure), known=cores.read_known(structure))
    cores.save_cores(structure, found)
    return f"{len(found)} obligations"


TABLES = (
    StructureTable(
        "witnesses",
        Need.ANSWER,
        list_tagged(Tag.USUAL, Tag.SYSTEM),
        are_witnesses_current,
        make_witnesses,
        seconds=2,
    ),
    StructureTable(
        "fault sets",
        Need.ANSWER,
        list_tagged(Tag.FAULT_SETS),
        load_borders,
        make_fault_sets,
        seconds=8,
    ),
    StructureTable(
        "restrictions",
        Need.PAGE,
        list_tagged(Tag.SMALL),
        results.load_judged,
        make_restrictions,
        seconds=240,
    ),
    StructureTable(
        "cores",
        Need.PAGE,
        list_tagged(Tag.CORES),
        cores.load_cores,
        make_cores,
        seconds=12,
    ),
    StructureTable(
        "courses",
        Need.PAGE,
        GROUPS,
        load_courses,
        make_courses,
        seconds=70,
    ),
)
"""How each rule and premise is reached; the sets of faults that guarantees survive; the conditions
that proofs need; the facts that they need; what courses after an outage of the master keep."""


def list_comparisons() -> Iterator[Artefact]:
    """What releases and repairs change, and the stock pair in files of stock size."""
    for name in difference_search.LOOKED_AT:
        yield Artefact(
            f"differences of {name}",
            Need.ANSWER,
            partial(is_loaded, partial(difference_search.load_differences, name)),
            partial(make_differences, name),
            seconds=10,
        )
    for release in repairs.list_repaired_releases():
        yield Artefact(
            repairs.name_artefact(release),
            Need.ANSWER,
            partial(is_loaded, partial(repairs.load_repairs, release)),
            partial(make_repairs, release),
            seconds=10,
        )
    yield Artefact(
        "schedules in stock sizes",
        Need.PAGE,
        partial(is_loaded, stock_sizes.load),
        make_stock_sizes,
        (name_certificate(stock_sizes.PAIR),),
        seconds=120,
    )


def make_differences(name: str, say: Say) -> str:
    """Prove or replay the observable differences of a release again."""
    say("observable differences")
    found = difference_search.renew_differences(name)
    difference_search.save_differences({name: found})
    return f"{len(found)} differences"


def make_repairs(release: str, say: Say) -> str:
    """Decide every repair of a release again."""
    say("what they prove and break")
    found = repairs.decide_repairs(release)
    repairs.save_repairs(release, found)
    return f"{len(found)} repairs"


def make_stock_sizes(say: Say) -> str:
    """Replay known schedules in files of 1 GiB; nothing is searched."""
    found = list(stock_sizes.renew_all(say))
    stock_sizes.save(found)
    known = sum(bool(each.schedule) for each in found)
    again = "`python -m properties.scenarios.stock_sizes` searches, in half an hour"
    return f"{known} of {len(found)} refuted by what is known; {again}"
