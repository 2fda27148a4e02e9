"""Codes of columns: bounds alone decide, and what is decoded encodes back."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfx_anonymizer.differential_privacy.attributes import NOTHING, Categorical, Numeric


@given(
    st.integers(-1000, 1000),
    st.integers(1, 10**6),
    st.booleans(),
    st.integers(2, 40),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_what_is_drawn_from_a_code_has_that_code(low, width, integer, bins, optional, seed):
    found = Numeric.between("x", low, low + width, integer=integer, bins=bins, optional=optional)
    codes = np.arange(found.size, dtype=np.int32)
    values = found.decode(codes, np.random.default_rng(seed))
    numbers = [v for v in values.to_pylist() if v is not None]
    assert len(numbers) == found.size - optional
    assert low <= min(numbers) <= max(numbers) <= low + width
    back = found.encode(values.cast(pa.float64()))
    # A 32-bit float may round onto the next edge.
    assert np.abs(back - codes).max() <= (0 if integer else 1)


def test_edges_are_a_function_of_the_bounds():
    assert Numeric.between("hour", 0, 23, integer=True, bins=4).size == 24
    assert Numeric.between("age", 17, 90, integer=True, bins=16).size == 16
    gain = Numeric.between("gain", 0, 99_999, integer=True, bins=16)
    assert gain.edges[0] == 0
    assert gain.edges[1] <= 11
    assert gain.edges[-1] == 100_000
    widths = np.diff(gain.edges)
    assert widths[-1] > 1000 * widths[0]


def test_missing_and_out_of_bounds():
    values = pa.array([None, float("nan"), -5.0, 1e9, 50.0])
    assert Numeric.between("x", 0, 100, integer=False, bins=10).encode(values).tolist() == [-1, -1, 0, 9, 5]
    optional = Numeric.between("x", 0, 100, integer=False, bins=10, optional=True)
    assert optional.encode(values).tolist() == [10, 10, 0, 9, 5]
    assert optional.decode(np.array([10]), np.random.default_rng(0)).to_pylist() == [None]


@pytest.mark.parametrize("kind", [pa.string(), pa.binary(), pa.large_binary(), pa.dictionary(pa.int32(), pa.string())])
def test_vocabularies_take_text_in_any_form(kind):
    city = Categorical("city", ("Ulm", "東京"), optional=True)
    values = pa.array(["東京", "Ulm", "x", None])
    values = values.dictionary_encode() if pa.types.is_dictionary(kind) else values.cast(kind)
    assert city.encode(values).tolist() == [1, 0, NOTHING, 2]
    assert city.decode(np.array([1, 2]), np.random.default_rng(0)).to_pylist() == ["東京".encode(), None]


def test_unknown_values_fall_to_other():
    assert Categorical("x", ("a", "Other")).encode(pa.array(["b", "a", None])).tolist() == [1, 0, NOTHING]
    assert Categorical("x", (1, 5)).encode(pa.array([5, 7])).tolist() == [1, NOTHING]
    assert Categorical("x", ("1", "5")).encode(pa.array([5, 7])).tolist() == [1, NOTHING]
