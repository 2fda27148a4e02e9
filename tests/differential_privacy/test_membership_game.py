"""A game against the mechanism: was the target among few people? Thousands of games bound epsilon from below.

The player knows everybody else and the mechanism, and gives the best answer there is (Neyman and Pearson's). With the
noise that was planned, what the player shows must stay below epsilon; with half of it, above: a mechanism that is wrong
by a factor of two is caught.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pyarrow as pa
import pytest

from tests.support.dp_tables import DOMAIN
from tfx_anonymizer.attacks.intervals import lower_limit, upper_limit
from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.differential_privacy.coins import generator
from tfx_anonymizer.differential_privacy.layout import Layout
from tfx_anonymizer.differential_privacy.plan import Design, plan
from tfx_anonymizer.differential_privacy.released import with_noise
from tfx_anonymizer.differential_privacy.synthesis import found_centres

BUDGET = Budget(epsilon=1.0, delta=2e-3)
GAMES = 6000


def people(with_target: bool) -> pa.Table:
    columns = {"age": (10, 95), "city": ("Ulm", "東京"), "height": (150.0, 210.0), "ill": (0, 1)}
    table = pa.table({name: [usual] * 20 + [target] for name, (usual, target) in columns.items()})
    return table if with_target else table.slice(0, 20)


def play(design: Design, factor: float, with_target: bool) -> np.ndarray:
    """Returns how likely the player finds the target in each of many releases, as log odds."""
    layout = Layout(DOMAIN, design)
    chosen = plan(design, BUDGET)
    noisy = dataclasses.replace(
        chosen,
        counting=chosen.counting * factor,
        mixing=chosen.mixing * factor,
        clustering=None if chosen.clustering is None else chosen.clustering * factor,
    )
    with_, without = layout.code(people(True)), layout.code(people(False))
    counting, _, mixing = noisy.scales(layout.encoding.squared_norm)
    odds = np.zeros(GAMES)
    random = generator(0)
    for game in range(GAMES):
        # Other noise in every game; the same games in every run of this test.
        seed = 2 * game + with_target
        centres = found_centres(with_ if with_target else without, layout, noisy, random, seed)
        counts_in, sums_in = layout.cell_sums(with_, centres, seed)
        counts_out, sums_out = layout.cell_sums(without, centres, seed)
        counts, sums = (counts_in, sums_in) if with_target else (counts_out, sums_out)
        released = with_noise(centres, counts, sums, layout, noisy, seed)
        middle = (counts_in + counts_out) / 2
        odds[game] = ((released.counts - middle) * (counts_in - counts_out)).sum() / counting**2
        middle = (sums_in + sums_out) / 2
        odds[game] += ((released.sums - middle) * (sums_in - sums_out)).sum() / mixing**2
    return odds


def shown_epsilon(inside: np.ndarray, outside: np.ndarray) -> float:
    """The greatest epsilon that the games show with 95 % confidence; the threshold is set on the first half of them."""
    half = GAMES // 2
    candidates = np.quantile(outside[:half], np.linspace(0.5, 0.99, 50))
    threshold = max(candidates, key=lambda at: bound(inside[:half] > at, outside[:half] > at))
    return bound(inside[half:] > threshold, outside[half:] > threshold)


def bound(caught: np.ndarray, alarms: np.ndarray) -> float:
    """Epsilon is at least ln((caught - delta) / false alarms), here by Clopper and Pearson's limits of both."""
    least = lower_limit(int(caught.sum()), len(caught), 0.025)
    most = upper_limit(int(alarms.sum()), len(alarms), 0.025)
    return float(np.log(max(least - BUDGET.delta, 1e-12) / most))


@pytest.mark.parametrize("mechanism", ["cluster_means", "class_wise_mixing"])
def test_the_player_shows_less_than_epsilon_and_more_when_half_the_noise_is_missing(mechanism):
    if mechanism == "cluster_means":
        design = Design(mechanism, clusters=2, iterations=1)
    else:
        design = Design(mechanism, mixtures=1, sampling_probability=1.0)
    honest = shown_epsilon(play(design, 1.0, True), play(design, 1.0, False))
    sabotaged = shown_epsilon(play(design, 0.5, True), play(design, 0.5, False))
    assert 0.1 < honest < BUDGET.epsilon
    assert sabotaged > BUDGET.epsilon
