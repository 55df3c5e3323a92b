"""What an administrator does by hand to the files of consumers' progress. No broker does it."""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import negate
from reference.language.rule import RuleBody, between, rule, when
from reference.worlds.consumption.state import Consumption


@rule(who="operator", source="copy of config/consumerOffset.json")
def copy_progress_to_master(state: Consumption) -> RuleBody:
    """The file of progress of a stopped master is replaced by its slave's."""
    # ENABLED WHEN
    yield when(is_master_down=negate(state.master.is_up))
    # EFFECT
    on_disk = state.slave.progress_on_disk
    return evolve(state, master=evolve(state.master, progress_on_disk=on_disk))


@rule(who="operator", source="mqadmin resetOffsetByTime, consumers stopped")
def reset_progress(state: Consumption) -> RuleBody:
    """The progress of a group without running consumers is set back in the master's table."""
    # ENABLED WHEN
    yield when(is_master_up=state.master.is_up, is_not_running=negate(state.consumer.is_running))
    progress = yield between("progress", 0, state.master.queue_max)
    # EFFECT
    return evolve(state, master=evolve(state.master, progress=progress))
