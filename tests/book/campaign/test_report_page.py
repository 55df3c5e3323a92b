"""The report: one file without network, which names everything and believes nothing."""

from __future__ import annotations

import base64
import copy
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from book.campaign.report_page import (
    BOTTOM,
    CLASSES_DRAWN_PER_GUARANTEE,
    LEFT,
    RIGHT,
    TOP,
    draw_curve,
    format_share,
    render_report,
)
from properties.schedules.judgement import is_refuted_by
from properties.verdicts.certificates import encode_schedule
from properties.worlds.catalogue import STRUCTURES
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.store import create_campaign, plan_campaign
from spark_fuzz.report.class_files import ViolationClass, number_classes
from spark_fuzz.report.known_failures import list_known_failures
from spark_fuzz.report.report_summary import CampaignCounts, compute_report_summary
from tests.properties.refutations import find_known

STRUCTURE = STRUCTURES["delay/corrected at start"]
OPTIONS = CampaignOptions(STRUCTURE, campaign_seed=77, is_swarm=True)
NAMES = list(STRUCTURE.world.guarantees)
COMMAND = "rmqspec fuzz --seed 77 --swarm"
VOID = {"meta", "link", "br", "hr", "img", "input"}
COVERAGE = {
    "kinds": [
        {
            "kind": "rule pairs",
            "met": 812,
            "possible": 4900,
            "curve": [[1, 90], [10, 400], [1000, 812]],
            "met_once": 31,
            "met_twice": 12,
            "expected_new_per_schedule": 0.031,
            "unseen_at_least": 40.0,
            "never_met": ["kill_master then wipe_slave[0]"],
        }
    ],
    "is_estimated": True,
    "lost": 7,
}


PICTURE = "data:image/svg+xml;base64,"


class Reader(HTMLParser):
    """Keeps the text, what is loaded, and complains of tags that do not match."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open, but for tags that have no end."""
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Of drawings."""

    def handle_endtag(self, tag: str) -> None:
        """The last one opened."""
        assert tag == self.open.pop()

    def handle_data(self, data: str) -> None:
        """What people read."""
        self.words.append(data)


def read(page: str) -> Reader:
    """The page as a browser takes it; every tag is closed."""
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert [] == reader.open
    return reader


def make_classes(count: int) -> list[ViolationClass]:
    """So many classes of one guarantee, all by the same schedule."""
    known = find_known("delay")
    number = next(n for n in range(1000) if is_suitable(n))
    row = {
        "guarantee": known.guarantee,
        "rules": "deliver_message, promote_slave",
        "members": 2,
        "lineage": str(number),
        "minimal_schedule": json.dumps(encode_schedule(known.schedule)),
        "violating_continuations": [0] * len(known.schedule) + [10],
        "continuations": 10,
    }
    return number_classes([row] * count, OPTIONS)


def is_suitable(number: int) -> bool:
    """Under the circumstances of this schedule the known one is possible."""
    known = find_known("delay")
    drawn = OPTIONS.compute_environment(number).parameters
    return is_refuted_by(known.guarantee, known.structure, drawn, known.schedule)


@pytest.fixture
def summary(tmp_path: Path) -> dict[str, Any]:
    """Of a campaign in which one guarantee was violated."""
    create_campaign(tmp_path / "campaign", plan_campaign(OPTIONS, 5000))
    found = {"schedules": 12, "shortest_steps": 7, "shortest_lineage": "41"}
    counts = {
        "schedules": 5000,
        "steps": 320_000,
        "healing_steps": 0,
        "ends": {},
        "violations": {find_known("delay").guarantee: found},
        "rules_used": {"put_delayed_message[0]": 4999},
    }
    findings = CampaignCounts(counts, list_known_failures(STRUCTURE), classes=None)
    made = compute_report_summary(tmp_path / "campaign", findings, COMMAND)
    assert made == json.loads(json.dumps(made))
    return made


def test_the_summary_says_what_was_found(summary: dict[str, Any]) -> None:
    """Options, verdicts beside the table's, rules that never fired."""
    assert 77 == summary["options"]["seed"]
    assert NAMES == [g["guarantee"] for g in summary["guarantees"]]
    violated = next(g for g in summary["guarantees"] if g["schedules"])
    assert find_known("delay").guarantee == violated["guarantee"]
    assert "refuted" == violated["expected"]
    assert OPTIONS.format_identifier(41) in violated["replay"]
    others = [g for g in summary["guarantees"] if not g["schedules"]]
    assert {None} == {g["replay"] for g in others}
    assert 4999 == summary["rules"]["put_delayed_message[0]"]
    assert 0 == summary["rules"]["promote_slave"]


def test_the_page_names_everything(summary: dict[str, Any]) -> None:
    """Seed, command, guarantees, identifiers, classes, rules, coverage."""
    classes = make_classes(CLASSES_DRAWN_PER_GUARANTEE + 2)
    text = " ".join(
        " ".join(read(render_report(summary | {"coverage": COVERAGE}, classes)).words).split()
    )
    assert "Seed 77" in text
    assert COMMAND in text
    assert all(name in text for name in (*NAMES, *summary["rules"]))
    assert OPTIONS.format_identifier(41) in text
    assert all(each.identifier in text for each in classes)
    assert CLASSES_DRAWN_PER_GUARANTEE == text.count("Deployment delay/corrected at start, with")
    assert classes[0].trace_file in text
    assert str(classes[0].continuations).capitalize() in text
    assert "812 met of 4,900 possible" in text
    assert "kill_master then wipe_slave[0]" in text
    assert "0.24 %" in text


