"""Every partitioner times every constraint: all of it holds by the definitions, or it is refused for a reason."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.recount import breaches, rows_of
from tfx_anonymizer.core import AccuracyGuidedAnonymizer
from tfx_anonymizer.core.partition import PARTITIONERS
from tfx_anonymizer.errors import GuaranteeError

QUASI_IDENTIFIERS = ["age", "city"]
every_partitioner = pytest.mark.parametrize("partitioner", PARTITIONERS)

# Text is compared by the equal distance, numbers by the ordered one; the label may be sensitive like anything else.
SENSITIVE = st.sampled_from([["text"], ["number"], ["label"], ["text", "number"], ["label", "text", "number"]])
DISTINCT = st.fixed_dictionaries({"l": st.integers(2, 3)})
ENTROPY = st.fixed_dictionaries({"diversity": st.just("entropy"), "l": st.sampled_from([1.2, 1.5, 2, 2.5])})
RECURSIVE = st.fixed_dictionaries(
    {"diversity": st.just("recursive"), "l": st.integers(2, 3), "c": st.sampled_from([0.7, 1, 1.1, 2, 4.5])}
)
CLOSE = st.fixed_dictionaries({"t": st.sampled_from([0.1, 0.25, 0.5, 0.9])})


@st.composite
def constraints(draw):
    """k in rows or people, alone or with one kind of l, with t, or with both."""
    found = {"k": draw(st.integers(2, 8))}
    if draw(st.booleans()):
        found["entity_id"] = "person"
    diverse = draw(st.sampled_from([None, DISTINCT, ENTROPY, RECURSIVE]))
    parts = [part for part in (diverse, draw(st.sampled_from([None, CLOSE]))) if part is not None]
    for part in parts:
        found.update(draw(part))
    return {**found, "sensitive": draw(SENSITIVE)} if parts else found


SUPPRESSED = st.sampled_from([0.0, 0.05, 0.2, 0.5])


@st.composite
def tables(draw):
    rows = draw(st.integers(2, 50))

    def column(values):
        return draw(st.lists(st.sampled_from(values), min_size=rows, max_size=rows))

    table = pd.DataFrame(
        {
            "age": column([1.0, 2.0, 3.0, 5.0, 8.0, None]),
            "city": pd.Series(column(["Ulm", "Köln", "東京", None]), dtype=object),
            "person": column(list(range(12))),
            "label": column([0, 1]),
            "text": pd.Series(column(["flu", "cold", "gout", None]), dtype=object),
            "number": column([0.0, 1.0, 2.5, None]),
        }
    )
    # A column of nothing but missing cells is refused, which is tested elsewhere.
    table.loc[0, QUASI_IDENTIFIERS] = [1.0, "Ulm"]
    return table, np.array(column([0.0, 0.1, 0.5, 0.9]))


def anonymizer_of(partitioner, promise, suppressed):
    return AccuracyGuidedAnonymizer(
        QUASI_IDENTIFIERS,
        label="label",
        partitioner=partitioner,
        # The paper's own representative, a real record, would warn each time.
        representative="median" if partitioner == "paper" else "auto",
        max_suppressed=suppressed,
        **promise,
    )


@every_partitioner
@given(problem=tables(), promise=constraints(), suppressed=SUPPRESSED)
def test_what_is_promised_holds_or_cannot_hold(partitioner, problem, promise, suppressed):
    table, guide = problem
    anonymizer = anonymizer_of(partitioner, promise, suppressed)
    try:
        released = anonymizer.fit_transform(table, guide)
    except GuaranteeError:
        # Refused exactly where even the whole table as one class would break it.
        assert breaches(rows_of(table.assign(age=0, city="all")), QUASI_IDENTIFIERS, **promise)
        return
    assert breaches(rows_of(released), QUASI_IDENTIFIERS, **promise) == []
    assert (len(table) - len(released)) <= suppressed * len(table)
    untouched = [name for name in table if name not in QUASI_IDENTIFIERS]
    pd.testing.assert_frame_equal(released[untouched], table.loc[anonymizer.kept_, untouched])
    pd.testing.assert_frame_equal(anonymizer.transform(table), released)


@every_partitioner
@given(problem=tables(), promise=constraints(), suppressed=SUPPRESSED, random=st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(partitioner, problem, promise, suppressed, random):
    table, guide = problem
    order = list(range(len(table)))
    random.shuffle(order)
    anonymizer = anonymizer_of(partitioner, promise, suppressed)
    try:
        released = anonymizer.fit_transform(table, guide)
    except GuaranteeError:
        return
    again = anonymizer.fit_transform(table.iloc[order], guide[order])
    # Which of two rows that are the same in everything is left out, nobody can tell.
    assert sorted(map(repr, rows_of(again))) == sorted(map(repr, rows_of(released)))
    if suppressed == 0:
        pd.testing.assert_frame_equal(again.sort_index(), released)


@pytest.mark.parametrize(
    ("promise", "broken"),
    [
        ({"k": 4}, "k"),
        ({"k": 3, "entity_id": "person"}, "k"),
        ({"k": 2, "sensitive": ["text"], "l": 3}, "distinct l of text"),
        ({"k": 2, "sensitive": ["text"], "l": 1.9, "diversity": "entropy"}, "entropy l of text"),
        ({"k": 2, "sensitive": ["text"], "l": 2, "diversity": "recursive", "c": 2}, "recursive l of text"),
        ({"k": 2, "sensitive": ["number"], "t": 0.2}, "t of number"),
    ],
)
def test_the_recount_itself_can_fail(promise, broken):
    rows = [
        {"age": a, "city": "Ulm", "person": p, "text": s, "number": n}
        for a, p, s, n in [(1, 1, "flu", 0), (1, 1, "flu", 0), (1, 2, "cold", 1), (2, 3, "flu", 5), (2, 3, "cold", 5),
                           (2, 4, "gout", None)]
    ]  # fmt: skip
    assert broken in breaches(rows, QUASI_IDENTIFIERS, **promise)
