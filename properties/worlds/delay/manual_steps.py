"""What an administrator does by hand to the files of delayed delivery. No broker does it."""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import all_of, negate
from reference.language.rule import RuleBody, replace_broker, rule, when
from reference.worlds.delay.state import Delay


@rule(who="operator", source="removal of config/delayOffset.json and its backup")
def remove_delay_file(state: Delay, broker: int) -> RuleBody:
    """A slave's file of delayed delivery's progress is removed; a promotion reads it first."""
    # ENABLED WHEN
    yield when(is_not_promoted=all_of(negate(state.is_promoted), broker > 0))
    # EFFECT
    return replace_broker(state, broker, evolve(state.brokers[broker], file=0))
