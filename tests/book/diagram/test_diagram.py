"""Schedules as pictures: every word is there, in its lane; arrows go from sender to reader."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

import pytest
from attrs import frozen

from book.diagram.layout import (
    EMPTY_LOG,
    LANES_MAX,
    LETTER_WIDTH,
    WIRE_MARKS,
    DiagramLayout,
    arrange,
    compute_middle,
    find_stops,
    move_arrows,
    split_state,
)
from book.diagram.svg import STYLE, write_svg
from book.diagram.wire import Arrow, list_arrows
from properties.scenarios.counterexamples.cases import CounterexamplePage, load_cases
from properties.schedules.judgement import JudgedStep, replay
from properties.schedules.telling import find_fault_steps
from properties.worlds.catalogue import STRUCTURES, WORLD_BY_TOPIC
from reference.language.drawing import fill_lanes, list_lanes
from reference.language.machine import Action
from tests.properties.refutations import find_known

ENDING = "something does not hold"
PRODUCER, MASTER, SLAVE = range(3)
SVG = "{http://www.w3.org/2000/svg}"


@frozen
class Drawn:
    """A schedule and its picture."""

    name: str
    steps: Sequence[JudgedStep]
    layout: DiagramLayout
    root: Element


CASES: Mapping[str, CounterexamplePage] = {case.claim: case for case in load_cases()}


@cache
def find_picture(name: str) -> Drawn:
    """The picture of a schedule, read back. Raises KeyError."""
    steps = CASES[name].walk() if name in CASES else find_known(name).steps
    layout = arrange(steps, ENDING)
    return Drawn(name, steps, layout, ET.fromstring(write_svg(layout, "a title with <, > and &")))


@pytest.fixture(params=[*CASES, *WORLD_BY_TOPIC])
def drawn(request: pytest.FixtureRequest) -> Drawn:
    """Every picture, drawn when a test asks for it."""
    return find_picture(request.param)


def list_texts(root: Element, *kinds: str) -> list[Element]:
    """The words of these kinds; of all without one."""
    texts = list(root.iter(f"{SVG}text"))
    return [text for text in texts if not kinds or text.get("class") in kinds]


def measure(text: Element) -> tuple[float, float]:
    """Where words begin and end, if each letter is as wide as the layout says."""
    x, width = float(text.get("x", "")), len(text.text or "") * LETTER_WIDTH
    left = {"start": x, "middle": x - width / 2, "end": x - width}[text.get("text-anchor", "start")]
    return left, left + width


def read_rows(drawn: Drawn, *kinds: str) -> dict[tuple[int, int], list[str]]:
    """Words of these kinds by step and lane, from left to right."""
    rows: dict[tuple[int, int], list[str]] = {}
    for text in sorted(list_texts(drawn.root, *kinds), key=measure):
        middle = float(text.get("y", "")) - 4
        numbers = range(1, drawn.layout.steps + 1)
        step = next((n for n in numbers if abs(compute_middle(n) - middle) < 1), 0)
        left, right = measure(text)
        lanes = enumerate(drawn.layout.lanes)
        lane = next((n for n, x in lanes if x.left <= left and right <= x.right + 0.1), -1)
        rows.setdefault((step, lane), []).append(text.text or "")
    return rows


def test_every_phrase_and_state_is_there(drawn: Drawn) -> None:
    """In the line of its step and within its node's lane, as the timeline has it."""
    phrases, states = read_rows(drawn, "phrase", "fault"), read_rows(drawn, "state")
    letters = read_rows(drawn, "onlog")
    struck = find_fault_steps(drawn.steps)
    for step in drawn.steps[1:]:
        assert step.action is not None
        texts = fill_lanes(step.cluster, step.action)
        for lane, text in enumerate(texts[x.number] for x in drawn.layout.lanes):
            place = (step.index, lane)
            assert phrases.pop(place, [""]) == [strip_marks(text.phrase)]
            log, words = split_state(text.state)
            shown = ["".join(letters.pop(place, [])), *states.pop(place, [])]
            told = [EMPTY_LOG] if log == "[]" else [log[1:-1].replace("|", "")]
            assert [s for s in shown if s] == [s for s in (*told, words) if s]
    assert not phrases
    assert not states
    assert not letters
    assert struck >= {step for step, _ in read_rows(drawn, "fault")}


def strip_marks(phrase: str) -> str:
    """A phrase without what stands for arrows and failures on the terminal."""
    for mark in (*WIRE_MARKS, "## "):
        phrase = phrase.replace(mark, "")
    return phrase


