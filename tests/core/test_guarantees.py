"""What cannot be promised is refused before any work."""

import numpy as np
import pandas as pd
import pytest

from tfx_anonymizer import AnonymizationPolicy
from tfx_anonymizer.core.guarantees import bind
from tfx_anonymizer.errors import ColumnError, GuaranteeError

TABLE = pd.DataFrame(
    {
        "age": [1, 2, 3, 4, 5],
        "id": ["a", "a", "b", "b", "b"],
        "holey": ["a", None, "b", "b", "b"],
        "ill": [30, 10, None, 10, 20],
        "one": ["x"] * 5,
    }
)


def policy(**fields):
    return AnonymizationPolicy(("age",), **{"k": 2, **fields})


def test_rows_are_counted_by_default():
    found = bind(policy(sensitive=("ill",)), TABLE)
    assert found.counts_rows_only
    assert found.sensitive.shape == (5, 0)


def test_people_and_sensitive_values_become_codes():
    found = bind(policy(entity_id="id", sensitive=("ill", "id2"), l=2), TABLE.assign(id2=list("vwxyz")))
    assert found.people.tolist() == [0, 0, 1, 1, 1]
    # In the order of the values, missing last.
    assert found.sensitive[:, 0].tolist() == [2, 0, 3, 0, 1]
    assert found.ordered.tolist() == [True, False]
    assert not found.counts_rows_only


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"k": 6}, "5 rows, k=6"),
        ({"k": 3, "entity_id": "id"}, "fewer than k distinct 'id'; got: 2 in 5 rows"),
        ({"sensitive": ("one",), "l": 2}, "'one' has fewer than l distinct values in the whole table; got: 1, l=2"),
        # 10 twice, 20, 30 and missing once: entropy log 3.789.
        ({"sensitive": ("ill",), "l": 3.8, "diversity": "entropy"}, "'ill' has less entropy than log l.*log 3.789"),
        # r1 = 2, r2 + r3 + r4 = 3; being equal is not enough.
        ({"sensitive": ("ill",), "l": 2, "diversity": "recursive", "c": 2 / 3}, r"not \(c, l\)-diverse.*= 0.6667, c="),
        ({"sensitive": ("ill",), "l": 5, "diversity": "recursive", "c": 99}, "= inf, c=99.*greater c or a smaller l"),
        ({"sensitive": ("ill", "one"), "l": 1.5, "diversity": "entropy"}, "'one' has less entropy"),
    ],
)
def test_unreachable_guarantees(fields, says):
    with pytest.raises(GuaranteeError, match=says):
        bind(policy(**fields), TABLE)


@pytest.mark.parametrize(
    "fields", [{"l": 3.78, "diversity": "entropy"}, {"l": 2, "diversity": "recursive", "c": 0.67}, {"l": 4}]
)
def test_what_the_whole_table_just_has_can_be_promised(fields):
    assert bind(policy(sensitive=("ill",), **fields), TABLE).l == fields["l"]


def test_an_entity_id_must_be_there_in_every_row():
    with pytest.raises(ColumnError, match=r"'holey' is missing in some rows.*1 rows"):
        bind(policy(entity_id="holey"), TABLE)


def test_t_is_bound():
    assert bind(policy(sensitive=("one",), t=0.25), TABLE).t == 0.25
    assert np.isinf(bind(policy(), TABLE).t)
