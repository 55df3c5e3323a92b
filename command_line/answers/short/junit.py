"""The short answer as JUnit's XML: a suite for each group, a case for each row."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree

from command_line.answers.short.groups import ShortAnswer, say_slaves
from command_line.answers.short.shown import ShownAnswers, say_all_open
from properties.scenarios.summary.answer import Row, Summary
from properties.scenarios.summary.words import Grade

SKIPPED = (Grade.UNDECIDED, Grade.NOT_PROMISED)
"""Grades that are neither a success nor a failure."""


def render_junit(shown: ShownAnswers) -> str:
    """The whole answer: a loss fails, what is not decided or not promised is skipped."""
    suites = ElementTree.Element("testsuites", name="rmqspec check")
    for answer in shown.answers:
        for summary in answer.summaries:
            add_suite(suites, answer, summary)
    for name in ("tests", "failures", "skipped"):
        suites.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, "unicode")


def add_suite(suites: ElementTree.Element, answer: ShortAnswer, summary: Summary) -> None:
    """The cases of one group."""
    name = answer.title
    if answer.is_side_by_side:
        name += f" with {say_slaves(summary.slaves)}"
    grades = Counter(row.grade for row in summary.rows)
    suite = ElementTree.SubElement(
        suites,
        "testsuite",
        name=name,
        tests=str(len(summary.rows) or 1),
        failures=str(grades[Grade.LOSS]),
        errors="0",
        skipped=str(sum(grades[grade] for grade in SKIPPED) or int(bool(summary.outside))),
    )
    for row in summary.rows:
        add_case(suite, name, row)
    if summary.outside:
        case = ElementTree.SubElement(suite, "testcase", classname=name, name="decided")
        ElementTree.SubElement(case, "skipped", message=" ".join(summary.outside))


def add_case(suite: ElementTree.Element, name: str, row: Row) -> None:
    """One row."""
    case = ElementTree.SubElement(suite, "testcase", classname=name, name=row.title)
    lines = [f"{f.code} {f.words}" for f in (*row.failures, *row.others)]
    lines += [say_all_open(row)] if row.failures and row.open_under else []
    told = "\n".join(lines)
    if row.grade is Grade.LOSS:
        message = row.failures[0].words
        ElementTree.SubElement(case, "failure", message=message, type="loss").text = told
    elif row.grade in SKIPPED:
        ElementTree.SubElement(case, "skipped", message=row.note or say_all_open(row))
    elif told:
        ElementTree.SubElement(case, "system-out").text = told
