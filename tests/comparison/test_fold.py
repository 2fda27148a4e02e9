from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tests.support.people import QUASI_IDENTIFIERS, make_people
from tfx_anonymizer.comparison import Plan
from tfx_anonymizer.comparison.fold import Fold, fold_of_rows, score
from tfx_anonymizer.errors import InputDataError
from tfx_anonymizer.policy import AnonymizationPolicy


def people(rows=240):
    table = pa.Table.from_pandas(make_people(rows), preserve_index=False)
    return table.select([name for name in table.column_names if name != "name"])


def plan(**values):
    roles = {"quasi_identifiers": QUASI_IDENTIFIERS, "k": 2, "label": "ill", **values.pop("roles", {})}
    return Plan(AnonymizationPolicy(**roles), **{"ks": (5,), "model": "logistic_regression", "effort": "low", **values})


def test_a_row_keeps_its_fold_wherever_it_stands():
    table = people()
    folds = fold_of_rows(table, plan())
    assert set(folds.tolist()) == {0, 1, 2}
    shuffled = np.random.default_rng(1).permutation(240)
    assert (fold_of_rows(table.take(shuffled), plan()) == folds[shuffled]).all()
    assert (fold_of_rows(table, plan(seed=8)) != folds).any()


def test_nobody_stands_on_both_sides():
    table = people()
    folds = fold_of_rows(table, plan(roles={"entity_id": "person"}))
    sides = {(person, fold) for person, fold in zip(table.column("person").to_pylist(), folds.tolist(), strict=True)}
    assert len(sides) == len(set(table.column("person").to_pylist()))


def test_too_few_rows_to_keep_some_aside():
    with pytest.raises(InputDataError, match="too few rows"):
        fold_of_rows(people(3).slice(0, 1), plan())


def test_a_cell_says_what_its_release_costs():
    fold = Fold(people(), plan(), 1)
    cell, coarse = fold.cell("auto", 5), fold.cell("guided_tree", 80)
    assert cell.reached
    assert (cell.partitioner, cell.k, cell.fold, cell.chosen) == ("auto", 5, 1, "guided_tree, median")
    assert cell.score_raw == coarse.score_raw
    assert 0.5 < cell.score <= 1.0
    assert cell.classes > coarse.classes >= 1
    assert 0 < cell.changed < 1
    # A linear model of three numbers keeps nothing of single rows.
    assert abs(cell.membership - 0.5) < 0.15
    assert not fold.cell("auto", 10_000).reached


def test_scores_worked_by_hand():
    truth = np.array(["a", "b", "b", "b"])
    sure = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.4, 0.6]])
    assert score("accuracy", ("a", "b"), truth, sure) == 0.75
    assert score("balanced_accuracy", ("a", "b"), truth, sure) == pytest.approx((1 + 2 / 3) / 2)
    assert score("roc_auc", ("a", "b"), truth, sure) == 1.0
    assert score("r2", (), np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0])) == 0.5
