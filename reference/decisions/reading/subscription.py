"""A subscription: which messages of a topic a consumer wants.

Tags are compared by their hash codes, which the consume queue contains; an expression of SQL-92 is
evaluated on the message's properties, in the commit log. Source: FilterAPI#build,
ExpressionMessageFilter and ConsumerFilterManager#build of 4.4.0.
"""

from __future__ import annotations

from attrs import field, frozen

from reference.store.java import hash_string

ALL = "*"
"""``SubscriptionData.SUB_ALL``."""
SEPARATOR = "||"


class SubscriptionError(ValueError):
    """A subscription that cannot be parsed (FilterAPI#build throws)."""


@frozen
class Subscription:
    """A subscription by tags."""

    text: str = ALL
    tags: frozenset[str] = frozenset()
    """``tagsSet``: a consumer compares them again, name by name; none: it takes all."""

    codes: frozenset[int] = field(init=False)
    """Hash codes of the tags (``codeSet``), with which a broker compares."""

    @codes.default
    def _compute_codes(self) -> frozenset[int]:
        return frozenset(map(hash_string, self.tags))


def parse_tags(text: str | None) -> Subscription:
    """The subscription of a text such as ``TagA || TagB`` (FilterAPI#buildSubscriptionData).

    An empty text means every message; blanks between separators are not tags, so ``" || "`` means
    no message.

    Raises:
        SubscriptionError: separators and nothing else.
    """
    if not text or text == ALL:
        return Subscription()
    pieces = text.split(SEPARATOR)
    if not any(pieces):
        raise SubscriptionError(f"{text!r} has no tag")
    return Subscription(text, frozenset(filter(None, map(str.strip, pieces))))


def is_tag_type(kind: str) -> bool:
    """The expression is of tags (``ExpressionType#isTagType``); none at all is too."""
    return kind in ("", "TAG")


def is_expression_parsable(text: str | None) -> bool:
    """A pull's expression of SQL-92 is only checked for presence.

    One that cannot be compiled takes every message (ConsumerFilterManager#build returns nothing,
    and the filter passes messages for which it has no expression; B2-01245).
    """
    return bool(text)


def is_tag_taken(subscription: Subscription, tags_code: int) -> bool:
    """The entry's hash code is one of the subscribed ones (isMatchedByConsumeQueue)."""
    return subscription.text == ALL or tags_code in subscription.codes
