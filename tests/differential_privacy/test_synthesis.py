"""Synthetic tables: what is in them, and what they keep of the real ones."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tests.support.dp_tables import DOMAIN, random_table, structured_table
from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.differential_privacy.plan import MECHANISMS, Design, plan
from tfx_anonymizer.differential_privacy.synthesis import synthesize
from tfx_anonymizer.errors import ColumnError, GuaranteeError, PolicyError

BUDGET = Budget(epsilon=4.0, delta=1e-6)


@pytest.fixture(scope="module")
def plans():
    return {name: plan(design_of(name), BUDGET) for name in MECHANISMS}


def design_of(name: str) -> Design:
    return Design(name, clusters=4 if name in ("clust_mix", "cluster_means") else None)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_rows_are_of_the_domain(mechanism, plans):
    found = synthesize(random_table(5000, 1), DOMAIN, BUDGET, design_of(mechanism), rows=700, planned=plans[mechanism])
    table = found.table
    assert table.column_names == ["age", "city", "height", "ill"]
    assert table.num_rows == 700
    age = np.asarray(table["age"])
    assert age.min() >= 0
    assert age.max() <= 99
    assert set(table["city"].to_pylist()) <= {b"Ulm", b"Bonn", "東京".encode(), None}
    assert set(table["ill"].to_pylist()) <= {0, 1}
    heights = [v for v in table["height"].to_pylist() if v is not None]
    assert 100 <= min(heights) <= max(heights) <= 220
    assert table["height"].null_count > 30


@pytest.mark.parametrize("mechanism", ["class_wise_mixing", "clust_mix", "cluster_means"])
def test_classes_keep_their_distributions(mechanism, plans):
    real = structured_table(20_000)
    found = synthesize(real, DOMAIN, BUDGET, design_of(mechanism), seed=2, planned=plans[mechanism])
    before, after = real.to_pandas(), found.table.to_pandas()
    assert len(after) == pytest.approx(20_000, rel=0.01)
    assert after["ill"].mean() == pytest.approx(before["ill"].mean(), abs=0.02)
    for ill in (0, 1):
        a, b = before[before["ill"] == ill], after[after["ill"] == ill]
        assert (b["city"] == b"Ulm").mean() == pytest.approx((a["city"] == "Ulm").mean(), abs=0.05)
        assert b["age"].mean() == pytest.approx(a["age"].mean(), abs=4)
        assert b["height"].mean() == pytest.approx(a["height"].mean(), abs=6)


def test_clusters_keep_what_goes_together_within_a_class():
    """Two groups of one class, each with an age and a city of its own."""
    random = np.random.default_rng(0)
    group = random.integers(0, 2, 20_000)
    table = pa.table(
        {
            "age": np.where(group == 1, 90, 10),
            "city": np.where(group == 1, "Ulm", "Bonn"),
            "height": np.where(group == 1, 200.0, 120.0),
            "ill": np.zeros(20_000, dtype=np.int64),
        }
    )
    together = {}
    for mechanism in ("class_wise_mixing", "cluster_means"):
        found = synthesize(table, DOMAIN, BUDGET, design_of(mechanism), seed=1).table.to_pandas()
        together[mechanism] = ((found["age"] > 50) == (found["city"] == b"Ulm")).mean()
    assert together["class_wise_mixing"] < 0.65
    assert together["cluster_means"] > 0.95


def test_new_noise_each_time_and_the_same_by_a_seed(plans):
    table, design = random_table(5000, 1), design_of("clust_mix")
    one, two = (synthesize(table, DOMAIN, BUDGET, design, rows=50, planned=plans["clust_mix"]) for _ in range(2))
    assert (one.released.counts != two.released.counts).any()
    assert (one.released.sums != two.released.sums).any()
    assert one.released.sums.dtype == np.int64
    seeded = [synthesize(table, DOMAIN, BUDGET, design, rows=50, seed=s, planned=plans["clust_mix"]) for s in (3, 3, 4)]
    assert seeded[0].table.equals(seeded[1].table)
    assert not seeded[0].table.equals(seeded[2].table)


def test_inducing_points_keep_classes(plans):
    real = structured_table(20_000)
    found = synthesize(real, DOMAIN, BUDGET, design_of("clust_mix"), points=20, seed=0, planned=plans["clust_mix"])
    after = found.table.to_pandas()
    assert after["ill"].mean() == pytest.approx(0.4, abs=0.03)
    assert after.loc[after["ill"] == 1, "age"].mean() > after.loc[after["ill"] == 0, "age"].mean() + 10
    with pytest.raises(PolicyError, match="inducing points need a label"):
        synthesize(real, DOMAIN, BUDGET, design_of("random_mixing"), points=5, planned=plans["random_mixing"])


def test_delta_is_held_against_the_noisy_number_of_people():
    with pytest.raises(GuaranteeError, match=r"delta is too large for so many people.*noisy"):
        synthesize(random_table(5000, 1), DOMAIN, Budget(1.0, 1e-4), Design("class_wise_mixing"))


@pytest.mark.parametrize("rows", [0, 20])
def test_too_few_people_are_refused_without_saying_how_many(rows):
    with pytest.raises(GuaranteeError, match="no cell has enough people") as caught:
        synthesize(random_table(rows, 1), DOMAIN, Budget(0.1, 1e-9), Design("class_wise_mixing"), seed=0)
    assert str(rows) not in str(caught.value).split("got:")[0]


def test_a_column_of_another_type_is_refused_without_a_value():
    table = random_table(50, 1).to_pandas().assign(age="secret")
    with pytest.raises(ColumnError, match="column 'age' does not hold what the schema says") as caught:
        synthesize(pa.Table.from_pandas(table), DOMAIN, BUDGET)
    assert "secret" not in str(caught.value)


def test_people_of_many_rows():
    table = random_table(9000, 1)
    found = synthesize(table, DOMAIN, BUDGET, Design("class_wise_mixing"), entity_id="who", seed=0)
    # A third as many people as rows, and labels that are no class for a third of those.
    assert found.released.total < 3000
    assert "who" not in found.table.column_names
    with pytest.raises(ColumnError, match="'whose'"):
        synthesize(table, DOMAIN, BUDGET, entity_id="whose")
