"""Examples as codes in a public domain, and each person's rows bounded.

Example:
    >>> import apache_beam as beam, pyarrow as pa
    >>> from tfx_anonymizer.differential_privacy.attributes import Categorical
    >>> from tfx_anonymizer.differential_privacy.domain import Domain
    >>> from tfx_anonymizer.differential_privacy.plan import Design
    >>> domain = Domain((Categorical("city", ("Ulm", "Bonn")),))
    >>> layout = Layout(domain, Design("class_wise_mixing"), entity_id="who")
    >>> batch = pa.RecordBatch.from_pydict({"who": [[1], [1], [2]], "city": [[b"Ulm"], [b"Ulm"], [b"Bonn"]]})
    >>> with beam.Pipeline(runner="apache_beam.runners.portability.fn_api_runner.FnApiRunner") as p:
    ...     coded = p | beam.Create([batch, batch]) | CodePeople(layout)
    ...     _ = coded | beam.Map(len) | beam.CombineGlobally(sum) | beam.Map(print)
    2
"""

from collections.abc import Iterable, Iterator

import apache_beam as beam
import numpy as np
import pyarrow as pa

from tfx_anonymizer.differential_privacy.layout import Layout
from tfx_anonymizer.differential_privacy.people import Coded, joined
from tfx_anonymizer.transforms.columns import project
from tfx_anonymizer.transforms.packing import LargerBatches

# People are dealt to so many parts by hash; a worker holds the codes of one part at a time.
_PARTS = np.uint64(256)


class CodePeople(beam.PTransform):  # type: ignore[misc]
    """Codes examples: a PCollection of `pa.RecordBatch` becomes one of `Coded`.

    Where the layout says whose row it is, all rows of a person come in one element, at most so many as the design
    allows, chosen by a hash of their content.

    Args:
        layout: Says what is read and how.
    """

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self._layout = layout

    def expand(self, batches: beam.PCollection[pa.RecordBatch]) -> beam.PCollection[Coded]:
        """Applies the transform."""
        coded = batches | "Join" >> LargerBatches() | "Code" >> beam.Map(_code, self._layout)
        if self._layout.entity_id is None:
            return coded
        most = self._layout.design.rows_per_person
        return (
            coded
            | "Deal" >> beam.FlatMap(_deal, most)
            | "Gather" >> beam.GroupByKey()
            | "Bound" >> beam.Map(_bound, most)
        )


def _code(batch: pa.RecordBatch, layout: Layout) -> Coded:
    names = [*layout.domain.columns, *([layout.entity_id] if layout.entity_id else [])]
    return layout.code(project(batch, dict.fromkeys(names)))


def _deal(coded: Coded, most: int) -> Iterator[tuple[int, Coded]]:
    bounded = coded.bounded(most)
    if bounded.owners is None:
        return
    part_of = bounded.owners % _PARTS
    for part in np.unique(part_of):
        yield int(part), bounded.take(np.flatnonzero(part_of == part))


def _bound(part: tuple[int, Iterable[Coded]], most: int) -> Coded:
    return joined(list(part[1])).bounded(most)
