"""What InitialModelTrainer does when it runs."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from tfx.v1.dsl.io import fileio

from tfx_anonymizer._tfx_compat import BaseBeamExecutor, GenericExecutor, artifact_utils, json_utils
from tfx_anonymizer.artifacts import CONTAINS_PERSONAL_DATA
from tfx_anonymizer.component_support.examples import ExamplesInput, clear
from tfx_anonymizer.component_support.sampling import categorical_features, sample_split
from tfx_anonymizer.component_support.schemas import read_schema
from tfx_anonymizer.errors import PolicyError
from tfx_anonymizer.guides import fit_estimator
from tfx_anonymizer.guides.loading import ESTIMATOR_FOLDER
from tfx_anonymizer.policy import schema_roles
from tfx_anonymizer.transforms.columns import require_columns, single_valued_columns


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
        sample = self._sample(input_dict, properties, tuple(sorted(leave_out)), uri)
        require_columns([label], sample.column_names, "label_key")
        guide = fit_estimator(
            single_valued_columns(sample),
            label,
            properties["estimator"],
            leave_out=leave_out,
            categorical=categorical_features(schema),
            seed=int(properties["seed"]),
        )
        folder = posixpath.join(uri, ESTIMATOR_FOLDER)
        fileio.makedirs(folder)
        # The header, by which a reader knows the model, comes last.
        for name, data in sorted(guide.to_files().items(), key=lambda item: item[0] == "estimator.json"):
            with fileio.open(posixpath.join(folder, name), "wb") as file:
                file.write(data)

    def _sample(
        self, input_dict: Mapping[str, list[Any]], properties: Mapping[str, Any], leave_out: tuple[str, ...], uri: str
    ) -> pa.Table:
        examples = ExamplesInput.of(input_dict["examples"])
        split = properties["train_split"]
        examples.check_splits([split], "train_split")
        return sample_split(
            self._make_beam_pipeline(),
            examples,
            split,
            uri,
            size=int(properties["sample_size"]),
            seed=int(properties["seed"]),
            leave_out=leave_out,
        )
