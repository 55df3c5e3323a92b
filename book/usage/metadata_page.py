"""The generated tables of ``spec/metadata.md``, rendered from the functions.

``rmqspec docs --write spec/metadata.md`` writes them anew.
"""

from __future__ import annotations

from typing import Any

from attrs import fields

from properties.generated_text import SPEC, Page, render_table
from reference.decisions.metadata.broker_tables import BrokerTables, DataVersion, VersionedTable
from reference.decisions.metadata.copying import (
    FORM_4_4_0,
    FORM_4_5_0,
    NOT_COPIED,
    REQUEST_CODES,
    STEPS,
    CopyForm,
)
from reference.decisions.metadata.services import Services, list_services
from reference.roles import Role


def make_broker(version: int, name: str) -> BrokerTables:
    """A broker whose tables all differ from those of another one."""
    table: VersionedTable[Any] = VersionedTable(DataVersion(version), {name: None})
    offsets, delay = {name: {0: version}}, {name: version}
    return BrokerTables(table, table, offsets, offsets, delay, delay, master_address="m")


def render_steps() -> str:
    """What of the slave each step changes."""
    slave, master = make_broker(1, "slave"), make_broker(2, "master")
    rows = []
    for name, step in STEPS.items():
        *_, after = step(slave, master)
        names = [each.name for each in fields(BrokerTables)]
        changed = [each for each in names if getattr(after, each) != getattr(slave, each)]
        kept = [each for each in changed if is_part_kept(slave, after, each)]
        rows.append(
            (
                name,
                REQUEST_CODES[name],
                ", ".join(f"`{each}`" for each in changed),
                "stays" if kept else "goes",
                "no" if is_copied_always(step, slave, master) else "yes",
            )
        )
    head = (
        "Step",
        "request",
        "changes",
        "entries that only the slave has",
        "only if versions differ",
    )
    return render_table(head, rows)


def is_part_kept(slave: BrokerTables, after: BrokerTables, name: str) -> bool:
    """An entry that only the slave has is still there."""
    table = getattr(after, name)
    entries = table.entries if isinstance(table, VersionedTable) else table
    return "slave" in entries


def is_copied_always(step: Any, slave: BrokerTables, master: BrokerTables) -> bool:
    """The step does something although every version is equal."""
    same = DataVersion(2)
    groups = VersionedTable(same, slave.groups.entries)
    twin = BrokerTables(
        groups, groups, slave.offsets, slave.offset_file, {}, {}, slave.master_address
    )
    return bool(list(step(twin, master)))


def render_forms() -> str:
    """The two forms of the copy, by their numbers and flags."""
    forms = (FORM_4_4_0, FORM_4_5_0)
    rows = [
        (f"`{each.name}`", *(getattr(form, each.name) for form in forms))
        for each in fields(CopyForm)
    ]
    return render_table(("", "4.4.0", "4.5.0 to 4.9.8"), rows)


def render_services() -> str:
    """What brokers of each role do."""
    roles = (Role.ASYNC_MASTER, Role.SYNC_MASTER, Role.SLAVE)
    rows = [
        (f"`{each.name}`", *(str(getattr(list_services(role), each.name)) for role in roles))
        for each in fields(Services)
    ]
    return render_table(("", *(role.name for role in roles)), rows)


def render_not_copied() -> str:
    """What no step copies."""
    return "\n".join(f"- {name}" for name in NOT_COPIED)


PAGE = Page(
    SPEC / "metadata.md",
    {
        "steps": render_steps,
        "forms": render_forms,
        "services": render_services,
        "not copied": render_not_copied,
    },
)
"""The chapter."""
