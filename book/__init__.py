"""The book: everything that writes pages, pictures and the site.

- ``contents``, ``links``, ``merged_table``, ``function_source``: what every page needs.
- ``model``: chapters about rules, guarantees, lemmas, proofs, variants, releases and mutants.
- ``usage``: chapters for operators, and about consumers.
- ``implementers``: the chapters for those who re-implement a broker, with the exports.
- ``refutations``, ``diagram``: a page for each counterexample, and its drawing.
- ``explorer``: one page on which the rules run.
- ``operators``: the operators' page; ``chinese``: pages in two languages.
- ``campaign``: the report of a campaign.
- ``site``: the book as a site.
"""
