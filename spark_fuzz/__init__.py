"""Large campaigns of random failure schedules, and exhaustive search of small instances.

- From rules to machine code: ``lowering``, ``kernel``; one schedule: ``walk``, ``scheduler``.
- A campaign: ``campaign``, ``campaign_job``, ``campaign_store``, ``report_page``; one of its
  schedules in the reference: ``schedule``.
- Schedules that see more: ``swarm``, ``guidance``; what was seen: ``coverage``, ``sighting``.
- Exhaustive search: ``small_instances``, ``breadth_first``, ``distributed_search``; its peers:
  ``cross_check``, ``judges``, ``peers``.
"""
