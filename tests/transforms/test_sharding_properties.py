"""Any skewed data, any promise, any size of shards: it holds by the definitions, or is refused for a reason."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.beam import batches_of, run
from tests.support.recount import breaches, rows_of
from tests.support.shards import QUASI_IDENTIFIERS, skewed_people
from tfx_anonymizer import AnonymizationPolicy
from tfx_anonymizer.errors import GuaranteeError
from tfx_anonymizer.transforms.anonymize import Anonymize
from tfx_anonymizer.transforms.columns import project, unify
from tfx_anonymizer.transforms.method import Method

PROMISES = st.sampled_from(
    [
        {},
        {"entity_id": "person"},
        {"sensitive": ["diagnosis"], "l": 3},
        {"sensitive": ["ill", "dose"], "l": 1.4, "diversity": "entropy"},
        {"sensitive": ["dose"], "l": 2, "diversity": "recursive", "c": 4},
        {"sensitive": ["diagnosis", "dose"], "t": 0.15},
        {"sensitive": ["ill"], "t": 0.3, "l": 2, "entity_id": "person"},
    ]
)


def anonymize(table, batch_rows, policy, method):
    found = run(batches_of(table, batch_rows), lambda rows: dict(rows | Anonymize(policy, method, "train")))
    released = unify(found["released"])
    return rows_of(project(released, sorted(released.column_names)).to_pandas()), found["summary"][0]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 10_000),
    rows=st.integers(30, 400),
    k=st.integers(2, 12),
    promise=PROMISES,
    suppressed=st.sampled_from([0.0, 0.0, 0.07]),
    shard=st.integers(0, 60),
    batch_rows=st.integers(5, 200),
    partitioner=st.sampled_from(["guided_tree", "guided_tree", "mdav"]),
)
def test_what_is_promised_holds_over_all_shards_or_cannot_hold(
    seed, rows, k, promise, suppressed, shard, batch_rows, partitioner
):
    people = skewed_people(rows, seed)
    policy = AnonymizationPolicy(
        tuple(QUASI_IDENTIFIERS), k, label="ill", categorical=("zip",), max_suppressed=suppressed, **promise
    )
    method = Method(partitioner, max_rows_per_shard=2 * k + shard)
    table = pa.Table.from_pandas(people, preserve_index=False)
    try:
        released, summary = anonymize(table, batch_rows, policy, method)
    except GuaranteeError:
        whole = rows_of(people.assign(age=0, city="all", zip=0))
        assert breaches(whole, QUASI_IDENTIFIERS, k, **promise)
        return
    assert breaches(released, QUASI_IDENTIFIERS, k, **promise) == []
    assert len(people) - len(released) == summary["suppressed"] <= suppressed * rows
    kept = {row["number"] for row in released}
    assert len(kept) == len(released)
    untouched = [name for name in people if name not in QUASI_IDENTIFIERS]
    before = {row["number"]: row for row in rows_of(people[untouched])}
    assert all({name: row[name] for name in untouched} == before[row["number"]] for row in released)
    again, same = anonymize(table.take(pa.array(range(rows - 1, -1, -1))), rows, policy, method)
    assert (sorted(map(repr, again)), same) == (sorted(map(repr, released)), summary)


def test_tiny_shards_of_tiny_splits():
    table = pa.Table.from_pandas(skewed_people(5, 1), preserve_index=False)
    policy = AnonymizationPolicy(tuple(QUASI_IDENTIFIERS), 2, label="ill")
    released, summary = anonymize(table, 1, policy, Method("guided_tree", max_rows_per_shard=4))
    assert breaches(released, QUASI_IDENTIFIERS, 2) == []
    assert (summary["rows"], len(released)) == (5, 5)