def test_nothing_overlaps(drawn: Drawn) -> None:
    """Neither words of a lane nor lanes; everything is within the picture."""
    spans: dict[tuple[float, int], list[tuple[float, float]]] = {}
    for text in list_texts(drawn.root, "phrase", "fault", "state", "onlog", "title"):
        left, right = measure(text)
        lane = max(n for n, x in enumerate(drawn.layout.lanes) if x.left <= left)
        spans.setdefault((float(text.get("y", "")), lane), []).append((left, right))
    for row in spans.values():
        assert all(end <= begin for (_, end), (begin, _) in pairwise(sorted(row)))
    assert all(one.right < other.left for one, other in pairwise(drawn.layout.lanes))
    for text in list_texts(drawn.root):
        left, right = measure(text)
        assert 0 <= left
        assert right <= drawn.layout.width or text.get("class") == "ending"
        assert 0 < float(text.get("y", "")) < drawn.layout.height


def test_titles_numbers_and_ending(drawn: Drawn) -> None:
    """A title for each lane, a number for each step, the ending last."""
    titles = [text.text for text in list_texts(drawn.root, "title")]
    named = [title for title, _ in list_lanes(drawn.steps[0].cluster)]
    assert [named[lane.number] for lane in drawn.layout.lanes] == titles
    assert len(titles) == len(named) or len(named) > LANES_MAX
    numbers = [text.text for text in list_texts(drawn.root, "number")]
    assert [str(step.index) for step in drawn.steps[1:]] == numbers
    assert [f"✗ {ENDING}"] == [text.text for text in list_texts(drawn.root, "ending")]


def test_without_an_ending_none_is_drawn() -> None:
    """And the picture is lower by a line."""
    ended = find_picture(next(iter(CASES)))
    root = ET.fromstring(write_svg(arrange(ended.steps, ""), "t"))
    assert not list_texts(root, "ending")
    assert float(root.get("height", "")) < float(ended.root.get("height", ""))


def test_colours_have_names(drawn: Drawn) -> None:
    """No colour stands outside the style, and each name means one by day and one by night."""
    text = ET.tostring(drawn.root, encoding="unicode")
    body = text.replace(STYLE, "").replace(STYLE.replace(">", "&gt;"), "")
    assert "<style" not in body.replace("<ns0:style />", "").replace("<ns0:style></ns0:style>", "")
    assert not re.search(r"#[0-9a-fA-F]{3}|rgb|hsl| fill=| stroke=", body)
    day, night = (set(re.findall(r"--(\w+):", part)) for part in STYLE.split("@media"))
    assert day == night
    assert set(re.findall(r"var\(--(\w+)\)", STYLE + body)) <= day


def test_arrows_begin_and_end_at_steps(drawn: Drawn) -> None:
    """From the strip that sends to the one that reads, not back in time; lost ones in a cross."""
    heads = [e for e in drawn.root.iter(f"{SVG}polygon") if e.get("class") == "head"]
    lines = [e for e in drawn.root.iter(f"{SVG}line") if "arrow" in e.get("class", "").split()]
    crosses = [e for e in drawn.root.iter(f"{SVG}line") if e.get("class") == "cross"]
    arrows = drawn.layout.arrows
    lost = [arrow for arrow in arrows if arrow.is_lost]
    assert (len(arrows), len(arrows) - len(lost)) == (len(lines), len(heads))
    assert 2 * len(lost) == len(crosses)
    for arrow, drawn_line in zip(arrows, lines, strict=True):
        assert 1 <= arrow.sent_step <= arrow.arrived_step <= drawn.layout.steps
        assert float(drawn_line.get("y1", "")) == compute_middle(arrow.sent_step)
        if not arrow.is_lost:
            assert float(drawn_line.get("y2", "")) == compute_middle(arrow.arrived_step)
        check_ends(drawn.layout, arrow, drawn_line)


def check_ends(layout: DiagramLayout, arrow: Arrow, drawn_line: Element) -> None:
    """It begins at the edge of the sender's strip and stays between the two."""
    one, other = sorted((arrow.sender, arrow.receiver))
    left, right = layout.lanes[one].right, layout.lanes[other].left
    begin, end = float(drawn_line.get("x1", "")), float(drawn_line.get("x2", ""))
    assert abs(begin - (left if arrow.sender < arrow.receiver else right)) < 0.1
    assert left - 0.1 < end < right + 0.1


