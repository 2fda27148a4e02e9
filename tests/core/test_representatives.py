"""What a class releases: attained values, medians and modes, or the paper's member."""

import warnings

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfx_anonymizer.core.encoding import Attribute
from tfx_anonymizer.core.representatives import check_representative, representative_codes
from tfx_anonymizer.core.space import Bins, Effects
from tfx_anonymizer.errors import PolicyError, PrivacyWarning

NUMERIC = Attribute("n", "numeric", pa.array([None, *range(1, 50)]), 0)
CATEGORICAL = Attribute("c", "categorical", pa.array([None, *map(str, range(1, 50))]), 0)


def codes_of(*rows):
    return np.array(rows, dtype=np.int32)


def test_lower_median_and_mode_of_each_attribute():
    codes = codes_of([1, 5], [9, 5], [3, 7], [4, 8], [40, 9])
    labels = np.array([0, 0, 0, 0, 1], dtype=np.int32)
    found = representative_codes("median", codes, labels, [NUMERIC, CATEGORICAL])
    assert found.tolist() == [[3, 5], [40, 9]]


@pytest.mark.parametrize(
    ("members", "expected"),
    [([0, 0, 4], 0), ([0, 0, 4, 6], 4), ([0, 3, 4], 3), ([0, 0, 0, 1], 0), ([5], 5), ([0], 0)],
)
def test_missing_is_released_when_most_are_missing(members, expected):
    codes = codes_of(*[[code] for code in members])
    labels = np.zeros(len(members), dtype=np.int32)
    assert representative_codes("median", codes, labels, [NUMERIC]).tolist() == [[expected]]


def test_the_least_of_equally_frequent_categories():
    codes = codes_of([7], [2], [7], [2], [1])
    assert representative_codes("median", codes, np.zeros(5, dtype=np.int32), [CATEGORICAL]).tolist() == [[2]]


def test_the_medoid_is_the_member_nearest_the_centre():
    codes = codes_of([1, 5], [3, 6], [4, 5], [9, 5])
    labels = np.zeros(4, dtype=np.int32)
    # Centre (3, 5): the second differs in the category, the third by one code of 49.
    assert representative_codes("medoid", codes, labels, [NUMERIC, CATEGORICAL]).tolist() == [[4, 5]]


def test_medoid_ties_do_not_depend_on_row_order():
    codes = codes_of([2, 5], [4, 5], [3, 6], [3, 7])
    labels = np.zeros(4, dtype=np.int32)
    first = representative_codes("medoid", codes, labels, [NUMERIC, CATEGORICAL])
    second = representative_codes("medoid", codes[::-1].copy(), labels, [NUMERIC, CATEGORICAL])
    assert first.tolist() == second.tolist()


@given(st.lists(st.tuples(st.integers(0, 49), st.integers(0, 9), st.integers(0, 3)), min_size=1, max_size=60))
def test_every_value_is_attained_in_its_class(rows):
    codes = codes_of(*[row[:2] for row in rows])
    _, labels = np.unique([row[2] for row in rows], return_inverse=True)
    labels = labels.astype(np.int32)
    for name in ("median", "medoid"):
        found = representative_codes(name, codes, labels, [NUMERIC, CATEGORICAL])
        for label in range(labels.max() + 1):
            members = codes[labels == label]
            assert found[label, 0] in members[:, 0]
            assert found[label, 1] in members[:, 1]
            if name == "medoid":
                assert found[label].tolist() in members.tolist()


def test_medoid_warns_and_median_does_not():
    with pytest.warns(PrivacyWarning, match="real member"):
        check_representative("medoid")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_representative("median")
    with pytest.raises(PolicyError, match="got: 'mean'"):
        check_representative("mean")


def test_the_typical_value_means_what_the_class_means():
    codes = codes_of([1, 5], [2, 5], [9, 7], [40, 8])
    effects = Effects(np.array([[[0.0], [1.0]], [[0.1], [1.0]], [[0.8], [3.0]], [[5.0], [5.0]]]), Bins(()), ())
    labels = np.array([0, 0, 0, 1], dtype=np.int32)
    found = representative_codes("typical", codes, labels, [NUMERIC, CATEGORICAL], effects)
    # Mean effects of the first class: 0.3, nearest 0.1 of code 2; 1.67, nearest 1.0 of code 5.
    assert found.tolist() == [[2, 5], [40, 8]]


def test_what_cannot_be_chosen_is_refused():
    labels = np.zeros(1, dtype=np.int32)
    with pytest.raises(PolicyError, match="needs the attributes' effects"):
        representative_codes("typical", codes_of([1]), labels, [NUMERIC])
    with pytest.raises(PolicyError, match="'altered_medoid' needs"):
        representative_codes("altered_medoid", codes_of([1]), labels, [NUMERIC])
    with pytest.raises(PolicyError, match="'auto'"):
        representative_codes("auto", codes_of([1]), labels, [NUMERIC])


def effects_of(codes):
    """The codes themselves as effects."""
    codes = np.asarray(codes)
    return Effects(codes[:, :, None].astype(float), Bins(()), ())


def altered(codes, labels, k):
    kinds = [NUMERIC] * codes.shape[1]
    return representative_codes("altered_medoid", codes, labels, kinds, effects_of(codes), k)


def test_a_member_whom_few_are_like_is_altered():
    # Mean (3, 20): the nearest is (3, 21), which one row alone has. Exchanging 21 for 18 costs less than 3 for 2 or 4.
    codes = codes_of([2, 18], [3, 21], [4, 21])
    labels = np.zeros(3, dtype=np.int32)
    assert altered(codes, labels, 2).tolist() == [[2, 21]]
    # Two rows with that combination are enough for k = 2.
    twice = codes_of([2, 18], [3, 21], [3, 21], [4, 21])
    assert altered(twice, np.zeros(4, dtype=np.int32), 2).tolist() == [[3, 21]]


def test_an_exchange_that_makes_another_rare_record_is_passed_over():
    # (2, 21), the cheapest exchange, is somebody else's record in another class.
    codes = codes_of([2, 18], [3, 21], [4, 21], [2, 21], [40, 40])
    labels = np.array([0, 0, 0, 1, 1], dtype=np.int32)
    assert altered(codes, labels, 2)[0].tolist() == [3, 18]


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 5), st.integers(0, 4), st.integers(0, 3)), min_size=1),
    st.integers(2, 5),
    st.randoms(use_true_random=False),
)
def test_an_altered_member_is_a_rare_record_only_where_nothing_can_be_exchanged(rows, k, random):
    codes = codes_of(*[row[:3] for row in rows])
    labels = np.unique([row[3] for row in rows], return_inverse=True)[1].reshape(-1).astype(np.int32)
    found = altered(codes, labels, k)
    held = [tuple(row) for row in codes.tolist()]
    for label, released in enumerate(found.tolist()):
        members = codes[labels == label]
        assert all(value in members[:, i] for i, value in enumerate(released))
        if 0 < held.count(tuple(released)) < k:
            one_away = {
                (*released[:i], value, *released[i + 1 :]) for i in range(3) for value in members[:, i].tolist()
            } - {tuple(released)}
            assert all(0 < held.count(other) < k for other in one_away)
    order = list(range(len(rows)))
    random.shuffle(order)
    # Whole numbers as effects add up alike in any order.
    assert altered(codes[order], labels[order], k).tolist() == found.tolist()
