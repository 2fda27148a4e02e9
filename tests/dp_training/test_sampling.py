"""Samples are Poisson's, of people."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tfx_anonymizer.differential_privacy.coins import Coins
from tfx_anonymizer.dp_training.sampling import People
from tfx_anonymizer.errors import ColumnError, InputDataError


def test_sizes_vary_as_independent_coins_do():
    people, coins = People.of_rows(200), Coins(0)
    sizes = np.array([len(people.draw(0.1, coins)) for _ in range(2000)])
    assert abs(sizes.mean() - 20) < 0.5
    # Shuffled batches would all be of one size.
    assert abs(sizes.var() / (200 * 0.1 * 0.9) - 1) < 0.15


def test_everyone_is_drawn_as_often_and_with_any_of_their_rows():
    ids = ["a"] * 5 + ["b"] + ["c"] * 2
    people, coins = People.of_rows(8, ids), Coins(0)
    assert len(people) == 3
    drawn = [people.draw(0.5, coins) for _ in range(6000)]
    assert all(len({ids[row] for row in rows}) == len(rows) for rows in drawn)
    counts = np.bincount(np.concatenate(drawn), minlength=8)
    assert stats.binomtest(int(counts[:5].sum()), 6000, 0.5).pvalue > 1e-4
    assert stats.binomtest(int(counts[5]), 6000, 0.5).pvalue > 1e-4
    assert stats.chisquare(counts[:5]).pvalue > 1e-4


@pytest.mark.parametrize(
    "ids", [np.array([[3], [3], [9]]), pd.Series(["é", "é", "東"]), [b"x", b"x", b""], np.array([1.5, 1.5, 2.0])]
)
def test_ids_of_any_kind(ids):
    assert People.of_rows(3, ids).counts.tolist() == [2, 1]


def test_what_does_not_say_whose_row_it_is_is_refused():
    with pytest.raises(ColumnError, match="got: 2 rows without an id"):
        People.of_rows(3, ["a", None, float("nan")])
    with pytest.raises(InputDataError, match=r"shape \(2,\) for 3 rows"):
        People.of_rows(3, ["a", "b"])
    with pytest.raises(InputDataError, match="nothing to train on"):
        People.of_rows(0)


def test_a_sample_may_be_empty_or_everyone():
    people = People.of_rows(5)
    assert people.draw(0.0, Coins()).tolist() == []
    assert people.draw(1.0, Coins()).tolist() == [0, 1, 2, 3, 4]
