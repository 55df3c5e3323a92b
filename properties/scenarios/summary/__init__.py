"""The short answer about a group: what an operator fears, how grave it is, and what to do.

``words`` has the table of words and severities, ``answer`` what an answer consists of. ``rows``
judges each fear by the verdicts, ``faults`` says a schedule's failures in words, ``actions`` picks
what to do, ``summary`` is all.
"""
