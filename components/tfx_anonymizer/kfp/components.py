"""The KFP components. Each is carried to its pod as source text, so it imports what it needs inside.

Numbers have defaults that ask for nothing instead of being optional: `kfp.local` cannot leave an optional number out.
Their image must have this package installed; `TFX_ANONYMIZER_IMAGE` names it before the pipeline is compiled.
"""

# No `from __future__ import annotations`: KFP reads these annotations.
import os
from typing import List, Optional  # noqa: UP035 (what KFP 2.5 reads)

from kfp import dsl
from kfp.dsl import HTML, Dataset, Input, Markdown, Metrics, Output

from tfx_anonymizer._version import __version__

IMAGE = os.environ.get("TFX_ANONYMIZER_IMAGE") or f"tfx-anonymizer:{__version__}"


@dsl.component(base_image=IMAGE, install_kfp_package=False)  # type: ignore[untyped-decorator, unused-ignore]
def anonymize(
    data: Input[Dataset],
    release: Output[Dataset],
    metrics: Output[Metrics],
    report: Output[HTML],
    summary: Output[Markdown],
    quasi_identifiers: List[str],  # noqa: UP006
    k: int,
    label: Optional[str] = None,  # noqa: UP045
    guide: Optional[str] = None,  # noqa: UP045
    sensitive: Optional[List[str]] = None,  # noqa: UP006, UP045
    l: float = 1.0,
    diversity: str = "distinct",
    c: float = 0.0,
    t: float = 1.0,
    entity_id: Optional[str] = None,  # noqa: UP045
    direct_identifiers: Optional[List[str]] = None,  # noqa: UP006, UP045
    categorical: Optional[List[str]] = None,  # noqa: UP006, UP045
    max_suppressed: float = 0.0,
    partitioner: str = "auto",
    representative: str = "auto",
    effort: str = "auto",
    student: str = "auto",
    seed: int = 0,
    file_format: str = "csv",
    delimiter: str = ",",
    missing: Optional[List[str]] = None,  # noqa: UP006, UP045
) -> None:
    """Rewrites a table so that at least k rows (or people) share each combination of quasi-identifiers.

    Args:
        data: The raw table: CSV with a header, or Parquet.
        release: The table, in the same form, with rewritten quasi-identifiers and rows in another order.
        metrics: What was counted of the release: k, rows, classes, the largest class, the highest risk.
        report: The whole report as a page.
        summary: Its most important lines.
        quasi_identifiers: Columns an outsider may know.
        k: Least size of a class; at least 2.
        label: The column a model is to predict; it guides the grouping and stays as it is.
        guide: What learns the label to guide the grouping: gradient_boosting (default), random_forest,
            logistic_regression, mlp, or labels for the label itself.
        sensitive: Columns that l and t protect.
        l: How diverse sensitive values are in each class; 1 asks for nothing.
        diversity: In what sense: distinct, entropy or recursive.
        c: The factor of recursive diversity; 0 with the others.
        t: Greatest distance of a class's sensitive distribution from the table's, 0 to 1; 1 asks for nothing.
        entity_id: The column that says whose row it is; k then counts people.
        direct_identifiers: Columns to drop, such as names.
        categorical: Quasi-identifiers whose numbers are only codes.
        max_suppressed: Greatest share of rows that may be left out because they fit into no class.
        partitioner: How rows are grouped.
        representative: What a class releases: auto, median, typical, altered_medoid, by_attribute or medoid.
        effort: How many ways of grouping auto tries: auto, low, medium or high.
        student: The kind of model that tries them; auto is the guide's.
        seed: Seed of whatever draws at random.
        file_format: csv or parquet, where neither the artifact's metadata nor its name says which.
        delimiter: What separates the cells of a CSV file.
        missing: Cells of a CSV file that mean missing; an empty cell by default.
    """
    from tfx_anonymizer.kfp.datasets import TableArtifact, anonymize_table

    done = anonymize_table(
        TableArtifact.of(data, file_format, delimiter, missing),
        release.path,
        policy={
            "quasi_identifiers": quasi_identifiers,
            "k": k,
            "label": label,
            "sensitive": sensitive or (),
            "l": l,
            "diversity": diversity,
            "c": c,
            "t": t,
            "entity_id": entity_id,
            "direct_identifiers": direct_identifiers or (),
            "categorical": categorical or (),
            "max_suppressed": max_suppressed,
        },
        method={
            "guide": guide,
            "partitioner": partitioner,
            "representative": representative,
            "effort": effort,
            "student": student,
            "seed": seed,
        },
    )
    done.show(metrics, summary, report)
    release.metadata.update(done.metadata)


