"""Versions: which release has which changes, how they are named, and what their files say."""

from __future__ import annotations

import re

import pytest

from properties.worlds.tables.world import TABLES_STRUCTURES
from reference.configuration.later_keys import (
    LATER_KEYS,
    compute_mode,
    explain_later_key,
    explain_mode,
    get_name_in,
    is_known_in,
)
from reference.language.machine import compute_machine
from reference.releases.known_differences import KNOWN_DIFFERENCES, PUBLISHED, Evidence
from reference.releases.releases import (
    CONTROLLER,
    FIRST_RELEASE_WITH_MODES,
    MODES,
    QUORUM,
    RELEASES,
    Span,
)
from reference.releases.timing_differences import (
    BODY_SIZE_LIMIT,
    HOUSEKEEPING_BY_OWN_REPORTS,
    OWN_REPORT_TIMER,
    TIMING_DIFFERENCES,
)
from reference.releases.versions import (
    RULE_SETS,
    USUAL_VERSION,
    Version,
    VersionError,
    compute_rules,
    find_version,
    list_versions,
    parse_version,
)
from reference.roles import Role
from reference.worlds.replication.changes import VARIANTS
from reference.worlds.replication.rules import RULES
from reference.worlds.replication.structure import Structure


def get_changes(name: str) -> list[str]:
    """The names of a version's changes of rules, what came first first."""
    return [change.name for change in parse_version(name).changes[::-1]]


def test_the_usual_version_changes_nothing() -> None:
    """The rules are those of 4.4.0, in every structure without variants."""
    assert [] == get_changes("4.4.0")
    assert () == USUAL_VERSION.variants
    assert Structure() == USUAL_VERSION.apply(Structure())
    assert "RocketMQ 4.4.0" == USUAL_VERSION.describe()


def test_changes_add_up() -> None:
    """Each release of 4.x has what the ones before it have, and 5.x lost the check of reports."""
    assert [] == get_changes("4.4.0")
    first = ["dispatch_from_first_file"]
    assert first == get_changes("4.5.1")
    assert [*first, "wait_until_deadline"] == get_changes("4.6.0")
    more = ["wait_until_deadline", "both_waits_at_once", "answered_in_line"]
    assert [*first, *more, "late_reports_time_out"] == get_changes("4.7.0")
    turns = ["put_outlasts_first_report", "flush_looked_at_again"]
    assert sorted([*first, *more, *turns]) == sorted(get_changes("4.8.0"))
    assert get_changes("4.8.0") == get_changes("4.9.2")
    assert "put_outlasts_first_report" not in get_changes("4.9.3")
    assert get_changes("4.9.3") == get_changes("4.9.8")
    assert "report_capped_from_second" in get_changes("4.9.8")
    assert "report_capped_from_second" not in get_changes("5.0.0")
    assert "no_slave_wait" in get_changes("5.0.0")
    assert "no_slave_wait" not in get_changes("5.0.0-quorum")
    assert "ack_per_connection" in get_changes("5.3.3-quorum")
    assert "controller_mode" in get_changes("5.3.3-controller")


def test_every_version_names_its_rules() -> None:
    """The name of its rules is that of the first version with the same changes."""
    for version in list_versions():
        first = parse_version(version.rule_set) if version.rule_set else USUAL_VERSION
        assert version.changes == first.changes
        assert RELEASES.index(first.release) <= RELEASES.index(version.release)
        assert find_version(version.variants) == first
        assert version.changes == RULE_SETS.get(version.rule_set, ())


def test_every_change_and_timing_difference_is_in_some_release() -> None:
    """None is written in vain; a repair is in none."""
    used = {c.name for version in list_versions() for c in version.changes}
    assert used == {name for name, variant in VARIANTS.items() if variant.span}
    assert {h for version in list_versions() for h in version.timing_differences} == set(
        TIMING_DIFFERENCES.values()
    )
    for timing_difference in TIMING_DIFFERENCES.values():
        assert timing_difference.sentence.endswith(".")
        assert timing_difference.comes_from.endswith(".")


def test_every_published_release_has_a_row_and_a_source() -> None:
    """The releases after the last tag that was read are those of the table, in its order."""
    later = RELEASES[RELEASES.index("5.3.3") + 1 :]
    assert later == tuple(release.name for release in PUBLISHED)
    dates = [release.published for release in PUBLISHED]
    assert dates == sorted(dates)
    for release in PUBLISHED:
        assert release.known_from
        for mode in MODES:
            told = Version(release.name, mode).describe()
            assert "not compared with recordings" in told
            assert release.known_from[0].value in told


def test_every_known_difference_is_in_some_release() -> None:
    """None is written in vain, and each ends in full stops; ends of spans are releases."""
    used = {d for version in list_versions() for d in version.known_differences}
    assert used == set(KNOWN_DIFFERENCES.values())
    for difference in KNOWN_DIFFERENCES.values():
        texts = (difference.sentence, difference.comes_from, difference.treatment)
        assert all(text.endswith(".") for text in texts)
        assert difference.span.until in ("", *RELEASES)
        named = re.findall(r"tables/(?:topics/|groups/|both/)?\d[.\d]*\d", difference.treatment)
        assert set(named) <= {structure.name for structure in TABLES_STRUCTURES}


