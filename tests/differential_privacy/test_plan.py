"""How a budget is divided, and that all of it together is what was asked."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from scipy.stats import norm

from tests.support.dp_tables import DOMAIN
from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.differential_privacy.layout import Layout
from tfx_anonymizer.differential_privacy.plan import MECHANISMS, Design, plan
from tfx_anonymizer.errors import PolicyError

BUDGET = Budget(epsilon=1.0, delta=1e-6)


def rdp_epsilon(found) -> float:
    """Another accountant, by Renyi divergences (Mironov 2017); it is looser where both hold."""
    from dp_accounting.rdp import RdpAccountant

    return float(RdpAccountant().compose(found.spending("x").event).get_epsilon(BUDGET.delta))


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_plan_spends_what_was_asked_and_little_less(mechanism):
    found = plan(Design(mechanism), BUDGET)
    spent = found.spending("people").epsilon
    assert 0.985 < spent <= 1.0
    assert spent < rdp_epsilon(found) < 1.6


def test_without_sampling_a_plan_is_one_gaussian():
    """Composition by hand: 1 / z^2 adds up, and delta of one Gaussian has a closed form (Balle and Wang 2018)."""
    found = plan(Design("cluster_means", iterations=2), BUDGET)
    assert found.clustering is not None
    z = (1 / found.counting**2 + 3 / found.clustering**2 + 1 / found.mixing**2) ** -0.5
    epsilon = found.spending("people").epsilon
    delta = norm.cdf(1 / (2 * z) - epsilon * z) - math.exp(epsilon) * norm.cdf(-1 / (2 * z) - epsilon * z)
    assert delta == pytest.approx(BUDGET.delta, rel=0.02)


def test_noise_grows_with_rows_and_lengths():
    found = plan(Design("class_wise_mixing"), BUDGET)
    many = dataclasses.replace(found, design=dataclasses.replace(found.design, rows_per_person=5))
    assert many.scales(9) == pytest.approx([5 * scale for scale in found.scales(9)])
    counts, _, sums = found.scales(9)
    assert counts == found.counting
    assert sums == 3 * found.mixing
    assert found.scales(36)[2] == 2 * sums
    assert found.clustering is None


def test_more_budget_is_less_noise():
    noises = [plan(Design("clust_mix"), Budget(epsilon, 1e-6)).mixing for epsilon in (0.5, 2.0, 8.0)]
    assert noises == sorted(noises, reverse=True)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"mechanism": "magic"}, "cluster_means"),
        ({"mechanism": "random_mixing", "clusters": 4}, "has no clusters"),
        ({"mechanism": "cluster_means", "mixtures": 4}, "does not sample"),
        ({"mechanism": "clust_mix", "sampling_probability": 0.0}, "sampling_probability"),
        ({"mechanism": "clust_mix", "sampling_probability": 1.5}, "sampling_probability"),
        ({"mechanism": "clust_mix", "clusters": 0}, "clusters is out of range"),
        ({"mechanism": "clust_mix", "iterations": 2.5}, "iterations"),
        ({"mechanism": "clust_mix", "mixtures": True}, "mixtures"),
        ({"rows_per_person": 0}, "rows_per_person"),
    ],
)
def test_designs_that_mean_nothing_are_refused(arguments, says):
    with pytest.raises(PolicyError, match=says):
        Design(**arguments)


def test_a_release_too_large_to_hold_is_refused():
    with pytest.raises(PolicyError, match="too large to be summed in memory"):
        Layout(DOMAIN, Design("clust_mix", clusters=1000, mixtures=100_000))


def test_a_plan_looks_at_no_data():
    one, two = plan(Design(), BUDGET), plan(Design(), BUDGET)
    assert one == two
    assert np.isfinite([one.counting, one.mixing]).all()
