"""Every change of a method that a rule cites was looked at, and the entries fit what exists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

import pytest

from reference.releases.known_differences import KNOWN_DIFFERENCES
from reference.releases.method_changes import (
    ChangeKind,
    MethodChange,
    count_change_kinds,
    find_method,
    find_release_before,
    list_cited,
    list_cited_methods,
    list_method_changes,
    load_digests,
    load_left_out,
    load_method_changes,
    load_successors,
)
from reference.releases.releases import RELEASES, Span, is_since
from reference.releases.timing_differences import TIMING_DIFFERENCES
from reference.worlds.replication.changes import VARIANTS
from reference.worlds.replication.rules import RULES
from tests.reference.releases.make_method_digests import (
    compute_digest,
    list_classes,
    list_methods,
    list_tags,
)

SPANS: Mapping[str, Span] = {
    **{name: variant.span for name, variant in VARIANTS.items() if variant.span},
    **{name: each.span for name, each in TIMING_DIFFERENCES.items()},
    **{name: each.span for name, each in KNOWN_DIFFERENCES.items()},
}
"""The releases of every named change."""

UNEXPLAINED: list[tuple[str, str]] = []
"""What the methods do and no rule or named change says. A change of this list is on purpose."""

CLASS = """
public class Log {
    private final Other other = new Other() { public void put() { skipped(); } };
    // put() {
    public Log(int size) { this.size = size; }
    public void put(final List<String> names) throws IOException {
        LOGGER.info("}", names);
        if (a) { b(); }
    }
    void putAll() { put(null); }
    class Inner { void put() { inner(); } }
    boolean put() { return  true; }
}
"""
"""A class in Java with what is easily taken for a method, or for its end."""


def list_steps() -> Iterator[tuple[str, str]]:
    """Each method with a release at which its text is new, after the first one."""
    for method, digests in load_digests()[1].items():
        for release in list(digests)[1:]:
            yield method, release


def is_within_step(release: str, change: MethodChange) -> bool:
    """A release comes after the tag with the old text, and not after the one with the new text."""
    before = find_release_before(change.release)
    return release != before and is_since(release, before) and is_since(change.release, release)


def test_every_method_that_a_rule_cites_has_digests() -> None:
    """Or it is left out with a reason; and nothing else has or is."""
    cited = {method for rule in RULES.values() for method in list_cited(rule.source)}
    _, digests = load_digests()
    assert [] == sorted(cited - digests.keys() - load_left_out().keys())
    assert [] == sorted(digests.keys() - set(list_cited_methods()))
    assert [] == sorted(load_left_out().keys() - cited)
    assert all(load_left_out().values())


def test_citations_name_a_class_each() -> None:
    """A second method of a class is cited without it, a constructor by its class."""
    source = "Log.Inner#put, #take (a note); Other#run, Other (constructor), Other (a word)"
    assert ["Log.Inner#put", "Log.Inner#take", "Other#run", "Other#Other"] == [*list_cited(source)]


def test_digests_are_of_tags_in_their_order() -> None:
    """Every release that has a tag was read; a text that is the same again is no change."""
    releases, digests = load_digests()
    assert list(releases) == [release for release, _ in list_tags()]
    assert set(releases) <= set(RELEASES)
    for row in digests.values():
        assert next(iter(row)) == releases[0]
        assert sorted(row, key=releases.index) == list(row)
        assert all(re.fullmatch(r"[0-9a-f]{12}", digest) for digest in row.values())
        texts = list(row.values())
        assert all(old != new for old, new in pairwise(texts))


def test_every_change_has_one_entry() -> None:
    """And every entry is of a change."""
    listed = [(change.method, change.release) for change in load_method_changes()]
    assert sorted(listed) == sorted(list_steps())


@pytest.mark.parametrize("method", list_cited_methods())
def test_every_entry_says_what_came_of_it(method: str) -> None:
    """By names or in words; words are sentences."""
    for change in list_method_changes(method):
        assert change.changes or change.because or change.unexplained
        for words in filter(None, (change.because, change.unexplained)):
            assert words == " ".join(words.split())
            assert words[0].isupper()
            assert words.endswith(".")


def test_every_named_change_begins_or_ends_there() -> None:
    """A change between two tags is seen at the second one."""
    for change in load_method_changes():
        assert len(set(change.changes)) == len(change.changes)
        for name in change.changes:
            ends = filter(None, (SPANS[name].since, SPANS[name].until))
            assert any(is_within_step(release, change) for release in ends), (name, change)


@pytest.mark.parametrize("name", [name for name, each in VARIANTS.items() if each.span])
def test_every_variant_of_a_release_is_seen_in_a_method(name: str) -> None:
    """Where it begins and where it ends."""
    span = SPANS[name]
    found = [change for change in load_method_changes() if name in change.changes]
    for release in filter(None, (span.since, span.until)):
        assert any(is_within_step(release, change) for change in found)


def test_what_is_unexplained_is_listed() -> None:
    """Each is a question to the model."""
    found = [
        (change.method, change.release)
        for change in load_method_changes()
        if change.kind is ChangeKind.UNEXPLAINED
    ]
    assert UNEXPLAINED == found
    assert len(UNEXPLAINED) == count_change_kinds()[ChangeKind.UNEXPLAINED]


def test_successors_are_of_cited_methods() -> None:
    """Each begins at a release that was read, and differs from the one before it."""
    releases, digests = load_digests()
    for successor in load_successors():
        assert successor.method in digests
        assert successor.since in releases
        before = find_release_before(successor.since)
        assert successor.methods == find_method(successor.method, successor.since)
        assert successor.methods != find_method(successor.method, before)


def test_methods_are_found_in_a_class() -> None:
    """Those of the class itself, with what belongs to them."""
    (body,) = list_classes(CLASS, "Log")
    assert ["public void put", "boolean put"] == [
        text.partition("(")[0] for text in list_methods(body, "put")
    ]
    assert ["public Log(int size) { this.size = size; }"] == [
        text.rpartition("\n")[2].strip() for text in list_methods(body, "Log")
    ]
    (inner,) = list_classes(body, "Inner")
    assert ["void put() { inner(); }"] == list(list_methods(inner, "put"))


def test_a_digest_is_of_code() -> None:
    """Comments, white space and the name of the logger do not count."""
    assert compute_digest('log.info("//");\n  put(); // now') == compute_digest(
        'LOGGER.info("//");put();'
    )
    assert compute_digest("put();") != compute_digest("take();")
