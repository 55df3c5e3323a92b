"""The pure state machine of RocketMQ 4.4.0 master/slave replication, and what belongs to it.

- The protocol, in the order of its steps: ``commit_log``, ``flush``, ``dispatch``, ``put``,
  ``producer``, ``connection``, ``replication``, ``lifecycle``, ``faults``; what they work on:
  ``state``, ``structure``, ``lineage``, ``mapped_files``, ``fault_account``.
- The language of rules: ``terms``, ``operations``, ``rule``, ``variant``; ``machine`` unites all
  rules, ``leaves`` makes a state a list of numbers.
- Other releases: ``release``, ``version``, ``habits``, ``variants``, ``sync_state_set``.
- Other worlds (``world``), with rules of their own: ``consumption``, ``delay``, ``tables``.
- Decisions without rules, as plain functions: ``read``, ``progress``, ``clients``, ``metadata``,
  ``name_server``, ``outage``.
- Recordings of real brokers: ``trace``. Schedules drawn: ``timeline``.
- Configuration: ``configuration``, ``configuration_reading``, ``configuration_keys``,
  ``later_keys``, ``java_properties``, ``roles``.
"""

ROCKETMQ_VERSION = "4.4.0"
"""The release whose behaviour the model describes; it stands in every output."""
