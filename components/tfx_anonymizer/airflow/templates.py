"""Arguments of a pipeline function as one template that Airflow renders into JSON when a task starts."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from tfx_anonymizer.errors import PolicyError


@dataclasses.dataclass(frozen=True)
class Expression:
    """A Jinja expression; see `expression`.

    Attributes:
        text: The expression, without braces.
    """

    text: str


def expression(text: str) -> Expression:
    """Marks an argument that Airflow works out when a task starts; its type is kept.

    Args:
        text: A Jinja expression over the context of a task, without braces: `params.k`, `var.value.taxi_k | int`,
            `var.json.taxi.k`, `ds`.

    Returns:
        The mark, to be given among a DAG builder's `kwargs`.

    Raises:
        PolicyError: If it is empty or has braces.

    Example:
        >>> kwargs_template({"k": expression("params.k"), "root": "/data"})
        '{"k": {{ (params.k) | tojson }}, "root": "/data"}'
    """
    if not isinstance(text, str) or not text.strip() or "{{" in text or "}}" in text or "{%" in text:
        raise PolicyError(
            "an expression is not one", got=repr(text), allowed="a Jinja expression without braces", hint="'params.k'"
        )
    return Expression(text.strip())


def kwargs_template(kwargs: Mapping[str, Any]) -> str:
    """Returns arguments as JSON in which expressions are left for Airflow to render.

    Whatever is not an expression comes out as it went in, also text that looks like a template.

    Args:
        kwargs: Arguments by name: JSON values, and `Expression` anywhere among them.

    Raises:
        PolicyError: If a name is not a string or a value has no form in JSON.
    """
    for name in kwargs:
        if not isinstance(name, str) or not name.isidentifier():
            raise PolicyError("kwargs has a name that is no argument's", got=repr(name))
    return _render(dict(kwargs), "kwargs")


def _render(value: Any, where: str) -> str:
    if isinstance(value, Expression):
        return "{{ (" + value.text + ") | tojson }}"
    if isinstance(value, Mapping):
        pairs = (f"{_plain(str(key), where)}: {_render(item, f'{where}[{key!r}]')}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_render(item, f"{where}[{i}]") for i, item in enumerate(value)) + "]"
    return _plain(value, where)


def _plain(value: Any, where: str) -> str:
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        raise PolicyError(
            f"{where} cannot be written as JSON",
            got=type(value).__name__,
            allowed="strings, numbers, booleans, None, lists, mappings and expressions",
            hint="tasks run in another process: pass names and numbers, and build objects in the pipeline function",
        ) from None
    # A brace inside a string is escaped, so that Jinja sees no template where the user wrote none.
    return text.replace("{", "\\u007b").replace("}", "\\u007d")
