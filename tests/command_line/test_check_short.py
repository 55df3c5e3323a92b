"""The short answer of check: one screen for each group, and the same in other formats."""

from __future__ import annotations

import json
import os
import re
import shlex
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from properties.scenarios.summary.answer import decode_summary
from properties.scenarios.summary.words import Grade, load_words
from tests.command_line.run import CONF, assert_one_line, run
from tests.command_line.test_check import write_group

PAIR = CONF / "2m-2s-sync"
CODES = re.compile(r"\b[LNCSBD][0-9]{1,2}\b")


def show(*arguments: object, columns: int = 80) -> list[str]:
    """The lines of the answer in a terminal of this width."""
    return run("check", *arguments, env={"COLUMNS": str(columns)}).stdout.splitlines()


@pytest.mark.parametrize(
    ("role", "slaves", "flush"),
    [
        ("SYNC_MASTER", 1, "ASYNC_FLUSH"),
        ("ASYNC_MASTER", 2, "SYNC_FLUSH"),
        pytest.param("SYNC_MASTER", 1, "SYNC_FLUSH", marks=pytest.mark.nightly),
        pytest.param("ASYNC_MASTER", 2, "ASYNC_FLUSH", marks=pytest.mark.nightly),
    ],
)
def test_one_group_is_one_screen(role: str, flush: str, slaves: int, tmp_path: Path) -> None:
    """80 columns, 30 lines, a line for each row and each of its failures; no line is broken."""
    lines = show(write_group(tmp_path / "g", role, flush, slaves))
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 80
    for row in load_words().rows:
        assert 1 == sum(row.title in line for line in lines)
    assert role in lines[0]
    assert flush in lines[0]


def test_the_stock_pair_in_words() -> None:
    """The weakest failure of each row, with its code; what to do, the worst first."""
    lines = show(PAIR)
    (lost,) = (line for line in lines if "Acknowledged messages lost" in line)
    assert lost.startswith("loss ")
    assert "L12 one power loss of the master" in lost
    first = next(line for line in lines if line.startswith(" 1. "))
    assert "flushDiskType=SYNC_FLUSH" in first
    assert "ends L12" in first


def test_a_wide_terminal_shows_more() -> None:
    """Failures beside each other, instead of a number of them."""
    narrow, wide = show(PAIR), show(PAIR, columns=160)
    assert len(CODES.findall("\n".join(wide))) > len(CODES.findall("\n".join(narrow)))
    assert max(map(len, wide)) <= 160


def test_what_holds_is_said() -> None:
    """What is proved has a line of its own, with the failures that it survives."""
    kept = [line for line in show(PAIR) if line.startswith("ok ")]
    assert "Acknowledged messages stay" in kept[0]
    assert "master kill" in kept[0]
    for row in get_summaries(PAIR)[0].rows:
        for each in row.kept:
            assert not set(each.codes) & {f.code for f in row.failures if f.claim == each.claim}
    every = run("check", PAIR, "--all").stdout
    assert "ok  Acknowledged messages stay: master kill" in every
    for output in ("markdown", "html"):
        assert "Acknowledged messages stay" in run("check", PAIR, "--format", output).stdout


def test_a_screen_holds_whatever_the_names(tmp_path: Path) -> None:
    """Long paths, warnings, a change, another release: rows, actions and warnings are all there."""
    folder = tmp_path / "/".join(["a_folder_with_a_name_that_takes_half_of_a_line"] * 3)
    folder.parent.mkdir(parents=True)
    write_group(folder, "SYNC_MASTER", more="flushDiskTyp=A\nfileReservdTime=3\nbogus=1\n")
    options = ("--rocketmq-version", "4.8.0", "--what-if", "haSendHeartbeatInterval=4000")
    for asked in ((), options, ("--slaves", 1)):
        lines = show(folder, *asked)
        assert len(lines) <= 30
        assert max(map(len, lines)) <= 80
        more = r"Do( \(\+[0-9]+ more, with --all\))?(; before a copy, .* decides)?:"
        assert any(re.fullmatch(more, line) for line in lines)
        assert any("flushDiskTyp" in line for line in lines)
        assert lines[-1].startswith("More: the same words after `./rmqspec check --all`")


