"""Compiles a pipeline that anonymizes a table and counts it again: `python -m pipelines.table.kubeflow`.

    a file in an object store ─► anonymize ─► validate ─► [yours, .after(the validation)]

The image of the steps is what `TFX_ANONYMIZER_IMAGE` names while this runs.
"""

# No `from __future__ import annotations`: KFP reads these annotations.
import argparse
import sys
from pathlib import Path
from typing import List  # noqa: UP035 (what KFP 2.5 reads)

from kfp import compiler, dsl

from tfx_anonymizer.kfp import anonymize, validate


@dsl.pipeline(name="anonymize-table", description="A table made k-anonymous, and counted again.")
def anonymize_table(
    table: str,
    quasi_identifiers: List[str],  # noqa: UP006
    label: str,
    k: int = 50,
    seed: int = 0,
) -> dsl.Dataset:
    """Anonymizes a table.

    Args:
        table: URI of a CSV or Parquet file.
        quasi_identifiers: Columns an outsider may know.
        label: The column a model is to predict.
        k: Least number of rows that share a combination of quasi-identifiers.
        seed: Seed of whatever draws at random.

    Returns:
        The release.
    """
    raw = dsl.importer(artifact_uri=table, artifact_class=dsl.Dataset, reimport=True)
    released = anonymize(data=raw.output, quasi_identifiers=quasi_identifiers, k=k, label=label, seed=seed)
    # What is computed from raw data is computed anew each time, and not kept in Kubeflow's cache.
    released.set_caching_options(False).set_cpu_limit("2").set_memory_limit("4G")
    counted = validate(data=released.outputs["release"], quasi_identifiers=quasi_identifiers, k=k)
    counted.set_caching_options(False).set_cpu_limit("1").set_memory_limit("2G")
    # Your steps go here, each with `.after(counted)`.
    return released.outputs["release"]


def main(arguments: list[str] | None = None) -> int:
    """Parses arguments, compiles, says where the package is; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m pipelines.table.kubeflow", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/kubeflow/table.yaml"), help="the package (%(default)s)")
    options = parser.parse_args(arguments)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    compiler.Compiler().compile(anonymize_table, str(options.out))
    sys.stdout.write(f"{options.out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
