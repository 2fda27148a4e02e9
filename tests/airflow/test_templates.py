"""A pipeline's arguments as a template: types are kept, and nothing is a template that was not meant as one."""

from __future__ import annotations

import json

import jinja2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2.sandbox import SandboxedEnvironment

from tfx_anonymizer.airflow import expression
from tfx_anonymizer.airflow.templates import kwargs_template
from tfx_anonymizer.errors import PolicyError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def rendered(kwargs, **context):
    environment = SandboxedEnvironment(undefined=jinja2.StrictUndefined)
    return json.loads(environment.from_string(kwargs_template(kwargs)).render(**context))


@given(VALUES)
def test_plain_values_come_through_as_they_are(value):
    assert rendered({"a": value}) == {"a": value}


@pytest.mark.parametrize("text", ["{{ params.k }}", "{% raw %}", "{# no #}", "{{", "}}", "'\"\\", "</script>"])
def test_text_that_looks_like_a_template_is_text(text):
    assert rendered({"a": text, "b": [{"c": text}]}) == {"a": text, "b": [{"c": text}]}


@given(VALUES)
def test_expressions_keep_the_type(value):
    assert rendered(
        {"k": expression("params.k"), "deep": {"in": [expression("params['k']")]}}, params={"k": value}
    ) == {
        "k": value,
        "deep": {"in": [value]},
    }


def test_the_shipped_expression():
    class Variables:
        def __init__(self, **values):
            self.get = values.get

    text = expression("params.k or (var.value.get('taxi_k', 50) | int)")
    for run, variables, found in ((None, {}, 50), (None, {"taxi_k": "70"}, 70), (60, {"taxi_k": "70"}, 60)):
        context = {"params": {"k": run}, "var": {"value": Variables(**variables)}}
        assert rendered({"k": text}, **context) == {"k": found}


@pytest.mark.parametrize("text", ["", "  ", "{{ ds }}", "a }}", "{% if %}", None, 3])
def test_what_is_no_expression(text):
    with pytest.raises(PolicyError, match="an expression is not one"):
        expression(text)


@pytest.mark.parametrize("value", [object(), float("nan"), {1, 2}, b"bytes"])
def test_what_json_cannot_hold(value):
    with pytest.raises(PolicyError, match=r"kwargs\['a'\]\[1\] cannot be written as JSON; got: "):
        kwargs_template({"a": [1, value]})


@pytest.mark.parametrize("name", ["", "a b", "1", 3])
def test_a_name_that_is_no_arguments(name):
    with pytest.raises(PolicyError, match="no argument's"):
        kwargs_template({name: 1})
