"""The InitialModelTrainer component: the guide, from your own Trainer module or built in."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

from tfx import v1 as tfx
from tfx.v1.types import BaseBeamComponent, standard_artifacts

from tfx_anonymizer._tfx_compat import (
    BeamExecutorSpec,
    ChannelParameter,
    ComponentSpec,
    ExecutionParameter,
    json_utils,
    standard_component_specs,
    udf_utils,
)
from tfx_anonymizer.component_support.parameters import is_placeholder
from tfx_anonymizer.errors import PolicyError
from tfx_anonymizer.guides.estimators import check_estimator_name
from tfx_anonymizer.initial_model_trainer.executor import Executor


class InitialModelTrainerSpec(ComponentSpec):  # type: ignore[misc]
    """Channels and properties of InitialModelTrainer; those that run_fn reads are the Trainer's own."""

    PARAMETERS = {
        "module_file": ExecutionParameter(type=str, optional=True),
        "module_path": ExecutionParameter(type=str, optional=True),
        "run_fn": ExecutionParameter(type=str, optional=True),
        "train_args": ExecutionParameter(type=tfx.proto.TrainArgs),
        "eval_args": ExecutionParameter(type=tfx.proto.EvalArgs),
        "custom_config": ExecutionParameter(type=str, optional=True),
        "estimator": ExecutionParameter(type=str, optional=True),
        "label_key": ExecutionParameter(type=str, optional=True),
        "exclude_features": ExecutionParameter(type=str, optional=True),
        "sample_size": ExecutionParameter(type=int, optional=True),
        "seed": ExecutionParameter(type=int, optional=True),
        "train_split": ExecutionParameter(type=str, optional=True),
    }
    INPUTS = {
        "examples": ChannelParameter(type=standard_artifacts.Examples),
        "transform_graph": ChannelParameter(type=standard_artifacts.TransformGraph, optional=True),
        "schema": ChannelParameter(type=standard_artifacts.Schema, optional=True),
    }
    OUTPUTS = {
        "model": ChannelParameter(type=standard_artifacts.Model),
        "model_run": ChannelParameter(type=standard_artifacts.ModelRun),
    }


class InitialModelTrainer(BaseBeamComponent):  # type: ignore[misc]
    """Trains a model on the raw examples; AGAnonymizer groups people by what it says of them.

    Either your own Trainer module does it (`module_file` or `run_fn`, exactly as your Trainer takes them: TFX's own
    executor runs it), or a built-in scikit-learn model does (`estimator`), trained on a bounded sample of raw examples
    and stored with skops. A built-in model answers for its own training rows out of fold, so it does not repeat their
    labels. Either way the output is a standard `Model` marked `contains_personal_data`.

    Args:
        examples: A channel of `Examples`: raw for a built-in model; whatever your module reads otherwise.
        transform_graph: The channel your module's Trainer takes, if it takes one.
        schema: A channel with a `Schema`. A built-in model treats integers whose domain `is_categorical` as categories
            and leaves out features tagged `direct_identifier` or `entity_id`; a feature tagged `label` is its label.
        module_file: Path of a Python file with a `run_fn`.
        run_fn: Import path of a `run_fn`.
        train_args: As your Trainer takes them.
        eval_args: As your Trainer takes them.
        custom_config: As your Trainer takes it.
        estimator: `gradient_boosting`, `random_forest`, `logistic_regression` or `mlp`.
        label_key: The feature a built-in model predicts.
        exclude_features: Features a built-in model must not learn from.
        sample_size: Most rows a built-in model learns from.
        seed: Seed of the sample and of the built-in model.
        train_split: The split a built-in model learns from.

    Outputs:
        model: `Model`; in `Format-Serving` as your module writes it, or in `Format-Estimator`.
        model_run: `ModelRun`; whatever your module writes there.

    Raises:
        PolicyError: If not exactly one of `module_file`, `run_fn` and `estimator` is given, or an argument is wrong.

    Example:
        >>> example_gen = tfx.components.CsvExampleGen(input_base="people/")
        >>> guide = InitialModelTrainer(
        ...     examples=example_gen.outputs["examples"], estimator="gradient_boosting", label_key="income"
        ... )
        >>> sorted(guide.outputs)
        ['model', 'model_run']
    """

    SPEC_CLASS = InitialModelTrainerSpec
    EXECUTOR_SPEC = BeamExecutorSpec(Executor)

    def __init__(
        self,
        examples: tfx.types.BaseChannel,
        transform_graph: tfx.types.BaseChannel | None = None,
        schema: tfx.types.BaseChannel | None = None,
        *,
        module_file: str | Any | None = None,
        run_fn: str | Any | None = None,
        train_args: Any | None = None,
        eval_args: Any | None = None,
        custom_config: dict[str, Any] | Any | None = None,
        estimator: str | None = None,
        label_key: str | None = None,
        exclude_features: Sequence[str] = (),
        sample_size: int = 100_000,
        seed: int = 0,
        train_split: str = "train",
    ) -> None:
        given = {"module_file": module_file, "run_fn": run_fn, "estimator": estimator}
        _check_one(given)
        if estimator is not None:
            _check_builtin(estimator, label_key, transform_graph, sample_size, exclude_features, schema)
        elif label_key is not None:
            raise PolicyError("label_key goes with estimator=; your own module knows its label")
        builtin = {
            "estimator": estimator,
            "label_key": label_key,
            "exclude_features": json_utils.dumps(list(exclude_features)),
            "sample_size": sample_size,
            "seed": seed,
            "train_split": train_split,
        }
        spec = InitialModelTrainerSpec(
            examples=examples,
            transform_graph=transform_graph,
            schema=schema,
            module_file=module_file,
            run_fn=run_fn,
            train_args=train_args or tfx.proto.TrainArgs(),
            eval_args=eval_args or tfx.proto.EvalArgs(),
            custom_config=custom_config if is_placeholder(custom_config) else json_utils.dumps(custom_config),
            model=tfx.dsl.Channel(type=standard_artifacts.Model),
            model_run=tfx.dsl.Channel(type=standard_artifacts.ModelRun),
            **(builtin if estimator is not None else {}),
        )
        super().__init__(spec=spec)
        if module_file is not None and udf_utils.should_package_user_modules():
            # TFX packs the module into a wheel now and installs it in whatever process trains.
            udf_utils.add_user_module_dependency(
                self, standard_component_specs.MODULE_FILE_KEY, standard_component_specs.MODULE_PATH_KEY
            )


def _check_one(given: dict[str, Any]) -> None:
    names = [name for name, value in given.items() if value is not None]
    if len(names) != 1:
        raise PolicyError(
            "InitialModelTrainer needs one way to train",
            got=" and ".join(names) or "none",
            allowed="exactly one of module_file, run_fn and estimator",
            hint="pass what your Trainer takes, or estimator='gradient_boosting'",
        )


def _check_builtin(
    estimator: str, label_key: str | None, transform_graph: Any, sample_size: int, exclude: object, schema: Any
) -> None:
    check_estimator_name(estimator)
    if transform_graph is not None:
        raise PolicyError("transform_graph goes with your own module; a built-in estimator takes raw examples")
    if label_key is None and schema is None:
        raise PolicyError("label_key was not given", hint="pass label_key=, or a schema with a feature tagged 'label'")
    if not isinstance(sample_size, numbers.Integral) or sample_size < 2:
        raise PolicyError("sample_size is out of range", got=repr(sample_size), allowed="an integer of 2 or more")
    if isinstance(exclude, str):
        raise PolicyError("exclude_features is not a list of features", got=repr(exclude))