def test_what_was_read_at_a_tag_begins_before_the_later_releases() -> None:
    """A difference that is new in a release without a tag is not known from one."""
    later = {release.name for release in PUBLISHED}
    for difference in KNOWN_DIFFERENCES.values():
        assert (difference.evidence is Evidence.TAG) is (difference.span.since not in later)


def test_a_removed_rule_is_gone() -> None:
    """From 4.6.0 on nobody counts wake-ups."""
    rules = compute_rules(("4.6.0",))
    assert {"wait_one_second", "give_up_slave_wait"} == RULES.keys() - rules.keys()
    machine = compute_machine(Structure(variants=("4.6.0",)))
    assert "wait_one_second[0]" not in machine.instances


def test_a_span_ends_before_its_last() -> None:
    """``until`` is the first release without it."""
    span = Span("4.5.2", until="5.0.0")
    assert not span.covers("4.5.1", "")
    assert span.covers("4.5.2", "")
    assert span.covers("4.9.8", "")
    assert not span.covers("5.0.0", "")
    assert not Span("5.0.0", modes=(QUORUM,)).covers("5.0.0", "")


@pytest.mark.parametrize(
    "text", ["", "4.4", "4.5.0", "v4.4.0", "4.4.0-quorum", "5.0.0-raft", "5.0.0-", "6.0.0"]
)
def test_what_is_no_version(text: str) -> None:
    """One line says what is known instead."""
    with pytest.raises(VersionError) as caught:
        parse_version(text)
    assert "\n" not in str(caught.value)


def test_a_version_says_what_it_is_known_from() -> None:
    """Three releases were recorded, one of them in all its modes; others say so."""
    assert parse_version("4.9.8").is_recorded
    assert all(version.is_recorded for version in list_versions() if version.release == "5.3.3")
    assert "those of 4.9.3" in parse_version("4.9.8").describe()
    for name in ("4.6.0", "5.3.0", "5.0.0-controller"):
        assert "not compared with recordings" in parse_version(name).describe()


def test_timing_difference_are_asked_for_by_version() -> None:
    """Housekeeping by own reports came and went; the timer of reports and the size limit stayed."""
    assert not parse_version("4.4.0").has(OWN_REPORT_TIMER)
    assert parse_version("4.9.8").has(OWN_REPORT_TIMER)
    assert parse_version("5.0.0").has(OWN_REPORT_TIMER)
    assert not parse_version("5.0.0").has(HOUSEKEEPING_BY_OWN_REPORTS)
    assert parse_version("5.0.0").has(BODY_SIZE_LIMIT)
    assert not parse_version("4.9.3").has(BODY_SIZE_LIMIT)


def test_a_structure_tells_its_release() -> None:
    """Its name has the release, and what repairs are on top of it."""
    repaired = parse_version("4.9.8").apply(Structure(variants=("blank_kept",)))
    assert "SYNC_MASTER/ASYNC_FLUSH/1 slave at 4.9.3 with blank_kept" == repaired.name
    controlled = parse_version("5.3.0-controller").apply(Structure(role=Role.ASYNC_MASTER))
    assert controlled.role is Role.SYNC_MASTER


def test_later_keys_are_known_from_their_release_on() -> None:
    """A key counts for the version that has it; before, its explanation names that version."""
    assert not is_known_in("slaveTimeout", parse_version("4.9.2"))
    assert is_known_in("slaveTimeout", parse_version("4.9.3"))
    told = explain_later_key("inSyncReplicas", "2", USUAL_VERSION)
    assert told is not None
    assert "--rocketmq-version 5.0.0 or later" in told
    assert None is explain_later_key("inSyncReplicas", "2", Version("5.0.0"))
    more = explain_later_key("inSyncReplicas", "3", Version("5.0.0"))
    assert more is not None
    assert "the model covers 1 and 2" in more
    assert None is explain_later_key("haFlowControlEnable", "true", Version("5.0.0"))
    assert all(key.effect for key in LATER_KEYS.values() if key.modelled)


def test_a_renamed_key_is_read_under_its_new_name() -> None:
    """From 4.7.1 on the size of a file has two p."""
    assert "mapedFileSizeCommitLog" == get_name_in("mapedFileSizeCommitLog", USUAL_VERSION)
    assert "mappedFileSizeCommitLog" == get_name_in("mapedFileSizeCommitLog", Version("4.9.8"))
    assert "haSlaveFallbehindMax" == get_name_in("haSlaveFallbehindMax", Version("5.0.0"))


def test_the_masters_file_says_the_mode() -> None:
    """What was asked for by name stays; before 5.0.0 there is only one mode."""
    latest = Version(FIRST_RELEASE_WITH_MODES)
    assert "" == compute_mode({"inSyncReplicas": "2"}, USUAL_VERSION)
    assert "" == compute_mode({}, latest)
    assert QUORUM == compute_mode({"inSyncReplicas": "2"}, latest)
    assert CONTROLLER == compute_mode({"enableControllerMode": "true"}, latest)
    assert QUORUM == compute_mode({}, Version("5.0.0", QUORUM))
    assert "allAckInSyncStateSet" in (explain_mode({}, CONTROLLER) or "")
    assert None is explain_mode({"allAckInSyncStateSet": "true"}, CONTROLLER)
    assert None is explain_mode({}, QUORUM)
