"""The short answer over all configurations: judged by cells, about nothing that is not there."""

from __future__ import annotations

from functools import cache

import pytest
from attrs import evolve

from brokers.configuration_files import read_deployments
from properties.scenarios.analysis.group import GroupAnalysis
from properties.scenarios.analysis.log import compute_structure
from properties.scenarios.analysis.reading import ReadingQuestion
from properties.scenarios.summary import summary as module
from properties.scenarios.summary.actions import load_actions
from properties.scenarios.summary.answer import Row, Summary, decode_summary, encode_summary
from properties.scenarios.summary.rows import (
    NO_ACKNOWLEDGEMENT,
    NO_SLAVE,
    NO_SYSTEM_OF_MORE,
    NO_SYSTEM_OF_POOL,
)
from properties.scenarios.summary.shown_actions import ACTIONS_MAX, choose_shown
from properties.scenarios.summary.words import FailureKind, Grade, load_words
from properties.verdicts.analysis import Analysis
from properties.verdicts.certificates import find_cells, load_cells
from properties.worlds.replication.structures import STOCK_PAIR
from reference.configuration.broker_group import BrokerGroup
from reference.configuration.deployments import assume_slaves, change_master, sample_group
from reference.releases.versions import parse_version
from tests.command_line.run import CONF
from tests.properties.scenarios.summary.groups import SETTINGS, make_group

WITHOUT_SLAVE = (NO_SLAVE,)
"""What is said of a row that needs a slave, where there is none."""


SLAVES_BY_DAY = 2
"""Of larger groups the same is said as of two slaves; deciding them takes half of the time."""


@cache
def summarise(role: str, flush: str, slaves: int, is_open: str) -> Summary:
    """The short answer about a group, its verdicts from its certificate."""
    return summarise_group(make_group(role, flush, slaves, is_open))


def summarise_group(group: BrokerGroup) -> Summary:
    """The same of any group."""
    return module.summarise(GroupAnalysis(group, ReadingQuestion(), analyse(group)), analyse)


def analyse(group: BrokerGroup) -> Analysis:
    """The certified verdicts."""
    structure = compute_structure(group)
    return Analysis(structure, tuple(load_cells(structure).values()))


BY_DAY = [s for s in SETTINGS if s[2] <= SLAVES_BY_DAY][::2]
"""Half of the groups that are small."""
every_group = pytest.mark.parametrize(
    "settings",
    [pytest.param(s, marks=[pytest.mark.nightly] * (s not in BY_DAY)) for s in SETTINGS],
    ids=lambda s: "-".join(map(str, s)),
)


def list_texts(summary: Summary) -> list[str]:
    """All that is said of a group as it is; what an action proposes is not there yet."""
    judged = [row for row in summary.rows if row.note not in WITHOUT_SLAVE]
    told = [row.title for row in judged] + [row.note for row in judged]
    told += [failure.words for row in summary.rows for failure in row.failures]
    told += [words for row in summary.rows for words in list_kept_words(row)]
    proposed = {switch.text for switch in load_actions().switches}
    told += [a.text for a in summary.actions if a.text.partition(":")[0] not in proposed]
    return told


def list_kept_words(row: Row) -> list[str]:
    """What is said to hold, and after what."""
    fault_models = {str(each.number): each.words for each in load_words().fault_models.values()}
    codes = (code for kept in row.kept for code in kept.codes)
    return [kept.words for kept in row.kept] + [fault_models[code[1:]] for code in codes]


@every_group
def test_what_is_kept_is_proved(settings: tuple[str, str, int, str]) -> None:
    """No failure of a claim is among those that it survives."""
    for row in summarise(*settings).rows:
        for kept in row.kept:
            assert kept.codes
            assert not set(kept.codes) & {f.code for f in row.failures if f.claim == kept.claim}


@every_group
def test_nothing_is_named_that_is_not_there(settings: tuple[str, str, int, str]) -> None:
    """No role, no flush, no slave that the group does not have."""
    role, flush, slaves, _ = settings
    told = " ".join(list_texts(summarise(*settings)))
    absent = {"SYNC_MASTER", "ASYNC_MASTER"} - {role} | {"SYNC_FLUSH", "ASYNC_FLUSH"} - {flush}
    words = set(told.replace(":", " ").split())
    assert set() == absent & words
    if not slaves:
        assert "slave" not in told.lower()
        assert "replication" not in told.lower()


