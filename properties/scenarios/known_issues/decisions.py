"""Known issues about one decision, not a schedule: a question, and its answers in a few cases.

Each question calls a function of the reference with plain values, so its cases can be in a data
file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from attrs import asdict, evolve, field, frozen

from properties.scenarios.known_issues.scenario import RecordedEvidence
from properties.scenarios.reading_claims import ReadingDeployment, decide
from reference.decisions.controller.election import (
    LiveBroker,
    compare_cut,
    compare_whole,
    elect,
)
from reference.decisions.metadata.broker_tables import BrokerTables, DataVersion, VersionedTable
from reference.decisions.metadata.copying import STEPS, merge_offsets, sync_all
from reference.decisions.name_server.client_side import compute_pulls_elsewhere
from reference.decisions.progress.client_offsets import (
    Beginning,
    compute_pull_from_where,
    read_stored,
)
from reference.decisions.progress.offset_table import QueryAnswer, QueryCode
from reference.decisions.reading.client import Client, choose_offset_store
from reference.decisions.reading.settings import (
    DEFAULT_TOTAL_MEMORY_BYTES,
    compute_memory_bytes,
    is_further_back_than_memory,
)
from reference.releases.known_differences import ELECTION_COMPARES_LONG
from reference.releases.releases import CONTROLLER
from reference.releases.versions import Version

Function = TypeVar("Function", bound=Callable[..., Any])


@frozen
class Question:
    """A question, and the function of the reference that decides it."""

    ask: Callable[..., Any]
    decided_by: str
    """Its name in the ledger."""

    @property
    def sentence(self) -> str:
        """The question in words."""
        return (self.ask.__doc__ or "").partition("\n")[0]


QUESTIONS: dict[str, Question] = {}
"""Every question by name."""


def question(decided_by: str) -> Callable[[Function], Function]:
    """Decorator: register a question."""

    def register(function: Function) -> Function:
        QUESTIONS[function.__name__] = Question(function, decided_by)
        return function

    return register


@question("read:choose_offset_store")
def which_broker_keeps_progress(brokers: Sequence[int]) -> int:
    """The broker to which a consumer sends its progress, given the brokers of its route."""
    return choose_offset_store(Client(brokers=tuple(brokers)))


@question("read:suggestions_are_followed")
def which_pulls_miss_their_suggestion(route: Sequence[int], slow_broker_id: int) -> list[str]:
    """The pulls of a consumer until it asks another broker than was suggested."""
    slave_reads = ReadingDeployment(True, True, 0, slow_broker_id, route=tuple(route))
    return [str(step) for step in decide("suggestions_are_followed", slave_reads) or ()]


@question("read:a_closed_slave_hands_out_nothing")
def which_pulls_a_closed_slave_serves(route: Sequence[int]) -> list[str]:
    """The pulls until a slave without slaveReadEnable hands out messages."""
    closed = ReadingDeployment(False, False, 0, 1, route=tuple(route))
    return [str(step) for step in decide("a_closed_slave_hands_out_nothing", closed) or ()]


@question("name server:compute_pulls_elsewhere")
def how_long_until_the_slave_is_asked(is_channel_closed: bool) -> dict[str, int]:
    """The time from its master's end until a consumer pulls from the slave."""
    span: dict[str, int] = asdict(compute_pulls_elsewhere(is_channel_closed=is_channel_closed))
    return span


@question("progress:read_stored")
def where_a_consumer_begins(code: str, stored: int, queue_end: int) -> int:
    """The offset at which a consumer begins after this answer to its progress query.

    A code is a name of QueryCode, or empty for no answer; a negative number means no stored
    progress, and a consumer that does not begin.
    """
    offset = stored if stored >= 0 else None
    answer = QueryAnswer(QueryCode[code], offset, "") if code else None
    begin = compute_pull_from_where(Beginning(read_stored(answer), master_max_offset=queue_end))
    return -1 if begin.value is None else begin.value


@question("read:is_further_back_than_memory")
def is_a_reader_sent_away(memory_ratio: int, lag_bytes: int) -> bool:
    """Whether a consumer that is this far behind the log's end is sent to another broker."""
    memory = compute_memory_bytes(DEFAULT_TOTAL_MEMORY_BYTES, memory_ratio)
    return is_further_back_than_memory(lag_bytes, 0, memory)


@question("controller:elect")
def which_member_is_elected(max_offsets_gib: Sequence[int], release: str) -> int | None:
    """The broker id of the new master, given where the logs of members 1, 2, ... end."""
    members = [LiveBroker(i, max_offset_bytes=n * 2**30) for i, n in enumerate(max_offsets_gib, 1)]
    is_whole = Version(release, CONTROLLER).has(ELECTION_COMPARES_LONG)
    return elect(members, compare_whole if is_whole else compare_cut)


@question("metadata:merge_offsets")
def which_progress_the_slave_has(
    slave: Mapping[str, int], master: Mapping[str, int]
) -> dict[str, int]:
    """The progress of a slave after a copy, by topic@group, in one queue."""
    tables = ({key: {0: n} for key, n in table.items()} for table in (slave, master))
    return {key: queues[0] for key, queues in merge_offsets(*tables).items()}


@question("metadata:list_instants")
def which_tables_the_slave_has(failing: Sequence[str]) -> list[str]:
    """The tables of its master that a new slave has after a copy with these failed steps."""
    empty = VersionedTable[str](DataVersion(0))
    slave = BrokerTables(empty, empty, master_address="master")
    filled = empty.put("T", "made", 1)
    master = evolve(
        slave,
        topics=filled,
        groups=filled,
        offsets={"T@G": {0: 9}},
        delay_offsets={"3": 4},
    )
    after = sync_all(slave, master, failing=failing)
    copied = {
        "topics": after.topics.entries,
        "progress": after.offsets,
        "delay": after.delay_file,
        "groups": after.groups.entries,
    }
    return [name for name in STEPS if copied[name]]


@frozen
class DecisionCase:
    """One case of a question."""

    arguments: Mapping[str, Any]
    answer: Any
    """The expected answer: a number, a truth value, a list or a table of them."""
    means: str
    """The meaning for an operator."""


def as_cases(entries: Iterable[Mapping[str, Any]]) -> tuple[DecisionCase, ...]:
    """The cases in the data."""
    return tuple(DecisionCase(**entry) for entry in entries)


@frozen
class Decision:
    """A known issue that one function decides."""

    name: str
    rows: tuple[str, ...] = field(converter=tuple)
    """Rows of the survey of known issues, as identifiers of the ledger."""
    sources: tuple[str, ...] = field(converter=tuple)
    title: str
    certainty: str
    """One of CERTAINTIES."""
    question_name: str
    """One of QUESTIONS."""
    cases: tuple[DecisionCase, ...]
    """The reported case first, then others to compare it with."""
    note: str = ""
    seen: tuple[RecordedEvidence, ...] = ()

    @property
    def question(self) -> Question:
        """The question in words."""
        return QUESTIONS[self.question_name]

    def find_wrong_cases(self) -> list[DecisionCase]:
        """The cases in which the reference gives another answer."""
        return [c for c in self.cases if self.question.ask(**c.arguments) != c.answer]
