"""Each line that the sources write at level WARN or ERROR is known, and none gives a false calm."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from brokers.broker_logs.findings import LogFindings, TimeLine
from brokers.broker_logs.lines import LogLine
from brokers.broker_logs.lives import BrokerLives
from brokers.broker_logs.reading import BrokerStory, LogReport, take
from brokers.broker_logs.watching import LogWatch
from brokers.broker_logs.wordings import (
    AREAS,
    RELEASES,
    Matcher,
    load_plain_lines,
    load_statements,
    load_wordings,
)
from command_line.answers.recordings.broker_logs import as_json, gather_signs, render, say_head
from tests.brokers.broker_logs.extracting import read_source

STATEMENTS = load_statements()
FILLINGS = ("7", "-1", "0", "Name", "/10.0.0.9:10912", "[a, b]", "", "{}", "9" * 30)
"""What may stand where a text varies."""
THREADS = ("main", "ReputMessageService", "WriteSocketService", "HAClient", "AutoSwitchHAClient")
CALM = ("No sign of trouble", "Nothing can be said")
TIME = "2026-11-22 22:16:04"
MATCHER = Matcher(load_wordings(), load_plain_lines())


@cache
def list_areas() -> dict[str, list[dict[str, str]]]:
    """The statements by area."""
    return {area: [dict(s) for s in STATEMENTS if s["area"] == area] for area in (*AREAS, "broker")}


def list_lines(statement: dict[str, str]) -> Iterator[LogLine]:
    """What a broker may write there: any filling in one thread, and one filling in any thread."""
    places = [(filling, THREADS[0]) for filling in FILLINGS]
    for filling, thread in (*places, *((FILLINGS[0], thread) for thread in THREADS[1:])):
        text = statement["text"].replace("{}", filling)
        yield LogLine(TIME, statement["log"], statement["level"].upper(), thread, text)


def report(line: LogLine) -> LogReport:
    """What is said of a single line."""
    findings = LogFindings()
    story = BrokerStory("master", BrokerLives(), TimeLine("master"))
    take(story, LogWatch("master", findings), line, MATCHER)
    release = story.releases[0]
    entries = tuple(story.time_line.entries)
    return LogReport((story,), entries, tuple(findings), (), release, False, release)


@pytest.mark.parametrize("area", list_areas())
def test_every_line_of_the_sources_is_known(area: str) -> None:
    """With any filling, of any thread: no defect, and no error passes for no trouble."""
    statements = list_areas()[area]
    assert statements
    for statement in statements:
        for line in list_lines(statement):
            found = report(line)
            assert found.known == 1, line
            signs = gather_signs(found)
            is_calm = any(words in say_head(found, signs) for words in CALM)
            assert not (line.level == "ERROR" and (is_calm or not signs)), line
        assert "\n".join(render(found))
        assert as_json(found)["brokers"]


def test_statements_are_of_these_releases_and_logs() -> None:
    """Each has a class and a method, and some words of its own."""
    for each in STATEMENTS:
        assert set(each["at"].split()) <= set(RELEASES)
        assert each["source"].partition("#")[0]
        assert each["text"].strip("{} ")
    areas = {each["area"] for each in STATEMENTS}
    assert areas == {*AREAS, "broker"}


SOURCE = """
public class Outer {
    private static final InternalLogger log = InternalLoggerFactory.getLogger(LoggerName.STORE_LOGGER_NAME);
    private static final InternalLogger ERR = InternalLoggerFactory.getLogger(LoggerName.LOCK_LOGGER_NAME);
    public boolean load() {
        // log.warn("no statement");
        log.warn("a " + one + " of " + two(3), cause);
        new Thread(new Runnable() {
            @Override
            public void run() {
                if (a) { log.error("b {}, (c)", x, y); }
            }
        });
        return true;
    }
    class Inner { void stop() throws A { log.info("not this"); log.error(String.format("d %s e", z)); } }
}
"""  # noqa: E501


def test_the_extraction_reads_java() -> None:
    """Texts in parts, comments, classes within classes, formats."""
    found = [(s.level, s.source, s.text) for s in read_source(SOURCE, "store")]
    assert found == [
        ("warn", "Outer#load", "a {} of {}"),
        ("error", "Outer#load", "b {}, (c)"),
        ("error", "Outer.Inner#stop", "d {} e"),
    ]
