"""The short answer about a group: an operator's fears, how grave they are, and what to do.

``words`` has the table of words and severities, ``answer`` the parts of an answer. ``rows`` judges
each fear by the verdicts, ``effects`` compares two answers, ``faults`` puts a schedule's failures
in words, ``actions`` finds actions, ``shown_actions`` chooses the few that are shown, ``summary``
combines all.
"""
