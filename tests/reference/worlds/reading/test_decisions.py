"""The world of reading decides nothing itself, and what it takes for a store is what stores do."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import reference
from reference.decisions.clients import reactions
from reference.decisions.progress import client_offsets, offset_table
from reference.decisions.reading import client, get_message, pull_processor
from reference.decisions.reading.consume_queue import MessageLocation, ReadableQueue
from reference.decisions.reading.get_message import is_scanned
from reference.decisions.reading.pull import PullMessageRequest, PullSituation, ResponseCode, Topic
from reference.decisions.reading.pull_processor import answer_pull
from reference.decisions.reading.read import GetMessageStatus, Read
from reference.decisions.reading.scan import NOT_SCANNED, Ahead, gather, is_possible
from reference.decisions.reading.settings import BrokerSettings, StoreSettings
from reference.decisions.reading.subscription_group import SubscriptionGroup
from reference.language.machine import compute_machine, probe
from reference.roles import Role
from reference.worlds.reading.pulling import (
    answer,
    compute_last_looked_at,
    make_header,
    make_scan,
)
from reference.worlds.reading.state import (
    MASTER,
    SLAVE,
    SMALL_READING,
    Consumer,
    QueueBroker,
    Reading,
)
from reference.worlds.reading.structure import ReadingStructure

ROOT = Path(reference.__file__).parent
WORLD = ROOT / "worlds" / "reading"

DECISIONS = {
    get_message.find: get_message,
    get_message.is_scanned: get_message,
    get_message.is_offset_corrected: get_message,
    pull_processor.compute_code: pull_processor,
    pull_processor.compute_suggestion: pull_processor,
    reactions.meet: reactions,
    reactions.move_on: reactions,
    reactions.is_message_kept: reactions,
    reactions.is_offset_illegal: reactions,
    client.compute_target: client,
    client.compute_first_id: client,
    client.has_commit_flag: client,
    offset_table.compute_answer: offset_table,
    client_offsets.compute_begin: client_offsets,
}
"""What the world has to ask, and the modules that say it."""

TABLES = ("UNSCANNED", "CODE_WRITES", "SUGGESTION_WRITES", "DECODED_CODES", "BEGINNINGS")
"""What decides, as data."""

SCAN_OUTCOME = GetMessageStatus.MESSAGE_WAS_REMOVING.name
"""What an entry whose message is gone comes to; of all words for outcomes the world needs it."""

OUTCOMES = {*ResponseCode.__members__, *GetMessageStatus.__members__} - {SCAN_OUTCOME}

DECIDING = {
    ResponseCode.PULL_OFFSET_MOVED: ("pull", "pull_processor", "reactions"),
    ResponseCode.PULL_RETRY_IMMEDIATELY: ("pull", "pull_processor", "reactions"),
    GetMessageStatus.OFFSET_TOO_SMALL: ("read", "get_message", "pull_processor"),
    GetMessageStatus.OFFSET_OVERFLOW_BADLY: ("read", "get_message", "pull_processor"),
    GetMessageStatus.OFFSET_OVERFLOW_ONE: ("read", "get_message", "pull_processor"),
    GetMessageStatus.NO_MESSAGE_IN_QUEUE: ("read", "get_message", "pull_processor"),
}
"""The outcomes that lead a reader elsewhere, and the modules that may speak of them."""


@cache
def parse(folder: Path) -> dict[Path, ast.Module]:
    """The modules of a folder and below."""
    return {file: ast.parse(file.read_text("utf-8")) for file in sorted(folder.rglob("*.py"))}


WORLD_FILES = sorted(WORLD.rglob("*.py"))


def list_names(module: ast.Module) -> Iterator[str]:
    """Every name and attribute that a module's code reads or writes, but for its texts."""
    for node in ast.walk(module):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name


def list_called(modules: Iterable[ast.Module]) -> set[str]:
    """The names of functions that are called, or handed to another one."""
    nodes = (node for module in modules for node in ast.walk(module))
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


