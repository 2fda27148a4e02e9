"""Promises compared with counts."""

from tfx_anonymizer import AnonymizationPolicy
from tfx_anonymizer.promises import broken, checks, suppression_check

POLICY = AnonymizationPolicy(("age",), 5, sensitive=("ill",), l=2, t=0.3, direct_identifiers=("name",))


def test_all_hold():
    found = checks(POLICY, k=5, distinct_l={"ill": 2}, t={"ill": 0.3}, columns=("age", "ill"))
    assert [check.name for check in found] == ["k", "l", "t", "no_direct_identifiers"]
    assert broken(found) == []


def test_each_can_break():
    found = checks(POLICY, k=4, distinct_l={"ill": 1}, t={"ill": 0.31}, columns=("age", "name"))
    assert broken(found) == [
        "k: asked 5, reached 4",
        "l in 'ill': asked 2, reached 1",
        "t in 'ill': asked 0.3, reached 0.31",
        "no_direct_identifiers in 'name': asked 0, reached 1",
    ]


def test_what_was_not_counted_does_not_hold():
    assert len(broken(checks(POLICY, k=5, distinct_l={}, t={}))) == 2


def test_entropy_is_compared_with_l_and_may_just_reach_it():
    policy = AnonymizationPolicy(("age",), 5, sensitive=("ill", "poor"), l=2.5, diversity="entropy")
    found = checks(policy, k=5, distinct_l={}, t={}, entropy_l={"ill": 2.5 - 1e-12, "poor": 2.4})
    assert broken(found) == ["entropy_l in 'poor': asked 2.5, reached 2.4"]
    assert len(broken(checks(policy, k=5, distinct_l={"ill": 9, "poor": 9}, t={}))) == 2


def test_c_must_be_undercut():
    policy = AnonymizationPolicy(("age",), 5, sensitive=("ill", "poor"), l=2, diversity="recursive", c=1.1)
    found = checks(policy, k=5, distinct_l={}, t={}, recursive_c={"ill": 12 / 11, "poor": 11 / 10})
    assert broken(found) == ["recursive_c in 'poor': asked 1.1, reached 1.1"]
    unknown = checks(policy, k=5, distinct_l={}, t={})[1]
    assert not unknown.holds
    assert unknown.to_dict()["reached"] is None


def test_rows_left_out_are_compared_with_what_is_allowed():
    allowed = AnonymizationPolicy(("age",), 5, max_suppressed=0.03)
    assert str(suppression_check(allowed, 100, 97)) == "max_suppressed: asked 0.03, reached 0.03"
    assert suppression_check(allowed, 100, 97).holds
    assert not suppression_check(allowed, 100, 96).holds
    assert not suppression_check(allowed, 100, 101).holds
    assert suppression_check(POLICY, 100, 100) is None
    assert not suppression_check(POLICY, 100, 99).holds
