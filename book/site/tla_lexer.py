"""Highlighting of TLA+ modules and of TLC's configurations, which Pygments does not know."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text

KEYWORDS = (
    *("ASSUME", "CASE", "CHOOSE", "CONSTANT", "CONSTANTS", "CONSTRAINT", "DOMAIN", "ELSE"),
    *("EXCEPT", "EXTENDS", "FALSE", "IF", "IN", "INIT", "INVARIANT", "INVARIANTS", "LET", "LOCAL"),
    *("MODULE", "NEXT", "OTHER", "RECURSIVE", "SPECIFICATION", "SUBSET", "THEN", "TRUE"),
    *("UNCHANGED", "UNION", "VARIABLE", "VARIABLES", "WITH"),
)


class TlaLexer(RegexLexer):
    """Comments, keywords, names, numbers and operators."""

    name = "TLA+"
    tokens: ClassVar = {
        "root": [
            (r"\\\*.*$|-{4,}|={4,}", Comment),
            (r"\(\*.*?\*\)", Comment.Multiline),
            (r'"[^"]*"', String),
            (words(KEYWORDS, prefix=r"\b", suffix=r"\b"), Keyword),
            (r"\b\d+\b", Number),
            (r"\w+'?", Name),
            (r"\\\w+|/\\|\\/|[^\w\s]", Operator),
            (r"\s+", Text),
        ]
    }
