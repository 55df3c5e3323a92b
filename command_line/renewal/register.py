"""Every artefact, in the order in which they are told.

An artefact knows by itself whether it is current: it stores a digest of the recorded rules and
claims that it was computed from, or, for a page, is written again and compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from command_line.answers.fault_sets import search_borders
from command_line.docs import UPDATES, rewrite
from command_line.renewal.artefact import Artefact, Need, NotRenewedError, Say
from command_line.renewal.certified import list_certificates, name_certificate
from command_line.renewal.modules import list_modules
from properties.comparison import difference_search, repairs
from properties.generated_text import ROOT
from properties.restrictions import results
from properties.scenarios import stock_sizes
from properties.schedules.known_schedules import load_known_schedules
from properties.verdicts.certificates import get_world_folder
from properties.verdicts.fault_sets.certificates import (
    BORDERED_STRUCTURES,
    load_borders,
    save_borders,
)
from properties.verdicts.renewal import RENEWAL_DEPTH_LIMIT
from properties.verdicts.verdict import InternalDisagreementError
from properties.worlds import PROVED_STRUCTURES
from properties.z3 import cores
from properties.z3.obligations import load_proof
from properties.z3.vacuity import (
    are_witnesses_current,
    has_witnesses,
    load_open_questions,
    renew_witnesses,
    save_witnesses,
)
from reference.checkout import PROGRAM


def list_artefacts(*, is_accepting: bool = False) -> list[Artefact]:
    """All of them; ``is_accepting`` writes verdicts that have changed."""
    return [
        *list_certificates(is_accepting=is_accepting),
        *list_witnesses(),
        *list_fault_sets(),
        *list_restrictions(),
        *list_cores(),
        *list_comparisons(),
        *list_modules(),
        *list_pages(),
    ]


def is_loaded(load: Callable[[], object]) -> bool:
    """Something is stored, and made from what its inputs are now."""
    try:
        return bool(load())
    except InternalDisagreementError:
        return False


def list_witnesses() -> Iterator[Artefact]:
    """How every rule and premise of a structure is reached."""
    for structure in PROVED_STRUCTURES.values():
        yield Artefact(
            f"witnesses of {structure.name}",
            Need.ANSWER,
            partial(are_witnesses_current, structure),
            partial(make_witnesses, structure),
            (name_certificate(structure),),
            structure.name,
            seconds=2,
        )


def make_witnesses(structure: Any, say: Say) -> str:
    """Replay the known ones, and search for what they no longer reach."""
    again = f"run `{PROGRAM} prove --search`"
    if not has_witnesses(structure):
        raise NotRenewedError(f"{structure.name} was never searched for witnesses; {again}")
    left_open = set(load_open_questions(structure))
    known = load_known_schedules(get_world_folder(structure))
    answers = renew_witnesses(structure, say, known=known, depth_limit=RENEWAL_DEPTH_LIMIT)
    missing = {a.question for a in answers if a.schedule is None and not a.is_impossible}
    if new := sorted(missing - left_open):
        raise NotRenewedError(f"nothing shows that {new[0]} is reachable; {again}")
    save_witnesses({structure: answers})
    return f"{sum(a.schedule is not None for a in answers)} reached"


def list_fault_sets() -> Iterator[Artefact]:
    """The sets of faults that each guarantee of a structure survives."""
    for structure in BORDERED_STRUCTURES:
        yield Artefact(
            f"fault sets of {structure.name}",
            Need.ANSWER,
            partial(is_loaded, partial(load_borders, structure)),
            partial(make_fault_sets, structure),
            (name_certificate(structure),),
            structure.name,
            seconds=8,
        )


def make_fault_sets(structure: Any, say: Say) -> str:
    """Decide every set again."""
    borders = search_borders(structure, say)
    save_borders({structure: borders})
    return f"{len(borders)} guarantees"


def list_restrictions() -> Iterator[Artefact]:
    """The conditions that the proofs about a structure need."""
    for structure in results.JUDGED_STRUCTURES:
        yield Artefact(
            f"restrictions of {structure.name}",
            Need.PAGE,
            partial(is_loaded, partial(results.load_judged, structure)),
            partial(make_restrictions, structure),
            (name_certificate(structure),),
            structure.name,
            seconds=60,
        )


def make_restrictions(structure: Any, say: Say) -> str:
    """Relax and judge every restriction again."""
    judged = results.judge_structure(structure, say)
    results.save_judged(structure, judged)
    return f"{sum(j.is_load_bearing for j in judged)} of {len(judged)} are needed"


def list_cores() -> Iterator[Artefact]:
    """The facts that each proof about a structure needs."""
    for structure in cores.STORED_STRUCTURES:
        yield Artefact(
            f"cores of {structure.name}",
            Need.PAGE,
            partial(is_loaded, partial(cores.load_cores, structure)),
            partial(make_cores, structure),
            (name_certificate(structure),),
            structure.name,
            seconds=12,
        )


def make_cores(structure: Any, say: Say) -> str:
    """Find them anew."""
    say("facts of each proof")
    found = cores.find_cores(load_proof(structure))
    cores.save_cores(structure, found)
    return f"{len(found)} obligations"


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
    yield Artefact(
        "repairs",
        Need.ANSWER,
        partial(is_loaded, repairs.load_repairs),
        make_repairs,
        seconds=60,
    )
    yield Artefact(
        "schedules in stock sizes",
        Need.PAGE,
        partial(is_loaded, stock_sizes.load),
        make_stock_sizes,
        (name_certificate(stock_sizes.PAIR),),
        seconds=1800,
    )


def make_differences(name: str, say: Say) -> str:
    """Decide the observable differences of a release again."""
    say("observable differences")
    found = difference_search.search_differences(name)
    difference_search.save_differences({name: found})
    return f"{len(found)} differences"


def make_repairs(say: Say) -> str:
    """Decide every repair of every release again."""
    found = []
    for release in repairs.list_repaired_releases():
        for variant in difference_search.REPAIRS:
            say(f"{variant} in {release}")
            found.append(repairs.decide_repair(release, variant))
    repairs.save_repairs(found)
    return f"{len(found)} repairs"


def make_stock_sizes(say: Say) -> str:
    """Search again for schedules in files of 1 GiB."""
    found = list(stock_sizes.search_all(say))
    stock_sizes.save(found)
    return f"{len(found)} verdicts"


def list_pages() -> Iterator[Artefact]:
    """The generated parts of the book, after everything that they tell."""
    needed = tuple(each.name for each in (*list_certificates(is_accepting=False), *list_told()))
    for name in UPDATES:
        yield Artefact(
            name,
            Need.PAGE,
            partial(is_page_current, name),
            partial(make_page, name),
            needed,
            "the book",
            seconds=3,
        )


def list_told() -> Iterable[Artefact]:
    """What pages tell besides the certificates."""
    return (
        *list_witnesses(),
        *list_fault_sets(),
        *list_restrictions(),
        *list_cores(),
        *list_comparisons(),
        *(each for each in list_modules() if each.need is not Need.MEASUREMENT),
    )


def is_page_current(name: str) -> bool:
    """Its generated parts, written again, are the same."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return UPDATES[name](text) == text


def make_page(name: str, say: Say) -> str:
    """Write its generated parts again."""
    say("generated parts")
    return "rewritten" if rewrite(name) else "as it was"
