"""Anonymizing in Beam: the same release for any batches, nothing of the input's order, refusals by name."""

from __future__ import annotations

import dataclasses

import pyarrow as pa
import pytest

from tests.support.beam import batches_of, run
from tests.support.people import QUASI_IDENTIFIERS, guide_for, make_people
from tfx_anonymizer import AnonymizationPolicy
from tfx_anonymizer.core import AccuracyGuidedAnonymizer, measure_privacy
from tfx_anonymizer.errors import ColumnError, GuaranteeError, InputDataError
from tfx_anonymizer.transforms.anonymize import Anonymize
from tfx_anonymizer.transforms.apply import ApplyGeneralization
from tfx_anonymizer.transforms.columns import GUIDE_COLUMN, project, unify
from tfx_anonymizer.transforms.files import from_files
from tfx_anonymizer.transforms.group_table import anonymize_table
from tfx_anonymizer.transforms.method import Method
from tfx_anonymizer.transforms.release_order import ShuffleRows, shuffled_batches

POLICY = AnonymizationPolicy(
    tuple(QUASI_IDENTIFIERS), 9, label="ill", categorical=("zip",), direct_identifiers=("name",)
)


@pytest.fixture(scope="module")
def people():
    return pa.Table.from_pandas(make_people(350), preserve_index=False)


def with_guide(table):
    guide = guide_for(table.to_pandas())
    return table.append_column(GUIDE_COLUMN, pa.array(guide))


def anonymize(batches, policy=POLICY, method=Method()):  # noqa: B008 (frozen)
    return run(batches, lambda elements: dict(elements | Anonymize(policy, method, "train")))


def rows_of(batches):
    table = unify(batches)
    return sorted(map(repr, table.select(sorted(table.column_names)).to_pylist()))


def test_the_release_is_that_of_the_core(people):
    found = anonymize(batches_of(with_guide(people), 64))
    (summary,), files = found["summary"], dict(found["files"])
    plain = project(unify(found["released"]), [n for n in people.column_names if n != "name"])
    # Names are nobody's to learn from: the transform drops direct identifiers first.
    expected = AccuracyGuidedAnonymizer.from_policy(POLICY).fit_transform(
        people.drop(["name"]), guide_for(people.to_pandas())
    )
    names = sorted(expected.column_names)
    assert sorted(map(repr, plain.select(names).to_pylist())) == sorted(map(repr, expected.select(names).to_pylist()))
    assert measure_privacy(plain, QUASI_IDENTIFIERS).k >= 9
    assert summary["classes"] == from_files(files)[0].classes
    assert summary["guide"] == "model"
    assert set(summary["attributes"]) == set(QUASI_IDENTIFIERS)
    assert summary["attributes"]["age"]["distinct_before"] > summary["attributes"]["age"]["distinct_after"]


@pytest.mark.parametrize("method", [Method(), Method("contribution_mdav", "typical"), Method("mdav", "median")])
def test_batches_and_order_do_not_matter(people, method):
    guided = with_guide(people)
    first = anonymize(batches_of(guided, 350), method=method)
    backwards = guided.take(pa.array(list(range(guided.num_rows))[::-1]))
    second = anonymize(batches_of(backwards, 37), method=method)
    assert rows_of(first["released"]) == rows_of(second["released"])
    assert first["summary"] == second["summary"]
    assert dict(first["files"]) == dict(second["files"])


def test_rows_left_out_do_not_depend_on_batches_or_order(people):
    policy = dataclasses.replace(POLICY, max_suppressed=0.06)
    guided = with_guide(people)
    first = anonymize(batches_of(guided, 350), policy)
    backwards = guided.take(pa.array(list(range(guided.num_rows))[::-1]))
    second = anonymize(batches_of(backwards, 37), policy)
    assert rows_of(first["released"]) == rows_of(second["released"])
    (summary,) = first["summary"]
    assert (summary["rows"], summary["suppressed"]) == (350, 21)
    assert unify(first["released"]).num_rows == 329
    assert dict(first["files"]) == dict(second["files"])


