"""Coins are what they are said to be, and nobody can guess the secret ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tfx_anonymizer.differential_privacy import coins as coins_module
from tfx_anonymizer.differential_privacy.coins import Coins, generator, seed_or_secret
from tfx_anonymizer.differential_privacy.noise import rounded_gaussian, standard_gaussian
from tfx_anonymizer.differential_privacy.poisson_samples import PoissonSamples
from tfx_anonymizer.differential_privacy.randomized_response import RandomizedResponse
from tfx_anonymizer.errors import PolicyError


@pytest.mark.parametrize("seed", [None, 3])
def test_distributions(seed):
    coins = Coins(seed)
    # A test that fails once in 10^7 runs, since half of the coins are not reproducible on purpose.
    assert stats.kstest(coins.uniforms(50_000), "uniform").pvalue > 1e-7
    heads = int(coins.flips(50_000, 0.2).sum())
    assert stats.binomtest(heads, 50_000, 0.2).pvalue > 1e-7
    chosen = coins.choices(np.full(40_000, 4))
    assert stats.chisquare(np.bincount(chosen, minlength=4)).pvalue > 1e-7
    bits = np.unpackbits(coins.words(10_000).view(np.uint8)).reshape(-1, 64)
    assert stats.binomtest(int(bits.sum()), bits.size, 0.5).pvalue > 1e-7
    assert (np.abs(bits.mean(axis=0) - 0.5) < 0.035).all()


def test_the_ends():
    coins = Coins()
    drawn = coins.uniforms(10_000)
    assert drawn.min() > 0
    assert drawn.max() <= 1
    assert coins.flips(1000, 1.0).all()
    assert not coins.flips(1000, 0.0).any()
    assert (coins.choices(np.ones(500, dtype=np.int64)) == 0).all()
    assert sorted(coins.permutation(50)) == list(range(50))
    assert coins.words(0).shape == coins.uniforms(0).shape == (0,)
    assert coins.words_of_people(np.zeros(0, dtype=np.uint64), 3).shape == (0, 3)


def test_secret_coins_do_not_come_again_and_seeded_ones_do():
    assert not np.array_equal(Coins().words(8), Coins().words(8))
    np.random.seed(0)
    first = Coins().uniforms(8)
    np.random.seed(0)
    assert not np.array_equal(Coins().uniforms(8), first)
    assert np.array_equal(Coins(5).words(8), Coins(5).words(8))
    assert not np.array_equal(Coins(5).words(8), Coins(6).words(8))
    assert not np.array_equal(Coins(5).words(8), Coins(5, "another purpose").words(8))
    assert Coins().secret
    assert not Coins(0).secret


@pytest.mark.parametrize(
    ("draw", "size"),
    [
        (lambda: Coins().words(5), 40),
        (lambda: PoissonSamples(0.5, 3).draw(np.zeros(4, dtype=np.uint64)), 48),
        (lambda: rounded_gaussian(Coins(), 2.0, (3, 2)), 48),
        (lambda: standard_gaussian(Coins(), 2), 8 * 16),
        (lambda: RandomizedResponse(1.0, 3).randomize([0, 1, 2]), 48),
    ],
)
def test_all_that_is_secret_is_the_operating_systems(monkeypatch, draw, size):
    asked = []

    def urandom(count):
        asked.append(count)
        return b"\x5a" * count

    monkeypatch.setattr(coins_module.os, "urandom", urandom)
    draw()
    assert sum(asked) == size


def test_of_a_seed_a_persons_words_are_their_own():
    hashes = np.array([5, 9, 5], dtype=np.uint64)
    drawn = Coins(1).words_of_people(hashes, 64)
    assert (drawn[0] == drawn[2]).all()
    assert (drawn[0] != drawn[1]).any()
    assert (drawn[1] == Coins(1).words_of_people(hashes[1:2], 64)[0]).all()
    assert (drawn[1] != Coins(2).words_of_people(hashes[1:2], 64)[0]).any()
    secret = Coins().words_of_people(hashes, 64)
    assert (secret[0] != secret[2]).any()


def test_rows_are_drawn_by_a_seed_or_by_what_nobody_knows():
    assert seed_or_secret(7) == 7
    assert seed_or_secret(None) != seed_or_secret(None)
    assert generator(7, 1).random() == generator(7, 1).random()
    assert generator(7, 1).random() != generator(7, 2).random()
    assert generator(None).random() != generator(None).random()


@pytest.mark.parametrize("seed", [-1, 1.5, "1", True])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(PolicyError, match="seed is no seed"):
        Coins(seed)
    with pytest.raises(PolicyError, match="seed is no seed"):
        RandomizedResponse(1.0, 2).randomize([0, 1], seed=seed)
