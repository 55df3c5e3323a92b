"""What helps after a failure and what does not: recoveries and procedures, tried in the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from command_line.output.width import get_drawing_width, get_prose_width, wrap
from properties.checkout import PROGRAM
from properties.generated_text import count_steps
from properties.language.world import ClaimedStructure
from properties.scenarios.courses.certificates import GROUPS, list_proved
from properties.scenarios.procedures.procedures import (
    OUTAGE_PAGE,
    STORE_CHECK,
    Procedure,
    fit,
    load_procedures,
)
from properties.scenarios.procedures.promotion import load_advice
from properties.scenarios.procedures.readers import try_reader_recoveries
from properties.scenarios.procedures.recoveries import (
    PROMOTED_CLAIM,
    RecoveryOutcome,
    Trials,
    try_recoveries,
)
from properties.scenarios.procedures.signs import find_signs
from properties.scenarios.summary.actions import find_code_of, is_worth_doing
from properties.scenarios.summary.answer import replaces_store
from properties.scenarios.summary.codes import find_row
from properties.scenarios.summary.rows import list_fallen
from properties.schedules.judgement import replay
from properties.schedules.telling import draw_steps
from properties.verdicts.analysis import Analysis
from properties.verdicts.certificates import find_cells
from properties.verdicts.verdict import Verdict
from properties.worlds.system.world import ClaimedSystem
from properties.z3.fault_sets import get_all_faults

WORD_WIDTH = 9
"""The widest of the words before a recovery, and a blank."""

PROMOTIONS_LETTER = "P"
"""The row of ``check`` about promotions."""

REFUSALS = {
    "is_slave_longer": "no slave's log is longer than the master's",
    "is_master_down": "the master still runs",
    "is_slave_down": "the slave still runs",
    "is_content_known": "the slave's log has bytes that no model knows",
    "has_modelled_life_left": "the model has no room for one more epoch of the log",
}
"""Why a recovery is impossible, by the condition of the model that it fails."""


@frozen
class BrokenGroup:
    """What has happened: a refuted verdict, and the claims that have to hold again."""

    structure: ClaimedStructure
    verdict: Verdict
    claims: tuple[str, ...]
    sources: tuple[Analysis, ...]
    """The structures of the group; procedures are tried in them."""
    code: str = ""
    """Its code on the screen of ``check``; empty if it is asked for by a claim."""

    @property
    def is_system(self) -> bool:
        """It happens in a log and its readers together, each of which has procedures."""
        return isinstance(self.structure, ClaimedSystem)


def list_parts(structure: ClaimedStructure) -> tuple[Analysis, ...]:
    """A structure with its verdicts; of a system also its log and its readers."""
    parts = [structure]
    if isinstance(structure, ClaimedSystem):
        parts += [structure.log, structure.reading]
    return tuple(Analysis(each, tuple(find_cells(each).values())) for each in parts)


def tell_afterwards(broken: BrokenGroup) -> Iterator[str]:
    """The lines about recoveries and procedures, with a blank line before each part."""
    yield from tell_signs(broken)
    procedures = list(find_procedures(broken))
    also = (*list_other_claims(broken), *(each.claim for each, _ in procedures))
    trials = try_recoveries(broken.structure, broken.verdict, broken.claims, also)
    if trials.outcomes:
        yield from tell_outcomes(broken, trials)
    readers = try_reader_recoveries(broken.structure, broken.verdict)
    if readers:
        yield from tell_readers(broken.verdict.guarantee, readers)
    if PROMOTED_CLAIM in broken.claims:
        yield from tell_promotion()
    yield from tell_proved(broken)
    for procedure, source in procedures:
        yield from tell_procedure(procedure, source, has_drawing=not broken.is_system)
    if not trials.outcomes and not readers and not procedures:
        yield ""
        yield "Afterwards: no recovery has been tried in the model for this failure."


def tell_promotion() -> Iterator[str]:
    """What to do whenever a slave is promoted: what it does not know."""
    yield ""
    yield f"Whenever a slave is promoted (spec/{OUTAGE_PAGE}):"
    for advice in (each for each in load_advice() if each.is_general):
        text = f"{advice.do}. {advice.why}".replace("`", "")
        head = f"  {advice.when:<{WORD_WIDTH}}"
        yield from wrap(text, get_prose_width(), head, " " * len(head))


def tell_proved(broken: BrokenGroup) -> Iterator[str]:
    """What is proved of courses, whatever the faults of this failure's column have done before."""
    group = broken.structure.log if isinstance(broken.structure, ClaimedSystem) else None
    row = find_row(broken.verdict.guarantee)
    if group not in GROUPS or row is None or row.letter != PROMOTIONS_LETTER:
        return
    faults = frozenset(broken.structure.world.get_fault_model(broken.verdict.fault).admitted)
    told = list_proved(group, faults & get_all_faults(group))
    if told:
        yield ""
        yield from wrap(
            "Proved for every pair like this one, whichever way its master ends, if no other "
            f"faults than those of “{broken.verdict.fault}” have happened before "
            f"(spec/{OUTAGE_PAGE}#proved-or-refuted):",
            get_prose_width(),
        )
    for course, claims in told:
        text = f"{course.words}: {join([claim.words for claim in claims])}."
        yield from wrap(text, get_prose_width(), "  ", "    ")


