"""A recorder of brokers: what it sees on the wire, in their answers and logs, as a recording.

The wire: ``link_bytes``, ``proxy``. Others: ``events_file``, ``log_files``, ``observing``.
Lines: ``merging``, ``journal``, ``parts``, ``nodes``. All together: ``recorder``.
"""
