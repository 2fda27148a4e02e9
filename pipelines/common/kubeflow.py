"""Compiling a pipeline into the package that open-source Kubeflow Pipelines 2 takes: one PipelineSpec as YAML."""

from __future__ import annotations

import argparse
import dataclasses
import logging
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from tfx_anonymizer.errors import PolicyError

# The object stores Kubeflow's launcher knows.
STORES = ("minio://", "s3://", "gs://")

# What stands between Kubeflow's launcher and TFX's own entry point.
COMMAND = ("python3", "-m", "tfx_anonymizer.kfp.run_step")
# Where the image keeps what the example pipelines read.
IMAGE_FILES = "/opt/tfx_anonymizer"
_IMAGE = re.compile(r"[a-zA-Z0-9][\w.-]*(:[0-9]+)?(/[\w.-]+)*(:[\w.-]+)?(@sha256:[0-9a-f]{64})?")


@dataclasses.dataclass(frozen=True)
class Size:
    """What a step's pod may take.

    Attributes:
        cpu: Cores; what is asked for is also the limit.
        memory: Gigabytes, likewise.
    """

    cpu: float
    memory: float

    def __post_init__(self) -> None:
        if not (self.cpu > 0 and self.memory > 0):
            raise PolicyError("a pod's size must be positive", got=f"{self.cpu} cores, {self.memory} GB")


def compile_pipeline(
    pipeline: Any,
    out: Path,
    image: str,
    *,
    defaults: Mapping[str, Any],
    sizes: Mapping[str, Size],
    beam_args: Mapping[str, Iterable[str]] | None = None,
    root: str = "",
    artifacts: str = "local",
) -> Path:
    """Writes the package.

    Args:
        pipeline: A TFX pipeline, without a root: TFX would open that on this machine, which may not be able to.
        out: The YAML file to write; its folder is made.
        image: The container image of every step.
        defaults: What the pipeline's run-time parameters are unless a run says otherwise.
        sizes: What the pods may take, by component id; `""` is for those not named.
        beam_args: Beam arguments by component id, after the pipeline's own.
        root: Where artifacts go unless a run says otherwise; empty leaves it to Kubeflow.
        artifacts: `local`, or `direct`; see `tfx_anonymizer.kfp.run_step`.

    Returns:
        The file written.

    Raises:
        PolicyError: If an argument is wrong, or the pipeline cannot run in containers.
    """
    from tfx.orchestration.kubeflow.v2 import kubeflow_v2_dag_runner as runner

    if not _IMAGE.fullmatch(image):
        raise PolicyError("image is not the name of a container image", got=repr(image), hint="registry/name:tag")
    if artifacts not in ("local", "direct"):
        raise PolicyError("artifacts is not known", got=repr(artifacts), allowed="local or direct")
    if root and not root.startswith(tuple(STORES)):
        raise PolicyError("pipeline root is in no object store", got=repr(root), allowed=" or ".join(STORES))
    if out.suffix != ".yaml":
        raise PolicyError("the package's suffix is not known", got=out.name, allowed=".yaml")
    _add_beam_args(pipeline, beam_args or {})
    config = runner.KubeflowV2DagRunnerConfig(
        default_image=image,
        default_commands=[*COMMAND, f"--artifacts={artifacts}"],
        # Schema 2.0.0, the default, is for another service.
        use_pipeline_spec_2_1=True,
    )
    job = runner.KubeflowV2DagRunner(config).run(pipeline, write_out=False)
    spec = job["pipelineSpec"]
    if root:
        spec["defaultPipelineRoot"] = root
    _size_pods(spec, sizes)
    _set_defaults(spec, defaults)
    _check(spec)
    _write(out, f"# Kubeflow pipeline {pipeline.pipeline_info.pipeline_name}\n" + yaml.safe_dump(spec, sort_keys=True))
    return out


def parser(prog: str, description: str | None, package: str) -> argparse.ArgumentParser:
    """Returns a parser of what every case can choose when it is compiled."""
    found = argparse.ArgumentParser(prog=prog, description=description)
    found.add_argument("--image", default="tfx-anonymizer:latest", help="image of every step (default: %(default)s)")
    found.add_argument("--out", type=Path, default=Path(package), help="the package to write (default: %(default)s)")
    found.add_argument("--pipeline-root", default="", help="where artifacts go; a run may say otherwise (Kubeflow's)")
    found.add_argument("--artifacts", choices=("local", "direct"), default="local",
                       help="whether the launcher carries artifacts to and from the pod, or the step reads and writes "
                       "the object store itself (default: %(default)s)")  # fmt: skip
    found.add_argument(
        "--size", action="append", default=[], metavar="NODE=CORES,GB", help="what a step's pod may take"
    )
    found.add_argument("--beam", action="append", default=[], metavar="NODE=ARG", help="a Beam argument of one step")
    return found