def walk(fault: str, *actions: Action) -> list[JudgedStep]:
    """A schedule of the stock synchronous pair."""
    structure = STRUCTURES["SYNC_MASTER/ASYNC_FLUSH/1 slave"]
    parameters = structure.world.make_search_parameters(structure.world.get_fault_model(fault))
    return list(replay(structure, parameters, actions, ()))


CONNECTED = (
    Action("connect_slave[0]"),
    Action("report_offset[0]"),
    Action("receive_report[0]", {"slave_offset": 0}),
    Action("position_transfer[0]"),
    Action("append_message[0]", {"size_bytes": 1, "waits_for_store": 1}),
    Action("transfer_batch[0]", {"size_bytes": 1}),
)
"""A message is put, and its byte is under way to the slave."""


def test_arrows_of_an_acknowledged_message() -> None:
    """Exactly these: what is sent in one step and read in a later one begins at the first."""
    steps = walk(
        "none",
        *CONNECTED,
        Action("answer_disk_wait[0]"),
        Action("request_slave_wait[0]"),
        Action("append_to_slave[0]", {"size_bytes": 1}),
        Action("receive_report[0]", {"slave_offset": 1}),
        Action("answer_slave_wait[0]"),
    )
    assert {
        Arrow(SLAVE, MASTER, 1, 1, "connect"),
        Arrow(SLAVE, MASTER, 2, 3, "report 0"),
        Arrow(PRODUCER, MASTER, 5, 5),
        Arrow(MASTER, SLAVE, 6, 9, "0 to 1"),
        Arrow(SLAVE, MASTER, 9, 10, "report 1"),
        Arrow(MASTER, PRODUCER, 11, 11),
    } == set(check_single(list_arrows(steps[0].cluster, steps)))


def test_what_is_under_way_is_lost_with_its_connection() -> None:
    """A frame that was not read when the connection broke, and a report that was not."""
    steps = walk("link cut", *CONNECTED, Action("cut_link[0]"))
    lost = [arrow for arrow in list_arrows(steps[0].cluster, steps) if arrow.is_lost]
    assert [Arrow(MASTER, SLAVE, 6, 7, is_lost=True)] == lost
    steps = walk("link cut", *CONNECTED[:2], Action("cut_link[0]"))
    lost = [arrow for arrow in list_arrows(steps[0].cluster, steps) if arrow.is_lost]
    assert [Arrow(SLAVE, MASTER, 2, 3, "report 0", is_lost=True)] == lost


def test_arrows_of_a_copied_table() -> None:
    """The slave asks, its master answers; a broker that asks itself sends nothing."""
    assert (Arrow(1, 0, 3, 3), Arrow(0, 1, 4, 4)) == find_picture(
        "change_on_slave_stays"
    ).layout.arrows
    assert () == find_picture("nobody_copies_from_itself").layout.arrows


def test_nodes_that_do_nothing_are_left_out_of_many() -> None:
    """Of five lanes only those with a phrase; arrows go to the places of the others."""
    drawn = find_picture("consumed_index_is_not_used_again")
    assert ["producer", "master", "consumer"] == [lane.title for lane in drawn.layout.lanes]
    told = move_arrows([Arrow(0, 3, 1, 2), Arrow(1, 2, 1, 1)], (0, 3, 4))
    assert (Arrow(0, 1, 1, 2),) == told


def test_a_log_is_drawn_before_words() -> None:
    """What is not drawn byte by byte stays as it is."""
    assert ("[a|b]", "[0..1) -/-") == split_state("[a|b] [0..1) -/-")
    assert ("[]", "") == split_state("[]")
    for words in ("[a17] [0..0) -/-", "[·16 a1] [0.1..1) -/-", "[0..1) -/-", "down"):
        assert ("", words) == split_state(words)


def test_arrows_of_delayed_delivery() -> None:
    """Messages and progress go from the master to the slave."""
    arrows = find_picture("slaves_file_is_behind_its_log").layout.arrows
    assert (Arrow(0, 1, 4, 4), Arrow(0, 1, 5, 5)) == arrows


def check_single(arrows: Sequence[Arrow]) -> Iterator[Arrow]:
    """Each arrow; none is there twice."""
    assert len(set(arrows)) == len(arrows)
    yield from arrows


def test_stretches_in_which_a_node_is_down() -> None:
    """From the first such step to the last one, both included."""
    assert [] == find_stops([True, True])
    assert [(1, 1), (3, 4)] == find_stops([False, True, False, False])
