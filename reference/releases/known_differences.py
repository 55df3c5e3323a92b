"""Known differences of later releases that no rule of replication has, and how each is known.

A variant changes rules, a timing difference a clock or a size. What remains is listed here, so that
an upgrade does not pass over it: changes of code that the model leaves out, that another world has,
or that only a release note or a thread tells. None of them lets a broker do what the rules exclude,
except where the sentence says so; then the settings or verdicts that it concerns are named.
"""

from __future__ import annotations

import enum

from attrs import frozen

from reference.releases.releases import CLASSIC, CONTROLLER, QUORUM, Span


class Evidence(enum.Enum):
    """How a fact about a release is known, the best first."""

    TAG = "source at the tag"
    DEVELOP = "source of develop before the release"
    THREAD = "issues and pull requests"
    NOTES = "release notes only"


@frozen
class PublishedRelease:
    """A release whose tag was not at hand: when it was published, and how it is known."""

    name: str
    published: str
    """The date of its release notes, or of its tag."""
    known_from: tuple[Evidence, ...]
    """All that is known of it, the best first."""

    def describe(self) -> str:
        """For example ``source of develop before the release, issues and pull requests``."""
        return ", ".join(each.value for each in self.known_from)


PUBLISHED = (
    PublishedRelease("5.3.4", "2025-11-26", (Evidence.DEVELOP, Evidence.THREAD, Evidence.NOTES)),
    PublishedRelease("5.4.0", "2025-12-24", (Evidence.THREAD, Evidence.NOTES)),
    PublishedRelease("5.5.0", "2026-04-10", (Evidence.THREAD, Evidence.NOTES)),
    PublishedRelease("5.5.1", "2026-08-20", (Evidence.THREAD,)),
)
"""The releases after the last one whose tag was read, 5.3.3. Of 5.3.4 the development branch was
read as it was on 2025-09-19 (8fc57f1468), two months before."""


@frozen
class KnownDifference:
    """One change that no rule of replication has."""

    name: str
    """Its public identifier."""
    span: Span
    """The releases that have it."""
    sentence: str
    """What it does, in one sentence."""
    comes_from: str
    """Its source: class and method, commit, issue, pull request."""
    evidence: Evidence
    """How it is known."""
    treatment: str
    """What the model makes of it, in one sentence."""

    def __attrs_post_init__(self) -> None:
        KNOWN_DIFFERENCES[self.name] = self


KNOWN_DIFFERENCES: dict[str, KnownDifference] = {}
"""Every known difference by name."""