def test_the_label_guides_without_a_model(people):
    (summary,) = anonymize(batches_of(people))["summary"]
    assert summary["guide"] == "label"


def test_rows_do_not_come_out_in_their_order(people):
    table, _, _ = anonymize_table(with_guide(people), POLICY, Method())
    released = pa.Table.from_batches(shuffled_batches(table))
    assert released["person"].to_pylist() != table["person"].to_pylist()
    backwards = table.take(pa.array(list(range(table.num_rows))[::-1]))
    again = pa.Table.from_batches(shuffled_batches(backwards))
    assert again.equals(released)


def test_shuffling_loses_no_row(people):
    batches = batches_of(people, 50)
    found = run(batches, lambda elements: elements | ShuffleRows())
    assert rows_of(found) == rows_of(batches)


def test_other_rows_get_released_combinations(people):
    found = anonymize(batches_of(with_guide(people)))
    other = pa.Table.from_pandas(make_people(200, seed=11), preserve_index=False).drop(["city"])
    files = found["files"]

    def build(elements):
        import apache_beam as beam

        side = elements.pipeline | "Files" >> beam.Create(files)
        return elements | ApplyGeneralization(POLICY, side)

    placed = unify(run(batches_of(other, 33), build))
    assert "name" not in placed.column_names
    assert placed.num_rows == 200
    known = set(map(repr, project(unify(found["released"]), QUASI_IDENTIFIERS).to_pylist()))
    assert set(map(repr, project(placed, QUASI_IDENTIFIERS).to_pylist())) <= known
    assert sorted(map(repr, placed["income"].to_pylist())) == sorted(repr([v]) for v in other["income"].to_pylist())


def test_missing_keeps_its_form(people):
    batches = batches_of(with_guide(people), 350)
    table = unify(batches)
    position = table.column_names.index("city")
    empty = pa.array([v or [] for v in table["city"].to_pylist()], table.schema.field("city").type)
    found = anonymize([table.set_column(position, "city", empty).combine_chunks().to_batches()[0]])
    cities = unify(found["released"])["city"]
    assert cities.null_count == 0
    heights = unify(found["released"])["height"]
    assert [] not in heights.to_pylist()


@pytest.mark.parametrize(
    ("change", "policy", "error", "says"),
    [
        (lambda t: t.slice(0, 0), POLICY, InputDataError, "split 'train' holds no examples"),
        (lambda t: t.slice(0, 8), POLICY, GuaranteeError, "8 rows, k=9"),
        (lambda t: t.drop(["age"]), POLICY, ColumnError, "quasi_identifiers names a column 'age'"),
        (lambda t: t.drop(["ill"]), POLICY, ColumnError, "label names a column 'ill'"),
        (
            lambda t: t.set_column(t.column_names.index("age"), "age", pa.nulls(t.num_rows, pa.int64())),
            POLICY,
            ColumnError,
            "'age' is missing in every row",
        ),
    ],
)
def test_refusals(people, change, policy, error, says):
    with pytest.raises(error, match=says):
        anonymize(batches_of(change(with_guide(people))), policy)


def test_a_multi_valued_quasi_identifier(people):
    table = unify(batches_of(people))
    many = pa.array([[1, 2]] * table.num_rows, pa.large_list(pa.int64()))
    table = table.set_column(table.column_names.index("age"), "age", many)
    with pytest.raises(ColumnError, match="'age' is multi-valued"):
        anonymize(table.combine_chunks().to_batches())


def test_multi_valued_columns_outside_the_roles_are_untouched(people):
    table = unify(batches_of(with_guide(people), 350))
    tags = pa.array([[i, i + 1, i % 3] for i in range(350)], pa.large_list(pa.int64()))
    found = anonymize(table.append_column("tags", tags).combine_chunks().to_batches())
    assert sorted(map(tuple, unify(found["released"])["tags"].to_pylist())) == sorted(map(tuple, tags.to_pylist()))
