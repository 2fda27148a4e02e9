"""The rule of what may be told of a column: no value of fewer than `least` rows, no extreme, whatever the column."""

from __future__ import annotations

import collections

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfx_anonymizer.report.folding import (
    MOST_CATEGORIES,
    Binned,
    fold_categories,
    fold_groups,
    fold_numbers,
    round_edges,
)

# Round ones among them, which lie on edges, and heavy ones.
NUMBERS = st.lists(
    st.one_of(st.integers(-40, 40), st.sampled_from([0, 10, 20, 20, 20, 1000]), st.floats(-3, 3, width=32)),
    min_size=1,
    max_size=120,
)
LEAST = st.integers(2, 9)


def binned(values, edges, released=(), missing=(0, 0)):
    bins = len(edges) + 1

    def count(some):
        return tuple(np.bincount(np.searchsorted(edges, some, side="right"), minlength=bins).tolist())

    at_edge = tuple(int((np.array(values) == edge).sum()) for edge in edges)
    return Binned(count(values), count(released) if len(released) else (0,) * bins, at_edge, *missing)


@given(NUMBERS, LEAST, st.booleans())
def test_no_edge_is_a_rare_value_or_an_extreme_and_every_bin_holds_enough(values, least, whole):
    values = np.array([int(value) for value in values] if whole else values, dtype=np.float64)
    edges = round_edges(values, whole=whole)
    assert edges == sorted(set(edges))
    assert len(edges) <= 60
    found = fold_numbers(edges, binned(values, edges), least)
    rows = collections.Counter(values.tolist())
    told = found["edges"]
    assert not [edge for edge in told if 0 < rows[edge] < least]
    assert not [edge for edge in told if edge in (values.min(), values.max())]
    assert len(found["before"]) == len(told) + 1
    if told:
        held = np.bincount(np.searchsorted(told, values, side="right"), minlength=len(told) + 1)
        assert held.min() >= least
        assert found["before"] == pytest.approx((held / len(values)).tolist(), abs=1e-4)


@given(NUMBERS, LEAST, st.lists(st.floats(-50, 50, width=16), max_size=8, unique=True))
def test_whatever_edges_are_proposed(values, least, edges):
    # Even if they are values themselves.
    values = np.array(values, dtype=np.float64)
    edges = sorted({*edges, *values[:3].tolist()})
    found = fold_numbers(edges, binned(values, edges), least)
    rows = collections.Counter(values.tolist())
    assert all(not 0 < rows[edge] < least for edge in found["edges"])
    assert not {values.min(), values.max()} & set(found["edges"])


@given(st.dictionaries(st.text(max_size=3), st.integers(1, 30), max_size=25), LEAST, st.integers(0, 12))
def test_no_category_is_rare_and_other_is_nobody_or_enough(rows, least, missing):
    total = sum(rows.values())
    counted = [(name, n, n) for name, n in rows.items()]
    found = fold_categories(counted, (total, total), (missing, missing), least)
    assert all(rows[name] >= least for name in found["values"])
    assert len(found["values"]) <= MOST_CATEGORIES
    other = total - sum(rows[name] for name in found["values"])
    assert found["other"] is None or other >= least
    assert other == 0 or other >= least or not found["values"]
    assert (found["missing"] is not None) == (missing >= least)
    shares = [*found["before"], *(found[name][0] for name in ("other", "missing") if found[name])]
    assert sum(shares) == pytest.approx(1.0 if shares else 0.0, abs=0.01)


def test_what_is_missing_in_few_rows_is_not_counted_and_cannot_be_told_by_subtraction():
    few = fold_numbers([10.0], Binned((50, 50), (60, 40), (0,), missing_before=2, missing_after=0), 5)
    assert (few["before"], few["missing"]) == ([0.5, 0.5], None)
    many = fold_numbers([10.0], Binned((40, 40), (50, 50), (0,), missing_before=20, missing_after=0), 5)
    assert (many["before"], many["after"], many["missing"]) == ([0.4, 0.4], [0.5, 0.5], [0.2, 0.0])


@pytest.mark.parametrize(
    ("values", "whole", "edges"),
    [
        ([], True, []),
        ([7.0] * 9, True, []),
        ([0.0] * 50 + [1.0] * 50, True, [0.5, 1.0]),
        ([1.0, 2.0, 3.0] * 9, True, [1.5, 2.0, 2.5, 3.0]),
        ([171.5, 180.2, 160.4] * 9, False, [161.95, 162.0, 169.95, 170.0]),
        (np.arange(24.0), True, [float(n) for n in range(5, 23, 5)]),
        (np.linspace(41.70, 41.99, 500), False, [41.75, 41.8, 41.95]),
        # Nearly always nothing, as capital gains are.
        ([0.0] * 995 + [5000.0, 7000.0, 9000.0, 9500.0, 9999.0], True, [1000.0, 2000.0]),
        ([1.38e9, 1.40e9, 1.46e9, 1.48e9], True, [1.39e9]),
        ([-30.0, -20.0, -10.0, 0.0, 10.0], True, [-25.0, -20.0]),
    ],
)
def test_edges_are_round(values, whole, edges):
    found = round_edges(np.array(values, dtype=np.float64), whole=whole)
    assert set(edges) <= set(found)
    assert bool(edges) == bool(found)
    assert all(len(f"{edge:.10g}") <= 10 for edge in found)


def test_an_edge_that_is_rare_moves_half_a_unit_down_and_a_common_one_stays_round():
    ages = np.array([25] * 20 + [30] * 2 + [35] * 20 + [40] * 20 + [45] * 20, dtype=np.float64)
    edges = [29.5, 30.0, 39.5, 40.0]
    assert fold_numbers(edges, binned(ages, edges), 10)["edges"] == [29.5, 40.0]


def test_groups():
    assert fold_groups({"a": 50, "b": 49, "c": None}, 50) == ["a"]
