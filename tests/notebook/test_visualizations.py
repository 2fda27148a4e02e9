"""TFX's registry has a visualization for each artifact type of this package, and it shows what the components write."""

from __future__ import annotations

import inspect

import pytest
from tfx import v1 as tfx

import tfx_anonymizer.notebook
from tfx_anonymizer import artifacts, errors
from tfx_anonymizer.component_support.reports import write_blessing, write_report
from tfx_anonymizer.notebook.visualizations import VISUALIZATIONS, registry

OURS = [
    found
    for found in vars(artifacts).values()
    if inspect.isclass(found) and issubclass(found, tfx.dsl.Artifact) and found.__module__ == artifacts.__name__
]


@pytest.fixture
def shown(monkeypatch):
    pages: list = []
    monkeypatch.setattr("IPython.display.display", lambda page: pages.append(page.data))
    tfx_anonymizer.notebook.register()

    def show(artifact):
        registry().get_visualization(artifact.type_name).display(artifact)
        return pages[-1]

    return show


def made(artifact_type, folder):
    artifact = artifact_type()
    artifact.uri = str(folder)
    return artifact


def test_every_type_has_one():
    assert len(OURS) >= 4
    assert {found.ARTIFACT_TYPE for found in VISUALIZATIONS} == set(OURS)


def test_registering_leaves_the_others_alone():
    from tfx.orchestration.experimental.interactive import standard_visualizations

    standard_visualizations.register_standard_visualizations()
    tfx_anonymizer.notebook.register()
    tfx_anonymizer.notebook.load_ipython_extension(None)
    assert registry().get_visualization("Schema") is not None
    for artifact_type in OURS:
        assert registry().get_visualization(artifact_type.TYPE_NAME).ARTIFACT_TYPE is artifact_type


@pytest.mark.parametrize("artifact_type", [artifacts.AnonymizationReport, artifacts.ValidationReport])
def test_reports(shown, tmp_path, artifact_type):
    counted = {"k": 5, "rows": 5, "classes": 1, "class_sizes": {"5": 1}}
    check = {"name": "k", "asked": 5, "reached": 5, "holds": True, "column": None}
    body = {"policy": {"entity_id": None}, "splits": {"train": {"checks": [check], "counted": counted}}}
    write_report(str(tmp_path), "Maker", body)
    assert "Maker: every promise holds." in shown(made(artifact_type, tmp_path))


def test_a_comparison(shown, tmp_path):
    (tmp_path / "comparison.html").write_text("<!doctype html><title>What privacy costs</title>")
    assert "What privacy costs" in shown(made(artifacts.ComparisonReport, tmp_path))


def test_an_audit(shown, tmp_path):
    (tmp_path / "report.html").write_text("<!doctype html><title>Audit</title>")
    assert "Audit" in shown(made(artifacts.AuditReport, tmp_path))


def test_a_pipeline(shown, tmp_path):
    (tmp_path / "report.html").write_text("<!doctype html><title>People</title>")
    page = shown(made(artifacts.PrivacyReport, tmp_path))
    assert "Privacy report" in page
    assert "People" in page


def test_a_synthesis(shown, tmp_path):
    (tmp_path / "report.html").write_text("<!doctype html><title>Synthesis</title>")
    assert "Synthesis" in shown(made(artifacts.SynthesisReport, tmp_path))


def test_a_choice(shown, tmp_path):
    (tmp_path / "choice.json").write_text('{"k": 25, "partitioner": "auto"}')
    assert "k = 25; partitioner: auto." in shown(made(artifacts.AnonymizationChoice, tmp_path))


@pytest.mark.parametrize("blessed", [True, False])
def test_blessings(shown, tmp_path, blessed):
    artifact = made(artifacts.PrivacyBlessing, tmp_path)
    write_blessing(artifact, blessed=blessed)
    assert ("Blessed: every" if blessed else "Not blessed") in shown(artifact)


def test_no_verdict_is_not_a_good_one(shown, tmp_path):
    assert "No verdict" in shown(made(artifacts.PrivacyBlessing, tmp_path / "never written"))


def test_two_verdicts_are_none(shown, tmp_path):
    artifact = made(artifacts.PrivacyBlessing, tmp_path)
    for blessed in (True, False):
        write_blessing(artifact, blessed=blessed)
    assert "No verdict" in shown(artifact)


def test_a_generalization(shown, tmp_path):
    import pandas as pd

    from tfx_anonymizer.core import AccuracyGuidedAnonymizer

    people = pd.DataFrame({"town": ["Ulm", "Ulm", "Bâle", "Bâle"], "age": [71, 72, 93, 94]})
    anonymizer = AccuracyGuidedAnonymizer(["town", "age"], k=2, effort="low").fit(people)
    anonymizer.generalization_.save(tmp_path / "Split-train")
    page = shown(made(artifacts.Generalization, tmp_path))
    assert "town, age" in page
    assert not any(str(value) in page for column in people for value in people[column])


def test_an_absent_report_is_a_typed_error(shown, tmp_path):
    with pytest.raises(errors.InputDataError, match=r"tfx_anonymizer\.ValidationReport holds no report\.json"):
        shown(made(artifacts.ValidationReport, tmp_path))


def test_a_damaged_report_is_a_typed_error(shown, tmp_path):
    (tmp_path / "report.json").write_text('{"secret of somebody')
    with pytest.raises(errors.InputDataError, match="damaged") as raised:
        shown(made(artifacts.ValidationReport, tmp_path))
    assert "secret" not in str(raised.value)