def test_commands_are_printed_as_a_shell_takes_them(tmp_path: Path) -> None:
    """With changes and options about consumers too; words stay whole with their quotes."""
    folder = write_group(tmp_path / "two words", "ASYNC_MASTER", slaves=0)
    name = os.path.relpath(folder, tmp_path)
    options = ["--what-if", "flushDiskType=SYNC_FLUSH", "--slaves", "0", "--group", "brokerId=1"]
    run_in = run("check", name, *options, folder=tmp_path, env={"COLUMNS": "80"}).stdout
    told = run_in.partition("More: ")[2].replace("\\\n", " ").splitlines()
    assert ["./rmqspec", "check", name, *options, "--all"] in [shlex.split(line) for line in told]
    assert max(map(len, run_in.splitlines())) <= 80
    everything = run("check", "--all", "--timelines", 0, env={"COLUMNS": "80"}).stdout
    commands = everything.replace("\\\n", " ").split("To see each step of one: ")[1:]
    assert commands
    for command in commands:
        words = shlex.split(command.partition("\n")[0])
        assert ["./rmqspec", "explain"] == words[:2]
        assert "--structure" == words[4]
        assert len(words) == 6


def test_a_failure_is_not_cut_where_a_shorter_list_has_room() -> None:
    """It is counted instead."""
    for columns in (100, 120, 140, 160, 200):
        assert not any("\u2026" in line for line in show(PAIR, columns=columns))


def test_groups_of_several_folders_name_them() -> None:
    """Names alone do not tell them apart."""
    heads = [line for line in show(CONF, columns=200) if "; RocketMQ" in line]
    for folder in ("2m-2s-async", "2m-noslave"):
        assert any(f"in {CONF / folder}:" in line for line in heads)
    assert " in " not in show(PAIR)[0]


def test_a_misspelt_key_that_decides_stands_first(tmp_path: Path) -> None:
    """RocketMQ ignores it, so the answer is about another group than the author's."""
    folder = write_group(tmp_path / "g", "ASYNC_MASTER", more="brokerRol=SYNC_MASTER\nbogus=1\n")
    lines = show(folder, columns=200)
    assert "brokerRol and ignores it" in lines[0]
    assert "bogus" not in " ".join(lines[:4])
    markdown = run("check", folder, "--format", "markdown").stdout
    assert markdown.index("brokerRol") < markdown.index("## ")
    sarif = json.loads(run("check", folder, "--format", "sarif").stdout)
    found = [r for r in sarif["runs"][0]["results"] if r["ruleId"] == "configuration"]
    assert {"error", "warning"} == {r["level"] for r in found}
    warnings = json.loads(run("check", folder, "--json").stdout)["warnings"]
    assert ["brokerRol"] == [w["message"].split()[7] for w in warnings if w["is_grave"]]


@pytest.mark.parametrize("role", ["SYNC_MASTER", "ASYNC_MASTER"])
@pytest.mark.parametrize("flush", ["ASYNC_FLUSH", "SYNC_FLUSH"])
def test_a_master_alone_is_advised_for_either(role: str, flush: str, tmp_path: Path) -> None:
    """Each action helps with no slave and with one, and nothing is said of a slave's settings."""
    folder = write_group(tmp_path / "g", role, flush, slaves=0)
    lines = show(folder, columns=200)
    done = [line.partition(". ")[2] for line in lines if re.match(r" [0-9]\. ", line)]
    assert done
    none, one = get_summaries(folder)
    for text in done:
        for summary in (none, one):
            (action,) = (a for a in summary.actions if text.startswith(a.text))
            shown = set(CODES.findall(text.partition("brings")[0]))
            assert shown <= set(action.codes)
        assert "lave" not in text
        assert role not in text
        assert f"={flush} " not in text
    assert "--slaves 1 lists " in "\n".join(lines)


def test_every_failure_counts() -> None:
    """Those that are shown and those that are only counted are all there are."""
    summary = get_summaries(PAIR)[0]
    start = next(i for i, line in enumerate(show(PAIR)) if "Slave stuck" in line)
    told = show(PAIR)[start]
    (more,) = re.findall(r"\(\+([0-9]+)\)", told)
    (row,) = (each for each in summary.rows if each.letter == "S")
    assert len(CODES.findall(told)) + int(more) == len(row.failures) + len(row.others)
    assert row.others


