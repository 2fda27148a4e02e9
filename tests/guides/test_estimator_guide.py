"""Built-in estimators: out of fold, the same in any order, stored without pickle."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.metrics import roc_auc_score

from tests.support.people import make_people
from tfx_anonymizer.errors import ColumnError, GuideError, PolicyError
from tfx_anonymizer.guides import ESTIMATOR_NAMES, EstimatorGuide, fit_estimator
from tfx_anonymizer.guides.estimator_guide import FOLDS, fold_of

LEAVE_OUT = ["name", "person"]


@pytest.fixture(scope="module")
def people():
    return pa.Table.from_pandas(make_people(600))


@pytest.fixture(scope="module")
def fitted(people):
    options = {"leave_out": LEAVE_OUT, "categorical": ["zip"]}
    return {name: fit_estimator(people, "ill", name, **options) for name in ESTIMATOR_NAMES}


@pytest.mark.parametrize("name", ESTIMATOR_NAMES)
def test_each_learns_and_is_stored(name, people, fitted):
    guide = fitted[name]
    predictions = guide.predict(people)
    assert predictions.shape == (600, 2)
    assert np.allclose(predictions.sum(axis=1), 1.0)
    assert roc_auc_score(people["ill"].to_numpy(), predictions[:, 1]) > 0.85
    again = EstimatorGuide.from_files(guide.to_files())
    assert (again.predict(people) == predictions).all()
    assert again.columns == guide.columns
    assert not set(LEAVE_OUT) & set(guide.columns)


def test_random_labels_are_not_repeated():
    rng = np.random.default_rng(0)
    table = pa.Table.from_pandas(make_people(600)).append_column("coin", pa.array(rng.integers(0, 2, 600)))
    guide = fit_estimator(table, "coin", "random_forest", leave_out=LEAVE_OUT)
    coin = table["coin"].to_numpy()
    assert roc_auc_score(coin, guide.predict_new(table)[:, 1]) > 0.9
    assert 0.4 < roc_auc_score(coin, guide.predict(table)[:, 1]) < 0.6


def test_the_fold_follows_the_content():
    frame = pd.DataFrame({"a": np.arange(3000.0), "b": [f"v{i % 7}" for i in range(3000)]})
    folds = fold_of(frame)
    assert set(folds) == set(range(FOLDS))
    assert np.bincount(folds).min() > 850
    order = np.random.default_rng(0).permutation(3000)
    assert (fold_of(frame.iloc[order]) == folds[order]).all()
    assert fold_of(frame.iloc[[5]])[0] == folds[5]


def test_row_order_does_not_matter(people):
    order = np.random.default_rng(1).permutation(600)
    shuffled = people.take(pa.array(order))
    for name in ("gradient_boosting", "random_forest"):
        first = fit_estimator(people, "ill", name, leave_out=LEAVE_OUT).predict(people)
        second = fit_estimator(shuffled, "ill", name, leave_out=LEAVE_OUT).predict(shuffled)
        assert (first[order] == second).all()


def test_regression(people):
    guide = fit_estimator(people, "income", "gradient_boosting", leave_out=LEAVE_OUT)
    assert guide.task == "regression"
    assert guide.predict(people).shape == (600,)
    with pytest.raises(GuideError, match="logistic_regression cannot follow"):
        fit_estimator(people, "income", "logistic_regression")


def test_a_class_of_one_row_and_missing_labels(people):
    rare = ["x"] * 300 + ["y"] * 298 + ["once", None]
    table = people.append_column("rare", pa.array(rare))
    guide = fit_estimator(table, "rare", "gradient_boosting", leave_out=[*LEAVE_OUT, "ill"])
    assert guide.classes == ("once", "x", "y")
    assert guide.predict(table).shape == (600, 3)


def test_refusals(people):
    with pytest.raises(ColumnError, match="did you mean 'ill'"):
        fit_estimator(people, "illl", "mlp")
    with pytest.raises(PolicyError, match="estimator is not known"):
        fit_estimator(people, "ill", "svm")
    with pytest.raises(GuideError, match="fewer than two values"):
        fit_estimator(people.append_column("same", pa.array(["x"] * 600)), "same", "mlp")


def test_damaged_files_are_refused(fitted):
    files = fitted["logistic_regression"].to_files()
    with pytest.raises(GuideError, match="cannot be read"):
        EstimatorGuide.from_files({k: v for k, v in files.items() if k != "fold-1.skops"})
    header = json.loads(files["estimator.json"])
    with pytest.raises(GuideError, match="version is not known"):
        EstimatorGuide.from_files({**files, "estimator.json": json.dumps({**header, "format_version": 9}).encode()})


def test_foreign_types_are_not_loaded(fitted):
    import skops.io
    from sklearn.preprocessing import FunctionTransformer

    import tests.guides.test_features as foreign

    files = fitted["logistic_regression"].to_files()
    files["whole.skops"] = skops.io.dumps(FunctionTransformer(foreign.test_tasks))
    with pytest.raises(GuideError, match="not trusted"):
        EstimatorGuide.from_files(files)