def test_the_length_of_a_schedule_is_not_called_shortest(summary: dict[str, Any]) -> None:
    """A claim about rest is judged at its end only; the page says so beside the number."""
    assert {False} == {g["is_about_rest"] for g in summary["guarantees"]}
    page = render_report(summary, None)
    assert "whole schedule, until rest" not in page
    assert "Shortest" not in page
    changed = copy.deepcopy(summary)
    violated = next(g for g in changed["guarantees"] if g["schedules"])
    violated["is_about_rest"] = True
    assert 1 == render_report(changed, None).count("whole schedule, until rest")


def test_a_phone_shows_every_column(summary: dict[str, Any]) -> None:
    """Its rows are stacked, so each cell names its column."""
    page = render_report(summary, None)
    for table in re.findall(r'<table class="stacked">(.*?)</table>', page, re.DOTALL):
        heads = re.findall(r"<th\b[^>]*>([^<]*)</th>", table.partition("<tbody>")[0])
        for row in re.findall(r"<tr\b.*?</tr>", table.partition("<tbody>")[2], re.DOTALL):
            assert heads[1:] == re.findall(r'<td\b[^>]* data-label="([^"]*)"', row)
            assert row.count("<td") == len(heads) - 1


def test_sections_without_data_are_left_out(summary: dict[str, Any]) -> None:
    """No classes where nobody asked, no coverage; but no violation is said to be none."""
    page = render_report(summary, None)
    assert 'id="classes"' not in page
    assert 'id="coverage"' not in page
    read(page)
    assert "No schedule violates a guarantee." in render_report(summary, [])


def test_nothing_is_loaded(summary: dict[str, Any]) -> None:
    """Neither scripts nor fonts nor files: links lead to sections, and pictures are in the page."""
    page = render_report(summary | {"coverage": COVERAGE}, make_classes(2))
    links = read(page).links
    assert links
    assert all(link.startswith(("#", PICTURE)) for link in links)
    assert {link[1:] for link in links if not link.startswith(PICTURE)} <= set(
        re.findall(r'id="(\w+)"', page)
    )
    assert not re.search(r"https?://|url\(|@import|<script|<link|<iframe", page)


def test_values_are_escaped(summary: dict[str, Any]) -> None:
    """Whatever a name is made of."""
    evil = "<script>alert('&')</script>"
    changed = copy.deepcopy(summary)
    changed["command"] = changed["options"]["structure"] = evil
    changed["guarantees"][0]["sentence"] = evil
    page = render_report(changed, None)
    assert "<script" not in page
    assert "".join(read(page).words).count(evil) >= 4


def test_a_broken_promise_stands_out(summary: dict[str, Any]) -> None:
    """What is violated though it is proved."""
    assert 'class="contradiction"' not in render_report(summary, None)
    for each in summary["guarantees"]:
        each["expected"] = "proved"
    page = render_report(summary, None)
    assert 1 == page.count('class="contradiction"')
    assert "A defect of the model or of a proof" in page


@pytest.mark.parametrize(
    "name", ["SYNC_MASTER/SYNC_FLUSH/3 slaves", "reading/open slow/offset check/last"]
)
def test_campaigns_of_every_world(name: str, tmp_path: Path) -> None:
    """Also of a group of which the ways to fail are not known, and without faults."""
    structure = STRUCTURES[name]
    options = CampaignOptions(structure, type(CampaignOptions(structure).limits)())
    create_campaign(tmp_path / "campaign", plan_campaign(options, 10))
    counts = {
        "schedules": 10,
        "steps": 0,
        "healing_steps": 0,
        "ends": {},
        "violations": {},
        "rules_used": {},
    }
    summary = compute_report_summary(
        tmp_path / "campaign", CampaignCounts(counts, [], None), COMMAND
    )
    text = " ".join(read(render_report(summary, [])).words)
    assert name in text
    assert "is not a proof" in text


def test_shares() -> None:
    """As many digits as say something."""
    assert ["0 %", "100 %", "50.0 %", "1.00 %", "0.010 %", "< 0.001 %"] == [
        format_share(*pair) for pair in ((0, 7), (7, 7), (1, 2), (1, 100), (1, 10_000), (1, 10**9))
    ]


def test_curves() -> None:
    """From the first to the last number of schedules, from none to the most that was met."""
    curve = draw_curve([(1, 0), (10, 5), (100, 10)])
    assert ((LEFT, BOTTOM), ((LEFT + RIGHT) / 2, (TOP + BOTTOM) / 2), (RIGHT, TOP)) == curve.points
    assert ["1", "10", "100"] == [tick.label for tick in curve.schedules]
    assert ["0", "5", "10"] == [tick.label for tick in curve.met]
    assert ((RIGHT, BOTTOM),) == draw_curve([(1, 0)]).points


def test_a_class_is_drawn_with_its_shares(summary: dict[str, Any]) -> None:
    """The book's picture of the schedule, and beside each step what continuations come to."""
    classes = make_classes(1)
    pictures = [x for x in read(render_report(summary, classes)).links if x.startswith(PICTURE)]
    (drawn,) = (base64.b64decode(each.removeprefix(PICTURE)).decode() for each in pictures)
    known = find_known("delay")
    steps = len(known.schedule)
    assert steps - 1 == drawn.count(">0 %<")
    assert 1 == drawn.count(">100 %<")
    assert f"✗ {known.guarantee} does not hold" in drawn


def test_a_class_opens_in_the_explorer(summary: dict[str, Any]) -> None:
    """Its address stands beside the command that replays it."""
    page = render_report(summary, make_classes(1))
    assert "#structure=delay/" in page
    assert "schedule=put_delayed_message" in page
