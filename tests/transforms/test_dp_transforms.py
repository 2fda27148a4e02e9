"""Noisy sums and rows in Beam: the same as in memory, whatever the bundles, and looked over by the schema."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tests.support.beam import batches_of, run
from tests.support.dp_tables import DOMAIN, random_table, schema_of, structured_table
from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.differential_privacy.layout import Layout
from tfx_anonymizer.differential_privacy.plan import Design, plan
from tfx_anonymizer.errors import GuaranteeError
from tfx_anonymizer.transforms.check_domain import CheckDomain
from tfx_anonymizer.transforms.code_people import CodePeople
from tfx_anonymizer.transforms.noisy_sums import NoisySums
from tfx_anonymizer.transforms.synthetic_rows import ROWS, SUMMARY, SyntheticRows, Wanted

BUDGET = Budget(4.0, 1e-6)
DESIGN = Design("clust_mix", clusters=2, iterations=2, mixtures=5, sampling_probability=0.5)


@pytest.fixture(scope="module")
def planned():
    return plan(DESIGN, BUDGET)


def released(table: pa.Table, planned, seed, rows: int = 100, entity_id=None, args=()):
    layout = Layout(DOMAIN, planned.design, entity_id)
    (found,) = run(
        batches_of(table, rows), lambda batches: batches | CodePeople(layout) | NoisySums(layout, planned, seed), args
    )
    return found


def test_bundles_and_order_do_not_matter_with_a_seed(planned):
    table = random_table(3000, 1)
    one = released(table, planned, 5, rows=100)
    shuffled = table.take(pa.array(np.random.default_rng(0).permutation(3000)))
    two = released(shuffled, planned, 5, rows=777)
    np.testing.assert_array_equal(one.counts, two.counts)
    np.testing.assert_array_equal(one.sums, two.sums)
    np.testing.assert_allclose(one.centres, two.centres)
    three = released(table, planned, 6)
    assert (one.counts != three.counts).any()


def test_without_a_seed_noise_is_new(planned):
    table = structured_table(2000)
    one, two = released(table, planned, None), released(table, planned, None)
    assert (one.sums != two.sums).any()
    assert one.total == pytest.approx(2000, abs=200)
    assert two.total == pytest.approx(2000, abs=200)


def test_an_empty_split_looks_like_noise(planned):
    layout = Layout(DOMAIN, planned.design)
    (found,) = run([], lambda batches: batches | CodePeople(layout) | NoisySums(layout, planned, None))
    assert found.sums.shape == (layout.cells, 5, layout.encoding.width)
    assert abs(found.total) < 200


def test_people_are_bounded_wherever_their_rows_are(planned):
    table = random_table(3000, 1)
    table = table.set_column(table.column_names.index("ill"), "ill", pa.array([0] * 3000))
    found = released(table, planned, 5, rows=50, entity_id="who")
    people = len(set(table["who"].to_pylist()))
    assert found.total == pytest.approx(people, abs=150)


def test_delta_too_large_stops_the_pipeline():
    loose = plan(Design("class_wise_mixing", mixtures=2, sampling_probability=0.5), Budget(4.0, 1e-3))
    with pytest.raises(GuaranteeError, match="delta is too large"):
        released(structured_table(2000), loose, None)


def test_rows_and_weights(planned):
    layout = Layout(DOMAIN, planned.design)
    table = structured_table(2000)

    def build(batches):
        noisy = batches | CodePeople(layout) | NoisySums(layout, planned, 1)
        return noisy | SyntheticRows(layout, planned, Wanted(2500, "weight", None, 3))

    found = run(batches_of(table), build)
    (summary,) = found[SUMMARY]
    assert [batch.num_rows for batch in found[ROWS]].count(1000) == 2
    rows = pa.Table.from_batches(found[ROWS]).to_pandas()
    assert len(rows) == summary["rows"] == 2500
    weights = rows["weight"].map(lambda cell: cell[0])
    assert weights.sum() == pytest.approx(summary["weight"] * 2500, rel=1e-4)
    assert weights.sum() == pytest.approx(2000, abs=200)
    again = run(batches_of(table, 333), build)
    assert sorted(pa.Table.from_batches(again[ROWS]).to_pandas().astype(str).agg("|".join, axis=1)) == sorted(
        rows.astype(str).agg("|".join, axis=1)
    )


def test_looking_over():
    schema = schema_of(
        'feature { name: "age" type: INT int_domain { min: 0 max: 99 } }'
        'feature { name: "size" type: FLOAT float_domain { max: 2.5 } }'
        'feature { name: "city" type: BYTES domain: "cities" } string_domain { name: "cities" value: "Köln" }'
    )
    batch = pa.RecordBatch.from_pydict(
        {
            "age": pa.array([[-1], [99], []], pa.large_list(pa.int64())),
            "size": pa.array([[2.5], [2.6], [-9.0]], pa.large_list(pa.float32())),
            "city": pa.array([["Köln".encode()], [b"Ulm"], None], pa.large_list(pa.large_binary())),
            "weight": pa.array([[0.5], [0.5], [1.0]], pa.large_list(pa.float32())),
            "new": pa.array([None, [1], None], pa.large_list(pa.int64())),
        }
    )
    checker = CheckDomain(schema.SerializeToString(), "weight")
    (found,) = run([batch, batch], lambda batches: batches | checker)
    assert dict(found.outside) == {"age": 2, "size": 2, "city": 2, "new": 2}
    assert dict(found.missing) == {"age": 2, "city": 2, "new": 4}
    assert (found.rows, found.weight) == (6, 4.0)
