"""The lemmas that the proofs about delayed delivery need."""

from __future__ import annotations

from properties.language.property import lemma
from properties.worlds.delay.guarantee import has_message
from reference.language.fault_account import has_faults_within_limits
from reference.language.operators import all_of, implies, negate
from reference.worlds.delay.delivery import is_serving
from reference.worlds.delay.state import MASTER, SLAVE, Delay


def is_undisturbed(state: Delay) -> bool:
    """The master has neither stopped nor failed so far."""
    faults = state.faults
    return all_of(faults.stops == 0, faults.kills == 0, faults.power_losses == 0)


@lemma(why="Else a fault that cannot happen has happened.")
def fault_counts_are_within_limits(state: Delay) -> bool:
    """No fault happens more often than its limit."""
    return has_faults_within_limits(state)


@lemma(why="Else the slave delivers without having been promoted.")
def roles_are_as_at_first(state: Delay) -> bool:
    """Without a promotion the slave is a slave, and it runs."""
    is_slave = implies(state.faults.promotions == 0, negate(state.is_promoted))
    return is_slave & implies(negate(state.is_promoted), state.brokers[SLAVE].is_up)


@lemma(why="Else a master that was never away does not deliver.")
def master_that_was_never_away_delivers(state: Delay) -> bool:
    """A master that never stopped or failed runs, and still is the master."""
    return implies(is_undisturbed(state), is_serving(state, MASTER))


@lemma(why="Else progress is ahead of delivery.")
def progress_is_behind_delivery(state: Delay) -> bool:
    """Without power losses, delivery has passed no message whose copy the master's log lacks."""
    master = state.brokers[MASTER]
    followed = state.parameters.ghost_followed
    is_behind = (master.offset <= master.position) & (master.file <= master.offset)
    is_within = master.position <= master.queue_max
    is_delivered = implies(master.position > followed, master.has_copy)
    is_known = implies(master.has_copy, has_message(state, master))
    is_so = all_of(is_behind | negate(master.is_up), is_within, is_delivered, is_known)
    return implies(state.faults.power_losses == 0, is_so & (master.file <= master.position))


@lemma(why="Else a copy is written of a message that has one.")
def undisturbed_delivery_goes_on_once(state: Delay) -> bool:
    """Without stops and failures the followed message has a copy once delivery has passed it."""
    master = state.brokers[MASTER]
    followed = state.parameters.ghost_followed
    is_so = implies(master.has_copy, master.position > followed)
    is_once = negate(state.ghost_is_delivered_twice | state.ghost_is_copy_lost)
    return implies(is_undisturbed(state), is_so & is_once)


@lemma(why="Else a copy is lost without a cause.")
def copies_stay_without_losses(state: Delay) -> bool:
    """Without power losses and promotions, no copy is lost."""
    is_calm = (state.faults.power_losses == 0) & (state.faults.promotions == 0)
    return implies(is_calm, negate(state.ghost_is_copy_lost))


@lemma(why="Else a corrected master waits beyond the end of its queue.")
def corrected_delivery_is_within_its_queue(state: Delay) -> bool:
    """A master that corrects its progress at the start is not beyond the end of its queue."""
    if not state.structure.is_corrected_at_start:
        return True
    return all_of(
        *(
            implies(is_serving(state, n), b.position <= b.queue_max)
            for n, b in enumerate(state.brokers)
        )
    )
