"""The steps that the words of a counterexample page refer to by number, and their rules.

A page lists the rule of each number that it mentions in a comment below its words, for example
``<!-- steps: 1 stop_broker, 5 start_broker -->``. A number that no longer fits is then noticed when
the schedule changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reference.language.machine import Action

GENERATED = re.compile(r"<!-- begin generated: (\w+) -->.*?<!-- end generated: \1 -->", re.DOTALL)
LISTED = re.compile(r"<!-- steps: (?P<steps>[^>]*) -->")
NUMBERS = r"\d+(?:(?:, and | and | to |, )\d+)*"
MENTIONED = re.compile(
    rf"\b[Ss]teps? (?P<named>{NUMBERS})\b|\((?P<bare>{NUMBERS})(?=[);])",
)
"""``step 3``, ``steps 1, 2 and 5``, ``(8 and 9)``, ``(5; Class#method)``."""


def list_mentioned(text: str) -> tuple[int, ...]:
    """The numbers of steps in the hand-written part of a page, in ascending order."""
    words = " ".join(LISTED.sub("", GENERATED.sub("", text)).split())
    found = (match["named"] or match["bare"] for match in MENTIONED.finditer(words))
    return tuple(sorted({int(n) for numbers in found for n in re.findall(r"\d+", numbers)}))


def name_rule(action: Action) -> str:
    """The rule of a step."""
    return action.instance.partition("[")[0]


def find_stale(text: str, schedule: Sequence[Action]) -> Iterator[str]:
    """What a page says about its steps that its schedule does not have."""
    listed = [entry for match in LISTED.finditer(text) for entry in match["steps"].split(", ")]
    known = {f"{n} {name_rule(action)}" for n, action in enumerate(schedule, start=1)}
    yield from (f"step {entry}" for entry in listed if entry and entry not in known)
    numbers = {int(entry.split()[0]) for entry in listed if entry}
    yield from (f"step {n} is not listed" for n in list_mentioned(text) if n not in numbers)
