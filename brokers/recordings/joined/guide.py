"""Which hidden steps a recording of whole brokers allows, and with which arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from attrs import define, evolve, field

from brokers.recordings.hidden.goals import list_wanted
from brokers.recordings.hidden.node import Goal, Node
from brokers.recordings.joined.notes import Notes, Put, Shown, count_puts
from brokers.recordings.joined.visibility import (
    OF_FOLLOWED_PUT,
    OF_PUTS,
    PROGRESS_KEEPERS,
    TABLES,
    Visibility,
)
from brokers.recordings.reading import LARGEST_NUMBER, Event
from reference.language.compiled import (
    CompiledMachine,
    State,
    compile_predicate,
    compute_compiled_machine,
)
from reference.language.machine import Action
from reference.worlds.replication.commit_log import compute_second_file
from reference.worlds.system.state import THE_SLAVE
from reference.worlds.system.structure import SystemStructure

INDEXES = ("index", "first_index", "last_index", "kept_index")
"""Arguments that count messages of the queue."""

ENDS = ("dispatched_offset", "recovered_offset")
"""Arguments up to which a queue shows messages."""

COUNTED = (
    ("cluster.master.log", "reading.brokers.0.queue_max"),
    (f"cluster.slaves.{THE_SLAVE}.log", "reading.brokers.1.queue_max"),
)
"""Each broker's log, and how many messages its queue shows of it."""

LAST_RESORT_STEPS = 9.0
"""How many usual steps count as much as one of the last resorts."""


