"""The bounded sample: the same rows in any order and batching."""

import pyarrow as pa

from tests.support.beam import batches_of, run
from tests.support.people import make_people
from tfx_anonymizer.transforms.sample import SampleRows


def sample(table, rows, size, **options):
    (found,) = run(batches_of(table, rows), lambda elements: elements | SampleRows(size, **options))
    return sorted(map(repr, found.select(sorted(found.column_names)).to_pylist()))


def test_order_and_batches_do_not_matter():
    table = pa.Table.from_pandas(make_people(300), preserve_index=False)
    backwards = table.take(pa.array(list(range(300))[::-1]))
    first = sample(table, 300, 40)
    assert len(first) == 40
    assert sample(backwards, 17, 40) == first
    assert sample(table, 300, 40, seed=1) != first


def test_small_and_empty():
    table = pa.Table.from_pandas(make_people(30), preserve_index=False)
    assert len(sample(table, 7, 1000)) == 30
    assert "name" not in sample(table, 7, 5, leave_out=("name",))[0]
    (nothing,) = run([], lambda elements: elements | SampleRows(5))
    assert nothing.num_rows == 0
