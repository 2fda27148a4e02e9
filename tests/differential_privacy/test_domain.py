"""Public domains out of schemas; what a schema does not say is refused by name."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from tests.support.dp_tables import PEOPLE_SCHEMA, schema_of
from tfx_anonymizer.differential_privacy.attributes import Categorical, Numeric
from tfx_anonymizer.differential_privacy.domain import Domain
from tfx_anonymizer.errors import ColumnError, PolicyError

SCHEMAS = Path(__file__).parents[2] / "schemas"


def test_people():
    domain = Domain.from_schema(
        schema_of(PEOPLE_SCHEMA), label="ill", drop=["name", "person"], leave_out=["zip"], bins=10
    )
    kinds = {attribute.name: type(attribute) for attribute in domain.attributes}
    assert kinds == {
        "age": Numeric,
        "height": Numeric,
        "city": Categorical,
        "income": Numeric,
        "diagnosis": Categorical,
    }
    assert domain.classes == 2
    assert domain.left_out == {"zip": pa.int64()}
    assert domain.present == {"height"}
    optional = {attribute.name for attribute in domain.attributes if attribute.optional}
    assert optional == {"height", "city"}
    assert domain.to_dict()["diagnosis"] == {"kind": "category", "codes": 4, "may_be_missing": False}


@pytest.mark.parametrize(
    ("feature", "says"),
    [
        ('feature { name: "secret" type: INT }', "between what bounds feature 'secret' lies"),
        ('feature { name: "secret" type: INT int_domain { min: 0 } }', "'secret'"),
        ('feature { name: "secret" type: FLOAT int_domain { min: 0 max: 3 } }', "float_domain"),
        ('feature { name: "secret" type: FLOAT float_domain { min: 3 max: 3 } }', "min < max"),
        ('feature { name: "secret" type: FLOAT float_domain { min: 0 max: inf } }', "'secret'"),
        ('feature { name: "secret" type: BYTES }', "what values feature 'secret' may have"),
        ('feature { name: "secret" type: BYTES domain: "none" }', "'secret'"),
        ('feature { name: "secret" type: INT int_domain { min: 0 max: 5000 is_categorical: true } }', "5001 codes"),
    ],
)
def test_an_absent_domain_is_an_error_that_names_the_feature(feature, says):
    with pytest.raises(PolicyError, match=says):
        Domain.from_schema(schema_of(feature))
    known = 'feature { name: "age" type: INT int_domain { min: 0 max: 99 } }'
    assert Domain.from_schema(schema_of(feature + known), leave_out=["secret"]).left_out.keys() == {"secret"}


def test_unknown_names_and_nothing_left():
    schema = schema_of('feature { name: "age" type: INT int_domain { min: 0 max: 99 } }')
    with pytest.raises(ColumnError, match="did you mean 'age'"):
        Domain.from_schema(schema, label="aeg")
    with pytest.raises(ColumnError, match="leave_out"):
        Domain.from_schema(schema, leave_out=["city"])
    with pytest.raises(PolicyError, match="no feature to synthesize"):
        Domain.from_schema(schema, label="age")


def test_truth_values():
    schema = schema_of(
        'feature { name: "a" type: INT bool_domain {} value_count { min: 1 } }'
        'feature { name: "b" type: BYTES bool_domain { true_value: "yes" false_value: "no" } value_count { min: 1 } }'
    )
    assert [attribute.values for attribute in Domain.from_schema(schema).attributes] == [(0, 1), ("no", "yes")]


@pytest.mark.parametrize(
    ("name", "label", "leave_out", "classes"),
    [("adult", "income", (), 2), ("taxi", "tips", ("pickup_census_tract", "dropoff_census_tract"), 8)],
)
def test_the_example_schemas_say_enough(name, label, leave_out, classes):
    schema = schema_of((SCHEMAS / f"{name}.pbtxt").read_text())
    domain = Domain.from_schema(schema, label=label, leave_out=leave_out)
    assert domain.classes == classes
    assert len(domain.attributes) + len(leave_out) + 1 == len(schema.feature)
