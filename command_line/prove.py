"""``rmqspec prove``: re-check every certificate, or search again."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

import click
from attrs import evolve, frozen

from command_line.answers.cross_check import check_levels, cross_check_all, open_engine
from command_line.answers.fault_sets import show_fault_sets
from command_line.answers.restrictions import show_restrictions
from command_line.answers.triage import print_consecution, print_triage
from command_line.options.shared_options import (
    CLAIM,
    VARIANT,
    add_fault_option,
    add_structures_option,
    find_fault_model,
    parse_master,
)
from command_line.options.version_option import add_version_option
from command_line.output import exit_codes
from command_line.output.checkout import check_may_rewrite
from command_line.output.progress import show_progress
from command_line.output.workers import run_all
from properties.checkout import PROGRAM, name_page
from properties.comparison.upgrades import compare, get_base, render_change
from properties.judges.foundations import check_foundations
from properties.language.world import ClaimedStructure
from properties.schedules.known_schedules import load_known_schedules
from properties.schedules.related_structures import Schedule
from properties.verdicts import certificates
from properties.verdicts.certificates import encode_schedule
from properties.verdicts.certified_cells import describe
from properties.verdicts.expectations import find_expectation
from properties.verdicts.renewal import (
    RENEWAL_DEPTH_LIMIT,
    Renewal,
    list_added,
    renew,
    search_additions,
)
from properties.verdicts.verdict import Hints, InternalDisagreementError, Verdict, search_structure
from properties.worlds.catalogue import STRUCTURES, Tag, list_tagged, list_tagged_groups
from properties.worlds.replication.fault_models import EVERY_FAULT
from properties.worlds.replication.structures import CERTIFIED_BY_NAME
from properties.worlds.replication.world import SEARCHED_SLAVES_MAX, ClaimedGroup
from properties.z3.induction import SolverGaveUpError
from properties.z3.obligations import load_proof
from properties.z3.ranking import rank_steps
from properties.z3.vacuity import (
    WitnessAnswer,
    are_witnesses_current,
    find_unwitnessed,
    has_witnesses,
    load_open_questions,
    renew_witnesses,
    save_witnesses,
    search_witnesses,
)
from reference.releases.versions import USUAL_VERSION, Version, find_version
from reference.worlds.replication.changes import VARIANTS

EPILOG = """\b
Examples:
  rmqspec prove                                     # re-check all, within two minutes
  rmqspec prove --structure "SYNC_MASTER/ASYNC_FLUSH/1 slave"
  rmqspec prove --guarantee acknowledgement_is_truthful \\
      --structure "SYNC_MASTER/ASYNC_FLUSH/1 slave" # also its verdicts
  rmqspec prove --fault-sets --structure "SYNC_MASTER/ASYNC_FLUSH/1 slave"
  rmqspec prove --restrictions --structure "delay/4.4.0"
  rmqspec prove --rules --structure "SYNC_MASTER/SYNC_FLUSH/0 slaves"
  rmqspec prove --rocketmq-version 4.9.8            # the rules of another release
  rmqspec prove --rocketmq-version 4.9.8 --compare \\
      --structure "SYNC_MASTER/ASYNC_FLUSH/1 slave" # what that release changes
  rmqspec prove --variant report_capped             # a repair instead of RocketMQ 4.4.0
  rmqspec prove --variant report_capped --compare   # what that repair changes
  rmqspec prove --triage acknowledgement_is_truthful --fault "late join" \\
      --structure "SYNC_MASTER/ASYNC_FLUSH/1 slave"
  rmqspec prove --cross-check 20000 --fault "power loss" --structure "delay/4.4.0"
  rmqspec prove --cross-check 20000 --fault "power loss" --structure "delay/4.4.0" \\
      --levels searches/power                       # the same search on disk
  rmqspec prove --search --structure "delay/4.4.0"  # find lemmas and schedules anew

