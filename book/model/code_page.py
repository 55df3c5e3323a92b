"""The code of rules, claims and lemmas, shown at the end of their sections as the source has it.

``rmqspec docs --write`` writes it anew. In a chapter each function stands once: with the first rule
or property that calls it; later sections point there. A chapter shows the functions of its own
modules, and short predicates of others; what is left is named with its file. Where a repair or a
later release has another form of what is shown, it is named too. What a section says of a rule
besides its prose and its code is read from the rule, never typed again.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import fill

from attrs import define, field, frozen

from book.function_source import Function, get_path, is_predicate, list_called, read_source
from properties.checkout import ROOT
from properties.comparison.upgrades import COMPARED_VARIANTS
from properties.generated_text import SPEC, Page
from properties.language.property import Property
from properties.language.world import World
from properties.worlds.replication.world import CLAIMS, LEMMAS
from reference.language.rule import Rule, between, when
from reference.language.variant import Variant, overridable
from reference.worlds.replication.changes import CHANGES, VARIANTS
from reference.worlds.replication.conditions import MEANINGS
from reference.worlds.replication.rules import RULES

WIDTH = 100
MODULES = {change.VARIANT.name: Path(inspect.getfile(change)) for change in CHANGES}
"""The file of each variant, by its name."""


class MissingMeaningError(LookupError):
    """Raised for a condition that nobody has explained; one line, with what to write where."""


def get_meaning(rule: Rule, condition: str) -> str:
    """The words for a condition of a rule. Raises MissingMeaningError."""
    if condition not in MEANINGS:
        raise MissingMeaningError(
            f'`{condition}` of {rule.name} has no meaning: add "{condition}": "..." to MEANINGS '
            "in reference/worlds/replication/conditions.py, and its kind to "
            "reference/assumptions/condition_kinds.toml"
        )
    return MEANINGS[condition]


def render_facts(rule: Rule) -> str:
    """Actor, indexes, source, conditions and arguments of a rule. Raises MissingMeaningError."""
    lines = [f"- **Who:** {rule.who}"]
    if rule.indexes:
        lines.append(f"- **For each:** {', '.join(f'`{index}`' for index in rule.indexes)}")
    lines.append(_wrap(f"- **Source:** {rule.source}"))
    lines += [_wrap(f"- **Argument:** {told}") for told in _list_arguments(rule)]
    lines += ["", "**Enabled when**", ""]
    conditions = [f"- `{name}`: {get_meaning(rule, name)}" for name in list_conditions(rule)]
    lines += [_wrap(f"{line};") for line in conditions[:-1]] + [_wrap(f"{conditions[-1]}.")]
    return "\n".join(lines)


def list_conditions(rule: Rule) -> list[str]:
    """The names of a rule's conditions, in the order in which it states them."""
    calls = _find_calls(rule, when.__name__)
    return [keyword.arg for call in calls for keyword in call.keywords if keyword.arg]


def _list_arguments(rule: Rule) -> Iterator[str]:
    """Each argument with the ends of its range, as the rule computes them."""
    for call in _find_calls(rule, between.__name__):
        name, low, high = call.args
        yield f"`{ast.literal_eval(name)}`, from `{ast.unparse(low)}` to `{ast.unparse(high)}`"


def _find_calls(rule: Rule, name: str) -> list[ast.Call]:
    tree = ast.parse(textwrap.dedent(inspect.getsource(rule.function)))
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == name
    ]
    return sorted(found, key=lambda call: call.lineno)