def tell_signs(broken: BrokenGroup) -> Iterator[str]:
    """The lines about what a running group with a controller shows before or after this."""
    signs = list(find_signs(broken.structure, broken.claims))
    if signs:
        yield ""
        yield "Watch for, in a running group:"
    for sign in signs:
        text = f"{sign.what}: {sign.at} logs “{sign.log}”; mqadmin {sign.command}."
        yield from wrap(f"- {text} {sign.means} Do: {sign.advice}.", get_prose_width())


def list_other_claims(broken: BrokenGroup) -> Iterator[str]:
    """The other claims of the row on ``check``'s screen that the same faults break.

    A recovery after which they break does not help, even if the claim that broke first holds.
    """
    row, cells = find_row(broken.verdict.guarantee), find_cells(broken.structure).values()
    if row:
        yield from (v.guarantee for v in list_fallen(row, cells, broken.verdict.fault))


def tell_outcomes(broken: BrokenGroup, trials: Trials) -> Iterator[str]:
    """A line or two for each recovery."""
    about = list(dict.fromkeys((*list_about_readers(trials), *trials.judged)))
    start = ", by brokers alone" if broken.is_system else ""
    is_repeated = any(outcome.later is not None for outcome in trials.outcomes)
    more = ", also when another message is put first" if is_repeated else ""
    yield ""
    yield from wrap(
        f"Afterwards, tried in the model from the end of this schedule{start}. A recovery helps "
        f"if {join(about)} {'holds' if len(about) == 1 else 'hold'} from then on, and no message "
        f"answered PUT_OK is lost{more}:",
        get_prose_width(),
    )
    for outcome in trials.outcomes:
        word, text = describe(outcome, trials.judged)
        yield from wrap_outcome(word, f"{outcome.title}{text}")
    mending = [outcome for outcome in trials.outcomes if outcome.is_mending]
    if not mending:
        yield "Nothing that was tried makes it good."
    if any(replaces_store(outcome.title) for outcome in mending):
        yield from wrap(f"First: {FIRST}.", get_prose_width())
    if broken.is_system:
        yield from wrap(NOT_TRIED, get_prose_width())


FIRST = f"{PROGRAM} {STORE_CHECK}: it names each record that the copy would take away"
"""Before a store is replaced: no schedule knows what a store on disk holds alone."""

RESTLESS = "brokers do not come to rest, but connect again and again"
"""What is said of a recovery after which steps go on without end."""

NOT_TRIED = (
    "Consumers were judged where the schedule leaves them, and with their group's progress set "
    "back to the queue's beginning; what they pull while brokers recover, and what they find at a "
    "promoted slave, was not tried."
)


def list_about_readers(trials: Trials) -> Iterator[str]:
    """The claims about consumers that are judged."""
    for outcome in trials.outcomes:
        yield from outcome.readers.judged


def wrap_outcome(word: str, text: str) -> list[str]:
    """A word and what it is about, in lines."""
    head = f"  {word:<{WORD_WIDTH}}"
    return wrap(text, get_prose_width(), head, " " * len(head))


def describe(outcome: RecoveryOutcome, judged: Sequence[str]) -> tuple[str, str]:
    """A word for what a recovery gives, and the rest of its line."""
    if outcome.refused:
        return "n/a", f": impossible, {say_refusal(outcome.refused)}."
    if outcome.is_lost:
        return "loses", ": a message answered PUT_OK is then on no broker."
    if not outcome.is_mending_here:
        broken = list_broken(outcome)
        return "no", f": {RESTLESS if outcome.is_restless else say_broken(broken, judged)}."
    if not outcome.is_mending and outcome.later is not None:
        return "not sure", f": helps at this very end; {say_later(outcome.later, judged)}."
    if outcome.readers.broken:
        verb = "stays" if len(outcome.readers.broken) == 1 else "stay"
        told = f"without that {join(outcome.readers.broken)} {verb} broken"
        return "helps", f", and set the group's progress back: {told}."
    is_new = outcome.is_as_good_as_new
    return "helps", ": the group is then as good as a new one." if is_new else "."


