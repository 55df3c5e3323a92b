"""A run of cases as JUnit's XML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from brokers.conformance.judging import FAILED, PASSED


def render_junit(report: Mapping[str, Any]) -> str:
    """A suite of the broker; what neither conforms nor fails is skipped, with its reason."""
    cases = report["cases"]
    failed = [each for each in cases if each["outcome"] == FAILED and not each["waiver"]]
    skipped = [each for each in cases if each["outcome"] != PASSED and each not in failed]
    suite = ElementTree.Element(
        "testsuite",
        name=f"{report['role']} of RocketMQ {report['rocketmq_version']}: {report['broker']}",
        tests=str(len(cases)),
        failures=str(len(failed)),
        errors="0",
        skipped=str(len(skipped)),
    )
    for each in cases:
        name = f"conform.{report['role']}"
        case = ElementTree.SubElement(suite, "testcase", classname=name, name=each["case"])
        if each in failed:
            text = "\n".join((each["reason"], *each["headings"]))
            ElementTree.SubElement(case, "failure", message=each["reason"]).text = text
        elif each in skipped:
            message = each["waiver"] or f"{each['outcome']}: {each['reason']}"
            ElementTree.SubElement(case, "skipped", message=message)
    ElementTree.indent(suite)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suite, "unicode") + "\n"
    )
