"""Recoveries after a schedule: tried in the reference from its last state, whatever went wrong.

A procedure (``procedures.py``) has a failure and acts of its own. A recovery has none: it is what
an administrator can try after any failure of a group. It begins at the state that a schedule ends
in, once the group has come to rest. Then brokers are stopped, stores copied and brokers started;
the group comes to rest again, one more message is put, and it comes to rest once more. Every choice
that a step leaves open is tried. Every state from the first rest on is judged. Brokers start in the
plainest way that is possible: a start that takes torn or stale bytes for whole is a failure itself,
with a code of its own.

A recovery may owe its success to the very end of a schedule, for example to a blank that a restart
cuts off. So each is tried a second time, after another message has been put and the group has come
to rest again.

Of the whole system only the log is treated. Its readers stay as the schedule leaves them, or their
progress is set back; see ``readers.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from attrs import evolve, field, frozen

from properties.language.world import ClaimedStructure
from properties.scenarios.procedures.procedures import (
    ORDERS,
    STEPS_MAX,
    RestlessError,
    compute_operated_machine,
    is_as_good_as_new,
    list_choices,
    make_put,
    take,
)
from properties.scenarios.procedures.readers import (
    Readers,
    ReadersOutcome,
    find_readers,
    judge_readers,
)
from properties.schedules.judgement import ScheduleError, follow
from properties.schedules.other_ends import MASTER_STARTS, SLAVE_STARTS
from properties.verdicts.verdict import Verdict
from properties.worlds.replication.convergence import (
    DISPATCH_STEPS,
    HEALING_STEPS,
    PUT_STEPS,
    get_added_steps,
    get_everyone,
    is_at_rest,
    leave_out_unawaited,
)
from properties.worlds.replication.fault_models import EVERYTHING, SIZES
from properties.worlds.replication.guarantees import is_on_some_slave, is_owed
from properties.worlds.replication.world import CLAIMS, REPLICATION, ClaimedGroup
from reference.language.machine import Action, Instance, probe
from reference.worlds.replication.lineage import has_message
from reference.worlds.replication.parameters import FaultCounts
from reference.worlds.replication.state import UNKNOWN_OFFSET, Cluster, CommitLog, Message
from reference.worlds.system.state import System, get_cluster

FILES_MORE = 3
"""Room for the messages of the trials, each perhaps in a file of its own."""

Act = Callable[[Cluster], list[Cluster]]
"""A part of a recovery: the states that may follow. Raises ScheduleError if it is impossible."""


@frozen(eq=False)
class Recovery:
    """Something that an administrator can try after any failure."""

    title: str
    """In the imperative, without a full stop."""
    acts: tuple[Act, ...]
    needs_slaves: bool = True
    is_promotion: bool = False
    """A slave becomes the master for good: an operator's last resort."""


@frozen
class RecoveryOutcome:
    """What a recovery gives."""

    title: str
    broken: tuple[str, ...] = ()
    """The claims that do not hold in some state afterwards."""
    is_lost: bool = False
    """No broker has a message any more that was answered PUT_OK and was on one at the beginning."""
    is_as_good_as_new: bool = False
    """Whatever was proved of a new group is true of this one from now on."""
    refused: str = ""
    """The condition that makes it impossible; empty if it is possible."""
    is_restless: bool = False
    """It is possible, and afterwards brokers take steps without end."""
    is_promotion: bool = False
    """It makes a slave the master for good."""
    readers: ReadersOutcome = field(factory=ReadersOutcome)
    """What it leaves to the readers of the log."""
    later: RecoveryOutcome | None = None
    """What it gives if another message has been put first; None where none can be put."""

    def list_broken(self) -> tuple[str, ...]:
        """The claims that do not hold afterwards, here or later."""
        return self.broken + (() if self.later is None else self.later.broken)

    @property
    def is_mending_here(self) -> bool:
        """From this very end: possible, every claim holds afterwards, nothing answered is lost."""
        is_log_mended = not (self.broken or self.is_lost or self.refused or self.is_restless)
        return is_log_mended and self.readers.is_mended

    @property
    def is_mending(self) -> bool:
        """It mends from this end, and also if another message has been put first."""
        return self.is_mending_here and (self.later is None or self.later.is_mending_here)


