from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from tests.support.people import make_people
from tfx_anonymizer.comparison import Plan, compare
from tfx_anonymizer.comparison import run as runner
from tfx_anonymizer.errors import ColumnError, GuideError, InputDataError, PolicyError
from tfx_anonymizer.policy import AnonymizationPolicy

POLICY = AnonymizationPolicy(("age", "city"), k=2, label="ill", direct_identifiers=("name",))


def plan(**values):
    return Plan(
        values.pop("policy", POLICY), **{"ks": (5, 20), "model": "logistic_regression", "effort": "low", **values}
    )


@pytest.fixture(scope="module")
def people():
    return pa.Table.from_pandas(make_people(240), preserve_index=False)


def timeless(comparison):
    facts = comparison.to_dict()
    return [{name: value for name, value in point.items() if name != "seconds"} for point in facts["points"]]


def test_same_outcome_whatever_the_order_of_rows_and_the_number_of_jobs(people, tmp_path):
    seen = []
    found = compare(people, plan(), tmp_path / "one", on_progress=seen.append)
    assert seen == [0, 1, 2, 3, 4, 5, 6]
    assert [(point.k, point.reached) for point in found.points] == [(5, True), (20, True)]
    shuffled = people.take(np.random.default_rng(5).permutation(240))
    again = compare(shuffled, plan(), tmp_path / "two", jobs=2)
    assert timeless(again) == timeless(found)


def test_a_run_goes_on_where_it_was_and_the_grid_may_grow(people, tmp_path, monkeypatch):
    first = compare(people, plan(ks=(5,)), tmp_path)
    made = []
    whole = runner.Fold.cell
    monkeypatch.setattr(runner.Fold, "cell", lambda fold, *cell: made.append(cell) or whole(fold, *cell))
    (tmp_path / "cells" / "auto-k5-fold2.json").unlink()
    grown = compare(people, plan(ks=(5, 20)), tmp_path)
    assert sorted(made) == [("auto", 5), *[("auto", 20)] * 3]
    assert timeless(grown)[0] == timeless(first)[0]


def test_a_folder_of_another_comparison_is_refused(people, tmp_path):
    compare(people, plan(ks=(5,)), tmp_path)
    for other in (plan(seed=1), plan(policy=AnonymizationPolicy(("age",), k=2, label="ill"))):
        with pytest.raises(PolicyError, match="holds a comparison of other data"):
            compare(people, other, tmp_path)
    with pytest.raises(PolicyError, match="holds a comparison of other data"):
        compare(people.slice(1), plan(), tmp_path)


def test_what_is_kept_are_counts_and_scores(people, tmp_path):
    compare(people, plan(ks=(5,)), tmp_path)
    kept = {path.name: json.loads(path.read_text()) for path in sorted((tmp_path / "cells").iterdir())}
    assert list(kept) == ["auto-k5-fold0.json", "auto-k5-fold1.json", "auto-k5-fold2.json", "plan.json"]
    assert list(kept.pop("plan.json")) == ["fingerprint"]
    for cell in kept.values():
        assert {name for name, value in cell.items() if isinstance(value, str)} == {"partitioner", "chosen"}


def test_a_k_out_of_reach_is_an_outcome_and_not_an_end(people, tmp_path):
    found = compare(people, plan(ks=(5, 200)), tmp_path)
    assert [(point.k, point.reached) for point in found.points] == [(5, True), (200, False)]
    assert found.recommended(100).k == 5


def test_rows_without_a_label_and_direct_identifiers_are_left_out(people, tmp_path):
    holes = people.set_column(
        people.column_names.index("ill"), "ill", pa.array([None] * 40 + people.column("ill").to_pylist()[40:])
    )
    without = people.slice(40)
    assert timeless(compare(holes, plan(ks=(5,)), tmp_path / "a")) == timeless(
        compare(without, plan(ks=(5,)), tmp_path / "b")
    )
    nobody = people.set_column(people.column_names.index("ill"), "ill", pa.nulls(240, pa.int64()))
    with pytest.raises(InputDataError, match="no row has a label"):
        compare(nobody, plan(), tmp_path / "c")
    with pytest.raises(ColumnError, match="'agee'"):
        compare(people, plan(policy=AnonymizationPolicy(("agee",), k=2, label="ill")), tmp_path / "d")


def test_a_number_is_scored_by_what_is_explained_of_it(people, tmp_path):
    policy = AnonymizationPolicy(("age", "city"), k=2, label="height", direct_identifiers=("name",))
    found = compare(people, plan(policy=policy, ks=(5,), model="gradient_boosting", folds=2), tmp_path)
    assert found.metric == "r2"
    assert found.points[0].reached


def test_an_error_in_a_process_is_the_error_that_is_raised(people, tmp_path):
    endless = people.set_column(people.column_names.index("age"), "age", pa.array([float("inf")] * 240))
    with pytest.raises(GuideError, match="column 'age' holds infinite numbers") as alone:
        compare(endless, plan(), tmp_path / "one")
    assert "Hint: make them missing" in str(alone.value)
    # How many there are depends on the fold that meets them first.
    with pytest.raises(GuideError, match=r"column 'age' holds infinite numbers.*Hint: make them missing"):
        compare(endless, plan(), tmp_path / "two", jobs=2)