@dsl.component(base_image=IMAGE, install_kfp_package=False)  # type: ignore[untyped-decorator, unused-ignore]
def validate(
    data: Input[Dataset],
    metrics: Output[Metrics],
    summary: Output[Markdown],
    quasi_identifiers: List[str],  # noqa: UP006
    k: int,
    sensitive: Optional[List[str]] = None,  # noqa: UP006, UP045
    l: float = 1.0,
    diversity: str = "distinct",
    c: float = 0.0,
    t: float = 1.0,
    entity_id: Optional[str] = None,  # noqa: UP045
    direct_identifiers: Optional[List[str]] = None,  # noqa: UP006, UP045
    fail_on_violation: bool = True,
    file_format: str = "csv",
    delimiter: str = ",",
    missing: Optional[List[str]] = None,  # noqa: UP006, UP045
) -> bool:
    """Counts the equivalence classes of a release, knowing nothing of how they were made; a broken promise fails.

    Let whatever reads the release run after this: `train(...).after(validate(...))`.

    Args:
        data: The released table.
        metrics: What was counted: k, rows, classes, the largest class, the highest risk.
        summary: Each promise, compared with what was counted.
        quasi_identifiers: Columns an outsider may know.
        k: Least size of a class; at least 2.
        sensitive: Columns that l and t protect.
        l: How diverse sensitive values are in each class; 1 asks for nothing.
        diversity: In what sense: distinct, entropy or recursive.
        c: The factor of recursive diversity; 0 with the others.
        t: Greatest distance of a class's sensitive distribution from the table's, 0 to 1; 1 asks for nothing.
        entity_id: The column that says whose row it is; k then counts people.
        direct_identifiers: Columns that must not be in the release.
        fail_on_violation: Whether a broken promise fails the run. If not, go by the output.
        file_format: csv or parquet, where neither the artifact's metadata nor its name says which.
        delimiter: What separates the cells of a CSV file.
        missing: Cells of a CSV file that mean missing; an empty cell by default.

    Returns:
        Whether every promise is kept.
    """
    from tfx_anonymizer.kfp.datasets import TableArtifact, validate_table

    counted = validate_table(
        TableArtifact.of(data, file_format, delimiter, missing),
        policy={
            "quasi_identifiers": quasi_identifiers,
            "k": k,
            "sensitive": sensitive or (),
            "l": l,
            "diversity": diversity,
            "c": c,
            "t": t,
            "entity_id": entity_id,
            "direct_identifiers": direct_identifiers or (),
        },
    )
    counted.show(metrics, summary)
    return counted.verdict(fail_on_violation=fail_on_violation)


@dsl.component(base_image=IMAGE, install_kfp_package=False)  # type: ignore[untyped-decorator, unused-ignore]
def audit(
    data: Input[Dataset],
    control: Input[Dataset],
    release: Input[Dataset],
    metrics: Output[Metrics],
    report: Output[HTML],
    summary: Output[Markdown],
    quasi_identifiers: List[str],  # noqa: UP006
    k: int,
    label: str,
    model: str = "random_forest",
    mode: str = "standard",
    sensitive: Optional[List[str]] = None,  # noqa: UP006, UP045
    entity_id: Optional[str] = None,  # noqa: UP045
    direct_identifiers: Optional[List[str]] = None,  # noqa: UP006, UP045
    categorical: Optional[List[str]] = None,  # noqa: UP006, UP045
    references: int = 0,
    effort: str = "auto",
    max_auc: float = 0.6,
    max_tpr: float = 0.05,
    max_risk: float = 0.1,
    max_advantage: float = 0.1,
    records: int = 10000,
    seed: int = 0,
    fail_on_violation: bool = True,
    file_format: str = "csv",
    delimiter: str = ",",
    missing: Optional[List[str]] = None,  # noqa: UP006, UP045
) -> bool:
    """Attacks a release, and a model trained on it; an upper confidence limit above its bound fails.

    Let whatever publishes the release run after this: `publish(...).after(audit(...))`.

    Args:
        data: The raw table whose people were released.
        control: Others of the same population, who were not.
        release: What was released of `data`.
        metrics: The AUC and the members caught at 1 % false alarms by every attack on the model, and the risks of the
            release.
        report: The whole report as a page.
        summary: Each bound, compared with what was reached.
        quasi_identifiers: Columns an outsider may know.
        k: What was promised of the release.
        label: The column that the model predicts.
        model: What is trained on the release and attacked: random_forest, gradient_boosting, logistic_regression, mlp.
        mode: quick (no training), standard (4 reference models) or deep (64, and more attacks).
        sensitive: Columns whose inference is attacked.
        entity_id: The column that says whose row it is; one row a person is then judged.
        direct_identifiers: Columns that nobody looks at, such as names.
        categorical: Columns whose numbers are only codes.
        references: Another, even number of reference models; 0 takes the mode's.
        effort: How hard anonymization tries for every reference: auto, low, medium or high.
        max_auc: Bound on the AUC of telling members.
        max_tpr: Bound on the share of members caught at 1 % false alarms.
        max_risk: Bound on the risks of the release.
        max_advantage: Bound on what the model adds to guessing a sensitive column.
        records: Most people judged on either side.
        seed: Seed of whatever draws at random.
        fail_on_violation: Whether a broken bound fails the run. If not, go by the output.
        file_format: csv or parquet, where neither the artifact's metadata nor its name says which.
        delimiter: What separates the cells of a CSV file.
        missing: Cells of a CSV file that mean missing; an empty cell by default.

    Returns:
        Whether every bound holds.
    """
    from tfx_anonymizer.kfp.audits import audit_tables
    from tfx_anonymizer.kfp.datasets import TableArtifact

    tables = [TableArtifact.of(table, file_format, delimiter, missing) for table in (data, control, release)]
    found = audit_tables(
        *tables,
        policy={
            "quasi_identifiers": quasi_identifiers,
            "k": k,
            "label": label,
            "sensitive": sensitive or (),
            "entity_id": entity_id,
            "direct_identifiers": direct_identifiers or (),
            "categorical": categorical or (),
        },
        settings={
            "model": model,
            "mode": mode,
            "references": references or None,
            "effort": effort,
            "max_auc": max_auc,
            "max_tpr": max_tpr,
            "max_risk": max_risk,
            "max_advantage": max_advantage,
            "records": records,
            "seed": seed,
        },
    )
    found.show(metrics, summary, report)
    return found.verdict(fail_on_violation=fail_on_violation)
