"""For any small table, any k: every class holds k or there is a clear refusal, and nothing else is touched."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfx_anonymizer.core import AccuracyGuidedAnonymizer
from tfx_anonymizer.core.partition import BASELINES, OWN
from tfx_anonymizer.errors import AnonymizerError, ColumnError, GuaranteeError

KINDS = {
    "int": st.integers(-3, 3),
    "big": st.integers(-(2**62), 2**62),
    "float": st.one_of(st.none(), st.floats(width=32, allow_nan=True, allow_infinity=True)),
    "text": st.one_of(st.none(), st.text(max_size=2), st.sampled_from(["Ulm", "東京", "a\nb"])),
    "bytes": st.one_of(st.none(), st.binary(max_size=1)),
    "bool": st.booleans(),
    "date": st.dates(datetime.date(1999, 12, 30), datetime.date(2000, 1, 2)),
    "mixed": st.one_of(st.integers(0, 3), st.text(max_size=1)),
}


def column(kind, values):
    return pd.Series(values, dtype=object if kind == "mixed" or not values else None)


@st.composite
def tables(draw):
    rows = draw(st.integers(0, 40))
    # A column of mixed types is refused, so most tables do without.
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS) + sorted(set(KINDS) - {"mixed"}) * 3), min_size=1, max_size=3))
    columns = {}
    for i, kind in enumerate(kinds):
        pool = draw(st.lists(KINDS[kind], min_size=1, max_size=6))
        cells = draw(st.lists(st.sampled_from(pool), min_size=rows, max_size=rows))
        columns[f"{kind} {i}"] = column(kind, cells)
    table = pd.DataFrame({**columns, "kept": column("text", [f"row {i}" for i in range(rows)])})
    guide = np.array(draw(st.lists(st.sampled_from([0.0, 0.1, 0.9]), min_size=rows, max_size=rows)))
    return table, list(columns), guide


def key(value):
    """Missing of any form is one value."""
    return "missing" if value is None or value is pd.NaT or value != value else value


def class_sizes(table, names):
    keys = list(zip(*([key(v) for v in table[name].tolist()] for name in names), strict=True))
    return [keys.count(k) for k in keys]


METHODS = [
    {"partitioner": partitioner, "representative": representative}
    for partitioner in OWN
    for representative in ("median", "typical", "altered_medoid")
]
METHODS += [{"partitioner": "contribution_mdav", "representative": "by_attribute"}]
# These tables have no label, so whatever learns from one has its own tests.
METHODS += [
    {"partitioner": name, "representative": "median"} for name, one in BASELINES.items() if one.follows != "label"
]
# What "high" tries beyond that is the partitioners and rules above, one by one.
METHODS += [{"partitioner": "auto", "effort": effort} for effort in ("low", "medium")]
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda m: "-".join(m.values()))


@every_method
@given(problem=tables(), k=st.integers(2, 12))
def test_k_or_a_clear_refusal(method, problem, k):
    table, names, guide = problem
    anonymizer = AccuracyGuidedAnonymizer(names, k, **method)
    if len(table) < k:
        with pytest.raises(GuaranteeError):
            anonymizer.fit(table, guide)
        return
    try:
        released = anonymizer.fit_transform(table, guide)
    except ColumnError as error:
        refused = str(error)
        assert any(f"{name!r}" in refused for name in names)
        return
    assert min(class_sizes(released, names)) >= k
    assert released["kept"].tolist() == table["kept"].tolist()
    assert list(released.columns) == list(table.columns)
    for name in names:
        before = {key(v) for v in table[name].tolist()}
        assert {key(v) for v in released[name].tolist()} <= before


@every_method
@given(problem=tables(), k=st.integers(2, 6), random=st.randoms(use_true_random=False))
def test_same_result_in_any_order_of_rows(method, problem, k, random):
    table, names, guide = problem
    order = list(range(len(table)))
    random.shuffle(order)
    try:
        first = AccuracyGuidedAnonymizer(names, k, **method).fit_transform(table, guide)
    except AnonymizerError:
        return
    second = AccuracyGuidedAnonymizer(names, k, **method).fit_transform(table.iloc[order], guide[order])
    pd.testing.assert_frame_equal(second, first.iloc[order])


@every_method
@given(problem=tables(), k=st.integers(2, 6))
def test_transform_of_the_fitted_rows_is_their_release(method, problem, k):
    table, names, guide = problem
    anonymizer = AccuracyGuidedAnonymizer(names, k, **method)
    try:
        released = anonymizer.fit_transform(table, guide)
    except AnonymizerError:
        return
    pd.testing.assert_frame_equal(anonymizer.transform(table), released)
