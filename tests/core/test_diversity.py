"""Entropy and recursive diversity: worked examples, the boundary, and the paper's own lemma by brute force."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfx_anonymizer.bounds import DIVERSITIES
from tfx_anonymizer.core import diversity
from tfx_anonymizer.core.partition.guarantee_kernels import is_diverse


def one_class(values, kind, l=2):
    codes = np.asarray(values, dtype=np.int32)
    return float(diversity.measure(np.zeros_like(codes), codes, 1, kind, l)[0])


@pytest.mark.parametrize(
    ("count", "l", "ratio"),
    [
        ([3, 2, 1], 2, Fraction(3, 3)),
        ([3, 2, 1], 3, Fraction(3, 1)),
        # The least frequent first: a tool that sorts ascending says 1/5.
        ([1, 2, 3], 2, Fraction(3, 3)),
        ([10, 10, 10, 10], 3, Fraction(10, 20)),
        ([7], 2, math.inf),
        ([7, 1], 3, math.inf),
    ],
)
def test_recursive_worked_by_hand(count, l, ratio):
    assert one_class(np.repeat(np.arange(len(count)), count), "recursive", l) == float(ratio)


@pytest.mark.parametrize("values", [2, 3, 5, 7, 10, 11, 13, 100])
def test_equally_frequent_values_just_reach_their_number(values):
    reached = one_class(np.repeat(np.arange(values), 3), "entropy")
    assert reached == pytest.approx(values)
    assert not diversity.broken(np.array([reached]), "entropy", values, math.inf)[0]
    assert diversity.broken(np.array([reached]), "entropy", values + 1e-6, math.inf)[0]
    # One row more of a value, and it is not reached any more.
    unequal = one_class(np.append(np.repeat(np.arange(values), 3), 0), "entropy")
    assert diversity.broken(np.array([unequal]), "entropy", values, math.inf)[0]


@given(st.integers(1, 400), st.integers(1, 400))
def test_a_ratio_that_equals_c_breaks_it(first, rest):
    first = max(first, rest)
    codes = np.repeat([0, 1], [first, rest])
    for c in (first / rest, float(Fraction(first, rest))):
        assert diversity.broken(np.array([one_class(codes, "recursive")]), "recursive", 2, c)[0]
        assert not is_diverse(np.bincount(codes), len(codes), DIVERSITIES.index("recursive"), 2.0, c)
    above = np.nextafter(first / rest, math.inf)
    assert not diversity.broken(np.array([one_class(codes, "recursive")]), "recursive", 2, above)[0]


def by_definition(values, kind, l, c):
    """The paper's definitions 4.1 and 4.3, word by word."""
    count = sorted(Counter(values).values(), reverse=True)
    if kind == "entropy":
        shares = [n / len(values) for n in count]
        return -math.fsum(p * math.log2(p) for p in shares) >= math.log2(l) - 1e-12
    return count[0] < Fraction(c) * sum(count[int(l) - 1 :])


values = st.lists(st.integers(0, 4), min_size=1, max_size=25)


@given(values, st.sampled_from(["entropy", "recursive"]), st.integers(2, 4), st.sampled_from([0.5, 1.0, 1.5, 3.0]))
def test_three_ways_to_tell_agree(values, kind, l, c):
    wanted = by_definition(values, kind, l, c)
    assert diversity.broken(np.array([one_class(values, kind, l)]), kind, l, c)[0] != wanted
    count = np.bincount(values, minlength=7)
    assert is_diverse(count, len(values), DIVERSITIES.index(kind), float(l), c) == wanted


@given(values, values, st.sampled_from(["entropy", "recursive"]), st.integers(2, 4), st.sampled_from([0.5, 1.5, 3.0]))
def test_merging_diverse_classes_gives_a_diverse_class(one, other, kind, l, c):
    if by_definition(one, kind, l, c) and by_definition(other, kind, l, c):
        assert not diversity.broken(np.array([one_class(one + other, kind, l)]), kind, l, c)[0]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=40), st.sampled_from(DIVERSITIES))
def test_many_classes_at_once(rows, kind):
    labels = np.unique([r[0] for r in rows], return_inverse=True)[1].reshape(-1).astype(np.int32)
    codes = np.array([r[1] for r in rows], dtype=np.int32)
    together = diversity.measure(labels, codes, labels.max() + 1, kind, 2)
    alone = [one_class(codes[labels == label], kind) for label in range(labels.max() + 1)]
    assert together.tolist() == pytest.approx(alone)
