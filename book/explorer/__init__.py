"""The explorer: one page on which the rules run, to click through them.

The rules and claims are those that ``properties.exports.javascript`` has written.

- ``deployments``: of which structures; ``texts``, ``leaf_texts``: the words of the book.
- ``schedules``: what can be opened; ``finding_address``: where a campaign's find opens.
- ``page``: all of it as one file, with what structures share only once.
- ``places``: links of the book into it.

Of the scripts, ``structures.js``, ``address.js`` and ``session.js`` know no document, so that
tests run them; ``drawing.js`` draws states, ``panels.js`` the lists, and ``app.js`` answers the
reader.
"""
