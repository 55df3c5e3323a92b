"""The short answer of ``check``: one screen for each group, and the same in other formats."""
