"""Graphs of the transforms alone, in every payload format, for runners whose workers import this module."""

# No `from __future__ import annotations`: Beam reads annotations as type hints.

import json
from pathlib import Path
from typing import Any

import apache_beam as beam
import pyarrow.parquet as pq
import tensorflow as tf

from tests.support.examples import write_records, write_splits
from tests.support.people import QUASI_IDENTIFIERS, make_people
from tfx_anonymizer import AnonymizationPolicy
from tfx_anonymizer.guides import GuideLocation, fit_estimator
from tfx_anonymizer.guides.loading import ESTIMATOR_FOLDER
from tfx_anonymizer.transforms.anonymize import RELEASED, Anonymize, Method
from tfx_anonymizer.transforms.count_classes import ClassCounts, CountClasses
from tfx_anonymizer.transforms.examples_io import (
    PARQUET,
    SEQUENCE_EXAMPLE,
    TF_EXAMPLE,
    ExamplesSource,
    ReadExamples,
    WriteExamples,
)
from tfx_anonymizer.transforms.predict import PredictWithGuide

POLICY = AnonymizationPolicy(
    tuple(QUASI_IDENTIFIERS), 9, label="ill", categorical=("zip",), direct_identifiers=("name",)
)


def release(pipeline: beam.Pipeline, source: ExamplesSource, guide: GuideLocation | None, prefix: str, counts: str):
    """Reads, follows the guide if there is one, anonymizes, writes and counts."""
    batches = pipeline | ReadExamples(source)
    if guide is not None:
        batches = batches | PredictWithGuide(guide)
    released = (batches | Anonymize(POLICY, Method("mdav", "median"), "train"))[RELEASED]
    arrow_schema = None
    if source.payload_format == PARQUET:
        arrow_schema = pq.read_schema(source.patterns[0].replace("*", "part-0.parquet"))
        arrow_schema = arrow_schema.remove(arrow_schema.get_field_index("name"))
    _ = released | WriteExamples(prefix, source, arrow_schema=arrow_schema, drop_sequences=POLICY.direct_identifiers)
    _ = released | CountClasses.of_policy(POLICY) | "Keep" >> beam.Map(_keep, counts)


def tf_examples(folder: Path) -> tuple[ExamplesSource, GuideLocation | None]:
    """tf.Examples in three files, and a model as the guide."""
    people = make_people(300)
    write_splits(folder / "in", shards=3, train=people)
    guide = fit_estimator(_table(people), "ill", "gradient_boosting", leave_out={"name", "person"})
    (folder / "model" / ESTIMATOR_FOLDER).mkdir(parents=True)
    for name, data in guide.to_files().items():
        (folder / "model" / ESTIMATOR_FOLDER / name).write_bytes(data)
    return ExamplesSource((f"{folder}/in/Split-train/*",), TF_EXAMPLE), GuideLocation(str(folder / "model"))


def parquet(folder: Path) -> tuple[ExamplesSource, GuideLocation | None]:
    """Parquet; the label guides."""
    (folder / "in").mkdir()
    make_people(300).to_parquet(folder / "in" / "part-0.parquet", index=False)
    return ExamplesSource((f"{folder}/in/*",), PARQUET), None


def sequence_examples(folder: Path) -> tuple[ExamplesSource, GuideLocation | None]:
    """SequenceExamples, whose context holds the roles."""
    records = []
    for row in make_people(300).to_dict("records"):
        example = tf.train.SequenceExample()
        for name in ("age", "zip", "ill"):
            example.context.feature[name].int64_list.value.append(row[name])
        example.context.feature["height"].float_list.value.append(row["height"])
        example.context.feature["city"].bytes_list.value.append(str(row["city"]).encode())
        example.feature_lists.feature_list["steps"].feature.add().int64_list.value.append(row["person"])
        records.append(example.SerializeToString(deterministic=True))
    write_records(folder / "in", records, shards=2)
    return ExamplesSource((f"{folder}/in/*",), SEQUENCE_EXAMPLE), None


SOURCES = {"tf.Example": tf_examples, "parquet": parquet, "SequenceExample": sequence_examples}


def _table(people: Any) -> Any:
    import pyarrow as pa

    return pa.Table.from_pandas(people, preserve_index=False)


def _keep(counts: ClassCounts, path: str) -> None:
    Path(path).write_text(json.dumps(counts.to_dict(), sort_keys=True))
