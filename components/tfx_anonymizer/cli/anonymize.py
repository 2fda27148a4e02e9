"""`tfx-anonymizer anonymize`: a table in, its k-anonymous release out."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tfx_anonymizer.cli.options import Names, policy_of, roles

if TYPE_CHECKING:
    import pyarrow as pa

    from tfx_anonymizer.core import AccuracyGuidedAnonymizer
    from tfx_anonymizer.policy import AnonymizationPolicy
    from tfx_anonymizer.report import ReleaseFacts


@click.command(short_help="Rewrite a table so that k rows share each combination of quasi-identifiers.")
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="Where the release goes.")
@click.option("--label", help="Column that a model is to predict. It guides the grouping and stays as it is.")
@click.option("--guide", default=None, metavar="GUIDE",
              help="What says whom a model treats alike: gradient_boosting (default, if there is a label), "
              "random_forest, logistic_regression, mlp, labels, or the folder of a TensorFlow SavedModel.")  # fmt: skip
@roles
@click.option("--max-suppressed", type=float, default=0.0, show_default=True,
              help="Share of the rows, outliers, that may be left out, such as 0.01.")  # fmt: skip
@click.option("--categorical", type=Names(), multiple=True, help="Quasi-identifiers whose numbers are only codes.")
@click.option("--partitioner", default="auto", show_default=True,
              help="How rows are grouped: auto tries several and keeps what a cheap model learns most from; or "
              "guided_tree (fastest), contribution_mdav, contribution_directions, mdav, "
              "principal_directions; or a published baseline to compare with: mondrian, hilbert, r_plus_tree, "
              "entropy_tree, paper.")  # fmt: skip
@click.option("--representative", default="auto", show_default=True,
              type=click.Choice(["auto", "median", "typical", "altered_medoid", "by_attribute", "medoid"]),
              help="What a class releases; by_attribute gives each attribute what a cheap model learns most from; "
              "medoid is the paper's choice, a real record.")  # fmt: skip
@click.option("--effort", default="auto", show_default=True, type=click.Choice(["auto", "low", "medium", "high"]),
              help="How many ways of grouping auto tries; low is the guided tree alone.")  # fmt: skip
@click.option("--student", default="auto", show_default=True,
              type=click.Choice(["auto", "gradient_boosting", "random_forest", "mlp", "logistic_regression",
                                 "decision_tree"]),
              help="The model that tries them; auto is the guide's kind.")  # fmt: skip
@click.option("--seed", default=0, show_default=True, help="Seed of everything that is drawn at random.")
@click.option("--report", type=click.Path(path_type=Path), help="Write a report too, .html or .json.")
@click.option("--quiet", is_flag=True, help="Say nothing unless something is wrong.")
def anonymize(source: Path, output: Path, report: Path | None, quiet: bool, **options: Any) -> None:
    """Rewrite IN so that at least k rows share each combination of quasi-identifiers.

    All other columns stay as they are, cell by cell; rows come out in another order. The release is counted again
    before it is written.

    \b
    Example:
      tfx-anonymizer anonymize people.csv -o release.csv \\
        --label income --quasi-identifiers age,sex,zip --k 50 --report report.html
    """  # noqa: D301 (click wants the character itself)
    from tfx_anonymizer.report import check_report_path, write_report
    from tfx_anonymizer.tables import check_output, read_table

    policy = policy_of(options)
    check_output(output, source)
    if report is not None:
        check_report_path(report)
    started = time.monotonic()
    with _steps(quiet) as step:
        step("reading")
        table = read_table(source, delimiter=options["delimiter"], missing=options["missing"])
        policy.check_columns(table.typed.column_names)
        step("training the guide")
        predictions, kind = _guide(table.typed, policy, options)
        step("grouping")
        released, anonymizer = _group(table.typed, predictions, kind, policy, options)
        rows, table = table.typed.num_rows, table.filter(anonymizer.kept_.tolist())
        step("counting again")
        facts = _recount(table.typed, released, rows, anonymizer, policy, options)
        step("writing")
        table.write_release(output, released, policy.quasi_identifiers, policy.direct_identifiers)
        if report is not None:
            write_report(report, "tfx-anonymizer anonymize", facts)
    if not quiet:
        counted = facts.measures
        click.echo(
            f"k={counted['k']} reached (asked {policy.k}): {counted['rows']:,} rows in {counted['classes']:,} classes, "
            f"the largest of {counted['largest_class']:,}; {time.monotonic() - started:.1f} s"
        )
        if policy.max_suppressed:
            click.echo(f"left out: {facts.suppressed:,} of {rows:,} rows (allowed {policy.max_suppressed:.2%})")
        click.echo(f"release: {output}" + (f"   report: {report}" if report is not None else ""))


def _guide(table: pa.Table, policy: AnonymizationPolicy, options: dict[str, Any]) -> tuple[Any | None, str]:
    """Returns the guide's predictions, None where the label guides or nothing, and what kind of model it is."""
    from tfx_anonymizer.errors import PolicyError
    from tfx_anonymizer.guides import ESTIMATOR_NAMES, GuideLocation, fit_estimator

    name = options["guide"] or ("gradient_boosting" if policy.label else "labels")
    if name == "labels":
        return None, "auto"
    if name in ESTIMATOR_NAMES:
        if policy.label is None:
            raise PolicyError(f"guide {name} needs a label to learn", hint="pass --label")
        leave_out = [*policy.direct_identifiers, *([policy.entity_id] if policy.entity_id else [])]
        fitted = fit_estimator(
            table, policy.label, name, leave_out=leave_out, categorical=policy.categorical, seed=options["seed"]
        )
        return fitted.predict(table), fitted.kind
    if not Path(name).is_dir():
        raise PolicyError(
            "guide is neither known by name nor a folder",
            got=name,
            allowed=f"{', '.join(ESTIMATOR_NAMES)}, labels, or a SavedModel's folder",
        )
    guide = GuideLocation(name).load()
    records = None
    if guide.needs_records:
        from tfx_anonymizer.transforms.tf_examples import encode_examples

        records = encode_examples(table)
    return guide.predict(table, records), guide.kind