def parse_sizes(texts: Iterable[str]) -> dict[str, Size]:
    """Reads `NODE=CORES,GB`.

    Raises:
        PolicyError: If a text is none.
    """
    found = {}
    for text in texts:
        match = re.fullmatch(r"(\w*)=([0-9.]+),([0-9.]+)", text)
        if match is None:
            raise PolicyError("a size is not NODE=CORES,GB", got=repr(text), hint="--size AGAnonymizer=4,16")
        found[match[1]] = Size(float(match[2]), float(match[3]))
    return found


def parse_beam_args(texts: Iterable[str]) -> dict[str, list[str]]:
    """Reads `NODE=--name=value`.

    Raises:
        PolicyError: If a text is none.
    """
    found: dict[str, list[str]] = {}
    for text in texts:
        node, sign, argument = text.partition("=")
        if not sign or not argument.startswith("--"):
            raise PolicyError(
                "a Beam argument is not NODE=--name=value",
                got=repr(text),
                hint="--beam AGAnonymizer=--direct_num_workers=4",
            )
        found.setdefault(node, []).append(argument)
    return found


def quiet_logs() -> None:
    """Silences what TFX says while it compiles."""
    logging.disable(logging.WARNING)


def _add_beam_args(pipeline: Any, beam_args: Mapping[str, Iterable[str]]) -> None:
    from tfx.v1.types import BaseBeamComponent

    nodes = {node.id: node for node in pipeline.components}
    _check_nodes(beam_args, nodes)
    for name, arguments in beam_args.items():
        if not isinstance(nodes[name], BaseBeamComponent):
            raise PolicyError(f"{name} does not run on Beam", hint="Beam arguments go to components that do")
        nodes[name].with_beam_pipeline_args(list(arguments))


def _check_nodes(named: Iterable[str], nodes: Iterable[str]) -> None:
    for name in named:
        if name not in nodes:
            raise PolicyError("the pipeline has no such component", got=repr(name), allowed=", ".join(sorted(nodes)))


def _size_pods(spec: dict[str, Any], sizes: Mapping[str, Size]) -> None:
    """Written into the package itself, since TFX leaves out those of a file-based ExampleGen."""
    executors = spec["deploymentSpec"]["executors"]
    _check_nodes([name for name in sizes if name], spec["components"])
    for name, component in spec["components"].items():
        container, size = executors[component["executorLabel"]].get("container"), sizes.get(name, sizes.get(""))
        if container is not None and size is not None:
            container["resources"] = {
                "cpuRequest": size.cpu,
                "cpuLimit": size.cpu,
                "memoryRequest": size.memory,
                "memoryLimit": size.memory,
            }


def _set_defaults(spec: dict[str, Any], defaults: Mapping[str, Any]) -> None:
    """TFX drops the defaults of run-time parameters, and Kubeflow then insists on a value at every run."""
    declared = spec["root"].get("inputDefinitions", {}).get("parameters", {})
    if set(declared) != set(defaults):
        raise PolicyError(
            "run-time parameters and their defaults differ",
            got=", ".join(sorted(defaults)) or "none",
            allowed=", ".join(sorted(declared)) or "none",
        )
    for name, value in defaults.items():
        declared[name].update(defaultValue=value, isOptional=True)


def _check(spec: Mapping[str, Any]) -> None:
    """Finds what would fail only when a container starts."""
    executors = spec["deploymentSpec"]["executors"]
    for name, task in spec["root"]["dag"]["tasks"].items():
        container = executors[spec["components"][name]["executorLabel"]].get("container")
        if container is None:
            continue
        executor = container["args"][container["args"].index("--executor_class_path") + 1]
        if executor.startswith("__main__."):
            raise PolicyError(
                f"the executor of {name} is defined in the script that was started, so no container can import it",
                got=executor,
                hint="move it into a module that is installed in the image",
            )
        if "module_path" in task.get("inputs", {}).get("parameters", {}):
            raise PolicyError(
                f"{name} has a module_file, which TFX packs on this machine and looks for in the pod",
                hint="install the module in the image and give run_fn or preprocessing_fn",
            )


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.tmp")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)