@every_group
def test_switches_propose_something_else(settings: tuple[str, str, int, str]) -> None:
    """What is set already is not proposed, and what needs a slave only where there is one."""
    summary = summarise(*settings)
    group = make_group(*settings)
    texts = {action.text.partition(":")[0] for action in summary.actions}
    for switch in load_actions().switches:
        if switch.text in texts and switch.of != "consumers":
            assert module.apply_switch(switch, group) != group
            assert bool(switch.adds_slaves) <= (settings[2] == 0)
            assert switch.needs_slaves <= (settings[2] > 0)


@every_group
def test_grades_follow_the_failures(settings: tuple[str, str, int, str]) -> None:
    """Loss by a common failure, risk by what is rarer, ok by none, and each word with a reason."""
    for row in summarise(*settings).rows:
        losses = [f for f in row.failures if f.kind in (FailureKind.UNFAILED, FailureKind.COMMON)]
        if row.grade is Grade.LOSS:
            assert losses
        elif row.grade is Grade.RISK:
            assert row.failures
            assert all(f.grade is Grade.RISK for f in row.failures)
        elif row.grade is Grade.OK:
            assert not row.failures
        elif row.grade is Grade.UNDECIDED:
            assert row.open_under
        else:
            assert row.note


@every_group
def test_codes_and_actions_hang_together(settings: tuple[str, str, int, str]) -> None:
    """An action answers failures that are shown; at most five; each code once in its row."""
    summary = summarise(*settings)
    assert len(choose_shown([summary])) <= ACTIONS_MAX
    shown = [f.code for row in summary.rows for f in row.failures]
    assert len(shown) == len(set(shown))
    for action in summary.actions:
        assert set(action.codes) <= set(shown)
        assert set(action.eases) <= set(action.codes)
        assert not set(action.brings) & set(shown)


@every_group
def test_an_answer_survives_being_remembered(settings: tuple[str, str, int, str]) -> None:
    """As data and back it is the same."""
    summary = summarise(*settings)
    assert decode_summary(encode_summary(summary)) == summary


def test_the_stock_pair() -> None:
    """One power loss loses what was answered; SYNC_FLUSH ends that, and proves it."""
    summary = summarise("SYNC_MASTER", "ASYNC_FLUSH", 1, "false")
    lost = summary.rows[0]
    assert lost.grade is Grade.LOSS
    first = lost.failures[0]
    assert ("L12", "one power loss of the master") == (first.code, first.words)
    assert ("flushDiskType", ("L12",)) == (summary.actions[0].key, summary.actions[0].codes)
    changed = summarise("SYNC_MASTER", "SYNC_FLUSH", 1, "false")
    assert "L12" not in changed.rows[0].fallen


def test_two_losses_are_several_failures() -> None:
    """What takes two power losses of one machine is no common failure."""
    alone = summarise("ASYNC_MASTER", "ASYNC_FLUSH", 1, "false").rows[0]
    copied = summarise("SYNC_MASTER", "ASYNC_FLUSH", 1, "false").rows[0]
    claims = [{f.code: f.claim for f in row.failures}["L12"] for row in (alone, copied)]
    assert ["acknowledged_is_kept_on_some_broker", "acknowledged_is_kept_on_master"] == claims


def test_a_synchronous_master_alone_answers_nothing() -> None:
    """It promises nothing, and the first action is to change that."""
    summary = summarise("SYNC_MASTER", "SYNC_FLUSH", 0, "false")
    notes = {row.letter: row.note for row in summary.rows}
    assert "PUT_OK" in notes["L"]
    assert "PUT_OK" in summary.actions[0].text
    assert Grade.NOT_PROMISED is summary.rows[0].grade


def test_procedures_are_tried_in_the_group_itself() -> None:
    """A copy of the slave's store is not advised where the master's answer means its disk."""
    advised = [a.text for a in summarise("SYNC_MASTER", "ASYNC_FLUSH", 1, "false").actions]
    assert any("if that is longer" in text for text in advised)
    for flush in ("ASYNC_FLUSH", "SYNC_FLUSH"):
        others = [a.text for a in summarise("ASYNC_MASTER", flush, 1, "false").actions]
        assert not any("if that is longer" in text for text in others)


def test_what_comes_before_a_promotion_is_said_so() -> None:
    """The slave's file of delayed delivery is removed before it starts as master."""
    actions = summarise("ASYNC_MASTER", "ASYNC_FLUSH", 1, "false").actions
    (told,) = (a for a in actions if "T57" in a.codes and "delayOffset" in a.text)
    assert told.text.startswith("Before T57 (a promotion of the slave): remove ")