def list_broken(outcome: RecoveryOutcome) -> tuple[str, ...]:
    """The claims that stay broken whatever is done for consumers."""
    return (*(outcome.readers.broken_after_reset or ()), *outcome.broken)


def say_broken(names: Sequence[str], judged: Sequence[str]) -> str:
    """That these claims stay broken; without their names if those are all that is judged."""
    verb = "is" if len(names) == 1 else "are"
    return "still broken" if tuple(names) == tuple(judged) else f"{join(names)} {verb} still broken"


def say_later(later: RecoveryOutcome, judged: Sequence[str]) -> str:
    """What is different if another message has been put first."""
    first = "if another message is put first"
    if later.refused:
        return f"{first}, it is impossible ({say_refusal(later.refused)})"
    if later.is_restless:
        return f"{first}, {RESTLESS}"
    if later.is_lost:
        return f"{first}, a message answered PUT_OK is then on no broker"
    return f"{first}, {say_broken(list_broken(later), judged)}"


def say_refusal(refused: str) -> str:
    """Why a recovery is impossible, in words where there are some."""
    names = refused.removesuffix(" does not hold").split(", ")
    told = [REFUSALS[name] for name in names if name in REFUSALS]
    return " and ".join(told) if len(told) == len(names) else f"because {refused}"


def tell_readers(claim: str, tried: Mapping[str, bool]) -> Iterator[str]:
    """A line for each recovery of a consumer group."""
    yield ""
    yield from wrap(
        "Afterwards, tried in the model from the end of this schedule, by consumers alone. A "
        f"recovery helps if {claim} holds then:",
        get_prose_width(),
    )
    for title, is_kept in tried.items():
        yield from wrap_outcome("helps" if is_kept else "no", f"{title}.")


def join(names: Sequence[str]) -> str:
    """Names in a sentence."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def find_procedures(broken: BrokenGroup) -> Iterator[tuple[Procedure, Analysis]]:
    """The procedures against the failure that work in the group, each with its structure there.

    Those of a system are the procedures of its log and of its readers for the same fault model.
    """
    for procedure in load_procedures():
        fitting = (s for s in broken.sources if is_about(procedure, broken, s))
        fitting = (s for s in fitting if is_worth_doing(procedure, s))
        for source in list(fitting)[:1]:
            yield procedure, source


def is_about(procedure: Procedure, broken: BrokenGroup, source: Analysis) -> bool:
    """The procedure is for this failure: for its code in the group, or for its claim and class.

    A system has no procedures of its own, but those of its parts for the same class.
    """
    if broken.code and find_code_of(procedure, source) == broken.code:
        return True
    is_of_class = procedure.fault == broken.verdict.fault
    return is_of_class and (broken.is_system or procedure.claim in broken.claims)


def tell_procedure(procedure: Procedure, source: Analysis, *, has_drawing: bool) -> Iterator[str]:
    """What to do and what not, and the failure that it begins with."""
    width = get_prose_width()
    yield ""
    steps = count_steps(len(procedure.harm))
    yield from wrap(
        f"Procedure “{procedure.recipe}”, tried in the model after a failure of {steps}"
        f"{':' if has_drawing else ''} "
        + ("" if has_drawing else f"of the same class; {procedure.claim} holds afterwards:"),
        width,
    )
    if has_drawing:
        yield draw_harm(procedure, source)
        yield f"Afterwards {procedure.claim} holds:"
    if procedure.advice.replaced:
        yield from wrap_step("First", FIRST)
    yield from wrap_step("Do", procedure.advice.title)
    for mistake in procedure.mistakes:
        yield from wrap_step("Not", mistake.title)


def draw_harm(procedure: Procedure, source: Analysis) -> str:
    """The failure that a procedure begins with, drawn."""
    fitting = fit(procedure, source.structure.name)
    structure = fitting.structure
    world = structure.world
    sizes = world.make_search_parameters(world.everything)
    return draw_steps(
        replay(structure, sizes, fitting.harm, (procedure.claim,)), get_drawing_width()
    )


def wrap_step(head: str, text: str) -> list[str]:
    """A step of a procedure, or a mistake, in lines."""
    return wrap(f"{head}: {text.replace('`', '')}.", get_prose_width(), "  ", "    ")
