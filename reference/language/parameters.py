"""What engines know of a world's parameters: sizes, thresholds, and how often faults may happen."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen


@frozen
class BaseFaults:
    """A count for each fault of a world: how often it has happened, or may happen."""


@frozen
class BaseParameters:
    """The sizes and thresholds of a world: constant in a run, symbolic in a proof."""

    @property
    def limits(self) -> BaseFaults:
        """How often each fault may happen. Each world has a field of its own for it."""
        raise NotImplementedError

    def limit(self, limits: BaseFaults) -> Self:
        """The same sizes, with other limits of faults. Raises TypeError for a class without any."""
        return evolve(self, limits=limits)  # type: ignore[call-arg]
