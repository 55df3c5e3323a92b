"""The state machine of RocketMQ 4.4.0 master/slave replication, and what meets real brokers.

Rules, decisions and the store are pure functions. The broker of our own, the recorder, the
conformance tests and the readers of logs and disks use sockets, clocks and files.

- ``language``: the language of rules, and the machine that combines them.
- ``worlds``: replication, consumption, copied tables, delayed delivery and a toy: states and rules.
- ``releases``: the releases of RocketMQ, and what each changes.
- ``assumptions``: what rules take for granted about settings and timers.
- ``decisions``: plain functions of brokers, clients and the name server.
- ``store``: plain functions of the message store over real bytes.
- ``disk``: what brokers left on disk, read, started on paper, and compared.
- ``configuration``: keys, files, and the broker groups that they make.
- ``wire``: the bytes of replication and of remoting requests.
- ``broker``: a broker of our own, whose decisions are all of these.
- ``broker_logs``: what brokers wrote to their own logs, in the terms of recordings.
- ``conformance``: any broker held against the rules, by playing its other end.
- ``recorder``: a proxy and a watch that record brokers while they run.
- ``recordings``: what real brokers did, explained by the rules.
- ``appended_file``: a file that gets whole lines, or nothing of them.
- ``checkout``: whether the program runs in a checkout, and what its hints name then.
"""

ROCKETMQ_VERSION = "4.4.0"
"""The release whose behaviour the model describes; every output names it."""
