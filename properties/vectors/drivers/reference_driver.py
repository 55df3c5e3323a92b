"""A driver that answers every set, by asking the reference.

    python -m properties.vectors.drivers.reference_driver

A line of JSON on standard input is a question, a line on standard output its answer. The first
line is a greeting. Put your own implementation in place of ``find_answer``.
"""

from __future__ import annotations

import json
import sys
from typing import Any

PROTOCOL = 1


def find_answer(set_name: str, release: str, ask: dict[str, Any]) -> dict[str, Any] | None:
    """What the implementation answers; None: it does not know the set."""
    from properties.vectors.sets.every_set import SETS  # noqa: PLC0415

    found = next((each for each in SETS if each.name == set_name), None)
    return None if found is None else found.answer(release, ask).answer


def reply(line: str, state: dict[str, str]) -> dict[str, Any]:
    """The answer to a line."""
    question = json.loads(line)
    if "hello" in question:
        state["release"] = question["hello"]["rocketmq"]
        return {"hello": {"protocol": PROTOCOL, "name": "the reference"}}
    answer = find_answer(question["set"], state["release"], question["ask"])
    if answer is None:
        return {"id": question["id"], "unsupported": True}
    return {"id": question["id"], "answer": answer}


def main() -> None:
    """Answer until there is no more question."""
    state: dict[str, str] = {}
    for line in sys.stdin:
        print(json.dumps(reply(line, state)), flush=True)


if __name__ == "__main__":
    main()
