"""Saved, loaded and re-applied generalizations."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tests.support.people import QUASI_IDENTIFIERS, guide_for, make_people
from tfx_anonymizer.core import AccuracyGuidedAnonymizer, Generalization
from tfx_anonymizer.errors import ColumnError, GeneralizationFormatError, PolicyError


@pytest.fixture(scope="module")
def people():
    return make_people()


@pytest.fixture(scope="module")
def fitted(people):
    anonymizer = AccuracyGuidedAnonymizer(QUASI_IDENTIFIERS, 10, categorical=["zip"])
    return anonymizer.fit(people, guide_for(people)).generalization_


def test_round_trip(tmp_path, people, fitted):
    fitted.save(tmp_path / "g")
    loaded = Generalization.load(tmp_path / "g")
    assert loaded.quasi_identifiers == tuple(QUASI_IDENTIFIERS)
    assert loaded.classes == fitted.classes
    pd.testing.assert_frame_equal(loaded.apply(people), fitted.apply(people))
    unseen = make_people(500, seed=99)
    assert (loaded.assign(unseen) == fitted.assign(unseen)).all()


def test_pandas_and_arrow_give_the_same_classes(people, fitted):
    assert (fitted.assign(pa.Table.from_pandas(people)) == fitted.assign(people)).all()


def test_new_rows_get_only_released_combinations(people, fitted):
    released = set(map(tuple, fitted.apply(people)[QUASI_IDENTIFIERS].astype(str).to_numpy()))
    unseen = fitted.apply(make_people(1000, seed=5).assign(city="Nowhere"))
    assert set(map(tuple, unseen[QUASI_IDENTIFIERS].astype(str).to_numpy())) <= released


def test_numbers_that_no_cut_needs_are_not_kept(people, fitted):
    heights = next(a for a in fitted.attributes if a.name == "height")
    assert len(heights.domain) < people["height"].nunique() / 2


def test_a_folder_in_use_is_not_overwritten(tmp_path, fitted):
    (tmp_path / "something").write_text("x")
    with pytest.raises(PolicyError, match="not empty"):
        fitted.save(tmp_path)


def damage_version(folder: Path):
    header = json.loads((folder / "generalization.json").read_text())
    (folder / "generalization.json").write_text(json.dumps({**header, "format_version": 99}))


def truncate(folder: Path):
    path = folder / "partition.arrow"
    path.write_bytes(path.read_bytes()[:-200])


def escape(folder: Path):
    header = json.loads((folder / "generalization.json").read_text())
    header["attributes"][0]["file"] = "../../elsewhere.arrow"
    (folder / "generalization.json").write_text(json.dumps(header))


@pytest.mark.parametrize(
    "damage",
    [
        damage_version,
        truncate,
        escape,
        lambda folder: (folder / "generalization.json").unlink(),
        lambda folder: (folder / "attribute-1.arrow").unlink(),
        lambda folder: (folder / "generalization.json").write_text("{"),
        lambda folder: (folder / "generalization.json").write_text("[]"),
    ],
    ids=["version", "truncated", "path", "no header", "no attribute", "no JSON", "no object"],
)
def test_damaged_folders_are_refused(tmp_path, fitted, damage):
    fitted.save(tmp_path / "g")
    damage(tmp_path / "g")
    with pytest.raises(GeneralizationFormatError):
        Generalization.load(tmp_path / "g")


def test_hostile_column_names(tmp_path):
    names = ["../up", "a/b", "ü\n", "con", "x" * 300]
    table = pd.DataFrame({name: np.arange(20) % (i + 2) for i, name in enumerate(names)})
    anonymizer = AccuracyGuidedAnonymizer(names, 4).fit(table)
    anonymizer.generalization_.save(tmp_path / "g")
    again = Generalization.load(tmp_path / "g")
    pd.testing.assert_frame_equal(again.apply(table), anonymizer.transform(table))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["g"]


def test_applied_to_a_table_of_another_kind(fitted, people):
    with pytest.raises(ColumnError, match="'city'"):
        fitted.apply(people.drop(columns="city"))
    with pytest.raises(ColumnError, match="'age' is of another type"):
        fitted.apply(people.assign(age="old"))
