"""Questions that real code of 4.4.0 has answered have the same answers as vectors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from properties.checkout import ROOT
from properties.vectors.sets.progress import PROGRESS
from properties.vectors.sets.registration import REGISTRATION
from tests.compressed import read_compressed
from tests.oracle.name_server_rows import sort_names

FOLDER = ROOT / "tests" / "data" / "oracle_broker"


def read_rows(name: str) -> Iterator[dict[str, Any]]:
    """The rows of a table."""
    for line in read_compressed(FOLDER / name).splitlines():
        yield json.loads(line)


def test_queries_of_progress() -> None:
    """The state that the real query found, as a question."""
    codes = set()
    for row in read_rows("progress_query.jsonl.xz"):
        asked, output = row["input"], row["output"]
        group, topic, queue = asked["query"]
        ask = {
            "kind": "query",
            "commits": [[t, g, q, offset] for g, t, q, offset in asked["commits"]],
            "query": [topic, group, queue],
            "queueMinOffset": output["queue_min_offset"],
            "firstPhysicalOffset": output["first_physical_offset"],
            "logMaxOffset": output["max_offset_py"],
            "memoryBytes": output["memory_bytes"],
        }
        expected = {"code": output["code"], "offset": output["offset"]}
        assert expected == PROGRESS.answer("4.4.0", ask).answer
        codes.add(output["code"])
    assert {0, 22} == codes


def test_calls_to_a_name_server() -> None:
    """Every result of every step."""
    steps = 0
    for row in read_rows("name_server.jsonl.xz"):
        ask = {"kind": "nameServer", "steps": row["input"]["steps"]}
        expected = [sort_names(step["result"]) for step in row["output"]["steps"]]
        assert expected == REGISTRATION.answer("4.4.0", ask).answer["steps"]
        steps += len(expected)
    assert steps >= 500
