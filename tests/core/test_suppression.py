"""Leaving outliers out: who they are, that no more go than may, and that nothing of them stays."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tests.support.people import QUASI_IDENTIFIERS, guide_for, make_people
from tests.support.recount import breaches, rows_of
from tfx_anonymizer import AnonymizationPolicy
from tfx_anonymizer.core import AccuracyGuidedAnonymizer
from tfx_anonymizer.core.partition import PARTITIONERS
from tfx_anonymizer.core.suppression import blur, outliers, take_guide

every_partitioner = pytest.mark.parametrize("partitioner", PARTITIONERS)


def village():
    """Sixty people of a village and a stranger, who is the last one."""
    rng = np.random.default_rng(5)
    table = pd.DataFrame({"age": rng.integers(30, 35, 61), "city": "Ulm", "trade": "baker", "house": range(61)})
    table["ill"] = rng.integers(0, 2, 61)
    table.loc[60, ["age", "city", "trade"]] = [99, "Mars", "diver"]
    return table


def test_blur_worked_by_hand():
    before = pa.table({"age": [1, 2, 3, 11, None], "city": ["a", "b", None, "a", "a"]})
    after = pa.table({"age": [2, 2, 2, 2, 2], "city": ["a", "a", "a", "a", None]})
    # Ages by rank among four: a third of the way from 1 to 2; a missing one that is given a value is lost altogether.
    assert blur(before, after, ["age", "city"]).tolist() == pytest.approx([1 / 6, 1 / 2, 2 / 3, 1 / 3, 1])
    assert blur(before, after, ["age"], categorical=["age"]).tolist() == [1, 0, 1, 1, 1]


def test_the_most_blurred_go_first_and_none_that_is_not():
    before = pd.DataFrame({"a": [0] * 10 + [3, 9, 6], "b": 1})
    after = before.assign(a=0)
    policy = AnonymizationPolicy(("a",), 2)
    assert np.flatnonzero(outliers(before, after, None, policy, 1)).tolist() == [11]
    assert np.flatnonzero(outliers(before, after, None, policy, 2)).tolist() == [11, 12]
    assert np.flatnonzero(outliers(before, after, None, policy, 13)).tolist() == [10, 11, 12]
    assert not outliers(after, after, None, policy, 13).any()


def test_of_rows_equally_blurred_guide_and_content_choose_and_not_the_order():
    before = pd.DataFrame({"a": [1] * 8 + [0] * 8, "b": range(16)})
    guide = np.r_[np.linspace(0, 1, 4), np.linspace(0, 1, 4), np.zeros(8)]
    chosen = outliers(before, before.assign(a=0), guide, AnonymizationPolicy(("a",), 2), 3)
    order = np.random.default_rng(0).permutation(16)
    again = outliers(
        before.iloc[order], before.iloc[order].assign(a=0), guide[order], AnonymizationPolicy(("a",), 2), 3
    )
    assert chosen.sum() == 3
    assert sorted(before["b"][chosen]) == sorted(before["b"].iloc[order][again])


# The paper's representative is a real record, of which is warned.
@pytest.mark.filterwarnings("ignore::tfx_anonymizer.errors.PrivacyWarning")
@every_partitioner
def test_the_stranger_goes_and_nothing_of_him_stays(partitioner):
    table = village()
    names = ["age", "city", "trade"]
    whole = AccuracyGuidedAnonymizer(names, 5, label="ill", partitioner=partitioner).fit(table)
    assert whole.kept_.all()
    anonymizer = AccuracyGuidedAnonymizer(names, 5, label="ill", partitioner=partitioner, max_suppressed=0.02)
    released = anonymizer.fit_transform(table)
    assert released.index.tolist() == list(range(60))
    assert anonymizer.kept_.tolist() == [True] * 60 + [False]
    assert anonymizer.class_sizes_.sum() == 60
    pd.testing.assert_frame_equal(anonymizer.transform(table), released)
    pd.testing.assert_frame_equal(anonymizer.transform(table[::-1]), released[::-1])
    domains = {a.name: set(a.domain.to_pylist()) for a in anonymizer.generalization_.attributes}
    assert "Mars" not in domains["city"]
    assert 99 not in domains["age"]
    # The others' release is what it would be if he had never been there.
    alone = AccuracyGuidedAnonymizer(names, 5, label="ill", partitioner=partitioner).fit_transform(table[:60])
    pd.testing.assert_frame_equal(released, alone)


def test_rows_of_another_table_are_all_placed():
    table = village()
    anonymizer = AccuracyGuidedAnonymizer(["age", "city"], 5, label="ill", max_suppressed=0.02).fit(table)
    assert len(anonymizer.transform(table.tail(3))) == 3


def test_pandas_and_arrow_agree():
    people = make_people(300)
    anonymizer = AccuracyGuidedAnonymizer(QUASI_IDENTIFIERS, 12, label="ill", max_suppressed=0.1)
    by_pandas = anonymizer.fit_transform(people, guide_for(people))
    assert len(by_pandas) == 270
    by_arrow = anonymizer.fit_transform(pa.Table.from_pandas(people), pa.array(guide_for(people)))
    pd.testing.assert_frame_equal(by_arrow.to_pandas(), by_pandas.reset_index(drop=True))
    kept = anonymizer.kept_
    assert by_pandas["income"].tolist() == people["income"][kept].tolist()


# The paper's representative is a real record, of which is warned.
@pytest.mark.filterwarnings("ignore::tfx_anonymizer.errors.PrivacyWarning")
@every_partitioner
def test_people_are_still_counted(partitioner):
    people = make_people(300)
    promise = {"k": 6, "entity_id": "person", "sensitive": ["ill"], "l": 2, "t": 0.6}
    anonymizer = AccuracyGuidedAnonymizer(
        QUASI_IDENTIFIERS, label="ill", partitioner=partitioner, max_suppressed=0.05, **promise
    )
    released = anonymizer.fit_transform(people, guide_for(people))
    assert breaches(rows_of(released), QUASI_IDENTIFIERS, **promise) == []
    assert len(released) == 285


def test_nobody_goes_who_cannot_be_spared():
    # The stranger alone makes the class diverse, and a k of all rows needs all rows.
    table = village().assign(ill=0)
    table.loc[60, "ill"] = 1
    arguments = {"quasi_identifiers": ["age", "city"], "max_suppressed": 0.1}
    diverse = AccuracyGuidedAnonymizer(k=5, sensitive=["ill"], l=2, **arguments).fit(table)
    assert diverse.kept_.all()
    assert AccuracyGuidedAnonymizer(k=61, **arguments).fit(table).kept_.all()


def test_a_column_that_only_an_outlier_fills_stays_filled():
    table = village().assign(boat=[None] * 60 + ["yes"])
    anonymizer = AccuracyGuidedAnonymizer(["age", "boat", "city"], 5, max_suppressed=0.02)
    assert anonymizer.fit(table).kept_.all()


@pytest.mark.parametrize(
    "kind", [list, np.asarray, pd.Series, pa.array, lambda g: pd.DataFrame({"p": g}), pa.chunked_array]
)
def test_guides_of_every_kind_lose_the_same_rows(kind):
    guide = [0.1, 0.2, 0.3, 0.4]
    guide = kind([guide[:3], guide[3:]]) if kind is pa.chunked_array else kind(guide)
    found = take_guide(guide, np.array([True, False, True, True]))
    assert np.asarray(found).ravel().tolist() == [0.1, 0.3, 0.4]


def test_best_groups_the_rest_in_the_way_it_chose():
    people = make_people(200)
    arguments = {"k": 10, "label": "ill", "partitioner": "auto", "effort": "medium"}
    whole = AccuracyGuidedAnonymizer(QUASI_IDENTIFIERS, **arguments).fit(people, guide_for(people))
    some = AccuracyGuidedAnonymizer(QUASI_IDENTIFIERS, max_suppressed=0.05, **arguments).fit(people, guide_for(people))
    assert some.candidate_ == whole.candidate_
