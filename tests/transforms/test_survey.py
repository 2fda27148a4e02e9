"""The survey of a split: exact where it counts, and the same sample however rows were dealt out."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tests.support.beam import batches_of, run
from tests.support.shards import QUASI_IDENTIFIERS, skewed_people
from tfx_anonymizer import AnonymizationPolicy
from tfx_anonymizer.errors import ColumnError, InputDataError
from tfx_anonymizer.transforms.survey import Survey, SurveyRows

POLICY = AnonymizationPolicy(tuple(QUASI_IDENTIFIERS), 3, label="ill")


def survey(table, rows, **options):
    (found,) = run(batches_of(table, rows), lambda elements: elements | SurveyRows(POLICY, **options))
    return found


def test_order_and_batches_do_not_matter():
    people = pa.Table.from_pandas(skewed_people(900).drop(columns="number"), preserve_index=False)
    table = pa.concat_tables([people, people.slice(0, 1), people.slice(0, 1), people.slice(7, 50)])
    first = survey(table, 1000, sample_rows=100)
    mixed = table.take(pa.array(np.random.default_rng(0).permutation(len(table))))
    for rows in (7, 100):
        other = survey(mixed, rows, sample_rows=100)
        assert (other.rows, other.present, other.types) == (first.rows, first.present, first.types)
        np.testing.assert_array_equal(other.sample.hashes, first.sample.hashes)
        np.testing.assert_array_equal(other.sample.counts, first.sample.counts)
        assert other.sample.table.equals(first.sample.table)
    assert first.rows == len(table)
    assert len(first.sample.hashes) == 100
    assert not np.array_equal(survey(table, 1000, sample_rows=100, seed=1).sample.hashes, first.sample.hashes)


def test_a_sample_of_all_counts_all():
    table = pa.Table.from_pandas(skewed_people(80).drop(columns="number"), preserve_index=False)
    found = survey(pa.concat_tables([table, table, table]), 50)
    assert found.sample.counts.sum() == 240
    assert found.sample.counts.min() >= 3


def test_nothing_and_what_is_missing():
    assert survey(pa.table({"age": pa.array([], pa.int64())}), 1) == Survey()
    with pytest.raises(InputDataError, match="split 'a' holds no examples"):
        Survey().check(POLICY, "a")
    people = skewed_people(30).assign(city=None)
    found = survey(pa.Table.from_pandas(people, preserve_index=False), 10)
    assert found.present == {"age", "zip"}
    with pytest.raises(ColumnError, match="'city' is missing in every row"):
        found.check(POLICY, "a")
