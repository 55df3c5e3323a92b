"""What the protocol promises, what it needs to keep it, and how that is decided.

- What is claimed: ``guarantee``, ``convergence``, ``claims``; what proofs need: ``lemmas``,
  ``sanity_check``, ``variant_lemmas``; what must be reachable: ``witnesses``.
- The columns of the tables: ``fault_class``, ``fault_sets``.
- How it is decided, by Z3: ``z3_translation``, ``induction``, ``bounded_search``, ``ranking``,
  ``verdict``; without Z3: ``judgement``, ``random_walk``, and, for a tester's own claims,
  ``hypothesis_machine`` with ``walk_starts``, ``premises``.
- What is stored of it and re-checked: ``certificates``, ``expectation``, ``explanation``.
- Other worlds: ``consumption``, ``delay``, ``tables``; where consumers read: ``reading``.
- Checks of the model itself: ``mutants``, ``vacuity``, ``cores``.
- What threads and operators say: ``known_issues``, ``prediction``, ``operations``.
- For other tools: ``exports``; for readers: ``book``.
"""
