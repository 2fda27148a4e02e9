"""From arguments to execution properties and back, on every orchestrator's terms."""

import json

import pytest
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx.v1.dsl.experimental import RuntimeParameter

from tfx_anonymizer import AnonymizationPolicy
from tfx_anonymizer.component_support.parameters import parse_names, policy_properties, resolve_policy
from tfx_anonymizer.errors import PolicyError

POLICY = AnonymizationPolicy(("age", "zip"), 5, label="ill", sensitive=("diagnosis",), l=2, categorical=("zip",))


def tagged(**tags):
    schema = schema_pb2.Schema()
    for name, tag in tags.items():
        schema.feature.add(name=name).annotation.tag.append(tag)
    return schema


def test_a_policy_survives_the_trip():
    properties = policy_properties(POLICY, {}, schema_given=False)
    assert resolve_policy(properties, None) == POLICY


def test_numbers_may_become_floats_on_the_way():
    properties = policy_properties(POLICY, {}, schema_given=False)
    properties["k"] = 5.0
    rest = json.loads(properties["policy"])
    properties["policy"] = json.dumps({**rest, "l": 2.0})
    assert resolve_policy(properties, None) == POLICY


def test_arguments_win_over_the_policy_and_the_policy_over_the_schema():
    schema = tagged(a="quasi_identifier", b="label", c="direct_identifier")
    properties = policy_properties(POLICY, {"k": 9, "label": "y"}, schema_given=True)
    found = resolve_policy(properties, schema)
    assert (found.k, found.label, found.quasi_identifiers) == (9, "y", ("age", "zip"))
    assert found.direct_identifiers == ("c",)
    properties = policy_properties(None, {"k": 9}, schema_given=True)
    assert resolve_policy(properties, schema) == AnonymizationPolicy(("a",), 9, label="b", direct_identifiers=("c",))


def test_run_time_parameters_pass_unchecked_and_are_checked_when_known():
    k = RuntimeParameter(name="k", ptype=int, default=50)
    names = RuntimeParameter(name="names", ptype=str)
    properties = policy_properties(None, {"k": k, "quasi_identifiers": names, "label": "ill"}, schema_given=False)
    assert properties["k"] is k
    assert properties["quasi_identifiers"] is names
    found = resolve_policy({**properties, "k": 7, "quasi_identifiers": "age, zip"}, None)
    assert found == AnonymizationPolicy(("age", "zip"), 7, label="ill")
    with pytest.raises(PolicyError, match="k is out of range"):
        resolve_policy({**properties, "k": 0, "quasi_identifiers": "age"}, None)
    with pytest.raises(PolicyError, match="only quasi_identifiers and k"):
        policy_properties(None, {"quasi_identifiers": ["a"], "k": 5, "label": names}, schema_given=False)


def test_a_schema_without_roles():
    properties = policy_properties(None, {"k": 5}, schema_given=True)
    with pytest.raises(PolicyError, match="no quasi_identifiers were given"):
        resolve_policy(properties, schema_pb2.Schema())


def test_sensitive_may_come_from_the_schema():
    properties = policy_properties(None, {"k": 5, "l": 2}, schema_given=True)
    found = resolve_policy(properties, tagged(a="quasi_identifier", s="sensitive"))
    assert (found.sensitive, found.l) == (("s",), 2)
    arguments = {"k": 5, "l": 2, "diversity": "recursive", "c": 3}
    found = resolve_policy(
        policy_properties(None, arguments, schema_given=True), tagged(a="quasi_identifier", s="sensitive")
    )
    assert (found.diversity, found.c) == ("recursive", 3)


def test_bounds_are_checked_before_the_schema_is_there():
    with pytest.raises(PolicyError, match="needs c"):
        policy_properties(None, {"k": 5, "l": 2, "diversity": "recursive"}, schema_given=True)
    with pytest.raises(PolicyError, match="only diversity='entropy'"):
        policy_properties(None, {"k": 5, "l": 2.5}, schema_given=True)


@pytest.mark.parametrize(
    ("text", "names"),
    [("a,b", ["a", "b"]), (" a , b ,", ["a", "b"]), ('["a,b", "c"]', ["a,b", "c"]), (["x"], ["x"])],
)
def test_names_in_text(text, names):
    assert parse_names(text) == names


def test_damaged_names():
    with pytest.raises(PolicyError, match="not a JSON list"):
        parse_names('["a"')
