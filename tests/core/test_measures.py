"""What a release achieves: worked examples, and a count by brute force for any table."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfx_anonymizer.core import measure_privacy
from tfx_anonymizer.errors import ColumnError, PolicyError

RELEASE = pd.DataFrame(
    {
        "age": [30, 30, 30, 60, 60, 60, 60],
        "city": ["Ulm", "Ulm", "Ulm", None, None, None, None],
        "ill": ["flu", "flu", "cold", "flu", "gout", "gout", None],
        "stage": [1, 2, 3, 1, 1, 2, 9],
        "id": [1, 1, 2, 3, 4, 5, 6],
    }
)


def test_worked_example():
    found = measure_privacy(RELEASE, ["age", "city"], ["ill"])
    assert (found.k, found.rows, found.classes, found.largest_class) == (3, 7, 2, 4)
    assert dict(found.class_sizes) == {3: 1, 4: 1}
    assert found.distinct_l == 2
    # The first class: flu 2/3, cold 1/3.
    assert found.entropy_l == pytest.approx(math.exp(-(2 / 3 * math.log(2 / 3) + 1 / 3 * math.log(1 / 3))))
    # flu 2/3 against 3/7, cold 1/3 against 1/7, gout 0 against 2/7, missing 0 against 1/7: half of 18/21.
    assert found.t == pytest.approx(9 / 21)
    assert found.prosecutor_risk == pytest.approx(1 / 3)
    assert found.journalist_risk == pytest.approx(1 / 3)
    assert found.marketer_risk == pytest.approx(2 / 7)


def test_recursive_diversity_is_measured_when_l_is_given():
    # First class: flu 2, cold 1; second: gout 2, flu 1, missing 1.
    assert measure_privacy(RELEASE, ["age", "city"], ["ill"], l=2).recursive_c == 2.0
    assert measure_privacy(RELEASE, ["age", "city"], ["ill"], l=3).recursive_c == math.inf
    assert measure_privacy(RELEASE, ["age", "city"], ["ill"], l=3).to_dict()["recursive_c"] is None
    assert measure_privacy(RELEASE, ["age", "city"], ["ill"]).recursive_c is None
    assert measure_privacy(RELEASE, ["age", "city"], l=2).recursive_c is None
    with pytest.raises(PolicyError, match="l is out of range"):
        measure_privacy(RELEASE, ["age"], ["ill"], l=1)


def test_ordered_distance_for_numbers():
    # Values 1, 2, 3, 9; overall 3/7, 2/7, 1/7, 1/7; first class 1/3, 1/3, 1/3, 0.
    overall, first = np.array([3, 2, 1, 1]) / 7, np.array([1, 1, 1, 0]) / 3
    second = np.array([2, 1, 0, 1]) / 4
    distances = [np.abs(np.cumsum(q - overall)).sum() / 3 for q in (first, second)]
    assert measure_privacy(RELEASE, ["age"], ["stage"]).t == pytest.approx(max(distances))


def test_people_are_counted_once_a_class():
    found = measure_privacy(RELEASE, ["age", "city"], entity_id="id")
    assert found.k == 2
    assert dict(found.class_sizes) == {2: 1, 4: 1}
    assert found.marketer_risk == pytest.approx(2 / 6)


def test_missing_is_a_value():
    table = pd.DataFrame({"a": [1.0, 1.0, np.nan], "b": ["x", "x", "x"]})
    assert measure_privacy(table, ["a", "b"]).k == 1
    assert measure_privacy(table, ["b"]).k == 3


def test_nothing_is_hidden_by_an_odd_index():
    table = RELEASE.set_index(pd.Index([7, 7, 7, 1, 2, 3, 4]))
    assert measure_privacy(table, ["age", "city"], ["ill"]) == measure_privacy(RELEASE, ["age", "city"], ["ill"])


def test_a_population_lowers_the_journalists_risk():
    population = pd.concat([RELEASE, RELEASE.assign(id=RELEASE["id"] + 10), RELEASE.head(3)])
    found = measure_privacy(RELEASE, ["age", "city"], population=population)
    assert found.prosecutor_risk == pytest.approx(1 / 3)
    assert found.journalist_risk == pytest.approx(1 / 8)
    assert found.marketer_risk == pytest.approx((3 / 9 + 4 / 8) / 7)


def test_an_empty_table():
    found = measure_privacy(RELEASE.head(0), ["age"], ["ill"])
    assert (found.k, found.rows, found.classes, found.prosecutor_risk) == (0, 0, 0, 0.0)
    assert found.distinct_l is None


def test_to_dict_is_json_ready():
    fields = measure_privacy(pa.Table.from_pandas(RELEASE), ["age"]).to_dict()
    assert fields["class_sizes"] == {"3": 1, "4": 1}
    assert fields["distinct_l"] is None


def test_refusals():
    with pytest.raises(PolicyError, match="empty"):
        measure_privacy(RELEASE, [])
    with pytest.raises(ColumnError, match="did you mean 'age'"):
        measure_privacy(RELEASE, ["agee"])
    with pytest.raises(ColumnError, match="1 rows"):
        measure_privacy(RELEASE, ["age"], entity_id="ill")


cell = st.one_of(st.none(), st.integers(0, 3))


@given(st.lists(st.tuples(cell, st.sampled_from(["a", "b", None]), st.integers(0, 4), cell), min_size=1, max_size=50))
def test_against_brute_force(rows):
    table = pa.table(
        {
            "q1": pa.array([r[0] for r in rows], pa.int64()),
            "q2": pa.array([r[1] for r in rows], pa.string()),
            "id": pa.array([r[2] for r in rows]),
            "s": pa.array([None if r[3] is None else f"s{r[3]}" for r in rows], pa.string()),
        }
    )
    members = defaultdict(list)
    for row in rows:
        members[row[:2]].append(row)
    overall = Counter(row[3] for row in rows)
    found = measure_privacy(table, ["q1", "q2"], ["s"])
    assert found.k == min(map(len, members.values()))
    assert found.classes == len(members)
    assert dict(found.class_sizes) == dict(Counter(map(len, members.values())))
    assert found.distinct_l == min(len({r[3] for r in m}) for m in members.values())
    distances = []
    for m in members.values():
        mine = Counter(r[3] for r in m)
        distances.append(sum(abs(mine[v] / len(m) - n / len(rows)) for v, n in overall.items()) / 2)
    assert found.t == pytest.approx(max(distances))
    entropies, ratios = [], []
    for m in members.values():
        mine = sorted(Counter(r[3] for r in m).values(), reverse=True)
        entropies.append(-sum(n / len(m) * math.log2(n / len(m)) for n in mine))
        ratios.append(mine[0] / sum(mine[1:]) if mine[1:] else math.inf)
    assert found.entropy_l == pytest.approx(2 ** min(entropies))
    assert measure_privacy(table, ["q1", "q2"], ["s"], l=2).recursive_c == max(ratios)
    by_people = measure_privacy(table, ["q1", "q2"], entity_id="id")
    assert by_people.k == min(len({r[2] for r in m}) for m in members.values())