def take_one_of(state: Cluster, names: Iterable[str], index: int | None = None) -> list[Cluster]:
    """The states after one of these steps. Raises ScheduleError if none is possible."""
    known = group_by_rule(state.structure)
    tried = [i for name in names for i in known.get(name, ()) if index in (None, *i.indexes)]
    meant = [each.name for each in tried if not probe(each, state)[0]]
    if not meant:
        raise ScheduleError(f"{', '.join(probe(tried[0], state)[0])} does not hold")
    choices = (each for name in meant for each in list_choices(state, Action(name)))
    return list(dict.fromkeys(take(state, each) for each in choices))


def start(state: Cluster, names: Iterable[str], index: int | None = None) -> list[Cluster]:
    """The states after the first of these starts that is possible. Raises ScheduleError."""
    problems = []
    for name in names:
        try:
            return take_one_of(state, (name,), index)
        except ScheduleError as problem:
            problems.append(problem)
    raise problems[0]


def take_in_turn(states: Iterable[Cluster], act: Act) -> list[Cluster]:
    """The states after an act, whichever of these states it begins in."""
    return list(dict.fromkeys(after for state in states for after in act(state)))


def for_each_slave(act: Callable[[Cluster, int], list[Cluster]]) -> Act:
    """The act, for one slave after another."""

    def act_on_all(state: Cluster) -> list[Cluster]:
        states = [state]
        for number in range(len(state.slaves)):
            states = [after for each in states for after in act(each, number)]
        return states

    return act_on_all


def stop_slave(state: Cluster, number: int) -> list[Cluster]:
    """The slave stops cleanly, unless it is down."""
    slave = state.slaves[number]
    if not slave.is_up:
        return [state]
    begun = [state] if slave.is_stopping else take_one_of(state, ("begin_slave_stop",), number)
    return [after for each in begun for after in take_one_of(each, ("finish_slave_stop",), number)]


def stop_master(state: Cluster) -> list[Cluster]:
    """The master stops cleanly, unless it is down."""
    if not state.master.is_up:
        return [state]
    begun = [state] if state.master.is_stopping else take_one_of(state, ("begin_master_stop",))
    return [after for each in begun for after in take_one_of(each, ("finish_master_stop",))]


def start_master(state: Cluster) -> list[Cluster]:
    """The master starts, unless it is running."""
    return [state] if state.master.is_up else start(state, MASTER_STARTS)


def start_slave(state: Cluster, number: int) -> list[Cluster]:
    """The slave starts, unless it is running."""
    if state.slaves[number].is_up:
        return [state]
    return start(state, SLAVE_STARTS, number)


def begin_file(state: Cluster) -> list[Cluster]:
    """A message is put if the master's log ends with a blank, which begins the next file."""
    if state.master.trailing_blank_offset == UNKNOWN_OFFSET:
        return [state]
    return [put_another(state)]


def copy_to_slave(state: Cluster, number: int) -> list[Cluster]:
    """The store of a slave is replaced by a copy of the master's."""
    return take_one_of(state, ("copy_store_to_slave",), number)


def empty_store(state: Cluster, number: int) -> list[Cluster]:
    """The store directory of a slave is removed, with its epoch file and its id."""
    return take_one_of(state, ("wipe_slave",), number)


def remove_epochs(state: Cluster, number: int) -> list[Cluster]:
    """The epoch file of a slave is removed; its log stays."""
    return take_one_of(state, ("remove_epoch_file",), number)


def start_in_next_epoch(state: Cluster) -> list[Cluster]:
    """The master starts after the controller has noticed that it was away."""
    return start(state, ("restart_master_in_next_epoch",))


def find_longest(state: Cluster) -> int:
    """The slave whose log ends last."""
    ends = [slave.log.max_offset for slave in state.slaves]
    return ends.index(max(ends))


def promote(state: Cluster) -> list[Cluster]:
    """The longest slave starts as the master."""
    return take_one_of(state, ("promote_slave",), find_longest(state))


def send_known_bytes(state: Cluster) -> list[Cluster]:
    """Nothing, if all that slaves will be sent is known: a promoted log may have torn records.

    Raises ScheduleError otherwise: the rules of a transfer know of no bytes that a master lacks.
    """
    torn_end = state.master.log.ghost_foreign_end_offset
    if any(slave.log.max_offset < torn_end for slave in state.slaves):
        raise ScheduleError("is_content_known does not hold")
    return [state]


def keep_old_master_away(state: Cluster) -> list[Cluster]:
    """Nobody starts the old master any more, or reads its store: the new one is alone."""
    return [leave_out_slaves(state)]


def copy_to_master(state: Cluster) -> list[Cluster]:
    """The master's store is replaced by a copy of the longest slave's, and forced to disk."""
    copied = take_one_of(state, ("copy_store_to_master",), find_longest(state))
    return [after for each in copied for after in take_one_of(each, ("sync_master",))]