def test_causes_that_a_failure_hides_are_counted() -> None:
    """Without any failure a copy is missing; what breaks it sooner is counted, and in --all."""
    options = ("--what-if", "flushDiskType=SYNC_FLUSH")
    (row,) = (row for row in get_summaries(*options)[0].rows if row.letter == "C")
    assert ["C41"] == [f.code for f in row.failures]
    assert "C1" in {f.code for f in row.others}
    (line,) = (line for line in show(*options) if "Fewer copies" in line)
    assert line.endswith(f"(+{len(row.others)})")
    told = run("check", *options, "--all", "--timelines", 0).stdout.partition("every failure")[2]
    assert {f.code for f in row.others} <= set(CODES.findall(told))


FROM_FIRST = ("--what-if", "consumer.consumeFromWhere=CONSUME_FROM_FIRST_OFFSET")
FROM_LAST = ("--what-if", "consumer.consumeFromWhere=CONSUME_FROM_LAST_OFFSET")


@pytest.mark.parametrize("options", [(), FROM_LAST, FROM_FIRST])
def test_what_holds_for_groups_from_the_first_message_is_not_said_of_others(
    options: tuple[str, ...],
) -> None:
    """Not decided, in each format, with the reason; proved cells only for their own beginning."""
    holding, assumed = "Each is or will be consumed", "taken to begin at the last offset"
    for output in ("text", "markdown", "html", "sarif", "junit"):
        told = " ".join(run("check", PAIR, *options, "--format", output).stdout.split())
        assert (assumed not in told) == (options == FROM_FIRST)
        if output not in {"sarif", "junit"}:
            assert (holding in told) == (options == FROM_FIRST)
    (row,) = (row for row in get_summaries(PAIR, *options)[0].rows if row.letter == "N")
    assert bool(row.kept) == (options == FROM_FIRST)
    assert ("master stop" in row.open_under) == (options != FROM_FIRST)


CHANGES = [
    (PAIR, "flushDiskType=SYNC_FLUSH", FROM_FIRST),
    (PAIR, "flushDiskType=SYNC_FLUSH", ()),
    (CONF / "2m-2s-async", "brokerRole=SYNC_MASTER", ()),
]


@pytest.mark.parametrize(("folder", "change", "options"), CHANGES)
def test_an_action_says_what_its_what_if_says(
    folder: Path, change: str, options: tuple[str, ...]
) -> None:
    """The same codes end, ease and come; on the screen the first four of each."""
    (action,) = (
        a for a in get_summaries(folder, *options)[0].actions if a.is_switch and change in a.text
    )
    changed = run("check", folder, *options, "--what-if", change, "--format", "markdown").stdout
    told = next(line for line in changed.splitlines() if line.startswith("The change"))
    if not options:  # With them, the change is compared with a group that begins at the last one.
        ends = [code for code in action.codes if code not in action.eases]
        parts = (("ends", ends), ("eases", action.eases), ("brings", action.brings))
        for verb, codes in (*parts, ("worsens", action.worsens)):
            assert (f"{verb} {', '.join(codes)}" in told) == bool(codes)
        assert set(CODES.findall(told)) == {*action.codes, *action.brings, *action.worsens}
    else:
        assert "N32" in action.brings
    (line,) = (line for line in show(folder, *options, columns=400) if f" {action.text}:" in line)
    if len(action.brings) > 4:
        assert f"{', '.join(action.brings[:4])} (+{len(action.brings) - 4})" in line


def test_a_change_for_the_worse_says_so() -> None:
    """What one switch eases the opposite one worsens; a row may promise nothing any more."""
    (line, *_) = show("--what-if", "brokerRole=ASYNC_MASTER", columns=400)
    assert "worsens L12, L14" in line
    assert "no longer promises C" in line


def test_the_first_failure_of_each_row_is_answered() -> None:
    """Where anything helps against it, one of the five actions does."""
    for options in ((), ("--what-if", "flushDiskType=SYNC_FLUSH")):
        (summary,) = get_summaries(*options)
        told = " ".join(show(*options)).partition(" Do ")[2]
        for code in (row.failures[0].code for row in summary.rows if row.failures):
            assert (code in told) == any(code in action.codes for action in summary.actions)


