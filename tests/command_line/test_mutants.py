"""``rmqspec mutants``: what it prints, goes on with, and refuses."""

from __future__ import annotations

import json
from pathlib import Path

from command_line.output import exit_codes
from properties.mutants.findings import RESULTS_NAME
from tests.command_line.run import assert_one_line, run

ASKED = ("mutants", "--world", "delay", "--layers", "equivalence,lemmas", "--jobs", "1")


def test_a_rule_is_judged(tmp_path: Path) -> None:
    """A line per mutant, and the numbers of each judge."""
    result = run(*ASKED, "--rule", "kill_broker", "--folder", tmp_path)
    assert "is_within_limit, condition dropped" in result.stdout
    assert "killed by lemma (fault_counts_are_within_limits)" in result.stdout
    assert "9 mutants" in result.stdout


def test_survivors_make_an_exit_code(tmp_path: Path) -> None:
    """Without the other judges some mutants of this rule are not explained."""
    result = run(*ASKED, "--rule", "deliver_message", "--folder", tmp_path)
    assert exit_codes.REFUTED == result.returncode
    assert "unexplained, delay: deliver_message" in result.stdout


def test_a_run_goes_on_and_gives_the_same(tmp_path: Path) -> None:
    """The first result is kept, a broken line is passed over, and the bytes are the same."""
    rules = ("--rule", "kill_broker", "--rule", "promote_slave", "--json")
    whole = run(*ASKED, *rules, "--folder", tmp_path / "whole").stdout
    cut = tmp_path / "cut"
    cut.mkdir()
    first, second = (tmp_path / "whole" / RESULTS_NAME).read_text().splitlines()
    (cut / RESULTS_NAME).write_text(f"{first}\n{second[:40]}\n")
    assert whole == run(*ASKED, *rules, "--folder", cut).stdout
    assert 2 == len(json.loads(whole))


def test_results_of_other_rules_are_not_taken(tmp_path: Path) -> None:
    """A line with another digest is passed over."""
    rules = ("--rule", "kill_broker", "--json")
    true = run(*ASKED, *rules, "--folder", tmp_path).stdout
    path = tmp_path / RESULTS_NAME
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "digest": "0" * 16, "findings": []}) + "\n")
    assert true == run(*ASKED, *rules, "--folder", tmp_path).stdout


def test_what_does_not_exist_is_refused() -> None:
    """A rule, a structure, a judge."""
    for option, name in (("--rule", "fly"), ("--structure", "nowhere"), ("--layers", "gut")):
        result = run("mutants", option, name)
        assert name in assert_one_line(result, exit_codes.BAD_INPUT)