STOP_SLAVES, START_SLAVES = for_each_slave(stop_slave), for_each_slave(start_slave)
START_ALL = (start_master, START_SLAVES)

RECOVERIES = (
    Recovery("Leave it: start what is down, nothing else", START_ALL, needs_slaves=False),
    Recovery("Restart the master", (stop_master, *START_ALL), needs_slaves=False),
    Recovery("Restart the slave", (start_master, STOP_SLAVES, START_SLAVES)),
    Recovery(
        "Copy the stopped master's store to the slave",
        (
            STOP_SLAVES,
            start_master,
            begin_file,
            stop_master,
            for_each_slave(copy_to_slave),
            *START_ALL,
        ),
    ),
    Recovery(
        "Copy the stopped slave's store to the master, sync",
        (STOP_SLAVES, stop_master, copy_to_master, *START_ALL),
    ),
)
"""Each begins with what is down or up, whichever it is."""

WITH_CONTROLLER = (
    Recovery(
        "Empty the stopped slave's store, start it",
        (start_master, STOP_SLAVES, for_each_slave(empty_store), START_SLAVES),
    ),
    Recovery(
        "Remove the stopped slave's epoch file, start it",
        (start_master, STOP_SLAVES, for_each_slave(remove_epochs), START_SLAVES),
    ),
    Recovery(
        "Copy the stopped master's store to the slave, start the master once its epoch has ended",
        (
            STOP_SLAVES,
            start_master,
            begin_file,
            stop_master,
            for_each_slave(copy_to_slave),
            start_in_next_epoch,
            START_SLAVES,
        ),
    ),
)
"""What else can be tried where a controller elects the master."""


PROMOTED = (STOP_SLAVES, stop_master, promote)
PROMOTIONS = (
    Recovery(
        "Promote the slave, keep the old master away",
        (*PROMOTED, keep_old_master_away),
        is_promotion=True,
    ),
    Recovery(
        "Promote the slave, then copy its store to the old master, which becomes its slave",
        (*PROMOTED, begin_file, stop_master, for_each_slave(copy_to_slave), *START_ALL),
        is_promotion=True,
    ),
    Recovery(
        "Promote the slave, empty the old master's store, start it as a slave",
        (*PROMOTED, for_each_slave(empty_store), send_known_bytes, *START_ALL),
        is_promotion=True,
    ),
    Recovery(
        "Promote the slave, start the old master as a slave with the store that it has",
        (*PROMOTED, send_known_bytes, *START_ALL),
        is_promotion=True,
    ),
)
"""What an operator can try without a controller when the master is gone; for a pair's log.

What readers find at a promoted slave is not tried: its progress and tables are another story.
"""

CLAIMS_ABOUT_SLAVES = (
    "slaves_reach_the_masters_end",
    "slaves_come_to_hold_everything",
    "slave_is_prefix_of_master",
    "equal_offsets_mean_equal_bytes",
)
"""Nobody promotes a slave because it lacks something."""

ASKED_OF_PROMOTIONS = ("equal_offsets_mean_equal_bytes",)
"""What else a promotion may break: the old master has bytes that the new one never had."""


PROMOTED_CLAIM = "promotion_loses_no_acknowledged_message"
"""Who asks about it asks what a promotion gives, whatever becomes of readers."""

LOG_CLAIMS: Mapping[str, str] = dict.fromkeys(
    (
        "acknowledged_is_consumed_or_to_come",
        "acknowledged_is_read_from_the_slave",
        PROMOTED_CLAIM,
    ),
    "acknowledged_is_kept_on_master",
)
"""The claim of a log that must hold so that a claim of the whole system can hold again."""


def choose_judged(claims: Iterable[str]) -> tuple[str, ...]:
    """The claims about the log by which recoveries are judged: those named, or what they need."""
    named = (LOG_CLAIMS.get(name, name) for name in claims)
    return tuple(dict.fromkeys(name for name in named if name in CLAIMS))


@frozen
class Trials:
    """What every recovery gives after one schedule."""

    judged: tuple[str, ...] = ()
    """The claims about the log that have to hold."""
    outcomes: tuple[RecoveryOutcome, ...] = ()
    """Empty if nothing could be tried."""


