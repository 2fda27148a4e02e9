"""AGAnonymizer through LocalDagRunner: what it writes, what it leaves, and what it refuses before writing anything."""

from __future__ import annotations

import json
from collections import Counter

import pandas as pd
import pytest
import tensorflow as tf

from tests.support.examples import read_examples, read_records, write_examples, write_records, write_splits
from tests.support.people import QUASI_IDENTIFIERS, make_people
from tests.support.pipelines import artifact_facts, import_examples, run_components
from tfx_anonymizer import AGAnonymizer, AnonymizationPolicy, InitialModelTrainer, KAnonymityValidator
from tfx_anonymizer.core import Generalization
from tfx_anonymizer.errors import ColumnError, GuaranteeError, GuideError, InputDataError, PolicyError

K = 8
POLICY = AnonymizationPolicy(
    tuple(QUASI_IDENTIFIERS), K, label="ill", categorical=("zip",), direct_identifiers=("name",)
)


@pytest.fixture(scope="module")
def people():
    return make_people(300), make_people(120, seed=8)


@pytest.fixture(scope="module")
def raw(tmp_path_factory, people):
    train, held_out = people
    return write_splits(tmp_path_factory.mktemp("raw"), shards=3, train=train, eval=held_out)


@pytest.fixture(scope="module")
def run(tmp_path_factory, raw):
    """One run of all three components; returns its root and outputs."""
    root = tmp_path_factory.mktemp("run")
    examples = import_examples(raw)
    raw_channel = examples.outputs["result"]
    guide = InitialModelTrainer(
        raw_channel, estimator="gradient_boosting", label_key="ill", exclude_features=["name", "person"]
    )
    anonymizer = AGAnonymizer(raw_channel, guide.outputs["model"], policy=POLICY)
    validator = KAnonymityValidator(anonymizer.outputs["anonymized_examples"], policy=POLICY)
    return root, run_components(root, [examples, guide, anonymizer, validator])


def combinations(table):
    cells = table[QUASI_IDENTIFIERS].astype(object)
    return Counter(map(tuple, cells.where(cells.notna(), None).to_numpy().tolist()))


def others(table):
    names = sorted(set(table.columns) - set(QUASI_IDENTIFIERS) - {"name"})
    return sorted(map(repr, table[names].to_numpy().tolist()))


def test_k_rows_share_each_combination(run):
    released = read_examples(run[1]["AGAnonymizer", "anonymized_examples"] / "Split-train")
    assert len(released) == 300
    assert min(combinations(released).values()) >= K
    assert len(combinations(released)) > 10


def test_nothing_else_is_changed(run, raw):
    out = run[1]["AGAnonymizer", "anonymized_examples"]
    assert others(read_examples(out / "Split-train")) == others(read_examples(raw / "Split-train"))
    passed, before = read_examples(out / "Split-eval"), read_examples(raw / "Split-eval")
    assert combinations(passed) == combinations(before)
    assert others(passed) == others(before)


def test_direct_identifiers_are_dropped_everywhere(run):
    out = run[1]["AGAnonymizer", "anonymized_examples"]
    for split in ("train", "eval"):
        assert "name" not in read_examples(out / f"Split-{split}")


def test_facts_are_carried_over_and_raw_data_is_marked(run):
    facts = artifact_facts(run[0], "AGAnonymizer", "anonymized_examples")
    assert json.loads(facts["split_names"]) == ["train", "eval"]
    assert (facts["span"], facts["version"]) == (7, 2)
    assert facts["payload_format"] == "FORMAT_TF_EXAMPLE"
    assert facts["file_format"] == "tfrecords_gzip"
    assert facts["contains_personal_data"] == 1
    assert artifact_facts(run[0], "InitialModelTrainer", "model")["contains_personal_data"] == 1
    assert artifact_facts(run[0], "AGAnonymizer", "generalization")["contains_personal_data"] == 1
    report = artifact_facts(run[0], "AGAnonymizer", "report")
    assert (report["k"], report["rows"]) == (K, 300)
    assert report["k_reached"] >= K