@define(eq=False)
class JoinedGuide:
    """The guide of one recording."""

    structure: SystemStructure
    visibility: Visibility
    message: int
    """The place of the followed message in its queue."""
    machine: CompiledMachine = field(init=False)
    places: Mapping[str, int] = field(init=False)
    hidden: Mapping[str, bool] = field(init=False)
    """By instance: it may fire at any time."""
    visible: frozenset[str] = field(init=False)
    """The instances that fire at an event of their own only."""
    counted: tuple[int, ...] = field(init=False)
    """Where the state has what soundness looks at."""
    tables: tuple[int, ...] = field(init=False)
    """Where it has the progress in a broker's memory."""
    find_second_file: Mapping[str, Callable[[State], int]] = field(init=False)
    """Where the second file of a log begins, by the log."""

    def __attrs_post_init__(self) -> None:
        self.machine = compute_compiled_machine(self.structure)
        self.places = self.machine.places
        self.hidden = {n: self.visibility.is_hidden(n) for n in self.machine.instances}
        seen = (n for n, is_hidden in self.hidden.items() if not is_hidden)
        self.visible = frozenset(seen).difference(OF_PUTS)
        paths = ["reading.message.offset"]
        for log, queue in COUNTED:
            paths += [f"{log}.dispatched_offset", f"{log}.start_offset", queue]
        self.counted = tuple(self.places[path] for path in paths)
        self.tables = tuple(self.places[path] for path in TABLES)
        self.find_second_file = {
            COUNTED[0][0]: compile_predicate(
                self.structure, lambda s: compute_second_file(s.cluster.master.log, s.parameters)
            ),
            COUNTED[1][0]: compile_predicate(
                self.structure,
                lambda s: compute_second_file(s.cluster.slaves[THE_SLAVE].log, s.parameters),
            ),
        }

    def get(self, node: Node, path: str) -> int:
        """A leaf of a node's state."""
        return int(node.state[self.places[path]])

    def look_at(self, _observation: Event) -> None:
        """Nothing here rests on the time."""

    def get_end(self, node: Node) -> int:
        """Where the master's log ends."""
        return self.get(node, f"{COUNTED[0][0]}.ends.{self.structure.log.lives - 1}")

    def may(self, node: Node, name: str) -> bool:
        """Whether an instance may fire without an event of its own, or is owed."""
        return self.hidden[name] or (bool(node.notes.owed) and name in OF_PUTS)

    def find_visible(self, _node: Node) -> frozenset[str]:
        """Instances that may not fire here without an event, whatever the state."""
        return self.visible

    def may_change(self, node: Node, name: str, path: str) -> bool:
        """Whether an instance may do so; progress in memory changes by a commit that is seen."""
        is_commit = path in TABLES and not name.startswith(PROGRESS_KEEPERS)
        is_free = not self.visibility.are_commits_seen or node.notes.shown_commit is not None
        return self.may(node, name) and (is_free or not is_commit)

    def weigh(self, action: Action) -> float:
        """Circumstances that nobody saw are thought of only where nothing else helps."""
        return LAST_RESORT_STEPS if self.visibility.is_last_resort(action.rule_name) else 1.0

    def list_values(
        self,
        node: Node,
        action: Action,
        argument: str,
        bounds: tuple[int, int],
        goals: Sequence[Goal],
    ) -> Iterable[int]:
        """The values of an argument that are worth a try."""
        if argument in INDEXES:
            return self._list_indexes(node, action)
        if argument == "size_bytes" and node.notes.shown_put is not None:
            return self._list_sizes(node, node.notes.shown_put)
        return self._list_wanted(node, action, argument, bounds, goals)

    def _list_sizes(self, node: Node, shown: Shown) -> Iterator[int]:
        """The size of the put that is shown, and of what is owed and comes before it."""
        yield shown.size_bytes
        if shown.start_offset is not None and node.notes.owed:
            gap = shown.start_offset - self.get_end(node)
            yield gap // len(node.notes.owed)
            yield gap

    def _list_wanted(
        self,
        node: Node,
        action: Action,
        argument: str,
        bounds: tuple[int, int],
        goals: Sequence[Goal],
    ) -> Iterator[int]:
        """The highest value, those that goals want, and where the followed message ends."""
        yield bounds[1]
        yield from list_wanted(self.machine, node, action, bounds[0], goals)
        if argument in ENDS:
            # A queue that shows the followed message for the first time ends with it.
            yield self.get(node, "cluster.messages.0.end_offset")

    def _list_indexes(self, node: Node, action: Action) -> Iterator[int]:
        """What an index may be, as the recorded puts tell it."""
        puts = node.notes.slave_puts if "slave" in action.rule_name else node.notes.puts
        for offset in self._list_ends(node, action):
            low, high = count_puts(puts, offset)
            # The followed message, shown for the first time, gets its index and ends the queue.
            yield from range(low - 1, high + 1)

    def _list_ends(self, node: Node, action: Action) -> list[int]:
        """The offsets at which a step may have to know how many messages lie below."""
        is_of_slave = "slave" in action.rule_name
        log = COUNTED[is_of_slave][0]
        if action.rule_name.startswith(("expire", "delete")):
            return [self.find_second_file[log](node.state)]
        told = [action.arguments[name] for name in ENDS if name in action.arguments]
        ends = told or [self.get(node, f"{log}.ends.{self.structure.log.lives - 1}")]
        return [*ends, self.get(node, f"{log}.start_offset")] if is_of_slave else ends

    def list_due(self, _node: Node, _action: Action) -> Sequence[Action]:
        """None: no event shows a cursor that has only one moment."""
        return ()

    def follow(self, node: Node, action: Action, state: State) -> Notes | None:
        """The notes after a step; None for a step that the recording rules out."""
        notes: Notes | None = node.notes
        if action.rule_name in ("append_message", "append_other_message"):
            if action.instance == OF_FOLLOWED_PUT and not self._may_be_followed(node.notes):
                return None
            notes = self._follow_append(node.notes, action, state)
        if self.visibility.are_commits_seen and self._is_commit(node, action, state):
            notes = self._follow_commit(node.notes, state)
        if notes is None or not self._is_sound(node, notes, state):
            return None
        return notes

    def _may_be_followed(self, notes: Notes) -> bool:
        """The next message of the queue may have the place of the followed one."""
        low, high = count_puts(notes.puts, LARGEST_NUMBER)
        return low <= self.message <= high

    def _follow_append(self, notes: Notes, action: Action, state: State) -> Notes:
        """One message more in the master's log: the one shown, or one that is owed."""
        end = state[self.places[f"cluster.master.log.ends.{self.structure.log.lives - 1}"]]
        is_of_queue: bool | None = None
        shown = notes.shown_put
        if shown is not None and is_shown(shown, action, end):
            is_of_queue = shown.is_of_queue
            notes = evolve(notes, shown_put=None)
        elif notes.owed:
            is_of_queue = notes.owed[0]
            notes = evolve(notes, owed=notes.owed[1:])
        if self.hidden[action.instance]:
            is_of_queue = True if action.instance == OF_FOLLOWED_PUT else None
        return evolve(notes, puts=(*notes.puts, Put(end, is_of_queue)))

    def _is_commit(self, node: Node, action: Action, state: State) -> bool:
        """A step is a consumer's commit: it changes progress that a broker has in memory."""
        is_changed = any(node.state[place] != state[place] for place in self.tables)
        return is_changed and not action.rule_name.startswith(PROGRESS_KEEPERS)

    def _follow_commit(self, notes: Notes, state: State) -> Notes | None:
        """A commit is the one that the event shows, or there is none."""
        if notes.shown_commit is None:
            return None
        path, wanted = notes.shown_commit
        if state[self.places[path]] != wanted:
            return None
        return evolve(notes, shown_commit=None)

    def _is_sound(self, node: Node, notes: Notes, state: State) -> bool:
        """Each queue shows as many messages as were put, and the followed one at its place."""
        looked = [state[place] for place in self.counted]
        if notes.puts is node.notes.puts and looked == [node.state[p] for p in self.counted]:
            return True
        offset, *rest = looked
        if offset not in (-1, self.message):
            return False
        return is_counted(notes.puts, *rest[:3]) and is_counted(notes.slave_puts, *rest[3:])


def is_shown(shown: Shown, action: Action, end_offset: int) -> bool:
    """An append is the one that an event shows; where the log ends after it."""
    if shown.instance != action.instance:
        return False
    start = end_offset - action.arguments["size_bytes"]
    return shown.start_offset in (None, start)


def is_counted(puts: Sequence[Put], dispatched: int, start: int, queue_max: int) -> bool:
    """A queue shows as many messages as were put below the offset that dispatch has reached."""
    low, high = count_puts(puts, dispatched)
    is_empty = queue_max == 0 and low <= count_puts(puts, start)[0]
    return is_empty or low <= queue_max <= high
