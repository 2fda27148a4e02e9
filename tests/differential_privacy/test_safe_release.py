"""Safe releases: what is published, what is refused, and a game of membership at small numbers."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tests.support.people import guide_for, make_people
from tfx_anonymizer.differential_privacy import safe_release
from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.differential_privacy.coins import Coins
from tfx_anonymizer.differential_privacy.safe_release import (
    SafeAnonymizer,
    disjoint_split,
    large_cells,
    one_row_each,
)
from tfx_anonymizer.differential_privacy.safe_sampling import greatest_sampling, sampling_delta
from tfx_anonymizer.errors import ColumnError, GuaranteeError, PolicyError

BUDGET = Budget(epsilon=1.0, delta=1e-6)
COLUMNS = ["age", "city"]


@pytest.fixture(scope="module")
def people():
    return make_people(5000)


@pytest.fixture(scope="module")
def fitted(people):
    design, others = disjoint_split(people, 0.3, seed=1)
    anonymizer = SafeAnonymizer(COLUMNS, label="ill", budget=BUDGET, partitioner="guided_tree")
    return anonymizer.fit(design, guide_for(design)), others


def test_every_published_combination_is_common_and_nothing_else_is_published(fitted):
    anonymizer, others = fitted
    release = anonymizer.release(others)
    assert release.k == anonymizer.k == 74
    assert list(release.table.columns) == [*COLUMNS, "ill"]
    assert release.table.groupby([*COLUMNS, "ill"], dropna=False).size().min() >= 74
    assert 0.2 * len(others) < len(release.table) < 0.75 * len(others)
    assert release.epsilon == 1.0
    assert release.delta <= 1e-6
    assert list(release.table.index) == list(range(len(release.table)))
    facts = json.loads(json.dumps(release.to_dict()))
    assert facts["records"] == len(release.table)
    assert "design split" in facts["does_not_cover"][0]


def test_the_coins_are_new_each_time_unless_rehearsed(fitted):
    anonymizer, others = fitted
    first, second = (anonymizer.release(others).table for _ in range(2))
    assert len(first) != len(second) or not first.equals(second)
    rehearsed = [anonymizer.release(others, seed=3) for _ in range(2)]
    assert rehearsed[0].table.equals(rehearsed[1].table)
    assert rehearsed[0].epsilon == math.inf


def test_arrow_comes_back_as_arrow(fitted):
    anonymizer, others = fitted
    table = pa.Table.from_pandas(others, preserve_index=False)
    release = anonymizer.release(table, seed=3).table
    assert isinstance(release, pa.Table)
    expected = anonymizer.release(others, seed=3).table
    assert release.to_pandas().astype(object).fillna("").equals(expected.astype(object).fillna(""))
    assert release.schema.metadata is None


def test_types_tell_nothing_of_those_who_are_left_out(people):
    table = people.assign(label=pd.Categorical(np.where(people.index == 17, "only one", "the rest")))
    design, others = table[table.index % 3 == 0], table[table.index % 3 != 0]
    anonymizer = SafeAnonymizer(["age"], label="label", budget=BUDGET, partitioner="guided_tree")
    anonymizer.fit(design, guide_for(design))
    assert list(anonymizer.release(others).table["label"].cat.categories) == ["the rest"]
    arrow = anonymizer.release(pa.Table.from_pandas(others, preserve_index=False)).table
    assert arrow.column("label").combine_chunks().dictionary.to_pylist() == ["the rest"]


def test_people_with_many_rows_count_once(people):
    table = people.assign(person=np.arange(len(people)) // 2)
    design, others = disjoint_split(table, 0.3, entity_id="person", seed=2)
    assert not set(design["person"]) & set(others["person"])
    anonymizer = SafeAnonymizer(["age"], label="ill", budget=BUDGET, entity_id="person", partitioner="guided_tree")
    release = anonymizer.fit(design, guide_for(design)).release(others).table
    assert "person" not in release.columns
    assert len(release) <= others["person"].nunique()
    chosen = one_row_each(others, "person", Coins(0))
    assert len(chosen) == others["person"].nunique() == others.iloc[chosen]["person"].nunique()
    assert not np.array_equal(np.sort(chosen), np.sort(one_row_each(others, "person", Coins(1))))


def test_people_of_the_design_are_not_released(people):
    table = people.assign(person=np.arange(len(people)))
    anonymizer = SafeAnonymizer(["age"], budget=BUDGET, entity_id="person", partitioner="guided_tree")
    anonymizer.fit(table[:2000])
    with pytest.raises(GuaranteeError, match=r"design split are to be released.*got: 10 of them"):
        anonymizer.release(table[1990:])
    without = SafeAnonymizer(["age"], budget=BUDGET, partitioner="guided_tree").fit(people)
    with pytest.raises(GuaranteeError, match="design split are to be released"):
        without.release(people.sample(frac=1.0, random_state=0))


def test_what_cannot_be_kept_is_refused(fitted, people):
    anonymizer, others = fitted
    with pytest.raises(GuaranteeError, match="k is too small for the budget; got: 50; allowed: 74 or more"):
        SafeAnonymizer(COLUMNS, budget=BUDGET, k=50)
    with pytest.raises(PolicyError, match="sampling is out of range"):
        SafeAnonymizer(COLUMNS, budget=BUDGET, sampling=0.7)
    with pytest.raises(PolicyError, match="before fit"):
        SafeAnonymizer(COLUMNS, budget=BUDGET).release(people)
    with pytest.raises(ColumnError, match="'city'"):
        anonymizer.release(others.drop(columns="city"))
    with pytest.raises(GuaranteeError, match="common enough"):
        anonymizer.release(others[:100])
    late = SafeAnonymizer(["age"], budget=Budget(1.0, 1e-4), partitioner="guided_tree").fit(others[:1000])
    with pytest.raises(GuaranteeError, match="delta is too large for so many people"):
        late.release(others[1000:2500])
    with pytest.raises(ColumnError, match=r"missing in some rows, so it cannot be said whose they are; got: 1 rows"):
        one_row_each(pd.DataFrame({"id": ["a", None]}), "id", Coins())
    for share in (0, 1, 2.0, True):
        with pytest.raises(PolicyError, match="share is out of range"):
            disjoint_split(people, share)


def test_a_release_that_does_not_keep_k_is_caught(fitted, monkeypatch):
    anonymizer, others = fitted
    monkeypatch.setattr(safe_release, "large_cells", lambda cells, _k: np.ones(len(cells), dtype=bool))
    with pytest.raises(GuaranteeError, match="counted again"):
        anonymizer.release(others)


def outcomes(size: int, k: int, probability: float, runs: int, seed: int) -> np.ndarray:
    """Plays the mechanism on one cell of so many persons and returns how often each count is published."""
    coins, seen = Coins(seed), np.zeros(size + 1)
    for _ in range(runs):
        drawn = np.flatnonzero(coins.flips(size, probability))
        seen[int(large_cells(np.zeros(len(drawn), dtype=np.int64), k).sum())] += 1
    return seen / runs


def advantage(k: int, probability: float, epsilon: float, size: int = 12, runs: int = 20_000) -> float:
    """How much likelier than exp(epsilon) allows the best guesser sees something with one person more."""
    more = np.append(outcomes(size, k, probability, runs, 1), 0.0)
    fewer = np.append(outcomes(size - 1, k, probability, runs, 2), [0.0, 0.0])
    one, other = more, fewer[: len(more)]
    both = [np.maximum(a - math.exp(epsilon) * b, 0.0).sum() for a, b in ((one, other), (other, one))]
    return float(max(both))


def test_the_game_of_membership():
    k, epsilon = 5, 1.0
    probability = greatest_sampling(epsilon)
    allowed = sampling_delta(k, probability, epsilon)
    assert advantage(k, probability, epsilon) < allowed + 0.01
    # Without sampling, whoever counts knows; the game must see it.
    assert advantage(k, 1.0, epsilon) > 0.99
