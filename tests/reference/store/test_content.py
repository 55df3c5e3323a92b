"""Bytes and their provenance move together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.store import content as contents
from reference.store.content import Content

TOLD = st.binary(max_size=30).flatmap(
    lambda data: st.builds(
        Content,
        st.just(data),
        st.one_of(
            st.none(),
            st.lists(
                st.one_of(st.none(), st.integers(), st.tuples(st.integers(), st.integers())),
                min_size=len(data),
                max_size=len(data),
            ).map(tuple),
        ),
    )
)


@given(TOLD, TOLD)
def test_joined_and_cut_apart_again(first: Content, second: Content) -> None:
    """Nothing is lost but that provenance was not kept."""
    joined = contents.join(first, second)
    middle, end = len(first), len(joined)
    for part, whole in (
        (contents.cut(joined, 0, middle), first),
        (contents.cut(joined, middle, end), second),
    ):
        assert part.data == whole.data
        assert contents.list_origins(part) == contents.list_origins(whole)


@given(TOLD, TOLD, st.integers(0, 30))
def test_written_bytes_bring_their_origins(old: Content, new: Content, position: int) -> None:
    """In their place; all others keep theirs."""
    if position + len(new) > len(old):
        with pytest.raises(ValueError, match="is outside of"):
            contents.write(old, position, new)
        return
    written = contents.write(old, position, new)
    end = position + len(new)
    assert len(old) == len(written) == len(contents.list_origins(written))
    assert contents.cut(written, position, end).data == new.data
    origins = contents.list_origins(written)
    assert origins[position:end] == contents.list_origins(new)
    assert origins[:position] == contents.list_origins(old)[:position]
    assert origins[end:] == contents.list_origins(old)[end:]


@given(TOLD, st.integers(0, 60))
def test_a_longer_file_has_zeros_of_nobody(old: Content, length: int) -> None:
    """What is added was not written."""
    longer = contents.lengthen(old, length)
    assert len(longer) == max(len(old), length)
    added = contents.cut(longer, len(old), len(longer))
    assert set(added.data) <= {0}
    assert set(contents.list_origins(added)) <= {None}


def test_origins_are_as_many_as_bytes() -> None:
    """Nothing else is a content."""
    with pytest.raises(ValueError, match="2 bytes have 1 origins"):
        Content(b"ab", (None,))


def test_origins_of_a_log() -> None:
    """The epoch and the offset of each byte."""
    assert ((7, 100), (7, 101)) == contents.tell_origins(b"ab", 7, 100).origins
