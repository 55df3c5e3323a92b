"""The state machine of RocketMQ 4.4.0 master/slave replication.

Rules, decisions and the store are pure functions.

- ``roles``: roles of brokers and types of flushing.
- ``language``: the language of rules, and the machine that combines them.
- ``worlds``: replication, consumption, copied tables, delayed delivery and a toy: states and rules.
- ``releases``: the releases of RocketMQ, and what each changes.
- ``assumptions``: what rules take for granted about settings and timers.
- ``decisions``: plain functions of brokers, clients and the name server.
- ``store``: plain functions of the message store over real bytes.
- ``configuration``: keys, files, and the broker groups that they make.
"""

ROCKETMQ_VERSION = "4.4.0"
"""The release whose behaviour the model describes; every output names it."""
