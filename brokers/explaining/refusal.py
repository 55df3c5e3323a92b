"""Why an event of a recording is refused."""

from __future__ import annotations

from attrs import frozen


@frozen
class Nearest:
    """A rule instance that would help, and its conditions that do not hold."""

    instance: str
    conditions: tuple[str, ...]
    message: int | None = None
    """The place of the followed message that it is about."""

    def __str__(self) -> str:
        return f"{self.instance} would help, but {' and '.join(self.conditions)} does not hold"


class Refusal(Exception):  # noqa: N818
    """No step shows what an event shows; ``nearest``: what would help most directly."""

    def __init__(self, reason: str, nearest: Nearest | None = None) -> None:
        super().__init__(reason)
        self.nearest = nearest
