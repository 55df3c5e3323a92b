"""Renewal of what is computed from the rules: a table of artefacts, and a walk over what is stale.

- ``artefact``: one thing that is computed and kept.
- ``register``: all of them.
- ``certified``: those about one structure each.
- ``modules``: those of modules that are run by themselves.
- ``pages``: texts of the book.
- ``walk``: which are stale, in which order, in processes side by side.
"""
