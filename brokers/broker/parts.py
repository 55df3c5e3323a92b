"""The classes that a broker is made of, so that one of them can be another one."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from brokers.broker.network.copying import Copying
from brokers.broker.replication.group_transfer import LiveGroupTransfer
from brokers.broker.replication.master_ha import MasterHa
from brokers.broker.replication.puts import Puts
from brokers.broker.replication.slave_ha import SlaveHa
from brokers.broker.requests.handler import Handler
from brokers.broker.requests.request import Request
from brokers.broker.storage.live_store import LiveStore
from brokers.wire.codes import RequestCode


@frozen
class Parts:
    """Those that differ where a broker is made to be caught (``brokers.broker.mutants``).

    In controller mode both sides of replication have classes of their own.
    """

    store: type[LiveStore] = LiveStore
    master: type[MasterHa] = MasterHa
    slave: type[SlaveHa] = SlaveHa
    puts: type[Puts] = Puts
    transfer: type[LiveGroupTransfer] = LiveGroupTransfer
    copying: type[Copying] = Copying
    request: type[Request] = Request
    handlers: Mapping[RequestCode, Handler] = field(factory=dict)
    """They answer instead of the usual ones."""


USUAL_PARTS = Parts()