def test_the_generalization_can_be_applied_again(run, people):
    generalization = Generalization.load(run[1]["AGAnonymizer", "generalization"] / "Split-train")
    table = people[0].assign(
        city=[None if c is None else c.encode() for c in people[0]["city"]],
        height=people[0]["height"].astype("float32"),
    )
    again = generalization.apply(table)
    again = again.assign(city=[None if c is None else c.decode() for c in again["city"]])
    released = read_examples(run[1]["AGAnonymizer", "anonymized_examples"] / "Split-train")
    # Rows are placed into released classes; not each into its own, unless the classes are a tree's leaves.
    assert len(again) == len(released)
    assert set(combinations(again)) <= set(combinations(released))
    assert len(combinations(again)) > 10


def test_the_report_holds_no_value_of_a_record(run, people):
    text = (run[1]["AGAnonymizer", "report"] / "report.json").read_text()
    report = json.loads(text)
    assert report["splits"]["train"]["counted"]["k"] >= K
    assert report["splits"]["train"]["guide"] == "model"
    assert report["other_splits"] == {"eval": "pass"}
    assert report["not_covered"]
    for value in ["Ulm", "東京", "person number", "89073", *map(str, people[0]["income"].head(50))]:
        assert value not in text
    assert [path.name for path in run[1]["AGAnonymizer", "report"].iterdir()] == ["report.json"]


def test_the_release_passes_the_raw_datas_own_schema(run, raw):
    import tensorflow_data_validation as tfdv

    schema = tfdv.infer_schema(
        tfdv.generate_statistics_from_tfrecord(f"{raw}/Split-train/*"), infer_feature_shape=False
    )
    schema.feature.remove(next(f for f in schema.feature if f.name == "name"))
    released = run[1]["AGAnonymizer", "anonymized_examples"] / "Split-train"
    found = tfdv.validate_statistics(tfdv.generate_statistics_from_tfrecord(f"{released}/*"), schema)
    assert dict(found.anomaly_info) == {}


def anonymize(root, folder, **arguments):
    examples = import_examples(folder)
    return run_components(root, [examples, AGAnonymizer(examples.outputs["result"], policy=POLICY, **arguments)])


def test_transform_places_the_other_splits(tmp_path, raw):
    out = anonymize(tmp_path, raw, other_splits="transform")["AGAnonymizer", "anonymized_examples"]
    train, evaluation = (read_examples(out / f"Split-{split}") for split in ("train", "eval"))
    assert set(combinations(evaluation)) <= set(combinations(train))
    assert len(evaluation) == 120
    assert "contains_personal_data" not in artifact_facts(tmp_path, "AGAnonymizer", "anonymized_examples")


def test_drop_leaves_the_other_splits_out(tmp_path, raw):
    out = anonymize(tmp_path, raw, other_splits="drop")["AGAnonymizer", "anonymized_examples"]
    assert [path.name for path in out.iterdir()] == ["Split-train"]
    facts = artifact_facts(tmp_path, "AGAnonymizer", "anonymized_examples")
    assert json.loads(facts["split_names"]) == ["train"]


def test_several_splits_each_keep_the_promise(tmp_path, raw):
    out = anonymize(tmp_path, raw, splits=["eval", "train"])["AGAnonymizer", "anonymized_examples"]
    for split, rows in (("train", 300), ("eval", 120)):
        released = read_examples(out / f"Split-{split}")
        assert len(released) == rows
        assert min(combinations(released).values()) >= K
    assert "contains_personal_data" not in artifact_facts(tmp_path, "AGAnonymizer", "anonymized_examples")


def test_people_are_counted_when_rows_have_owners(tmp_path, raw):
    out = anonymize(tmp_path, raw, entity_id="person")["AGAnonymizer", "anonymized_examples"]
    released = read_examples(out / "Split-train")
    owners = released.groupby([released[q].astype(str) for q in QUASI_IDENTIFIERS])["person"].nunique()
    assert owners.min() >= K


