"""The guide's predictions, batch by batch."""

from collections.abc import Iterator, Sequence
from typing import Any

import apache_beam as beam
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from apache_beam.transforms.window import WindowedValue
from threadpoolctl import threadpool_limits

from tfx_anonymizer.errors import GuideError
from tfx_anonymizer.guides import Guide, GuideLocation
from tfx_anonymizer.transforms.columns import GUIDE_COLUMN, RECORD_COLUMN, column_of, is_list, project, unify

# Beam's batches have a thousand rows; a pipeline of scikit-learn spends more on a call than on a thousand answers.
ROWS_AT_ONCE = 1 << 15
_ROWS = "##tfx_anonymizer.rows##"


class PredictWithGuide(beam.PTransform):  # type: ignore[misc]
    """Adds the guide's predictions to every batch, in the column `GUIDE_COLUMN`: a list of floats a row.

    Args:
        location: Where the guide lies. A guide that needs serialized records needs batches read `with_records=True`.
        keep_records: Whether `RECORD_COLUMN` stays; without it less is shuffled.
        as_published: Whether rows that a built-in estimator learned from are answered by the model that saw them, as
            whoever holds it is answered, and not out of fold.

    A PCollection of `pa.RecordBatch` of n rows becomes one of the same and a column of n lists of float64: class
    probabilities, shape (n, classes), or a number, shape (n, 1).

    Example:
        >>> import pathlib, tempfile
        >>> from tfx_anonymizer.guides.estimator_guide import fit_estimator
        >>> people = pa.table({"age": list(range(20, 60)), "ill": [age > 40 for age in range(20, 60)]})
        >>> folder = tempfile.TemporaryDirectory()
        >>> for name, data in fit_estimator(people, "ill", "logistic_regression").to_files().items():
        ...     _ = (pathlib.Path(folder.name) / name).write_bytes(data)
        >>> batch = pa.RecordBatch.from_pydict({"age": [[20], [59]]})
        >>> with beam.Pipeline(runner="apache_beam.runners.portability.fn_api_runner.FnApiRunner") as p:
        ...     guided = p | beam.Create([batch]) | PredictWithGuide(GuideLocation(folder.name))
        ...     _ = guided | beam.Map(guide_matrix) | beam.Map(np.argmax, axis=1) | beam.Map(print)
        [0 1]
        >>> folder.cleanup()
    """

    def __init__(self, location: GuideLocation, *, keep_records: bool = False, as_published: bool = False) -> None:
        super().__init__()
        self._location = location
        self._keep_records = keep_records
        self._as_published = as_published

    def expand(self, batches: beam.PCollection[pa.RecordBatch]) -> beam.PCollection[pa.RecordBatch]:
        """Applies the transform."""
        return batches | "Predict" >> beam.ParDo(_Predict(self._location, self._keep_records, self._as_published))


def guide_matrix(table: pa.Table | pa.RecordBatch) -> npt.NDArray[np.float64]:
    """Returns the predictions in a table's `GUIDE_COLUMN`, float64, shape (n, d)."""
    lists = column_of(table, GUIDE_COLUMN)
    flat = np.asarray(lists.flatten() if is_list(lists.type) else lists, dtype=np.float64)
    if len(lists) and len(flat) % len(lists):
        raise GuideError("the guide gave predictions of different lengths")
    return flat.reshape(len(lists), -1)


class _Predict(beam.DoFn):  # type: ignore[misc]
    """Holds batches back until there are rows enough to ask about at once: each question has a price of its own.

    What is held keeps its window and time; Beam takes them out of the `WindowedValue`s that this returns.
    """

    def __init__(self, location: GuideLocation, keep_records: bool, as_published: bool) -> None:
        self._location = location
        self._keep_records = keep_records
        self._as_published = as_published
        self._held: list[WindowedValue] = []
        self._rows = 0

    def start_bundle(self) -> None:
        self._held, self._rows = [], 0

    def process(
        self, batch: pa.RecordBatch, time: Any = beam.DoFn.TimestampParam, window: Any = beam.DoFn.WindowParam
    ) -> Iterator[pa.RecordBatch]:
        self._held.append(WindowedValue(batch, time, (window,)))
        self._rows += batch.num_rows
        if self._rows >= ROWS_AT_ONCE:
            yield from self._answered()

    def finish_bundle(self) -> Iterator[pa.RecordBatch]:
        yield from self._answered()

    def _answered(self) -> Iterator[pa.RecordBatch]:
        held, self._held, self._rows = self._held, [], 0
        if not held:
            return
        found = _ask(self._location.load(), [value.value for value in held], self._as_published)
        first = 0
        for value in held:
            rows = value.value.num_rows
            yield value.with_value(_with_answers(value.value, found[first : first + rows], self._keep_records))
            first += rows


def _ask(guide: Guide, batches: Sequence[pa.RecordBatch], as_published: bool) -> npt.NDArray[np.float64]:
    """Returns what the guide says of the rows of all batches, float64, shape (n, d)."""
    tables, records = [], []
    for batch in batches:
        # A column of row numbers keeps the number of rows where the guide wants no columns, or a batch has none.
        wanted = project(batch, guide.columns)
        numbers = np.arange(batch.num_rows)
        tables.append(pa.table({**dict(zip(wanted.column_names, wanted.columns, strict=True)), _ROWS: numbers}))
        if guide.needs_records:
            if RECORD_COLUMN not in batch.schema.names:
                raise GuideError("the guide needs serialized examples, but they were not read")
            records += [r[0] if isinstance(r, list) else r for r in column_of(batch, RECORD_COLUMN).to_pylist()]
    table = unify(tables)
    answer = guide.predict_new if as_published else guide.predict
    # Beam has a worker for each core; threads within one would wait for each other, and cost several times as much.
    with threadpool_limits(limits=1):
        found = answer(table, records if guide.needs_records else None)
    return np.asarray(found, dtype=np.float64).reshape(table.num_rows, -1)


def _with_answers(batch: pa.RecordBatch, found: npt.NDArray[np.float64], keep_records: bool) -> pa.RecordBatch:
    offsets = np.arange(0, found.size + 1, max(found.shape[1], 1), dtype=np.int64)
    predictions = pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(found.ravel()))
    names = [name for name in batch.schema.names if keep_records or name != RECORD_COLUMN]
    columns = [column_of(batch, name) for name in names]
    return pa.RecordBatch.from_arrays([*columns, predictions], names=[*names, GUIDE_COLUMN])
