"""Large splits: cut into shards, refined one by one; the same for any workers, and every promise holds over all."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tests.support.beam import batches_of, run
from tests.support.recount import breaches, rows_of
from tests.support.shards import QUASI_IDENTIFIERS, skewed_people
from tfx_anonymizer import AnonymizationPolicy
from tfx_anonymizer.core import Generalization
from tfx_anonymizer.core.shards.release import ShardedGeneralization
from tfx_anonymizer.errors import ColumnError, GuaranteeError, PolicyError
from tfx_anonymizer.transforms.anonymize import Anonymize
from tfx_anonymizer.transforms.apply import ApplyGeneralization
from tfx_anonymizer.transforms.columns import GUIDE_COLUMN, project, unify
from tfx_anonymizer.transforms.method import Method

POLICY = AnonymizationPolicy(tuple(QUASI_IDENTIFIERS), 5, label="ill", categorical=("zip",))
METHOD = Method("guided_tree", max_rows_per_shard=200)


@pytest.fixture(scope="module")
def people():
    return pa.Table.from_pandas(skewed_people(1500), preserve_index=False)


def anonymize(batches, policy=POLICY, method=METHOD, args=()):
    return run(batches, lambda elements: dict(elements | Anonymize(policy, method, "train")), args)


def released_rows(found, names=None):
    table = unify(found["released"])
    plain = project(table, sorted(names or table.column_names))
    return rows_of(plain.to_pandas())


def multiset(rows):
    return sorted(repr(sorted(row.items())) for row in rows)


def check(people, found, policy, **promise):
    rows = released_rows(found)
    assert breaches(rows, policy.quasi_identifiers, policy.k, **promise) == []
    untouched = [name for name in people.column_names if name not in policy.quasi_identifiers]
    if not policy.max_suppressed:
        before = rows_of(people.select(untouched).to_pandas())
        assert multiset({n: row[n] for n in untouched} for row in rows) == multiset(before)
    return rows


def test_a_large_split_is_cut_and_keeps_k(people):
    found = anonymize(batches_of(people))
    rows = check(people, found, POLICY)
    (summary,) = found["summary"]
    assert summary["shards"] > 10
    assert summary["undivided_shards"] == 0
    assert summary["rows"] == len(rows) == 1500
    # Many shards lose little: still many classes.
    assert summary["classes"] > 1500 / POLICY.k / 4
    assert summary["classes"] >= len({tuple(row[n] for n in QUASI_IDENTIFIERS) for row in rows})


def in_processes(workers):
    return [f"--direct_num_workers={workers}", "--direct_running_mode=multi_threading"]


@pytest.mark.parametrize("method", [METHOD, Method("mdav", "altered_medoid", max_rows_per_shard=300)])
def test_workers_batches_and_order_do_not_matter(people, method):
    first = anonymize(batches_of(people, 1500), method=method)
    backwards = people.take(pa.array(list(range(people.num_rows))[::-1]))
    for rows, workers, table in ((37, 1, backwards), (200, 2, people), (90, 8, backwards)):
        other = anonymize(batches_of(table, rows), method=method, args=in_processes(workers))
        assert multiset(released_rows(other)) == multiset(released_rows(first))
        assert other["summary"] == first["summary"]
        assert dict(other["files"]) == dict(first["files"])


def test_worker_processes_do_not_matter(people):
    first = anonymize(batches_of(people))
    args = ["--direct_num_workers=2", "--direct_running_mode=multi_processing"]
    other = anonymize(batches_of(people, 70), args=args)
    assert multiset(released_rows(other)) == multiset(released_rows(first))
    assert dict(other["files"]) == dict(first["files"])


def test_a_split_of_one_shard_is_as_ever(people):
    whole = anonymize(batches_of(people), method=Method("guided_tree"))
    same = anonymize(batches_of(people), method=Method("guided_tree", max_rows_per_shard=1500))
    assert dict(whole["files"]) == dict(same["files"])
    assert {"generalization.json", "representatives.arrow", "examples.json"} <= set(dict(whole["files"]))
    cut = anonymize(batches_of(people), method=Method("guided_tree", max_rows_per_shard=1499))
    assert "shard-00000.zip" in dict(cut["files"])


@pytest.mark.parametrize(
    "promise",
    [
        {"entity_id": "person"},
        {"sensitive": ["diagnosis"], "l": 3},
        {"sensitive": ["ill", "diagnosis"], "l": 1.5, "diversity": "entropy"},
        {"sensitive": ["diagnosis"], "l": 2, "diversity": "recursive", "c": 3},
        {"sensitive": ["dose", "ill"], "t": 0.25},
        {"sensitive": ["ill"], "t": 0.05, "l": 2, "entity_id": "person"},
    ],
)
def test_other_promises_hold_over_all_shards(people, promise):
    policy = dataclasses.replace(POLICY, **promise)
    found = anonymize(batches_of(people), policy)
    check(people, found, policy, **promise)


@pytest.mark.parametrize("promise", [{}, {"entity_id": "person"}, {"sensitive": ["ill"], "t": 0.3}])
def test_no_more_rows_are_left_out_than_allowed(people, promise):
    policy = dataclasses.replace(POLICY, max_suppressed=0.05, **promise)
    found = anonymize(batches_of(people), policy)
    rows = check(people, found, policy, **promise)
    (summary,) = found["summary"]
    assert summary["suppressed"] == 1500 - len(rows) <= 75
    # Who is left out would move the whole that t is measured from.
    assert ("t" in promise) == (summary["suppressed"] == 0)


def test_one_value_that_no_cut_divides():
    table = pa.Table.from_pandas(skewed_people(900, seed=3), preserve_index=False)
    same = pa.array(["Ulm"] * 900), pa.array([33.0] * 900), pa.array([7] * 900)
    for name, column in zip(("city", "age", "zip"), same, strict=True):
        table = table.set_column(table.column_names.index(name), name, column)
    found = anonymize(batches_of(table))
    check(table, found, POLICY)
    (summary,) = found["summary"]
    assert (summary["undivided_shards"], summary["classes"], summary["largest_class"]) == (1, 1, 900)
    assert summary["attributes"]["age"]["share_changed"] == 0


def test_a_giant_value_among_others_loses_nothing_of_it(people):
    giant = people.slice(0, 1)
    table = pa.concat_tables([people, *[giant] * 2000])
    found = anonymize(batches_of(table, 500))
    rows = check(table, found, POLICY)
    (summary,) = found["summary"]
    assert summary["undivided_shards"] == 1
    assert summary["classes"] > 100
    (row,) = rows_of(giant.to_pandas())
    kept = sum(all(released[name] == row[name] for name in QUASI_IDENTIFIERS) for released in rows)
    assert kept > 1900
    again = anonymize(batches_of(table.take(pa.array(np.random.default_rng(0).permutation(len(table)))), 99))
    assert multiset(released_rows(again)) == multiset(rows)


def test_too_strict_for_any_cut_is_one_class(people):
    policy = dataclasses.replace(POLICY, sensitive=("ill",), t=0.0)
    found = anonymize(batches_of(people), policy)
    check(people, found, policy, sensitive=["ill"], t=0.0)
    (summary,) = found["summary"]
    assert summary["classes"] == 1


@pytest.mark.parametrize(
    ("change", "policy", "error", "says"),
    [
        ({"person": 1}, dataclasses.replace(POLICY, entity_id="person"), GuaranteeError, "fewer than k distinct"),
        ({"person": None}, dataclasses.replace(POLICY, entity_id="person"), ColumnError, "missing in some rows"),
        ({"ill": 1}, dataclasses.replace(POLICY, sensitive=("ill",), l=2), GuaranteeError, "'ill'"),
        ({"age": None}, POLICY, ColumnError, "'age' is missing in every row"),
    ],
)
def test_refusals(change, policy, error, says):
    table = skewed_people(600).assign(**change)
    table = pa.Table.from_pandas(table, preserve_index=False)
    with pytest.raises(error, match=says):
        anonymize(batches_of(table), policy)


def test_shards_smaller_than_two_classes_are_refused():
    with pytest.raises(PolicyError, match=r"max_rows_per_shard is too small.*9, k=5"):
        Anonymize(POLICY, Method(max_rows_per_shard=9), "train")


def test_the_generalization_places_other_rows(people, tmp_path):
    found = anonymize(batches_of(people))
    files = dict(found["files"])
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    loaded = Generalization.load(tmp_path)
    assert isinstance(loaded, ShardedGeneralization)
    (summary,) = found["summary"]
    assert loaded.classes == summary["classes"]
    again = loaded.apply(people)
    assert multiset(rows_of(again.to_pandas())) == multiset(released_rows(found))
    assert (loaded.assign(people.to_pandas()) == loaded.assign(people)).all()
    loaded.save(tmp_path / "again")
    stored = {p.name: p.read_bytes() for p in (tmp_path / "again").iterdir()}
    assert stored == {name: data for name, data in files.items() if name != "examples.json"}

    other = skewed_people(300, seed=9).assign(city="Nowhere")
    other = pa.Table.from_pandas(other, preserve_index=False)

    def build(elements):
        import apache_beam as beam

        side = elements.pipeline | "Files" >> beam.Create(list(files.items()))
        return elements | ApplyGeneralization(POLICY, side)

    placed = rows_of(project(unify(run(batches_of(other, 33), build)), other.column_names).to_pandas())
    assert multiset(placed) == multiset(rows_of(loaded.apply(other).select(placed[0]).to_pandas()))


def test_a_guide_steers_shards_as_it_does_the_whole(people):
    guide = 1 / (1 + np.exp(-(np.nan_to_num(np.asarray(people["age"].to_pandas()), nan=40) - 40) / 5))
    found = anonymize(batches_of(people.append_column(GUIDE_COLUMN, pa.array(guide))))
    check(people, found, POLICY)
    (summary,) = found["summary"]
    assert summary["guide"] == "model"


def test_missing_has_one_form_over_all_shards(people):
    table = unify(batches_of(people, 1500))
    position = table.column_names.index("city")
    empty = pa.array([v or [] for v in table["city"].to_pylist()], table.schema.field("city").type)
    found = anonymize(table.set_column(position, "city", empty).combine_chunks().to_batches(200))
    assert unify(found["released"])["city"].null_count == 0


def test_effort_is_that_of_the_whole_split(people):
    (summary,) = anonymize(batches_of(people), method=Method(max_rows_per_shard=400, effort="medium"))["summary"]
    assert summary["shards"] > 1
    assert summary["smallest_class"] >= POLICY.k


def test_no_row_nor_its_place_leaks_into_the_order(people):
    found = anonymize(batches_of(people))
    numbers = [v for b in found["released"] for (v,) in b.column(b.schema.get_field_index("number")).to_pylist()]
    assert abs(np.corrcoef(numbers, range(len(numbers)))[0, 1]) < 0.2
    assert pd.Series(numbers).diff().eq(1).mean() < 0.05
