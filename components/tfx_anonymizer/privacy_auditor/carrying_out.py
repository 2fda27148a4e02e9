"""From what was read to an audit."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfx_anonymizer.auditing.attribute_audit import AttributeAudit, audit_attribute
from tfx_anonymizer.auditing.model_audit import ModelAudit, audit_model
from tfx_anonymizer.auditing.release_audit import audit_release
from tfx_anonymizer.auditing.replicas import BuiltinPipeline, FittedEstimator, Train, load_function
from tfx_anonymizer.auditing.settings import AuditSettings
from tfx_anonymizer.auditing.subject import Answer, Subject, make_subject
from tfx_anonymizer.auditing.whole import Audit
from tfx_anonymizer.errors import GuideError, InputDataError, unknown_column
from tfx_anonymizer.guides import EstimatorGuide, GuideLocation
from tfx_anonymizer.policy import AnonymizationPolicy
from tfx_anonymizer.privacy_auditor.asking import Asked
from tfx_anonymizer.privacy_auditor.options import Options
from tfx_anonymizer.transforms.tf_examples import encode_examples

_COMPARED = 100


@dataclasses.dataclass(frozen=True)
class Inputs:
    """What an audit is given.

    Attributes:
        members: Members, and what the model said of them.
        others: Non-members, likewise.
        location: The model; None if only a release is attacked.
        release: The released rows; None if only a model is attacked.
        policy: Roles and promise; None if nothing was promised.
        label: The label's column; None if there is none.
        left_out: Columns that nobody learns from.
        categorical: Columns whose numbers are only codes.
        by_coin: Whether a coin drew members.
    """

    members: Asked
    others: Asked
    location: GuideLocation | None
    release: pa.Table | None
    policy: AnonymizationPolicy | None
    label: str | None
    left_out: tuple[str, ...]
    categorical: tuple[str, ...]
    by_coin: bool


def carry_out(inputs: Inputs, options: Options, settings: AuditSettings) -> Audit:
    """Carries out what an audit's inputs allow.

    Raises:
        AnonymizerError: If it cannot be.
    """
    subject, model, attributes = None, None, []
    references = "none"
    if inputs.location is not None:
        assert inputs.label is not None
        subject = _subject(inputs, options, settings)
        train, references = _references(inputs, options, settings)
        model = _model(inputs, subject, settings, train)
        attributes = _attributes(inputs, options, subject, settings)
    release = None
    if inputs.release is not None:
        assert inputs.policy is not None
        release = audit_release(
            _sampled(inputs.members.table, inputs.policy, settings),
            _sampled(inputs.others.table, inputs.policy, settings),
            inputs.release,
            inputs.policy,
            settings,
            by_coin=inputs.by_coin and inputs.policy.entity_id is None,
        )
    return Audit(
        settings=settings,
        target=_target(inputs),
        references=references,
        policy=inputs.policy,
        subject=subject,
        model=model,
        attributes=attributes,
        release=release,
    )


def _subject(inputs: Inputs, options: Options, settings: AuditSettings) -> Subject:
    label = inputs.label
    assert label is not None
    tables = [inputs.members.table, inputs.others.table]
    if options.label_fn is not None:
        tables = [_with_label(table, label, options.label_fn) for table in tables]
    return make_subject(
        tables[0],
        tables[1],
        label,
        records=settings.records,
        classes=options.label_classes or _classes_of(inputs.location),
        entity_id=options.entity_id or (inputs.policy.entity_id if inputs.policy else None),
        by_coin=inputs.by_coin,
        seed=settings.seed,
    )


def _classes_of(location: GuideLocation | None) -> tuple[str, ...]:
    guide = location.load() if location is not None else None
    return guide.classes if isinstance(guide, EstimatorGuide) else ()


def _with_label(table: pa.Table, label: str, path: str) -> pa.Table:
    found = load_function(path)(table)
    values = found if isinstance(found, (pa.Array, pa.ChunkedArray)) else pa.array(np.asarray(found))
    if len(values) != table.num_rows:
        raise InputDataError("label_fn gave another number of labels", got=len(values), allowed=table.num_rows)
    if label in table.column_names:
        return table.set_column(table.column_names.index(label), label, values)
    return table.append_column(label, values)


def _references(inputs: Inputs, options: Options, settings: AuditSettings) -> tuple[Train | None, str]:
    if not settings.reference_models:
        return None, "none"
    number = f"{settings.reference_models} models on random halves of the audited records"
    if options.reference_fn is not None:
        return load_function(options.reference_fn), f"{number}, trained by {options.reference_fn}"
    assert inputs.location is not None
    assert inputs.label is not None
    guide = inputs.location.load()
    kind = options.estimator or guide.kind
    pipeline = BuiltinPipeline(
        kind, inputs.label, inputs.policy, tuple(options.method.items()), inputs.left_out, inputs.categorical
    )
    way = "anonymized by the policy and then trained" if inputs.policy else "trained on raw rows"
    exact = isinstance(guide, EstimatorGuide) and kind == guide.kind
    stand_in = "" if exact else "; a stand-in for a model that cannot be trained again from here"
    return pipeline.train, f"{number}: built-in {kind}, {way}{stand_in}"


def _model(inputs: Inputs, subject: Subject, settings: AuditSettings, train: Train | None) -> ModelAudit:
    return audit_model(
        subject,
        _said(inputs)[subject.rows],
        settings,
        train,
        quasi_identifiers=inputs.policy.quasi_identifiers if inputs.policy else (),
        leave_out=inputs.left_out,
    )


def _said(inputs: Inputs) -> npt.NDArray[np.float64]:
    """Returns what the model said of members and of others, one below the other."""
    of_members, of_others = inputs.members.answers, inputs.others.answers
    if of_members is None or of_others is None or of_members.shape[1] != of_others.shape[1]:
        raise GuideError("the model did not answer alike for members and non-members")
    return np.concatenate([of_members, of_others])


def _attributes(inputs: Inputs, options: Options, subject: Subject, settings: AuditSettings) -> list[AttributeAudit]:
    names = options.attributes or (inputs.policy.sensitive if inputs.policy else ())
    found = []
    for name in names:
        if name not in subject.table.column_names:
            raise unknown_column(name, "attributes", subject.table.column_names)
        if name != inputs.label:
            answer = _answer(inputs.location, inputs, subject)
            if answer is None:
                why = "the model answers otherwise without features of several values"
                found.append(AttributeAudit(name, {}, {}, why))
            else:
                found.append(audit_attribute(subject, answer, name, settings, leave_out=inputs.left_out))
    return found


def _answer(location: GuideLocation | None, inputs: Inputs, subject: Subject) -> Answer | None:
    """Returns what asks the model about changed rows, in this process; None if it would not be the same model."""
    assert location is not None
    guide = location.load()
    if isinstance(guide, EstimatorGuide):
        return FittedEstimator(guide.features, guide.whole)

    def ask(table: pa.Table) -> npt.NDArray[Any]:
        return guide.predict_new(table, encode_examples(table) if guide.needs_records else None)

    said = _said(inputs)[subject.rows[:_COMPARED]]
    again = np.asarray(ask(subject.table.slice(0, _COMPARED))).reshape(len(said), -1)
    return ask if said.shape == again.shape and np.allclose(said, again, atol=1e-4) else None


def _sampled(table: pa.Table, policy: AnonymizationPolicy, settings: AuditSettings) -> pa.Table:
    """One worker's size; the rows come in an order of their own already."""
    keep = [name for name in table.column_names if name not in policy.direct_identifiers]
    return table.select(keep).slice(0, settings.records)


def _target(inputs: Inputs) -> str:
    parts = []
    if inputs.location is not None:
        guide = inputs.location.load()
        parts.append(f"a built-in {guide.kind}" if isinstance(guide, EstimatorGuide) else "a SavedModel")
    if inputs.release is not None:
        parts.append(f"a release of {inputs.release.num_rows:,} rows")
    return " and ".join(parts)
