"""Which columns an estimator learns from, and that batches look alike to it."""

import datetime

import numpy as np
import pyarrow as pa
import pytest

from tfx_anonymizer.errors import GuideError
from tfx_anonymizer.guides.features import Features, infer_task, label_values

TABLE = pa.table(
    {
        "age": [30, None, 50],
        "zip": [1, 2, 1],
        "city": pa.array([b"Ulm", None, b"K\xf6ln"]),
        "vip": [True, False, None],
        "born": pa.array([datetime.date(2000, 1, 1), None, datetime.date(1999, 1, 1)]),
        "empty": pa.nulls(3, pa.int64()),
        "ill": [0, 1, 0],
    }
)


def test_choice_leaves_out_what_it_must():
    found = Features.choose(TABLE, {"ill"}, categorical=["zip"])
    assert found.numeric == ("age", "born")
    assert found.categorical == ("city", "vip", "zip")
    with pytest.raises(GuideError, match="no column is left"):
        Features.choose(TABLE.select(["ill", "empty"]), {"ill"})


def test_a_batch_without_missing_values_looks_like_one_with():
    features = Features.choose(TABLE, {"ill"}, categorical=["zip"])
    whole, part = features.frame(TABLE), features.frame(TABLE.slice(0, 1))
    assert whole.dtypes.equals(part.dtypes)
    assert whole.head(1).equals(part)
    assert np.isnan(whole["age"][1])
    assert whole["city"].tolist()[0] == "Ulm"
    assert whole["city"].isna().tolist() == [False, True, False]


def test_an_absent_column_is_missing_and_a_changed_one_refused():
    features = Features.choose(TABLE, {"ill"})
    assert features.frame(TABLE.drop(["age"]))["age"].isna().all()
    with pytest.raises(GuideError, match="'age' was a number"):
        features.frame(TABLE.set_column(0, "age", pa.array(["x", "y", "z"])))


@pytest.mark.parametrize(
    ("label", "task"),
    [
        (pa.array(["a", "b"]), "classification"),
        (pa.array([True, False]), "classification"),
        (pa.array([0, 1, 2]), "classification"),
        (pa.array([0.0, 1.0, None]), "classification"),
        (pa.array(list(range(33))), "regression"),
        (pa.array([0.5, 1.5, 2.5]), "regression"),
    ],
)
def test_tasks(label, task):
    assert infer_task(label) == task


def test_label_values():
    assert label_values(pa.array([b"x", b"y"]), "classification").tolist() == ["x", "y"]
    assert label_values(pa.array([1, 2]), "regression").tolist() == [1.0, 2.0]
