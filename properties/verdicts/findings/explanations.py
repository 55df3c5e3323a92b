"""Why a verdict is refuted: classes of refutations, recognised in the refuting schedules.

A class is an entry of ``explanations.toml``: the claims that it breaks, rules that fire in the
schedule, and features of its states. A certificate's schedule has no needless step; every rule that
fires in it is needed. The first entry that fits decides.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any

from attrs import field, frozen

from properties.schedules.judgement import follow
from properties.verdicts.certificates import load_cells
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME
from properties.worlds.replication.world import CERTIFIED_GROUPS, REPLICATION, ClaimedGroup
from reference.worlds.replication.parameters import SMALL_PARAMETERS
from reference.worlds.replication.state import Cluster

EXPLANATIONS_FILE = REPLICATION.reasons / "explanations.toml"


@frozen
class Explanation:
    """One class of refutations, and where it was seen."""

    name: str
    sentence: str
    """What happens, in an operator's words."""
    claims: tuple[str, ...] = field(converter=tuple)
    """The claims that it breaks."""
    rules: tuple[str, ...] = field(default=(), converter=tuple)
    """Rules that must all fire in the schedule."""
    features: tuple[str, ...] = field(default=(), converter=tuple)
    """Names of situations that some state of the schedule must each show."""
    issues: tuple[str, ...] = field(default=(), converter=tuple)
    """Rows of the survey of known issues, as identifiers of the ledger."""
    threads: tuple[str, ...] = field(default=(), converter=tuple)
    """The threads behind them, as numbers of the trackers."""
    recordings: tuple[str, ...] = field(default=(), converter=tuple)
    """Lines of recordings that show it, for example ``u_... seq 52 (put)``."""

    @property
    def is_prediction(self) -> bool:
        """Neither reported nor recorded so far: ``predictions.toml`` says how to stage it."""
        return not self.threads and not self.recordings

    def fits(self, claim: str, fired: set[str], states: tuple[Cluster, ...]) -> bool:
        """A schedule that breaks this claim belongs to the class."""
        return (
            claim in self.claims
            and fired.issuperset(self.rules)
            and all(shows(states, name) for name in self.features)
        )


def shows(states: tuple[Cluster, ...], name: str) -> bool:
    """Some of these states has the feature of this name."""
    return any(map(REPLICATION.properties[name].predicate, states))


@cache
def load_explanations() -> tuple[Explanation, ...]:
    """Every class, in the order in which they are tried."""
    entries: list[dict[str, Any]] = tomllib.loads(EXPLANATIONS_FILE.read_text())["explanation"]
    return tuple(Explanation(**entry) for entry in entries)


def replay_states(structure: ClaimedGroup, verdict: Verdict) -> tuple[Cluster, ...]:
    """The states of a refuting schedule, in files of a few bytes. Raises ScheduleError."""
    limits = FAULT_MODEL_BY_NAME[verdict.fault].search_limits
    parameters = SMALL_PARAMETERS.limit(limits)
    return tuple(cluster for _, cluster in follow(structure, parameters, verdict.schedule))


SAME_EVENT = {
    "lose_master_power_in_record": "lose_master_power",
    "report_offset_to_earlier_put": "report_offset",
}
"""Rules for another outcome of an event: if one fires, the event took place."""


def explain(structure: ClaimedGroup, verdict: Verdict) -> Explanation:
    """The class of a refuted verdict. Raises LookupError when no class fits."""
    states = replay_states(structure, verdict)
    fired = {SAME_EVENT.get(a.rule_name, a.rule_name) for a in verdict.schedule}
    fired |= {action.rule_name for action in verdict.schedule}
    for explanation in load_explanations():
        if explanation.fits(verdict.guarantee, fired, states):
            return explanation
    raise LookupError(
        f"nothing explains {verdict.guarantee} of {structure.name} under {verdict.fault}"
    )


def list_refuted() -> Iterator[tuple[ClaimedGroup, Verdict]]:
    """Every refuted verdict of every certificate. Raises InternalDisagreementError."""
    for structure in CERTIFIED_GROUPS:
        cells = load_cells(structure).values()
        yield from ((structure, v) for v in cells if v.word is VerdictWord.REFUTED)


@cache
def explain_all() -> tuple[tuple[ClaimedGroup, Verdict, Explanation], ...]:
    """Every refuted verdict of every certificate with its class."""
    return tuple((s, verdict, explain(s, verdict)) for s, verdict in list_refuted())