def test_actions_that_are_not_shown_are_counted() -> None:
    """And --all prints them all."""
    (summary,) = get_summaries(PAIR)
    (head,) = (line for line in show(PAIR) if line.startswith("Do"))
    (more,) = re.findall(r"[0-9]+", head)
    assert 5 + int(more) == len(summary.actions)
    told = " ".join(run("check", PAIR, "--all", "--timelines", 0).stdout.split())
    for action in summary.actions:
        assert action.text in told


def get_summaries(*arguments: object) -> list[Any]:
    """The short answers of the first groups, as programs get them."""
    document = json.loads(run("check", *arguments, "--format", "json").stdout)
    return [decode_summary(each) for each in document["summaries"][0]["answers"]]


def test_json_by_either_option() -> None:
    """Every verdict and every short answer."""
    documents = [json.loads(run("check", PAIR, *o).stdout) for o in (["--json"], ["--format=json"])]
    assert documents[0] == documents[1]
    assert {"groups", "pairs", "systems", "summaries"} <= documents[0].keys()
    assert documents[0]["summaries"][0]["are_slaves_known"]


def test_side_by_side_is_one_screen_too(tmp_path: Path) -> None:
    """Whatever the role: no line is broken or too long."""
    lines = show(write_group(tmp_path / "g", "ASYNC_MASTER", slaves=0))
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 30
    assert any("no second copy" in line for line in lines)


def test_unknown_slaves_are_answered_side_by_side(tmp_path: Path) -> None:
    """Of a master's file alone nobody knows the slaves; their number decides."""
    folder = write_group(tmp_path / "g", "SYNC_MASTER", slaves=0)
    lines = show(folder)
    assert "slaves unknown" in lines[0]
    assert any("--slaves N decides" in line for line in lines)
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 30
    one = show(folder, "--slaves", 1)
    assert "1 slave (assumed)" in " ".join(one[:2])
    none = show(folder, "--slaves", 0)
    assert "no slaves" in " ".join(none[:2])
    assert "no send is ever answered PUT_OK" in "\n".join(none)
    rows = [line for line in lines if "Acknowledged messages lost" in line]
    assert rows[0].startswith("-    loss ")


def test_the_slaves_file_may_lie_elsewhere(tmp_path: Path) -> None:
    """A slave named with its master from another folder belongs to it."""
    folder = write_group(tmp_path / "g", "SYNC_MASTER")
    (tmp_path / "other").mkdir()
    slave = (folder / "s1.properties").rename(tmp_path / "other" / "s1.properties")
    assert ", 1 slave;" in show(folder / "m.properties", slave)[0]


def test_what_depends_on_the_slaves_is_not_decided(tmp_path: Path) -> None:
    """A requirement that holds with one number of slaves only."""
    folder = write_group(tmp_path / "g", "SYNC_MASTER", slaves=0)
    cell = "acknowledged_is_held_twice:none"
    codes = [run("check", folder, "--require", cell, *s).returncode for s in ([], ["--slaves", 1])]
    assert [2, 0] == codes


def test_a_failed_requirement_is_told() -> None:
    """With its name, its file, and the schedule; what holds is not."""
    lost = "acknowledged_is_kept_on_master:master power loss"
    kept = "acknowledged_is_kept_on_master:master kill"
    result = run("check", PAIR, "--require", lost, "--require", kept)
    assert 1 == result.returncode
    assert f"required: {lost}: refuted, 12 steps" in result.stderr
    assert "broker-a.properties" in result.stderr
    assert "## POWER LOSS" in result.stderr
    assert kept not in result.stderr


def test_nothing_decided_is_no_success(tmp_path: Path) -> None:
    """A group outside the model leaves with 2, in every format."""
    folder = write_group(tmp_path / "g", "ASYNC_MASTER", more="duplicationEnable=true\n")
    for output in ("text", "markdown", "sarif", "junit", "html"):
        result = run("check", folder, "--format", output)
        assert 2 == result.returncode
        assert "duplicat" in result.stdout
    assert 2 == run("check", folder, "--all").returncode