def try_recoveries(
    structure: ClaimedStructure, verdict: Verdict, claims: Sequence[str], also: Sequence[str] = ()
) -> Trials:
    """What each recovery gives after the schedule of a refuted verdict.

    Judged are the claims about the log, see ``choose_judged``, and those about its readers; and of
    ``also`` those about the log that some recovery mends. Nothing is tried without a claim about
    the log, in a world without a log, or if the group cannot come to rest.
    """
    judged = choose_judged(claims)
    try:
        end = find_end(structure, verdict)
        last = make_last_cluster(end) if judged else None
        rested = None if last is None else list(settle(last, 0))[-1]
    except ScheduleError:
        return Trials()
    if rested is None:
        return Trials()
    known = REPLICATION.claims
    more = [name for name in dict.fromkeys(also) if name in known and name not in judged]
    readers = find_readers(end, claims)
    is_promoting = PROMOTED_CLAIM in claims
    outcomes = list(try_all(rested, (*judged, *more), readers, is_promoting=is_promoting))
    return forget_unmended(Trials((*judged, *more), tuple(outcomes)), more)


def try_all(
    rested: Cluster, judged: Sequence[str], readers: Readers | None, *, is_promoting: bool = False
) -> Iterator[RecoveryOutcome]:
    """What each recovery gives after a group has come to rest, and after one more message.

    Promotions are tried where only the log is judged, and where they are asked for.
    """
    grown = grow(rested)
    is_masters = len(rested.slaves) == 1 and not {*judged} <= {*CLAIMS_ABOUT_SLAVES}
    promotions = PROMOTIONS if is_masters and (readers is None or is_promoting) else ()
    more = WITH_CONTROLLER if rested.epoch_files else promotions
    for recovery in (*RECOVERIES, *more):
        if rested.slaves or not recovery.needs_slaves:
            asked = None if recovery.is_promotion else readers
            later = None if grown is None else try_recovery(recovery, grown, judged, asked)
            here = try_recovery(recovery, rested, judged, asked)
            yield evolve(here, later=later, is_promotion=recovery.is_promotion)


def forget_unmended(trials: Trials, more: Iterable[str]) -> Trials:
    """The trials without those of these claims that no recovery mends: they are gone for good."""
    possible = [o for o in trials.outcomes if not (o.refused or o.is_restless)]
    lost = {name for name in more if all(name in o.list_broken() for o in possible)}

    def forget(outcome: RecoveryOutcome) -> RecoveryOutcome:
        later = None if outcome.later is None else forget(outcome.later)
        return evolve(
            outcome, broken=tuple(n for n in outcome.broken if n not in lost), later=later
        )

    judged = tuple(name for name in trials.judged if name not in lost)
    return Trials(judged, tuple(map(forget, trials.outcomes)))


def grow(rested: Cluster) -> Cluster | None:
    """The group at rest after another message is put; None if its master takes none."""
    try:
        return list(settle(put_another(rested), 0))[-1]
    except ScheduleError:
        return None


def find_end(structure: ClaimedStructure, verdict: Verdict) -> Any:
    """The state at a schedule's end. Raises ScheduleError."""
    world = structure.world
    sizes = world.make_search_parameters(world.get_fault_model(verdict.fault))
    *_, (_, state) = follow(structure, sizes, verdict.schedule)
    return state


def leave_out_slaves(cluster: Cluster) -> Cluster:
    """The group without the slave that never starts."""
    group = evolve(cluster.structure, slaves=0, are_slaves_absent=False)
    return evolve(cluster, structure=group, slaves=(), links=())


def make_room_for_promotion(cluster: Cluster) -> Cluster:
    """The same group, with one more epoch of the log that nobody has begun."""

    def widen(log: CommitLog) -> CommitLog:
        return evolve(log, ends=(*log.ends, log.max_offset))

    return evolve(
        cluster,
        structure=evolve(cluster.structure, lives=cluster.structure.lives + 1),
        master=evolve(cluster.master, log=widen(cluster.master.log)),
        slaves=tuple(evolve(slave, log=widen(slave.log)) for slave in cluster.slaves),
    )


def make_last_cluster(state: Any) -> Cluster | None:
    """The group in a state, with one more followed message; None if there is none.

    The log gets room for ``FILES_MORE`` files, and no fault has been counted.
    """
    cluster = get_cluster(state) if isinstance(state, System) else state
    if not isinstance(cluster, Cluster):
        return None
    if isinstance(state, System) and state.structure.is_alone:
        cluster = leave_out_slaves(cluster)
    if not cluster.epoch_files:
        cluster = make_room_for_promotion(cluster)
    group = evolve(cluster.structure, messages=len(cluster.messages) + 1)
    search = SIZES.search.limit(EVERYTHING.search_limits)
    size = search.ghost_log_size_max_bytes + FILES_MORE * search.mapped_file_size_bytes
    return evolve(
        cluster,
        structure=group,
        parameters=evolve(search, ghost_log_size_max_bytes=size),
        messages=(*cluster.messages, Message()),
        faults=FaultCounts(),
    )


