"""Reading and writing examples as Arrow batches, in the payload formats of TFX.

Example:
    >>> import operator, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> people = pa.RecordBatch.from_pydict({"age": [[30], [31], None], "tags": [[b"a", b"b"], [], [b"c"]]})
    >>> source = ExamplesSource((f"{folder.name}/data*",), "FORMAT_TF_EXAMPLE")
    >>> with beam.Pipeline(runner="apache_beam.runners.portability.fn_api_runner.FnApiRunner") as p:
    ...     _ = p | beam.Create([people]) | WriteExamples(f"{folder.name}/data", source)
    >>> with beam.Pipeline(runner="apache_beam.runners.portability.fn_api_runner.FnApiRunner") as p:
    ...     names = p | ReadExamples(source) | beam.FlatMap(operator.attrgetter("schema.names"))
    ...     _ = names | beam.combiners.Count.PerElement() | beam.Map(print)
    ('age', 3)
    ('tags', 3)
    >>> folder.cleanup()
"""

import dataclasses
from collections.abc import Iterator

import apache_beam as beam
import pyarrow as pa

from tfx_anonymizer.errors import InputDataError
from tfx_anonymizer.transforms.columns import (
    RECORD_COLUMN,
    drop_columns,
)
from tfx_anonymizer.transforms.record_files import WriteRecords
from tfx_anonymizer.transforms.sequence_examples import encode_sequence_examples, without_sequences
from tfx_anonymizer.transforms.tf_examples import encode_examples

TF_EXAMPLE = "FORMAT_TF_EXAMPLE"
SEQUENCE_EXAMPLE = "FORMAT_TF_SEQUENCE_EXAMPLE"
PARQUET = "FORMAT_PARQUET"
PAYLOAD_FORMATS = (TF_EXAMPLE, SEQUENCE_EXAMPLE, PARQUET)
_BATCH_ROWS = 1000


@dataclasses.dataclass(frozen=True)
class ExamplesSource:
    """Where the examples of one split lie, and in which form.

    Attributes:
        patterns: File patterns.
        payload_format: One of `PAYLOAD_FORMATS`, as TFX names them.

    Raises:
        InputDataError: If the payload format is not supported.
    """

    patterns: tuple[str, ...]
    payload_format: str = TF_EXAMPLE

    def __post_init__(self) -> None:
        if self.payload_format not in PAYLOAD_FORMATS:
            raise InputDataError(
                "the examples' payload format is not supported",
                got=self.payload_format,
                allowed=", ".join(PAYLOAD_FORMATS),
                hint="let ExampleGen write tf.Examples",
            )


class ReadExamples(beam.PTransform):  # type: ignore[misc]
    """Reads examples as `pa.RecordBatch`es of at most a thousand rows or so.

    Args:
        source: What to read.
        with_records: Also give each row as a serialized tf.Example, in the column `RECORD_COLUMN`.

    The columns are as TFXIO gives them: lists for tf.Examples (missing as null), plain values for Parquet.
    SequenceExamples have their context as such columns, and always carry themselves in `RECORD_COLUMN`.
    """

    def __init__(self, source: ExamplesSource, *, with_records: bool = False) -> None:
        super().__init__()
        self._source = source
        self._with_records = with_records

    def expand(self, begin: beam.pvalue.PBegin) -> beam.PCollection[pa.RecordBatch]:
        """Applies the transform."""
        patterns = list(self._source.patterns)
        if self._source.payload_format == PARQUET:
            tables = [
                begin | f"Parquet[{i}]" >> beam.io.ReadFromParquetBatched(pattern) for i, pattern in enumerate(patterns)
            ]
            batches = tables | beam.Flatten() | "Batches" >> beam.FlatMap(_table_batches)
            return batches | "Encode" >> beam.Map(_with_encoded_records) if self._with_records else batches
        from tfx_bsl.public import tfxio

        sequence = self._source.payload_format == SEQUENCE_EXAMPLE
        reader = tfxio.TFSequenceExampleRecord if sequence else tfxio.TFExampleRecord
        source = reader(
            file_pattern=patterns,
            raw_record_column_name=RECORD_COLUMN if self._with_records or sequence else None,
            telemetry_descriptors=["tfx_anonymizer"],
        )
        batches = begin | "Records" >> source.BeamSource()
        return batches | "ContextOnly" >> beam.Map(without_sequences) if sequence else batches


class WriteExamples(beam.PTransform):  # type: ignore[misc]
    """Writes `pa.RecordBatch`es as examples of the form they were read in; internal columns are left out.

    Args:
        prefix: Path and beginning of the files' names.
        source: What was read; its payload format is kept.
        arrow_schema: For Parquet, the schema of the files.
        drop_sequences: For SequenceExamples, sequence features that are left out.

    Files appear under their names only once they are complete: Beam writes aside and renames. A runner that repeats a
    stage may leave an empty folder `beam-temp-…` beside them.
    """

    def __init__(
        self,
        prefix: str,
        source: ExamplesSource,
        *,
        arrow_schema: pa.Schema | None = None,
        drop_sequences: tuple[str, ...] = (),
    ) -> None:
        super().__init__()
        self._drop_sequences = drop_sequences
        self._prefix = prefix
        self._source = source
        self._arrow_schema = arrow_schema

    def expand(self, batches: beam.PCollection[pa.RecordBatch]) -> beam.pvalue.PDone:
        """Applies the transform."""
        if self._source.payload_format == PARQUET:
            tables = batches | "Tables" >> beam.Map(_to_schema, self._arrow_schema)
            return tables | beam.io.WriteToParquetBatched(
                self._prefix, self._arrow_schema, codec="snappy", file_name_suffix=".parquet"
            )
        if self._source.payload_format == SEQUENCE_EXAMPLE:
            records = batches | "Encode" >> beam.Map(_sequence_examples, self._drop_sequences)
        else:
            records = batches | "Encode" >> beam.Map(encode_examples)
        return records | "Records" >> WriteRecords(self._prefix)


class DropColumns(beam.PTransform):  # type: ignore[misc]
    """Drops columns by name from every batch that has them."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__()
        self._names = names

    def expand(self, batches: beam.PCollection[pa.RecordBatch]) -> beam.PCollection[pa.RecordBatch]:
        """Applies the transform."""
        return batches | "Drop" >> beam.Map(drop_columns, self._names)


def _sequence_examples(batch: pa.RecordBatch, drop: tuple[str, ...]) -> list[bytes]:
    return list(encode_sequence_examples(batch, drop))


def _with_encoded_records(batch: pa.RecordBatch) -> pa.RecordBatch:
    records = pa.array(encode_examples(batch), type=pa.large_binary())
    names = [*batch.schema.names, RECORD_COLUMN]
    return pa.RecordBatch.from_arrays([*batch.columns, records], names=names)


def _table_batches(table: pa.Table) -> Iterator[pa.RecordBatch]:
    for start in range(0, table.num_rows, _BATCH_ROWS):
        index = pa.array(range(start, min(start + _BATCH_ROWS, table.num_rows)))
        # `take` copies; a slice would travel with the whole table's buffers.
        yield from table.take(index).combine_chunks().to_batches()


def _to_schema(batch: pa.RecordBatch, schema: pa.Schema) -> pa.Table:
    columns = []
    for field in schema:
        position = batch.schema.get_field_index(field.name)
        columns.append(
            batch.column(position).cast(field.type) if position >= 0 else pa.nulls(batch.num_rows, field.type)
        )
    return pa.Table.from_arrays(columns, schema=schema)
