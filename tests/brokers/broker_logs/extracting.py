"""Every line that RocketMQ's sources write at level WARN or ERROR, as data.

    python -m tests.brokers.broker_logs.extracting REPOSITORY > statements.toml

``REPOSITORY`` is a clone of RocketMQ, bare or not, with the tags of ``RELEASES``. Only words,
levels and the names of classes and methods are taken. A part of a text that varies is ``{}``.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping

from attrs import frozen

from brokers.broker_logs.wordings import RELEASES

STORE, BROKER = "store/src/main/java", "broker/src/main/java"
AREAS: Mapping[str, str] = {
    r"store/.*/ha/.*": "replication",
    r"store/.*/schedule/.*": "delays",
    r"store/src/main/java/org/apache/rocketmq/store/[^/]*\.java": "store",
    r"store/.*/(logfile|queue|hook)/.*": "store",
    r"broker/.*/processor/.*Pull.*": "pulls",
    r"broker/.*/longpolling/Pull.*": "pulls",
    r"broker/.*/offset/(ConsumerOffsetManager|BroadcastOffset.*)\.java": "progress",
    r"broker/.*/processor/ConsumerManageProcessor\.java": "progress",
    r"broker/.*/schedule/.*": "delays",
    r"broker/.*/slave/.*": "tables",
    r"broker/.*/(topic/TopicConfigManager|subscription/SubscriptionGroupManager)\.java": "tables",
    r"common/.*/ConfigManager\.java": "tables",
    r"broker/.*/out/.*": "registration",
    r"broker/.*/controller/.*": "controller",
    r"broker/.*/broker/Broker(Controller|Startup)\.java": "broker",
}
"""What a file is about; files that fit none are left out (timers, indexes, statistics, POP)."""
LEFT_OUT = re.compile(r".*(RocksDB|Timer|Tiered|Compaction|Dledger|DLedger|LiteLifecycle).*")
LOGGERS: Mapping[str, str] = {
    "STORE_LOGGER_NAME": "store",
    "STORE_ERROR_LOGGER_NAME": "storeerror",
    "BROKER_LOGGER_NAME": "broker",
    "BROKER_CONSOLE_NAME": "broker",
    "COMMON_LOGGER_NAME": "broker",
    "PROTECTION_LOGGER_NAME": "protection",
    "WATER_MARK_LOGGER_NAME": "watermark",
}
"""The file of a logger (``logback_broker.xml``, ``rmq.broker.logback.xml``); others are left."""
CALL = re.compile(r"\b(\w*log(?:ger)?\w*)\s*\.\s*(warn|error)\s*\(", re.IGNORECASE)
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', re.DOTALL)
CLASS = re.compile(r"\b(?:class|interface|enum)\s+(\w+)")
METHOD = re.compile(r"\b(\w+)\s*\([^(){};]*\)\s*(?:throws\s+[\w.,\s]+)?$")
KEYWORDS = {"if", "for", "while", "switch", "catch", "synchronized", "try", "return", "new"}


@frozen
class Statement:
    """A line that a release may write."""

    area: str
    log: str
    level: str
    source: str
    text: str


def git(repository: str, *words: str) -> str:
    """What git prints."""
    command = ["git", "-C", repository, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def list_statements(repository: str, release: str) -> Iterator[Statement]:
    """All of a release."""
    tag = f"rocketmq-all-{release}"
    for path in git(repository, "ls-tree", "-r", "--name-only", tag).splitlines():
        area = next((a for p, a in AREAS.items() if re.fullmatch(p, path)), None)
        if area and not LEFT_OUT.fullmatch(path):
            source = git(repository, "show", f"{tag}:{path}")
            yield from read_source(source, area)


def read_source(source: str, area: str) -> Iterator[Statement]:
    """The statements of one file; those of loggers whose files are not read are left out."""
    names = dict(re.findall(r"(\w+)\s*=\s*\w+\.getLogger\(\s*LoggerName\.(\w+)", source))
    blanked = TOKEN.sub(lambda m: " " * len(m[0]), source)
    for found in CALL.finditer(blanked):
        log = LOGGERS.get(names.get(found[1], ""), "")
        if not names.get(found[1]):
            log = "store" if area in {"replication", "store"} else "broker"
        end = find_end(blanked, found.end())
        text = read_text(source[found.end() : end], blanked[found.end() : end])
        if log and text.strip("{} "):
            owner = name_place(blanked, found.start())
            yield Statement(area, log, found[2], owner, text)


def find_end(blanked: str, begin: int) -> int:
    """Where a call's arguments end."""
    depth = 1
    for at in range(begin, len(blanked)):
        depth += {"(": 1, ")": -1}.get(blanked[at], 0)
        if depth == 0:
            return at
    return len(blanked)


def read_text(arguments: str, blanked: str) -> str:
    """The first argument as a text with ``{}`` for what varies."""
    depth = 0
    end = len(arguments)
    for at, char in enumerate(blanked):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(char, 0)
        if char == "," and depth == 0:
            end = at
            break
    first = arguments[:end].strip()
    if first.startswith("String.format("):
        inner = first[len("String.format(") :]
        literal = re.match(r'\s*"((?:\\.|[^"\\])*)"', inner)
        return re.sub(r"%[-\d.]*[a-z]", "{}", decode(literal[1])) if literal else ""
    parts, place = [], 0
    for found in re.finditer(r'"((?:\\.|[^"\\])*)"', first):
        if first[place : found.start()].strip(" +\n\r\t"):
            parts.append("{}")
        parts.append(decode(found[1]))
        place = found.end()
    if first[place:].strip(" +\n\r\t"):
        parts.append("{}")
    return re.sub(r"(\{\})+", "{}", "".join(parts))


def decode(literal: str) -> str:
    """A Java literal's text."""
    return str(json.loads(f'"{literal}"')) if "\\'" not in literal else literal


def name_place(blanked: str, at: int) -> str:
    """Class and method around a place, as ``Outer.Inner#method``."""
    classes: list[str] = []
    method = ""
    opened: list[tuple[str, str]] = []
    begin = 0
    for index in range(at):
        char = blanked[index]
        if char == "{":
            head = blanked[begin:index].strip()
            named = CLASS.search(head)
            method_found = METHOD.search(head)
            if named:
                opened.append(("class", named[1]))
            elif method_found and method_found[1] not in KEYWORDS and " new " not in f" {head} ":
                opened.append(("method", method_found[1]))
            else:
                opened.append(("", ""))
            begin = index + 1
        elif char == "}":
            if opened:
                opened.pop()
            begin = index + 1
        elif char == ";":
            begin = index + 1
    classes = [name for kind, name in opened if kind == "class"]
    method = next((name for kind, name in opened if kind == "method"), "")
    return f"{'.'.join(classes)}#{method}" if method else ".".join(classes)


def render(repository: str) -> Iterator[str]:
    """The lines of the data file: each statement once, with the releases that have it."""
    at: dict[Statement, list[str]] = {}
    for release in RELEASES:
        for statement in list_statements(repository, release):
            releases = at.setdefault(statement, [])
            if release not in releases:
                releases.append(release)
    for each in sorted(at, key=lambda s: (s.area, s.source, s.text)):
        fields = {"at": " ".join(at[each]), "area": each.area, "log": each.log}
        fields |= {"level": each.level, "source": each.source, "text": each.text}
        told = ", ".join(f"{k} = {json.dumps(v, ensure_ascii=False)}" for k, v in fields.items())
        yield f"    {{ {told} }},"


if __name__ == "__main__":
    print("statement = [", *render(sys.argv[1]), "]", sep="\n")
