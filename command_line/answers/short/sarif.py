"""The short answer as SARIF 2.1.0: each failure at the line of the key that decides about it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from command_line.answers.short.groups import ShortAnswer, say_slaves
from command_line.answers.short.shown import ShownAnswers, say_all_open
from properties.scenarios.summary.answer import Failure, Row, Summary
from properties.scenarios.summary.words import Grade, load_words
from reference.configuration.broker_group import BrokerGroup, ConfigurationWarning

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

LEVELS = {Grade.LOSS: "error", Grade.RISK: "warning"}

CONFIGURATION = "configuration"
"""The rule of warnings about files."""

UNDECIDED = "undecided"
"""The rule of groups about which nothing is decided."""


def render_sarif(shown: ShownAnswers) -> str:
    """The whole answer."""
    results = [result for answer in shown.answers for result in list_results(answer)]
    results += [warn(warning) for warning in shown.warnings]
    run = {
        "tool": {"driver": {"name": "rmqspec", "rules": list(list_rules())}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=1)


def list_rules() -> Iterator[dict[str, Any]]:
    """A rule for each row of the answer, and two for files."""
    titles = {row.letter: row.title for row in load_words().rows}
    titles |= {CONFIGURATION: "Odd configuration", UNDECIDED: "Nothing is decided"}
    for identifier, title in titles.items():
        yield {"id": identifier, "shortDescription": {"text": title}}


def list_results(answer: ShortAnswer) -> Iterator[dict[str, Any]]:
    """A result for each failure of each group, once for each number of slaves."""
    for group in answer.groups:
        for summary in answer.summaries:
            where = f" with {say_slaves(summary.slaves)}" if answer.is_side_by_side else ""
            for reason in summary.outside:
                yield make_result(UNDECIDED, "warning", reason, *locate(group, ""))
            for row in summary.rows:
                yield from list_row(group, summary, row, f"{row.title}{where}")


def list_row(
    group: BrokerGroup, summary: Summary, row: Row, title: str
) -> Iterator[dict[str, Any]]:
    """A result for each failure of a row, and one for what is not decided."""
    for failure in (*row.failures, *row.others):
        text = f"{title}: {failure.words} ({failure.code})"
        place = locate(group, find_key(summary, failure))
        found = make_result(row.letter, LEVELS[failure.grade], text, *place)
        yield found | {"partialFingerprints": {"code/v1": describe(group, failure)}}
    if row.open_under:
        text = f"{title}: {say_all_open(row)}"
        yield make_result(row.letter, "note", text, *locate(group, ""))


def describe(group: BrokerGroup, failure: Failure) -> str:
    """What a result is about, whatever its line."""
    return f"{group.cluster}/{group.broker_name}/{failure.code}"


def find_key(summary: Summary, failure: Failure) -> str:
    """The key that a switch against the failure changes; empty where none does."""
    found = (action.key for action in summary.actions if failure.code in action.codes)
    return next((key for key in found if key), "")


def locate(group: BrokerGroup, key: str) -> tuple[str, int]:
    """The file and line that decides: of the key, else of the master's role."""
    setting = group.master.find_setting(key) or group.master.telling_setting
    return setting.file, setting.line


def warn(warning: ConfigurationWarning) -> dict[str, Any]:
    """A warning about a file as a result."""
    level = "error" if warning.is_grave else "warning"
    return make_result(CONFIGURATION, level, warning.message, warning.file, warning.line)


def make_result(rule: str, level: str, text: str, file: str, line: int) -> dict[str, Any]:
    """A result at a line of a file."""
    location: dict[str, Any] = {"artifactLocation": {"uri": quote(PurePath(file).as_posix())}}
    if line > 0:
        location["region"] = {"startLine": line}
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": text},
        "locations": [{"physicalLocation": location}],
    }
