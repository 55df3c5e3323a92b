"""A campaign in small units, run by the command line so that something can be killed meanwhile.

Which of two processes is faster decides nothing: a campaign that ends before it is disturbed is run
again.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.store import (
    DATA_FOLDER,
    Manifest,
    find_missing_units,
    find_units,
    get_unit_path,
)
from tests.command_line.run import ROOT

DRIVER_ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "SPARK_LOCAL_IP": "127.0.0.1"}

MANIFEST = Manifest(CampaignOptions(campaign_seed=3), 120_000, 3000)


def start_driver(folder: Path, master: str) -> subprocess.Popen[str]:
    """``rmqspec fuzz --resume`` as a process of its own."""
    words = ["fuzz", "--resume", str(folder), "--master", master]
    return subprocess.Popen(
        [sys.executable, "-m", "command_line", *words],
        cwd=ROOT,
        env=DRIVER_ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_units(driver: subprocess.Popen[str], folder: Path, units: int) -> None:
    """Come back when so many units are in place, or all of them and the driver has ended."""
    while driver.poll() is None and len(find_units(folder)) < units:
        time.sleep(0.005)
    assert driver.poll() is None or not find_missing_units(folder, MANIFEST), driver.communicate()


def interrupt(folder: Path, number: signal.Signals, units: int) -> tuple[int, str]:
    """Run the campaign on one core, and stop the driver when some units are in place.

    Its exit code, and what it says on standard error. Some units are missing then.
    """
    before = find_units(folder)
    while True:
        with start_driver(folder, "local[1]") as driver:
            wait_for_units(driver, folder, units)
            driver.send_signal(number)
            _, errors = driver.communicate()
        if find_missing_units(folder, MANIFEST):
            return driver.returncode, errors
        for unit in find_units(folder) - before:
            get_unit_path(folder, unit).unlink()


def read_files(folder: Path) -> dict[str, bytes]:
    """All that lies among a campaign's rows, byte for byte."""
    return {path.name: path.read_bytes() for path in (folder / DATA_FOLDER).iterdir()}