@pytest.mark.parametrize("file", WORLD_FILES, ids=lambda file: file.stem)
def test_the_world_does_not_speak_of_outcomes(file: Path) -> None:
    """Neither codes nor statuses, by name or from a table: it only hands them on."""
    names = set(list_names(parse(WORLD)[file]))
    assert set() == names & OUTCOMES
    assert set() == names & {ResponseCode.__name__, *TABLES}
    assert SCAN_OUTCOME not in names or file.stem == "pulling"


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda each: each.__name__)
def test_the_world_asks_every_decision(decision: object) -> None:
    """It imports the function from where it is written, and calls it."""
    name, module = decision.__name__, DECISIONS[decision]  # type: ignore[attr-defined, index]
    imported = {
        (node.module, alias.name, alias.asname)
        for tree in parse(WORLD).values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert (module.__name__, name, None) in imported
    assert name in list_called(parse(WORLD).values())


def test_the_world_defines_no_decision_anew() -> None:
    """No function of it has the name of one."""
    defined = {
        node.name
        for tree in parse(WORLD).values()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }
    assert set() == defined & {decision.__name__ for decision in DECISIONS}


@pytest.mark.parametrize("table", TABLES)
def test_each_table_is_written_once(table: str) -> None:
    """In the whole reference."""
    writers = [
        file.stem
        for file, tree in parse(ROOT).items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id == table and isinstance(node.ctx, ast.Store)
    ]
    assert 1 == len(writers), writers


@pytest.mark.parametrize("outcome", DECIDING, ids=lambda each: each.name)
def test_nobody_else_decides_what_leads_a_reader_on(
    outcome: ResponseCode | GetMessageStatus,
) -> None:
    """Only who defines an outcome, who writes it and who reacts to it speaks of it.

    Mutants are wrong on purpose.
    """
    speakers = {
        file.stem
        for file, tree in parse(ROOT).items()
        if "mutants" not in file.parts and outcome.name in list_names(tree)
    }
    defining, *deciding = DECIDING[outcome]
    assert set(deciding) == speakers - {defining}


def normalise(function: ast.FunctionDef) -> str:
    """A function's body in which neither names of its own nor its text count."""
    has_text = ast.get_docstring(function) is not None
    names: dict[str, str] = {a.arg: f"#{n}" for n, a in enumerate(function.args.args)}
    parts = []
    for statement in function.body[has_text:]:
        copied = ast.parse(ast.unparse(statement))
        for node in ast.walk(copied):
            if isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Store):
                    names.setdefault(node.id, f"#{len(names)}")
                node.id = names.get(node.id, node.id)
        parts.append(ast.dump(copied))
    return "\n".join(parts)


