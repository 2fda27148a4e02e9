"""Attacks on releases: each finds the leak it is made for, and none where the control fares as well."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tests.support.people import make_people
from tfx_anonymizer.attacks import roc
from tfx_anonymizer.attacks.encoding import encode, row_codes
from tfx_anonymizer.attacks.release.comparison import Comparison
from tfx_anonymizer.attacks.release.inference import inference
from tfx_anonymizer.attacks.release.linkability import linkability
from tfx_anonymizer.attacks.release.presence import nearness, presence, rows_in_small_classes
from tfx_anonymizer.attacks.release.singling_out import singling_out
from tfx_anonymizer.core import AccuracyGuidedAnonymizer
from tfx_anonymizer.errors import ColumnError

NAMES = ["age", "height", "city", "zip", "income", "ill", "diagnosis"]
QI = ["age", "height", "city", "zip"]
K = 10


def table(frame: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(frame, preserve_index=False)


@pytest.fixture(scope="module")
def people():
    """Members, control and the members' release; the income is left out, which is everybody's own."""
    everyone = make_people(1600)
    members, control = everyone.iloc[:800], everyone.iloc[800:]
    released = AccuracyGuidedAnonymizer(
        QI, K, label="ill", categorical=["zip"], partitioner="guided_tree", representative="median"
    ).fit_transform(members)
    names = [name for name in NAMES if name != "income"]
    return [table(frame[names]) for frame in (members, control, released)]


def encoded(tables, names=None):
    return encode(tables, names or tables[0].column_names, ["zip"])


def test_a_copied_release_tells_all_and_an_anonymized_one_hardly_anything(people):
    members, control, _ = people
    copied = encoded([members, control, members])
    found = presence("presence", copied)
    assert found.successes == found.attempts == 800
    assert found.control_successes < 40
    assert found.p_value < 1e-100
    assert found.risk.low > 0.9
    honest = presence("presence", encoded(people, QI))
    # Medians are values that members have: now and then all of them are one member's.
    assert honest.rate.value < 0.02
    assert honest.risk.low < 0.005


def test_ten_copied_records_are_caught(people):
    members, control, released = people
    planted = pa.concat_tables([released.slice(10), members.slice(0, 10)])
    found = presence("small", encoded([members, control, planted], QI), below=K)
    assert found.successes >= 10
    assert found.control_successes <= 1
    assert found.p_value < 0.01
    assert rows_in_small_classes(encoded([members, control, planted], QI).tables[2], K) >= 10
    assert presence("small", encoded(people, QI), below=K).successes == 0
    assert rows_in_small_classes(encoded(people, QI).tables[2], K) == 0


def test_nearness(people):
    members, control, _ = people
    near, far = nearness(encoded([members, control, members], QI))
    assert (near == 0).all()
    assert roc.auc(np.concatenate([near, far]), np.arange(1600) < 800) > 0.8
    near, far = nearness(encoded(people, QI))
    assert abs(roc.auc(np.concatenate([near, far]), np.arange(1600) < 800) - 0.5) < 0.05


@pytest.mark.parametrize("attributes", [2, 3])
def test_singling_out(people, attributes):
    members, control, _ = people
    found = singling_out(encoded([members, control, members]), attributes=attributes, attempts=300)
    assert found.attempts == 300
    assert found.successes > 2 * found.control_successes
    # Of k and more alike none is alone: there is nothing to try.
    none = singling_out(encoded(people, QI), attributes=attributes)
    assert none.attempts > none.successes == none.control_successes == 0
    assert none.risk.high < 0.02


def test_linkability(people):
    members, control, _ = people
    known = (["age", "city"], ["height", "zip"])
    found = linkability(encoded([members, control, members], QI), known)
    assert found.rate.value > 2 * found.control_rate.value
    assert found.p_value < 1e-6
    assert linkability(encoded(people, QI), known).p_value > 0.05


def test_inference(people):
    members, control, _ = people
    copied = inference(encoded([members, control, members]), "diagnosis")
    assert copied.rate.value > 0.9
    assert copied.risk.low > 0.5
    # A person's own value is one of ten and more that their class is read by.
    assert inference(encoded(people), "diagnosis").risk.value < 0.15
    numbers = inference(encoded([members, control, members], [*QI, "age"][:4]), "age")
    assert numbers.rate.value > numbers.control_rate.value


def test_no_quasi_identifier_but_one_and_empty_strings():
    frame = pa.table({"a": ["", None, "x", "東京"], "b": [1.5, None, float("nan"), 2.0]})
    found = encode([frame, frame.slice(1, 2)], ["a", "b"])
    codes = row_codes(found.tables)
    assert len(set(codes[0].tolist())) == 4
    assert codes[1].tolist() == codes[0][1:3].tolist()
    assert [points.shape for points in found.points()] == [(4, 6), (2, 6)]
    with pytest.raises(ColumnError, match="did you mean 'a'"):
        encode([frame], ["aa"])


def test_points_keep_distances():
    frame = pa.table({"a": ["x", "y"], "b": [0, 10], "c": [None, 4.0]})
    (points,) = encode([frame], ["a", "b", "c"]).points()
    # A category apart: 1; the whole range: 1; missing against a known value: half the range and half a unit aside.
    assert ((points[0] - points[1]) ** 2).sum() == pytest.approx(1 + 1 + 0.5)


def test_a_comparison_by_hand():
    found = Comparison("x", 100, 40, 100, 20)
    assert found.risk.value == pytest.approx((0.4 - 0.2) / 0.8)
    assert found.risk.low < 0.1 < 0.4 < found.risk.high
    assert found.p_value < 0.01
    assert Comparison("x", 100, 5, 100, 100).risk.value == 0.0
    empty = Comparison("x", 0, 0, 0, 0)
    assert (empty.risk.low, empty.risk.high) == (0.0, 1.0)
    assert empty.to_dict()["p_value"] == 1.0
