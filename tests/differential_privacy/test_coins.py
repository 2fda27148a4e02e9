"""Coins are what they are said to be, and nobody can guess the secret ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tfx_anonymizer.differential_privacy.coins import Coins
from tfx_anonymizer.errors import PolicyError


@pytest.mark.parametrize("seed", [None, 3])
def test_distributions(seed):
    coins = Coins(seed)
    # A test that fails once in 10^7 runs, since half of the coins are not reproducible on purpose.
    assert stats.kstest(coins.uniforms(50_000), "uniform").pvalue > 1e-7
    assert stats.kstest(coins.normals(50_000), "norm").pvalue > 1e-7
    heads = int(coins.flips(50_000, 0.2).sum())
    assert stats.binomtest(heads, 50_000, 0.2).pvalue > 1e-7
    chosen = coins.choices(np.full(40_000, 4))
    assert stats.chisquare(np.bincount(chosen, minlength=4)).pvalue > 1e-7


def test_the_ends():
    coins = Coins()
    drawn = coins.uniforms(10_000)
    assert drawn.min() > 0
    assert drawn.max() <= 1
    assert coins.flips(1000, 1.0).all()
    assert not coins.flips(1000, 0.0).any()
    assert np.isfinite(coins.normals(10_000)).all()
    assert (coins.choices(np.ones(500, dtype=np.int64)) == 0).all()
    assert sorted(coins.permutation(50)) == list(range(50))
    assert coins.normals(0).shape == (0,)


def test_secret_coins_do_not_come_again_and_seeded_ones_do():
    assert not np.array_equal(Coins().normals(8), Coins().normals(8))
    np.random.seed(0)
    first = Coins().uniforms(8)
    np.random.seed(0)
    assert not np.array_equal(Coins().uniforms(8), first)
    assert np.array_equal(Coins(5).normals(8), Coins(5).normals(8))
    assert Coins().secret
    assert not Coins(0).secret


@pytest.mark.parametrize("seed", [-1, 1.5, "1", True])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(PolicyError, match="seed is no seed"):
        Coins(seed)