def test_standard_input_is_a_file() -> None:
    """A minus stands for it."""
    text = (PAIR / "broker-a.properties").read_text()
    result = run("check", "-", "--slaves", 1, text=text)
    assert 0 == result.returncode
    assert "SYNC_MASTER, ASYNC_FLUSH, 1 slave (assumed)" in result.stdout
    assert "(standard input)" in assert_one_line(run("check", "-", text="brokerRole=X\n"), 3)


@pytest.mark.parametrize("name", ["broker.yaml", "broker.conf"])
def test_yaml_is_refused_with_a_hint(name: str, tmp_path: Path) -> None:
    """Whatever the file is called: its lines may look like settings."""
    file = tmp_path / name
    file.write_text("apiVersion: v1\nkind: ConfigMap\ndata:\n  broker.conf: |\n    brokerName=a\n")
    for asked in (file, tmp_path):
        message = assert_one_line(run("check", asked), 3)
        assert f"{file}: this is YAML" in message
        assert "KEY=VALUE" in message


def test_every_bad_file_is_told(tmp_path: Path) -> None:
    """A line for each, and nothing else."""
    for name, text in (("a.conf", "brokerRole=X\n"), ("b.conf", ""), ("c.conf", "brokerId=x\n")):
        (tmp_path / name).write_text(text)
    result = run("check", tmp_path, tmp_path / "nowhere.conf")
    assert 3 == result.returncode
    lines = result.stderr.splitlines()
    assert 4 == len(lines)
    for line, name in zip(lines, ("a.conf", "b.conf", "c.conf", "nowhere.conf"), strict=True):
        assert line.startswith("rmqspec: ")
        assert name in line


def test_a_change_is_told_by_codes() -> None:
    """What it ends and what it brings, before the answer for the changed group."""
    lines = show(PAIR, "--what-if", "flushDiskType=SYNC_FLUSH")
    assert lines[0].startswith("The change ends L12")
    assert "SYNC_FLUSH" in lines[2]
    same = show(PAIR, "--what-if", "haTransferBatchSize=65536")
    assert same[0].startswith("The change changes no line")


def test_a_change_may_leave_the_model(tmp_path: Path) -> None:
    """Its side has no rows to compare: that is told, whichever side it is."""
    pool = "transientStorePoolEnable"
    file = tmp_path / "pool.conf"
    file.write_text(f"brokerName=a\nflushDiskType=SYNC_FLUSH\n{pool}=true\n")
    options = ("--slaves", "1", "--rocketmq-version", "5.3.2", "--what-if")
    for change, told in (
        (f"{pool}=false", "takes the group into the model"),
        ("brokerRole=SYNC_MASTER", "leaves the group outside the model"),
    ):
        assert show(file, *options, change)[0].startswith(f"The change {told}")
    out = show(PAIR, *options[2:], "asyncLearner=true")
    assert out[0].startswith("The change takes the group out of the model")


def test_the_hint_asks_about_the_same_group() -> None:
    """Files, release, changes and slaves: what it says to type explains the code."""
    options = ("--what-if", "flushDiskType=SYNC_FLUSH", "--slaves", "1")
    told = "\n".join(show(PAIR / "broker-a.properties", *options, columns=200))
    (hint,) = re.findall(r"rmqspec (explain .*)", told)
    result = run(*shlex.split(hint))
    assert 0 == result.returncode
    assert "SYNC_FLUSH, 1 slave" in result.stdout
    assert "✗" in result.stdout


def test_another_release_says_what_it_rests_on() -> None:
    """In each format for people; of 4.4.0 there is nothing to say."""
    for output in ("text", "markdown", "html"):
        asked = ("check", PAIR, "--format", output)
        told = run(*asked, "--rocketmq-version", "4.8.0").stdout
        assert "Clients are those of 4.4.0" in " ".join(told.split())
        assert "source alone" in " ".join(told.split())
        assert "Clients are those" not in run(*asked).stdout


