"""A subscription: which messages of a topic a consumer asks for.

Tags are compared by their hash codes, which stand in the consume queue; an expression of SQL-92 is
evaluated on the message's properties, in the commit log. Source: FilterAPI#build,
ExpressionMessageFilter and ConsumerFilterManager#build of 4.4.0.
"""

from __future__ import annotations

from attrs import frozen

ALL = "*"
"""``SubscriptionData.SUB_ALL``."""
SEPARATOR = "||"


class SubscriptionError(ValueError):
    """A subscription that cannot be parsed (FilterAPI#build throws)."""


@frozen
class Subscription:
    """What is asked for by tags."""

    text: str = ALL
    codes: frozenset[int] = frozenset()
    """Hash codes of the tags (``codeSet``)."""


def compute_hash_code(text: str) -> int:
    """``String.hashCode`` of Java: 32 bits, with a sign."""
    units = text.encode("utf-16-be")
    code = 0
    for high, low in zip(units[::2], units[1::2], strict=True):
        code = (31 * code + (high << 8) + low) & 0xFFFFFFFF
    return code - (1 << 32) if code >> 31 else code


def parse_tags(text: str | None) -> Subscription:
    """The subscription of a text such as ``TagA || TagB`` (FilterAPI#buildSubscriptionData).

    Nothing at all means every message; blanks between separators are no tags, so ``" || "`` asks
    for no message.

    Raises:
        SubscriptionError: separators and nothing else.
    """
    if not text or text == ALL:
        return Subscription()
    pieces = text.split(SEPARATOR)
    if not any(pieces):
        raise SubscriptionError(f"{text!r} has no tag")
    tags = [piece.strip() for piece in pieces]
    return Subscription(text, frozenset(compute_hash_code(tag) for tag in tags if tag))


def is_expression_parsable(text: str | None) -> bool:
    """An expression of SQL-92 that a pull carries is looked at for being there, no more.

    One that cannot be compiled takes every message (ConsumerFilterManager#build gives nothing, and
    the filter lets pass what it has no expression for; B2-01245).
    """
    return bool(text)


def is_tag_taken(subscription: Subscription, tags_code: int) -> bool:
    """The entry's hash code is one of those asked for (isMatchedByConsumeQueue)."""
    return subscription.text == ALL or tags_code in subscription.codes
