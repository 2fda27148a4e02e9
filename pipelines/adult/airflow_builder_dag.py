"""The Adult pipeline every night, on Airflow 2.11 or 3, with TFX in a Python environment of its own.

Link this file into Airflow's DAG folder, and set in Airflow's environment (or change it here):

    TFX_PYTHON        interpreter of TFX's environment; by default the checkout's own .venv
    TFX_PIPELINE_HOME where artifacts, metadata and the served model go; by default runs/airflow/adult in the checkout

Start a run with other values of the parameters by "Trigger w/ config"; the nightly ones are an Airflow Variable's.
"""

from __future__ import annotations

import os
from pathlib import Path

from tfx_anonymizer.airflow import build_dag, expression

HERE = Path(__file__).resolve()
CHECKOUT = HERE.parents[2]
HOME = os.environ.get("TFX_PIPELINE_HOME", str(CHECKOUT / "runs/airflow/adult"))

dag = build_dag(
    "adult_anonymized",
    HERE.with_name("graph.json"),
    python=os.environ.get("TFX_PYTHON", str(CHECKOUT / ".venv/bin/python")),
    cwd=CHECKOUT,
    kwargs={
        "root": f"{HOME}/pipeline",
        "serving_dir": f"{HOME}/serving",
        # CSV as `pipelines.adult.local.prepare` writes it; expression("ds") would make it a folder a day.
        "data": expression("params.data"),
        # The run's own, else the Airflow Variable adult_k, else 100.
        "k": expression("params.k or (var.value.get('adult_k', 100) | int)"),
        "train_steps": expression("params.train_steps"),
    },
    schedule="0 2 * * *",
    params={"data": f"{HOME}/data", "k": None, "train_steps": 2500},
    tags=["tfx", "anonymized"],
)
