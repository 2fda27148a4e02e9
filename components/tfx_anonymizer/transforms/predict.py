"""The guide's predictions, batch by batch."""

import apache_beam as beam
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from threadpoolctl import threadpool_limits

from tfx_anonymizer.errors import GuideError
from tfx_anonymizer.guides import GuideLocation
from tfx_anonymizer.transforms.columns import GUIDE_COLUMN, RECORD_COLUMN, column_of, is_list, project

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
        return batches | "Predict" >> beam.Map(_predict, self._location, self._keep_records, self._as_published)


def guide_matrix(table: pa.Table | pa.RecordBatch) -> npt.NDArray[np.float64]:
    """Returns the predictions in a table's `GUIDE_COLUMN`, float64, shape (n, d)."""
    lists = column_of(table, GUIDE_COLUMN)
    flat = np.asarray(lists.flatten() if is_list(lists.type) else lists, dtype=np.float64)
    if len(lists) and len(flat) % len(lists):
        raise GuideError("the guide gave predictions of different lengths")
    return flat.reshape(len(lists), -1)


def _predict(
    batch: pa.RecordBatch, location: GuideLocation, keep_records: bool, as_published: bool = False
) -> pa.RecordBatch:
    guide = location.load()
    names = list(batch.schema.names)
    records = None
    if guide.needs_records:
        if RECORD_COLUMN not in names:
            raise GuideError("the guide needs serialized examples, but they were not read")
        records = [r[0] if isinstance(r, list) else r for r in column_of(batch, RECORD_COLUMN).to_pylist()]
    # A column of row numbers keeps the number of rows where the guide wants no columns, or the batch has none of them.
    wanted = project(batch, guide.columns)
    table = pa.table({**dict(zip(wanted.column_names, wanted.columns, strict=True)), _ROWS: np.arange(batch.num_rows)})
    answer = guide.predict_new if as_published else guide.predict
    # Beam has a worker for each core; threads within one would wait for each other, and cost several times as much.
    with threadpool_limits(limits=1):
        found = np.asarray(answer(table, records), dtype=np.float64).reshape(batch.num_rows, -1)
    offsets = np.arange(0, found.size + 1, max(found.shape[1], 1), dtype=np.int64)
    predictions = pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(found.ravel()))
    if not keep_records:
        names = [name for name in names if name != RECORD_COLUMN]
    columns = [column_of(batch, name) for name in names]
    return pa.RecordBatch.from_arrays([*columns, predictions], names=[*names, GUIDE_COLUMN])