def list_functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Every function of the reference, with the module that it is in."""
    for file, tree in parse(ROOT).items():
        name = ".".join(("reference", *file.relative_to(ROOT).with_suffix("").parts))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                yield name, node


def test_no_decision_has_a_double() -> None:
    """No other function of the reference has the same body, under whatever names."""
    known = {(module.__name__, decision.__name__) for decision, module in DECISIONS.items()}
    bodies: dict[str, list[tuple[str, str]]] = {}
    for module, function in list_functions():
        bodies.setdefault(normalise(function), []).append((module, function.name))
    found = {each for places in bodies.values() for each in places} & known
    assert known == found
    assert [] == [places for places in bodies.values() if len(places) > 1 and {*places} & known]


SIZE_MAX = 3
"""So many messages has a queue at most."""


@st.composite
def draw_brokers(draw: st.DrawFn) -> QueueBroker:
    """A queue that may have lost its beginning, and of which some is out of memory."""
    end = draw(st.integers(0, SIZE_MAX))
    first_kept = draw(st.integers(0, end))
    return QueueBroker(
        queue_min=draw(st.integers(0, first_kept)),
        queue_max=end,
        first_kept=first_kept,
        first_in_memory=draw(st.integers(0, end)),
    )


STRUCTURES = st.builds(
    ReadingStructure,
    is_master_open=st.booleans(),
    is_slave_open=st.booleans(),
    broker_id=st.integers(0, 1),
    is_offset_checked_in_slave=st.booleans(),
)
NUMBERS = st.integers(MASTER, SLAVE)


@st.composite
def draw_states(draw: st.DrawFn) -> tuple[Reading, int]:
    """A consumer that is about to pull, and the broker that it asks."""
    initial, number = draw(STRUCTURES).make_initial(SMALL_READING), draw(NUMBERS)
    brokers = (draw(draw_brokers()), draw(draw_brokers()))
    asked = brokers[number]
    inside = st.integers(asked.queue_min, max(asked.queue_min, asked.queue_max - 1))
    consumer = Consumer(
        is_running=True,
        suggested_id=number,
        next_offset=draw(st.one_of(inside, inside, st.integers(0, SIZE_MAX + 1))),
        ghost_has_begun=True,
    )
    return evolve(initial, brokers=brokers, consumer=consumer), number


def make_read(state: Reading, number: int, wanted: int) -> Read:
    """The same queue as a store has it: a message is a byte and a file, behind a first byte.

    The first byte keeps clear of physical offset 0, whose message is told by another one's bytes.
    """
    node = state.brokers[number]
    entries = tuple(MessageLocation(place + 1, 1) for place in range(node.queue_max))
    store = StoreSettings(
        (Role.ASYNC_MASTER, Role.SLAVE)[number],
        total_memory_bytes=node.queue_max - node.first_in_memory,
        memory_ratio=100,
        is_offset_checked_in_slave=state.structure.is_offset_checked_in_slave,
        commit_log_file_bytes=1,
    )
    return Read(
        store,
        ReadableQueue(node.queue_min, node.queue_max, 0, entries),
        state.consumer.next_offset,
        max_messages=wanted,
        log_max_offset=node.queue_max + 1,
        log_min_offset=node.first_kept + 1,
    )


@given(draw_states(), st.data())
def test_every_scan_of_a_rule_is_possible(asked: tuple[Reading, int], data: st.DataObject) -> None:
    """With any arguments in the rule's ranges, for a consumer that wants as many messages."""
    state, number = asked
    instance = compute_machine(state.structure).instances[f"pull_messages[{number}]"]
    failed, ranges = probe(instance, state)
    assert bool(failed) is not is_scanned(make_header(state, number))
    assume(not failed)
    given_arguments = {r.name: data.draw(st.integers(r.low, r.high), r.name) for r in ranges}
    consumed, is_full = given_arguments["consumed"], given_arguments["is_full"] == 1
    last = compute_last_looked_at(state, number, consumed, is_full)
    scan = make_scan(state, number, consumed, last)
    node, offset = state.brokers[number], state.consumer.next_offset
    entries = node.queue_max - offset
    ahead = Ahead(entries, offset, log_max_offset=node.queue_max, max_messages=entries)
    assert is_possible(scan, ahead)


@given(draw_states(), st.integers(1, SIZE_MAX))
def test_every_scan_of_a_store_is_a_rule_s(asked: tuple[Reading, int], wanted: int) -> None:
    """Whatever the loop comes to, some arguments of the rule come to it too."""
    state, number = asked
    assume(is_scanned(make_header(state, number)))
    scan = gather(make_read(state, number, wanted)).scan
    found = evolve(scan, last=scan.last - 1)
    choices = [
        make_scan(
            state,
            number,
            found.consumed,
            compute_last_looked_at(state, number, found.consumed, is_full),
        )
        for is_full in (False, True)
    ]
    assert 1 <= found.consumed <= state.brokers[number].queue_max - state.consumer.next_offset
    assert any(
        (each.count, each.consumed, each.last) == (found.count, found.consumed, found.last)
        for each in choices
    )
    assert found.count or {found.miss_status} == {each.miss_status for each in choices}


@settings(max_examples=600)
@given(draw_states(), st.integers(1, SIZE_MAX))
def test_the_world_answers_as_a_broker_does(asked: tuple[Reading, int], wanted: int) -> None:
    """Code, next offset, suggested broker and whether messages come: as the whole path tells."""
    state, number = asked
    read, structure = make_read(state, number, wanted), state.structure
    result = get_message.get_message(read)
    situation = PullSituation(
        PullMessageRequest(state.consumer.next_offset),
        read.settings,
        BrokerSettings((structure.is_master_open, structure.is_slave_open)[number]),
        SubscriptionGroup(structure.broker_id),
        Topic(),
        registration=None,
        result=result,
    )
    told = answer_pull(situation)
    scan = NOT_SCANNED
    if is_scanned(make_header(state, number)):
        gathered = gather(read).scan
        scan = evolve(gathered, last=gathered.last - 1)
    answered = answer(state, number, scan)
    assert (told.code, told.suggested_broker_id) == (answered.code, answered.suggested_id)
    assert result.next_begin_offset == answered.next_begin_offset
    assert (result.message_count > 0) is answered.is_message_left
