"""Run by the Python of an Airflow environment: loads a DAG file as Airflow does and prints what it holds, as JSON.

Usage: python probe.py DAG_FILE
"""

from __future__ import annotations

import contextlib
import importlib
import json
import runpy
import sys
import time
import warnings

warnings.simplefilter("ignore")


for preloaded in ("airflow.sdk", "airflow.models.dag"):
    with contextlib.suppress(ImportError):
        importlib.import_module(preloaded)

HEAVY = ("tfx", "tensorflow", "apache_beam", "numpy", "pandas", "pyarrow")


def main() -> None:
    """Loads the file and prints."""
    started = time.perf_counter()
    names = runpy.run_path(sys.argv[1])
    seconds = time.perf_counter() - started
    dag = names["dag"]
    tasks = {}
    for task in dag.tasks:
        fields = {name: getattr(task, name, None) for name in task.template_fields}
        tasks[task.task_id] = {
            "type": type(task).__name__,
            "upstream": sorted(task.upstream_task_ids),
            "retries": task.retries,
            "trigger_rule": str(task.trigger_rule),
            "pool": task.pool,
            "templates": {name: value for name, value in fields.items() if isinstance(value, str | dict)},
        }
    found = {
        "seconds": seconds,
        "heavy": [name for name in HEAVY if name in sys.modules],
        "dag_id": dag.dag_id,
        "catchup": dag.catchup,
        "max_active_runs": dag.max_active_runs,
        "schedule": str(getattr(dag, "schedule", None) or getattr(dag, "schedule_interval", None)),
        "tasks": tasks,
    }
    sys.stdout.write("\n" + json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
