"""Every baseline keeps every guarantee, whatever the rows and their order, and is saved, loaded and re-applied."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.partition.test_guided_tree import guarantees, problems
from tests.support.people import QUASI_IDENTIFIERS, guide_for, make_people
from tfx_anonymizer.core import AccuracyGuidedAnonymizer, Generalization, measure_privacy
from tfx_anonymizer.core.partition import BASELINES, PARTITIONERS
from tfx_anonymizer.core.problem import Problem
from tfx_anonymizer.core.selection import candidates, check_method
from tfx_anonymizer.core.steering import predictions, steer
from tfx_anonymizer.errors import GeneralizationFormatError, GuideError, PrivacyWarning

every_baseline = pytest.mark.parametrize("name", list(BASELINES))
trees = pytest.mark.parametrize("name", ["mondrian", "r_plus_tree", "entropy_tree", "paper"])


def partition(name, codes, guide, bound, numeric=None):
    codes = np.ascontiguousarray(codes, dtype=np.int32).reshape(len(codes), -1)
    follows = BASELINES[name].follows
    target = np.zeros((len(codes), 1), np.int32) if follows == "values" else steer(predictions(guide))
    numeric = np.arange(codes.shape[1]) % 2 == 0 if numeric is None else numeric
    return BASELINES[name].partition(Problem(codes, codes.max(axis=0).astype(np.int64) + 1, target, bound, numeric))


def people_and_ill(problem, l):
    rows, k, codes, guide, people, ill = problem
    _, ill = np.unique(ill, return_inverse=True)
    _, people = np.unique(people, return_inverse=True)
    return rows, min(k, len(set(people))), codes, guide, people, ill, min(l, len(set(ill)))


@every_baseline
@given(problem=problems())
def test_k_rows_in_every_class(name, problem):
    rows, k, codes, guide, _, _ = problem
    found = partition(name, codes, guide, guarantees(k, rows))
    assert np.bincount(found.labels).min() >= k
    assert len(found.labels) == rows


@every_baseline
@given(problem=problems(), l=st.integers(2, 3), t=st.sampled_from([0.2, 0.5, 0.9]))
def test_every_guarantee_holds_in_every_class(name, problem, l, t):
    rows, k, codes, guide, people, ill, l = people_and_ill(problem, l)
    found = partition(name, codes, guide, guarantees(k, rows, people=people, sensitive=[ill], ordered=[True], l=l, t=t))
    overall = np.bincount(ill) / rows
    assert sorted(set(found.labels)) == list(range(found.classes))
    for label in range(found.classes):
        inside = found.labels == label
        assert len(set(people[inside])) >= k
        assert len(set(ill[inside])) >= l
        shares = np.bincount(ill[inside], minlength=len(overall)) / inside.sum()
        assert np.abs(np.cumsum(shares - overall)).sum() / max(len(overall) - 1, 1) <= t + 1e-9


@trees
@given(problem=problems(), l=st.integers(1, 3))
def test_trees_place_rows_where_growth_did(name, problem, l):
    rows, k, codes, guide, people, ill, l = people_and_ill(problem, l)
    found = partition(name, codes, guide, guarantees(k, rows, people=people, sensitive=[ill], ordered=[False], l=l))
    encoded = np.ascontiguousarray(codes, dtype=np.int32)
    assert (found.assigner.assign(encoded) == found.labels).all()
    loaded = PARTITIONERS[name].load(found.assigner.to_arrow())
    assert (loaded.assign(encoded) == found.labels).all()


@pytest.mark.parametrize("name", ["mondrian", "r_plus_tree", "entropy_tree"])
@given(problem=problems(), random=st.randoms(use_true_random=False))
def test_row_order_does_not_matter(name, problem, random):
    rows, k, codes, guide, _, _ = problem
    order = list(range(rows))
    random.shuffle(order)
    first = partition(name, codes, guide, guarantees(k, rows)).labels
    second = partition(name, codes[order], guide[order], guarantees(k, rows)).labels
    assert (first[order] == second).all()


@pytest.mark.parametrize("name", ["mondrian", "r_plus_tree"])
@given(problem=problems())
def test_no_admissible_cut_is_left(name, problem):
    rows, k, codes, guide, _, _ = problem
    found = partition(name, codes, guide, guarantees(k, rows))
    for label in range(found.classes):
        for column in codes[found.labels == label].T:
            left = np.array([(column <= value).sum() for value in np.unique(column)])
            assert not ((left >= k) & (len(column) - left >= k)).any()


@every_baseline
@pytest.mark.parametrize("target", ["label", "several labels", "number"])
def test_by_name_in_any_order_saved_and_loaded(name, target, tmp_path):
    people = make_people(500)
    if target != "label":
        people["ill"] = people["age"] // 20 if target == "several labels" else people["income"] + 0.5
    guide = {"label": guide_for(people), "several labels": people["ill"], "number": people["income"] * 0.9}[target]
    rng = np.random.default_rng(0)
    order = rng.permutation(len(people))
    made = []
    for rows in (np.arange(len(people)), order):
        anonymizer = AccuracyGuidedAnonymizer(
            QUASI_IDENTIFIERS, 15, label="ill", categorical=["zip"], partitioner=name, representative="median"
        )
        made.append(anonymizer.fit_transform(people.iloc[rows], guide=np.asarray(guide)[rows]))
    released = made[0]
    pd.testing.assert_frame_equal(made[1], released.iloc[order])
    assert measure_privacy(released, QUASI_IDENTIFIERS).k >= 15
    # The paper's tree stops where all predicted labels agree.
    assert measure_privacy(released, QUASI_IDENTIFIERS).classes >= (2 if name == "paper" else 4)
    pd.testing.assert_frame_equal(anonymizer.transform(people), released)
    anonymizer.generalization_.save(tmp_path / "g")
    loaded = Generalization.load(tmp_path / "g")
    unseen = make_people(300, seed=9)
    assert (loaded.assign(unseen) == anonymizer.generalization_.assign(unseen)).all()
    combinations = set(map(tuple, released[QUASI_IDENTIFIERS].astype(str).to_numpy()))
    assert set(map(tuple, loaded.apply(unseen)[QUASI_IDENTIFIERS].astype(str).to_numpy())) <= combinations


@every_baseline
def test_people_l_and_t_on_a_table(name):
    people = make_people(600)
    anonymizer = AccuracyGuidedAnonymizer(
        QUASI_IDENTIFIERS,
        8,
        label="ill",
        entity_id="person",
        sensitive=["diagnosis"],
        l=2,
        t=0.5,
        partitioner=name,
        representative="median",
    )
    released = anonymizer.fit_transform(people, guide_for(people))
    measures = measure_privacy(released, QUASI_IDENTIFIERS, ["diagnosis"], entity_id="person")
    assert measures.k >= 8
    assert measures.distinct_l >= 2
    assert measures.t <= 0.5 + 1e-9


def test_they_are_no_candidates_of_the_method():
    assert {one.partitioner for one in candidates("auto", "auto", "high")} == set(PARTITIONERS) - set(BASELINES)


def test_the_papers_representative_is_warned_of():
    with pytest.warns(PrivacyWarning, match="medoid"):
        check_method("paper", "auto", "auto", "auto")
    (one,) = candidates("paper", "auto")
    assert one.representative == "medoid"
    assert candidates("mondrian", "auto")[0].representative == "median"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("entropy_tree", "'entropy_tree' follows the true labels"),
        ("paper", "'paper' follows the model's predictions, or the true labels"),
    ],
)
def test_what_a_baseline_cannot_do_without(name, says):
    people = make_people(60)
    with pytest.raises(GuideError, match=says):
        AccuracyGuidedAnonymizer(["age"], 5, partitioner=name, representative="median").fit(people)


def test_the_entropy_tree_looks_at_true_labels_and_not_at_the_guide():
    table = pd.DataFrame({"a": np.tile([0, 1], 10), "b": np.repeat([0, 1], 10), "y": np.tile([0, 1], 10)})
    anonymizer = AccuracyGuidedAnonymizer(["a", "b"], 10, label="y", partitioner="entropy_tree")
    released = anonymizer.fit_transform(table, guide=table["b"] * 0.8 + 0.1)
    assert released["a"].nunique() == 2
    assert released["b"].nunique() == 1


@pytest.mark.parametrize("name", ["mondrian", "hilbert", "r_plus_tree"])
def test_who_follows_values_does_not_see_the_guide(name):
    people = make_people(300)
    made = [
        AccuracyGuidedAnonymizer(QUASI_IDENTIFIERS, 10, label="ill", partitioner=name).fit_transform(people, guide)
        for guide in (None, guide_for(people))
    ]
    pd.testing.assert_frame_equal(*made)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.drop(["key"]),
        lambda t: t.slice(0, 0),
        lambda t: t.slice(0, 3),
        lambda t: t.take(list(range(t.num_rows))[::-1]),
    ],
    ids=["column missing", "empty", "no stretches", "backwards"],
)
def test_a_damaged_curve_is_refused(change):
    codes = np.random.default_rng(0).integers(0, 9, (60, 2))
    whole = partition("hilbert", codes, np.zeros(60), guarantees(4, 60)).assigner.to_arrow()
    BASELINES["hilbert"].load(whole)
    with pytest.raises(GeneralizationFormatError):
        BASELINES["hilbert"].load(change(whole))


def test_no_warning_but_for_real_records():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in BASELINES:
            check_method(name, "median", "auto", "auto")
