"""`tfx-anonymizer audit`: attacks a release, and a model trained on it, before anyone else does."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tfx_anonymizer.cli.options import Names, flatten, policy_of, roles

if TYPE_CHECKING:
    import pyarrow as pa

    from tfx_anonymizer.auditing.replicas import BuiltinPipeline
    from tfx_anonymizer.auditing.settings import AuditSettings
    from tfx_anonymizer.auditing.subject import Answer
    from tfx_anonymizer.auditing.whole import Audit
    from tfx_anonymizer.policy import AnonymizationPolicy

_ESTIMATORS = ("random_forest", "gradient_boosting", "logistic_regression", "mlp")


@click.command(short_help="Attack a release and a model; exit 0 if every bound holds, 1 if not.")
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.option("--label", required=True, help="Column that the model predicts.")
@click.option("--control", type=click.Path(path_type=Path),
              help="People of the same population not in IN. Without: a random half of IN is held back.")  # fmt: skip
@click.option("--release", type=click.Path(path_type=Path),
              help="What was released of IN. Without: IN is anonymized here.")  # fmt: skip
@click.option("--model", default="random_forest", show_default=True, metavar="MODEL",
              help="What is trained on the release and attacked: random_forest, gradient_boosting, "
              "logistic_regression, mlp; or the folder of a TensorFlow SavedModel that was.")  # fmt: skip
@click.option("--raw-model", is_flag=True, help="Train the model, and its references, on the rows as they are.")
@roles
@click.option("--categorical", type=Names(), multiple=True, help="Columns whose numbers are only codes.")
@click.option("--attributes", type=Names(), multiple=True,
              help="Columns whose inference from the model is attacked. Default: the sensitive ones.")  # fmt: skip
@click.option("--label-classes", type=Names(), multiple=True,
              help="The label's values in the order of a SavedModel's outputs. Default: sorted.")  # fmt: skip
@click.option("--mode", type=click.Choice(["quick", "standard", "deep"]), default="standard", show_default=True,
              help="No training; 4 reference models; 64 and more attacks.")  # fmt: skip
@click.option("--references", type=int, help="Another, even number of reference models.")
@click.option("--effort", default="auto", show_default=True, type=click.Choice(["auto", "low", "medium", "high"]),
              help="How hard anonymization tries, here and for every reference.")  # fmt: skip
@click.option("--max-auc", type=float, default=0.6, show_default=True, help="Bound on the AUC of telling members.")
@click.option("--max-tpr", type=float, default=0.05, show_default=True,
              help="Bound on the share of members caught at 1 % false alarms.")  # fmt: skip
@click.option("--max-risk", type=float, default=0.1, show_default=True, help="Bound on the risks of the release.")
@click.option("--max-advantage", type=float, default=0.1, show_default=True,
              help="Bound on what the model adds to guessing a sensitive column.")  # fmt: skip
@click.option("--records", type=int, default=10_000, show_default=True, help="Most people judged on either side.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of every interval.")
@click.option("--seed", default=0, show_default=True, help="Seed of everything that is drawn at random.")
@click.option("--report", type=click.Path(path_type=Path), help="Write a report too, .html or .json.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
def audit(source: Path, control: Path | None, release: Path | None, report: Path | None, **options: Any) -> None:
    """Attack what IN's people are exposed to: a release of IN, and a model trained on it.

    Bounds hold if the upper confidence limit keeps to them, so too few people bless nothing.

    \b
    Exit code: 0 every bound holds, 1 one does not, 2 wrong usage or input.

    \b
    Examples:
      tfx-anonymizer audit people.csv --label income --quasi-identifiers age,sex,zip --k 50
      tfx-anonymizer audit people.csv --control others.csv --release release.csv \\
        --label income --quasi-identifiers age,sex,zip --k 50 --report audit.html
    """  # noqa: D301 (click wants the character itself)
    from tfx_anonymizer.cli.progress import Steps
    from tfx_anonymizer.report import check_report_path, framed_audit, write_audit_report

    if report is not None:
        check_report_path(report)
    with Steps(total=8, quiet=options["quiet"]) as step:
        found = audit_files(source, control, release, options, step)
    verdict = found.verdict()
    body = found.to_dict(verdict)
    tool = "tfx-anonymizer audit"
    if report is not None:
        write_audit_report(report, tool, body)
    if options["as_json"]:
        click.echo(json.dumps(framed_audit(tool, body), indent=2))
    else:
        _say(body, verdict.broken)
    sys.exit(0 if verdict.blessed else 1)


def audit_files(source: Path, control: Path | None, release: Path | None, options: dict[str, Any], step: Any) -> Audit:
    """Audits a table's release, and a model trained on it.

    Args:
        source: The people.
        control: Others of the same population; None: half of the people are held back.
        release: What was released; None: the people are anonymized here.
        options: The command's options by name.
        step: Is told what is done next.

    Raises:
        AnonymizerError: If an option is wrong, or the audit cannot be carried out.
    """
    from tfx_anonymizer.auditing.settings import AuditSettings

    _check_usage(control, release, options)
    names = ("mode", "references", "max_auc", "max_tpr", "max_risk", "max_advantage", "records", "confidence", "seed")
    settings = AuditSettings(**{name: options[name] for name in names})
    policy = _policy(options)
    step("reading")
    members, others = _people(source, control, options)
    pipeline = _pipeline(policy, options)
    return _carry_out(members, others, release, pipeline, policy, settings, {**options, "control": control}, step)


def _check_usage(control: Path | None, release: Path | None, options: dict[str, Any]) -> None:
    from tfx_anonymizer.errors import PolicyError

    if release is not None and control is None:
        raise PolicyError(
            "a release needs people who are not in it to compare with", hint="pass --control, or leave --release out"
        )
    if options["model"] in _ESTIMATORS:
        return
    if not Path(options["model"]).is_dir():
        raise PolicyError(
            "model is neither known by name nor a folder",
            got=options["model"],
            allowed=f"{', '.join(_ESTIMATORS)}, or a SavedModel's folder",
        )
    if control is None or release is None:
        raise PolicyError(
            "a model that is trained already needs to know who it was trained on",
            hint="pass --control and --release",
        )


def _policy(options: dict[str, Any]) -> AnonymizationPolicy:
    # The model's other columns may be only codes too; the policy speaks of quasi-identifiers alone.
    names = flatten(options["quasi_identifiers"])
    return policy_of(options, categorical=tuple(name for name in flatten(options["categorical"]) if name in names))


def _people(source: Path, control: Path | None, options: dict[str, Any]) -> tuple[pa.Table, pa.Table]:
    """Returns members and others."""
    import numpy as np
    import pyarrow as pa

    from tfx_anonymizer.hashing import row_hashes
    from tfx_anonymizer.tables import read_table

    def read(path: Path) -> pa.Table:
        table: pa.Table = read_table(path, delimiter=options["delimiter"], missing=options["missing"]).typed
        # That a direct identifier is absent is what is hoped for.
        dataclasses.replace(_policy(options), direct_identifiers=()).check_columns(table.column_names)
        return table

    members = read(source)
    if control is not None:
        return members, read(control)
    # A coin each: for people, where they are told apart, and else for rows, those alike sharing one.
    known = members.select([options["entity_id"]]) if options["entity_id"] else members
    held = (row_hashes(known, options["seed"] + 2**32) & np.uint64(1)) == 1
    return members.filter(pa.array(~held)), members.filter(pa.array(held))


def _pipeline(policy: AnonymizationPolicy, options: dict[str, Any]) -> BuiltinPipeline:
    from tfx_anonymizer.auditing.replicas import BuiltinPipeline
    from tfx_anonymizer.guides import GuideLocation

    name = options["model"]
    kind = name if name in _ESTIMATORS else GuideLocation(name).load().kind
    left_out = (*policy.direct_identifiers, *([policy.entity_id] if policy.entity_id else []))
    method = (("effort", options["effort"]),)
    return BuiltinPipeline(kind, options["label"], policy, method, left_out, flatten(options["categorical"]))


def _carry_out(
    members: pa.Table,
    others: pa.Table,
    release: Path | None,
    pipeline: BuiltinPipeline,
    policy: AnonymizationPolicy,
    settings: AuditSettings,
    options: dict[str, Any],
    step: Any,
) -> Audit:
    from tfx_anonymizer.auditing.attribute_audit import audit_attribute
    from tfx_anonymizer.auditing.model_audit import audit_model
    from tfx_anonymizer.auditing.release_audit import audit_release
    from tfx_anonymizer.auditing.subject import make_subject
    from tfx_anonymizer.auditing.whole import Audit
    from tfx_anonymizer.tables import read_table

    step("anonymizing" if release is None else "reading the release")
    if release is None:
        released = pipeline.release(members, settings.seed)
    else:
        released = read_table(release, delimiter=options["delimiter"], missing=options["missing"]).typed
    step("training the model")
    # Without a policy, a pipeline trains on rows as they are.
    trained_on = dataclasses.replace(pipeline, policy=None) if options["raw_model"] else pipeline
    answer = _target(trained_on, members if options["raw_model"] else released, settings.seed, options)
    subject = make_subject(
        members, others, options["label"], records=settings.records, classes=_classes(answer, options),
        entity_id=policy.entity_id, by_coin=options["control"] is None, seed=settings.seed,
    )  # fmt: skip
    model = audit_model(
        subject, answer(subject.table), settings, trained_on.train,
        quasi_identifiers=policy.quasi_identifiers, leave_out=pipeline.leave_out, step=step,
    )  # fmt: skip
    attributes = [
        audit_attribute(subject, answer, name, settings, leave_out=pipeline.leave_out)
        for name in _attributes(subject.table, policy, options)
    ]
    target = options["model"] if options["model"] in _ESTIMATORS else "a SavedModel"
    return Audit(
        settings=settings,
        target=f"{target} and a release of {released.num_rows:,} rows",
        references=_references(pipeline, settings, raw=options["raw_model"]),
        policy=policy,
        subject=subject,
        model=model,
        attributes=attributes,
        release=audit_release(members, others, released, policy, settings, step=step),
    )


def _attributes(table: pa.Table, policy: AnonymizationPolicy, options: dict[str, Any]) -> list[str]:
    from tfx_anonymizer.errors import unknown_column

    names = flatten(options["attributes"]) or policy.sensitive
    for name in names:
        if name not in table.column_names:
            raise unknown_column(name, "attributes", table.column_names)
    return [name for name in names if name != options["label"]]


def _references(pipeline: BuiltinPipeline, settings: AuditSettings, *, raw: bool) -> str:
    if not settings.reference_models:
        return "none"
    way = "trained on raw rows" if raw else "anonymized by the policy and then trained"
    number = settings.reference_models
    return f"{number} models on random halves of the audited records: built-in {pipeline.estimator}, {way}"


def _target(pipeline: BuiltinPipeline, rows: pa.Table, seed: int, options: dict[str, Any]) -> Answer:
    if options["model"] in _ESTIMATORS:
        return pipeline.fit(rows, seed)
    from tfx_anonymizer.guides import GuideLocation
    from tfx_anonymizer.transforms.tf_examples import encode_examples

    guide = GuideLocation(options["model"]).load()
    return lambda table: guide.predict_new(table, encode_examples(table) if guide.needs_records else None)


def _classes(answer: Answer, options: dict[str, Any]) -> tuple[str, ...]:
    return flatten(options["label_classes"]) or tuple(getattr(answer, "classes", ()))


def _say(body: dict[str, Any], broken: list[str]) -> None:
    for name, found in body["model"]["attacks"].items():
        auc, caught = found["auc"], found["tpr_at_fpr"]["0.01"]
        click.echo(
            f"{name:<14} AUC {auc['value']:.3f} ({auc['low']:.3f} to {auc['high']:.3f})   caught at 1 % false alarms "
            f"{caught['value']:.1%} ({caught['low']:.1%} to {caught['high']:.1%})"
        )
    for name, found in body["release"]["knowing_the_quasi_identifiers"].items():
        risk = found["risk"]
        click.echo(f"release: {name:<28} risk {risk['value']:.3f} ({risk['low']:.3f} to {risk['high']:.3f})")
    click.echo("leaks shown: " + (", ".join(body["leaks_shown"]) or "none"))
    click.echo("every bound holds" if not broken else "not every bound holds: " + "; ".join(broken))
