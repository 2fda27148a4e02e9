"""From examples to their k-anonymous release, whatever their number.

A split of no more rows than a worker may hold is grouped as one table, as `core.AccuracyGuidedAnonymizer` does it. A
larger one is cut into shards by a top tree grown on a sample; every row goes through one shuffle to its shard, and the
same core refines each shard down to classes. How rows were dealt to batches, bundles and workers leaves no trace in the
result. The rows do not come out in the order they came in: order is information.

Example:
    >>> import operator, apache_beam as beam, pyarrow as pa
    >>> from tfx_anonymizer.transforms.count_classes import CountClasses
    >>> people = pa.RecordBatch.from_pydict({"age": [[20 + i] for i in range(8)], "ill": [[i // 4] for i in range(8)]})
    >>> policy = AnonymizationPolicy(("age",), 2, label="ill")
    >>> with beam.Pipeline(runner="apache_beam.runners.portability.fn_api_runner.FnApiRunner") as p:
    ...     found = p | beam.Create([people]) | Anonymize(policy, Method("guided_tree"), "train")
    ...     counted = found["released"] | CountClasses(("age",))
    ...     _ = counted | beam.Map(operator.attrgetter("rows", "classes", "k")) | beam.Map(print)
    (8, 4, 2)
"""

from collections.abc import Iterator, Mapping
from typing import Any

import apache_beam as beam
import pyarrow as pa

from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.transforms.files import router_files
from tfx_anonymizer.transforms.method import Method
from tfx_anonymizer.transforms.packing import LargerBatches, packed
from tfx_anonymizer.transforms.refine import FILES, RELEASED, SUMMARIES, RefineShards
from tfx_anonymizer.transforms.summary import Summary, add_up
from tfx_anonymizer.transforms.survey import SurveyRows
from tfx_anonymizer.transforms.top_partition import CountLeaves, FitTopPartition, PlanShards, RouteRows, TopPartition

SUMMARY = "summary"


class Anonymize(beam.PTransform):  # type: ignore[misc]
    """Makes the rows of one split k-anonymous.

    Args:
        policy: Roles and guarantee.
        method: How rows are grouped, and how many a worker may hold.
        split: The split's name, for errors.

    Takes a PCollection of `pa.RecordBatch`, with `GUIDE_COLUMN` if a model guides, and gives a mapping of PCollections:
        `released`: `pa.RecordBatch`es of the same columns less direct identifiers and the guide;
        `files`: (name, content) of each of the generalization's files;
        `summary`: one element, JSON-ready facts about the grouping; no value of any record.
    Nothing is released unless everything can be.

    Raises:
        PolicyError: If shards would be too small for k.
    """

    def __init__(self, policy: AnonymizationPolicy, method: Method, split: str) -> None:
        super().__init__()
        method.check(policy)
        self._policy = policy
        self._method = method
        self._split = split

    # Beam has no type hint for several named outputs, and would warn of this one.
    @beam.typehints.no_annotations  # type: ignore[misc,untyped-decorator]
    def expand(self, batches: beam.PCollection[pa.RecordBatch]) -> Mapping[str, beam.PCollection[Any]]:
        """Applies the transform."""
        larger = batches | "Join" >> LargerBatches()
        survey = larger | "Survey" >> SurveyRows(self._policy, self._method.seed)
        grown = survey | "Fit" >> FitTopPartition(self._policy, self._method, self._split)
        rows = larger | "Pack" >> beam.Map(packed)
        facts = rows | "CountLeaves" >> CountLeaves(self._policy, grown)
        top = grown | "Plan" >> PlanShards(self._policy, facts)
        found = rows | "Route" >> RouteRows(top) | "Refine" >> RefineShards(self._policy, self._method, top)
        total = found[SUMMARIES] | "AddUp" >> beam.CombineGlobally(add_up)
        summary = total | "Summary" >> beam.FlatMap(_to_dict)
        of_router = total | "Router" >> beam.FlatMap(_router_files, beam.pvalue.AsSingleton(top))
        files = (found[FILES], of_router) | "Files" >> beam.Flatten()
        return {RELEASED: found[RELEASED], FILES: files, SUMMARY: summary}


def _to_dict(summary: Summary | None) -> Iterator[dict[str, Any]]:
    if summary is not None:
        yield summary.to_dict()


def _router_files(summary: Summary | None, top: TopPartition) -> Iterator[tuple[str, bytes]]:
    if summary is not None and top.is_cut:
        yield from router_files(top.router, summary.classes, top.empty).items()
