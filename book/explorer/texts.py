"""The words of the book that the explorer shows: of rules, their conditions, and claims."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from book.contents import list_chapters
from book.explorer.deployments import get_plain
from book.links import find_chapter, find_topic, find_variant_place
from properties.language.property import PropertyRole
from properties.language.world import ClaimedStructure, World
from properties.schedules.telling import SOURCE_REFERENCE
from properties.worlds.system.world import SYSTEM, ClaimedSystem
from reference.language.rule import Rule, when
from reference.worlds.replication.changes import VARIANTS
from reference.worlds.replication.conditions import MEANINGS
from reference.worlds.system import logs
from reference.worlds.system.logs import SEEN

KINDS = {PropertyRole.GUARANTEE: "guarantee", PropertyRole.CONVERGENCE: "rest"}
"""The explorer's name for each role of a claim."""


OWN_RULES = {name: rule for rule, forms in SEEN.items() for name, _ in forms if name}
"""Rules of the log that the system has in a form of its own, with the rule that they come from; the
system's chapter lists them."""

CHAPTER_FILES = frozenset(chapter.file for chapter in list_chapters())

COUNTED = "is_counted_within_limit"
"""The condition that the system adds to a rule that counts nothing in its own world."""


def find_written(structure: ClaimedStructure, rule: Rule) -> Rule:
    """The rule as in the source; a lifted one is the rule of its part."""
    if not isinstance(structure, ClaimedSystem):
        return rule
    parts = {**structure.reading.rules, **structure.log.rules}
    return parts[OWN_RULES.get(rule.name, rule.name)]


def describe_rule(
    structure: ClaimedStructure, rule: Rule, conditions: Iterable[str]
) -> dict[str, Any]:
    """The text of a rule, with its section and the words for its conditions.

    ``conditions`` are those that it is recorded with: a change or the system may add some to what
    the rule itself writes.
    """
    written = find_written(structure, rule)
    own = read_conditions(written.function)
    paragraphs = (inspect.getdoc(written.function) or rule.sentence).split("\n\n")
    return {
        "name": rule.name,
        "who": rule.who,
        "text": [" ".join(tidy(each).split()) for each in paragraphs],
        "source": rule.source,
        "section": find_rule_section(rule),
        "conditions": {
            **{name: explain(written.function, name, shown) for name, shown in own.items()},
            **{name: explain_guard(name) for name in conditions if name not in own},
        },
    }


def find_rule_section(rule: Rule) -> str:
    """The section of a rule; for one that a change adds, the section of the change."""
    topic = find_topic(rule)
    if rule.name in OWN_RULES:
        return f"{SYSTEM.topic}.html"
    if f"{topic}.md" in CHAPTER_FILES:
        return f"{topic}.html#{rule.name}"
    changes = (name for name, variant in VARIANTS.items() if rule in variant.rules.values())
    return find_variant_place(next(changes, "")).replace(".md", ".html")


def tidy(text: str) -> str:
    """Without references to sources, and code as in Markdown."""
    return SOURCE_REFERENCE.sub("", text).replace("``", "`")


def explain(function: Callable[..., Any], name: str, shown: str) -> str:
    """A condition in words if there are any, else as the rule writes it."""
    if name in MEANINGS and function.__module__.startswith("reference.worlds.replication"):
        return MEANINGS[name]
    predicate = getattr(sys.modules[function.__module__], name, None)
    if inspect.isfunction(predicate) and predicate.__doc__:
        return tidy(predicate.__doc__.partition("\n")[0]).rstrip(".")
    return MEANINGS.get(name, f"`{shown}`") if "." not in shown else f"`{shown}`"


def explain_guard(name: str) -> str:
    """A condition that a change or the system adds to a rule."""
    if name == COUNTED:
        return MEANINGS["is_within_limit"]
    predicate = getattr(logs, name, None)
    if inspect.isfunction(predicate) and predicate.__doc__:
        return tidy(predicate.__doc__.partition("\n")[0]).rstrip(".")
    return MEANINGS.get(name) or f"`{read_guards().get(name, name.replace('_', ' '))}`"


@cache
def read_guards() -> dict[str, str]:
    """The conditions that the system adds, by name, as its source writes them."""
    return {
        key.value: ast.unparse(value)
        for node in ast.walk(ast.parse(inspect.getsource(logs)))
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }


@cache
def read_conditions(function: Callable[..., Any]) -> dict[str, str]:
    """The conditions of a rule by name, as the source writes them; empty for a lifted one."""
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
    return {
        keyword.arg: ast.unparse(keyword.value)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == when.__name__
        for keyword in node.keywords
        if keyword.arg
    }


def describe_claims(structure: ClaimedStructure) -> Iterator[dict[str, str]]:
    """The claims that are judged in a structure, in their order in the source."""
    world = get_plain(structure).world
    for name, claim in {**world.judged, **world.claims}.items():
        yield {
            "name": name,
            "kind": KINDS[claim.role],
            "text": tidy(claim.sentence),
            "why": " ".join(tidy(claim.why).split()),
            "section": find_claim_section(world, name),
        }


def find_claim_section(world: World, name: str) -> str:
    """The section of a claim; for one of a part, the section of the part's claim."""
    told = world.part_claims[name].name if name in world.part_claims else name
    return f"{find_chapter(told).removesuffix('.md')}.html#{told}"
