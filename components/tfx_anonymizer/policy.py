"""Who is who in a table, and what is promised: `AnonymizationPolicy`.

A policy is built from constructor arguments, from JSON, or from the privacy roles in a TFMD schema, where a feature's
`annotation.tag` says `quasi_identifier`, `sensitive`, `direct_identifier`, `entity_id` or `label`. It is checked when
it is built, so a pipeline with a wrong policy fails where it is written and not hours later in a worker.

Example:
    >>> policy = AnonymizationPolicy(quasi_identifiers=("age", "zip"), k=50, label="income")
    >>> AnonymizationPolicy.from_json(policy.to_json()) == policy
    True
"""

from __future__ import annotations

import dataclasses
import fractions
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tfx_anonymizer.bounds import check_k, check_max_suppressed, check_sensitive_bounds
from tfx_anonymizer.errors import PolicyError, unknown_column

if TYPE_CHECKING:
    from tensorflow_metadata.proto.v0 import schema_pb2

ROLE_TAGS = ("quasi_identifier", "sensitive", "direct_identifier", "entity_id", "label")
POLICY_VERSION = 1
_LIST_FIELDS = ("quasi_identifiers", "sensitive", "direct_identifiers", "categorical")


@dataclasses.dataclass(frozen=True)
class AnonymizationPolicy:
    """The privacy roles of a table's columns and the guarantee its release must keep.

    Attributes:
        quasi_identifiers: Columns an outsider may know; every released combination is shared by at least `k`.
        k: Least size of an equivalence class, in rows, or in distinct people when `entity_id` is given. At least 2.
        label: The column a model predicts; never changed.
        entity_id: The column that says whose row it is; `k` then counts distinct people.
        sensitive: Columns that `l` and `t` protect, each by itself; never changed. The label may be one of them.
            Missing is a value like any other.
        l: How diverse every sensitive column is in each class (Machanavajjhala et al. 2007); `diversity` says in what
            sense. An integer of 2 or more; for `entropy` any number above 1.
        t: In each class the distribution of every sensitive column is within this distance of the whole table's
            (Li et al. 2007, t-closeness). Between 0 and 1.
        direct_identifiers: Columns that are dropped, such as names.
        categorical: Quasi-identifiers that hold numbers which are only codes, such as a district's number.
        allow_label_as_quasi_identifier: Says that a label which is also a quasi-identifier is meant.
        diversity: `distinct`: l values or more. `entropy`: the entropy of their shares is at least log l, in whatever
            base, which l equally frequent values just reach. `recursive`: with r1, r2, … the values' frequencies,
            greatest first, r1 < c * (r_l + r_(l+1) + …); being equal is not enough.
        c: The factor of `recursive` diversity; above 0.
        max_suppressed: Share of the rows, outliers, that may be left out of the release; 0 to less than 1.

    Raises:
        PolicyError: If a role is empty, given twice or in conflict with another, or a bound is out of range.
    """

    quasi_identifiers: tuple[str, ...]
    k: int
    label: str | None = None
    entity_id: str | None = None
    sensitive: tuple[str, ...] = ()
    l: float | None = None
    t: float | None = None
    direct_identifiers: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    allow_label_as_quasi_identifier: bool = False
    diversity: str = "distinct"
    c: float | None = None
    max_suppressed: float = 0.0

    def __post_init__(self) -> None:
        for field in _LIST_FIELDS:
            object.__setattr__(self, field, _names(field, getattr(self, field)))
        for field in ("label", "entity_id"):
            _check_optional_name(field, getattr(self, field))
        check_k(self.k)
        object.__setattr__(self, "k", int(self.k))
        self._check_roles()
        check_sensitive_bounds(self.sensitive, l=self.l, t=self.t, diversity=self.diversity, c=self.c)
        check_max_suppressed(self.max_suppressed)

    def _check_roles(self) -> None:
        if not self.quasi_identifiers:
            raise PolicyError(
                "quasi_identifiers is empty",
                allowed="one column name or more",
                hint="name the columns an outsider could know, or tag them 'quasi_identifier' in the schema",
            )
        if self.label in self.quasi_identifiers and not self.allow_label_as_quasi_identifier:
            raise PolicyError(
                f"label {self.label!r} is also in quasi_identifiers, so the label itself would be rewritten",
                hint="drop it from one of them, or say allow_label_as_quasi_identifier=True if that is meant",
            )
        unknown = sorted(set(self.categorical) - set(self.quasi_identifiers))
        if unknown:
            raise unknown_column(unknown[0], "categorical", self.quasi_identifiers)
        exclusive = {
            "quasi_identifiers": self.quasi_identifiers,
            "entity_id": (self.entity_id,) if self.entity_id else (),
            "direct_identifiers": self.direct_identifiers,
            "sensitive": self.sensitive,
        }
        seen: dict[str, str] = {}
        for role, names in exclusive.items():
            for name in names:
                if name in seen:
                    raise PolicyError(
                        f"column {name!r} is named in {seen[name]} and in {role}", allowed="one of the two"
                    )
                seen[name] = role
        if self.label is not None and seen.get(self.label) in ("entity_id", "direct_identifiers"):
            raise PolicyError(f"column {self.label!r} is the label and in {seen[self.label]}", allowed="one of the two")

    @property
    def recursive_l(self) -> int | None:
        """The l of recursive (c, l)-diversity; None if that is not promised."""
        return int(self.l) if self.l is not None and self.diversity == "recursive" else None

    def most_suppressed(self, rows: int) -> int:
        """Returns how many of so many rows may be left out.

        Args:
            rows: The number of rows.

        Example:
            >>> AnonymizationPolicy(("age",), 5, max_suppressed=0.29).most_suppressed(100)
            29
        """
        # Decimals as they are written: 0.29 * 100 is a hair less than 29.
        return int(fractions.Fraction(str(float(self.max_suppressed))) * rows)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column the policy names, each once, in a fixed order."""
        names = [*self.quasi_identifiers, *self.sensitive, *self.direct_identifiers]
        names += [name for name in (self.label, self.entity_id) if name is not None]
        return tuple(dict.fromkeys(names))

    def check_columns(self, present: Iterable[str]) -> None:
        """Checks that a table has every column the policy names.

        Args:
            present: The table's column names.

        Raises:
            ColumnError: If one is absent; the message suggests the closest names.
        """
        names = list(present)
        roles = {
            "quasi_identifiers": self.quasi_identifiers,
            "label": (self.label,) if self.label else (),
            "entity_id": (self.entity_id,) if self.entity_id else (),
            "sensitive": self.sensitive,
            "direct_identifiers": self.direct_identifiers,
        }
        for role, wanted in roles.items():
            for name in wanted:
                if name not in names:
                    raise unknown_column(name, role, names)

    def to_json(self) -> str:
        """Returns the policy as one JSON object with sorted keys; see `schemas/policy.schema.json`."""
        return json.dumps({"policy_version": POLICY_VERSION, **dataclasses.asdict(self)}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> AnonymizationPolicy:
        """Reads what `to_json` returned.

        Args:
            text: A JSON object.

        Raises:
            PolicyError: If the text is no such object, or names a field or version this package does not know.
        """
        try:
            fields = json.loads(text)
        except json.JSONDecodeError as error:
            raise PolicyError("the policy is not JSON", got=f"an error at character {error.pos}") from None
        if not isinstance(fields, dict):
            raise PolicyError("the policy is not a JSON object", got=type(fields).__name__)
        version = fields.pop("policy_version", POLICY_VERSION)
        if version != POLICY_VERSION:
            raise PolicyError("policy_version is not known", got=version, allowed=POLICY_VERSION)
        return cls.from_fields(fields)

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> AnonymizationPolicy:
        """Builds a policy from a mapping.

        Args:
            fields: Values by field; what is absent has its default.

        Raises:
            PolicyError: If a field is not known, or `quasi_identifiers` or `k` is absent, or as the constructor does.
        """
        known = {field.name for field in dataclasses.fields(cls)}
        for name in fields:
            if name not in known:
                raise PolicyError(f"the policy has no field {name!r}", allowed=", ".join(sorted(known)))
        for required in ("quasi_identifiers", "k"):
            if required not in fields:
                raise PolicyError(f"the policy lacks {required!r}")
        return cls(**fields)

    @classmethod
    def from_schema(cls, schema: str | Path | schema_pb2.Schema, k: int, **overrides: Any) -> AnonymizationPolicy:
        """Reads the privacy roles that a TFMD schema's `annotation.tag`s give.

        Args:
            schema: A schema proto, or the path of one in text format.
            k: The guarantee; schemas hold roles, not promises.
            **overrides: Any field of the policy; wins over the schema.

        Returns:
            The policy. An integer feature whose domain says `is_categorical` is treated as a category.

        Raises:
            PolicyError: If no feature is tagged `quasi_identifier`, or a tag is not a known role.
        """
        roles = schema_roles(schema)
        return cls.from_fields({**roles, "k": k, **overrides})


def schema_roles(schema: str | Path | schema_pb2.Schema) -> dict[str, Any]:
    """Collects the policy fields that a TFMD schema's tags give.

    Args:
        schema: A schema proto, or the path of one in text format.

    Returns:
        Policy fields by name; only those that some tag gives.

    Raises:
        PolicyError: If two features claim a role that one alone can have, or a tag is misspelt.
    """
    proto = _read_schema(schema) if isinstance(schema, (str, Path)) else schema
    found: dict[str, list[str]] = {tag: [] for tag in ROLE_TAGS}
    codes = []
    for feature in proto.feature:
        for tag in feature.annotation.tag:
            if tag in found:
                found[tag].append(feature.name)
            elif tag.replace("-", "_").rstrip("s") in ROLE_TAGS:
                raise PolicyError(
                    f"feature {feature.name!r} has a tag that is nearly a privacy role", got=tag, allowed=ROLE_TAGS
                )
        if feature.int_domain.is_categorical:
            codes.append(feature.name)
    for tag in ("label", "entity_id"):
        if len(found[tag]) > 1:
            raise PolicyError(f"more than one feature is tagged {tag!r}", got=", ".join(found[tag]), allowed="one")
    fields: dict[str, Any] = {
        "quasi_identifiers": tuple(found["quasi_identifier"]),
        "sensitive": tuple(found["sensitive"]),
        "direct_identifiers": tuple(found["direct_identifier"]),
        "categorical": tuple(name for name in codes if name in found["quasi_identifier"]),
    }
    for tag in ("label", "entity_id"):
        if found[tag]:
            fields[tag] = found[tag][0]
    return {name: value for name, value in fields.items() if value}


def _read_schema(path: str | Path) -> schema_pb2.Schema:
    from google.protobuf import text_format
    from tensorflow_metadata.proto.v0 import schema_pb2

    try:
        return text_format.Parse(Path(path).read_text(encoding="utf-8"), schema_pb2.Schema())
    except FileNotFoundError:
        raise PolicyError("the schema file does not exist", got=str(path)) from None
    except text_format.ParseError as error:
        raise PolicyError("the schema file is not a TFMD schema in text format", got=f"{path}: {error}") from None


def _names(field: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise PolicyError(f"{field} is not a list of column names", got=repr(value), hint=f"write [{value!r}]")
    names = tuple(value)
    for name in names:
        if not isinstance(name, str) or not name:
            raise PolicyError(f"{field} holds something that is not a column name", got=repr(name), allowed="text")
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise PolicyError(f"{field} names {twice!r} twice")
    return names


def _check_optional_name(field: str, value: object) -> None:
    if value is not None and (not isinstance(value, str) or not value):
        raise PolicyError(f"{field} is not a column name", got=repr(value), allowed="text or None")
