"""The guarantees that operators rely on when they start a broker, in their words."""

from __future__ import annotations

from properties.language.property import guarantee
from reference.language.operators import all_of, any_of, implies, negate
from reference.worlds.starts.state import DOWN, RUNNING, StartingBroker


def is_tried(state: StartingBroker) -> bool:
    """A start has got beyond the broker's files, or was refused."""
    return any_of(negate(state.phase == DOWN), state.is_refused)


def is_message_known(state: StartingBroker) -> bool:
    """A broker serves whose log has a message that was in its queue before."""
    return all_of(state.phase == RUNNING, state.is_stored, state.ghost_was_entered)


@guarantee(
    why="Until somebody removes the file, the broker stays down, and with it what only it has.",
    premise=is_tried,
)
def broker_starts_again(state: StartingBroker) -> bool:
    """No start is refused because of the files that the broker's last end left."""
    return negate(state.is_refused)


@guarantee(
    why="Consumers skip a message that the queue lacks; removing a file must not cost one.",
    premise=is_message_known,
)
def entered_message_stays_entered(state: StartingBroker) -> bool:
    """While a broker serves, a message of its log that was in its queue once still is."""
    return implies(is_message_known(state), state.is_entered)
