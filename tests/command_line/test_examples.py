"""What ``--help`` and the texts tell a reader to type can be typed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from tests.command_line.example_files import lay_out
from tests.command_line.examples import (
    PROGRAM,
    Example,
    find_command,
    list_commands,
    list_examples,
    list_spans,
    list_typed,
    run_copied,
    run_example,
)
from tests.command_line.run import ROOT, run_process
from tests.spark_fuzz.cluster import start_cluster

EXAMPLES = list_examples()

ENDS = {
    "rmqspec check conf --require acknowledged_is_kept_on_some_broker": 1,
    'rmqspec check conf --require "no_message_is_skipped:master stop"': 1,
    'rmqspec check conf --require "answered_entry_stays_on_master:stop"': 2,
    'rmqspec check conf --require "acknowledged_is_consumed_or_to_come:both end"': 2,
    "rmqspec upgrade 4.4.0 5.3.0 conf --fail-on-worse": 1,
    "rmqspec trace suspicious.jsonl --explain": 1,
    "rmqspec mutants --rule transfer_batch --layers equivalence,lemmas --json > batch.json": 1,
    "rmqspec record --watch --play tests/data/traces/h_slave_ahead_aligned.jsonl": 1,
}
"""Examples that show another exit code than 0."""

NIGHTLY = {
    "rmqspec prove": "40 s: every structure",
    "rmqspec prove --rocketmq-version 4.9.8": "12 s: every structure of a release",
    'rmqspec judges --structure "delay/4.4.0"': "27 s: four columns",
    'rmqspec judges --fault "slave kill"': "34 s: a column with many states",
    'rmqspec judges --structure "SYNC_MASTER/ASYNC_FLUSH/1 slave" --fault none --json': "6 s",
    "rmqspec check conf --rocketmq-version 4.9.8": "6 s: every pair of a folder",
    "rmqspec check conf --rocketmq-version 5.3.0 --what-if inSyncReplicas=2": "5 s: the same",
    "rmqspec check conf --what-if flushDiskType=SYNC_FLUSH": "5 s: the same",
    "rmqspec store master slave --explain": "7 s: another test explains stores",
    "rmqspec explain L12 broker-a.properties --slaves 1 --rocketmq-version 4.9.8": "4 s: a release",
    "rmqspec upgrade 4.4.0 4.9.8": "4 s: another test runs it",
    "rmqspec upgrade 4.4.0 5.3.0 conf --fail-on-worse": "4 s: another upgrade",
    "rmqspec upgrade 4.9.8 5.3.0 conf/2m-2s-sync": "5 s: another upgrade",
    "rmqspec upgrade 4.9.8 5.3.0-quorum conf": "4 s: another upgrade",
    "rmqspec upgrade 4.9.8 5.3.0 conf --what-if inSyncReplicas=2": "5 s: another upgrade",
    "rmqspec upgrade 4.4.0 4.9.8 broker-a.properties --slaves 1": "5 s: another upgrade",
    'rmqspec prove --triage acknowledgement_is_truthful --fault "late join"'
    ' --structure "SYNC_MASTER/ASYNC_FLUSH/1 slave"': "6 s: searches backwards",
    "rmqspec prove --variant report_capped": "6 s: every structure of a variant",
    'rmqspec judges --structure "delay/4.4.0" --fault kill': "5 s: all judges",
    "rmqspec check conf --what-if slave.slaveReadEnable=true": "6 s: every pair of a folder",
    "rmqspec prove --variant report_capped --compare": "5 s: every structure of a variant",
    'rmqspec mutants --world tables --structure "tables/topics/4.4.0" --rule begin_copy': "7 s",
    'rmqspec prove --rules --structure "SYNC_MASTER/SYNC_FLUSH/0 slaves"': "7 s: rule by rule",
    'rmqspec prove --cross-check 20000 --fault "power loss" --structure "delay/4.4.0"': "4 s",
    'rmqspec export smt-lib --out proofs --structure "SYNC_MASTER/SYNC_FLUSH/1 slave"': "3 s",
    "rmqspec mutants --world delay": "8 s on two cores: a world",
    "rmqspec mutants --rule receive_report": "51 s: a rule, all judges",
    "rmqspec mutants --rule transfer_batch --layers equivalence,lemmas --json > batch.json": "7 s",
    "rmqspec export itf --out traces": "7 s: some 3,000 files",
    'rmqspec export itf --out pair --structure "SYNC_MASTER/ASYNC_FLUSH/1 slave at 4.9.3"': "8 s",
    "rmqspec check conf --what-if slaveReadEnable=true --group brokerId=1": "7 s: every pair",
    "rmqspec export explorer": "8 s: another test runs the verb",
    "rmqspec export explorer --out page": "3 s: the same page elsewhere",
    "rmqspec export explorer --out page --book ../site": "3 s: the same page, with links",
    "rmqspec export vectors --out schedules": "5 s: every structure",
    "rmqspec export vectors --product vectors.zip": "60 s: every set of every release",
    "rmqspec fuzz": "35 s: 100,000 schedules",
    "rmqspec fuzz --schedules 1000000 --seed 8 --out campaigns/eight": "28 s: a million schedules",
    "rmqspec fuzz --role ASYNC_MASTER --slaves 2 --limits link_cuts=4,master_kills=1": "10 s",
    'rmqspec fuzz --structure "reading/open slow/no offset check/last"': "9 s",
    "rmqspec fuzz --rocketmq-version 4.9.8": "10 s",
    "rmqspec fuzz --limits none": "7 s",
    "rmqspec fuzz --resume campaigns/seven": "16 s: a campaign and its report",
    "rmqspec fuzz --swarm --classes": "87 s: violations are shortened",
    'rmqspec prove --cross-check 20000 --fault "power loss" --structure "delay/4.4.0"'
    " --levels searches/power": "4 s: the same search on disk",
    "rmqspec prove --rocketmq-version 4.9.8 --compare"
    ' --structure "SYNC_MASTER/ASYNC_FLUSH/1 slave"': "2 s: compared in other tests",
    "rmqspec broker --role SYNC_MASTER --store master": "3 s: another role",
    "rmqspec broker --role SLAVE --store slave --set namesrvAddr=127.0.0.1:9876": "3 s: another",
    "rmqspec broker --role ASYNC_MASTER --store master --events master.jsonl --snapshots 1": "3 s",
    "rmqspec broker --role SLAVE --store s --master host:10912 --mutant reports_on_connect": "3 s",
    "rmqspec record --out pair.jsonl --link slave1=20912:master-host:10912 --events master.jsonl"
    " --events slave.jsonl --rotate 100MB": "2 s: another recorder",
    "rmqspec record --out pair.jsonl --link slave1=20912:master-host:10912"
    " --node master=broker.conf": "2 s: another recorder",
    "rmqspec bench": "90 s: each engine five times",
    "rmqspec bench --slaves 2 --repeat 2 --json": "60 s: each engine twice",
    "rmqspec bench --campaign-seconds 10": "100 s: also a campaign",
}
"""Examples that are too long for every change, each with its measured length and what is long."""

COPIED = {
    'rmqspec prove --search --structure "delay/4.4.0"': "rewrites certificates",
    "rmqspec bench --record-floor": "writes a record",
    "rmqspec renew --plan": "2 min: looks at every artefact",
    "rmqspec renew": "writes certificates, tables and texts",
    "rmqspec renew --for answers": "writes certificates and tables",
    'rmqspec renew "witnesses of SYNC_MASTER/ASYNC_FLUSH/1 slave"': "writes a certificate's table",
    "rmqspec renew --accept": "writes certificates, tables and texts",
    "rmqspec renew --check": "2 min: looks at every artefact",
    "rmqspec docs": "writes a site",
    "rmqspec docs --out site": "writes a site",
    "rmqspec docs --check": "runs tests, which are only collected here",
    "rmqspec docs --write": "writes texts",
    "rmqspec docs --write spec/proofs.md": "writes texts",
    "rmqspec test": "runs tests, which are only collected here",
    "rmqspec test --every-turn": "runs tests, which are only collected here",
    "rmqspec test -k timeline -x": "runs tests, which are only collected here",
    "rmqspec test -m nightly": "runs tests, which are only collected here",
    "rmqspec test --nightly-slice": "runs tests, which are only collected here",
    "rmqspec test --nightly-slice 7": "runs tests, which are only collected here",
}
"""Examples that write into the project or run its tests: run nightly, in a copy of it."""


REMOTE = "rmqspec fuzz --master spark://127.0.0.1:7077"
"""Needs a cluster, which a nightly test starts."""

TIMED = "rmqspec bench --floor"
"""What time decides is no test; CI runs it after them."""

AGAINST = "rmqspec bench --against HEAD~1"
"""Needs a checkout without changes, which a nightly test makes."""

HELD = (
    "rmqspec conform --as slave --master 127.0.0.1:10912 --broker 127.0.0.1:10911"
    " --fresh ./restart_empty.sh --config broker-a.conf --out run",
    "rmqspec conform --as master --listen 10912 --broker 127.0.0.1:10921 --namesrv-listen 9876"
    " --fresh ./restart_empty.sh --config slave.conf",
    'rmqspec conform --as slave --master 127.0.0.1:10912 --broker 127.0.0.1:10911 --case "a put"',
    "rmqspec conform --vectors vectors.zip --driver ./my_driver",
    "rmqspec conform --matrix brokers.html run-a/report.json run-b/report.json",
)
"""They hold what somebody else runs, or has run: here they are only read."""

PLACEHOLDERS = {
    "CODE": "L12",
    "CLAIM": "acknowledgement_is_truthful",
    "FAULT": "none",
    "FILE...": "file",
    "FILES": "file",
    "FOLDER": "folder",
    "FROM": "4.4.0",
    "ID": "identifier",
    "NAME": "report_capped",
    "RELEASE": "4.9.8",
    "STATES": "9",
    "TO": "4.9.8",
    "...": "file",
}
"""What stands for a value between words of a text, and a value for it."""


def get_line(example: Example) -> str:
    """What tells it apart in messages."""
    return example.line


def choose(*, is_long: bool, needs_spark: bool) -> list[Example]:
    """The examples that run in this process: quick or nightly ones, with Spark or without."""
    elsewhere = {*COPIED, *HELD, REMOTE, TIMED, AGAINST}
    return [
        example
        for example in EXAMPLES
        if example.line not in elsewhere
        and (example.line in NIGHTLY) is is_long
        and example.needs_spark is needs_spark
    ]


def check_example(example: Example, folder: Path) -> None:
    """It ends as it is documented, with some output and without a traceback."""
    lay_out(folder)
    if "--out" in example.words:
        out = folder / example.words[example.words.index("--out") + 1]
        if out.is_dir():
            shutil.rmtree(out)
        out.unlink(missing_ok=True)
    result = run_example(example, folder)
    assert ENDS.get(example.line, 0) == result.returncode, result.stderr
    assert result.stdout.strip()
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("example", choose(is_long=False, needs_spark=False), ids=get_line)
def test_quick_example(example: Example, tmp_path: Path) -> None:
    """Run it in a folder that has the files it names."""
    check_example(example, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("example", choose(is_long=True, needs_spark=False), ids=get_line)
def test_long_example(example: Example, tmp_path: Path) -> None:
    """The same for longer ones."""
    check_example(example, tmp_path)


@pytest.mark.nightly
@pytest.mark.spark
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("example", choose(is_long=True, needs_spark=True), ids=get_line)
def test_long_example_of_spark(example: Example, tmp_path: Path) -> None:
    """All that need it are long; in a session that other tests share."""
    check_example(example, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("line", COPIED)
def test_example_that_writes_into_the_project(line: str, tmp_path: Path) -> None:
    """In a copy of it."""
    result = run_copied(Example("", line), tmp_path)
    assert 0 == result.returncode, result.stdout + result.stderr
    assert result.stdout.strip()
    assert "Traceback" not in result.stderr


@pytest.mark.nightly
@pytest.mark.spark
def test_example_of_a_cluster(tmp_path: Path) -> None:
    """In a process of its own, on a cluster that listens elsewhere."""
    with start_cluster(tmp_path, PYTHONPATH=str(ROOT)) as (master, _):
        words = REMOTE.rpartition(" ")[0].split()[1:]
        result = run_process(*words, master, "--out", tmp_path / "campaign")
    assert 0 == result.returncode, result.stderr
    assert "report:" in result.stdout


@pytest.mark.nightly
def test_example_of_two_commits(tmp_path: Path) -> None:
    """In a clone; it knows its work trees as before."""
    source = subprocess.run(["git", "rev-parse", "HEAD~1"], cwd=ROOT, check=False)
    if source.returncode:
        pytest.skip("this is no git checkout with two commits")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    words = [sys.executable, "-P", "-m", "command_line", *AGAINST.split()[1:]]
    environment = {**os.environ, "PYTHONPATH": str(clone)}
    result = subprocess.run(
        words, cwd=clone, env=environment, capture_output=True, text=True, check=False
    )
    assert 0 == result.returncode, result.stderr
    assert 2 == result.stdout.count("this noise")
    trees = ["git", "worktree", "list"]
    assert 1 == subprocess.check_output(trees, cwd=clone, text=True).count("\n")


@pytest.mark.parametrize("line", HELD)
def test_example_of_what_others_run(line: str) -> None:
    """Its options are known, and fit together."""
    verb, words = find_command(Example("", line).words)
    assert verb.make_context("conform", list(words)).params


def test_ci_runs_what_time_decides() -> None:
    """The example that no test runs."""
    assert f"./{TIMED}\n" in (ROOT / ".ci" / "run").read_text()


RUNNERS = (
    test_quick_example,
    test_long_example,
    test_long_example_of_spark,
    test_example_that_writes_into_the_project,
)
"""The tests that run the examples of helps, but for those that have one of their own."""


def list_run() -> Iterator[str]:
    """The lines that these tests are given, as pytest will give them."""
    for mark in (mark for test in RUNNERS for mark in test.pytestmark):  # type: ignore[attr-defined]
        if mark.name == "parametrize":
            yield from (e.line if isinstance(e, Example) else e for e in mark.args[1])


def test_every_example_has_its_place() -> None:
    """Nothing is listed that no help shows; each is run by one of the tests above, once."""
    lines = [example.line for example in EXAMPLES]
    assert len(set(lines)) == len(lines)
    assert {*ENDS, *NIGHTLY, *COPIED, *HELD, REMOTE, TIMED, AGAINST} <= set(lines)
    assert not {*NIGHTLY} & {*COPIED, REMOTE}
    assert sorted(lines) == sorted([*list_run(), *HELD, REMOTE, TIMED, AGAINST])
    assert all(line.startswith(f"{PROGRAM} ") for line in lines)


@pytest.mark.parametrize("name", [name for name, _ in list_commands()])
def test_help_is_whole(name: str) -> None:
    """Examples of the verb itself, exit codes, an explanation of each option; no long line."""
    verb = dict(list_commands())[name]
    assert any(e.line.startswith(f"{PROGRAM} {name}") for e in EXAMPLES if e.place == name)
    assert "Exit codes: 0 " in " ".join((verb.epilog or "").split())
    options = [p for p in verb.params if isinstance(p, click.Option)]
    assert [] == [option.name for option in options if not option.help]
    counted = [o for o in options if isinstance(o.type, click.IntRange) and not o.required]
    assert [] == [o.name for o in counted if not o.show_default and "efault" not in str(o.help)]
    context = click.Context(verb, info_name=name, terminal_width=100, max_content_width=100)
    assert [] == [line for line in verb.get_help(context).splitlines() if len(line) > 100]


@pytest.mark.parametrize("line", ENDS)
def test_other_ends_are_documented(line: str) -> None:
    """The help that shows an example has its exit code among the verb's own."""
    place = next(example.place for example in EXAMPLES if example.line == line)
    _, _, codes = " ".join((dict(list_commands())[place].epilog or "").split()).partition("codes:")
    assert re.search(rf"\b{ENDS[line]} ", codes)


