"""Whom an audit is about: who is judged, what a label is, and how a model's answers are read."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfx_anonymizer.auditing.subject import make_subject, probabilities
from tfx_anonymizer.errors import ColumnError, GuideError, InputDataError


def people(rows, start=0, **columns):
    return pa.table({"id": np.arange(start, start + rows), "y": np.arange(rows) % 2, **columns})


def test_rows_are_where_they_stood():
    members, others = people(200), people(300, 1000)
    subject = make_subject(members, others, "y", records=120)
    assert subject.members.sum() == (~subject.members).sum() == 120
    whole = np.concatenate([members.column("id"), others.column("id")])
    assert (whole[subject.rows] == np.asarray(subject.table.column("id"))).all()
    assert (np.asarray(subject.table.column("id"))[subject.members] < 1000).all()
    again = make_subject(members, others, "y", records=120)
    assert again.rows.tolist() == subject.rows.tolist()
    assert make_subject(members, others, "y", records=120, seed=1).rows.tolist() != subject.rows.tolist()


def test_the_sample_does_not_depend_on_the_order_of_rows():
    members, others = people(200), people(200, 1000)
    subject = make_subject(members, others, "y", records=80)
    turned = make_subject(members.take(pa.array(np.arange(200)[::-1])), others, "y", records=80)
    assert turned.table.equals(subject.table)


def test_rows_without_a_label_are_not_judged():
    members = people(120).set_column(1, "y", pa.array([None] * 20 + [0, 1] * 50))
    assert make_subject(members, people(120, 500), "y", records=500).members.sum() == 100


def test_of_each_person_one_row_and_none_on_both_sides():
    members = people(200).append_column("who", pa.array(np.arange(200) // 2))
    others = people(200, 1000).append_column("who", pa.array(np.arange(200) // 2 + 90))
    subject = make_subject(members, others, "y", records=500, entity_id="who")
    who = np.asarray(subject.table.column("who"))
    assert sorted(who[subject.members]) == list(range(90))
    assert sorted(who[~subject.members]) == list(range(100, 190))
    with pytest.raises(ColumnError, match="did you mean 'who'"):
        make_subject(members, others, "y", records=500, entity_id="whoo")


def test_where_a_coin_drew_members_the_sides_keep_their_sizes():
    """A fixed number on either side would tell, of the last coin, how it fell."""
    members, others = people(300), people(100, 1000)
    members = pa.concat_tables([members, members.slice(0, 50)])
    subject = make_subject(members, others, "y", records=100, by_coin=True)
    assert len(subject.members) == 200
    assert 130 < subject.members.sum() < 170
    assert len(set(np.asarray(subject.table.column("id")))) == 200


@pytest.mark.parametrize(
    ("values", "classes"),
    [
        ([9, 10] * 60, ("9", "10")),
        (["b", "a", "c"] * 40, ("a", "b", "c")),
        ([True, False] * 60, ("False", "True")),
        ([0.5 + i for i in range(120)], ()),
        (["ä", "東京"] * 60, ("ä", "東京")),
    ],
)
def test_classes_are_in_order(values, classes):
    table = pa.table({"a": range(120), "y": values})
    assert make_subject(table, table, "y", records=500).classes == classes


def test_named_classes_are_kept_and_a_strange_label_has_no_probability():
    table = pa.table({"a": range(120), "y": ["lo", "hi", "?"] * 40})
    subject = make_subject(table, table, "y", records=500, classes=["lo", "hi"])
    found = subject.confidence(np.full((240, 2), 0.5))
    strange = np.array([value == "?" for value in subject.table.column("y").to_pylist()])
    assert (found[strange] == 0).all()
    assert (found[~strange] == 0.5).all()


def test_numbers_are_judged_by_the_errors_to_be_expected():
    table = pa.table({"a": range(200), "y": np.linspace(0, 50, 200)})
    subject = make_subject(table.slice(0, 100), table.slice(100), "y", records=500)
    wanted = np.asarray(subject.table.column("y"))
    assert subject.spread(wanted + 2.0) == pytest.approx(2.0)
    assert subject.confidence(wanted) == pytest.approx(np.ones(200))
    assert subject.confidence(wanted + 2.0)[0] == pytest.approx(np.exp(-0.5))
    with pytest.raises(GuideError, match="the model has 2 outputs"):
        subject.confidence(np.ones((200, 2)))


@pytest.mark.parametrize(
    ("members", "others", "says"),
    [
        (people(49), people(100), "too few members to audit; got: 49"),
        (people(100), people(3), "too few non-members to audit; got: 3"),
        (people(100), pa.table({"id": ["x"] * 100, "y": [0, 1] * 50}), "column 'id' is of another type"),
    ],
)
def test_what_cannot_be_compared_is_refused(members, others, says):
    with pytest.raises(InputDataError, match=says):
        make_subject(members, others, "y", records=500)


def test_the_label_must_be_there():
    with pytest.raises(ColumnError, match="did you mean 'y'"):
        make_subject(people(100), people(100), "yy", records=500)


@given(st.lists(st.lists(st.floats(-50, 50), min_size=3, max_size=3), min_size=1, max_size=10))
def test_answers_become_probabilities_of_the_same_order(logits):
    found = probabilities(np.array(logits), 3)
    assert np.allclose(found.sum(axis=1), 1)
    for before, after in zip(logits, found, strict=True):
        assert after[int(np.argmax(before))] == after.max()


def test_one_output_is_the_second_class():
    assert probabilities(np.array([0.2, 0.7]), 2)[:, 1].tolist() == pytest.approx([0.2, 0.7])
    assert probabilities(np.array([-1.0, 0.0]), 2)[1].tolist() == [0.5, 0.5]
    with pytest.raises(GuideError, match="3 outputs and 2 classes"):
        probabilities(np.ones((4, 3)), 2)
    with pytest.raises(GuideError, match="no number"):
        probabilities(np.array([np.nan]), 2)
