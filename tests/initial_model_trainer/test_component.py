"""InitialModelTrainer through LocalDagRunner, both ways; its model guides AGAnonymizer."""

from __future__ import annotations

import json
import textwrap

import pytest
from tfx.proto import example_gen_pb2
from tfx.v1.types import standard_artifacts

from pipelines.common.graph import BEAM_ARGS
from tests.support.examples import read_examples, write_examples, write_splits
from tests.support.people import QUASI_IDENTIFIERS, make_people
from tests.support.pipelines import artifact_facts, import_examples, run_components
from tfx_anonymizer import AGAnonymizer, AnonymizationPolicy, InitialModelTrainer
from tfx_anonymizer._tfx_compat import BaseBeamExecutor, artifact_utils, examples_utils
from tfx_anonymizer.errors import ColumnError, GuideError, InputDataError, PolicyError
from tfx_anonymizer.guides import GuideLocation
from tfx_anonymizer.guides.loading import ESTIMATOR_FOLDER
from tfx_anonymizer.initial_model_trainer.executor import Executor

POLICY = AnonymizationPolicy(tuple(QUASI_IDENTIFIERS), 8, label="ill", direct_identifiers=("name",))
MODULE = """
import tensorflow as tf

SPEC = {"age": tf.io.RaggedFeature(tf.int64)}


def run_fn(fn_args):
    assert fn_args.custom_config == {"slope": 8.0}, fn_args.custom_config
    assert fn_args.train_steps == 3
    slope = fn_args.custom_config["slope"]
    module = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="examples")])
    def serve(examples):
        age = tf.io.parse_example(examples, SPEC)["age"].to_tensor(shape=[None, 1])
        return {"outputs": tf.sigmoid((tf.cast(age, tf.float32) - 60.0) / slope)}

    module.serve = serve
    tf.saved_model.save(module, fn_args.serving_model_dir, signatures={"serving_default": serve})
"""


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    return write_splits(tmp_path_factory.mktemp("raw"), train=make_people(300), eval=make_people(60, seed=1))


def test_the_users_own_module_guides(tmp_path, raw):
    from tfx import v1 as tfx

    module = tmp_path / "module" / "my_trainer.py"
    module.parent.mkdir()
    module.write_text(textwrap.dedent(MODULE))
    examples = import_examples(raw)
    guide = InitialModelTrainer(
        examples.outputs["result"],
        module_file=str(module),
        train_args=tfx.proto.TrainArgs(num_steps=3),
        custom_config={"slope": 8.0},
    )
    anonymizer = AGAnonymizer(examples.outputs["result"], guide.outputs["model"], policy=POLICY)
    out = run_components(tmp_path / "run", [examples, guide, anonymizer])
    assert (out["InitialModelTrainer", "model"] / "Format-Serving" / "saved_model.pb").is_file()
    assert artifact_facts(tmp_path / "run", "InitialModelTrainer", "model")["contains_personal_data"] == 1
    report = json.loads((out["AGAnonymizer", "report"] / "report.json").read_text())
    assert report["splits"]["train"]["guide"] == "model"
    assert report["splits"]["train"]["counted"]["k"] >= 8


def test_a_run_fn_by_its_path(tmp_path, raw, monkeypatch):
    from tfx import v1 as tfx

    (tmp_path / "by_path_trainer.py").write_text(textwrap.dedent(MODULE))
    monkeypatch.syspath_prepend(str(tmp_path))
    examples = import_examples(raw)
    guide = InitialModelTrainer(
        examples.outputs["result"],
        run_fn="by_path_trainer.run_fn",
        train_args=tfx.proto.TrainArgs(num_steps=3),
        custom_config={"slope": 8.0},
    )
    out = run_components(tmp_path / "run", [examples, guide])
    assert GuideLocation(str(out["InitialModelTrainer", "model"])).load().needs_records


def test_a_bounded_sample_is_enough(tmp_path, raw):
    examples = import_examples(raw)
    guide = InitialModelTrainer(
        examples.outputs["result"], estimator="logistic_regression", label_key="ill", sample_size=50, seed=4
    )
    out = run_components(tmp_path, [examples, guide])
    loaded = GuideLocation(str(out["InitialModelTrainer", "model"])).load()
    assert set(loaded.columns) == set(make_people(1).columns) - {"ill"}
    assert not list(out["InitialModelTrainer", "model"].rglob("*.pkl"))


def test_a_number_to_be_predicted(tmp_path, raw):
    examples = import_examples(raw)
    guide = InitialModelTrainer(
        examples.outputs["result"], estimator="gradient_boosting", label_key="income", exclude_features=["name"]
    )
    policy = AnonymizationPolicy(("age", "height"), 8, label="income", direct_identifiers=("name",))
    anonymizer = AGAnonymizer(examples.outputs["result"], guide.outputs["model"], policy=policy)
    out = run_components(tmp_path, [examples, guide, anonymizer])
    loaded = GuideLocation(str(out["InitialModelTrainer", "model"])).load()
    assert loaded.task == "regression"
    released = read_examples(out["AGAnonymizer", "anonymized_examples"] / "Split-train")
    sizes = released.groupby(["age", "height"], dropna=False).size()
    assert sizes.min() >= 8
    assert len(sizes) > 10


