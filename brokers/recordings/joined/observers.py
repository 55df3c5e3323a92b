"""What each kind of event asks of a state of the joined system.

An event that is about another queue, or about what the system's state does not tell, asks for
nothing, and says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import evolve, frozen

from brokers.recordings.hidden.goals import agrees
from brokers.recordings.hidden.node import Asked, Node
from brokers.recordings.joined.asking import BROKERS, Asking, ask_for, note
from brokers.recordings.joined.brokers import (
    observe_end,
    observe_kill,
    observe_log,
    observe_snapshot,
    observe_start,
)
from brokers.recordings.joined.progress import (
    observe_commit,
    observe_copy,
    observe_persist,
    observe_query,
    observe_register,
    observe_tables,
)
from brokers.recordings.joined.puts import observe_put
from brokers.recordings.joined.queues import observe_read
from brokers.recordings.joined.roles import Period, change_parts
from brokers.recordings.reading import Event
from reference.language.compiled import compute_compiled_machine, compute_places
from reference.worlds.system.state import THE_SLAVE, System
from reference.worlds.system.structure import SystemStructure

NOT_MODELLED = {
    "namesrv_started": "the name server is always there",
    "note": "a remark of the recorder",
    "update_topic": "tables of topics are another world",
    "update_subscription_group": "tables of groups are another world",
    "set_config": "the structure is constant",
    "set_broker_config": "the structure is constant",
    "log_crc": "the system knows no bytes",
    "log_scan": "the system knows one message of the log",
    "divergence_check": "the system knows no bytes",
    "update_ha_master_address": "connections are hidden here",
    "ha_master_address": "connections are hidden here",
}
"""Kinds of which the state tells nothing, with the reason."""


Observe = Callable[[Asking, Event, Node], Asked]


OBSERVERS: Mapping[str, Observe] = {
    "put": observe_put,
    "send_message": observe_put,
    "snapshot": observe_snapshot,
    "broker_started": observe_start,
    "node_started": observe_start,
    "process_started": observe_start,
    "tables": observe_tables,
    "pull_message": observe_read,
    "get_message": observe_read,
    "update_consumer_offset": observe_commit,
    "query_consumer_offset": observe_query,
    "sync_all": observe_copy,
    "register_broker": observe_register,
    "persist_consumer_offsets": observe_persist,
    "log": observe_log,
    "node_kill9": observe_kill,
    "node_stop_clean": observe_end,
    "process_exit": observe_end,
}
"""By kind of event."""


@frozen(eq=False)
class Observer(Asking):
    """Tells of each event what it asks, whatever its kind."""

    def ask(self, event: Event, node: Node) -> Asked:
        """What an event asks in a state."""
        turn = self.roles.find_turn(event)
        if turn is None:
            return self.ask_in_period(event, node)
        if not is_down(self, node):
            return ask_for([agrees("both brokers are down", lambda _: False)])
        change = change_parts_of(self.structure, turn)
        asked = self.ask_in_period(event, change(node))
        return evolve(asked, before=in_turn(change, asked.before))

    def ask_in_period(self, event: Event, node: Node) -> Asked:
        """What it asks of brokers that have the parts of its period."""
        observe = OBSERVERS.get(event.kind)
        if observe is None:
            return Asked(ignored=NOT_MODELLED.get(event.kind, "the state tells nothing of it"))
        asked = observe(self, event, node)
        if asked.before is None:
            return asked
        return evolve(asked, after=forget_shown(asked.after))


def forget_shown(after: Callable[[Node], Node] | None) -> Callable[[Node], Node]:
    """What an event shows counts for it alone; ``after``: what changes besides."""
    forget = note(shown_put=None, shown_commit=None)
    return lambda node: forget(after(node) if after else node)


def is_down(observer: Observer, node: Node) -> bool:
    """No broker runs: their parts may change."""
    places = compute_places(observer.structure)
    return not any(node.state[places[f"{broker}.is_up"]] for broker in BROKERS)


def change_parts_of(structure: SystemStructure, turn: Period) -> Callable[[Node], Node]:
    """The node once the brokers have changed their parts, by no step of a rule."""
    machine = compute_compiled_machine(structure)

    def change(node: Node) -> Node:
        state: System = machine.decode(node.state)
        logs = state.cluster.master.log, state.cluster.slaves[THE_SLAVE].log
        notes = node.notes.change_parts(*(log.max_offset for log in logs))
        changed = change_parts(state, is_sync=turn.is_sync)
        return node.edit(state=machine.encode(changed), notes=notes)

    return change


def in_turn(
    first: Callable[[Node], Node], then: Callable[[Node], Node] | None
) -> Callable[[Node], Node]:
    """Two edits, one after the other."""
    return first if then is None else lambda node: then(first(node))