def test_a_start_that_may_fail_is_told() -> None:
    """With its code, and what to do, for the releases that refuse one."""
    asked = ("check", PAIR, "--all", "--rocketmq-version")
    told = {name: run(*asked, name).stdout for name in ("4.4.0", "4.9.8", "5.3.3", "5.5.0")}
    coded = {name: [code for code in ("B53", "B54") if code in text] for name, text in told.items()}
    assert coded == {"4.4.0": [], "4.9.8": ["B53", "B54"], "5.3.3": ["B54"], "5.5.0": []}
    assert "remove the empty last file" in " ".join(told["5.3.3"].split())


def test_warnings_have_file_and_line(tmp_path: Path) -> None:
    """In the answer itself; the group is answered all the same."""
    folder = write_group(tmp_path / "g", "ASYNC_MASTER", more="flushDiskTyp=SYNC_FLUSH\n")
    result = run("check", folder, env={"COLUMNS": "200"})
    assert 0 == result.returncode
    assert "m.properties:6: " in result.stdout


def test_sarif_annotates_the_key_that_decides() -> None:
    """The structure of SARIF 2.1.0; the line of flushDiskType for what SYNC_FLUSH ends."""
    log = json.loads(run("check", PAIR, "--format", "sarif").stdout)
    assert "2.1.0" == log["version"]
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (found,) = log["runs"]
    rules = {rule["id"] for rule in found["tool"]["driver"]["rules"]}
    lines = (PAIR / "broker-a.properties").read_text().splitlines()
    for result in found["results"]:
        assert result["ruleId"] in rules
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert place["artifactLocation"]["uri"].endswith(".properties")
        assert 1 <= place["region"]["startLine"] <= len(lines)
    first = found["results"][0]
    assert "L12" in first["message"]["text"]
    line = first["locations"][0]["physicalLocation"]["region"]["startLine"]
    assert lines[line - 1].startswith("flushDiskType")


def test_junit_counts_its_cases() -> None:
    """A case for each row; what is lost fails."""
    suites = ElementTree.fromstring(run("check", PAIR, "--format", "junit").stdout)
    cases = suites.findall("./testsuite/testcase")
    assert [row.title for row in load_words().rows] == [case.get("name") for case in cases]
    assert str(len(cases)) == suites.get("tests")
    assert str(len(suites.findall(".//failure"))) == suites.get("failures")


class Page(HTMLParser):
    """What a page refers to, and whether its elements are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """An element ends, the last one that has begun."""
        assert self.open.pop() == tag


def test_html_is_one_file() -> None:
    """Nothing is fetched; light, dark, phone and print are thought of."""
    text = run("check", PAIR, "--format", "html").stdout
    page = Page()
    page.feed(text)
    assert ([], []) == (page.open, page.links)
    assert "<script" not in text
    assert '<p class="soft"></p>' not in text
    assert "url(" not in text
    for word in ("prefers-color-scheme: dark", "@media print", "max-width: 40rem", "viewport"):
        assert word in text


def test_markup_in_names_means_nothing(tmp_path: Path) -> None:
    """A name is shown as it is."""
    folder = tmp_path / "g"
    folder.mkdir()
    (folder / "m.conf").write_text("brokerName=<b>*x*\nbrokerRole=ASYNC_MASTER\n")
    assert "&lt;b&gt;*x*" in run("check", folder, "--format", "html").stdout
    assert "\\<b\\>\\*x\\*" in run("check", folder, "--format", "markdown").stdout
    assert "<b>*x*" in run("check", folder).stdout


@pytest.mark.parametrize(
    ("folder", "grade", "code"),
    [("2m-2s-async", Grade.LOSS, "P32"), ("2m-2s-sync", Grade.RISK, "P32")],
)
def test_the_end_of_both_brokers_is_what_a_promotion_is(
    folder: str, grade: Grade, code: str
) -> None:
    """An ASYNC_MASTER's slave may lack what was answered; a synchronous one's repeats, at most."""
    summary = get_summaries(CONF / folder, *FROM_FIRST)[0]
    (row,) = (each for each in summary.rows if each.letter == "P")
    assert (row.grade, row.failures[0].code) == (grade, code)
    lost = {f.code for f in row.failures if f.claim == "promotion_loses_no_acknowledged_message"}
    assert ("P32" in lost) is (grade is Grade.LOSS)
