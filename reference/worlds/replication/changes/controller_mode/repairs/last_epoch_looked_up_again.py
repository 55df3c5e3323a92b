"""A master that is elected again names its new epoch on the connections that are open.

Differs from controller mode: a connection that sends the last epoch notes that it has no end, and
never looks again (``AutoSwitchHAConnection#changeTransferEpochToNext``). Here it looks before each
frame whether the epoch has got an end, so that frames stop there and then name the next one.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.rule import RuleBody, rule
from reference.language.variant import Variant
from reference.worlds.replication.changes.controller_mode import losses
from reference.worlds.replication.controller.epochs import NO_EPOCH
from reference.worlds.replication.state import Cluster

VARIANT = Variant(
    name="last_epoch_looked_up_again",
    sentence="A connection looks before each frame whether the epoch that it sends has ended.",
    comes_from="Pull request 9690 for issue 9689, merged after 2025-09-20; read at commit "
    "42de289dbd.",
    on="5.0.0-controller",
)


@rule(
    who="fault",
    source="AbstractWriteSocketService#transferToSlave in commit 42de289dbd (pull request 9690)",
    into=VARIANT.rules,
    says="## CONTROLLER LOSES SIGHT OF THE MASTER, elects it again",
)
def elect_master_again(cluster: Cluster) -> RuleBody:
    """The controller elects the running master again; its frames name the new epoch at once."""
    # ENABLED WHEN and EFFECT as in controller mode
    elected: Cluster = yield from losses.elect_master_again(cluster)
    files = tuple(evolve(file, fixed_epoch=NO_EPOCH) for file in elected.epoch_files)
    return evolve(elected, epoch_files=files)
