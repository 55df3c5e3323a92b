"""Plant every mistake in the judges, one at a time, and record which check finds it.

``python -m spark_fuzz.judges.planted_run`` judges mistakes that
``.rmqspec/measurements/planted.json`` lacks, or has of another text, continues an interrupted run,
and writes that file. It leaves with 1 if a mistake survives without a reason in
``planted_arguments.toml``, or has one and is found. ``--name TEXT`` takes only mistakes whose name
has the text, and prints what is found of them.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import sys
import time
from collections.abc import Iterable, Mapping
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

from attrs import asdict

from properties.checkout import ROOT
from properties.judges.planted import Planted, check_is_fresh, list_planted, plant
from properties.judges.planted_results import (
    SURVIVED,
    PlantedFinding,
    load_arguments,
    load_table,
    make_finding,
    save_table,
)

PARTIAL = ROOT / ".rmqspec" / "planted.jsonl"
FIRST = {"prover": "proofs", "rest": "proofs", "lowering": "lowering"}
"""The check that runs first for a kind of mistake; all others follow in their order."""
SECONDS_MAX = 300
"""Processor time after which a mistake that keeps the checks running counts as found."""


def judge_planted(planted: Planted) -> PlantedFinding:
    """Plant one mistake in this process, and run every check. Raises ValueError in no fresh one."""
    begin = time.process_time()
    found_by, told = SURVIVED, ""
    plant(planted)
    try:
        from spark_fuzz.judges.judge_battery import CHECKS  # noqa: PLC0415

        first = FIRST.get(planted.kind, "")
        for name in sorted(CHECKS, key=lambda each: each != first):
            told = CHECKS[name]()
            if told:
                found_by = name
                break
    except Exception as problem:  # any exception counts as finding the mistake
        found_by, told = "error", f"{type(problem).__name__}: {problem}"
    seconds = round(time.process_time() - begin, 1)
    return make_finding(planted, found_by, told, seconds)


def judge_apart(planted: Planted) -> PlantedFinding:
    """Judge one mistake in a process of its own, with limited processor time.

    Raises ValueError if this process has imported what the mistake is made in: that one would have.
    """
    check_is_fresh(planted.file)
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(planted, sender))
    process.start()
    sender.close()
    try:
        finding: PlantedFinding = receiver.recv()
    except EOFError:
        finding = make_finding(planted, "error", "does not end", SECONDS_MAX)
    process.join()
    return finding


def _answer(planted: Planted, sender: Any) -> None:
    """Judge in a child process, which ends when it has used too much processor time."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_MAX, SECONDS_MAX))
    sender.send(judge_planted(planted))


def read_partial(path: Path = PARTIAL) -> dict[str, PlantedFinding]:
    """The findings of an unfinished run, by the mistake's name; a broken line is skipped."""
    found = {}
    if path.exists():
        for line in path.read_text().splitlines():
            try:
                finding = PlantedFinding(**json.loads(line))
            except (ValueError, TypeError):
                continue
            found[finding.name] = finding
    return found


def is_current(planted: Planted, known: Mapping[str, PlantedFinding]) -> bool:
    """It was judged with the present text of its function."""
    return planted.name in known and known[planted.name].digest == planted.digest


def run_all(every: Iterable[Planted], workers: int) -> list[PlantedFinding]:
    """Judge new mistakes and those of another text, with progress on standard error."""
    known, listed = {**load_table(), **read_partial()}, list(every)
    PARTIAL.parent.mkdir(exist_ok=True)
    left = [planted for planted in listed if not is_current(planted, known)]
    with ThreadPool(workers) as pool, PARTIAL.open("a") as file:
        for number, finding in enumerate(pool.imap_unordered(judge_apart, left), start=1):
            known[finding.name] = finding
            file.write(json.dumps(asdict(finding)) + "\n")
            file.flush()
            sys.stderr.write(f"{number} of {len(left)}: {finding.name}: {finding.found_by}\n")
    return [known[planted.name] for planted in listed]


def find_false_alarm() -> str:
    """The complaint of a check without a planted mistake, in a process of its own; else empty."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(_check_without_mistake)


def _check_without_mistake() -> str:
    from spark_fuzz.judges.judge_battery import CHECKS  # noqa: PLC0415

    told = ((name, check()) for name, check in CHECKS.items())
    return next((f"{name}: {text}" for name, text in told if text), "")


def main(arguments: Any = None) -> int:
    """Run, and store or print."""
    parser = argparse.ArgumentParser(
        prog="python -m spark_fuzz.judges.planted_run", description=__doc__
    )
    parser.add_argument(
        "--name", action="append", help="only mistakes whose name has this text; may be repeated"
    )
    parser.add_argument("--workers", type=int, default=2, help="processes at a time")
    parser.add_argument(
        "--check", action="store_true", help="only say, by 1, if some are new or of another text"
    )
    parsed = parser.parse_args(arguments)
    if parsed.check:
        known = load_table()
        return int(not all(is_current(planted, known) for planted in list_planted()))
    asked = parsed.name
    if asked:
        found = [judge_apart(p) for p in list_planted() if any(text in p.name for text in asked)]
        sys.stdout.writelines(f"{f.name}: {f.found_by}: {f.told}\n" for f in found)
        return 0 if found else 3
    if alarm := find_false_alarm():
        sys.stderr.write(f"nothing is planted, and yet a check fails; mend it first: {alarm}\n")
        return 1
    findings = run_all(list_planted(), parsed.workers)
    save_table(findings)
    return tell_unargued(findings)


def tell_unargued(findings: Iterable[PlantedFinding]) -> int:
    """Print survivors without a reason, and reasons for what does not survive; 1 if any are."""
    survivors = {finding.name for finding in findings if finding.found_by == SURVIVED}
    for name in sorted(survivors ^ set(load_arguments())):
        word = "survives without a reason" if name in survivors else "has a reason and is found"
        sys.stderr.write(f"{name} {word}: correct planted_arguments.toml\n")
    return int(survivors != set(load_arguments()))


if __name__ == "__main__":
    sys.exit(main())
