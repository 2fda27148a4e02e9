"""Runs a compiled Kubeflow package without a cluster, one process a step, as the launcher of open-source KFP 2 does.

What a launcher is like, and what is kept here (kubeflow/pipelines, `backend/src/v2/component/launcher_v2.go` and
`backend/src/v2/metadata/client.go`):

* artifacts live in an object store and are named by its URIs; inputs are copied to `/minio/…` before a step, outputs
  from there after it has succeeded, file by file, so that an empty folder is not kept; the folder of an output does not
  exist, the one it will lie in does;
* inputs come without a type, with their custom properties as metadata, numbers as JSON numbers, and with properties of
  Kubeflow's own; outputs come with the declared type;
* `{{$}}` becomes the ExecutorInput; a step whose upstream has failed does not run; a lifecycle hook is never run.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import yaml

BUCKET = "minio://mlpipeline/v2/artifacts"
SUCCEEDED, FAILED, OMITTED = "Succeeded", "Failed", "Omitted"


@dataclasses.dataclass(frozen=True)
class Step:
    """What became of a step.

    Attributes:
        state: `Succeeded`, `Failed`, or `Omitted` because something before it failed.
        seconds: How long it ran.
        log: What it printed.
        metadata: Of each output artifact.
    """

    state: str
    seconds: float = 0.0
    log: str = ""
    metadata: Mapping[str, dict[str, Any]] = dataclasses.field(default_factory=dict)


def here(argv: Sequence[str], folder: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs a step with the Python that runs the tests, in an empty folder, so that only what is installed is found."""
    inherited = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{inherited.get('PATH', '')}"
    return subprocess.run(
        list(argv), cwd=folder, env={**inherited, **environment, "PATH": path}, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip


class Cluster:
    """One run of a package.

    Args:
        package: The YAML file.
        folder: Where everything goes: `store` is the object store, `pods` the pods' own disks.
        parameters: What the run chooses; the rest are the package's defaults.
        start: Runs a step's command in a folder with an environment.
        parallel: How many steps may run at a time.
    """

    def __init__(
        self,
        package: Path,
        folder: Path,
        parameters: Mapping[str, Any] | None = None,
        *,
        start: Callable[[Sequence[str], Path, Mapping[str, str]], subprocess.CompletedProcess[str]] = here,
        parallel: int = 2,
    ) -> None:
        self.spec = yaml.safe_load(package.read_text(encoding="utf-8"))
        self.tasks = self.spec["root"]["dag"]["tasks"]
        self.steps: dict[str, Step] = {}
        self._folder, self._start, self._parallel = folder, start, parallel
        self._parameters = self._run_parameters(parameters or {})

    def run(self, until: str | None = None) -> dict[str, Step]:
        """Runs what has not run yet, in order; all of it, or only what a step needs and the step itself."""
        wanted = set(self.tasks) if until is None else self._needs(until)
        running: dict[Future[Step], str] = {}
        with ThreadPoolExecutor(self._parallel) as pool:
            while True:
                for name in self._ready(wanted - set(running.values())):
                    upstream = [self.steps[other].state for other in self.tasks[name].get("dependentTasks", ())]
                    if any(state != SUCCEEDED for state in upstream):
                        self.steps[name] = Step(OMITTED)
                    elif len(running) < self._parallel:
                        running[pool.submit(self._run, name)] = name
                if running:
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        self.steps[running.pop(future)] = future.result()
                elif not self._ready(wanted):
                    return self.steps

    def stored(self, task: str, output: str) -> Path:
        """Returns where an output lies in the object store."""
        return self._folder / "store" / task / output

    def _run_parameters(self, given: Mapping[str, Any]) -> dict[str, Any]:
        declared = self.spec["root"].get("inputDefinitions", {}).get("parameters", {})
        assert set(given) <= set(declared), "no such parameter"
        return {name: given.get(name, about.get("defaultValue")) for name, about in declared.items()}

    def _needs(self, name: str) -> set[str]:
        return {name}.union(*(self._needs(other) for other in self.tasks[name].get("dependentTasks", ())))

    def _ready(self, names: set[str]) -> list[str]:
        return [
            name for name in sorted(names - set(self.steps))
            if set(self.tasks[name].get("dependentTasks", ())) <= set(self.steps)
        ]  # fmt: skip

    def _run(self, name: str) -> Step:
        task, pod = self.tasks[name], self._folder / "pods" / name
        component = self.spec["components"][task["componentRef"]["name"]]
        container = self.spec["deploymentSpec"]["executors"][component["executorLabel"]]["container"]
        shutil.rmtree(pod, ignore_errors=True)
        (pod / "work").mkdir(parents=True)
        executor_input = {
            "inputs": {"parameterValues": self._values(task), "artifacts": self._inputs(task, pod)},
            "outputs": {
                "artifacts": self._outputs(name, component, pod),
                "outputFile": str(pod / "kfp_outputs/output_metadata.json"),
            },
        }
        (pod / "kfp_outputs").mkdir()
        text = json.dumps(executor_input)
        argv = [part.replace("{{$}}", text) for part in (*container["command"], *container["args"])]
        started = time.monotonic()
        ended = self._start(argv, pod / "work", {"ARTIFACT_LOCAL_PATH": str(pod)})
        seconds = time.monotonic() - started
        if ended.returncode:
            return Step(FAILED, seconds, ended.stdout)
        metadata = self._upload(name, executor_input["outputs"], pod)
        shutil.rmtree(pod)
        return Step(SUCCEEDED, seconds, ended.stdout, metadata)

    def _values(self, task: Mapping[str, Any]) -> dict[str, Any]:
        found = {}
        for name, given in task.get("inputs", {}).get("parameters", {}).items():
            if "componentInputParameter" in given:
                found[name] = self._parameters[given["componentInputParameter"]]
            else:
                found[name] = given["runtimeValue"]["constant"]
        return found

    def _inputs(self, task: Mapping[str, Any], pod: Path) -> dict[str, Any]:
        found = {}
        for number, (name, given) in enumerate(task.get("inputs", {}).get("artifacts", {}).items(), start=1):
            source = given["taskOutputArtifact"]
            producer, key = source["producerTask"], source["outputArtifactKey"]
            uri = f"{BUCKET}/{producer}/{key}"
            stored = self.stored(producer, key)
            if stored.exists():
                shutil.copytree(stored, _local(pod, uri), dirs_exist_ok=True)
            metadata = {
                **self.steps[producer].metadata.get(key, {}),
                "display_name": key,
                "store_session_info": '{"Provider":"minio"}',
            }
            found[name] = {"artifacts": [{"name": str(number), "uri": uri, "metadata": metadata}]}
        return found

    def _outputs(self, task: str, component: Mapping[str, Any], pod: Path) -> dict[str, Any]:
        found = {}
        for key, about in component.get("outputDefinitions", {}).get("artifacts", {}).items():
            uri = f"{BUCKET}/{task}/{key}"
            _local(pod, uri).parent.mkdir(parents=True, exist_ok=True)
            found[key] = {"artifacts": [{"name": key, "uri": uri, "type": about["artifactType"], "metadata": {}}]}
        return found

    def _upload(self, task: str, outputs: Mapping[str, Any], pod: Path) -> dict[str, dict[str, Any]]:
        reported = json.loads(Path(outputs["outputFile"]).read_text(encoding="utf-8"))["artifacts"]
        metadata = {}
        for key, given in outputs["artifacts"].items():
            (artifact,) = reported[key]["artifacts"]
            uri = given["artifacts"][0]["uri"]
            assert artifact["uri"] == uri, "a step must not move its output"
            metadata[key] = artifact.get("metadata", {})
            folder, stored = _local(pod, uri), self.stored(task, key)
            for file in folder.rglob("*"):
                if file.is_file():
                    (stored / file.relative_to(folder)).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(file, stored / file.relative_to(folder))
        return metadata


def _local(pod: Path, uri: str) -> Path:
    return pod / "minio" / uri.removeprefix("minio://")
