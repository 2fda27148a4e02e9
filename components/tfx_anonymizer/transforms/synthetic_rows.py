"""Synthetic rows as batches, drawn from noisy statistics by as many workers as there are.

Nothing here sees a record of the input, so nothing here spends anything.
"""

import dataclasses
from collections.abc import Iterator
from typing import Any

import apache_beam as beam
import pyarrow as pa

from tfx_anonymizer.differential_privacy.coins import generator
from tfx_anonymizer.differential_privacy.decoding import draw_rows
from tfx_anonymizer.differential_privacy.layout import Layout
from tfx_anonymizer.differential_privacy.plan import Plan
from tfx_anonymizer.differential_privacy.released import Prototypes, Released
from tfx_anonymizer.differential_privacy.synthesis import kinds_of
from tfx_anonymizer.transforms.columns import to_lists

ROWS, SUMMARY = "rows", "summary"
_BATCH_ROWS = 1000


@dataclasses.dataclass(frozen=True)
class Wanted:
    """What rows are to be made.

    Attributes:
        rows: How many; None: the noisy number of rows.
        weight_key: The column of weights; None: no such column.
        points: How many inducing points to reduce the prototypes to; None: not.
        random_state: Of what draws.
    """

    rows: int | None = None
    weight_key: str | None = None
    points: int | None = None
    random_state: int = 0


class SyntheticRows(beam.PTransform):  # type: ignore[misc]
    """Makes rows: a PCollection of one `Released` becomes `ROWS`, of `pa.RecordBatch`, and `SUMMARY`, of one dict.

    Args:
        layout: What columns there are.
        plan: How noisy the statistics are.
        wanted: What rows.
    """

    def __init__(self, layout: Layout, plan: Plan, wanted: Wanted) -> None:
        super().__init__()
        self._layout = layout
        self._plan = plan
        self._wanted = wanted

    def expand(self, released: beam.PCollection[Released]) -> dict[str, beam.PCollection[Any]]:
        """Applies the transform."""
        made = released | "Kinds" >> beam.Map(_kinds, self._layout, self._plan, self._wanted)
        kinds = made | "First" >> beam.Map(lambda pair: pair[0])
        summary = made | "Second" >> beam.Map(lambda pair: pair[1])
        rows = (
            summary
            | "Deal" >> beam.FlatMap(_deal)
            | "Spread" >> beam.Reshuffle()
            | "Draw" >> beam.Map(_draw, beam.pvalue.AsSingleton(kinds), self._layout, self._wanted)
        )
        return {ROWS: rows, SUMMARY: summary}


def _kinds(released: Released, layout: Layout, plan: Plan, wanted: Wanted) -> tuple[Prototypes, dict[str, Any]]:
    kinds = kinds_of(released, layout, plan, wanted.points, generator(wanted.random_state, 2))
    total = float(kinds.weights.sum())
    rows = wanted.rows or max(1, round(released.total))
    summary = {
        "rows": rows,
        "noisy_rows": max(0, round(released.total)),
        "cells": layout.cells,
        "suppressed_cells": kinds.suppressed,
        "prototypes": len(kinds.weights),
        "weight": total / rows,
    }
    return kinds, summary


def _deal(summary: dict[str, Any]) -> Iterator[tuple[int, int, float]]:
    for number, start in enumerate(range(0, summary["rows"], _BATCH_ROWS)):
        yield number, min(_BATCH_ROWS, summary["rows"] - start), summary["weight"]


def _draw(part: tuple[int, int, float], kinds: Prototypes, layout: Layout, wanted: Wanted) -> pa.RecordBatch:
    number, rows, weight = part
    # A stream of its own for each batch, so that a batch that is drawn again is the same.
    random = generator(wanted.random_state, 3, number)
    table = draw_rows(kinds, layout, rows, random, weight_key=wanted.weight_key, weight=weight)
    columns = [_as_lists(table.column(name), name in layout.domain.present) for name in table.column_names]
    return pa.RecordBatch.from_arrays(columns, names=table.column_names)


def _as_lists(column: pa.ChunkedArray, present: bool) -> pa.Array:
    array = pa.concat_arrays(column.chunks)
    return to_lists(array, pa.large_list(array.type), empty=present)