def test_roles_of_the_schema_are_kept_out(tmp_path, raw):
    from tfx import v1 as tfx

    schema = tmp_path / "schema.pbtxt"
    schema.write_text(
        'feature { name: "ill" type: INT annotation { tag: "label" } }\n'
        'feature { name: "name" type: BYTES annotation { tag: "direct_identifier" } }\n'
        'feature { name: "person" type: INT annotation { tag: "entity_id" } }\n'
        'feature { name: "zip" type: INT int_domain { is_categorical: true } }\n'
    )
    schema_gen = tfx.components.ImportSchemaGen(schema_file=str(schema))
    examples = import_examples(raw)
    guide = InitialModelTrainer(
        examples.outputs["result"], schema=schema_gen.outputs["schema"], estimator="gradient_boosting"
    )
    out = run_components(tmp_path / "run", [examples, schema_gen, guide])
    loaded = GuideLocation(str(out["InitialModelTrainer", "model"])).load()
    assert not {"ill", "name", "person"} & set(loaded.columns)
    assert "zip" in loaded.features.categorical


@pytest.mark.parametrize(
    ("rows", "arguments", "error", "says"),
    [
        ([{"a": i, "y": i % 2} for i in range(9)], {"label_key": "z"}, ColumnError, "label_key names a column 'z'"),
        ([{"a": i, "y": 1} for i in range(9)], {"label_key": "y"}, GuideError, "fewer than two values"),
        ([{"a": i, "y": [1, 2]} for i in range(9)], {"label_key": "y"}, ColumnError, "'y'"),
        ([], {"label_key": "y"}, InputDataError, "holds no examples"),
        ([{"y": i % 2} for i in range(9)], {"label_key": "y"}, GuideError, "no column is left"),
    ],
)
def test_what_cannot_be_learned_leaves_no_model(tmp_path, rows, arguments, error, says):
    write_examples(tmp_path / "in" / "Split-train", rows)
    examples = import_examples(tmp_path / "in", ["train"])
    guide = InitialModelTrainer(examples.outputs["result"], estimator="gradient_boosting", **arguments)
    with pytest.raises(error, match=says):
        run_components(tmp_path / "run", [examples, guide])
    assert not [p for p in (tmp_path / "run" / "InitialModelTrainer" / "model").rglob("*") if p.is_file()]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "got: none"),
        ({"run_fn": "a.b", "estimator": "mlp"}, "got: run_fn and estimator"),
        ({"estimator": "svm", "label_key": "y"}, "estimator is not known"),
        ({"estimator": "mlp"}, "label_key was not given"),
        ({"estimator": "mlp", "label_key": "y", "sample_size": 1}, "sample_size is out of range"),
        ({"estimator": "mlp", "label_key": "y", "exclude_features": "a"}, "not a list of features"),
        ({"run_fn": "a.b", "label_key": "y"}, "label_key goes with estimator"),
    ],
)
def test_configuration_is_checked_when_the_pipeline_is_built(tmp_path, arguments, says):
    examples = import_examples(tmp_path)
    with pytest.raises(PolicyError, match=says):
        InitialModelTrainer(examples.outputs["result"], **arguments)


def test_the_raw_examples_are_not_changed(raw):
    assert len(read_examples(raw / "Split-train")) == 300


def test_workers_elsewhere_need_no_folder_of_this_process(tmp_path, raw):
    """On Kubeflow TFX's folder for temporary files is the pod's own, so the sample does not go there."""
    examples = standard_artifacts.Examples()
    examples.uri = str(raw)
    examples.split_names = artifact_utils.encode_split_names(["train", "eval"])
    examples_utils.set_payload_format(examples, example_gen_pb2.PayloadFormat.FORMAT_TF_EXAMPLE)
    model = standard_artifacts.Model()
    model.uri = str(tmp_path / "model")
    channel = import_examples(raw).outputs["result"]
    component = InitialModelTrainer(channel, estimator="random_forest", label_key="ill", exclude_features=["name"])
    context = BaseBeamExecutor.Context(beam_pipeline_args=list(BEAM_ARGS), tmp_dir=None, unique_id="1")
    Executor(context).Do({"examples": [examples]}, {"model": [model]}, component.exec_properties)
    guide = GuideLocation(model.uri).load()
    assert guide.kind == "random_forest"
    # The sample, raw rows as they are, does not stay.
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    assert [path.name for path in (tmp_path / "model").iterdir()] == [ESTIMATOR_FOLDER]