TOPICS_ANSWERED_LAST = KnownDifference(
    "topics_answered_last",
    Span("4.7.1"),
    "An administrator's topic is created before the request is answered, as groups always were.",
    "AdminBrokerProcessor#updateAndCreateTopic at 4.7.1.",
    Evidence.TAG,
    "The world of tables has it: tables/topics/4.7.1.",
)
GROUPS_KEEP_THEIR_VERSION = KnownDifference(
    "groups_keep_their_version",
    Span("5.3.1"),
    "The version of the groups' table survives a start, as that of topics always did.",
    "SubscriptionGroupManager#decode, #setDataVersion at 5.3.1.",
    Evidence.TAG,
    "The world of tables has it: tables/topics/4.7.1 is that of groups at 5.3.1; so have our own "
    "broker, and the checker of recordings.",
)
NEXT_SLAVE_FIRST = KnownDifference(
    "next_slave_first",
    Span("4.8.0"),
    "A consumer that is sent to a slave which is gone tries the next broker id before any other.",
    "MQClientInstance#findBrokerAddressInSubscribe at 4.8.0 (V-13).",
    Evidence.TAG,
    "Left out: consumers are those of 4.4.0.",
)
PROGRESS_ASKS_FOR_A_ROUTE = KnownDifference(
    "progress_asks_for_a_route",
    Span("4.9.3"),
    "A consumer whose master is gone asks for a new route before it commits to or asks a slave.",
    "RemoteBrokerOffsetStore#updateConsumeOffsetToBroker at 4.9.3 (V-16).",
    Evidence.TAG,
    "Left out: consumers are those of 4.4.0.",
)
SLAVE_REJECTS_PULLS = KnownDifference(
    "slave_rejects_pulls",
    Span("5.0.0"),
    "A slave with slaveReadEnable=false, the default, rejects pulls; before, it served them.",
    "PullMessageProcessor#rejectRequest at 5.0.0 (V-41).",
    Evidence.TAG,
    "The world of reading has it: its structures at 5.0.0.",
)
PULL_SENT_BACK = KnownDifference(
    "pull_sent_back",
    Span("5.0.0"),
    "A pull on a slave that is not slow is sent back to a live master, and 'not found' is answered "
    "as 'ask again there'.",
    "PullMessageProcessor#processRequest at 5.0.0 (V-42).",
    Evidence.TAG,
    "Left out: reading is that of 4.4.0, where such a consumer stays on the slave.",
)
SLAVE_TAKES_COMMITS = KnownDifference(
    "slave_takes_commits",
    Span("5.0.0"),
    "A pull may commit progress on a slave too; Java clients do not ask for that.",
    "PullMessageProcessor#processRequest at 5.0.0 (V-44).",
    Evidence.TAG,
    "Left out: progress is that of 4.4.0.",
)
COMMITS_CHECKED = KnownDifference(
    "commits_checked",
    Span("5.1.0"),
    "A commit for an unknown topic, from 5.3.0 on also for an unknown group, is refused, and a "
    "reset by the server overrides pulls.",
    "ConsumerManageProcessor#updateConsumerOffset at 5.1.0 and 5.3.0 (V-52).",
    Evidence.TAG,
    "Left out: progress is that of 4.4.0.",
)
COPIES_ARE_RARE_AGAIN = KnownDifference(
    "copies_are_rare_again",
    Span("5.0.0", modes=(CLASSIC, QUORUM)),
    "A slave copies tables once more than a minute has passed since its start or the last copy; "
    "from 4.5.0 on it was every ten seconds.",
    "BrokerController#initializeScheduledTasks, #lastSyncTimeMs at 5.0.0 (V-45).",
    Evidence.TAG,
    "Abstracted: in the world of tables a copy may begin at any time, or never.",
)
DISK_WAIT_WITHOUT_TIMER = KnownDifference(
    "disk_wait_without_timer",
    Span("4.7.0", until="4.9.3"),
    "A put's wait for the disk has no timer: while a flush hangs, nothing is answered.",
    "GroupCommitRequest#waitForFlush is gone at 4.7.0, FlushDiskWatcher#run comes at 4.9.3.",
    Evidence.TAG,
    "Abstracted: such a wait may time out at any time, or never.",
)
THOUSAND_FLUSHES = KnownDifference(
    "thousand_flushes",
    Span("5.2.0"),
    "The group commit flushes up to 1000 times for a put, with a pause of a millisecond after each "
    "flush that was not enough; before, twice.",
    "GroupCommitService#doCommit at 5.1.4 and 5.2.0.",
    Evidence.TAG,
    "Abstracted: the rules give up after two flushes, so they also have puts that are answered "
    "FLUSH_DISK_TIMEOUT where 5.2.0 would flush again; flush_master may add flushes.",
)
UNREADABLE_INDEX_ENDS_START = KnownDifference(
    "unreadable_index_ends_start",
    Span("5.1.0"),
    "A broker does not start while a file of its index cannot be read; before, it went on.",
    "DefaultMessageStore#load at 5.0.0 and 5.1.0 (the result of IndexService#load).",
    Evidence.TAG,
    "Left out: starts of the model succeed.",
)
EMPTY_QUEUE_FILE_ENDS_START = KnownDifference(
    "empty_queue_file_ends_start",
    Span("5.0.0", until="5.5.0"),
    "A broker does not start while the last file of a consume queue has no entry. A power loss "
    "leaves such a file if a queue has just begun it, every 300,000 messages, and neither its "
    "entries nor their messages are on the disk.",
    "ConsumeQueue#correctMinOffset, DefaultMappedFile#selectMappedBuffer at 5.0.0 and 5.3.3 "
    "(issues 9728 and 10108; mended by pull request 10109, merged after 5.4.0).",
    Evidence.TAG,
    "The world of starts has it; elsewhere in the model starts succeed. `rmqspec store` says of a "
    "store whether it is so.",
)
SLAVES_RATIO_IN_FORCE = KnownDifference(
    "slaves_ratio_in_force",
    Span("5.1.0"),
    "A slave suggests its master at 30 % of memory, as its code always meant, no longer at 40 %.",
    "BrokerStartup#createBrokerController at 5.1.0 (V-50).",
    Evidence.TAG,
    "Left out: with accessMessageInMemoryMaxRatio=30 a broker of 4.4.0 counts as such a slave.",
)
DELAY_PROGRESS_RELOADED = KnownDifference(
    "delay_progress_reloaded",
    Span("5.0.0"),
    "Copied progress of delayed messages reaches a slave's memory at once; until 5.1.3 it is "
    "corrected to the slave's queues.",
    "SlaveSynchronize#syncDelayOffset: ScheduleMessageService#load at 5.0.0, "
    "#loadWhenSyncDelayOffset at 5.1.4 (V-48).",
    Evidence.TAG,
    "Left out: delayed delivery is that of 4.4.0, where a promotion is a start and reads the file. "
    "Recordings may show any progress from the least that is known on.",
)
TOPICS_RECONCILED = KnownDifference(
    "topics_reconciled",
    Span("5.1.1", until="5.3.2"),
    "A slave's copy of topics removes what the master lacks and puts the rest, so there is no "
    "instant without topics; groups are still cleared first.",
    "SlaveSynchronize#syncTopicConfig, #syncSubscriptionGroupConfig at 5.1.1 and 5.3.1 (V-46; "
    "issue 6424).",
    Evidence.TAG,
    "The world of tables has it: tables/topics/5.1.1; groups stay as in tables/groups/4.5.0 until "
    "5.3.0, and as in tables/topics/4.7.1 at 5.3.1.",
)
TABLES_EMPTIED_IN_STEPS = KnownDifference(
    "tables_emptied_in_steps",
    Span("5.3.2", until="5.5.0"),
    "A slave's copy of topics or groups deletes every entry, each with a file and a version of its "
    "own, before it puts the master's; a crash in between leaves the emptied file.",
    "SlaveSynchronize#syncTopicConfig, TopicConfigManager#deleteTopicConfig at 5.3.2 and 5.3.3 "
    "(pull request 9207; issues 9984 and 10030).",
    Evidence.TAG,
    "The world of tables has it: tables/both/5.3.2.",
)
COPY_MAKES_A_VERSION = KnownDifference(
    "copy_makes_a_version",
    Span("5.3.4", until="5.5.0"),
    "After a copy of topics or groups a slave bumps its own DataVersion, so the versions never "
    "agree and every cycle copies, empties and writes again. 5.3.2 and 5.3.3 do so entry by entry.",
    "SlaveSynchronize#syncTopicConfig in commits 46b7a98de0 and ce5a77db41, "
    "TopicConfigManager#updateSingleTopicConfigWithoutPersist at 5.3.2 and 5.3.3 (issue 9777; "
    "undone by pull request 9778).",
    Evidence.DEVELOP,
    "The world of tables has it: in tables/both/5.3.2 and tables/both/5.3.4 no two brokers ever "
    "have equal versions, unless two instants coincide (equal_versions_mean_equal_content, proved "
    "vacuously).",
)
COPY_FAILS_AT_ATTRIBUTES = KnownDifference(
    "copy_fails_at_attributes",
    Span("5.3.2", until="5.3.4"),
    "A topic or group with attributes ends a slave's copy with an exception after its table was "
    "emptied: entries are missing on the slave until the attributes are gone.",
    "SlaveSynchronize#syncTopicConfig, AttributeUtil#alterCurrentAttributes at 5.3.2 and 5.3.3 "
    "(issues 9403 and 9547).",
    Evidence.TAG,
    "Left out: no verdict on tables counts for such a slave, except those that are refuted.",
)
TABLES_COPIED_IN_PAGES = KnownDifference(
    "tables_copied_in_pages",
    Span("5.3.4"),
    "A slave asks for topics and groups in pages, and the master copies a page before it writes "
    "the version: a change between the two is missing on the slave, under the master's version.",
    "AdminBrokerProcessor#getAllTopicConfig, TopicConfigManager#subTopicConfigTable in commit "
    "7cb1b1ee86 (issue 9467; enableSplitMetadata, on by default).",
    Evidence.DEVELOP,
    "The world of tables has it for one page: tables/both/5.3.4, where the next copy corrects it, "
    "and tables/both/5.5.0, where none does (inference: the order was not read at 5.5.0).",
)
TABLES_RECONCILED = KnownDifference(
    "tables_reconciled",
    Span("5.5.0"),
    "A slave's copy of topics and groups keeps the master's version and deletes only what the "
    "master lacks.",
    "Issues 9777 and 9984, pull requests 9778 and 9996.",
    Evidence.THREAD,
    "The world of tables has it: tables/both/5.5.0.",
)
FAILED_FLUSH_NOT_COUNTED = KnownDifference(
    "failed_flush_not_counted",
    Span("5.3.4"),
    "A flush whose force() throws no longer counts as done, so that with SYNC_FLUSH the put waits "
    "for the next one.",
    "DefaultMappedFile#flush in commit 93f60db5f6 (issues 9713 and 2706).",
    Evidence.DEVELOP,
    "The rule swallow_flush_error stays: after a failed force() the kernel may hold the pages for "
    "clean, and the next one succeeds without writing. Refutations by it are less likely.",
)
FAILED_APPEND_NOT_COUNTED = KnownDifference(
    "failed_append_not_counted",
    Span("5.3.4"),
    "A frame that a slave fails to write no longer counts as written: the next frame does not fit, "
    "and the slave connects again and asks for it.",
    "DefaultMappedFile#appendMessage in commit 4ae02942e5 (issue 9693).",
    Evidence.DEVELOP,
    "The rule swallow_append_error stays, so refutations that need it do not count from here on. "
    "What is proved stays proved if such a frame is dropped (tests/properties/test_releases.py).",
)
FLUSH_ERROR_STOPS_WRITES = KnownDifference(
    "flush_error_stops_writes",
    Span("5.3.4"),
    "A flush error may make the store refuse writes: enableRunningFlagsInFlush, off by default.",
    "DefaultMappedFile#getAndMakeNotWriteable, MessageStoreConfig in commits 1d9b02ca46 and "
    "dbd935fe22 (issues 9707 and 9709).",
    Evidence.DEVELOP,
    "The configuration reader names the setting; no verdict is about it.",
)
RECOVERY_FROM_QUEUES = KnownDifference(
    "recovery_from_queues",
    Span("5.3.4"),
    "Recovery begins with the last file whose first record is whole and known to the queues, or to "
    "the checkpoint after a crash.",
    "CommitLog#isMappedFileMatchedRecover, ConsumeQueueStore#isMappedFileMatchedRecover in commit "
    "9d9431dc1c (issue 9254).",
    Evidence.DEVELOP,
    "Abstracted: where a scan begins changes no outcome of a restart.",
)
GONE_BROKERS_ARE_NOTICED = KnownDifference(
    "gone_brokers_are_noticed",
    Span("5.3.4", modes=(CONTROLLER,)),
    "A controller on jRaft notices brokers that no longer send heartbeats; before, its scan "
    "returned at once, and a dead master was replaced only when its channel closed.",
    "RaftBrokerHeartBeatManager#scanNotActiveBroker in commit 8fc57f1468 (issue 9717).",
    Evidence.DEVELOP,
    "Abstracted: an election may come at any time, or never.",
)
LAST_EPOCH_LOOKED_UP_AGAIN = KnownDifference(
    "last_epoch_looked_up_again",
    Span("5.3.4", modes=(CONTROLLER,)),
    "A master that is elected again while it runs names its new epoch on open connections; before, "
    "a slave recorded it only after it had connected again.",
    "AbstractWriteSocketService#transferToSlave in commit 42de289dbd (issue 9689, pull request "
    "9690; merged after 2025-09-20, so 5.3.4 is an inference).",
    Evidence.THREAD,
    "The repair last_epoch_looked_up_again has it; the rules of the release do not, so refutations "
    "that need elect_master_again do not count from here on.",
)
MEMBERS_LEAVE_TOGETHER = KnownDifference(
    "members_leave_together",
    Span("5.4.0", modes=(CONTROLLER,)),
    "Two slaves whose connections end at once both leave the SyncStateSet; before, one could stay "
    "in it, and puts timed out until it was removed.",
    "Pull request 9897; release notes of 5.4.0.",
    Evidence.THREAD,
    "Abstracted: a member that is away may leave at any time, or never.",
)
OFFSETS_CHECKED_IN_RECOVERY = KnownDifference(
    "offsets_checked_in_recovery",
    Span("5.5.0"),
    "Recovery after a crash can refuse a record whose offset does not lie in its file: "
    "checkCommitLogOffsetOnRecover, off by default.",
    "Issues 10017 and 10038, pull requests 10018 and 10039; the default is that of 5.5.1 as users "
    "quote MessageStoreConfig.",
    Evidence.THREAD,
    "With the default the rules are those before (restart_master_with_stale_bytes stays); the "
    "configuration reader names the setting, no verdict is about it.",
)
ELECTION_COMPARES_LONG = KnownDifference(
    "election_compares_long",
    Span("5.5.1", modes=(CONTROLLER,)),
    "The election compares the ends of two logs as they are; before, the difference was cut to 32 "
    "bits, and the shorter of two logs of one epoch was elected if they differ by more than 2 GiB.",
    "DefaultElectPolicy at 5.0.0 and 5.3.3 (issue 10578, pull request 10579).",
    Evidence.THREAD,
    "The decision controller:elect has it. The rules leave the order open: any member of the "
    "SyncStateSet may be elected, as what the controller knows is up to a heartbeat old.",
)
