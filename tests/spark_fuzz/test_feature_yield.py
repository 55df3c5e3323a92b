"""The yield by feature is what a look at each row and its circumstances gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import attrs
import pytest
from pyspark.sql import SparkSession

from properties.worlds import STRUCTURES, find_world
from spark_fuzz import feature_yield
from spark_fuzz.campaign import run_campaign
from spark_fuzz.feature_yield import SIZES, compute_yield
from spark_fuzz.schedule import CampaignOptions
from spark_fuzz.schedule_replay import replay_schedule
from spark_fuzz.session import open_session

pytestmark = pytest.mark.spark

DELAY = STRUCTURES["delay/4.4.0"]


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    """One session for all tests here."""
    with open_session("local[2]") as session:
        yield session


def test_the_features_of_a_swarm(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """What each of the first schedules drew, against a replay of each in the reference."""
    monkeypatch.setattr(feature_yield, "SCHEDULES_LOOKED_AT", 60)
    options = CampaignOptions(DELAY, steps=24, campaign_seed=5, is_swarm=True)
    expected: Counter[tuple[str, ...]] = Counter()
    for number in range(60):
        drawn = options.compute_circumstances(number).parameters
        violated = {g for step in replay_schedule(options, number) for g in step.violated}
        words = ("not allowed", "allowed")
        pairs = {(f, words[most > 0]) for f, most in attrs.asdict(drawn.limits).items()}
        sizes = f"ghost_followed = {drawn.ghost_followed}"
        pairs.add((SIZES, f"{sizes}, ghost_queue_size_max = {drawn.ghost_queue_size_max}"))
        expected.update(pairs)
        expected.update((*pair, g) for pair in pairs for g in violated)
    found = compute_yield(run_campaign(spark, options, 100), options)
    keys = [(f.feature == SIZES, f.feature, f.value) for f in found]
    assert keys == sorted(keys)
    assert {len(find_world(DELAY).guarantees)} == {len(f.violating) for f in found}
    counted = {(f.feature, f.value): f.schedules for f in found}
    counted |= {(f.feature, f.value, g): n for f in found for g, n in f.violating.items() if n}
    assert dict(expected) == counted


def test_the_faults_that_struck(spark: SparkSession) -> None:
    """Where nothing is drawn; of the faults that may not strike nothing is said."""
    limits = attrs.evolve(CampaignOptions(DELAY).limits, kills=0)
    options = CampaignOptions(DELAY, limits, steps=24, campaign_seed=5)
    rows = run_campaign(spark, options, 300)
    found = {(f.feature, f.value): f for f in compute_yield(rows, options)}
    assert {"stops", "power_losses", "promotions"} == {feature for feature, _ in found}
    twice = "no_message_is_delivered_twice"
    promoted = [r for r in rows.collect() if "promote_slave" in r["rules_used"]]
    assert len(promoted) == found["promotions", "struck"].schedules
    assert 300 - len(promoted) == found["promotions", "did not strike"].schedules
    violating = sum(r["violating_steps"][twice] is not None for r in promoted)
    assert violating == found["promotions", "struck"].violating[twice] > 0


def test_nothing_may_vary(spark: SparkSession) -> None:
    """Without faults there are no features."""
    limits = type(CampaignOptions(DELAY).limits)()
    options = CampaignOptions(DELAY, limits, steps=24)
    assert [] == compute_yield(run_campaign(spark, options, 10), options)