def try_recovery(
    recovery: Recovery, rested: Cluster, claims: Sequence[str], readers: Readers | None
) -> RecoveryOutcome:
    """What a recovery gives after a group has come to rest."""
    states = [rested]
    try:
        for act in recovery.acts:
            states = take_in_turn(states, act)
        runs = [run for number in range(len(ORDERS)) for run in run_on(states, number)]
    except RestlessError:
        return RecoveryOutcome(recovery.title, is_restless=True)
    except ScheduleError as problem:
        return RecoveryOutcome(recovery.title, refused=str(problem))
    known = REPLICATION.claims
    reached = dict.fromkeys(state for run in runs for state in run)
    asked = dict.fromkeys((*claims, *(ASKED_OF_PROMOTIONS if recovery.is_promotion else ())))
    return RecoveryOutcome(
        recovery.title,
        broken=tuple(n for n in asked if not all(known[n].predicate(s) for s in reached)),
        is_lost=any(has_lost(rested, state) for state in reached),
        is_as_good_as_new=all(map(is_as_good_as_new, dict.fromkeys(run[-1] for run in runs))),
        readers=judge_readers(readers, runs),
    )


def has_lost(before: Cluster, after: Cluster) -> bool:
    """A message that was answered PUT_OK was on a broker, and is on none any more."""
    pairs = zip(before.messages, after.messages, strict=True)
    return any(
        is_owed(old) and is_held(before, old) and is_owed(new) and not is_held(after, new)
        for old, new in pairs
    )


def is_held(cluster: Cluster, message: Message) -> bool:
    """Some broker's log has all of the message."""
    return bool(has_message(cluster.master.log, message) or is_on_some_slave(cluster, message))


def run_on(states: Iterable[Cluster], number: int) -> Iterator[tuple[Cluster, ...]]:
    """The states from each rest of a group to its next, with one more message put between them."""
    for rested in dict.fromkeys(list(settle(state, number))[-1] for state in states):
        yield (rested, *settle(put_one(rested), number))


def put_one(state: Cluster) -> Cluster:
    """The state after one more message is put, in the next file if it does not fit in this one."""
    return put(state, make_put(state))


def put_another(state: Cluster) -> Cluster:
    """The same with a message that is not followed. Raises ScheduleError."""
    return put(state, Action("append_other_message", {"size_bytes": 1}))


def put(state: Cluster, action: Action) -> Cluster:
    """The state after a put, in the next file if it does not fit in this one."""
    try:
        after: Cluster = take(state, action)
    except ScheduleError:
        after = take(take(state, Action("fill_file")), action)
    return after


def settle(state: Cluster, number: int) -> Iterator[Cluster]:
    """The state, and each after it, until the group rests; ``number`` is that of an order.

    Raises RestlessError if a group whose brokers all run does not come to rest.
    """
    added = get_added_steps(state.structure)
    steps = (*DISPATCH_STEPS, *ORDERS[number], *added, *PUT_STEPS)
    order = leave_out_unawaited(state.structure, steps)
    yield state
    for _ in range(STEPS_MAX):
        step = find_next(state, order)
        if step is None:
            break
        state = take(state, step)
        yield state
    if is_all_running(state) and not is_at_rest(state, HEALING_STEPS, get_everyone(state)):
        raise RestlessError


def find_next(state: Cluster, order: Iterable[str]) -> Action | None:
    """The most urgent possible step, as large as possible; None at rest."""
    known = group_by_rule(state.structure)
    for instance in (each for name in order for each in known.get(name, ())):
        failed, ranges = probe(instance, state)
        if not failed:
            return Action(instance.name, {r.name: r.high for r in ranges})
    return None


@cache
def group_by_rule(structure: ClaimedGroup) -> dict[str, tuple[Instance, ...]]:
    """The instances of each rule, by its name."""
    found: dict[str, tuple[Instance, ...]] = {}
    for each in compute_operated_machine(structure).instances.values():
        found[each.rule.name] = (*found.get(each.rule.name, ()), each)
    return found


def is_all_running(state: Cluster) -> bool:
    """Every broker runs."""
    return bool(state.master.is_up and all(slave.is_up for slave in state.slaves))
