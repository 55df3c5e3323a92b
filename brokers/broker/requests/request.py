"""A request: its fields, and its answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from attrs import define, evolve

from brokers.wire.remoting import RESPONSE_FLAG, Command, encode

SUCCESS, SYSTEM_ERROR, SYSTEM_BUSY, NOT_SUPPORTED = 0, 1, 2, 3
"""``RemotingSysResponseCode``."""


class FieldError(ValueError):
    """A header lacks a field, or has one that cannot be read: one line for its sender."""


class Asker(Protocol):
    """The connection that a request came over."""

    @property
    def peer(self) -> str:
        """Its other end."""
        ...

    def send(self, data: bytes) -> None:
        """Send bytes over it."""
        ...


@define(eq=False, repr=False)
class Request:
    """A request with the connection that wants its answer."""

    command: Command
    asker: Asker
    is_answered: bool = False

    def answer(
        self,
        code: int = SUCCESS,
        remark: str | None = None,
        fields: Mapping[str, Any] | None = None,
        body: bytes = b"",
    ) -> None:
        """Send the answer, unless nobody waits for one; values of fields become texts."""
        if self.is_answered:
            return
        self.is_answered = True
        if self.command.is_one_way:
            return
        texts = {name: write(value) for name, value in (fields or {}).items() if value is not None}
        answered = Command(
            code, texts, body, remark, opaque=self.command.opaque, flag=RESPONSE_FLAG
        )
        self.asker.send(encode(evolve(answered, language="JAVA")))

    def text(self, name: str) -> str:
        """A field that must be there. Raises FieldError."""
        value = self.command.fields.get(name)
        if value is None:
            raise FieldError(f"the custom field <{name}> is null")
        return value

    def number(self, name: str, default: int | None = None) -> int:
        """A field that is a whole number of 64 bits. Raises FieldError."""
        value = self.command.fields.get(name)
        if value is None and default is not None:
            return default
        try:
            number = int(self.text(name))
        except ValueError as problem:
            raise FieldError(f"{name} is {str(value)[:40]!r}, not a number") from problem
        if not -(2**63) <= number < 2**63:
            raise FieldError(f"{name} is {str(value)[:40]!r}, not a number of 64 bits")
        return number

    def flag(self, name: str) -> bool:
        """A field that is true or anything else (``Boolean#parseBoolean``)."""
        return self.command.fields.get(name, "").lower() == "true"


def write(value: Any) -> str:
    """A value as Java writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
