"""Run by the Python of an environment that holds nothing but the installed wheel: does what the README promises, small.

Usage: python smoke.py FOLDER
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

ROLES = {"quasi_identifiers": ("age", "zip"), "label": "ill", "k": 5}


def write_people(path: Path) -> None:
    """Writes 200 people whose illness goes with their age."""
    path.parent.mkdir(parents=True)
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["age", "zip", "ill"])
        table.writerows([(18 + i * 7 % 60, f"Z{i % 11}", int(i * 7 % 60 > 31)) for i in range(200)])


def command_line(people: Path, folder: Path) -> None:
    """Anonymizes and validates a file."""
    tool = Path(sys.executable).with_name("tfx-anonymizer")
    report, release = folder / "report.html", folder / "release.csv"
    roles = ["--quasi-identifiers", "age,zip", "--k", "5"]
    subprocess.run([tool, "anonymize", people, "-o", release, "--label", "ill", *roles, "--report", report], check=True)
    subprocess.run([tool, "validate", release, *roles], check=True)
    assert report.stat().st_size > 1000


def pipeline(people: Path, folder: Path) -> None:
    """Runs the three components with LocalDagRunner."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    from tfx import v1 as tfx

    from tfx_anonymizer import AGAnonymizer, AnonymizationPolicy, InitialModelTrainer, KAnonymityValidator

    policy = AnonymizationPolicy(**ROLES)
    example_gen = tfx.components.CsvExampleGen(input_base=str(people.parent))
    raw = example_gen.outputs["examples"]
    guide = InitialModelTrainer(examples=raw, estimator="logistic_regression", label_key="ill")
    anonymizer = AGAnonymizer(examples=raw, model=guide.outputs["model"], policy=policy)
    validator = KAnonymityValidator(examples=anonymizer.outputs["anonymized_examples"], policy=policy)
    tfx.orchestration.LocalDagRunner().run(
        tfx.dsl.Pipeline(
            pipeline_name="smoke",
            pipeline_root=str(folder),
            components=[example_gen, guide, anonymizer, validator],
            metadata_connection_config=tfx.orchestration.metadata.sqlite_metadata_connection_config(
                str(folder / "metadata.db")
            ),
            beam_pipeline_args=["--runner=apache_beam.runners.portability.fn_api_runner.FnApiRunner"],
        )
    )
    assert list((folder / "KAnonymityValidator" / "report").rglob("report.json"))


def main() -> None:
    """Runs both."""
    folder = Path(sys.argv[1])
    import tfx_anonymizer

    assert "site-packages" in tfx_anonymizer.__file__, tfx_anonymizer.__file__
    people = folder / "data" / "people.csv"
    write_people(people)
    command_line(people, folder)
    pipeline(people, folder / "pipeline")
    sys.stdout.write("smoke test passed\n")


if __name__ == "__main__":
    main()
