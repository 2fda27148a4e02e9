"""From constructor arguments to execution properties, and from those to a checked policy.

Roles may come from a policy, from a schema's tags and from single arguments; an argument wins over the policy, and the
policy over the schema. What is known when the pipeline is built is checked then; what comes as a run-time parameter or
from a schema artifact is checked when the component starts, before it reads a record.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tfx.v1.dsl.experimental import RuntimeParameter

from tfx_anonymizer._tfx_compat import Placeholder
from tfx_anonymizer.errors import PolicyError
from tfx_anonymizer.policy import AnonymizationPolicy, schema_roles

_FIELDS = (
    "quasi_identifiers",
    "k",
    "label",
    "entity_id",
    "sensitive",
    "l",
    "t",
    "direct_identifiers",
    "categorical",
    "allow_label_as_quasi_identifier",
    "diversity",
    "c",
    "max_suppressed",
)
# These may be run-time parameters, so they travel as properties of their own; the rest travels as one JSON object.
_SEPARATE = ("quasi_identifiers", "k")


def policy_properties(
    policy: AnonymizationPolicy | None, arguments: Mapping[str, Any], *, schema_given: bool, k_chosen: bool = False
) -> dict[str, Any]:
    """Turns a component's arguments into execution properties, and checks all that is known.

    Args:
        policy: The policy argument.
        arguments: The role and guarantee arguments by field name; None where not given.
        schema_given: Whether a schema channel is connected, so that roles may still come.
        k_chosen: Whether k is an AnonymizationTuner's to say, when the pipeline runs.

    Returns:
        The properties `policy`, `quasi_identifiers` and `k`; None where not given.

    Raises:
        PolicyError: If what is given is wrong, or not enough and no schema is connected.
    """
    if policy is not None and not isinstance(policy, AnonymizationPolicy):
        raise PolicyError("policy is not an AnonymizationPolicy", got=type(policy).__name__)
    given = {name: value for name, value in arguments.items() if value is not None}
    later = {name for name, value in given.items() if is_placeholder(value)}
    if later - set(_SEPARATE):
        raise PolicyError(
            "only quasi_identifiers and k can be run-time parameters", got=", ".join(sorted(later - set(_SEPARATE)))
        )
    known = {**_policy_fields(policy), **{name: value for name, value in given.items() if name not in later}}
    if k_chosen:
        if "k" in given:
            raise PolicyError("both k and choice say how large a class must be", hint="give one of them")
        known.pop("k", None)
        later = later | {"k"}
    _check_known(known, later, schema_given=schema_given)
    rest = {name: _plain(value) for name, value in known.items() if name not in _SEPARATE}
    names = given.get("quasi_identifiers", known.get("quasi_identifiers"))
    return {
        "policy": json.dumps(rest, sort_keys=True),
        "quasi_identifiers": names if names is None or is_placeholder(names) else json.dumps(_plain(names)),
        "k": given.get("k", known.get("k")),
    }


def resolve_policy(
    properties: Mapping[str, Any], schema: Any | None, choice: Mapping[str, Any] | None = None
) -> AnonymizationPolicy:
    """Builds the policy from execution properties and, if there is one, the schema.

    Args:
        properties: As `policy_properties` made them; numbers may have become floats on the way.
        schema: A TFMD schema proto, or None.
        choice: What an AnonymizationTuner chose, as `choices.read_choice` returns it, or None.

    Returns:
        The checked policy.

    Raises:
        PolicyError: If roles or guarantee are missing or wrong.
    """
    fields = dict(schema_roles(schema)) if schema is not None else {}
    fields.update(json.loads(properties.get("policy") or "{}"))
    if properties.get("quasi_identifiers"):
        fields["quasi_identifiers"] = parse_names(properties["quasi_identifiers"])
    if properties.get("k") is not None:
        fields["k"] = _whole(properties["k"])
    if choice is not None:
        fields["k"] = choice["k"]
    if fields.get("l") is not None:
        fields["l"] = _whole(fields["l"])
    if "quasi_identifiers" not in fields:
        raise PolicyError(
            "no quasi_identifiers were given",
            hint="pass quasi_identifiers= or policy=, or tag features 'quasi_identifier' in the schema",
        )
    if "k" not in fields:
        raise PolicyError("k was not given", hint="pass k= or policy=")
    # Roles of the schema give way to the arguments where both speak of a column.
    quasi = set(fields["quasi_identifiers"])
    fields["categorical"] = [name for name in fields.get("categorical", ()) if name in quasi]
    return AnonymizationPolicy.from_fields(fields)


def parse_names(text: str | Sequence[str]) -> list[str]:
    """Reads column names from a JSON list, or from text with commas, as a run-time parameter may give them."""
    if not isinstance(text, str):
        return list(text)
    if text.lstrip().startswith("["):
        try:
            return list(json.loads(text))
        except json.JSONDecodeError:
            raise PolicyError("quasi_identifiers is not a JSON list of names", hint='["age", "zip"]') from None
    return [name.strip() for name in text.split(",") if name.strip()]


def is_placeholder(value: object) -> bool:
    """Tells whether a value will only be known when the pipeline runs."""
    return isinstance(value, (RuntimeParameter, Placeholder))


def _policy_fields(policy: AnonymizationPolicy | None) -> dict[str, Any]:
    if policy is None:
        return {}
    empty: tuple[object, ...] = (None, (), False)
    return {name: getattr(policy, name) for name in _FIELDS if getattr(policy, name) not in empty}


def _check_known(known: Mapping[str, Any], later: set[str], *, schema_given: bool) -> None:
    names_known = "quasi_identifiers" in known or "quasi_identifiers" in later
    if not names_known and not schema_given:
        raise PolicyError(
            "no quasi_identifiers were given",
            hint="pass quasi_identifiers= or policy=, or connect a schema whose features are tagged",
        )
    if "k" not in known and "k" not in later:
        raise PolicyError("k was not given", hint="pass k= or policy=; k=50 is a common start")
    if names_known or "k" in known:
        # Stand-ins for what is not known yet let the rest be checked.
        trial = {"k": 2, "quasi_identifiers": ("##not known yet##",), **known}
        if "quasi_identifiers" not in known:
            trial.pop("categorical", None)
        if schema_given and "sensitive" not in known:
            trial["sensitive"] = ("##not known yet either##",)
        AnonymizationPolicy.from_fields(trial)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, (list, tuple, set, frozenset)) else value


def _whole(number: Any) -> Any:
    """Kubeflow hands numbers over as floats."""
    return int(number) if isinstance(number, float) and number.is_integer() else number
