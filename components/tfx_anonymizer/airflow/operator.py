"""The task that runs one node of a TFX pipeline in TFX's own Python environment."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from tfx_anonymizer.airflow import exit_codes
from tfx_anonymizer.airflow.airflow_compat import (
    AirflowException,
    AirflowFailException,
    AirflowSkipException,
    BaseOperator,
    SubprocessHook,
)
from tfx_anonymizer.airflow.exceptions import PromiseBrokenError

KWARGS_VARIABLE = "TFX_ANONYMIZER_KWARGS"


class TfxNodeOperator(BaseOperator):  # type: ignore[misc]
    """Starts `python -m tfx_anonymizer.airflow run-node` in another environment and shows what it prints.

    Args:
        pipeline: Where the function is that builds the pipeline, as `package.module:function`.
        tfx_node: The node to run.
        python: TFX's Python interpreter.
        pipeline_kwargs: Arguments of the function, as JSON that Airflow renders first; see `templates`.
        fingerprint: Of the graph that the DAG was made from.
        env: Variables of the process, rendered by Airflow, besides the worker's own. Airflow's settings
            (`AIRFLOW...`), which hold its secrets, are not passed on.
        cwd: Its current folder, on Python's path; None for an empty one.
        kwargs: Of BaseOperator.
    """

    template_fields: Sequence[str] = ("pipeline_kwargs", "env")
    ui_color = "#e8f0fe"

    def __init__(
        self,
        *,
        pipeline: str,
        tfx_node: str,
        python: str,
        pipeline_kwargs: str,
        fingerprint: str,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.pipeline = pipeline
        self.tfx_node = tfx_node
        self.python = python
        self.pipeline_kwargs = pipeline_kwargs
        self.fingerprint = fingerprint
        self.env = dict(env or {})
        self.cwd = cwd
        self._hook: Any = None

    def execute(self, context: Mapping[str, Any]) -> None:
        """Runs the node.

        Raises:
            PromiseBrokenError: If a privacy promise is broken; not tried again.
            AirflowFailException: If the pipeline or a parameter is wrong; not tried again.
            AirflowSkipException: If a condition in the pipeline says that the node is not to run.
            AirflowException: If anything else failed; tried again as the task's `retries` say.
        """
        run_id = f"{self.dag_id}.{context['run_id']}"
        command = [self.python, "-m", "tfx_anonymizer.airflow", "run-node", self.pipeline]
        command += ["--node", self.tfx_node, "--run-id", run_id, "--fingerprint", self.fingerprint]
        self._hook = SubprocessHook()
        result = self._hook.run_command(command, env=self._environment(), cwd=self.cwd)
        raise_for(self.tfx_node, result.exit_code, result.output)

    def on_kill(self) -> None:
        """Ends the process when Airflow ends the task."""
        if self._hook is not None:
            self._hook.send_sigterm()

    def _environment(self) -> dict[str, str]:
        arguments = self.pipeline_kwargs
        if not isinstance(arguments, str):
            # DAGs with render_template_as_native_obj have it read already.
            arguments = json.dumps(arguments)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW", "_AIRFLOW"))}
        return {**inherited, "PYTHONUNBUFFERED": "1", **self.env, KWARGS_VARIABLE: arguments}


def raise_for(node_id: str, exit_code: int, last_line: str) -> None:
    """Raises what an exit code of `run-node` means to Airflow; returns if the node ran.

    Args:
        node_id: The node.
        exit_code: One of `exit_codes`, or what the system made of a killed process: negative, or 128 and more.
        last_line: The last line that was printed, which says why.
    """
    if exit_code == exit_codes.RAN:
        return
    if exit_code == exit_codes.SKIPPED:
        raise AirflowSkipException(last_line)
    if exit_code == exit_codes.PROMISE_BROKEN:
        raise PromiseBrokenError(f"{node_id}: {last_line}")
    if exit_code == exit_codes.WRONG:
        raise AirflowFailException(f"{node_id}: {last_line}")
    if exit_code < 0:
        raise AirflowException(f"{node_id}: the process was ended by signal {-exit_code}")
    raise AirflowException(f"{node_id}: exit code {exit_code}: {last_line}")
