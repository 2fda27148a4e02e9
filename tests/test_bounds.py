"""Bounds of a guarantee: what is refused when a policy is built, and what each kind of diversity needs."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from tfx_anonymizer import AnonymizationPolicy
from tfx_anonymizer.errors import PolicyError

SCHEMA = json.loads((Path(__file__).parents[1] / "schemas" / "policy.schema.json").read_text())


def policy(**fields):
    return AnonymizationPolicy(**{"quasi_identifiers": ("age",), "k": 5, "sensitive": ("ill",), **fields})


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        (
            {"l": 2, "diversity": "shannon"},
            "not known; got: 'shannon'; allowed: distinct or entropy or rec",
        ),
        ({"l": 2, "diversity": None}, "diversity is not known"),
        ({"diversity": "entropy"}, "l is not set; got: diversity='entropy'.*set l as well"),
        ({"c": 2.0}, "l is not set"),
        ({"l": 2.5}, "an integer of 2 or more for diversity='distinct'. Hint: only diversity='entropy'"),
        ({"l": "2"}, "l is out of range"),
        ({"l": True}, "l is out of range"),
        ({"l": 2.5, "diversity": "recursive", "c": 2}, "an integer of 2 or more for diversity='recursive'"),
        ({"l": 1, "diversity": "recursive", "c": 2}, "l is out of range"),
        ({"l": 1, "diversity": "entropy"}, "a number above 1 for diversity='entropy'"),
        ({"l": float("inf"), "diversity": "entropy"}, "l is out of range"),
        ({"l": 2, "diversity": "recursive"}, "needs c; got: None; allowed: a number above 0. Hint: c=3 with l=2"),
        ({"l": 2, "diversity": "recursive", "c": 0}, "c is out of range; got: 0"),
        ({"l": 2, "diversity": "recursive", "c": float("nan")}, "c is out of range"),
        ({"l": 2, "diversity": "recursive", "c": True}, "c is out of range"),
        ({"l": 2, "c": 3}, "c belongs to diversity='recursive'"),
        ({"l": 2, "diversity": "entropy", "c": 3}, "c belongs to diversity='recursive'"),
        ({"l": 2, "diversity": "entropy", "sensitive": ()}, "l is set but no column is sensitive"),
    ],
)
def test_wrong_bounds_are_refused(fields, says):
    with pytest.raises(PolicyError, match=says.replace("(", r"\(").replace("[", r"\[")):
        policy(**fields)


@pytest.mark.parametrize("share", [-0.1, 1, 1.0, float("nan"), "0.1", True, None])
def test_a_share_of_rows_is_less_than_one(share):
    with pytest.raises(PolicyError, match=r"max_suppressed is out of range.*less than 1"):
        policy(max_suppressed=share)
    if share == share:  # JSON has no NaN.
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**json.loads(policy().to_json()), "max_suppressed": share}, SCHEMA)


@pytest.mark.parametrize(
    ("share", "rows", "most"), [(0.0, 100, 0), (0.01, 99, 0), (0.01, 100, 1), (0.29, 100, 29), (0.07, 300, 21)]
)
def test_a_share_of_rows_in_rows(share, rows, most):
    assert policy(max_suppressed=share).most_suppressed(rows) == most


@pytest.mark.parametrize(
    "fields",
    [
        {"l": 3},
        {"l": 1.7, "diversity": "entropy"},
        {"l": 3, "diversity": "entropy"},
        {"l": 2, "diversity": "recursive", "c": 0.5},
        {"l": 4, "diversity": "recursive", "c": 3, "t": 0.2, "max_suppressed": 0.05},
    ],
)
def test_right_ones_travel_as_json(fields):
    wanted = policy(**fields)
    assert AnonymizationPolicy.from_json(wanted.to_json()) == wanted
    jsonschema.validate(json.loads(wanted.to_json()), SCHEMA)
    assert wanted.recursive_l == (wanted.l if wanted.diversity == "recursive" else None)


@pytest.mark.parametrize(
    "fields",
    [
        {"l": 1.7},
        {"l": 1, "diversity": "entropy"},
        {"l": None, "diversity": "entropy"},
        {"l": 2.5, "diversity": "recursive", "c": 2},
        {"l": 2, "diversity": "recursive", "c": None},
        {"l": 2, "diversity": "recursive", "c": 0},
        {"l": 2, "c": 2},
        {"l": 2, "diversity": "entropy", "c": 2},
    ],
)
def test_the_json_schema_refuses_what_the_policy_does(fields):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**json.loads(policy(l=2).to_json()), **fields}, SCHEMA)
    with pytest.raises(PolicyError):
        policy(**fields)
