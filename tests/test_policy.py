"""The policy: what is refused when it is built, and the ways it is read and written."""

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tensorflow_metadata.proto.v0 import schema_pb2

from tfx_anonymizer import AnonymizationPolicy
from tfx_anonymizer.errors import ColumnError, PolicyError
from tfx_anonymizer.policy import schema_roles

SCHEMAS = Path(__file__).parents[1] / "schemas"


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"k": 1}, "k is out of range"),
        ({"k": 2.5}, "k is out of range"),
        ({"k": True}, "k is out of range"),
        ({"k": "50"}, "k is out of range"),
        ({"quasi_identifiers": ()}, "quasi_identifiers is empty"),
        ({"quasi_identifiers": "age"}, "not a list"),
        ({"quasi_identifiers": ("age", "age")}, "'age' twice"),
        ({"quasi_identifiers": ("age", "")}, "not a column name"),
        ({"quasi_identifiers": ("age", 3)}, "not a column name"),
        ({"label": "age"}, "label 'age' is also in quasi_identifiers"),
        ({"entity_id": "age"}, "named in quasi_identifiers and in entity_id"),
        ({"direct_identifiers": ("zip",)}, "named in quasi_identifiers and in direct_identifiers"),
        ({"sensitive": ("zip",)}, "named in quasi_identifiers and in sensitive"),
        ({"label": "id", "entity_id": "id"}, "is the label and in entity_id"),
        ({"label": ""}, "label is not a column name"),
        ({"l": 2}, "l is set but no column is sensitive"),
        ({"t": 0.2}, "t is set but no column is sensitive"),
        ({"sensitive": ("ill",), "l": 1}, "l is out of range"),
        ({"sensitive": ("ill",), "t": 1.5}, "t is out of range"),
        ({"sensitive": ("ill",), "t": float("nan")}, "t is out of range"),
        ({"categorical": ("zipp",)}, "did you mean 'zip'"),
    ],
)
def test_wrong_policies_are_refused(fields, says):
    with pytest.raises((PolicyError, ColumnError), match=says):
        AnonymizationPolicy(**{"quasi_identifiers": ("age", "zip"), "k": 5, **fields})


def test_label_may_be_a_quasi_identifier_when_that_is_said():
    policy = AnonymizationPolicy(("age",), 5, label="age", allow_label_as_quasi_identifier=True)
    assert policy.label == "age"


def test_label_may_be_sensitive():
    assert AnonymizationPolicy(("age",), 5, label="ill", sensitive=("ill",), l=2).l == 2


names = st.text(min_size=1, max_size=8)


@given(st.lists(names, min_size=1, max_size=5, unique=True), st.integers(2, 10**6), names)
def test_json_round_trip(quasi_identifiers, k, sensitive):
    extra = {} if sensitive in quasi_identifiers else {"sensitive": (sensitive,), "t": 0.25}
    policy = AnonymizationPolicy(tuple(quasi_identifiers), k, **extra)
    assert AnonymizationPolicy.from_json(policy.to_json()) == policy


def test_json_matches_its_schema():
    schema = json.loads((SCHEMAS / "policy.schema.json").read_text())
    policy = AnonymizationPolicy(("age", "zip"), 5, label="ill", sensitive=("diagnosis",), l=2, categorical=("zip",))
    jsonschema.validate(json.loads(policy.to_json()), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**json.loads(policy.to_json()), "k": 1}, schema)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"k": 5}', "lacks 'quasi_identifiers'"),
        ('{"quasi_identifiers": ["a"]}', "lacks 'k'"),
        ('{"quasi_identifiers": ["a"], "k": 5, "kk": 1}', "no field 'kk'"),
        ('{"quasi_identifiers": ["a"], "k": 5, "policy_version": 99}', "policy_version"),
    ],
)
def test_wrong_json_is_refused(text, says):
    with pytest.raises(PolicyError, match=says):
        AnonymizationPolicy.from_json(text)


def test_columns_are_checked_with_a_hint():
    policy = AnonymizationPolicy(("age", "zip"), 5, label="ill")
    policy.check_columns(["zip", "ill", "age", "other"])
    with pytest.raises(ColumnError, match=r"label names a column 'ill' that is not in the data.*did you mean 'will'"):
        policy.check_columns(["zip", "age", "will"])


def make_schema(**tags):
    schema = schema_pb2.Schema()
    for name, tag in tags.items():
        feature = schema.feature.add(name=name)
        feature.annotation.tag.extend([tag] if tag else [])
    return schema


def test_roles_come_from_a_schema():
    schema = make_schema(a="quasi_identifier", b="sensitive", c="direct_identifier", d="entity_id", e="label", f="")
    schema.feature[0].int_domain.is_categorical = True
    policy = AnonymizationPolicy.from_schema(schema, k=9, l=2)
    assert policy == AnonymizationPolicy(
        ("a",), 9, label="e", entity_id="d", sensitive=("b",), l=2, direct_identifiers=("c",), categorical=("a",)
    )


def test_one_feature_may_be_label_and_sensitive():
    schema = make_schema(a="quasi_identifier", b="label")
    schema.feature[1].annotation.tag.append("sensitive")
    policy = AnonymizationPolicy.from_schema(schema, k=9, l=2)
    assert (policy.label, policy.sensitive) == ("b", ("b",))
    with pytest.raises(PolicyError, match="named in quasi_identifiers and in sensitive"):
        AnonymizationPolicy(("b",), 9, label="b", sensitive=("b",), l=2, allow_label_as_quasi_identifier=True)


def test_a_misspelt_tag_is_refused():
    with pytest.raises(PolicyError, match="nearly a privacy role"):
        schema_roles(make_schema(a="quasi-identifiers"))


def test_two_labels_are_refused():
    with pytest.raises(PolicyError, match="more than one feature is tagged 'label'"):
        schema_roles(make_schema(a="label", b="label"))


def test_a_schema_without_quasi_identifiers_is_refused():
    with pytest.raises(PolicyError, match="quasi_identifiers"):
        AnonymizationPolicy.from_schema(make_schema(a="label"), k=5)


@pytest.mark.parametrize(("name", "quasi_identifiers", "label"), [("taxi", 13, "tips"), ("adult", 12, "income")])
def test_the_schemas_of_the_examples(name, quasi_identifiers, label):
    policy = AnonymizationPolicy.from_schema(SCHEMAS / f"{name}.pbtxt", k=50)
    assert len(policy.quasi_identifiers) == quasi_identifiers
    assert policy.label == label


def test_an_unreadable_schema_file(tmp_path):
    with pytest.raises(PolicyError, match="does not exist"):
        AnonymizationPolicy.from_schema(tmp_path / "none.pbtxt", k=5)
    (tmp_path / "bad.pbtxt").write_text("feature {")
    with pytest.raises(PolicyError, match="not a TFMD schema"):
        AnonymizationPolicy.from_schema(tmp_path / "bad.pbtxt", k=5)
