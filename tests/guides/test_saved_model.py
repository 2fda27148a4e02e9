"""SavedModels as guides: which signatures can guide, and what is said of those that cannot."""

import numpy as np
import pyarrow as pa
import pytest
import tensorflow as tf

from tests.support.examples import to_example
from tfx_anonymizer.errors import GuideError
from tfx_anonymizer.guides import GuideLocation
from tfx_anonymizer.guides.saved_model import SavedModelGuide

ROWS = pa.table({})
TEXT = tf.TensorSpec([None], tf.string, name="examples")


def records(*ages):
    return [to_example({"age": age}).SerializeToString() for age in ages]


def parse(examples):
    return tf.cast(tf.io.parse_example(examples, {"age": tf.io.FixedLenFeature([], tf.int64)})["age"], tf.float32)


def save(folder, **signatures):
    module = tf.Module()
    module.functions = list(signatures.values())
    tf.saved_model.save(module, str(folder), signatures=signatures)
    return str(folder)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    @tf.function(input_signature=[TEXT])
    def one(examples):
        return {"outputs": parse(examples)[:, None] / 100.0}

    @tf.function(input_signature=[TEXT])
    def several(examples):
        return {"classes": parse(examples), "scores": tf.stack([parse(examples), parse(examples) * 2], axis=1)}

    @tf.function(input_signature=[TEXT])
    def unclear(examples):
        return {"this": parse(examples), "that": parse(examples)}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, name="age")])
    def tensors(age):
        return {"outputs": age}

    @tf.function(input_signature=[TEXT])
    def summary(examples):
        return {"outputs": tf.reduce_mean(parse(examples))}

    folder = tmp_path_factory.mktemp("model")
    return save(folder, serving_default=one, several=several, unclear=unclear, tensors=tensors, summary=summary)


def test_predicts_from_serialized_examples(model):
    guide = SavedModelGuide(model)
    assert guide.needs_records
    assert np.allclose(guide.predict(ROWS, records(10, 50)), [[0.1], [0.5]])


def test_several_outputs(model):
    assert SavedModelGuide(model, "several").predict(ROWS, records(1, 2)).tolist() == [[1, 2], [2, 4]]
    assert SavedModelGuide(model, "several", "classes").predict(ROWS, records(7)).tolist() == [[7]]
    assert SavedModelGuide(model, "unclear", "that").predict(ROWS, records(7)).tolist() == [[7]]


@pytest.mark.parametrize(
    ("signature", "output", "says"),
    [
        ("servign", None, "no signature 'servign'; got: .*serving_default"),
        ("tensors", None, "does not take serialized tf.Examples; got: age: float32"),
        ("unclear", None, "several outputs.*output_key="),
        ("several", "nothing", "no output 'nothing'; allowed: .*scores"),
    ],
)
def test_signatures_that_cannot_guide(model, signature, output, says):
    with pytest.raises(GuideError, match=says):
        SavedModelGuide(model, signature, output)


def test_an_output_that_is_not_one_a_row(model):
    with pytest.raises(GuideError, match="one prediction a row"):
        SavedModelGuide(model, "summary").predict(ROWS, records(1, 2))


def test_rows_the_model_cannot_take_are_not_quoted(model):
    bad = to_example({"age": "forty-two"}).SerializeToString()
    with pytest.raises(GuideError, match="failed on some rows") as caught:
        SavedModelGuide(model).predict(ROWS, [bad])
    assert "forty-two" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_records_are_needed(model):
    with pytest.raises(GuideError, match="needs the rows as serialized"):
        SavedModelGuide(model).predict(ROWS)


def test_a_model_without_signatures(tmp_path):
    tf.saved_model.save(tf.Module(), str(tmp_path / "bare"))
    with pytest.raises(GuideError, match="no signature at all"):
        SavedModelGuide(str(tmp_path / "bare"))


def test_finding_a_guide(tmp_path, model):
    assert GuideLocation(model).load() is GuideLocation(model).load()
    artifact = tmp_path / "artifact"
    artifact.mkdir()
    (artifact / "Format-Serving").symlink_to(model)
    assert isinstance(GuideLocation(str(artifact)).load(), SavedModelGuide)
    (tmp_path / "empty").mkdir()
    with pytest.raises(GuideError, match="no model that can guide"):
        GuideLocation(str(tmp_path / "empty")).load()


def test_a_damaged_model(tmp_path):
    (tmp_path / "saved_model.pb").write_bytes(b"no model")
    with pytest.raises(GuideError, match="cannot be loaded"):
        GuideLocation(str(tmp_path)).load()


def test_how_rows_are_grouped_and_ordered_changes_no_bit(tmp_path):
    generator = np.random.default_rng(5)
    layers = [tf.Variable(generator.normal(size=shape), dtype=tf.float32) for shape in ((37, 129), (129, 71), (71, 3))]

    @tf.function(input_signature=[TEXT])
    def network(examples):
        values = tf.math.sin(parse(examples)[:, None] * tf.range(1.0, 38.0))
        for layer in layers:
            values = tf.math.tanh(values @ layer / 7.0)
        return {"outputs": tf.nn.softmax(values)}

    module = tf.Module()
    module.layers, module.network = layers, network
    tf.saved_model.save(module, str(tmp_path), signatures={"serving_default": network})
    guide = SavedModelGuide(str(tmp_path))
    rows = records(*range(1, 1301))
    together = guide.predict(ROWS, rows)
    assert together.shape == (1300, 3)
    for size in (1, 7, 100, 512, 700):
        parts = [
            guide.predict(ROWS, rows[start : start + size]) for start in range(0, 200 if size == 1 else 1300, size)
        ]
        assert np.array_equal(np.concatenate(parts), together[: sum(map(len, parts))])
    order = generator.permutation(1300)
    assert np.array_equal(guide.predict(ROWS, [rows[i] for i in order]), together[order])


def test_no_rows(model):
    assert len(SavedModelGuide(model).predict(ROWS, [])) == 0
