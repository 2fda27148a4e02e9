"""Summaries of shards add up to what one table would have said."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tests.support.shards import skewed_people
from tfx_anonymizer import AnonymizationPolicy
from tfx_anonymizer.report.release import compare_column
from tfx_anonymizer.transforms.group_table import anonymize_table
from tfx_anonymizer.transforms.method import Method
from tfx_anonymizer.transforms.summary import Change, Distinct, add_up

POLICY = AnonymizationPolicy(("age", "zip"), 4, label="ill")


def test_two_halves():
    table = pa.Table.from_pandas(skewed_people(400), preserve_index=False)
    found = [
        anonymize_table(half, POLICY, Method("guided_tree"))[2] for half in (table.slice(0, 150), table.slice(150))
    ]
    total = add_up([None, *found])
    assert total.rows == 400
    assert total.classes == found[0].classes + found[1].classes
    assert total.smallest == min(one.smallest for one in found)
    facts = total.to_dict()
    assert (facts["partitioner"], facts["shards"]) == ("guided_tree", 2)
    assert facts["attributes"]["zip"]["distinct_before"] == len(table["zip"].unique())
    assert add_up([]) is None


def test_a_column_is_compared_as_ever():
    before, after = pa.array([1, 2, None, 4]), pa.array([2, 2, None, 2])
    change = Change.of(before, after, np.array([0, 0, 1, 0]), ordered=True)
    expected = compare_column(before, after)
    assert (change.before.number, change.after.number) == (expected["distinct_before"], expected["distinct_after"])
    assert 1 - change.same / 4 == expected["share_changed"]


def test_a_great_many_values_are_estimated():
    numbers = np.arange(300_000)
    whole = Distinct.of(pa.array(numbers[:200_000])) + Distinct.of(pa.array(numbers[100_000:]))
    assert abs(whole.number / 300_000 - 1) < 0.03
    assert Distinct.of(pa.array(numbers)).number == 300_000
    few = Distinct.of(pa.array(["a", None])) + Distinct.of(pa.array(["b", None]))
    assert few.number == 3
