"""The guide's predictions beside the rows they are about."""

import pyarrow as pa
import pytest

from tests.support.beam import batches_of, run
from tests.support.people import make_people
from tfx_anonymizer.errors import ColumnError, GuideError
from tfx_anonymizer.guides import GuideLocation, fit_estimator
from tfx_anonymizer.transforms.columns import RECORD_COLUMN, project, unify
from tfx_anonymizer.transforms.predict import PredictWithGuide, guide_matrix


@pytest.fixture(scope="module")
def people():
    return pa.Table.from_pandas(make_people(200), preserve_index=False)


@pytest.fixture(scope="module")
def location(people, tmp_path_factory):
    folder = tmp_path_factory.mktemp("guide")
    for name, data in fit_estimator(people, "ill", "gradient_boosting", leave_out=["name"]).to_files().items():
        (folder / name).write_bytes(data)
    return GuideLocation(str(folder))


def test_predictions_do_not_depend_on_batches(people, location):
    expected = location.load().predict(people)
    for rows in (200, 13):
        found = unify(run(batches_of(people, rows), lambda e: e | PredictWithGuide(location)))
        names = project(found, ["name"])["name"].to_pylist()
        by_person = dict(zip(names, guide_matrix(found).tolist(), strict=True))
        for name, prediction in zip(people["name"].to_pylist(), expected.tolist(), strict=True):
            assert by_person[name] == prediction


def test_records_are_dropped_unless_kept(people, location):
    batch = batches_of(people.append_column(RECORD_COLUMN, pa.array([b"r"] * 200)), 200)
    dropped = run(batch, lambda e: e | PredictWithGuide(location))[0]
    kept = run(batch, lambda e: e | PredictWithGuide(location, keep_records=True))[0]
    assert RECORD_COLUMN not in dropped.schema.names
    assert RECORD_COLUMN in kept.schema.names


def test_a_multi_valued_feature_is_refused(people, location):
    (batch,) = batches_of(people, 200)
    position = batch.schema.get_field_index("age")
    columns = list(batch.columns)
    columns[position] = pa.array([[1, 2]] * 200, pa.large_list(pa.int64()))
    with pytest.raises(ColumnError, match="'age' is multi-valued"):
        run([pa.RecordBatch.from_arrays(columns, names=batch.schema.names)], lambda e: e | PredictWithGuide(location))


def test_a_folder_without_a_model(people, tmp_path):
    with pytest.raises(GuideError, match="no model that can guide"):
        run(batches_of(people), lambda e: e | PredictWithGuide(GuideLocation(str(tmp_path))))
