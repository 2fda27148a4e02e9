"""Running transforms on the in-process runner and getting their elements back."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import apache_beam as beam
import cloudpickle
import pyarrow as pa

RUNNER = "apache_beam.runners.portability.fn_api_runner.FnApiRunner"


def batches_of(table: pa.Table, rows: int = 100) -> list[pa.RecordBatch]:
    """Cuts a table into batches of list columns, as TFX hands examples out; missing is null."""
    found = []
    for start in range(0, table.num_rows, rows):
        part = table.slice(start, rows)
        columns = [
            pa.array([None if v is None else [v] for v in part[name].to_pylist()], pa.large_list(part[name].type))
            for name in part.column_names
        ]
        found.append(pa.RecordBatch.from_arrays(columns, names=part.column_names))
    return found


def run(elements: Sequence[Any], build: Callable[[beam.PCollection], Any], args: Sequence[str] = ()) -> Any:
    """Applies `build` to a PCollection of the elements; returns the elements of what it gives (a mapping: by name)."""
    with tempfile.TemporaryDirectory() as folder:
        with beam.Pipeline(argv=[f"--runner={RUNNER}", *args]) as pipeline:
            result = build(pipeline | "Elements" >> beam.Create(list(elements), reshuffle=False))
            named = result if isinstance(result, dict) else {"": result}
            for i, collection in enumerate(named.values()):
                _ = (
                    collection
                    | f"List[{i}]" >> beam.combiners.ToList()
                    | f"Keep[{i}]" >> beam.Map(_keep, str(Path(folder) / str(i)))
                )
        found = {name: cloudpickle.loads((Path(folder) / str(i)).read_bytes()) for i, name in enumerate(named)}
    return found if isinstance(result, dict) else found[""]


def _keep(elements: list[Any], path: str) -> None:
    Path(path).write_bytes(cloudpickle.dumps(elements))