RUN_ELSEWHERE = {*COPIED, *(example.line for example in EXAMPLES)}
TYPED = {e.line: e for e in list_typed() if e.line not in RUN_ELSEWHERE}
"""The commands in blocks of the texts that no help shows, each once."""


LONG = {
    "rmqspec export itf --out traces --structure "
    '"system/sync master/async flush/closed/no offset check/first"',
    "rmqspec upgrade 4.9.8 5.5.1 conf",
    "rmqspec upgrade 4.9.8 5.5.1 conf --what-if inSyncReplicas=2",
    'rmqspec prove --structure "reading/open all/no offset check/last"',
    'rmqspec prove --structure "system/sync master/async flush/closed/no offset check/first"',
}
"""Texts' commands whose work another quick test does, without the command."""


ALIKE_BY_DAY = 4
"""Of the commands of a verb that differ in their arguments only, so many run with every change."""


def list_typed_tests() -> list[Any]:
    """The commands of texts; the long ones, and most of many alike, nightly."""
    met: Counter[str] = Counter()
    tests = []
    for line, example in TYPED.items():
        kind = " ".join(line.split()[:2])
        met[kind] += 1
        is_nightly = line in LONG or met[kind] > ALIKE_BY_DAY
        tests.append(pytest.param(example, id=line, marks=[pytest.mark.nightly] * is_nightly))
    return tests


def test_long_commands_of_texts_exist() -> None:
    """None is left out that no text shows."""
    assert LONG <= TYPED.keys()


@pytest.mark.parametrize("example", list_typed_tests())
def test_command_of_a_text(example: Example, tmp_path: Path) -> None:
    """What stands in a block for a shell is run as it stands."""
    check_example(example, tmp_path)


@pytest.mark.parametrize("example", list_spans(), ids=get_line)
def test_command_between_words(example: Example) -> None:
    """Its verb exists, and where it has arguments the verb takes them."""
    command, words = find_command([PLACEHOLDERS.get(word, word) for word in example.words])
    if words:
        command.make_context(example.line, words)