def test_roles_from_a_schema(tmp_path, raw):
    from tfx import v1 as tfx

    schema = tmp_path / "schema.pbtxt"
    features = [(name, "quasi_identifier") for name in QUASI_IDENTIFIERS] + [
        ("ill", "label"),
        ("name", "direct_identifier"),
    ]
    schema.write_text("".join(f'feature {{ name: "{n}" annotation {{ tag: "{t}" }} }}\n' for n, t in features))
    examples = import_examples(raw)
    schema_gen = tfx.components.ImportSchemaGen(schema_file=str(schema))
    anonymizer = AGAnonymizer(examples.outputs["result"], schema=schema_gen.outputs["schema"], k=K)
    out = run_components(tmp_path, [examples, schema_gen, anonymizer])
    released = read_examples(out["AGAnonymizer", "anonymized_examples"] / "Split-train")
    assert min(combinations(released).values()) >= K
    assert "name" not in released


def test_sequence_examples(tmp_path):
    rows = make_people(60)
    records = []
    for row in rows.astype(object).to_dict("records"):
        example = tf.train.SequenceExample()
        example.context.feature["age"].int64_list.value.append(row["age"])
        example.context.feature["ill"].int64_list.value.append(row["ill"])
        example.feature_lists.feature_list["steps"].feature.add().int64_list.value.append(row["person"])
        example.feature_lists.feature_list["name"].feature.add().bytes_list.value.append(row["name"].encode())
        records.append(example.SerializeToString())
    write_records(tmp_path / "in" / "Split-train", records)
    examples = import_examples(tmp_path / "in", ["train"], "FORMAT_TF_SEQUENCE_EXAMPLE")
    policy = AnonymizationPolicy(("age",), 5, label="ill", direct_identifiers=("name",))
    anonymizer = AGAnonymizer(examples.outputs["result"], policy=policy)
    validator = KAnonymityValidator(anonymizer.outputs["anonymized_examples"], policy=policy)
    out = run_components(tmp_path / "run", [examples, anonymizer, validator])
    released = read_records(out["AGAnonymizer", "anonymized_examples"] / "Split-train")
    parsed = [tf.train.SequenceExample.FromString(record) for record in released]
    ages = Counter(e.context.feature["age"].int64_list.value[0] for e in parsed)
    assert min(ages.values()) >= 5
    steps = [e.feature_lists.feature_list["steps"].feature[0].int64_list.value[0] for e in parsed]
    assert sorted(steps) == sorted(rows["person"])
    assert all("name" not in e.feature_lists.feature_list for e in parsed)


def test_parquet_examples(tmp_path):
    people = make_people(60)
    folder = tmp_path / "in" / "Split-train"
    folder.mkdir(parents=True)
    people.to_parquet(folder / "part-0.parquet", index=False)
    examples = import_examples(tmp_path / "in", ["train"], "FORMAT_PARQUET")
    anonymizer = AGAnonymizer(examples.outputs["result"], policy=POLICY)
    validator = KAnonymityValidator(anonymizer.outputs["anonymized_examples"], policy=POLICY)
    out = run_components(tmp_path / "run", [examples, anonymizer, validator])
    released = pd.concat(map(pd.read_parquet, (out["AGAnonymizer", "anonymized_examples"] / "Split-train").iterdir()))
    assert released.dtypes.equals(people.drop(columns="name").dtypes)
    assert min(released.fillna("missing").groupby(QUASI_IDENTIFIERS).size()) >= K


def spoil(table, **columns):
    rows = table.astype(object).to_dict("records")
    for name, value in columns.items():
        for row in rows:
            row[name] = value
    return rows


