"""The public domain of a table, read from a TFMD schema: bounds and vocabularies that hold whoever is in the table.

A synthesizer may look at nothing else before noise is added. So a feature whose domain the schema does not say is an
error, never a look at the data.

Example:
    >>> from google.protobuf import text_format
    >>> from tensorflow_metadata.proto.v0 import schema_pb2
    >>> schema = text_format.Parse('''
    ...     feature { name: "age" type: INT int_domain { min: 0 max: 120 } value_count { min: 1 max: 1 } }
    ...     feature { name: "city" type: BYTES string_domain { value: "Ulm" value: "Bonn" } }
    ...     feature { name: "ill" type: INT int_domain { min: 0 max: 1 } value_count { min: 1 max: 1 } }
    ... ''', schema_pb2.Schema())
    >>> domain = Domain.from_schema(schema, label="ill", bins=10)
    >>> [(attribute.name, attribute.size) for attribute in domain.attributes], domain.classes
    ([('age', 10), ('city', 3)], 2)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tfx_anonymizer.differential_privacy.attributes import Attribute, Categorical, Numeric
from tfx_anonymizer.errors import PolicyError, unknown_column

if TYPE_CHECKING:
    from tensorflow_metadata.proto.v0 import schema_pb2

_MOST_CODES = 1000


@dataclasses.dataclass(frozen=True)
class Domain:
    """What may be in a table.

    Attributes:
        attributes: The columns that are synthesized, but for the label.
        label: The column that models learn; its codes are the classes. None if there is none.
        left_out: Columns that are in the schema and written as missing in every row, and their types.
        present: Columns whose missing values are written as features without a value rather than left out.
    """

    attributes: tuple[Attribute, ...]
    label: Attribute | None = None
    left_out: Mapping[str, pa.DataType] = dataclasses.field(default_factory=dict)
    present: frozenset[str] = frozenset()

    @property
    def classes(self) -> int:
        """Number of classes; 1 without a label."""
        return 1 if self.label is None else self.label.size

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns that are read."""
        return tuple(attribute.name for attribute in (*self.attributes, *([self.label] if self.label else [])))

    @classmethod
    def from_schema(
        cls,
        schema: schema_pb2.Schema,
        *,
        label: str | None = None,
        drop: Collection[str] = (),
        leave_out: Collection[str] = (),
        bins: int = 16,
        label_bins: int = 8,
    ) -> Domain:
        """Reads a schema's domains.

        Args:
            schema: A TFMD schema. Numbers need `int_domain` or `float_domain` with `min` and `max`, texts
                `string_domain` or `domain`; an `int_domain` that `is_categorical` lists codes.
            label: The feature that models learn.
            drop: Features that are neither read nor written, such as names.
            leave_out: Features that are not read, and written as missing.
            bins: Into how many ranges a number is cut.
            label_bins: Into how many a label is cut that is a number.

        Raises:
            ColumnError: If a feature is named that the schema does not have.
            PolicyError: If a feature's domain is not said, or is not one that can be listed.
        """
        named = {feature.name: feature for feature in schema.feature}
        _check_names(named, label=[label] if label else [], leave_out=leave_out)
        attributes, wanted = [], None
        for name, feature in named.items():
            if name in drop or name in leave_out:
                continue
            attribute = attribute_of(feature, schema, bins=label_bins if name == label else bins)
            if name == label:
                wanted = attribute
            else:
                attributes.append(attribute)
        if not attributes:
            raise PolicyError("the schema has no feature to synthesize", hint="leave fewer features out")
        present = frozenset(name for name, feature in named.items() if feature.presence.min_fraction >= 1.0)
        left_out = {name: _type_of(named[name]) for name in leave_out if name not in drop}
        return cls(tuple(attributes), wanted, left_out, present)

    def to_dict(self) -> dict[str, Any]:
        """Returns what a report says of it: kinds and sizes by column."""
        found = {}
        for attribute in (*self.attributes, *([self.label] if self.label else [])):
            kind = "category" if isinstance(attribute, Categorical) else "number"
            found[attribute.name] = {"kind": kind, "codes": attribute.size, "may_be_missing": attribute.optional}
        return found


def attribute_of(feature: schema_pb2.Feature, schema: schema_pb2.Schema, *, bins: int) -> Attribute:
    """Reads the domain of one feature.

    Raises:
        PolicyError: If the schema does not say it, or it cannot be listed.
    """
    from tensorflow_metadata.proto.v0 import schema_pb2 as proto

    optional = feature.value_count.min < 1
    kind = feature.WhichOneof("domain_info")
    if kind == "bool_domain":
        domain = feature.bool_domain
        texts = (domain.false_value or "false", domain.true_value or "true")
        return Categorical(feature.name, (0, 1) if feature.type == proto.INT else texts, optional)
    if feature.type == proto.BYTES:
        return Categorical(feature.name, _vocabulary(feature, schema, kind), optional)
    integer = feature.type == proto.INT
    low, high = _bounds(feature, kind, "int_domain" if integer else "float_domain")
    if integer and feature.int_domain.is_categorical:
        if high - low >= _MOST_CODES:
            raise PolicyError(
                f"feature {feature.name!r} has too many codes to list",
                got=f"{int(high - low) + 1} codes",
                allowed=f"at most {_MOST_CODES}",
                hint="narrow its int_domain, or name the feature in leave_out",
            )
        return Categorical(feature.name, tuple(range(int(low), int(high) + 1)), optional)
    return Numeric.between(feature.name, low, high, integer=integer, bins=bins, optional=optional)


def _bounds(feature: schema_pb2.Feature, kind: str | None, wanted: str) -> tuple[float, float]:
    domain: Any = getattr(feature, wanted)
    if kind != wanted or not (domain.HasField("min") and domain.HasField("max")):
        raise PolicyError(
            f"the schema does not say between what bounds feature {feature.name!r} lies",
            allowed=f"{wanted} {{ min: … max: … }} with bounds that are public",
            hint="write what is known of the feature without the data, or name it in leave_out",
        )
    if not domain.min < domain.max or not abs(domain.max - domain.min) < float("inf"):
        raise PolicyError(f"the bounds of feature {feature.name!r} are empty or infinite", allowed="min < max")
    return domain.min, domain.max


def _type_of(feature: schema_pb2.Feature) -> pa.DataType:
    from tensorflow_metadata.proto.v0 import schema_pb2 as proto

    return {proto.INT: pa.int64(), proto.FLOAT: pa.float32()}.get(feature.type, pa.large_binary())


def _vocabulary(feature: schema_pb2.Feature, schema: schema_pb2.Schema, kind: str | None) -> tuple[str, ...]:
    if kind == "domain":
        found = [domain for domain in schema.string_domain if domain.name == feature.domain]
        values = tuple(found[0].value) if found else ()
    else:
        values = tuple(feature.string_domain.value) if kind == "string_domain" else ()
    if not values:
        raise PolicyError(
            f"the schema does not say what values feature {feature.name!r} may have",
            allowed='string_domain { value: "…" } with a vocabulary that is public',
            hint="write what is known of the feature without the data, or name it in leave_out",
        )
    return tuple(dict.fromkeys(values))


def _check_names(named: Iterable[str], **roles: Collection[str]) -> None:
    present = list(named)
    for role, names in roles.items():
        for name in names:
            if name not in present:
                raise unknown_column(name, role, present)
