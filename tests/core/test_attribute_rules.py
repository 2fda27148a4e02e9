"""A rule for each attribute: what is tried, what is kept, and what comes of it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.people import QUASI_IDENTIFIERS, guide_for, make_people
from tfx_anonymizer.core import AccuracyGuidedAnonymizer, Generalization
from tfx_anonymizer.core.attribute_rules import ROUNDS, choose_rules, mixed
from tfx_anonymizer.core.measures import measure_privacy
from tfx_anonymizer.core.representatives import RULES

RELEASED = {
    "median": np.array([[1, 5, 9], [2, 5, 9]], dtype=np.int32),
    "typical": np.array([[3, 6, 9], [4, 5, 8]], dtype=np.int32),
    "altered_medoid": np.array([[1, 7, 7], [2, 7, 9]], dtype=np.int32),
}


def nearness(wanted):
    return lambda codes: -float(np.abs(codes - np.array(wanted)).sum())


def test_each_attribute_gets_the_rule_that_is_nearest():
    wanted = [[3, 7, 9], [4, 7, 8]]
    rules = choose_rules(RELEASED, nearness(wanted))
    assert rules == ("typical", "altered_medoid", "typical")
    assert mixed(RELEASED, rules).tolist() == wanted


def test_a_tie_keeps_the_earlier_and_nothing_is_tried_twice():
    asked = []

    def indifferent(codes):
        asked.append(codes.tobytes())
        return 0.0

    assert choose_rules(RELEASED, indifferent) == ("median",) * 3
    # Three rules to begin with; of what is left, three columns and two other rules, one is just like the median's.
    assert len(asked) == 3 + 5


@given(seed=st.integers(0, 1000), attributes=st.integers(1, 6))
def test_never_worse_than_one_rule_for_all_and_bounded_work(seed, attributes):
    rng = np.random.default_rng(seed)
    released = {rule: rng.integers(0, 9, (4, attributes)).astype(np.int32) for rule in RULES}
    weights = rng.normal(size=(4, attributes))
    asked = []

    def closeness(codes):
        asked.append(codes)
        return float((weights * codes).sum() + np.sin(codes).prod())

    found = closeness(mixed(released, choose_rules(released, closeness)))
    assert len(asked) - 1 <= len(RULES) + ROUNDS * 2 * attributes
    assert found == max(closeness(codes) for codes in list(asked))


def by_attribute(**method):
    return AccuracyGuidedAnonymizer(
        QUASI_IDENTIFIERS,
        25,
        label="ill",
        categorical=["zip"],
        partitioner="mdav",
        representative="by_attribute",
        **method,
    )


def test_the_release_takes_each_column_from_its_rule_and_can_be_saved(tmp_path):
    people = make_people(900)
    anonymizer = by_attribute()
    released = anonymizer.fit_transform(people, guide_for(people))
    assert measure_privacy(released, QUASI_IDENTIFIERS).k >= 25
    assert len(anonymizer.candidate_.rules) == len(QUASI_IDENTIFIERS)
    for name, rule in zip(QUASI_IDENTIFIERS, anonymizer.candidate_.rules, strict=True):
        alone = by_attribute().set_params(representative=rule).fit_transform(people, guide_for(people))
        pd.testing.assert_series_equal(released[name], alone[name])
    anonymizer.generalization_.save(tmp_path / "saved")
    assert Generalization.load(tmp_path / "saved") is not None


def test_the_order_of_rows_does_not_matter():
    people = make_people(700)
    guide = guide_for(people)
    released = by_attribute(student="decision_tree", random_state=1).fit_transform(people, guide)
    order = np.random.default_rng(3).permutation(len(people))
    other = by_attribute(student="decision_tree", random_state=1).fit_transform(people.iloc[order], guide[order])
    pd.testing.assert_frame_equal(other.sort_index(), released)


@pytest.mark.parametrize("suppressed", [0.0, 0.05])
def test_who_is_left_out_is_left_out_of_the_rules_that_were_chosen(suppressed):
    people = make_people(700)
    anonymizer = by_attribute(max_suppressed=suppressed)
    released = anonymizer.fit_transform(people, guide_for(people))
    assert len(anonymizer.candidate_.rules) == len(QUASI_IDENTIFIERS)
    assert list(anonymizer.scores_) == [anonymizer.candidate_]
    assert len(released) == anonymizer.kept_.sum() >= (1 - suppressed) * len(people)
    assert measure_privacy(released, QUASI_IDENTIFIERS).k >= 25
