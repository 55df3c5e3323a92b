"""What meets real brokers: their files, their logs, their sockets, and recordings of them.

Below this room nothing knows a socket or a clock; nothing here knows a claim or a proof.

- ``wire``: the bytes of replication and of remoting requests.
- ``disk``: what brokers left on disk, read, started on paper, and compared.
- ``broker_logs``: what brokers wrote to their own logs, in the terms of recordings.
- ``recorder``: a proxy and a watch that record brokers while they run.
- ``recordings``: what real brokers did, explained by the rules.
- ``broker``: a broker of our own, whose decisions are those of the reference.
- ``conformance``: any broker held against the rules, by playing its other end.
- ``configuration_files``: files and folders of brokers' settings, read.
- ``appended_file``: a file that gets whole lines, or nothing of them.
"""
