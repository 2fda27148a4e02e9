"""How far one person moves what is released, by brute force: every person of random tables is taken out in turn."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pyarrow as pa
import pytest

from tests.support.dp_tables import DOMAIN, random_table
from tfx_anonymizer.differential_privacy.layout import Layout
from tfx_anonymizer.differential_privacy.mixing import cell_counts, mixture_sums
from tfx_anonymizer.differential_privacy.plan import MECHANISMS, Design
from tfx_anonymizer.differential_privacy.poisson_samples import PoissonSamples


def design_of(mechanism: str, rows_per_person: int) -> Design:
    if mechanism == "cluster_means":
        return Design(mechanism, clusters=3, rows_per_person=rows_per_person)
    clusters = 3 if mechanism == "clust_mix" else None
    return Design(mechanism, clusters, mixtures=4, sampling_probability=0.7, rows_per_person=rows_per_person)


def statistics(table: pa.Table, layout: Layout, centres: np.ndarray) -> dict[str, np.ndarray]:
    """All that is released, before noise; coins are a function of the person, so the same in both tables."""
    coded = layout.code(table)
    if coded.owners is None:
        # Rows alike are persons of their own; here they are told apart by where they stand in the larger table.
        coded = dataclasses.replace(coded, hashes=np.asarray(table["row"], dtype=np.uint64))
    coded = coded.bounded(layout.design.rows_per_person)
    counts, sums = layout.cell_sums(coded, centres, seed=5)
    found = {"clusters": layout.cluster_sums(coded, centres), "counts": counts}
    return found | {f"mixture {t}": sums[:, t] for t in range(sums.shape[1])}


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize(("entity_id", "most"), [(None, 1), ("who", 1), ("who", 2)])
def test_nobody_moves_a_statistic_by_more_than_is_claimed(mechanism, entity_id, most):
    layout = Layout(DOMAIN, design_of(mechanism, most), entity_id)
    random = np.random.default_rng(1)
    centres = random.random((layout.clusters, layout.encoding.width))
    length = math.sqrt(layout.encoding.squared_norm)
    moved = dict.fromkeys(statistics(with_rows(random_table(5, 0)), layout, centres), 0.0)
    for seed in range(8):
        table = with_rows(random_table(40, seed))
        whole = statistics(table, layout, centres)
        people = np.asarray(table[entity_id or "row"])
        for person in np.unique(people):
            without = statistics(table.filter(pa.array(people != person)), layout, centres)
            for name, value in whole.items():
                moved[name] = max(moved[name], float(np.linalg.norm((value - without[name]).astype(float))))
    for name, distance in moved.items():
        claimed = most * (1.0 if name == "counts" else length)
        assert distance <= claimed + 1e-9, name
    # The bound is no larger than it must be: some person reaches it (in mixtures, if the coins are kind).
    assert moved["counts"] == pytest.approx(most) or layout.cells > 1
    if most == 1:
        assert moved["clusters"] == pytest.approx(length)


def test_the_check_can_fail():
    """Two rows of a person move a sum by more than one row may."""
    layout = Layout(DOMAIN, design_of("class_wise_mixing", 2), "who")
    table = pa.table({"age": [1, 1], "city": ["Ulm"] * 2, "height": [150.0] * 2, "ill": [0, 0], "who": [1, 1]})
    coded = layout.code(table).bounded(2)
    sums = layout.cluster_sums(coded, np.zeros((1, layout.encoding.width)))
    assert np.linalg.norm(sums.astype(float)) > math.sqrt(layout.encoding.squared_norm) * 1.9


def with_rows(table: pa.Table) -> pa.Table:
    return table.append_column("row", pa.array(np.arange(table.num_rows)))


def test_parts_of_a_table_add_up():
    layout = Layout(DOMAIN, design_of("clust_mix", 1))
    table = random_table(500, 3)
    centres = np.random.default_rng(0).random((3, layout.encoding.width))
    coded = layout.code(table)
    whole = layout.cell_sums(coded, centres, seed=1)
    parts = [coded.take(np.arange(start, min(start + 64, 500))) for start in range(0, 500, 64)]
    found = [layout.cell_sums(part, centres, seed=1) for part in parts]
    for i, expected in enumerate(whole):
        np.testing.assert_array_equal(sum(pair[i] for pair in found), expected)


def test_sums_by_a_loop():
    layout = Layout(DOMAIN, design_of("clust_mix", 1))
    table = random_table(60, 4)
    centres = np.random.default_rng(0).random((3, layout.encoding.width))
    coded = layout.code(table)
    vectors = np.zeros((60, layout.encoding.width + 1))
    for row, places in enumerate(coded.places):
        vectors[row, places] = 1.0
    vectors = vectors[:, :-1]
    assert (np.square(vectors).sum(axis=1) <= layout.encoding.squared_norm).all()
    distance = ((vectors[:, None] - centres[None]) ** 2).sum(axis=2)
    cells = layout.cells_of(coded, centres)
    known = coded.classes >= 0
    np.testing.assert_array_equal(cells[known], (distance.argmin(axis=1) * 2 + coded.classes)[known])
    assert (cells[~known] == -1).all()
    assert 0 < known.sum() < 60
    drawn = PoissonSamples(0.5, 4, seed=2).draw(coded.hashes)
    sums = mixture_sums(coded.places, cells, drawn, 6, layout.encoding.width)
    for cell in range(6):
        for t in range(4):
            np.testing.assert_array_equal(sums[cell, t], vectors[(cells == cell) & drawn[:, t]].sum(axis=0))
    np.testing.assert_array_equal(cell_counts(cells, 6), [(cells == cell).sum() for cell in range(6)])


def test_a_person_of_many_rows_is_cut_down_and_shares_coins():
    layout = Layout(
        DOMAIN, Design("class_wise_mixing", mixtures=50, sampling_probability=0.5, rows_per_person=3), "who"
    )
    coded = layout.code(random_table(300, 5)).bounded(3)
    owners, counts = np.unique(coded.owners, return_counts=True)
    assert counts.max() <= 3
    assert len(owners) == 100 or len(owners) > 80
    for seed in (None, 1):
        drawn = coded.draw(layout.design.samples(seed))
        for owner in owners[counts > 1]:
            assert (drawn[coded.owners == owner] == drawn[coded.owners == owner][0]).all()
