"""Every key that a broker's code reads has a place, and the places fit what uses the key."""

from __future__ import annotations

import re

import pytest

from reference.assumptions.condition_kinds import MODELLED_SETTINGS
from reference.assumptions.register import ASSUMPTIONS
from reference.configuration.deployments import sample_group
from reference.configuration.influence import (
    InfluenceKind,
    count_kinds,
    find_source,
    list_read_keys,
    load_influences,
    load_readers,
)
from reference.configuration.keys import OUTSIDE_THE_MODEL
from reference.configuration.later_keys import LATER_KEYS, LEFT_OUT
from reference.configuration.release_keys import load_release_keys
from reference.releases.releases import RELEASES
from reference.releases.versions import Version
from reference.worlds.replication.parameters import SIZE_KEYS
from tests.reference.configuration.make_key_readers import Reading, list_read, merge

KINDS = InfluenceKind
INFLUENCES = load_influences()


def list_keys(*kinds: InfluenceKind) -> set[str]:
    """The keys of these kinds."""
    return {key for key, influence in INFLUENCES.items() if influence.kind in kinds}


def test_every_key_that_is_read_has_a_place() -> None:
    """And every place is that of a key that some release has."""
    _, readers = load_readers()
    assert [] == sorted(readers.keys() - INFLUENCES.keys())
    known = {key for each in load_release_keys().values() for key in each.keys}
    assert [] == sorted(INFLUENCES.keys() - known)


def test_what_is_modelled_is_what_structures_and_sizes_read() -> None:
    """The settings of conditions and sizes are among it, and none of it is told otherwise."""
    modelled = list_keys(KINDS.MODELLED)
    assert {*MODELLED_SETTINGS, *SIZE_KEYS.values()} <= modelled
    assert modelled.isdisjoint({*OUTSIDE_THE_MODEL, *LEFT_OUT})


def test_what_is_assumed_is_what_assumptions_name() -> None:
    """Of some release, in what they say of a group; sizes are modelled as well."""
    named = {
        key
        for release in RELEASES
        for assumption in ASSUMPTIONS.values()
        for text in assumption.list_settings(sample_group(Version(release)))
        for key in re.findall(r"(\w+)=", text)
    }
    assert list_keys(KINDS.ASSUMED) == named - list_keys(KINDS.MODELLED)


def test_what_check_calls_outside_is_outside() -> None:
    """Flags of which the model has one value, and keys of which the answer leaves something out."""
    limited = {name for name, key in LATER_KEYS.items() if key.modelled}
    told = {*OUTSIDE_THE_MODEL, *LEFT_OUT, *limited}
    assert told <= list_keys(KINDS.OUTSIDE, KINDS.MODELLED)


@pytest.mark.parametrize("release", RELEASES)
def test_a_release_reads_keys_that_it_has(release: str) -> None:
    """The counts add up, whatever the source that is taken for it."""
    known = load_release_keys()[find_source(release)].keys
    assert set(list_read_keys(release)) <= known.keys()
    assert count_kinds(release).total() == len(list_read_keys(release))


def test_a_getter_on_a_configuration_is_a_read() -> None:
    """However the configuration is called, and wherever the line breaks."""
    text = """
        this.brokerController.getMessageStoreConfig().getHaListenPort();
        messageStoreConfig
            .isSlaveReadEnable();
        this.getBrokerName(); topicConfig.getTopicName();
    """
    assert list_read(text) == {"haListenPort", "slaveReadEnable", "topicName"}


def test_readers_are_those_of_the_last_release_that_reads_a_key() -> None:
    """With the first release that does."""
    found = merge({"4.4.0": {"a": ("X",)}, "4.5.1": {"a": ("X", "Y"), "b": ("Z",)}, "4.6.0": {}})
    assert found == {
        "a": Reading("4.4.0", "4.5.1", ("X", "Y")),
        "b": Reading("4.5.1", "4.5.1", ("Z",)),
    }
