"""The link between log and queues: mistakes in it break lemmas, without it nothing is read."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from attrs import evolve, frozen

from properties.worlds.replication.world import ClaimedGroup
from properties.worlds.system.world import CLOSED, SYSTEM, ClaimedSystem
from properties.z3.induction import InductionProblem, InductionStep
from properties.z3.vacuity import is_witnessed, load_witnesses
from reference.language.machine import (
    Instance,
    record_instance,
    record_machine,
    record_predicate,
)
from reference.language.operators import all_of, negate
from reference.worlds.reading.state import Reading
from reference.worlds.system.lifting import Lifted, Moment, lift_log_rule
from reference.worlds.system.logs import SEEN
from reference.worlds.system.seen import ObservedStep, Sight
from reference.worlds.system.state import System
from tests.structures import leave_most_to_night

SHOWN = SYSTEM.structures[0]
Make = Callable[[Reading], ObservedStep]


@frozen
class Mistake:
    """One step that readers see of a rule of the log is left out, or has a wrong number."""

    rule: str
    """The rule as the system has it."""
    place: int
    """Which of the steps that readers see, from 0."""
    argument: str
    """Whose number is wrong; empty where the step is left out."""
    by: int = 0

    def __str__(self) -> str:
        wrong = f"{self.argument} {self.by:+}" if self.argument else "left out"
        return f"{self.rule}, {self.place + 1}: {wrong}"

    def make(self, moment: Moment, lifted: Lifted) -> tuple[Make, ...]:
        """What readers see, with the mistake."""
        steps = tuple(lifted.look(moment))

        def see_wrongly(reading: Reading) -> ObservedStep:
            seen = steps[self.place](reading)
            if not self.argument:
                return evolve(seen, is_taken=False)
            wrong = seen.arguments[self.argument] + self.by
            return evolve(seen, arguments={**seen.arguments, self.argument: wrong})

        return (*steps[: self.place], see_wrongly, *steps[self.place + 1 :])


FORMS = {name or rule: (rule, lifted) for rule, forms in SEEN.items() for name, lifted in forms}
"""The rules of the log of which readers see something, by the name that they have here."""


def record(name: str, look: Callable[[Moment], tuple[Make, ...]]) -> Any:
    """The only instance of a rule, of which readers see this."""
    base, lifted = FORMS[name]
    rule = lift_log_rule(ClaimedGroup().rules[base], evolve(lifted, look=look), name)
    (known,) = (r.instance for r in record_machine(SHOWN) if r.instance.rule.name == name)
    return record_instance(SHOWN, Instance(rule, known.indexes))


def list_mistakes(name: str) -> Iterator[Mistake]:
    """Each step of a rule left out, and each of its numbers one too low or too high."""
    met: dict[int, ObservedStep] = {}
    lifted = FORMS[name][1]

    def note(moment: Moment) -> tuple[Make, ...]:
        def watch(place: int, step: Make) -> Make:
            return lambda reading: met.setdefault(place, step(reading))

        return tuple(watch(place, step) for place, step in enumerate(lifted.look(moment)))

    record(name, note)
    for place, seen in met.items():
        yield Mistake(name, place, "")
        for argument in seen.arguments:
            yield Mistake(name, place, argument, -1)
            yield Mistake(name, place, argument, +1)


def is_caught(problem: InductionProblem, mistake: Mistake) -> bool:
    """A lemma does not survive the rule with the mistake."""
    wrong = record(mistake.rule, lambda moment: mistake.make(moment, FORMS[mistake.rule][1]))
    return bool(InductionStep(problem, wrong).find_falsified(list(SYSTEM.get_lemmas(SHOWN))))


SLOW = ("dispatch_slave", "restart")
"""How the names of rules begin whose mistakes take the prover a second each."""

ARGUED = {
    r"(dispatch|restart)_slave.*, [257]: left out": "Where a slave's queue begins is left open.",
    r"dispatch_slave.*, [45]: .*": "Nothing is shown without a master that a master could show.",
    r"restart_master.*, [23]: .*": "A queue may lag: what a start leaves out the dispatch shows.",
    r"restart_slave.*, 1: .*": "A start cuts nothing that was dispatched, so the step is not taken,"
    " or what it takes of the progress is within what a power loss may take.",
    r"restart_slave.*, [78]: .*": "Nothing is shown without a master that a master could show.",
    r"restart_slave_with_stale_bytes.*, [69]: left out": "Indexes are open where a log is torn.",
    r"restart_slave_with_stale_bytes_before_master.*": "The rule can never fire: proved.",
}
"""Mistakes that no lemma notices, and why."""


@pytest.mark.parametrize(
    "name", leave_most_to_night((name for name in FORMS if not name.startswith(SLOW)), 6)
)
def test_every_mistake_breaks_a_lemma(name: str) -> None:
    """What readers see of the rule is left out, or one of its numbers is wrong by one."""
    problem = InductionProblem(SHOWN, SYSTEM.everything)
    mistakes = list(list_mistakes(name))
    assert mistakes
    assert [m for m in mistakes if not is_caught(problem, m)] == []


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name in FORMS if name.startswith(SLOW)])
def test_mistakes_that_no_lemma_notices_are_argued(name: str) -> None:
    """The same of the rules with more freedom, but for what is argued."""
    problem = InductionProblem(SHOWN, SYSTEM.everything)
    left = [str(m) for m in list_mistakes(name) if not is_caught(problem, m)]
    assert [m for m in left if not any(re.fullmatch(pattern, m) for pattern in ARGUED)] == []


@pytest.fixture
def unlinked(monkeypatch: pytest.MonkeyPatch) -> ClaimedSystem:
    """The stock pair whose queues do not show what their logs dispatch."""

    def see_nothing(reading: Reading, _steps: Any) -> Sight:
        return Sight(reading, is_possible=True)

    monkeypatch.setattr("reference.worlds.system.lifting.see", see_nothing)
    return ClaimedSystem(evolve(SHOWN.log, lives=2), CLOSED)


def is_untouched(state: System) -> bool:
    """No queue has shown a message."""
    read, message = state.reading, state.reading.message
    brokers, consumer = (read.master, read.slave), read.consumer
    empty = (node.queue_max == 0 for node in brokers)
    stored = (node.progress for node in brokers), (node.progress_on_disk for node in brokers)
    begun = (consumer.next_offset, consumer.corrected, consumer.progress, consumer.cache_end)
    standing = (place <= 0 for place in (*itertools.chain(*stored), *begun))
    nowhere = (message.offset < 0, message.slave_offset < 0, negate(message.ghost_is_done))
    had = (message.is_on_master, message.is_on_slave, message.is_cached, message.is_consuming)
    return all_of(*empty, *standing, *nowhere, *map(negate, had))


def test_without_the_link_no_situation_is_reached(unlinked: ClaimedSystem) -> None:
    """Proved of every schedule: queues stay empty, and then none of the witnesses holds."""
    fact = record_predicate(unlinked, is_untouched)
    problem = InductionProblem(unlinked, SYSTEM.everything, facts={"is_untouched": fact})
    assert problem.run_houdini(["is_untouched"])[0] == ["is_untouched"]
    for witness in SYSTEM.witnesses.values():
        never = record_predicate(unlinked, lambda state, w=witness: negate(w.predicate(state)))
        assert problem.follows(never, ["is_untouched"]), witness.name


@pytest.mark.parametrize("name", SYSTEM.witnesses)
def test_each_situation_is_reached(name: str) -> None:
    """The stored schedule is one that the reference follows, in the structures that have one."""
    found = 0
    for structure in SYSTEM.structures[:2]:
        answers = {answer.question: answer for answer in load_witnesses(structure)}
        answer = answers[f"witness {name}"]
        if answer.schedule is not None:
            term = record_predicate(structure, SYSTEM.witnesses[name].predicate)
            assert is_witnessed(structure, term, answer)
            found += 1
    assert found
