"""Ordered codes: numbers in their own order, categories in the guide's, missing a value of its own."""

import datetime
import decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tfx_anonymizer.core.encoding import fit_attribute
from tfx_anonymizer.core.steering import steer
from tfx_anonymizer.errors import ColumnError

FLAT = np.zeros((4, 1), dtype=np.int32)


@pytest.mark.parametrize(
    "values",
    [
        [30, 10, None, 20],
        [3.5, -1.0, None, 0.0],
        [2**62 + 1, -(2**62), None, 2**62],
        [datetime.date(2021, 1, 1), datetime.date(1999, 1, 1), None, datetime.date(2000, 1, 1)],
        [datetime.datetime(2021, 1, 1), datetime.datetime(1999, 1, 1), None, datetime.datetime(2000, 1, 1)],
        [datetime.time(9), datetime.time(1), None, datetime.time(3)],
        [decimal.Decimal("10.5"), decimal.Decimal("-3"), None, decimal.Decimal("2.25")],
    ],
    ids=["int", "float", "huge", "date", "datetime", "time", "decimal"],
)
def test_numbers_keep_their_order_and_missing_is_zero(values):
    attribute, codes = fit_attribute("x", pa.array(values), "numeric", FLAT)
    assert codes.tolist() == [3, 1, 0, 2]
    assert attribute.missing_code == 0
    assert attribute.encode(pa.array(values)).tolist() == [3, 1, 0, 2]
    assert attribute.values(codes).to_pylist() == values


def test_new_numbers_fall_between_known_ones():
    attribute, _ = fit_attribute("x", pa.array([10, 20, 30, 30]), "numeric", FLAT)
    assert attribute.encode(pa.array([5, 10, 11, 20, 29, 31, None])).tolist() == [1, 1, 2, 2, 3, 4, 0]
    assert attribute.encode(pa.array([9.5, 20.5])).tolist() == [1, 3]


def test_categories_follow_the_guides_mean():
    column = pa.array(["low", "high", "mid", None, "high"])
    attribute, codes = fit_attribute("x", column, "categorical", steer([0.1, 0.8, 0.5, 0.3, 1.0]))
    assert attribute.domain.to_pylist() == ["low", None, "mid", "high"]
    assert codes.tolist() == [0, 3, 2, 1, 3]


def test_missing_has_a_place_even_if_nothing_is_missing():
    attribute, _ = fit_attribute("x", pa.array(["a", "b", "b", "b"]), "categorical", steer([0.0, 1.0, 1.0, 1.0]))
    assert attribute.domain.null_count == 1
    assert attribute.encode(pa.array([None, "a"], pa.string())).tolist()[0] == attribute.missing_code


def test_unseen_categories_go_to_the_middle():
    attribute, _ = fit_attribute("x", pa.array(list("abcde")), "categorical", steer([0.0, 0.2, 0.5, 0.8, 1.0]))
    middle = attribute.encode(pa.array(["never seen"]))[0]
    assert attribute.encode(pa.array(["a"]))[0] < middle < attribute.encode(pa.array(["e"]))[0]


def test_several_guide_columns_give_one_order():
    guide = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [0.5, 0.5, 0]])
    _, codes = fit_attribute("x", pa.array(["p", "q", "r", "s"]), "categorical", steer(guide))
    assert sorted(codes.tolist()) == sorted(set(codes.tolist()))
    # "s" is half "p" and half "q", and has its place between them.
    place = dict(zip("pqrs", codes.tolist(), strict=True))
    assert min(place["p"], place["q"]) < place["s"] < max(place["p"], place["q"])


def test_row_order_does_not_matter():
    rng = np.random.default_rng(0)
    values = rng.choice(list("abcdefg"), 500)
    guide = rng.random((500, 3))
    order = rng.permutation(500)
    first, codes = fit_attribute("x", pa.array(values), "categorical", steer(guide))
    second, again = fit_attribute("x", pa.array(values[order]), "categorical", steer(guide[order]))
    assert first.domain.equals(second.domain)
    assert (codes[order] == again).all()


def many(kind):
    """5000 numbers, most of them standing once, some missing."""
    rng = np.random.default_rng(1)
    numbers = rng.integers(-(2**62), 2**62, 5000)
    numbers[:300] = numbers[300:600]
    array = {
        "float": pa.array(rng.normal(size=5000)),
        "float32": pa.array(rng.normal(size=5000).astype(np.float32)),
        "int": pa.array(numbers),
        "uint64": pa.array(rng.integers(0, 2**64, 5000, dtype=np.uint64)),
        "date": pa.array(rng.permutation(5000).astype("datetime64[D]")),
        "timestamp": pa.array((numbers >> 12).astype("datetime64[us]")),
    }[kind]
    return pc.if_else(pa.array(rng.random(5000) < 0.1), pa.scalar(None, array.type), array)


@pytest.mark.parametrize("kind", ["float", "float32", "int", "uint64", "date", "timestamp"])
def test_numbers_that_are_nearly_all_distinct_get_the_same_codes(kind):
    array = many(kind)
    target = np.zeros((len(array), 1), dtype=np.int32)
    attribute, codes = fit_attribute("x", array, "numeric", target)
    # Ten times the same in a row: so few distinct values among the first that the other way is taken.
    slowly, expected = fit_attribute("x", pa.concat_arrays([array.slice(0, 400)] * 11 + [array]), "numeric", target)
    assert attribute.domain.equals(slowly.domain)
    assert (codes == expected[-5000:]).all()
    assert (attribute.encode(array) == codes).all()
    known = [value for value in array.to_pylist() if value is not None]
    assert attribute.domain.to_pylist() == [None, *sorted(set(known))]
    assert attribute.values(codes).equals(array)


def test_another_type_is_refused():
    numeric, _ = fit_attribute("x", pa.array([1, 2, 3, 4]), "numeric", FLAT)
    text, _ = fit_attribute("x", pa.array(["a", "b", "c", "d"]), "categorical", FLAT)
    for fitted, other in [
        (numeric, pa.array(["1"])),
        (numeric, pa.array([datetime.date(2020, 1, 1)])),
        (text, pa.array([1])),
        (text, pa.array([b"a"])),
    ]:
        with pytest.raises(ColumnError, match="column 'x' is of another type"):
            fitted.encode(other)


def test_another_width_or_unit_is_not_another_type():
    numeric, _ = fit_attribute("x", pa.array([1, 2, 3, 4], pa.int8()), "numeric", FLAT)
    assert numeric.encode(pa.array([2.5])).tolist() == [3]
    times = [datetime.datetime(2020, 1, day) for day in (1, 2, 3, 4)]
    moments, _ = fit_attribute("x", pa.array(times, pa.timestamp("s")), "numeric", FLAT)
    assert moments.encode(pa.array(times, pa.timestamp("ns"))).tolist() == [1, 2, 3, 4]
    districts, codes = fit_attribute("x", pa.array([7, 3, 9, 3]), "categorical", steer([0.0, 0.4, 1.0, 0.4]))
    assert districts.encode(pa.array([7.0, 3.0, 9.0, 3.0])).tolist() == codes.tolist()
    text, codes = fit_attribute("x", pa.array(["a", "b", "c", "d"], pa.large_string()), "categorical", FLAT)
    assert text.encode(pa.array(["a", "b", "c", "d"]).dictionary_encode().dictionary).tolist() == codes.tolist()
