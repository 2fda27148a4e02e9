"""Noise and coins have the distributions they are accounted for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tfx_anonymizer.differential_privacy.coins import Coins
from tfx_anonymizer.differential_privacy.noise import rounded_gaussian, standard_gaussian
from tfx_anonymizer.differential_privacy.poisson_samples import PoissonSamples


@pytest.mark.parametrize("scale", [0.7, 3.0, 250.0])
def test_noise_is_a_rounded_gaussian(scale):
    drawn = rounded_gaussian(Coins(1, "x"), scale, (200_000,))
    assert drawn.dtype == np.int64
    # Against the exact probabilities of the rounded distribution, in a chi-squared test over bins of 100 or more.
    edges = np.arange(-4 * scale, 4 * scale + 1).round() + 0.5
    edges = np.unique(edges[:: max(1, int(scale / 5))])
    expected = np.diff(np.concatenate([[0], stats.norm.cdf(edges / scale), [1]])) * len(drawn)
    seen = np.histogram(drawn, np.concatenate([[-np.inf], edges, [np.inf]]))[0]
    keep = expected > 100
    statistic = ((seen - expected)[keep] ** 2 / expected[keep]).sum()
    assert stats.chi2.sf(statistic, keep.sum()) > 1e-4


def test_secure_noise_is_as_wide_as_asked():
    drawn = rounded_gaussian(Coins(None), 20.0, (100_000,))
    assert drawn.std() == pytest.approx(20.0, rel=0.02)
    assert abs(drawn.mean()) < 0.5
    assert stats.kurtosis(drawn) == pytest.approx(0.0, abs=0.1)
    assert (np.abs(drawn) > 60).mean() == pytest.approx(2 * stats.norm.sf(60.5 / 20), rel=0.3)


class Given(Coins):
    """Bits that are told beforehand."""

    def __init__(self, *words):
        super().__init__(seed=0)
        self._words = np.array(words, dtype=np.uint64)

    def words(self, count):
        return self._words[:count]


def test_the_tail_is_there():
    deepest = rounded_gaussian(Given(1, 0, 3, 2**64 - 1, 2**64 - 2), 1000.0, (5,))
    assert deepest[0] == -deepest[1]
    assert 8900 < abs(deepest[0]) < 9300
    assert abs(deepest[2]) < abs(deepest[0])
    assert abs(deepest[3]) <= 1


def test_seeds_repeat_and_purposes_differ():
    first = rounded_gaussian(Coins(7, "a"), 10, (50,))
    assert (first == rounded_gaussian(Coins(7, "a"), 10, (50,))).all()
    assert (first != rounded_gaussian(Coins(7, "b"), 10, (50,))).any()
    assert (first != rounded_gaussian(Coins(8, "a"), 10, (50,))).any()


@pytest.mark.parametrize("seed", [None, 3])
def test_noise_of_floats_is_a_standard_gaussian(seed):
    # Fails once in 10^7 runs, as that without a seed is not reproducible on purpose.
    assert stats.kstest(standard_gaussian(Coins(seed), 50_000), "norm").pvalue > 1e-7
    assert np.isfinite(standard_gaussian(Coins(seed), 10_000)).all()
    assert standard_gaussian(Coins(seed), 0).shape == (0,)
    assert np.array_equal(standard_gaussian(Coins(5), 8), standard_gaussian(Coins(5), 8))


@pytest.mark.parametrize("seed", [None, 3])
def test_coins_are_fair_to_their_probability_and_independent(seed):
    hashes = np.arange(2000, dtype=np.uint64)
    drawn = PoissonSamples(0.05, 100, seed).draw(hashes)
    assert drawn.mean() == pytest.approx(0.05, abs=5 * (0.05 * 0.95 / drawn.size) ** 0.5)
    for axis, size in ((0, 100), (1, 2000)):
        counts = drawn.sum(axis=axis)
        variance = 0.05 * 0.95 * drawn.shape[axis]
        assert counts.var() == pytest.approx(variance, rel=6 * (2 / size) ** 0.5)
    both = (drawn[:, :-1] & drawn[:, 1:]).mean()
    assert both == pytest.approx(0.0025, abs=0.0008)


def test_coins_of_a_seed_are_the_persons_own():
    hashes = np.array([5, 9, 5], dtype=np.uint64)
    drawn = PoissonSamples(0.5, 64, 1).draw(hashes)
    assert (drawn[0] == drawn[2]).all()
    assert (drawn[0] != drawn[1]).any()
    assert (drawn[1] == PoissonSamples(0.5, 64, 1).draw(hashes[1:2])[0]).all()
    assert (drawn[1] != PoissonSamples(0.5, 64, 2).draw(hashes[1:2])[0]).any()
    assert PoissonSamples(1.0, 3).draw(hashes).all()
