"""The taxi pipeline whose release can be broken, by `build_dag`."""

import datetime
import os
from pathlib import Path

from tfx_anonymizer.airflow import build_dag, expression

HOME = os.environ["TFX_PIPELINE_HOME"]

dag = build_dag(
    "tampered",
    f"{HOME}/graph.json",
    python=os.environ["TFX_PYTHON"],
    cwd=Path(__file__).resolve().parents[3],
    kwargs={
        "root": f"{HOME}/pipeline",
        "serving_dir": f"{HOME}/serving",
        "k": expression("params.k"),
        "train_steps": 500,
    },
    params={"k": 50},
    default_args={"retries": 1, "retry_delay": datetime.timedelta(seconds=1)},
)
