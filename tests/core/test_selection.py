"""Choosing how to group: what names mean, and that the student's choice is the better one."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.svm import LinearSVC

from tests.support.people import QUASI_IDENTIFIERS, guide_for, make_people
from tfx_anonymizer.core import AccuracyGuidedAnonymizer, measure_privacy
from tfx_anonymizer.core.representatives import rules_for
from tfx_anonymizer.core.selection import (
    FEW_ROWS,
    Candidate,
    Examination,
    candidates,
    check_method,
    depends_on_order,
)
from tfx_anonymizer.core.steering import steer
from tfx_anonymizer.core.students import STUDENT_NAMES, Column
from tfx_anonymizer.errors import PolicyError, PrivacyWarning

TREE = Candidate("guided_tree", "median")


def score(released, raw, lesson, numeric=True, *, unchanged=(), student="auto"):
    values = np.arange(41.0) if numeric else None
    columns = [Column(column, values) for column in raw.T]
    others = [Column(column, np.arange(41.0)) for column in unchanged]
    return Examination(columns, others, lesson, student=student, seed=0).score(released)


@pytest.mark.parametrize(
    ("partitioner", "representative", "expected"),
    [
        ("guided_tree", "auto", [TREE]),
        ("guided_tree", "typical", [Candidate("guided_tree", "typical")]),
        ("mdav", "auto", [Candidate("mdav", "altered_medoid")]),
        ("mdav", "median", [Candidate("mdav", "median")]),
    ],
)
@pytest.mark.parametrize("effort", ["auto", "low", "high"])
def test_a_named_partitioner_is_taken_whatever_the_effort(partitioner, representative, expected, effort):
    assert list(candidates(partitioner, representative, effort)) == expected


@pytest.mark.parametrize("k", [2, 49, 50, 1000])
def test_for_a_small_k_the_altered_medoid_is_only_for_who_names_it(k):
    chosen = {one.representative for effort in ("medium", "high") for one in candidates("auto", "auto", effort, 0, k)}
    assert ("altered_medoid" in chosen) == (k >= 50)
    assert candidates("mdav", "auto", k=k)[0].representative == ("altered_medoid" if k >= 50 else "typical")
    assert {one.representative for one in candidates("auto", "altered_medoid", "high", 0, k)} == {"altered_medoid"}
    assert ("altered_medoid" in rules_for(k)) == (k >= 50)


def test_effort_says_how_many_are_tried():
    low, medium, high = (candidates("auto", "auto", effort) for effort in ("low", "medium", "high"))
    assert low == (TREE,)
    assert set(low) < set(medium) < set(high)
    assert len(set(high)) == len(high) == 15
    assert "medoid" not in {one.representative for one in high}
    assert candidates("auto", "auto", "auto", FEW_ROWS) == medium
    assert candidates("auto", "auto", "auto", FEW_ROWS + 1) == low
    assert [one.representative for one in candidates("auto", "median", "high")] == ["median"] * 5


@pytest.mark.parametrize("parameter", ["partitioner", "representative", "effort", "student"])
def test_unknown_names_are_refused(parameter):
    names = {"partitioner": "auto", "representative": "auto", "effort": "auto", "student": "auto"}
    check_method(**names)
    with pytest.raises(PolicyError, match=rf"{parameter} is not known.*'kd'.*auto or"):
        check_method(**{**names, parameter: "kd"})
    with pytest.raises(PolicyError, match=f"{parameter} is not known"):
        AccuracyGuidedAnonymizer(["age"], 2, **{parameter: "kd"}).fit(pd.DataFrame({"age": [1, 2]}))


def test_a_student_that_is_no_estimator_is_refused():
    with pytest.raises(PolicyError, match=r"neither a name nor an estimator; got: int; allowed: auto or .* object"):
        check_method("auto", "auto", "auto", 7)


def test_medoids_are_warned_of():
    with pytest.warns(PrivacyWarning, match="medoid"):
        check_method("mdav", "medoid", "auto", "auto")


def test_only_the_plain_tree_may_meet_rows_as_they_come():
    assert not depends_on_order(candidates("auto", "auto", "low"))
    assert not depends_on_order(candidates("guided_tree", "auto"))
    assert depends_on_order(candidates("guided_tree", "altered_medoid"))
    assert depends_on_order(candidates("mdav", "median"))
    assert depends_on_order(candidates("auto", "auto"))


@pytest.mark.parametrize("student", [*STUDENT_NAMES, LinearSVC(dual=False), HistGradientBoostingClassifier()], ids=str)
@pytest.mark.parametrize("several", [False, True], ids=["two labels", "four labels"])
def test_a_release_that_keeps_what_matters_scores_more(several, student):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 40, (2000, 2)).astype(np.int32)
    label = codes[:, 0] // 10 if several else codes[:, 0] > 25
    coarse = codes // 5 * 5
    keeps, loses = codes.copy(), codes.copy()
    keeps[:, 1], loses[:, 0] = coarse[:, 1], 20
    lesson = steer(label)
    better, worse = (score(release, codes, lesson, student=student) for release in (keeps, loses))
    least = {"logistic_regression": 0.7, "mlp": 0.85}.get(str(student), 0.7 if isinstance(student, LinearSVC) else 0.95)
    assert better > least
    assert worse < 0.75 < better + 0.05


def test_a_row_that_is_alone_in_its_class_teaches_nothing_of_itself():
    # The label is a coin's, so whoever seems to know it has been told; every row has a place of its own.
    place = np.random.default_rng(1).permutation(1600)
    codes = np.stack([place // 40, place % 40], axis=1).astype(np.int32)
    lesson = steer(np.random.default_rng(0).random(1600) > 0.5)
    assert 0.45 < score(codes, codes, lesson, student="decision_tree") < 0.55


def test_columns_that_stay_as_they_are_teach_too():
    rng = np.random.default_rng(0)
    codes, other = rng.integers(0, 40, (2, 2000, 1)).astype(np.int32)
    lesson = steer(other[:, 0] > 17)
    assert score(codes * 0, codes, lesson, unchanged=[other[:, 0]]) > 0.95 > score(codes * 0, codes, lesson)


def test_categories_are_known_one_by_one():
    # Released together with its neighbour in the guide's order, a category teaches a number-reader, but not this one.
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 6, (3000, 1)).astype(np.int32)
    lesson = steer(codes[:, 0] > 3)
    merged = codes // 2 * 2
    assert score(merged, codes, lesson, numeric=True) > score(merged, codes, lesson, numeric=False)


@pytest.mark.parametrize("student", ["auto", "random_forest", "decision_tree", "logistic_regression"])
def test_numbers_are_scored_by_squared_error(student):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 40, (2000, 2)).astype(np.int32)
    lesson = steer(codes[:, 0] + 0.5)
    assert (
        0 >= score(codes, codes, lesson, student=student) > -0.01 > score(codes // 40, codes, lesson, student=student)
    )


@pytest.mark.parametrize("student", ["auto", "mlp"])
def test_what_is_kept_scored_most_and_can_be_named(student):
    people = make_people(700)
    common = {"label": "ill", "categorical": ["zip"], "random_state": 3}
    anonymizer = AccuracyGuidedAnonymizer(QUASI_IDENTIFIERS, 30, effort="high", student=student, **common)
    released = anonymizer.fit_transform(people, guide_for(people))
    assert measure_privacy(released, QUASI_IDENTIFIERS).k >= 30
    scores = anonymizer.scores_
    tried, refined = list(scores)[:-2], list(scores)[-2:]
    assert tried == list(candidates("auto", "auto", "high", k=30))
    assert [one.representative for one in refined] == ["by_attribute"] * 2
    assert all(len(one.rules) == len(QUASI_IDENTIFIERS) for one in refined)
    ranked = sorted(tried, key=lambda one: -scores[one])
    assert [one.partitioner for one in refined] == list(dict.fromkeys(one.partitioner for one in ranked))[:2]
    assert scores[anonymizer.candidate_] == max(scores.values())
    assert len(set(scores.values())) > 1
    named = AccuracyGuidedAnonymizer(
        QUASI_IDENTIFIERS,
        30,
        partitioner=anonymizer.candidate_.partitioner,
        representative=anonymizer.candidate_.representative,
        **common,
    )
    chosen = [anonymizer.candidate_] if anonymizer.candidate_ in refined else []
    if chosen:
        named.set_params(student=student)
    pd.testing.assert_frame_equal(named.fit_transform(people, guide_for(people)), released)
    assert list(named.scores_) == chosen


def test_without_a_label_the_student_learns_what_the_guide_said():
    people = make_people(600)
    anonymizer = AccuracyGuidedAnonymizer(["age", "height"], 20, effort="medium")
    anonymizer.fit(people, guide_for(people))
    assert anonymizer.class_sizes_.min() >= 20
    assert all(value < 0 for value in anonymizer.scores_.values())


@pytest.mark.parametrize(("label", "tried"), [("ill", 4), ("cost", 0), (None, 0)])
def test_by_default_several_are_tried_where_the_label_is_of_classes(label, tried):
    people = make_people(300).assign(cost=np.arange(300) / 7)
    anonymizer = AccuracyGuidedAnonymizer(["age", "height"], 20, label=label).fit(people, guide_for(people))
    assert len(anonymizer.scores_) == tried


def test_columns_that_no_student_can_read_are_passed_over():
    people = make_people(200).assign(tags=[[1, 2]] * 200, mixed=["a", 1] * 100)
    released = AccuracyGuidedAnonymizer(["age", "height"], 20, label="ill").fit_transform(people, guide_for(people))
    assert released["tags"].tolist() == people["tags"].tolist()


def test_a_label_that_is_a_number_may_be_learned_as_something_else():
    # The guide knows that only what lies above 170 counts; the number itself goes with age.
    rng = np.random.default_rng(0)
    people = pd.DataFrame({"age": rng.integers(20, 80, 1500), "height": rng.integers(140, 200, 1500)})
    people["cost"] = people["age"] * 10.0 + (people["height"] > 170)
    guide = (people["height"] > 170).astype(float).to_numpy() * 0.9
    medium = {"effort": "medium"}
    anonymizer = AccuracyGuidedAnonymizer(["age", "height"], 20, label="cost", **medium).fit(people, guide)
    by_guide = AccuracyGuidedAnonymizer(["age", "height"], 20, **medium).fit(people[["age", "height"]], guide)
    assert anonymizer.scores_ == pytest.approx(by_guide.scores_)
