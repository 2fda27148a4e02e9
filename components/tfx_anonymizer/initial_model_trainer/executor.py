"""What InitialModelTrainer does when it runs."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any

import apache_beam as beam
import pyarrow as pa
from tfx.v1.dsl.io import fileio

from tfx_anonymizer._tfx_compat import BaseBeamExecutor, GenericExecutor, artifact_utils, json_utils
from tfx_anonymizer.artifacts import CONTAINS_PERSONAL_DATA
from tfx_anonymizer.component_support.examples import ExamplesInput, clear
from tfx_anonymizer.component_support.running import cancelled_on_failure
from tfx_anonymizer.component_support.schemas import read_schema
from tfx_anonymizer.component_support.writing import write_aside
from tfx_anonymizer.errors import InputDataError, PolicyError
from tfx_anonymizer.guides import fit_estimator
from tfx_anonymizer.guides.loading import ESTIMATOR_FOLDER
from tfx_anonymizer.policy import schema_roles
from tfx_anonymizer.transforms.columns import require_columns, single_valued_columns
from tfx_anonymizer.transforms.examples_io import ReadExamples
from tfx_anonymizer.transforms.failures import typed_errors
from tfx_anonymizer.transforms.integrity import CheckGzip
from tfx_anonymizer.transforms.sample import SampleRows


class Executor(BaseBeamExecutor):  # type: ignore[misc]
    """Executor of InitialModelTrainer."""

    def Do(
        self, input_dict: dict[str, list[Any]], output_dict: dict[str, list[Any]], exec_properties: dict[str, Any]
    ) -> None:
        """Trains the guide.

        Args:
            input_dict: `examples`; optional `transform_graph`, `schema`.
            output_dict: `model`, `model_run`.
            exec_properties: Those of the Trainer, or `estimator` and what goes with it; see `component`.

        Raises:
            AnonymizerError: If the examples cannot be read or learned from.
        """
        model = artifact_utils.get_single_instance(output_dict["model"])
        if exec_properties.get("estimator"):
            self._log_startup(input_dict, output_dict, exec_properties)
            try:
                self._train_builtin(input_dict, model.uri, exec_properties)
            except BaseException:
                clear(model)
                raise
        else:
            # TFX's own Trainer runs the user's module; nothing of it is done here again.
            GenericExecutor(self._context).Do(input_dict, output_dict, exec_properties)
        model.set_int_custom_property(CONTAINS_PERSONAL_DATA, 1)

    def _train_builtin(self, input_dict: Mapping[str, list[Any]], uri: str, properties: Mapping[str, Any]) -> None:
        schema = read_schema(input_dict)
        roles = schema_roles(schema) if schema is not None else {}
        label = properties.get("label_key") or roles.get("label")
        if not label:
            raise PolicyError("label_key was not given", hint="pass label_key=, or tag a feature 'label' in the schema")
        leave_out = {*json_utils.loads(properties["exclude_features"]), *roles.get("direct_identifiers", ())}
        leave_out |= {roles["entity_id"]} if "entity_id" in roles else set()
        sample = self._sample(input_dict, properties, tuple(sorted(leave_out)))
        require_columns([label], sample.column_names, "label_key")
        guide = fit_estimator(
            single_valued_columns(sample),
            label,
            properties["estimator"],
            leave_out=leave_out,
            categorical=_categorical(schema),
            seed=int(properties["seed"]),
        )
        folder = posixpath.join(uri, ESTIMATOR_FOLDER)
        fileio.makedirs(folder)
        # The header, by which a reader knows the model, comes last.
        for name, data in sorted(guide.to_files().items(), key=lambda item: item[0] == "estimator.json"):
            with fileio.open(posixpath.join(folder, name), "wb") as file:
                file.write(data)

    def _sample(
        self, input_dict: Mapping[str, list[Any]], properties: Mapping[str, Any], leave_out: tuple[str, ...]
    ) -> pa.Table:
        examples = ExamplesInput.of(input_dict["examples"])
        split = properties["train_split"]
        examples.check_splits([split], "train_split")
        path = posixpath.join(self._get_tmp_dir(), "sample.arrow")
        source = examples.source(split)
        with typed_errors(f"split {split!r}"), cancelled_on_failure(self._make_beam_pipeline()) as pipeline:
            _ = pipeline | "Whole" >> CheckGzip(source.patterns, f"split {split!r}")
            _ = (
                pipeline
                | "Read" >> ReadExamples(source)
                | "Sample" >> SampleRows(int(properties["sample_size"]), int(properties["seed"]), leave_out)
                | "Keep" >> beam.Map(_write_table, path)
            )
        with fileio.open(path, "rb") as file:
            sample = pa.ipc.open_stream(file.read()).read_all()
        fileio.remove(path)
        if not sample.num_rows:
            raise InputDataError(f"split {split!r} holds no examples")
        return sample


def _categorical(schema: Any | None) -> list[str]:
    if schema is None:
        return []
    return [feature.name for feature in schema.feature if feature.int_domain.is_categorical]


def _write_table(table: pa.Table, path: str) -> None:
    with pa.ipc.new_stream(sink := pa.BufferOutputStream(), table.schema) as writer:
        writer.write_table(table)
    write_aside(path, sink.getvalue().to_pybytes())
