"""A row about a name server: its calls, one after the other, on the functions of its tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from properties.vectors.sets.name_server import NameServer, call, write_state
from reference.decisions.reading.question import QuestionError
from tests.oracle.found import Found, Row, list_fields
from tests.oracle.store_rows import RowError


def sort_names(answer: Any) -> Any:
    """An answer with a cluster's names by the alphabet; a hash set lists them as it likes."""
    if isinstance(answer, dict) and "clusterAddrTable" in answer:
        clusters = {k: sorted(names) for k, names in answer["clusterAddrTable"].items()}
        return {**answer, "clusterAddrTable": clusters}
    return answer


def list_differences(row: Row, folder: Path) -> Iterator[Found]:
    """Every answer that differs. Raises RowError for an unknown operation."""
    server, told = NameServer(), dict[str, Any]()
    for number, (step, expected) in enumerate(
        zip(row["input"]["steps"], row["output"]["steps"], strict=True)
    ):
        try:
            answer = call(server, step)
        except QuestionError as error:
            raise RowError(str(error)) from error
        if answer != sort_names(expected["result"]):
            yield number, "result", expected["result"], answer
        told |= expected.get("state", {})
        yield from list_fields(number, told, write_state(server.registry))
