"""What a release leaves out: the attack finds whom an exchange hides, and accuses nobody where nothing is hidden."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tests.support.people import guide_for, make_people
from tfx_anonymizer.attacks import roc
from tfx_anonymizer.attacks.encoding import EncodedTables, encode, row_codes
from tfx_anonymizer.attacks.release.absence import EXCLUDED, absence
from tfx_anonymizer.attacks.release.presence import presence
from tfx_anonymizer.core import AccuracyGuidedAnonymizer
from tfx_anonymizer.errors import PrivacyWarning

QI = ["age", "height", "city", "zip"]
K = 5


def tables_of(*tables) -> EncodedTables:
    """Codes of categories; every table a list of rows."""
    width = len(tables[0][0])
    return EncodedTables(
        tuple("abcdefgh"[:width]),
        np.ones(width, dtype=bool),
        tuple(np.array(table, dtype=np.float64).reshape(-1, width) for table in tables),
    )


def people(rows, rng, columns=6, values=8):
    return rng.integers(0, values, (rows, columns)).astype(np.float64)


def interval(tables, k=K):
    members, control = absence(tables, k)
    judged = np.arange(len(members) + len(control)) < len(members)
    return roc.auc_interval(np.concatenate([members, control]), judged, replicates=300)


def test_by_hand():
    members = [[0, 0, 0], [1, 1, 1], [7, 7, 7], [7, 7, 7]]
    control = [[0, 0, 5], [2, 2, 2], [3, 3, 3]]
    # Nobody has the first; it is one exchange from a member and from another. The second is somebody's of the control.
    # The third is common: it hides nobody, and says nothing of who has it.
    release = [[0, 0, 9], [0, 0, 9], [2, 2, 2], [7, 7, 7]]
    inside, outside = absence(tables_of(members, control, release), k=2)
    assert inside.tolist() == [0.5, 0.0, 0.0, 0.0]
    assert outside.tolist() == [0.5, EXCLUDED, 0.0]


def test_a_common_combination_hides_nobody():
    members, control = [[0, 0]], [[0, 1], [0, 1], [5, 5]]
    shares = [absence(tables_of(members, control, [[0, 1]]), k)[0].tolist() for k in (2, 3)]
    assert shares == [[0.0], [1.0]]


def test_shares_of_a_released_combination_sum_to_one():
    rng = np.random.default_rng(0)
    tables = EncodedTables(
        tuple("abc"), np.ones(3, dtype=bool), (people(200, rng, 3, 9), people(200, rng, 3, 9), people(60, rng, 3, 9))
    )
    scores = np.concatenate(absence(tables, 100))
    members, control, release = row_codes(tables.tables)
    assert set(scores[np.isin(np.concatenate([members, control]), release)]) == {EXCLUDED}
    hidden = np.concatenate(tables.tables[:2])[scores != EXCLUDED]
    distinct = np.unique(tables.tables[2], axis=0)
    has_any = [bool(((hidden != combination).sum(axis=1) == 1).any()) for combination in distinct]
    assert scores[scores > 0].sum() == pytest.approx(sum(has_any), abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_whom_an_exchange_hides_is_found_where_presence_finds_nobody(seed):
    rng = np.random.default_rng(seed)
    members, control = people(600, rng), people(600, rng)
    release = members[:60].copy()
    # A value that nobody has: no released combination is anyone's.
    release[np.arange(60), rng.integers(0, 6, 60)] = 100 + np.arange(60)
    tables = EncodedTables(tuple("abcdef"), np.ones(6, dtype=bool), (members, control, release))
    assert presence("presence", tables).successes == 0
    assert interval(tables).low > 0.51
    inside, outside = absence(tables, K)
    assert (inside[:60] > 0).all()
    assert (inside[60:] > 0).mean() < 0.05
    assert (outside > 0).mean() < 0.05


def test_who_is_avoided_is_told_by_what_is_dared():
    rng = np.random.default_rng(0)
    members, control = people(600, rng, 8), people(600, rng, 8)
    # What a method releases that takes care to hit no member hits, now and then, somebody else.
    release = np.concatenate([control[:40], people(40, rng, 8)])
    inside, outside = absence(EncodedTables(tuple("abcdefgh"), np.ones(8, dtype=bool), (members, control, release)), K)
    assert not (inside == EXCLUDED).any()
    assert (outside == EXCLUDED).sum() == 40


def test_a_release_of_strangers_accuses_nobody_oftener_than_it_says():
    missed = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        members, control, strangers = people(400, rng, 4, 5), people(400, rng, 4, 5), people(80, rng, 4, 5)
        found = interval(EncodedTables(tuple("abcd"), np.ones(4, dtype=bool), (members, control, strangers)), k=K)
        missed += not found.low <= 0.5 <= found.high
    # One in twenty is expected; four and more would happen in less than two of a hundred tests.
    assert missed <= 3


def test_who_is_listed_first_or_last_does_not_matter():
    rng = np.random.default_rng(5)
    members, control, release = people(90, rng, 3, 6), people(70, rng, 3, 6), people(30, rng, 3, 6)
    names, kinds = tuple("abc"), np.ones(3, dtype=bool)
    one = absence(EncodedTables(names, kinds, (members, control, release)), K)
    other = absence(EncodedTables(names, kinds, (control, members, release[::-1])), K)
    np.testing.assert_array_equal(one[0], other[1])
    np.testing.assert_array_equal(one[1], other[0])


@pytest.mark.parametrize("representative", ["altered_medoid", "medoid"])
def test_rare_combinations_in_a_release_are_no_members_if_it_avoids_them(representative):
    everyone = make_people(1200, seed=8)
    members, control = everyone.iloc[:600], everyone.iloc[600:]
    anonymizer = AccuracyGuidedAnonymizer(
        QI, 10, label="ill", categorical=["zip"], partitioner="contribution_mdav", representative=representative
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        released = anonymizer.fit_transform(members, guide_for(members))
    tables = [pa.Table.from_pandas(frame[QI], preserve_index=False) for frame in (members, control, released)]
    inside, _ = absence(encode(tables, QI, ["zip"]), 10)
    found = int((inside == EXCLUDED).sum())
    assert found == 0 if representative == "altered_medoid" else found > 20


def test_missing_values_odd_texts_and_one_column():
    members = pa.table({"a": ["", None, "x", "東京"]})
    control = pa.table({"a": ["y", None, "z", "w"]})
    release = pa.table({"a": [None, "q"]})
    inside, outside = absence(encode([members, control, release], ["a"]), k=3)
    assert inside[1] == outside[1] == EXCLUDED
    # With a single column everybody is one exchange away from everything: two released among six.
    assert inside[0] == pytest.approx(2 / 6)
    assert inside.dtype == outside.dtype == np.float64


def test_a_release_of_nothing_made_up_says_nothing():
    frame = pd.DataFrame({"a": [1.0] * 20, "b": [2.0] * 20})
    table = pa.Table.from_pandas(frame, preserve_index=False)
    inside, outside = absence(encode([table, table, table], ["a", "b"]), K)
    assert not inside.any()
    assert not outside.any()
