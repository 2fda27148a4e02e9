from __future__ import annotations

import json
import math

import pytest

from tfx_anonymizer.comparison import Comparison
from tfx_anonymizer.comparison.fold import Cell


def cell(partitioner, k, fold, score, raw=0.9, **values):
    facts = {"membership_raw": 0.6, "membership": 0.5, "classes": 10, "changed": 0.25, "chosen": "x", "seconds": 1.0}
    return Cell(partitioner, k, fold, reached=True, score_raw=raw, score=score, **{**facts, **values})


CELLS = [
    cell("tree", 10, 0, 0.89, raw=0.90, chosen="a, b"),
    cell("tree", 10, 1, 0.90, raw=0.94, classes=13, chosen="c, d"),
    cell("tree", 50, 0, 0.80, raw=0.90),
    cell("tree", 50, 1, 0.84, raw=0.94),
    cell("mdav", 10, 0, 0.87, raw=0.90),
    cell("mdav", 10, 1, 0.89, raw=0.94),
    cell("mdav", 50, 0, 0.85, raw=0.90),
    Cell("mdav", 50, 1, reached=False),
]


def test_means_over_folds_are_paired_with_the_raw_model_of_the_fold():
    found = Comparison.of(CELLS, "accuracy", "mlp", folds=2)
    assert found.score_raw == pytest.approx(0.92)
    tree, coarse, mdav, lost = found.points
    # Losses of 1 and 4 points: mean 2.5, standard error 1.5.
    assert (tree.partitioner, tree.k, tree.classes, tree.chosen) == ("tree", 10, 11.5, "a, b; c, d")
    assert tree.score == pytest.approx(0.895)
    assert tree.change == pytest.approx(-2.5)
    assert tree.change_error == pytest.approx(1.5)
    assert coarse.change == pytest.approx(-10.0)
    assert mdav.change == pytest.approx(-4.0)
    assert not lost.reached
    assert math.isnan(lost.score)
    assert [point.on_front for point in found.points] == [True, True, False, False]


def test_the_greatest_k_that_loses_little_enough_is_recommended():
    found = Comparison.of(CELLS, "accuracy", "mlp", folds=2)
    assert found.recommended(2.4) is None
    assert (found.recommended(5).partitioner, found.recommended(5).k) == ("tree", 10)
    assert found.recommended(10.5).k == 50


def test_it_is_json():
    facts = json.loads(json.dumps(Comparison.of(CELLS, "accuracy", "mlp", folds=2).to_dict(), allow_nan=False))
    assert facts["points"][3]["score"] is None
    assert facts["points"][0]["on_front"] is True


def test_nothing_was_reached():
    found = Comparison.of([Cell("tree", 10, 0, reached=False)], "accuracy", "mlp", folds=1)
    assert found.recommended(100) is None
    assert found.to_dict()["score_raw"] is None