A certificate that was made from other rules is renewed: lemmas are proved again, schedules are
replayed, and only what no longer holds is searched. --search searches everything again, the
shortest schedules too, which takes hours for all structures. Where rules were only added since, it
searches only for schedules that have a step of one of them.

Exit codes: 0 every verdict is as expected, 2 a solver gave up, 3 bad input, 4 missing prerequisite,
70 a verdict is not as expected, 130 interrupted.
"""


@frozen
class StructureAnswer:
    """What was decided about one structure."""

    verdicts: tuple[Verdict, ...]
    endless_steps: tuple[str, ...]
    """Healing steps that are not proved to bring a group nearer to rest."""
    seconds: float
    renewal: str = ""
    """What a change of rules did to the certificate."""
    witnesses: tuple[WitnessAnswer, ...] = ()
    """What is reachable, if a change made some of it known again."""


def parse_search(_context: click.Context, _option: click.Parameter, is_search: bool) -> bool:
    """The value of --search; raises MissingPrerequisiteError for it in an installed copy."""
    if is_search:
        check_may_rewrite("prove --search")
    return is_search


@click.command(name="prove", epilog=EPILOG)
@click.option(
    "--search",
    "is_search",
    is_flag=True,
    callback=parse_search,
    help="Search anew and rewrite certificates; needs a checkout.",
)
@add_structures_option()
@click.option(
    "--guarantee",
    "claims",
    multiple=True,
    type=CLAIM,
    metavar="NAME",
    help="Print the verdicts of this guarantee or convergence claim; may be repeated.",
)
@click.option(
    "--variant",
    "variants",
    multiple=True,
    type=VARIANT,
    metavar="NAME",
    help=f"Prove this variant of the release, see {name_page('variants.md')}; may be repeated to "
    "combine several.",
)
@add_version_option()
@click.option("--compare", "is_comparison", is_flag=True, help="Print what a variant changes.")
@click.option("--rules", "is_by_rule", is_flag=True, help="Check the lemmas rule by rule.")
@click.option(
    "--fault-sets",
    "is_by_fault_set",
    is_flag=True,
    help="Report which combinations of faults each guarantee survives.",
)
@click.option(
    "--restrictions",
    "is_by_restriction",
    is_flag=True,
    help="Relax every guard and range of every rule, one at a time, and report which proofs need "
    "it.",
)
@click.option(
    "--triage",
    "candidate",
    default="",
    metavar="PROPERTY",
    help="Report for each step that may break this claim or lemma under --fault whether it can be "
    "reached.",
)
@add_fault_option(default=EVERY_FAULT.name)
@click.option(
    "--cross-check",
    "states_max",
    default=0,
    show_default=True,
    type=click.IntRange(0),
    metavar="STATES",
    help="Compare shortest schedules under --fault with a breadth-first search of so many states; "
    "0: no comparison.",
)
@click.option(
    "--levels",
    "folder",
    type=click.Path(path_type=Path),
    help="Search for --cross-check on disk, here, with a process per core; after an interruption "
    "the same command continues.",
)
@click.option(
    "--master",
    callback=parse_master,
    help="Spark master URL: its workers search for --levels. They need this environment, and the "
    "folder shared.",
)
@click.option(
    "--jobs",
    default=0,
    show_default=True,
    type=click.IntRange(0, 64),
    help="How many processes; 0: one per core.",
)
@click.option("--json", "is_json", is_flag=True, help="Print JSON for programs.")
def command(  # noqa: PLR0913, PLR0917
    is_search: bool,
    names: tuple[str, ...],
    claims: tuple[str, ...],
    variants: tuple[str, ...],
    version: Version,
    is_comparison: bool,
    is_by_rule: bool,
    is_by_fault_set: bool,
    is_by_restriction: bool,
    candidate: str,
    fault: str,
    states_max: int,
    folder: Path | None,
    master: str | None,
    jobs: int,
    is_json: bool,
) -> int:
    """Prove or refute every guarantee of every structure under every fault model."""
    structures = choose_structures(names, variants, version)
    check_levels(folder, master, states_max)
    structures = keep_candidate(structures, candidate, names)
    structures = keep_fault_model(structures, fault if candidate or states_max else "", names)
    if not is_json:
        click.echo(f"Model of {get_version(structures, version).describe()}.")
    if is_by_rule:
        return max(print_consecution(load_proof(s)) for s in structures)
    if is_by_fault_set:
        return show_fault_sets(structures, claims, is_search=is_search, is_json=is_json)
    if is_by_restriction:
        return show_restrictions(structures, is_search=is_search, is_json=is_json, jobs=jobs)
    if candidate:
        return triage_all(structures, candidate, fault)
    if states_max:
        return cross_check(open_engine(folder, master, jobs), structures, names, fault, states_max)
    answers = prove_all(structures, claims, jobs, is_search=is_search, is_json=is_json)
    if is_json:
        click.echo(json.dumps(as_json(answers, claims, get_version(structures, version)), indent=1))
    elif is_comparison:
        print_comparison(answers)
    return exit_codes.ANALYSED if variants else find_worst(answers)


def prove_all(
    structures: list[ClaimedStructure],
    claims: tuple[str, ...],
    jobs: int,
    *,
    is_search: bool,
    is_json: bool,
) -> dict[ClaimedStructure, StructureAnswer]:
    """What is decided about each structure, printed as it comes unless JSON follows."""
    answers: dict[ClaimedStructure, StructureAnswer] = {}
    with show_progress() as progress:
        show_foundations(progress, is_json=is_json)
        work = search if is_search else recheck
        for structure, answer in run_in_order(work, structures, progress, jobs):
            answers[structure] = answer
            save_witnesses({structure: answer.witnesses} if answer.witnesses else {})
            if not is_json:
                print_answer(structure, answer, claims)
    if is_search and not structures[0].variants:
        search_all_witnesses(structures)
    return answers


def choose_structures(
    names: tuple[str, ...], variants: tuple[str, ...], version: Version
) -> list[Any]:
    """The requested structures; raises click.BadParameter for one that has no such rules.

    Only replication has variants, and rules that differ by release.
    """
    overriding = (*variants, *version.variants)
    if not overriding:
        return [STRUCTURES[n] for n in names] or list(list_tagged(Tag.USUAL, Tag.SYSTEM))
    if others := [n for n in names if n not in CERTIFIED_BY_NAME]:
        raise click.BadParameter(
            f"{others[0]!r} is no structure of replication, and only those differ by variant or "
            "release; leave that option out",
            param_hint="--structure",
        )
    for name in variants:
        if (release := VARIANTS[name].on) and release != version.rule_set:
            raise click.BadParameter(
                f"{name} repairs {release}; add --rocketmq-version {release}",
                param_hint="--variant",
            )
    usual = list_tagged_groups(Tag.COMPARED) if variants else list_tagged_groups(Tag.RELEASED)
    chosen = [CERTIFIED_BY_NAME[n] for n in names] or usual
    repaired = (evolve(s, variants=variants) for s in chosen)
    return list(dict.fromkeys(version.apply(s) for s in repaired))


def get_version(structures: list[ClaimedStructure], version: Version) -> Version:
    """The version to name in the output: that of structures whose names have one."""
    found = {find_version(s.variants) for s in structures}
    return found.pop() if version == USUAL_VERSION and len(found) == 1 else version


def keep_candidate(
    structures: list[ClaimedStructure], candidate: str, names: tuple[str, ...]
) -> list[ClaimedStructure]:
    """The structures that have this property, or all if none is named.

    Raises click.BadParameter for others that were named.
    """
    if not candidate:
        return structures
    kept = [s for s in structures if candidate in s.world.get_candidates(s)]
    if not kept or (names and len(kept) < len(structures)):
        known = next(s for s in structures if s not in kept).world.get_candidates(
            next(s for s in structures if s not in kept)
        )
        raise click.BadParameter(f"{candidate!r} is none of {', '.join(known)}")
    if large := [s.name for s in kept if s.world.depth_limit == 0]:
        raise click.BadParameter(
            f"--triage searches step by step, and the states of {large[0]!r} are too large for "
            f"that; choose a structure of one of its parts"
        )
    return kept


def keep_fault_model(
    structures: list[ClaimedStructure], fault: str, names: tuple[str, ...]
) -> list[ClaimedStructure]:
    """The structures whose world has this fault model, or all if none is named.

    Raises click.BadParameter for others that were named.
    """
    if not fault:
        return structures
    kept = [s for s in structures if fault in {c.name for c in s.world.fault_models}]
    for structure in structures if names else ():
        find_fault_model(structure, fault)
    return kept


def triage_all(structures: list[ClaimedStructure], candidate: str, fault: str) -> int:
    """Print the fate of each counterexample to induction of one property."""
    for structure in structures:
        print_triage(structure, structure.world.get_fault_model(fault), candidate)
    return exit_codes.ANALYSED


def cross_check(
    opened: AbstractContextManager[Any],
    structures: list[ClaimedStructure],
    names: tuple[str, ...],
    fault: str,
    states_max: int,
) -> int:
    """Search certified verdicts again with an engine, which is closed afterwards.

    Large groups are searched only if they are named: their certificates claim no shortest
    schedules.
    """
    searched = [s for s in structures if names or s.slaves <= SEARCHED_SLAVES_MAX]
    with opened as engine:
        return cross_check_all(searched, fault, states_max, engine)


def run_in_order(work: Any, structures: list[ClaimedStructure], progress: Any, jobs: int) -> Any:
    """Smaller groups first where larger ones take over what refutes them."""
    if work is recheck:
        yield from run_all(work, structures, progress, jobs)
        return
    waves = {s: max(1, s.slaves) for s in structures}
    for slaves in sorted(set(waves.values())):
        wave = [s for s in structures if waves[s] == slaves]
        yield from run_all(work, wave, progress, jobs)


def search_all_witnesses(structures: list[ClaimedStructure]) -> None:
    """Find the shortest way to every rule, premise and witness; of some structures, where needed.

    If all structures are searched, everything is searched again.
    """
    is_every = len(structures) == len(list_tagged(Tag.USUAL, Tag.SYSTEM))
    with show_progress() as progress:
        for structure in structures:
            if not is_every and are_witnesses_current(structure):
                continue
            known = load_known_schedules(certificates.get_world_folder(structure))
            known += sample_more(structure, known)
            save_witnesses({structure: search_witnesses(structure, progress, known=known)})


def search(structure: ClaimedStructure, progress: Callable[[str], None]) -> StructureAnswer:
    """Every verdict of a structure by a search that rewrites its certificate.

    If rules were only added, schedules without a step of theirs are not searched again.
    """
    started = time.monotonic()
    document = certificates.read(structure)
    if document is not None and list_added(structure, document):
        verdicts = search_additions(structure, document, progress)
    else:
        verdicts = search_structure(structure, progress, hints=gather_hints(structure, progress))
    certificates.save(structure, verdicts)
    return StructureAnswer(
        verdicts, find_endless_steps(structure, verdicts), time.monotonic() - started
    )


def gather_hints(structure: ClaimedStructure, progress: Callable[[str], None]) -> Hints:
    """The hints of a search; random schedules too where the states are too large for one."""
    if structure.world.depth_limit != 0:
        return Hints(certificates.load_related(structure))
    others = structure.world.list_related_structures(structure)
    cells = itertools.chain.from_iterable(map(load_old_cells, (structure, *others)))
    known = (*cells, *certificates.load_written(structure))
    return Hints(known, partial(sample, structure, progress))


def load_old_cells(structure: ClaimedStructure) -> tuple[Verdict, ...]:
    """The verdicts of a certificate, whatever rules it was made from; may be none."""
    document = certificates.read(structure)
    return () if document is None else certificates.decode_asked(structure, document)


def sample(
    structure: ClaimedStructure,
    progress: Callable[[str], None],
    left: Mapping[str, tuple[str, ...]],
) -> tuple[Verdict, ...]:
    """The refutations by random schedules; only such a search needs the compiler of kernels."""
    from spark_fuzz.search.sampling import sample_refutations  # noqa: PLC0415

    return sample_refutations(structure, left, progress)


def sample_more(structure: ClaimedStructure, known: tuple[Schedule, ...]) -> tuple[Schedule, ...]:
    """Ways to all rules by random schedules, where the states are too large for a search."""
    if structure.world.depth_limit != 0:
        return ()
    from spark_fuzz.search.sampling import sample_ways  # noqa: PLC0415

    return tuple(sample_ways(structure, known))


def recheck(structure: ClaimedStructure, progress: Callable[[str], None]) -> StructureAnswer:
    """Every verdict of a structure from its certificate, with a check that none is vacuous.

    A certificate that was made from other rules is renewed first.
    """
    started = time.monotonic()
    renewal = renew_certificate(structure, progress)
    document = certificates.load_required(structure)
    witnesses = () if structure.variants else check_witnesses(structure, progress, renewal)
    parameters = structure.template.parameters
    verdicts = certificates.recheck(structure, parameters, document, progress)
    for query in (v.gave_up for v in verdicts if v.gave_up):
        raise SolverGaveUpError(query)
    steps = find_endless_steps(structure, verdicts)
    seconds = time.monotonic() - started
    return StructureAnswer(verdicts, steps, seconds, str(renewal or ""), witnesses)


def renew_certificate(
    structure: ClaimedStructure, progress: Callable[[str], None]
) -> Renewal | None:
    """Rewrite a certificate whose rules have changed."""
    document = certificates.read(structure)
    changes = None if document is None else certificates.compute_changes(structure, document)
    if document is None or not changes:
        return None
    check_may_rewrite("prove")
    renewal = renew(structure, document, progress)
    certificates.save(structure, renewal.verdicts)
    return renewal


def find_endless_steps(
    structure: ClaimedStructure, verdicts: tuple[Verdict, ...]
) -> tuple[str, ...]:
    """Healing steps that are not proved to end."""
    lemmas = next((v.lemmas for v in verdicts if v.lemmas), ())
    return tuple(s.instance for s in rank_steps(structure, lemmas) if not s.is_smaller)


def check_witnesses(
    structure: ClaimedStructure, progress: Callable[[str], None], renewal: Renewal | None
) -> tuple[WitnessAnswer, ...]:
    """Everything that should be reachable is reached; the answers, where some are new.

    Raises InternalDisagreementError.
    """
    if not has_witnesses(structure):
        raise InternalDisagreementError(
            f"{structure.name} was never searched for witnesses; run `{PROGRAM} prove --search`"
        )
    left_open = set(load_open_questions(structure))
    answers: tuple[WitnessAnswer, ...] = ()
    missing = set(find_unwitnessed(structure))
    if missing - left_open and (renewal is not None or not are_witnesses_current(structure)):
        known = load_known_schedules(certificates.get_world_folder(structure))
        answers = renew_witnesses(structure, progress, known=known, depth_limit=RENEWAL_DEPTH_LIMIT)
        missing = {a.question for a in answers if a.is_open}
    if new := sorted(missing - left_open):
        raise InternalDisagreementError(
            f"{structure.name}: nothing shows that {new[0]} is reachable; "
            f"run `{PROGRAM} prove --search`"
        )
    return answers


def show_foundations(progress: Callable[[str], None], *, is_json: bool) -> None:
    """Check before any proof that a term reaches Z3 with its meaning. Raises where it does not."""
    progress("foundations of the proofs: simplification, translation, remainders")
    told = ", ".join(f"{count:,} {what}" for what, count in check_foundations().items())
    if not is_json:
        click.echo(f"Checked first: {told}.")


def print_answer(
    structure: ClaimedStructure, answer: StructureAnswer, claims: tuple[str, ...]
) -> None:
    """One line for a structure, and one for each requested verdict."""
    click.echo(f"{structure.name:38} {count_words(answer.verdicts):44} {answer.seconds:6.1f} s")
    if answer.renewal:
        click.echo(f"  {answer.renewal}")
    for step in answer.endless_steps:
        click.echo(f"  may never come to rest: nothing bounds how often {step} is taken")
    for v in answer.verdicts:
        if v.guarantee in claims:
            told = describe(v, is_vacuous=v.is_vacuous)
            click.echo(f"  {v.guarantee}, {v.fault}: {told}")


def print_comparison(answers: dict[ClaimedStructure, StructureAnswer]) -> None:
    """The verdicts that differ from those of RocketMQ 4.4.0."""
    for structure, answer in answers.items():
        assert isinstance(structure, ClaimedGroup)  # Only groups have variants.
        base = find_version(get_base(structure).variants).name
        click.echo(f"\n{structure.name}, compared with RocketMQ {base}:")
        changes = compare(structure, answer.verdicts)
        for change in changes:
            click.echo(f"  {render_change(change)}")
        if not changes:
            click.echo("  no verdict differs")


def find_worst(answers: dict[ClaimedStructure, StructureAnswer]) -> int:
    """0 if every verdict is as expected, else 70: the model and its expectation disagree."""
    for structure, answer in answers.items():
        for v in answer.verdicts:
            expected = find_expectation(v.guarantee, structure, v.fault)
            if v.word is not expected.verdict:
                click.echo(
                    f"{structure.name}, {v.fault}: {v.guarantee} is {v.word.value}, "
                    f"expected {expected.verdict.value}",
                    err=True,
                )
                return exit_codes.INTERNAL_DISAGREEMENT
        healing = structure.healing
        if healing and set(answer.endless_steps) != set(healing.endless):
            wrong = set(answer.endless_steps) ^ set(healing.endless)
            click.echo(f"{structure.name}: is {min(wrong)} ever at an end?", err=True)
            return exit_codes.INTERNAL_DISAGREEMENT
    return exit_codes.ANALYSED


def count_words(verdicts: tuple[Verdict, ...]) -> str:
    """For example ``21 disputed, 9 proved, 13 refuted``."""
    words = [
        "disputed" if v.disputed else v.word.value + (" vacuously" if v.is_vacuous else "")
        for v in verdicts
    ]
    return ", ".join(f"{words.count(w)} {w}" for w in sorted(set(words)))


def as_json(
    answers: dict[ClaimedStructure, StructureAnswer], claims: tuple[str, ...], version: Version
) -> dict[str, Any]:
    """Every verdict of every structure for programs, or those of some guarantees."""
    return {
        "rocketmq_version": version.name,
        "is_held_against_recordings": version.is_recorded,
        "structures": [
            {
                "structure": structure.name,
                "variants": list(structure.variants),
                "endless_steps": list(answer.endless_steps),
                "renewal": answer.renewal or None,
                "verdicts": [
                    _cell_as_json(v) for v in answer.verdicts if not claims or v.guarantee in claims
                ],
            }
            for structure, answer in answers.items()
        ],
    }


def _cell_as_json(verdict: Verdict) -> dict[str, Any]:
    return {
        "guarantee": verdict.guarantee,
        "fault": verdict.fault,
        "verdict": verdict.word.value,
        "steps": verdict.steps,
        "is_shortest": verdict.is_shortest if verdict.schedule else None,
        "schedule": encode_schedule(verdict.schedule) if verdict.schedule else None,
        "is_vacuous": verdict.is_vacuous,
        "disputed": list(verdict.disputed),
        "lemmas": list(verdict.lemmas),
        "depth": verdict.depth,
    }
