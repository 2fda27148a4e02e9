"""The taxi pipeline whose release can be broken, by TFX's AirflowDagRunner."""

import datetime
import os

from tfx_anonymizer.airflow import build_tfx_runner_dag, expression

HOME = os.environ["TFX_PIPELINE_HOME"]

dag = build_tfx_runner_dag(
    "tampered",
    f"{HOME}/graph.json",
    kwargs={
        "root": f"{HOME}/pipeline",
        "serving_dir": f"{HOME}/serving",
        "k": expression("params.k"),
        "train_steps": 500,
    },
    params={"k": 50},
    default_args={"retries": 1, "retry_delay": datetime.timedelta(seconds=1)},
)
