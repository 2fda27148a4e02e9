"""From examples to their k-anonymous release, in memory: one worker holds the split, the core does the rest.

The rows do not come out in the order they came in: order is information.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import apache_beam as beam
import pyarrow as pa

from tfx_anonymizer.core import AccuracyGuidedAnonymizer
from tfx_anonymizer.core.selection import Candidate, candidates, depends_on_order
from tfx_anonymizer.errors import InputDataError
from tfx_anonymizer.hashing import in_content_order
from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.report.release import compare_column
from tfx_anonymizer.transforms.columns import (
    GUIDE_COLUMN,
    column_of,
    drop_columns,
    empty_lists,
    project,
    replace,
    require_columns,
    single_valued_columns,
    unify,
)
from tfx_anonymizer.transforms.files import to_files
from tfx_anonymizer.transforms.predict import guide_matrix
from tfx_anonymizer.transforms.release_order import shuffled_batches

RELEASED, FILES, SUMMARY = "released", "files", "summary"


@dataclasses.dataclass(frozen=True)
class Method:
    """How rows are grouped and what a class releases; see `core.AccuracyGuidedAnonymizer`."""

    partitioner: str = "auto"
    representative: str = "auto"
    effort: str = "auto"
    student: str = "auto"
    seed: int = 0

    def candidates(self, rows: int) -> tuple[Candidate, ...]:
        """Returns the ways that are tried on so many rows."""
        return candidates(self.partitioner, self.representative, self.effort, rows)


class Anonymize(beam.PTransform):  # type: ignore[misc]
    """Makes the rows of one split k-anonymous.

    Args:
        policy: Roles and guarantee.
        method: How rows are grouped.
        split: The split's name, for errors.

    Takes a PCollection of `pa.RecordBatch`, with `GUIDE_COLUMN` if a model guides, and gives a mapping of PCollections:
        `released`: `pa.RecordBatch`es of the same columns less direct identifiers and the guide;
        `files`: one element, the generalization as file contents by name;
        `summary`: one element, JSON-ready facts about the grouping; no value of any record.
    Nothing is released unless everything can be.
    """

    def __init__(self, policy: AnonymizationPolicy, method: Method, split: str) -> None:
        super().__init__()
        self._policy = policy
        self._method = method
        self._split = split

    # Beam has no type hint for several named outputs, and would warn of this one.
    @beam.typehints.no_annotations  # type: ignore[misc,untyped-decorator]
    def expand(self, batches: beam.PCollection[pa.RecordBatch]) -> Mapping[str, beam.PCollection[Any]]:
        """Applies the transform."""
        # The start element makes an empty split come through, to be refused by name.
        start = batches.pipeline | "Start" >> beam.Create([(0, None)])
        keyed = batches | "OneKey" >> beam.Map(lambda batch: (0, batch))
        outputs = (
            (keyed, start)
            | beam.Flatten()
            | "Gather" >> beam.GroupByKey()
            | "Group" >> beam.ParDo(_AnonymizeAll(self._policy, self._method, self._split)).with_outputs()
        )
        return {name: outputs[name] for name in (RELEASED, FILES, SUMMARY)}


class _AnonymizeAll(beam.DoFn):  # type: ignore[misc]
    def __init__(self, policy: AnonymizationPolicy, method: Method, split: str) -> None:
        self._policy = policy
        self._method = method
        self._split = split

    def process(self, element: tuple[int, Iterable[pa.RecordBatch | None]]) -> Iterator[beam.pvalue.TaggedOutput]:
        batches = [batch for batch in element[1] if batch is not None]
        if not any(batch.num_rows for batch in batches):
            raise InputDataError(f"split {self._split!r} holds no examples")
        table = unify(batches)
        del batches
        if self._policy.max_suppressed or depends_on_order(self._method.candidates(table.num_rows)):
            # By every feature, for grouping sees only those that have a role.
            table = in_content_order(table)
        empty = empty_lists(table, self._policy.quasi_identifiers)
        released, anonymizer, summary = anonymize_table(table, self._policy, self._method)
        for batch in shuffled_batches(released):
            yield beam.pvalue.TaggedOutput(RELEASED, batch)
        yield beam.pvalue.TaggedOutput(FILES, to_files(anonymizer.generalization_, empty))
        yield beam.pvalue.TaggedOutput(SUMMARY, summary)


def anonymize_table(
    table: pa.Table, policy: AnonymizationPolicy, method: Method
) -> tuple[pa.Table, AccuracyGuidedAnonymizer, dict[str, Any]]:
    """Makes the rows of one table of examples k-anonymous.

    Args:
        table: n rows of list or plain columns, with `GUIDE_COLUMN` if a model guides.
        policy: Roles and guarantee.
        method: How rows are grouped.

    Returns:
        The released table, its rows in the order they came, without outliers if the policy allows to leave any out; the
        fitted anonymizer; a summary.
    """
    present = table.column_names
    for role, names in (("quasi_identifiers", policy.quasi_identifiers), ("sensitive", policy.sensitive)):
        require_columns(names, present, role)
    require_columns([policy.label] if policy.label else [], present, "label")
    require_columns([policy.entity_id] if policy.entity_id else [], present, "entity_id")
    # A direct identifier that is absent already is what is wanted.
    policy_here = dataclasses.replace(policy, direct_identifiers=())
    plain = project(table, policy_here.columns)
    if len(method.candidates(table.num_rows)) > 1:
        # The student learns from what the Trainer will, the columns without a role among them.
        for name, column in _others(table, policy).items():
            plain = plain.append_column(name, column)
    guide = guide_matrix(table) if GUIDE_COLUMN in present else None
    anonymizer = AccuracyGuidedAnonymizer.from_policy(
        policy_here,
        partitioner=method.partitioner,
        representative=method.representative,
        effort=method.effort,
        student=method.student,
        random_state=method.seed,
    )
    rewritten = anonymizer.fit_transform(plain, guide)
    rows = table.num_rows
    if rewritten.num_rows < rows:
        kept = pa.array(anonymizer.kept_)
        table, plain = table.filter(kept), plain.filter(kept)
    summary = {
        "rows": rows,
        "suppressed": rows - table.num_rows,
        "classes": len(anonymizer.class_sizes_),
        "largest_class": int(anonymizer.class_sizes_.max()),
        "smallest_class": int(anonymizer.class_sizes_.min()),
        "guide": "model" if guide is not None else ("label" if policy.label else "none"),
        "partitioner": anonymizer.candidate_.partitioner,
        "representative": anonymizer.candidate_.representative,
        "attributes": {
            name: compare_column(column_of(plain, name), column_of(rewritten, name))
            for name in policy.quasi_identifiers
        },
    }
    values = {name: column_of(rewritten, name) for name in policy.quasi_identifiers}
    released = replace(table, values, empty_lists(table, values))
    return drop_columns(released, {*policy.direct_identifiers, GUIDE_COLUMN}), anonymizer, summary


def _others(table: pa.Table, policy: AnonymizationPolicy) -> dict[str, pa.Array]:
    """Returns the single-valued columns that a policy does not name."""
    found = single_valued_columns(table)
    return {name: column_of(found, name) for name in found.column_names if name not in policy.columns}
