"""Placing rows of another split by the generalization that one split was fitted with."""

import collections
from collections.abc import Iterator, Mapping
from typing import Any

import apache_beam as beam
import numpy as np
import pyarrow as pa

from tfx_anonymizer.core.shards.release import AnyGeneralization, from_zip, shard_file
from tfx_anonymizer.core.shards.router import Router
from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.transforms.columns import column_of, drop_columns, replace, unify
from tfx_anonymizer.transforms.files import Files, from_files, router_of
from tfx_anonymizer.transforms.release_order import ShuffleRows
from tfx_anonymizer.transforms.top_partition import routing_columns, typed

# Generalizations of so many shards are kept at hand by a worker.
_AT_HAND = 64


class ApplyGeneralization(beam.PTransform):  # type: ignore[misc]
    """Gives rows of another split the quasi-identifiers of the classes they fall into.

    Args:
        policy: Roles.
        files: A PCollection of (name, content), the generalization as `Anonymize` gives it. Of one that was made in
            shards, a worker reads those whose rows it meets.

    A PCollection of `pa.RecordBatch` becomes one of the same columns less direct identifiers. How many rows of *this*
    split share a combination is not controlled.

    Example:
        >>> import operator
        >>> from tfx_anonymizer.transforms.anonymize import Anonymize
        >>> from tfx_anonymizer.transforms.count_classes import CountClasses
        >>> from tfx_anonymizer.transforms.method import Method
        >>> people = pa.RecordBatch.from_pydict({"age": [[20], [21], [30], [31]], "ill": [[0], [0], [1], [1]]})
        >>> other = pa.RecordBatch.from_pydict({"age": [[19], [25], [99]]})
        >>> policy = AnonymizationPolicy(("age",), 2, label="ill")
        >>> with beam.Pipeline(runner="apache_beam.runners.portability.fn_api_runner.FnApiRunner") as p:
        ...     train = p | "Train" >> beam.Create([people]) | Anonymize(policy, Method("guided_tree"), "train")
        ...     placed = p | "Other" >> beam.Create([other]) | ApplyGeneralization(policy, train["files"])
        ...     counted = placed | CountClasses(("age",))
        ...     _ = counted | beam.Map(operator.attrgetter("rows", "classes")) | beam.Map(print)
        (3, 2)
    """

    def __init__(self, policy: AnonymizationPolicy, files: beam.PCollection[tuple[str, bytes]]) -> None:
        super().__init__()
        self._policy = policy
        self._files = files

    def expand(self, batches: beam.PCollection[pa.RecordBatch]) -> beam.PCollection[pa.RecordBatch]:
        """Applies the transform."""
        # Runners look into a map only if they can tell its keys, which a stage of several outputs does not say.
        named = tuple[str, bytes]
        whole = self._files | "NotOfShards" >> beam.Filter(_is_of_none).with_output_types(named)
        of_shards = self._files | "OfShards" >> beam.Filter(_is_of_shard).with_output_types(named)
        applied = batches | "Apply" >> beam.ParDo(
            _Apply(self._policy), beam.pvalue.AsDict(whole), beam.pvalue.AsMultiMap(of_shards)
        )
        return applied | "Shuffle" >> ShuffleRows()


class _Apply(beam.DoFn):  # type: ignore[misc]
    def __init__(self, policy: AnonymizationPolicy) -> None:
        self._policy = policy
        self._fitted: tuple[AnyGeneralization | None, Router | None, frozenset[str]] | None = None
        self._at_hand: collections.OrderedDict[int, AnyGeneralization] = collections.OrderedDict()

    def process(self, batch: pa.RecordBatch, files: Files, shards: Mapping[str, Any]) -> Iterator[pa.RecordBatch]:
        if self._fitted is None:
            self._fitted = _read(files)
        whole, router, empty = self._fitted
        table = unify([batch])
        if whole is not None:
            values = _values(whole, table)
        else:
            assert router is not None
            plain = routing_columns(table, router)
            shard_of = router.assign(plain)
            rows, parts = [], []
            for shard in np.unique(shard_of):
                rows.append(np.flatnonzero(shard_of == shard))
                parts.append(pa.table(_values(self._shard(int(shard), shards), plain.take(pa.array(rows[-1])))))
            in_order = pa.array(np.argsort(np.concatenate(rows)))
            released = pa.concat_tables(parts).take(in_order)
            values = {name: column_of(released, name) for name in released.column_names}
        released = drop_columns(replace(table, values, empty), self._policy.direct_identifiers)
        yield from released.combine_chunks().to_batches()

    def _shard(self, number: int, shards: Mapping[str, Any]) -> AnyGeneralization:
        if number in self._at_hand:
            self._at_hand.move_to_end(number)
            return self._at_hand[number]
        (data,) = shards[shard_file(number)]
        self._at_hand[number] = from_zip(data)
        if len(self._at_hand) > _AT_HAND:
            self._at_hand.popitem(last=False)
        return self._at_hand[number]


def _read(files: Files) -> tuple[AnyGeneralization | None, Router | None, frozenset[str]]:
    router = router_of(files)
    if router is not None:
        return None, *router
    generalization, empty = from_files(files)
    return generalization, None, empty


def _values(generalization: AnyGeneralization, table: pa.Table) -> dict[str, pa.Array]:
    types = dict(generalization.types())
    rewritten = generalization.apply(typed(table, types, types))
    return {name: column_of(rewritten, name) for name in rewritten.column_names}


def _is_of_none(file: tuple[str, bytes]) -> bool:
    return not _is_of_shard(file)


def _is_of_shard(file: tuple[str, bytes]) -> bool:
    return file[0].endswith(".zip")
