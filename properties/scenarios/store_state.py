"""Two stores on disk as a state of the model: what holds from there on, and the way to a loss.

Bytes tell less than the model knows. Of two logs that differ it is assumed that the slave has what
its master had before: the master's own bytes from there on are of a later log epoch. All bytes of
both are taken to be on disk, and both brokers to have started, without a connection.

Offsets are mapped to files of a few bytes, in their order: equal ones stay equal, and a boundary of
files stays one.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve, frozen

from brokers.disk.comparison.log_comparison import LogComparison
from brokers.disk.findings import FindingKind
from brokers.disk.stored_brokers import StoredBroker
from properties.language.property import Predicate
from properties.scenarios.procedures.procedures import is_as_good_as_new
from properties.schedules.judgement import JudgedStep, judge
from properties.worlds.replication.world import ClaimedGroup
from properties.z3.bounded_search import BoundedSearch
from reference.language.machine import Action, compute_machine, record_predicate
from reference.language.operators import negate
from reference.worlds.replication.parameters import SMALL_PARAMETERS
from reference.worlds.replication.state import Cluster, CommitLog

FAULT = "none"
"""The way to a loss has no further fault, and nobody stops a broker."""
SMALL_FILE = SMALL_PARAMETERS.mapped_file_size_bytes
LOG_SIZE = 20
"""Room for five small files."""
QUESTIONS = (
    "acknowledgement_is_truthful",
    "acknowledged_is_held_twice",
    "slaves_reach_the_masters_end",
    "slaves_come_to_hold_everything",
    "dispatch_reaches_the_end",
)
"""Guarantees whose shortest refutation from here is searched."""
STEPS_MAX = 9
LEFT_OUT = ("begin_master_stop", "begin_slave_stop")
"""Both brokers run on: the rules allow more ends to a start over mixed bytes than these stores."""


@frozen
class ScaledOffsets:
    """Offsets of real files as offsets of small ones."""

    file_size_bytes: int
    offsets: tuple[int, ...]
    """All that matter."""

    def list_files(self) -> list[int]:
        """The files that matter, by number, in order; an end at a boundary belongs to the next."""
        return sorted({offset // self.file_size_bytes for offset in self.offsets})

    def place(self, offset: int) -> int:
        """The small offset."""
        number, inner = divmod(offset, self.file_size_bytes)
        base = self.list_files().index(number) * SMALL_FILE
        beside = sorted(
            {o % self.file_size_bytes for o in self.offsets if o // self.file_size_bytes == number}
            - {0}
        )
        return base + (beside.index(inner) + 1 if inner else 0)


@frozen
class Way:
    """A schedule from the state to the first violation of a guarantee."""

    guarantee: str
    steps: tuple[JudgedStep, ...]
    """From the state on."""


@frozen
class StoreState:
    """A pair as a state of the model."""

    structure: ClaimedGroup
    cluster: Cluster
    is_as_good_as_new: bool
    """Whatever was proved of a new group is true of this one from now on."""
    violated: tuple[str, ...]
    """Guarantees that do not hold in it."""


def make_state(
    structure: ClaimedGroup, master: StoredBroker, slave: StoredBroker, compared: LogComparison
) -> StoreState:
    """The pair's state; ``structure`` has one slave."""
    ours, theirs = master.start, slave.start
    kinds = {finding.kind for finding in compared.findings}
    is_differing = bool(kinds & {FindingKind.DIVERGED, FindingKind.FOREIGN, FindingKind.AHEAD})
    common = (
        compared.differs_from
        if kinds & {FindingKind.DIVERGED, FindingKind.FOREIGN}
        else ours.end_offset
    )
    common = min(common, ours.end_offset)
    unknown = [f.end_offset for f in compared.findings if f.kind is FindingKind.FOREIGN]
    unknown += [
        f.end_offset for f in compared.findings if f.kind is FindingKind.GAP and f.on_master
    ]
    offsets = (
        ours.begin_offset, ours.end_offset, theirs.begin_offset, theirs.end_offset, common, *unknown
    )  # fmt: skip
    places = ScaledOffsets(max(1, master.log.file_size_bytes or slave.log.file_size_bytes), offsets)
    limits = structure.world.get_fault_model(FAULT).search_limits
    sizes = evolve(SMALL_PARAMETERS.limit(limits), ghost_log_size_max_bytes=LOG_SIZE)
    initial: Cluster = structure.make_initial(sizes)
    life, later = int(is_differing), structure.lives - 1
    end, slave_end = places.place(ours.end_offset), places.place(theirs.end_offset)
    first = places.place(common) if life else end
    master_log = make_log((first, *(end,) * later), master, places)
    old_end = min(slave_end, find_old_end(compared, places)) if life else slave_end
    slave_log = make_log((old_end, *(slave_end,) * later), slave, places)
    if unknown:
        slave_log = evolve(slave_log, ghost_unknown_below_offset=max(map(places.place, unknown)))
    cluster = evolve(
        initial,
        master=evolve(initial.master, log=master_log, ghost_life=life),
        slaves=(evolve(initial.slaves[0], log=slave_log),),
    )
    return StoreState(structure, cluster, is_as_good_as_new(cluster), judge(cluster))


def find_old_end(compared: LogComparison, places: ScaledOffsets) -> int:
    """Where the file ends in which the last byte differs: behind it the slave has new bytes."""
    if not compared.differs_from < compared.differs_until:
        return LOG_SIZE
    number = (compared.differs_until - 1) // places.file_size_bytes
    files = places.list_files()
    return (files.index(number) + 1) * SMALL_FILE if number in files else LOG_SIZE


def make_log(ends: tuple[int, ...], broker: StoredBroker, places: ScaledOffsets) -> CommitLog:
    """A log that a start has found: flushed and dispatched as far as it reaches."""
    end, begin = ends[-1], places.place(broker.start.begin_offset)
    has_file = bool(broker.log.files)
    last = end - end % SMALL_FILE
    is_full = has_file and end == last and end > begin
    return CommitLog(
        ends=ends,
        start_offset=begin,
        last_file_offset=last - SMALL_FILE if is_full else last,
        has_file=has_file,
        flushed_offset=end,
        dispatched_offset=end,
        ghost_durable_offset=end,
    )


def find_ways(state: StoreState) -> Iterator[Way]:
    """The shortest way to each violation, without any further fault, in the order of QUESTIONS."""
    world = state.structure.world
    fault_model = world.get_fault_model(FAULT)
    names = [name for name in QUESTIONS if name in world.claims]
    search = BoundedSearch(
        state.structure,
        fault_model,
        sizes=state.cluster.parameters,
        left_out=LEFT_OUT,
        initial=state.cluster,
    )
    questions = {
        name: record_predicate(state.structure, make_negation(world.get_claim(name).predicate))
        for name in names
    }
    answers = search.find_shortest(questions, depth_limits=dict.fromkeys(names, STEPS_MAX))
    for name in names:
        schedule = answers[name].schedule
        if schedule is not None:
            yield Way(name, tuple(take(state.cluster, schedule, name)))


def make_negation(predicate: Predicate) -> Predicate:
    """Holds where a predicate does not."""
    return lambda cluster: negate(predicate(cluster))


def take(cluster: Cluster, schedule: tuple[Action, ...], name: str) -> Iterator[JudgedStep]:
    """The schedule from a state on, judged by a guarantee."""
    machine = compute_machine(cluster.structure)
    yield JudgedStep(0, None, cluster, judge(cluster, (name,)))
    for index, action in enumerate(schedule, start=1):
        cluster = machine.step(cluster, action).cluster
        yield JudgedStep(index, action, cluster, judge(cluster, (name,)))
