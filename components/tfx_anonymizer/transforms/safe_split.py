"""A safe release of one split by a generalization of another, as Beam runs it: both are held by one worker."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import apache_beam as beam
import pyarrow as pa

from tfx_anonymizer.differential_privacy.safe_release import SafeAnonymizer
from tfx_anonymizer.errors import InputDataError
from tfx_anonymizer.guides.estimator_guide import fit_estimator
from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.transforms.columns import (
    column_of,
    empty_lists,
    is_empty,
    project,
    require_columns,
    single_valued_columns,
    to_lists,
    unify,
)
from tfx_anonymizer.transforms.files import to_files
from tfx_anonymizer.transforms.method import Method
from tfx_anonymizer.transforms.refine import FILES, RELEASED
from tfx_anonymizer.transforms.release_order import shuffled_batches

FACTS = "facts"
_GUIDE = "gradient_boosting"


def published_columns(policy: AnonymizationPolicy) -> tuple[str, ...]:
    """Returns what a safe release holds: the quasi-identifiers and the label."""
    return tuple(dict.fromkeys((*policy.quasi_identifiers, *(() if policy.label is None else (policy.label,)))))


class ReleaseSafely(beam.PTransform):  # type: ignore[misc]
    """Releases people by `SafeAnonymizer`.

    Args:
        policy: Roles and k.
        method: How the design split is grouped, and how many rows a worker may hold.
        safety: `budget` and `sampling`.

    Takes PCollections of `pa.RecordBatch` of the design split and of the people, and gives a mapping of PCollections:
        `released`: `pa.RecordBatch`es of the published columns, ordered by their own content;
        `files`: (name, content) of each of the generalization's files;
        `facts`: one element, what the release keeps.
    """

    def __init__(self, policy: AnonymizationPolicy, method: Method, safety: Any) -> None:
        super().__init__()
        self._policy = policy
        self._method = method
        self._safety = safety

    # Beam has no type hint for several named outputs, and would warn of this one.
    @beam.typehints.no_annotations  # type: ignore[misc,untyped-decorator]
    def expand(self, both: tuple[Any, Any]) -> Mapping[str, beam.PCollection[Any]]:
        """Applies the transform."""
        design, people = (beam.pvalue.AsList(batches) for batches in both)
        release = _Release(self._policy, self._method, self._safety)
        found = (
            both[0].pipeline
            | "Once" >> beam.Create([0])
            | "Release" >> beam.ParDo(release, design, people).with_outputs()
        )
        # Who is drawn is drawn anew each time this is run: all that is written must be of one and the same time.
        return {name: found[name] | f"Fix[{name}]" >> beam.Reshuffle() for name in (RELEASED, FILES, FACTS)}


class _Release(beam.DoFn):  # type: ignore[misc]
    def __init__(self, policy: AnonymizationPolicy, method: Method, safety: Any) -> None:
        self._policy = policy
        self._method = method
        self._safety = safety

    def process(
        self, _: int, design: Sequence[pa.RecordBatch], people: Sequence[pa.RecordBatch]
    ) -> Iterator[beam.pvalue.TaggedOutput]:
        policy, method = self._policy, self._method
        tables = [self._table(batches, name) for batches, name in ((design, "design_split"), (people, "splits"))]
        plain = [project(table, self._columns) for table in tables]
        anonymizer = SafeAnonymizer(
            policy.quasi_identifiers,
            budget=self._safety.budget,
            label=policy.label,
            sampling=self._safety.sampling,
            k=policy.k,
            entity_id=policy.entity_id,
            categorical=policy.categorical,
            allow_label_as_quasi_identifier=policy.allow_label_as_quasi_identifier,
            partitioner=method.partitioner,
            representative=method.representative,
            effort=method.effort,
            student=method.student,
            random_state=method.seed,
        )
        anonymizer.fit(plain[0], self._guide(tables[0]))
        found = anonymizer.release(plain[1])
        empty = empty_lists(tables[1], found.columns)
        columns = {}
        for name in found.columns:
            old = column_of(tables[1], name).type
            array = column_of(found.table, name)
            columns[name] = to_lists(array, pa.large_list(array.type) if is_empty(old) else old, empty=name in empty)
        for batch in shuffled_batches(pa.table(columns)):
            yield beam.pvalue.TaggedOutput(RELEASED, batch)
        for file in to_files(anonymizer.generalization, empty).items():
            yield beam.pvalue.TaggedOutput(FILES, file)
        yield beam.pvalue.TaggedOutput(FACTS, found.to_dict())

    @property
    def _columns(self) -> tuple[str, ...]:
        # A direct identifier that is absent already is what is wanted.
        return tuple(dataclasses.replace(self._policy, direct_identifiers=()).columns)

    def _table(self, batches: Sequence[pa.RecordBatch], parameter: str) -> pa.Table:
        rows = sum(batch.num_rows for batch in batches)
        if not 0 < rows <= self._method.max_rows_per_shard:
            raise InputDataError(
                f"the split of {parameter} cannot be released in mode='safe', which holds it whole",
                got="no records" if not rows else "more records than max_rows_per_shard",
                allowed=f"1 to {self._method.max_rows_per_shard} records",
            )
        table = unify(batches)
        require_columns(self._columns, table.column_names, parameter)
        return table

    def _guide(self, design: pa.Table) -> Any:
        """A model of the design split alone says who is alike; one that knew the others would void the theorem."""
        policy = self._policy
        if policy.label is None:
            return None
        known = single_valued_columns(design)
        leave_out = {*policy.direct_identifiers, *([policy.entity_id] if policy.entity_id else [])}
        guide = fit_estimator(
            known, policy.label, _GUIDE, leave_out=leave_out, categorical=policy.categorical, seed=self._method.seed
        )
        return guide.predict(known)