def test_failures_that_are_repaired_alike_are_named_together() -> None:
    """And what to do after a power loss says both: at once, and when that is too late."""
    after = [a for a in summarise("SYNC_MASTER", "SYNC_FLUSH", 1, "false").actions if a.is_repair]
    (torn,) = (a for a in after if "C41" in a.codes)
    assert ("C41", "S41") == torn.codes
    assert torn.text.startswith("After C41, S41 (a slave restart mid-message): ")
    stock = summarise("SYNC_MASTER", "ASYNC_FLUSH", 1, "false")
    (lost,) = (a for a in choose_shown([stock]) if a.is_repair and "L12" in a.codes)
    assert ("L12", "C12") == lost.codes
    assert "before it takes messages again, copy the slave's store to it" in lost.text
    assert "; if it has taken messages since, stop both" in lost.text


def test_what_is_not_asked_names_the_setting() -> None:
    """From put to consumed: the release, the slaves, or the pool."""
    group = make_group("SYNC_MASTER", "ASYNC_FLUSH", 1, "false")
    pooled = change_master(group, "transientStorePoolEnable", "true")
    more = assume_slaves(make_group("SYNC_MASTER", "ASYNC_FLUSH", 0, "false"), 2)
    for changed, note in ((pooled, NO_SYSTEM_OF_POOL), (more, NO_SYSTEM_OF_MORE)):
        rows = summarise_group(changed).rows
        assert [note] == [row.note for row in rows if row.letter == "N"]


def test_a_key_of_later_releases_is_proposed_there_only() -> None:
    """In 5.x a second copy takes inSyncReplicas=2; 4.4.0 does not know the key."""
    later = sample_group(parse_version("5.3.3"))
    actions = summarise_group(later).actions
    (found,) = (action for action in actions if action.key == "inSyncReplicas")
    assert "L12" in found.eases
    assert "C12" in found.brings
    quorum = change_master(later, "inSyncReplicas", "2")
    others = [quorum, sample_group(parse_version("4.9.8"))]
    others += [make_group("SYNC_MASTER", "ASYNC_FLUSH", 1, "false")]
    for group in others:
        actions = summarise_group(group).actions
        assert "inSyncReplicas" not in {action.key for action in actions}


def test_a_group_without_a_certificate_is_judged_by_what_is_decided() -> None:
    """As two slaves of a later release; what would be with other settings is not guessed then."""
    deployments, _ = read_deployments([CONF / "2m-2s-sync"], parse_version("4.9.8"))
    group = assume_slaves(deployments[0].groups[0], 2)
    cells = load_cells(evolve(STOCK_PAIR, slaves=2))
    decided = Analysis(compute_structure(group), tuple(cells.values()))
    assert not find_cells(decided.structure)
    summary = module.summarise(GroupAnalysis(group, ReadingQuestion(), decided), lambda _: decided)
    assert "L12" in summary.rows[0].fallen
    assert NO_SYSTEM_OF_MORE in {row.note for row in summary.rows}
    assert not any(action.key == "flushDiskType" for action in summary.actions)


def test_outside_the_model_nothing_is_judged() -> None:
    """The reasons are all there is."""
    group = change_master(
        make_group("ASYNC_MASTER", "ASYNC_FLUSH", 1, "false"), "duplicationEnable", "true"
    )
    reasons = group.outside_the_model()
    log = Analysis(compute_structure(group), (), outside_the_model=reasons)
    found = module.summarise(GroupAnalysis(group, ReadingQuestion(), log), lambda _: log)
    assert (reasons, (), ()) == (found.outside, found.rows, found.actions)


@pytest.mark.parametrize("flush", ["ASYNC_FLUSH", "SYNC_FLUSH"])
def test_a_master_without_a_slave_is_judged_to_the_consumer(flush: str) -> None:
    """What it acknowledges may never be consumed; one that waits acknowledges nothing."""
    alone, waiting = (
        next(row for row in summarise(role, flush, 0, "false").rows if row.letter == "N")
        for role in ("ASYNC_MASTER", "SYNC_MASTER")
    )
    assert alone.failures[0].code == "N12"
    assert not any("slave" in failure.words for failure in alone.failures)
    assert (waiting.grade, waiting.note) == (Grade.NOT_PROMISED, NO_ACKNOWLEDGEMENT)
