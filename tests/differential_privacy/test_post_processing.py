"""Projections, centres and inducing points, against definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import approx_fprime, minimize

from tests.support.dp_tables import DOMAIN
from tfx_anonymizer.differential_privacy.blocks import distributions, nearest_distribution, sizes
from tfx_anonymizer.differential_privacy.clusters import first_centres, moved, nearest
from tfx_anonymizer.differential_privacy.encoding import Encoding
from tfx_anonymizer.differential_privacy.inducing_points import fit, loss

ENCODING = Encoding(DOMAIN.attributes)


@given(arrays(np.float64, (3, 5), elements=st.floats(-50, 50)))
def test_projections_are_distributions_that_nothing_is_nearer_than(rows):
    found = nearest_distribution(rows)
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    # Optimality on the simplex: moving weight to any other corner does not come nearer.
    for row, point in zip(rows, found, strict=True):
        assert ((np.eye(5) - point) @ (row - point)).max() < 1e-6


def test_a_projection_by_an_optimizer():
    row = np.array([0.7, 0.5, -0.2, 0.1])
    constraint = {"type": "eq", "fun": lambda x: x.sum() - 1}
    found = minimize(lambda x: ((x - row) ** 2).sum(), np.full(4, 0.25), bounds=[(0, 1)] * 4, constraints=constraint)
    np.testing.assert_allclose(nearest_distribution(row[None])[0], found.x, atol=1e-6)


def test_sizes_weigh_what_is_known_by_how_sure_it_is():
    sums = np.zeros((1, ENCODING.width))
    sums[0, 0] = 100
    for block in ENCODING.blocks:
        sums[0, block.start] = 100
    exact = sizes(sums, ENCODING, np.array([50.0]), np.array([1.0]), 1e-4)
    assert exact[0] == pytest.approx(100, abs=0.1)
    vague = sizes(sums, ENCODING, np.array([50.0]), np.array([1.0]), 1e6)
    assert vague[0] == pytest.approx(50, abs=0.1)


def test_centres_move_to_the_means_and_stay_where_there_is_only_noise():
    random = np.random.default_rng(0)
    total = np.full((1, ENCODING.width), 10)
    total[0, 0] = 40
    centres = first_centres(total, ENCODING, 6, 0.1, random)
    for block in ENCODING.blocks:
        np.testing.assert_allclose(centres[:, block].sum(axis=1), 1.0)
    assert len(np.unique(centres, axis=0)) > 1
    sums = np.zeros((6, ENCODING.width), dtype=np.int64)
    sums[0, 0] = 1000
    for block in ENCODING.blocks:
        sums[0, block.start] = 1000
    found = moved(centres, sums, ENCODING, 1.0)
    assert all(found[0, block.start] == pytest.approx(1.0, abs=0.02) for block in ENCODING.blocks)
    np.testing.assert_array_equal(found[1:], centres[1:])
    assert nearest(np.array([[0, *(block.start for block in ENCODING.blocks)]]), found)[0] == 0


def test_the_gradient_of_kernel_inducing_points():
    random = np.random.default_rng(0)
    points, targets = random.random((4, 3)), random.random((7, 3))
    labels, wanted = random.random((4, 2)), random.random((7, 2))
    _, gradient = loss(points, labels, targets, wanted, 0.8)

    def value(flat):
        return loss(flat.reshape(4, 3), labels, targets, wanted, 0.8)[0]

    np.testing.assert_allclose(
        gradient.reshape(-1), approx_fprime(points.reshape(-1), value, 1e-7), rtol=1e-3, atol=1e-4
    )


def test_inducing_points_predict_better_than_where_they_began():
    random = np.random.default_rng(1)
    targets = random.normal(size=(200, 2))
    wanted = np.eye(2)[(targets[:, 0] * targets[:, 1] > 0).astype(int)] - 0.5
    points, labels = targets[:10], wanted[:10]
    gamma = 1.0 / np.median(((targets[:, None] - targets[None]) ** 2).sum(axis=2))
    before = loss(points, labels, targets, wanted, gamma)[0]
    after = loss(fit(points, labels, targets, wanted), labels, targets, wanted, gamma)[0]
    assert after < 0.5 * before


def test_every_block_becomes_a_distribution():
    found = distributions(np.random.default_rng(0).normal(size=(5, ENCODING.width)), ENCODING)
    assert (found[:, 0] == 1).all()
    for block in ENCODING.blocks:
        np.testing.assert_allclose(found[:, block].sum(axis=1), 1.0)