def _wrap(text: str) -> str:
    return fill(
        text,
        width=WIDTH,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


LENGTH_MAX = 14
"""How many lines a function of another chapter's module may have to be shown."""

_PART = re.compile(
    r"(<!-- begin code: (?P<name>\w+) -->\n).*?(<!-- end code: (?P=name) -->)", re.DOTALL
)


@frozen
class Shelf:
    """What a chapter shows the code of."""

    modules: tuple[str, ...]
    """Its own modules, or the beginning of their names up to a dot."""
    functions: Mapping[str, Function]
    """The function of each marked part, by the part's name."""

    told: Mapping[str, Rule] = field(factory=dict)
    """The rules whose facts are shown above their code."""

    def has(self, function: Function) -> bool:
        """The function is of one of the chapter's own modules."""
        return f"{function.__module__}.".startswith(self.modules)


@define
class Display:
    """What a chapter has shown so far, from its top to its end."""

    shelf: Shelf
    shown: dict[Function, str] = field(factory=dict)
    """The section in which each function is shown."""

    def render(self, name: str) -> str:
        """The code of a rule or property, with all that belongs to it and was not shown yet."""
        function = self.shelf.functions[name]
        self.shown[function] = name
        helpers = list(self.collect(function))
        self.shown.update(dict.fromkeys(helpers, name))
        return "\n\n".join(
            [
                *([render_facts(self.shelf.told[name])] if name in self.shelf.told else []),
                f"**Code**, in {link(get_path(function))}:",
                fence([read_source(function, has_docstring=False)]),
                *render_helpers(helpers, get_path(function)),
                *self.render_pointers(name, [function, *helpers]),
                *render_other_forms([function, *helpers]),
            ]
        )

    def collect(self, function: Function) -> Iterator[Function]:
        """The helpers to show with a function: what it calls, then what those call."""
        line, found = [function], {function}
        while line:
            caller = line.pop(0)
            for called in list_called(caller):
                if called in found or called in self.shown or not self.has_room(called):
                    continue
                found.add(called)
                yield called
                if self.shelf.has(called):
                    line.append(called)

    def has_room(self, function: Function) -> bool:
        """The chapter shows this helper: its own, or a short predicate."""
        if self.shelf.has(function):
            return function not in self.shelf.functions.values()
        return is_predicate(function) and read_source(function).count("\n") < LENGTH_MAX

    def render_pointers(self, name: str, shown: Iterable[Function]) -> Iterator[str]:
        """One sentence on the functions that the shown code calls and that are shown elsewhere."""
        called = dict.fromkeys(c for function in shown for c in list_called(function))
        told = [self.point_to(c) for c in called if self.shown.get(c) != name]
        if told:
            yield wrap(f"Elsewhere: {', '.join(told)}.")

    def point_to(self, function: Function) -> str:
        """A function's name with a link: to its section in this chapter, else to its file."""
        name = function.__name__
        section = self.shown.get(function)
        if section is None and function in self.shelf.functions.values():
            section = name
        place = f"#{section}" if section else f"../{get_path(function)}"
        return f"[`{name}`]({place})"


def render_helpers(helpers: Iterable[Function], home: str) -> Iterator[str]:
    """The helpers' code, a block for each file: first those of the file just named."""
    files: dict[str, list[str]] = {home: []}
    for helper in helpers:
        files.setdefault(get_path(helper), []).append(read_source(helper))
    for path, sources in files.items():
        if sources:
            yield "with:" if path == home else f"and, in {link(path)}:"
            yield fence(sources)


def render_other_forms(shown: Iterable[Function]) -> Iterator[str]:
    """One sentence on the variants that replace or remove the shown functions."""
    told = []
    for function in shown:
        others = ", ".join(list_other_forms(function))
        if others:
            told.append(f"`{function.__name__}` in {others}")
    if told:
        yield wrap(f"Different in repairs, later releases or settings: {'; '.join(told)}.")


def list_other_forms(function: Function) -> Iterator[str]:
    """The variants that redefine or remove a rule of 4.4.0 or an overridable function."""
    name = function.__name__
    is_rule = name in RULES and RULES[name].function is function
    for variant in VARIANTS.values():
        if variant.on:
            continue
        forms = variant.rules if is_rule else variant.conditions
        if is_rule and name in variant.removes:
            yield f"{link_variant(variant)} (removed)"
        elif name in forms and (is_rule or is_overridable(function)):
            yield link_variant(variant)


def is_overridable(function: Function) -> bool:
    """A variant may redefine it: its source says so."""
    return read_source(function).startswith(f"@{overridable.__name__}\n")


def link_variant(variant: Variant) -> str:
    """A variant's name with a link: to its section if it is compared, else to its module."""
    is_compared = variant.name in COMPARED_VARIANTS
    module = MODULES[variant.name].relative_to(ROOT)
    is_package = module.stem == "__init__"
    file = f"../{module.parent}/" if is_package else f"../{module}"
    return f"[`{variant.name}`]({f'variants.md#{variant.name}' if is_compared else file})"


def wrap(text: str) -> str:
    """A paragraph in lines of the book's width, links whole."""
    return fill(text, width=100, break_long_words=False, break_on_hyphens=False)


def fence(sources: Iterable[str]) -> str:
    """A block of Python; two empty lines between functions, as in a file."""
    return "\n".join(["```python", "\n\n\n".join(sources), "```"])


def link(path: str) -> str:
    """A file's name with the way to it."""
    return f"[{path}](../{path})"


def write_code(shelf: Shelf, text: str) -> str:
    """The chapter with the code of every marked part as the source has it.

    Raises KeyError for a part whose name is none of the chapter's rules and properties.
    """
    display = Display(shelf)
    return _PART.sub(lambda part: f"{part[1]}{display.render(part['name'])}\n{part[3]}", text)


@frozen
class CodePage(Page):
    """A text that shows the code of rules or properties besides its generated parts."""

    shelf: Shelf

    def update(self, text: str) -> str:
        """The text with every generated part and all code as they should be. Raises KeyError."""
        return write_code(self.shelf, super().update(add_sections(self.shelf, text)))


def add_sections(shelf: Shelf, text: str) -> str:
    """The text with a section for each rule that has none: its docstring is the first draft."""
    before = ""
    for name, rule in shelf.told.items():
        if f"\n## `{name}`\n" not in text:
            prose = (inspect.getdoc(rule.function) or "").replace("``", "`")
            section = f"\n\n## `{name}`\n\n{prose}\n\n{mark(name)}"
            head, end, rest = text.partition(f"<!-- end code: {before} -->")
            text = f"{head}{end}{section}{rest}" if end else f"{text.rstrip()}{section}\n"
        before = name
    return text


def mark(name: str) -> str:
    """An empty part for the code of a rule or property, to be filled by ``write_code``."""
    return f"<!-- begin code: {name} -->\n<!-- end code: {name} -->"


def get_functions(
    rules: Mapping[str, Rule], properties: Mapping[str, Property]
) -> dict[str, Function]:
    """The functions behind rules and properties, by their names."""
    return {
        **{name: rule.function for name, rule in rules.items()},
        **{name: entry.predicate for name, entry in properties.items()},
    }


def make_topic_shelf(topic: str) -> Shelf:
    """What the chapter of a topic of replication shows."""
    rules = {name: rule for name, rule in RULES.items() if rule.topic == topic}
    return Shelf((f"reference.worlds.replication.{topic}.",), get_functions(rules, {}), rules)


def make_world_shelf(world: World) -> Shelf:
    """What the chapter of a world beside replication shows."""
    modules = (f"reference.worlds.{world.topic}.", f"properties.worlds.{world.topic}.")
    return Shelf(modules, get_functions(world.rules, {**world.claims, **world.lemmas}))


TOPIC_SHELVES = {rule.topic: make_topic_shelf(rule.topic) for rule in RULES.values()}
"""What the chapter of each topic of replication shows."""
TOPIC_PAGES = tuple(
    CodePage(SPEC / f"{topic}.md", {}, shelf) for topic, shelf in TOPIC_SHELVES.items()
)
"""Those chapters."""
CLAIM_SHELF = Shelf(
    ("properties.worlds.replication.guarantees.", "properties.worlds.replication.convergence."),
    get_functions({}, CLAIMS),
)
"""What the chapter of the guarantees shows."""
LEMMA_SHELF = Shelf(("properties.worlds.replication.lemmas.",), get_functions({}, LEMMAS))
"""What the chapter of the lemmas shows."""
