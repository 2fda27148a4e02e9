from __future__ import annotations

import pyarrow as pa
import pytest

from tests.support.people import QUASI_IDENTIFIERS, make_people
from tfx_anonymizer.comparison import Plan
from tfx_anonymizer.errors import PolicyError
from tfx_anonymizer.policy import AnonymizationPolicy

POLICY = AnonymizationPolicy(QUASI_IDENTIFIERS, k=2, label="ill")


def people(rows=200):
    return pa.Table.from_pandas(make_people(rows), preserve_index=False)


def test_the_grid_is_in_order_and_without_doubles():
    plan = Plan(POLICY, ks=(50, 5, 50), partitioners=("mondrian", "auto", "mondrian"), folds=4)
    assert (plan.ks, plan.partitioners, plan.cells) == ((5, 50), ("mondrian", "auto"), 2 * 2 * 4)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"ks": ()}, "ks is empty"),
        ({"ks": (5, 1)}, "k is out of range"),
        ({"partitioners": ("oak",)}, "'oak'"),
        ({"partitioners": ()}, "partitioner"),
        ({"model": "oracle"}, "'oracle'"),
        ({"metric": "luck"}, "'luck'"),
        ({"folds": 1}, "folds is out of range"),
        ({"policy": AnonymizationPolicy(("age",), k=2)}, "no label"),
    ],
)
def test_what_cannot_be_compared_is_refused(wrong, says):
    with pytest.raises(PolicyError, match=says):
        Plan(**{"policy": POLICY, "ks": (5,), **wrong})


def test_the_metric_suits_the_label():
    classes, numbers = pa.array(["a", "b", "c"]), pa.array([0.5, 1.5, 7.25])
    assert Plan(POLICY, ks=(5,)).metric_for(classes) == "accuracy"
    assert Plan(POLICY, ks=(5,)).metric_for(numbers) == "r2"
    assert Plan(POLICY, ks=(5,), metric="roc_auc").metric_for(pa.array(["a", "b", "a"])) == "roc_auc"
    with pytest.raises(PolicyError, match="two classes"):
        Plan(POLICY, ks=(5,), metric="roc_auc").metric_for(classes)
    with pytest.raises(PolicyError, match="does not suit"):
        Plan(POLICY, ks=(5,), metric="r2").metric_for(classes)
    with pytest.raises(PolicyError, match="does not suit"):
        Plan(POLICY, ks=(5,), metric="accuracy").metric_for(numbers)


def test_a_fingerprint_is_of_data_and_judgement_and_not_of_the_grid():
    table = people()
    plan = Plan(POLICY, ks=(5,))
    known = plan.fingerprint(table)
    assert Plan(POLICY, ks=(7, 9), partitioners=("mondrian",)).fingerprint(table) == known
    assert plan.fingerprint(table.take(list(range(199, -1, -1)))) == known
    assert plan.fingerprint(table.slice(1)) != known
    assert Plan(POLICY, ks=(5,), seed=1).fingerprint(table) != known
    assert Plan(POLICY, ks=(5,), model="mlp").fingerprint(table) != known
