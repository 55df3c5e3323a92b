"""What a section says of a rule besides its prose: read from the rule, never typed again."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from textwrap import fill

from reference.language.rule import Rule, between, when
from reference.worlds.replication.conditions import MEANINGS

WIDTH = 100


def render_facts(rule: Rule) -> str:
    """Who acts, for each of what, what it mirrors, when it is enabled, and its arguments.

    Raises KeyError for a condition whose meaning is not told in ``conditions``.
    """
    lines = [f"- **Who:** {rule.who}"]
    if rule.indexes:
        lines.append(f"- **For each:** {', '.join(f'`{index}`' for index in rule.indexes)}")
    lines.append(_wrap(f"- **Source:** {rule.source}"))
    lines += [_wrap(f"- **Argument:** {told}") for told in _list_arguments(rule)]
    lines += ["", "**Enabled when**", ""]
    conditions = [f"- `{name}`: {MEANINGS[name]}" for name in list_conditions(rule)]
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
