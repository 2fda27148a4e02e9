"""The account of a training against published figures, and against one that shares no code with the library."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from tfx_anonymizer.differential_privacy.accounting import sampled_gaussian, spent_epsilon

# Sampling, noise multiplier, steps, epsilon at delta = 1e-5. The first four are TensorFlow Privacy's tutorial on MNIST
# (256 of 60,000, in 60, 30 and 10 epochs) and Abadi et al. (2016), figures by moments, which are bounds but not tight.
PUBLISHED = [
    (256 / 60_000, 1.12, 14_062, 2.92),
    (256 / 60_000, 0.6, 7_031, 9.74),
    (256 / 60_000, 1.2, 2_343, 1.20),
    (0.01, 4.0, 10_000, 1.26),
]


def one_way(q: float, z: float, times: int, epsilon: float, *, removed: bool) -> float:
    """Delta by composing the distribution of one step's privacy loss on a grid with a Fourier transform."""
    width, half = 2e-4, 2**17
    edges = (np.arange(2 * half + 1) - half - 0.5) * width

    def place(loss: np.ndarray) -> np.ndarray:
        """Where log((1 - q) + q exp((2 x - 1) / (2 z^2))) is so much."""
        with np.errstate(invalid="ignore", divide="ignore"):
            inside = np.log((np.exp(loss) - (1 - q)) / q)
        return np.where(loss > np.log1p(-q), z**2 * inside + 0.5, -np.inf)

    if removed:
        x = place(edges)
        below = (1 - q) * norm.cdf(x / z) + q * norm.cdf((x - 1) / z)
    else:
        below = 1 - norm.cdf(place(-edges) / z)
    mass = np.diff(below)
    spectrum = np.fft.fft(np.fft.ifftshift(mass))
    composed = np.fft.fftshift(np.fft.ifft(spectrum**times).real)
    losses = (np.arange(2 * half) - half) * width
    return float((composed * np.maximum(1 - np.exp(np.minimum(epsilon - losses, 0)), 0))[losses > epsilon].sum())


def delta_of(q: float, z: float, times: int, epsilon: float) -> float:
    return max(one_way(q, z, times, epsilon, removed=removed) for removed in (True, False))


@pytest.mark.parametrize(("q", "z", "times", "published"), PUBLISHED)
def test_published_figures_bound_it(q, z, times, published):
    found = spent_epsilon(sampled_gaussian(q, z, times=times), delta=1e-5)
    assert 0.6 * published < found < published


@pytest.mark.parametrize(("q", "z", "times"), [row[:3] for row in PUBLISHED] + [(0.05, 1.5, 400), (0.5, 5.0, 50)])
def test_another_accountant_finds_the_same(q, z, times):
    epsilon = spent_epsilon(sampled_gaussian(q, z, times=times), delta=1e-5)
    assert delta_of(q, z, times, epsilon) <= 1e-5 * 1.02
    assert delta_of(q, z, times, 0.97 * epsilon) > 1e-5


def test_the_other_accountant_can_disagree():
    # It would notice an account of one step too few in ten.
    epsilon = spent_epsilon(sampled_gaussian(0.05, 1.5, times=360), delta=1e-5)
    assert delta_of(0.05, 1.5, 400, epsilon) > 1.3e-5
