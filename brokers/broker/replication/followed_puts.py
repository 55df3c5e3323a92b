"""Puts that are under way, and where the state of the rules has each of them."""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field

from brokers.broker.host import Host
from brokers.broker.ruled_state import RuledState
from brokers.broker.settings import Settings
from brokers.broker.storage.live_store import LiveStore
from reference.store.java import Thrown
from reference.store.put import MessageBatch, MessageToPut, PutMessageResult


@define(eq=False, repr=False)
class PendingPut:
    """One put that is under way."""

    message: MessageToPut | MessageBatch
    on_answer: Callable[[PendingPut], None]
    begin_ms: float
    result: PutMessageResult | Thrown | None = None
    """The append's, and at last the answer."""
    end_offset: int = 0
    push2_before: int = 0
    connections_before: int = 0
    is_answered: bool = False

    @property
    def waits_for_store(self) -> bool:
        """``Message#isWaitStoreMsgOK``."""
        return self.message.is_wait_store_msg_ok


@define(eq=False, repr=False)
class FollowedPuts:
    """The puts that the rules of a master follow."""

    settings: Settings
    store: LiveStore
    rules: RuledState
    host: Host
    slots: list[PendingPut] = field(init=False, factory=list)
    """In their order."""
    is_over: bool = field(init=False, default=False)

    def stop(self) -> None:
        """What still waits is never answered."""
        self.is_over = True

    def name(self, put: PendingPut, rule: str) -> str:
        """An instance of a rule for a put."""
        return f"{rule}[{self.slots.index(put)}]"

    def get(self, put: PendingPut, leaf: str) -> int:
        """A leaf of a put's message."""
        return self.rules.get(f"messages.{self.slots.index(put)}.{leaf}")
