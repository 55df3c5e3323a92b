"""The pure state machine of RocketMQ 4.4.0 master/slave replication, and what belongs to it.

- ``language``: what rules are written in, and the machine that unites them.
- ``worlds``: replication, consumption, copied tables, delayed delivery and a toy: states and rules.
- ``releases``: which there are, and what each changes.
- ``decisions``: plain functions of brokers, clients and the name server.
- ``store``: plain functions of the message store over real bytes.
- ``configuration``: keys, files, and the broker groups that they make.
- ``recordings``: what real brokers did, explained by the rules.
- ``checkout``: whether the program runs in a checkout, and what its hints name then.
"""

ROCKETMQ_VERSION = "4.4.0"
"""The release whose behaviour the model describes; it stands in every output."""
