"""The explorer in a browser, as a reader has it: from the disk, by keyboard, on a phone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from book.explorer.deployments import PAIR
from book.explorer.page import write_explorer
from book.explorer.schedules import encode_schedule
from properties.scenarios.counterexamples.cases import CounterexamplePage, find_case
from reference.language.machine import Action
from tests.book.browser import MISSING, Browser, Page, open_browser

STOPS_MAX = 50
"""The most presses of a key until the focus is where it should be."""

Opener = Callable[..., Page]

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING or "a browser is there")

STEPS = "[...document.querySelectorAll('#history [data-at]')].slice(1)"
TAKEN = f"{STEPS}.map((each) => each.querySelector('code').textContent)"
FOCUSED = "document.activeElement.dataset.key"
NODES = "find('nodes').innerText"
TOLD = "find('told').textContent"
CURRENT = "Number(document.querySelector('#history [aria-current]').dataset.at)"
BROKEN = "[...document.querySelectorAll('#history .badge.fell')].map((each) => each.textContent)"
SEEN = "['nodes', 'history', 'claim-list', 'enabled'].map((id) => find(id).innerText)"
WIDTH = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One for all tests of this file."""
    with open_browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where the page lies on the disk, with the book beside it."""
    return write_explorer(tmp_path_factory.mktemp("site") / "explorer", "../").as_uri()


@pytest.fixture
def opened(browser: Browser, address: str) -> Iterator[Opener]:
    """Opens pages at a fragment; afterwards none of them has failed or asked the network."""
    pages: list[Page] = []

    def open_page(fragment: str = "", width: int = 1280) -> Page:
        pages.append(browser.open(f"{address}{fragment}", width=width))
        return pages[-1]

    yield open_page
    for page in pages:
        assert [] == list(page.list_events("Runtime.exceptionThrown"))
        assert [] == list(page.list_events("Log.entryAdded"))
        asked = [each["request"]["url"] for each in page.list_events("Network.requestWillBeSent")]
        assert {address} == {url.partition("#")[0] for url in asked}
        page.call("Page.close")


def get_case(claim: str) -> CounterexamplePage:
    """The counterexample of a claim."""
    case = find_case(claim)
    assert case is not None
    return case


def take_by_keys(page: Page, action: Action) -> None:
    """Find an enabled step by the filter, choose its arguments, and take it."""
    page.press("/", "Escape", *action.instance, "Tab")
    assert action.instance == page.ask(FOCUSED)
    for name, value in action.arguments.items():
        place = f"{action.instance}/{name}"
        if page.ask(f"Boolean(document.querySelector('[data-key=\"{place}\"]'))"):
            go(page, "Tab", place)
            page.press(str(value))
    go(page, "Shift+Tab", action.instance)
    page.press("Enter")


def go(page: Page, key: str, place: str) -> None:
    """Press a key until the focus is there."""
    for _ in range(STOPS_MAX):
        if page.ask(FOCUSED) == place:
            return
        page.press(key)
    raise AssertionError(f"{key} does not lead to {place}")


def open_disabled(page: Page, name: str) -> None:
    """Ask by keyboard why a step is not enabled."""
    page.press("/", "Escape", *name)
    page.press("Tab")
    assert "disabled-count" == page.ask("document.activeElement.id")
    page.press("Enter")
    page.wait_for(f"document.querySelector('[data-why=\"{name}\"]') !== null")
    page.press("Tab")
    assert f"why {name}" == page.ask(FOCUSED)
    page.press("Enter")


def test_it_opens_from_the_disk(opened: Opener) -> None:
    """The stock pair in its first state, every deployment to choose from, and a first hint."""
    page = opened()
    assert PAIR == page.ask("find('structure').value")
    assert 12 == page.ask("document.querySelectorAll('option[value^=\"system/\"]').length")
    assert "Take a step" in page.ask(TOLD)
    assert [] == page.ask(TAKEN)
    assert page.ask("document.querySelectorAll('#nodes .node').length") > 2


@pytest.mark.parametrize("claim", ["message_is_stored_once", "no_message_is_delivered_twice"])
def test_a_schedule_is_played_by_keyboard(opened: Opener, claim: str) -> None:
    """Filter, Tab, Enter and digits take each step; the last one breaks what the book says."""
    case = get_case(claim)
    page = opened(f"#structure={case.structure.name}&faults={case.fault}")
    for action in case.schedule:
        assert claim not in str(page.ask(BROKEN))
        take_by_keys(page, action)
    assert [action.instance for action in case.schedule] == page.ask(TAKEN)
    assert page.ask("session.address").endswith(f"at={len(case.schedule)}")
    assert encode_schedule(case.schedule) in page.ask("session.address")
    assert f"✗ {claim}" in page.ask(BROKEN)
    assert claim in page.ask(TOLD)


def test_a_disabled_step_says_why(opened: Opener) -> None:
    """The first condition that fails, in words, with the values that it reads and its section."""
    page = opened()
    open_disabled(page, "restart_master")
    told = "document.querySelector('[data-why=\"restart_master\"]')"
    assert "✗ is_master_down" in page.ask(f"{told}.querySelector('summary').innerText")
    assert page.ask(f"{told}.open")
    assert "master.is_up = yes" in page.ask(f"{told}.querySelector('li.fails').innerText")
    link = page.ask(f"{told}.querySelector('a').getAttribute('href')")
    assert re.fullmatch(r"\.\./lifecycle\.html#restart_master", link)


def test_back_and_another_way(opened: Opener) -> None:
    """The key leads back to the former state; a step that is taken there replaces those behind."""
    page = opened()
    first = page.ask(NODES)
    page.press("/", *"connect_slave", "Tab", "Enter")
    assert (1, ["connect_slave[0]"]) == (page.ask(CURRENT), page.ask(TAKEN))
    assert first != page.ask(NODES)
    page.press("[")
    assert (0, ["connect_slave[0]"]) == (page.ask(CURRENT), page.ask(TAKEN))
    assert first == page.ask(NODES)
    page.press("]")
    assert 1 == page.ask(CURRENT)
    page.press("[", "/", "Escape", *"append_message", "Tab", "Enter")
    assert (1, ["append_message[0]"]) == (page.ask(CURRENT), page.ask(TAKEN))


def test_an_address_opens_a_counterexample(opened: Opener) -> None:
    """Before its first step; at its end the claim breaks."""
    claim = "acknowledgement_is_truthful"
    page = opened(f"#counterexample={claim}")
    assert 0 == page.ask(CURRENT)
    steps = len(get_case(claim).schedule)
    for _ in range(steps):
        page.press("]")
    assert steps == page.ask(CURRENT)
    assert "Broken: " in page.ask(TOLD)
    assert claim in page.ask(TOLD)


def test_a_shared_address_shows_the_same(opened: Opener) -> None:
    """What the address line holds after a few steps opens the same page for somebody else."""
    page = opened("#counterexample=promotion_loses_no_acknowledged_message")
    for _ in range(9):
        page.press("]")
    _, _, fragment = page.ask("location.href").partition("#")
    other = opened(f"#{fragment}")
    assert 9 == other.ask(CURRENT)
    assert page.ask(SEEN) == other.ask(SEEN)


def test_a_wrong_address_leaves_a_page(opened: Opener) -> None:
    """With a message, and the stock pair."""
    page = opened("#counterexample=nobody")
    assert "There is no counterexample nobody." == page.ask(TOLD)
    assert PAIR == page.ask("find('structure').value")


@pytest.mark.parametrize(
    "fragment",
    [
        "#tour=1",
        "#counterexample=promotion_skips_no_message",
        "#counterexample=known_entry_is_never_hidden",
        f"#structure={PAIR}&faults=every fault&sizes=usual&schedule=append_message.0",
    ],
)
def test_nothing_is_wider_than_a_phone(opened: Opener, fragment: str) -> None:
    """At 390 pixels, with all details open, in the first state and in the last."""
    page = opened(fragment, width=390)
    for _ in range(2):
        page.ask("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        page.wait_for("find('disabled').children.length > 0")
        page.wait_for("find('leaf-table').children.length > 0")
        assert [390, 390] == page.ask(WIDTH)
        page.ask("move('last')")


def test_an_address_opens_a_counterexample_at_a_step(opened: Opener) -> None:
    """Its steps are in words, each with the rule behind it."""
    case = get_case("acknowledgement_is_truthful")
    page = opened(f"#counterexample={case.claim}")
    assert 0 == page.ask(CURRENT)
    page = opened(f"#counterexample={case.claim}&at=8")
    assert 8 == page.ask(CURRENT)
    told = page.ask(f"{STEPS}[7].textContent")
    assert "The master's machine loses power" in told
    assert "lose_master_power" in told
    assert "log epoch" in page.ask(NODES)
