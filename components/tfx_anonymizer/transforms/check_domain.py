"""Looks over a synthetic split by the schema alone, knowing nothing of how it was made."""

import dataclasses
from collections import Counter
from collections.abc import Iterable
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc

from tfx_anonymizer.transforms.columns import is_empty, single_values


@dataclasses.dataclass(frozen=True)
class Looked:
    """What was found.

    Attributes:
        rows: Number of rows.
        weight: Sum of the weights; the number of rows, where there are none.
        outside: Values outside the schema's domain, or of a feature that it does not have, by column.
        missing: Missing values by column.
    """

    rows: int = 0
    weight: float = 0.0
    outside: Counter[str] = dataclasses.field(default_factory=Counter)
    missing: Counter[str] = dataclasses.field(default_factory=Counter)

    def __add__(self, other: "Looked") -> "Looked":
        """Puts other rows to these."""
        return Looked(
            self.rows + other.rows,
            self.weight + other.weight,
            self.outside + other.outside,
            self.missing + other.missing,
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns JSON-ready facts."""
        return {**dataclasses.asdict(self), "outside": dict(self.outside), "missing": dict(self.missing)}


class CheckDomain(beam.PTransform):  # type: ignore[misc]
    """Looks over batches: a PCollection of `pa.RecordBatch` becomes one `Looked`.

    Args:
        schema: A serialized TFMD schema.
        weight_key: The column of weights, which the schema need not have.

    Example:
        >>> import operator
        >>> from google.protobuf import text_format
        >>> from tensorflow_metadata.proto.v0 import schema_pb2
        >>> text = 'feature { name: "age" type: INT int_domain { min: 0 max: 99 } }'
        >>> schema = text_format.Parse(text, schema_pb2.Schema()).SerializeToString()
        >>> batch = pa.RecordBatch.from_pydict({"age": [[30], [100], []], "name": [[b"x"], None, None]})
        >>> with beam.Pipeline(runner="apache_beam.runners.portability.fn_api_runner.FnApiRunner") as p:
        ...     found = p | beam.Create([batch]) | CheckDomain(schema)
        ...     _ = found | beam.Map(operator.attrgetter("outside")) | beam.Map(dict) | beam.Map(print)
        {'age': 1, 'name': 1}
    """

    def __init__(self, schema: bytes, weight_key: str | None = None) -> None:
        super().__init__()
        self._schema = schema
        self._weight_key = weight_key

    def expand(self, batches: beam.PCollection[pa.RecordBatch]) -> beam.PCollection[Looked]:
        """Applies the transform."""
        looked = batches | "Look" >> beam.Map(look, self._schema, self._weight_key)
        return looked | "Add" >> beam.CombineGlobally(_sum)


def look(batch: pa.RecordBatch, schema: bytes, weight_key: str | None = None) -> Looked:
    """Looks over one batch."""
    from tensorflow_metadata.proto.v0 import schema_pb2

    proto = schema_pb2.Schema.FromString(schema)
    features = {feature.name: feature for feature in proto.feature}
    outside: Counter[str] = Counter()
    missing: Counter[str] = Counter()
    weight = float(batch.num_rows)
    for name in batch.schema.names:
        values = single_values(batch.column(batch.schema.get_field_index(name)), name)
        if name == weight_key:
            weight = float(pc.sum(values).as_py() or 0.0)
            continue
        missing[name] += values.null_count
        if not is_empty(values.type):
            outside[name] += _outside(values.drop_null(), features.get(name), proto)
    return Looked(batch.num_rows, weight, +outside, +missing)


def _outside(values: pa.Array, feature: Any | None, schema: Any) -> int:
    """Counts values that a feature's domain does not have."""
    if feature is None:
        return len(values)
    kind = feature.WhichOneof("domain_info")
    if kind in ("int_domain", "float_domain"):
        domain = getattr(feature, kind)
        low = pc.less(values, pa.scalar(domain.min, values.type)) if domain.HasField("min") else None
        high = pc.greater(values, pa.scalar(domain.max, values.type)) if domain.HasField("max") else None
        return sum(int(pc.sum(found).as_py() or 0) for found in (low, high) if found is not None)
    if kind in ("string_domain", "domain"):
        allowed = list(feature.string_domain.value)
        if kind == "domain":
            allowed = [v for domain in schema.string_domain if domain.name == feature.domain for v in domain.value]
        known = pc.is_in(values, value_set=pa.array([value.encode() for value in allowed], values.type))
        return len(values) - int(pc.sum(known).as_py() or 0)
    return 0


def _sum(parts: Iterable[Looked]) -> Looked:
    total = Looked()
    for part in parts:
        total = total + part
    return total
