"""``rmqspec export tla``: the rules of a structure as a TLA+ module."""

from __future__ import annotations
