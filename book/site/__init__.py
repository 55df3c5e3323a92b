"""The book as a site: plain Markdown in, pages that need no network and no server out.

Sphinx with MyST and furo makes the pages. Its search index is a script that browsers load from a
disk too, MyST gives headings the anchors that repository viewers give them, and furo has a light
and a dark theme and fits phones. Of the other generators that were looked at, Material for MkDocs
has ended (its last support was announced for November 2026), and its successor Zensical is at 0.1.
"""
