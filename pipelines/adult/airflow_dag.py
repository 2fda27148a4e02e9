"""The Adult pipeline every night by TFX's AirflowDagRunner: Airflow 2.11 and TFX share one environment.

Link this file into Airflow's DAG folder, and have the checkout on PYTHONPATH. TFX_PIPELINE_HOME says where artifacts,
metadata and the served model go; by default runs/airflow/adult in the checkout. `airflow_builder_dag.py` beside this
file does the same on Airflow 3 and keeps the two environments apart.
"""

from __future__ import annotations

import os
from pathlib import Path

from tfx_anonymizer.airflow import build_tfx_runner_dag, expression

HERE = Path(__file__).resolve()
HOME = os.environ.get("TFX_PIPELINE_HOME", str(HERE.parents[2] / "runs/airflow/adult"))

dag = build_tfx_runner_dag(
    "adult_anonymized_tfx_runner",
    HERE.with_name("graph.json"),
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
