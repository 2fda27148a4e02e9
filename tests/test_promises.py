"""Promises compared with counts."""

from tfx_anonymizer import AnonymizationPolicy
from tfx_anonymizer.promises import broken, checks

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
