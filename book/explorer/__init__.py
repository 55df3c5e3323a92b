"""The explorer: one page on which the rules run, to click through them.

The rules and claims are those that ``properties.exports.javascript`` has written. ``deployments``
says of which structures, ``texts`` and ``leaf_texts`` bring the words of the book, ``schedules``
what can be opened, and ``page`` puts all of it into one file. Of the scripts, ``address.js`` and
``session.js`` know no document, so that tests run them; ``drawing.js`` draws states, ``panels.js``
the lists, and ``app.js`` answers the reader.
"""
