"""One execution of AGAnonymizer in `mode="safe"`: what is read, and what may be said of it afterwards."""

from __future__ import annotations

import json
from typing import Any

import apache_beam as beam

from tfx_anonymizer.ag_anonymizer.executor import Run
from tfx_anonymizer.component_support import reports
from tfx_anonymizer.component_support.handing_over import write_json
from tfx_anonymizer.errors import InputDataError, ViolationError
from tfx_anonymizer.transforms.count_classes import ClassCounts, CountClasses
from tfx_anonymizer.transforms.examples_io import WriteExamples
from tfx_anonymizer.transforms.method import Method
from tfx_anonymizer.transforms.refine import FILES, RELEASED
from tfx_anonymizer.transforms.safe_split import FACTS, ReleaseSafely, published_columns


class SafeRun(Run):
    """See `Run`. Nothing is reported but what follows from the release itself: counts of raw rows would add to it."""

    @property
    def _others(self) -> list[str]:
        return [split for split in super()._others if split != self._safety.design_split]

    @property
    def _method(self) -> Method:
        return self._settings.method("gradient_boosting")

    @property
    def _safety(self) -> Any:
        return self._settings.safety

    def check(self) -> None:
        """Checks what can be checked before any record is read."""
        super().check()
        self._safety.check(self._policy)
        self._examples.check_splits([self._safety.design_split], "design_split")
        if self._examples.payload_format == "FORMAT_TF_SEQUENCE_EXAMPLE":
            raise InputDataError("SequenceExamples cannot be released in mode='safe'", allowed="tf.Example or Parquet")

    def finish(self) -> None:
        """Compares the recount with k, then writes the report and the artifacts' facts."""
        (split,) = self._settings.splits
        self._tidy()
        counted = ClassCounts.from_dict(self._take_json(split, "counts"))
        facts = self._take_json(split, "facts")
        if counted.k < self._policy.k or counted.rows != facts["records"]:
            raise ViolationError(
                f"the release of split {split!r} does not keep the guarantee; nothing was released",
                got=f"k={counted.k}",
                hint="this is a defect of tfx_anonymizer, please report it",
            )
        body = {
            "policy": json.loads(self._policy.to_json()),
            "settings": self._settings.to_dict(),
            "safe": facts,
            "splits": {split: {"counted": counted.to_dict()}},
            "other_splits": dict.fromkeys(self._others, self._settings.other_splits),
        }
        reports.write_report(self._report.uri, "AGAnonymizer", body)
        self._set_properties([counted.to_dict()])
        for name in ("epsilon", "delta"):
            self._report.set_float_custom_property(name, facts[name])

    def _anonymize(self, pipeline: beam.Pipeline, split: str) -> beam.PCollection[Any]:
        design = self._read(pipeline, self._safety.design_split, with_records=False)
        people = self._read(pipeline, split, with_records=False)
        found = (design, people) | f"Release[{split}]" >> ReleaseSafely(self._policy, self._method, self._safety)
        columns = published_columns(self._policy)
        schema = self._examples.arrow_schema(split)
        if schema is not None:
            for name in set(schema.names) - set(columns):
                schema = schema.remove(schema.get_field_index(name))
        writer = WriteExamples(self._prefix(split), self._examples.source(split), arrow_schema=schema)
        _ = found[RELEASED] | f"Write[{split}]" >> writer
        self._keep(split, found[FILES], found[RELEASED] | f"Count[{split}]" >> CountClasses(columns))
        _ = found[FACTS] | f"Facts[{split}]" >> beam.Map(write_json, self._json_path(split, "facts"))
        return found[FILES]
