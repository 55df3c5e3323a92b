"""Consumers in peace: healing ends where it is said to end, and goes on where it is said to."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest
from attrs import evolve

from properties.language.healing import Healing, is_moving
from properties.language.property import PropertyRole
from properties.worlds.reading.rest import HEALING_STEPS, is_at_rest, is_quiescent
from properties.worlds.reading.world import READERS, READING, ClaimedReading
from properties.z3.induction import prove_lemmas
from properties.z3.ranking import rank_steps
from reference.language.leaves import flatten
from reference.language.machine import compute_machine, record_predicate
from reference.language.terms import substitute
from reference.worlds.reading.state import (
    MASTER,
    NO_OFFSET,
    SLAVE,
    SMALL_READING,
    Consumer,
    FollowedMessage,
    QueueBroker,
    Reading,
)
from tests.structures import name_of

MASTER_OPEN = (
    ClaimedReading(is_master_open=True),
    ClaimedReading(is_master_open=True, broker_id=SLAVE),
)
"""Settings that nobody recommends: the slave sends back at once whom its master has sent."""

SAMPLED = [pytest.param(s, marks=[pytest.mark.nightly] * s.is_from_first) for s in READERS]
"""Where a group begins makes no difference to whom it asks: one of both by day, at night all."""

of_structures = pytest.mark.parametrize("structure", [*SAMPLED, *MASTER_OPEN], ids=name_of)
CLAIMS = [g for g in READING.claims.values() if g.premise is is_at_rest]
STEPS_MAX = 60
"""More healing steps than any of these small states can take, where they end."""

MASTER_MAX = 2
"""So many messages has the master; the second one is followed."""


def get_healing(structure: ClaimedReading) -> Healing:
    """How it comes to rest."""
    healing = structure.healing
    assert healing is not None
    return healing


def make_states(structure: ClaimedReading, *slave_ends: int) -> Iterator[Reading]:
    """States in peace with a slave that ends there, any position, and messages in memory or not."""
    initial = structure.make_initial(SMALL_READING)
    followed = MASTER_MAX - 1
    message = FollowedMessage(followed, is_on_master=True, ghost_is_owed=True)
    choices = (slave_ends, (NO_OFFSET, 0, followed), (MASTER, SLAVE), (0, MASTER_MAX))
    for end, position, suggested, first_in_memory in itertools.product(*choices):
        yield evolve(
            initial,
            brokers=(
                QueueBroker(queue_max=MASTER_MAX, first_in_memory=first_in_memory, progress=0),
                QueueBroker(queue_max=end),
            ),
            consumer=Consumer(
                is_running=True,
                suggested_id=suggested,
                next_offset=position,
                progress=position,
                ghost_has_begun=True,
            ),
            message=evolve(message, is_on_slave=followed < end),
            copied_below=end,
        )


LAGGING, LEVEL, AHEAD = 1, MASTER_MAX, MASTER_MAX + 1
"""Where a slave ends; it is ahead of a master that has lost a message."""


def take(state: Reading, name: str, draw: random.Random) -> Reading:
    """The state after a step; each argument is drawn from the range that the ones before leave."""
    steps = compute_machine(state.structure).instances[name].start(state)
    assert all(next(steps).named.values())
    answer: int | None = None
    while True:
        try:
            argument = steps.send(answer)
        except StopIteration as finished:
            after: Reading = finished.value
            return after
        answer = draw.randint(argument.low, argument.high)


def list_moving(state: Reading) -> list[str]:
    """The healing steps that are possible and change something."""
    enabled = (each.instance for each in compute_machine(state.structure).enabled(state))
    healing = (each for each in enabled if each.rule.name in HEALING_STEPS)
    return [instance.name for instance in healing if is_moving(instance, state)]


def heal(state: Reading, seed: int, *, is_late: bool = False) -> Iterator[tuple[Reading, str]]:
    """Random steps that change something, until there is none.

    ``is_late`` puts the slave's catching up off as long as something else goes on.
    """
    draw = random.Random(seed)
    for _ in range(STEPS_MAX):
        moving = list_moving(state)
        if not moving:
            return
        early = [name for name in moving if name != "replicate_messages"]
        name = draw.choice(early if is_late and early else moving)
        state = take(state, name, draw)
        yield state, name


def test_claims_about_rest_follow_the_guarantees() -> None:
    """Although this file imports them first: certificates rest on the order."""
    roles = [g.role for g in READING.claims.values()]
    assert roles == sorted(roles, key=lambda role: role is PropertyRole.CONVERGENCE)
    assert set(roles) == {PropertyRole.GUARANTEE, PropertyRole.CONVERGENCE}


@of_structures
def test_the_rank_bounds_every_step_but_the_known_ones(structure: ClaimedReading) -> None:
    """Neither more nor fewer."""
    steps = rank_steps(structure, prove_lemmas(structure))
    assert set(get_healing(structure).endless) == {s.instance for s in steps if not s.is_smaller}


@of_structures
def test_endless_steps_really_go_round(structure: ClaimedReading) -> None:
    """From some state a walk comes back to where it was, by each of them; elsewhere none does."""
    in_circles: set[str] = set()
    for state in make_states(structure, LAGGING, AHEAD):
        for seed in range(2):
            seen, names = {state: 0}, list[str]()
            for after, name in heal(state, seed, is_late=True):
                names.append(name)
                if after in seen:
                    in_circles |= set(names[seen[after] :])
                    break
                seen[after] = len(names)
    endless = get_healing(structure).endless
    assert set(endless) <= in_circles
    assert bool(endless) is bool(in_circles)


@of_structures
def test_walks_in_peace_end_where_it_is_claimed(structure: ClaimedReading) -> None:
    """At rest the consumer has drained its queue, and both brokers know.

    Who is sent to and fro where nothing is left to pull never rests.
    """
    endless = get_healing(structure).endless
    rests = 0
    for state in make_states(structure, LAGGING, LEVEL):
        assert is_quiescent(state)
        *_, last = (state, *(after for after, _ in heal(state, 5)))
        if is_at_rest(last):
            rests += 1
            assert all(claim.predicate(last) for claim in CLAIMS)
            assert MASTER_MAX == last.consumer.next_offset == last.slave.progress_on_disk
        else:
            assert endless
    assert rests > 10 or ("pull_nothing[0]" in endless and not rests)


@of_structures
def test_rest_is_the_same_to_reference_and_proof(structure: ClaimedReading) -> None:
    """Its recorded term says of each state on such walks what the function says."""
    term = record_predicate(structure, is_at_rest)
    for state in list(make_states(structure, LAGGING))[::4]:
        for after, _ in heal(state, 7):
            assert bool(substitute(term, flatten(after))) is bool(is_at_rest(after))
