"""AccuracyGuidedAnonymizer on examples worked by hand, and everything it must refuse."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from tests.support.people import QUASI_IDENTIFIERS, guide_for, make_people
from tfx_anonymizer import AnonymizationPolicy
from tfx_anonymizer.core import AccuracyGuidedAnonymizer, measure_privacy
from tfx_anonymizer.errors import ColumnError, GuaranteeError, GuideError, InputDataError, PolicyError


def test_a_worked_example():
    table = pd.DataFrame(
        {
            "age": [20, 25, 30, 35, 60, 65, 70],
            "city": ["Ulm", "Ulm", "Köln", "Ulm", "Köln", None, None],
            "ill": [0, 0, 0, 0, 1, 1, 1],
        }
    )
    anonymizer = AccuracyGuidedAnonymizer(["age", "city"], 3, label="ill")
    released = anonymizer.fit_transform(table)
    # One cut leaves three or more on both sides and explains the label: 35 | 60.
    assert released["age"].tolist() == [25, 25, 25, 25, 65, 65, 65]
    assert released["city"].tolist() == ["Ulm"] * 4 + [None] * 3
    assert released["ill"].tolist() == table["ill"].tolist()
    assert anonymizer.class_sizes_.tolist() == [4, 3]


def test_the_guide_decides_and_not_the_label():
    table = pd.DataFrame({"a": np.tile([0, 1], 10), "b": np.repeat([0, 1], 10), "y": np.tile([0, 1], 10)})
    by_label = AccuracyGuidedAnonymizer(["a", "b"], 10, label="y").fit_transform(table)
    by_guide = AccuracyGuidedAnonymizer(["a", "b"], 10, label="y").fit_transform(table, guide=table["b"] * 0.8 + 0.1)
    assert by_label["a"].nunique() == 2
    assert by_label["b"].nunique() == 1
    assert by_guide["a"].nunique() == 1
    assert by_guide["b"].nunique() == 2


def test_pandas_and_arrow_agree_and_keep_their_type():
    people = make_people()
    anonymizer = AccuracyGuidedAnonymizer(QUASI_IDENTIFIERS, 7, label="ill")
    by_pandas = anonymizer.fit_transform(people, guide_for(people))
    by_arrow = anonymizer.fit_transform(pa.Table.from_pandas(people), guide_for(people))
    assert isinstance(by_arrow, pa.Table)
    pd.testing.assert_frame_equal(by_arrow.to_pandas(), by_pandas)
    assert by_pandas.dtypes.equals(people.dtypes)
    untouched = [name for name in people if name not in QUASI_IDENTIFIERS]
    pd.testing.assert_frame_equal(by_pandas[untouched], people[untouched])


def test_the_input_is_not_changed():
    people = make_people(60)
    before = people.copy(deep=True)
    AccuracyGuidedAnonymizer(QUASI_IDENTIFIERS, 7).fit_transform(people)
    pd.testing.assert_frame_equal(people, before)


def test_people_not_rows():
    people = make_people(300)
    released = AccuracyGuidedAnonymizer(QUASI_IDENTIFIERS, 8, entity_id="person").fit_transform(people)
    assert measure_privacy(released, QUASI_IDENTIFIERS, entity_id="person").k >= 8


def test_sensitive_values():
    people = make_people(600)
    anonymizer = AccuracyGuidedAnonymizer(QUASI_IDENTIFIERS, 5, label="ill", sensitive=["diagnosis", "ill"], l=2, t=0.6)
    released = anonymizer.fit_transform(people, guide_for(people))
    measures = measure_privacy(released, QUASI_IDENTIFIERS, ["diagnosis", "ill"])
    assert measures.distinct_l >= 2
    assert measures.t <= 0.6
    assert measures.classes > 5
    plain = AccuracyGuidedAnonymizer(QUASI_IDENTIFIERS, 5, label="ill").fit_transform(people, guide_for(people))
    assert measure_privacy(plain, QUASI_IDENTIFIERS, ["ill"]).distinct_l == 1


def test_scikit_learn_conventions():
    anonymizer = AccuracyGuidedAnonymizer(["age"], 5, label="ill", random_state=3)
    assert clone(anonymizer).get_params() == anonymizer.get_params()
    with pytest.raises(NotFittedError):
        anonymizer.transform(make_people(10))
    assert anonymizer.fit(make_people(50)) is anonymizer


def test_from_policy():
    policy = AnonymizationPolicy(("age", "zip"), 9, label="ill", categorical=("zip",), direct_identifiers=("name",))
    anonymizer = AccuracyGuidedAnonymizer.from_policy(policy, random_state=1)
    people = make_people()
    assert measure_privacy(anonymizer.fit_transform(people), ["age", "zip"]).k >= 9
    assert anonymizer.random_state == 1


def test_the_largest_k_is_the_table_itself():
    people = make_people(30)
    released = AccuracyGuidedAnonymizer(["age", "city"], 30).fit_transform(people)
    assert measure_privacy(released, ["age", "city"]).classes == 1


@pytest.mark.parametrize(
    ("change", "arguments", "error", "says"),
    [
        ({}, {"k": 61}, GuaranteeError, "60 rows, k=61.*smaller k"),
        ({}, {"k": 1}, PolicyError, "k is out of range"),
        ({}, {"quasi_identifiers": ["agee"]}, ColumnError, "did you mean 'age'"),
        ({}, {"quasi_identifiers": "age"}, PolicyError, "not a list"),
        ({}, {"quasi_identifiers": ["ill"], "label": "ill"}, PolicyError, "label 'ill' is also"),
        ({}, {"label": "sick"}, ColumnError, "label names a column 'sick'"),
        ({}, {"entity_id": "who"}, ColumnError, "entity_id names a column 'who'"),
        ({}, {"sensitive": ["mood"], "l": 2}, ColumnError, "sensitive names a column 'mood'"),
        ({}, {"partitioner": "kd"}, PolicyError, "partitioner is not known"),
        ({}, {"representative": "mean"}, PolicyError, "representative is not known"),
        ({"age": [None] * 60}, {}, ColumnError, "'age' is missing in every row"),
        ({"age": [[1, 2]] * 60}, {}, ColumnError, "'age' is multi-valued"),
        ({"age": [1, "x"] * 30}, {}, ColumnError, "not all of one simple type"),
        ({"ill": [0.5] + [None] * 59}, {"label": "ill"}, GuideError, "label 'ill' is missing in some rows"),
    ],
)
def test_refusals(change, arguments, error, says):
    table = make_people(60)
    for name, values in change.items():
        table[name] = pd.Series(values, dtype=float if name == "ill" else object)
    with pytest.raises(error, match=says):
        AccuracyGuidedAnonymizer(**{"quasi_identifiers": ["age", "city"], "k": 5, **arguments}).fit(table)


def test_no_rows_and_no_table():
    with pytest.raises(GuaranteeError, match="0 rows"):
        AccuracyGuidedAnonymizer(["age"], 5).fit(make_people(60).head(0))
    with pytest.raises(InputDataError, match="got: dict"):
        AccuracyGuidedAnonymizer(["age"], 5).fit({"age": [1, 2]})


def test_a_guide_of_the_wrong_length():
    with pytest.raises(GuideError, match="59 predictions; allowed: 60"):
        AccuracyGuidedAnonymizer(["age"], 5).fit(make_people(60), guide=np.zeros(59))


def test_nothing_is_fitted_after_a_refusal():
    anonymizer = AccuracyGuidedAnonymizer(["age"], 100)
    with pytest.raises(GuaranteeError):
        anonymizer.fit(make_people(60))
    assert not hasattr(anonymizer, "generalization_")


def test_a_real_record_is_warned_of_once(recwarn):
    table = pd.DataFrame({"age": [1, 2, 3, 4], "ill": [0, 0, 1, 1]})
    AccuracyGuidedAnonymizer(["age"], k=2, label="ill", representative="medoid").fit(table)
    assert [str(w.message).split(" releases")[0] for w in recwarn] == ["representative='medoid'"]
