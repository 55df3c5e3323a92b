"""What is shown of the contents of a log, and of reads from it; settings that are changed."""

from __future__ import annotations

from reference.recordings.ahead.order import Observation
from reference.recordings.ahead.plan import MASTER
from reference.recordings.checks.contents import check_checksums, check_comparison, check_scan
from reference.recordings.checks.settings import check_address, check_set_config
from reference.recordings.hidden.node import Asked, Node
from reference.recordings.log.asking import Asking, see
from reference.recordings.log.brokers import begins_at
from reference.recordings.log.guide import name_broker, name_end, name_instance
from reference.recordings.log.tables import hold_against, learn_from
from reference.recordings.tables.reads import check_read


def observe_checksums(asking: Asking, observation: Observation, node: Node) -> Asked:
    """The CRC of each file of a log."""
    event = observation.event
    broker = asking.plan.find_node(event)
    files = [each for each in event["files"] if each["from_offset"] < each["to_offset"]]
    is_up = asking.guide.get(node, f"{name_broker(broker)}.is_up")
    goals = []
    if files and is_up:
        text, end = f"max_offset of {event['node']}", files[-1]["to_offset"]
        goals.append(asking.has_value(text, name_end(asking.plan, broker), end))
    return hold_against(asking, observation, check_checksums, *goals)


def observe_scan(asking: Asking, observation: Observation, node: Node) -> Asked:
    """Every record of a log."""
    return hold_against(asking, observation, check_scan)


def observe_comparison(asking: Asking, observation: Observation, node: Node) -> Asked:
    """The bytes of master and slave compared."""
    return hold_against(asking, observation, check_comparison)


def observe_read(asking: Asking, observation: Observation, node: Node) -> Asked:
    """The store answers a read from its queue and its log, as far as they go now."""
    event = observation.event
    end = name_end(asking.plan, asking.plan.find_node(event))
    goal = asking.has_value(f"max_offset_py of {event['node']}", end, event["max_offset_py"])
    return hold_against(asking, observation, check_read, goal)


def observe_address(asking: Asking, observation: Observation, node: Node) -> Asked:
    """A slave is told where its master is, or asked for it."""
    event = observation.event
    slave = asking.plan.find_node(event)

    def learn(after: Node) -> Node:
        told = check_address(asking.view(after, observation), event)
        address = told.get_broker(slave).ha_master_address
        return see(lambda seen: seen.change_broker(slave, ha_master_address=address))(after)

    asked = hold_against(asking, observation, check_address)
    return Asked(asked.stages, after=learn)


def observe_set_config(asking: Asking, observation: Observation, node: Node) -> Asked:
    """Properties of a broker are set; those that its master reads anew count at once."""
    event = observation.event
    switched = "switch_master_role"
    is_master = asking.plan.find_node(event) == MASTER
    names = [switched] * (is_master and "brokerRole" in event["props"])
    role = event["props"].get("brokerRole")
    wanted = asking.has_value("brokerRole", "master.is_sync", role == "SYNC_MASTER")

    def set_sizes(after: Node) -> Node:
        view = check_set_config(asking.view(after, observation), event)
        return after.edit(state=asking.guide.machine.encode(view.cluster))

    asked = Asked(
        (lambda _: (wanted,) if names else (),),
        permits=dict.fromkeys(names, 1),
        after=set_sizes,
    )
    return learn_from(asking, observation, asked, check_set_config)


def observe_expiry(asking: Asking, observation: Observation, node: Node) -> Asked:
    """A broker deletes its oldest files (DefaultMessageStore.CleanCommitLogService)."""
    event = observation.event
    broker, deleted = asking.plan.find_node(event), event["deleted"]
    size = asking.guide.get(node, "parameters.mapped_file_size_bytes")
    begin = asking.guide.get(node, f"{name_broker(broker)}.log.start_offset") + deleted * size
    names = [name_instance(rule, broker) for rule in EXPIRING if has_rule(asking, rule, broker)]
    text = f"{deleted} files of {event['node']} are deleted"
    goal = begins_at(asking, text, broker, begin)
    if not deleted:
        return Asked()
    return Asked((lambda _: (goal,),), permits=dict.fromkeys(names, deleted))


EXPIRING = ("expire_WHO_file", "expire_uncopied_WHO_file", "delete_young_WHO_file")
"""The rules by which a broker deletes its oldest file."""


def has_rule(asking: Asking, rule: str, broker: int) -> bool:
    """The structure has this rule for a broker."""
    return name_instance(rule, broker) in asking.guide.machine.instances
