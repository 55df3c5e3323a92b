"""The message store of RocketMQ 4.4.0 over real bytes, as pure functions.

A function takes a frozen state and returns the next one with its answer. There are no threads, no
clock and no disk: the time, the files that can be created and how full a disk is are arguments. A
thread of the real store is a function that runs until it is idle. ``transientStorePoolEnable``,
consume queue extensions and index files are left out, as are I/O errors in the middle of a write.
Rows such as T1-00967 are those of the oracle: questions that the real classes have answered.

- ``java``: integers, strings and exceptions of Java, where an answer depends on them.
- ``content``: bytes, with the origin of each.
- ``records``: messages and blanks as bytes, and how a reader checks them.
- ``mapped_file``: one file and its positions; ``mapped_file_queue``: a folder of them.
- ``allocation``: the thread that creates the next two files of the log.
- ``consume_queue``: the entries of one queue.
- ``store``: everything that a broker's store keeps; start and shutdown.
- ``recovery``: how a store recovers its files when it is loaded.
- ``dispatch``: from the log to the queues.
- ``slave_append``: what a slave writes; ``put``: what a master writes.
- ``reading``: what can be read back; ``expiry``: what is deleted.
- ``group_commit``: synchronous flush; ``group_transfer``: synchronous replication.
"""