def truncate(folder):
    path = next(iter(sorted(folder.iterdir())))
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize(
    ("prepare", "arguments", "error", "says"),
    [
        (lambda f, t: write_examples(f, t.head(7)), {}, GuaranteeError, "7 rows, k=8.*smaller k"),
        (
            lambda f, t: write_examples(f, spoil(t, person=1)),
            {"entity_id": "person"},
            GuaranteeError,
            "fewer than k distinct",
        ),
        (write_examples, {"quasi_identifiers": ["agee"]}, ColumnError, "did you mean 'age'"),
        (lambda f, t: write_examples(f, spoil(t, age=[1, 2])), {}, ColumnError, "'age' is multi-valued"),
        (lambda f, t: write_examples(f, spoil(t, age=None)), {}, ColumnError, "'age' is missing in every row"),
        (lambda f, t: write_examples(f, []), {}, InputDataError, "split 'train' holds no examples"),
        (lambda f, t: f.mkdir(parents=True), {}, InputDataError, "split 'train' holds no file"),
        (lambda f, t: (write_examples(f, t), truncate(f)), {}, InputDataError, "cannot be read.*truncated"),
        (write_examples, {"splits": ["trian"]}, PolicyError, "'trian'; allowed: 'train'"),
    ],
    ids=["few rows", "few people", "unknown", "multi-valued", "all missing", "empty", "no file", "truncated", "split"],
)
def test_refused_before_anything_is_written(tmp_path, people, prepare, arguments, error, says):
    prepare(tmp_path / "in" / "Split-train", people[0])
    options = {"policy": POLICY, **arguments}
    if "quasi_identifiers" in arguments:
        options = {"quasi_identifiers": arguments["quasi_identifiers"], "k": K}
    examples = import_examples(tmp_path / "in", ["train"])
    with pytest.raises(error, match=says) as caught:
        run_components(tmp_path / "run", [examples, AGAnonymizer(examples.outputs["result"], **options)])
    assert not [path for path in (tmp_path / "run" / "AGAnonymizer").rglob("*") if path.is_file()]
    for secret in ("Ulm", "person number", "東京"):
        assert secret not in str(caught.value)


def test_a_model_without_a_usable_signature(tmp_path, raw):
    from tfx import v1 as tfx
    from tfx.v1.types import standard_artifacts

    tf.saved_model.save(tf.Module(), str(tmp_path / "model" / "Format-Serving"))
    examples = import_examples(raw)
    model = tfx.dsl.Importer(source_uri=str(tmp_path / "model"), artifact_type=standard_artifacts.Model).with_id("Bare")
    anonymizer = AGAnonymizer(examples.outputs["result"], model.outputs["result"], policy=POLICY)
    with pytest.raises(GuideError, match="no signature 'serving_default'"):
        run_components(tmp_path / "run", [examples, model, anonymizer])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"k": 5}, "no quasi_identifiers were given"),
        ({"quasi_identifiers": ["age"]}, "k was not given"),
        ({"quasi_identifiers": ["age"], "k": 1}, "k is out of range"),
        ({"quasi_identifiers": "age", "k": 5}, "not a list"),
        ({"quasi_identifiers": ["age"], "k": 5, "label_key": "age"}, "label 'age' is also"),
        ({"quasi_identifiers": ["age"], "k": 5, "l": 2}, "no column is sensitive"),
        ({"policy": POLICY, "sensitive": ["ill"], "l": 2, "diversity": "recursive"}, "needs c"),
        ({"policy": POLICY, "max_suppressed": 1.5}, "max_suppressed is out of range"),
        ({"policy": POLICY, "sensitive": ["age"], "l": 2}, "named in quasi_identifiers and in sensitive"),
        ({"policy": POLICY, "partitioner": "kd"}, "partitioner is not known"),
        ({"policy": POLICY, "other_splits": "keep"}, "other_splits is not known"),
        ({"policy": POLICY, "splits": "train"}, "not a list of split names"),
        ({"policy": POLICY, "splits": ["a", "a"]}, "names a split twice"),
        ({"policy": POLICY, "seed": -1}, "seed is out of range"),
        ({"policy": POLICY, "max_rows_per_shard": 3}, "max_rows_per_shard is out of range"),
        ({"policy": POLICY, "max_rows_per_shard": 2.5e5}, "max_rows_per_shard is out of range"),
        ({"policy": {"k": 5}}, "not an AnonymizationPolicy"),
    ],
)
def test_configuration_is_checked_when_the_pipeline_is_built(tmp_path, arguments, says):
    examples = import_examples(tmp_path)
    with pytest.raises(PolicyError, match=says):
        AGAnonymizer(examples.outputs["result"], **arguments)
