"""Choosing how to group: what names mean, and that the student's choice is the better one."""

import numpy as np
import pandas as pd
import pytest

from tests.support.people import QUASI_IDENTIFIERS, guide_for, make_people
from tfx_anonymizer.core import AccuracyGuidedAnonymizer, measure_privacy
from tfx_anonymizer.core.selection import Candidate, candidates, depends_on_order, score
from tfx_anonymizer.core.steering import steer
from tfx_anonymizer.errors import PolicyError, PrivacyWarning

NUMERIC = np.array([True, True])


@pytest.mark.parametrize(
    ("partitioner", "representative", "expected"),
    [
        ("auto", "auto", [Candidate("guided_tree", "median")]),
        ("auto", "typical", [Candidate("guided_tree", "typical")]),
        ("mdav", "auto", [Candidate("mdav", "typical")]),
        ("mdav", "median", [Candidate("mdav", "median")]),
    ],
)
def test_what_names_mean(partitioner, representative, expected):
    assert list(candidates(partitioner, representative)) == expected


def test_best_tries_everything_but_real_records():
    found = candidates("best", "auto")
    assert len(set(found)) == len(found) == 10
    assert {one.representative for one in found} == {"median", "typical"}
    assert {one.representative for one in candidates("best", "median")} == {"median"}


def test_unknown_names_are_refused_and_medoids_warned_of():
    with pytest.raises(PolicyError, match="partitioner is not known"):
        candidates("kd", "auto")
    with pytest.raises(PolicyError, match="representative is not known"):
        candidates("auto", "mean")
    with pytest.warns(PrivacyWarning, match="medoid"):
        candidates("mdav", "medoid")


def test_only_the_plain_tree_may_meet_rows_as_they_come():
    assert not depends_on_order(candidates("auto", "auto"))
    assert depends_on_order(candidates("auto", "typical"))
    assert depends_on_order(candidates("mdav", "median"))
    assert depends_on_order(candidates("best", "auto"))


@pytest.mark.parametrize("several", [False, True], ids=["two labels", "four labels"])
def test_a_release_that_keeps_what_matters_scores_more(several):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 40, (2000, 2)).astype(np.int32)
    label = codes[:, 0] // 10 if several else codes[:, 0] > 25
    coarse = codes // 5 * 5
    keeps, loses = codes.copy(), codes.copy()
    keeps[:, 1], loses[:, 0] = coarse[:, 1], 20
    lesson = steer(label)
    assert score(keeps, codes, lesson, NUMERIC) > 0.95
    assert score(loses, codes, lesson, NUMERIC) < 0.75


def test_categories_are_known_one_by_one():
    # Released together with its neighbour in the guide's order, a category teaches a number-reader, but not this one.
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 6, (3000, 1)).astype(np.int32)
    lesson = steer(codes[:, 0] > 3)
    merged = codes // 2 * 2
    assert score(merged, codes, lesson, np.array([True])) > score(merged, codes, lesson, np.array([False]))


def test_numbers_are_scored_by_squared_error():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 40, (2000, 2)).astype(np.int32)
    lesson = steer(codes[:, 0] + 0.5)
    assert 0 > score(codes, codes, lesson, NUMERIC) > -0.01 > score(codes // 40, codes, lesson, NUMERIC)


def test_best_beats_or_equals_each_candidate_by_the_students_measure():
    people = make_people(1500)
    anonymizer = AccuracyGuidedAnonymizer(QUASI_IDENTIFIERS, 30, label="ill", categorical=["zip"], partitioner="best")
    released = anonymizer.fit_transform(people, guide_for(people))
    assert measure_privacy(released, QUASI_IDENTIFIERS).k >= 30
    assert anonymizer.candidate_ in candidates("best", "auto")
    again = AccuracyGuidedAnonymizer(
        QUASI_IDENTIFIERS,
        30,
        label="ill",
        categorical=["zip"],
        partitioner=anonymizer.candidate_.partitioner,
        representative=anonymizer.candidate_.representative,
    )
    pd.testing.assert_frame_equal(again.fit_transform(people, guide_for(people)), released)


def test_best_without_a_label_learns_what_the_guide_said():
    people = make_people(600)
    anonymizer = AccuracyGuidedAnonymizer(["age", "height"], 20, partitioner="best")
    anonymizer.fit(people, guide_for(people))
    assert anonymizer.class_sizes_.min() >= 20