def _group(
    table: pa.Table, predictions: Any | None, kind: str, policy: AnonymizationPolicy, options: dict[str, Any]
) -> tuple[pa.Table, AccuracyGuidedAnonymizer]:
    """Returns the released rows, without direct identifiers, and what made them."""
    from tfx_anonymizer.core import AccuracyGuidedAnonymizer

    student = kind if options["student"] == "auto" else options["student"]
    anonymizer = AccuracyGuidedAnonymizer.from_policy(
        policy,
        partitioner=options["partitioner"],
        representative=options["representative"],
        effort=options["effort"],
        student=student,
        random_state=options["seed"],
    )
    # What will not be released is not learned from either.
    table = table.select([name for name in table.column_names if name not in policy.direct_identifiers])
    return anonymizer.fit_transform(table, predictions), anonymizer


def _recount(
    before: pa.Table,
    released: pa.Table,
    rows: int,
    anonymizer: AccuracyGuidedAnonymizer,
    policy: AnonymizationPolicy,
    options: dict[str, Any],
) -> ReleaseFacts:
    """Counts the release afresh and refuses it if it does not keep the guarantee."""
    from tfx_anonymizer.counting import count
    from tfx_anonymizer.errors import ViolationError
    from tfx_anonymizer.promises import broken, suppression_check
    from tfx_anonymizer.report.release import ReleaseFacts, compare_column

    measures, checks = count(released, policy)
    left_out = suppression_check(policy, rows, measures.rows)
    checks += [left_out] if left_out else []
    if broken(checks):
        raise ViolationError(
            "the release does not keep the guarantee, so it was not written",
            got="; ".join(broken(checks)),
            hint="this is a defect of tfx-anonymizer, please report it",
        )
    names = policy.quasi_identifiers
    return ReleaseFacts(
        policy=policy,
        checks=tuple(checks),
        measures=measures.to_dict(),
        attributes={name: compare_column(before.column(name), released.column(name)) for name in names},
        method={
            "guide": options["guide"] or ("gradient_boosting" if policy.label else "none"),
            "partitioner": anonymizer.candidate_.partitioner,
            "representative": anonymizer.candidate_.representative,
            "effort": options["effort"],
            "student": anonymizer.student if anonymizer.scores_ else "none",
            "seed": options["seed"],
        },
        suppressed=rows - measures.rows,
    )


def _steps(quiet: bool) -> Any:
    from tfx_anonymizer.cli.progress import Steps

    return Steps(total=5, quiet=quiet)
