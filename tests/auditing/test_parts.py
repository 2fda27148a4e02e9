"""The parts of an audit: settings, references that go the whole way, verdicts, and the page."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tests.support.people import make_people
from tfx_anonymizer.attacks.figures import measure
from tfx_anonymizer.auditing.attribute_audit import audit_attribute
from tfx_anonymizer.auditing.model_audit import Judgement, ModelAudit, audit_model
from tfx_anonymizer.auditing.release_audit import audit_release
from tfx_anonymizer.auditing.replicas import BuiltinPipeline, as_replica, load_function
from tfx_anonymizer.auditing.settings import AuditSettings
from tfx_anonymizer.auditing.subject import make_subject
from tfx_anonymizer.auditing.verdict import judge
from tfx_anonymizer.auditing.whole import Audit
from tfx_anonymizer.errors import GuideError, PolicyError
from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.report import framed_audit, render_audit_html

QI = ("age", "height", "city", "zip")
POLICY = AnonymizationPolicy(QI, 15, label="ill", categorical=("zip",), direct_identifiers=("name",))
PIPELINE = BuiltinPipeline(
    "logistic_regression", "ill", POLICY, (("effort", "low"),), ("name", "person", "income", "diagnosis")
)


def table(rows=300, seed=3):
    return pa.Table.from_pandas(make_people(rows, seed), preserve_index=False)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"mode": "slow"}, "mode is not known"),
        ({"references": 5}, "references is out of range"),
        ({"references": 2, "mode": "deep"}, "an even number of 4 or more"),
        ({"references": True}, "references is out of range"),
        ({"max_tpr": 1.5}, "max_tpr is out of range"),
        ({"max_auc": float("nan")}, "max_auc is out of range"),
        ({"confidence": 1.0}, "confidence is out of range"),
        ({"records": 49}, "records is out of range"),
        ({"seed": -1}, "seed is out of range"),
        ({"delta": -0.1}, "delta is out of range"),
        ({"speed": 1}, "no such field; got: speed"),
    ],
)
def test_settings_are_checked(fields, says):
    with pytest.raises(PolicyError, match=says):
        AuditSettings.from_dict(fields)


def test_whole_floats_become_integers():
    found = AuditSettings.from_dict({"references": 8.0, "records": 100.0, "mode": "deep"})
    assert (found.references, found.records, found.reference_models) == (8, 100, 8)
    assert AuditSettings.from_dict(found.to_dict()) == found


def test_references_go_the_whole_way():
    raw = table()
    released = PIPELINE.release(raw, 0).to_pandas()
    assert released.groupby(list(QI), dropna=False).size().min() >= 15
    answer = PIPELINE.train(raw, 0)
    assert answer.classes == ("0", "1")
    assert set(answer.features.names) == set(QI)
    np.testing.assert_array_equal(answer(raw), PIPELINE.fit(PIPELINE.release(raw, 0), 0)(raw))
    bare = dataclasses.replace(PIPELINE, policy=None)
    assert bare.release(raw, 0) is raw


def test_a_reference_that_never_met_a_class_gives_it_nothing():
    raw = pa.table({"a": range(150), "y": ["x", "y", "z"] * 50})
    subject = make_subject(raw, raw, "y", records=500)

    def train(_rows, _seed):
        def answer(asked):
            return np.tile([0.75, 0.25], (asked.num_rows, 1))

        answer.classes = ("x", "z")
        return answer

    found = as_replica(train, subject)(np.arange(10), 0)
    by_class = {name: found[subject.codes() == place] for place, name in enumerate("xyz")}
    assert (by_class["x"] == 0.75).all()
    assert (by_class["y"] == 0).all()
    assert (by_class["z"] == 0.25).all()


def test_a_label_of_one_value_is_refused():
    raw = table().set_column(table().column_names.index("ill"), "ill", pa.array([1] * 300))
    with pytest.raises(GuideError, match="fewer than two values"):
        PIPELINE.fit(raw, 0)


@pytest.mark.parametrize(("path", "says"), [("no.such.f", "cannot be imported"), ("math.pi", "is no function")])
def test_a_function_that_is_none(path, says):
    with pytest.raises(PolicyError, match=says):
        load_function(path)
    assert load_function("math.sqrt")(4.0) == 2.0


def audit_of(scores, members, **settings):
    asked = AuditSettings(mode="quick", **settings)
    judged = np.ones(len(members), dtype=bool)
    figures = {"loss": measure(scores, members)}
    model = ModelAudit({"loss": Judgement(scores, judged)}, figures, {}, "loss", 0, None)
    return judge(asked, members, model)


def test_few_people_bless_nothing_and_accuse_nobody():
    rng = np.random.default_rng(1)
    many, few = np.arange(4000) < 2000, np.arange(120) < 60
    assert audit_of(rng.normal(size=4000), many).blessed
    verdict = audit_of(rng.normal(size=120), few)
    assert not verdict.blessed
    assert verdict.shown == ()
    assert "with more records it may turn out less" in verdict.broken[0]


def test_a_small_leak_is_shown_and_may_be_allowed():
    rng = np.random.default_rng(1)
    members = np.arange(8000) < 4000
    verdict = audit_of(rng.normal(size=8000) + 0.15 * members, members)
    assert verdict.shown == ("model: loss",)
    assert verdict.blessed
    assert not audit_of(rng.normal(size=8000) + 0.15 * members, members, max_auc=0.5).blessed


def test_whom_a_release_hides_by_an_exchange_breaks_a_bound_of_absence():
    rng = np.random.default_rng(2)
    names = list("abcdef")
    policy = AnonymizationPolicy(tuple(names), 5, categorical=tuple(names))
    members, others = (rng.integers(0, 8, (600, 6)) for _ in range(2))
    hidden = members[:120].copy()
    # A value that nobody has, in another column of each; five rows of each, as a class is released.
    hidden[np.arange(120), rng.integers(0, 6, 120)] = 100 + np.arange(120)
    release = np.repeat(hidden, 5, axis=0)
    tables = [pa.table(dict(zip(names, rows.T, strict=True))) for rows in (members, others, release)]
    settings = AuditSettings(mode="quick", max_tpr=0.1)
    found = audit_release(*tables, policy, settings)
    assert found.absence.auc.low > 0.55
    assert found.to_dict()["absence"]["tpr_at_fpr"]["0.01"]["value"] > 0.1
    broken = [check for check in judge(settings, release=found).checks if not check.holds]
    assert ("tpr_at_fpr_0.01", "absence") in [(check.name, check.attack) for check in broken]
    (presence,) = [attack for attack in found.known if attack.name == "presence"]
    assert presence.successes == 0


def test_references_are_asked_for_by_name():
    raw = table()
    subject = make_subject(raw.slice(0, 150), raw.slice(150), "ill", records=500)
    with pytest.raises(PolicyError, match="nothing says how"):
        audit_model(subject, np.full(300, 0.5), AuditSettings())


def test_deep_mode_carries_out_every_attack():
    raw = table(240)
    pipeline = dataclasses.replace(PIPELINE, policy=None)
    subject = make_subject(raw.slice(0, 120), raw.slice(120), "ill", records=500)
    answer = pipeline.train(subject.table.filter(pa.array(subject.members)), 0)
    found = audit_model(
        subject, answer(subject.table), AuditSettings(mode="deep", references=4), pipeline.train,
        quasi_identifiers=QI, leave_out=pipeline.leave_out,
    )  # fmt: skip
    names = {"loss", "gap", "quantile", "rmia", "rmia_offline", "lira", "lira_offline", "neural"}
    assert set(found.figures) == names
    assert found.figures["neural"].members == 60
    assert set(found.groups) == {"rarest_label", "alone", "not_alone"}
    assert found.groups["not_alone"] is None


def test_attributes_that_cannot_be_attacked_say_why():
    raw = table()
    subject = make_subject(raw.slice(0, 150), raw.slice(150), "ill", records=500)
    answer = dataclasses.replace(PIPELINE, policy=None).train(raw, 0)
    found = audit_attribute(subject, answer, "income", AuditSettings())
    assert found.not_attacked == "more than 20 values"
    attacked = audit_attribute(subject, answer, "city", AuditSettings(), leave_out=PIPELINE.leave_out)
    assert attacked.not_attacked is None
    assert set(attacked.members) == {"black_box"}
    assert attacked.members["black_box"].people == 75


def test_the_page_takes_hostile_names():
    raw = table()
    subject = make_subject(raw.slice(0, 150), raw.slice(150), "ill", records=500)
    settings = AuditSettings(mode="quick")
    model = audit_model(subject, np.random.default_rng(0).random(300), settings, leave_out=PIPELINE.leave_out)
    attribute = dataclasses.replace(
        audit_attribute(subject, lambda asked: np.full(asked.num_rows, 0.5), "city", settings),
        attribute="<script>alert(1)</script>",
    )
    audit = Audit(settings, "a model", "none", POLICY, subject, model, [attribute])
    report = framed_audit("test", audit.to_dict(audit.verdict()))
    page = render_audit_html(report)
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "too few to say" not in page
    assert pd.isna(report["model"]["attacks"]["loss"]["epsilon_lower_bound"]["one_run"])
