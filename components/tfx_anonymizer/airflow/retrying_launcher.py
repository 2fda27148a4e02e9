"""TFX's launcher for AirflowDagRunner, mended so that a task can be tried again; imports TFX.

Out of the box it names every output `<output>:<run id>`. ML Metadata wants names of one type to be unique, so two nodes
with an output of the same name collide, and so does a node with its own first attempt.
"""

from __future__ import annotations

from typing import Any

from tfx.v1.dsl.io import fileio

from tfx_anonymizer._tfx_compat import InProcessComponentLauncher


class RetryingLauncher(InProcessComponentLauncher):  # type: ignore[misc]
    """Launches a component so that another attempt in the same run takes the place of the first.

    TFX gives a component one execution a run. Its outputs are found again by name, emptied, and written anew.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        driver: Any = self._driver_class  # type: ignore[has-type]
        self._driver_class = type(driver.__name__, (_ReplacingOutputs, driver), {})

    def _run_executor(
        self, execution_id: int, input_dict: Any, output_dict: dict[str, list[Any]], exec_properties: Any
    ) -> None:
        try:
            super()._run_executor(execution_id, input_dict, output_dict, exec_properties)
        except BaseException:
            for artifacts in output_dict.values():
                for artifact in artifacts:
                    _empty(artifact)
            raise


class _ReplacingOutputs:
    """Mixed into a driver: names outputs after their execution, and finds those of an earlier attempt by name."""

    _metadata_handle: Any

    def _prepare_output_artifacts(self, *args: Any, **kwargs: Any) -> dict[str, list[Any]]:
        outputs: dict[str, list[Any]] = super()._prepare_output_artifacts(*args, **kwargs)  # type: ignore[misc]
        store = self._metadata_handle.store
        for artifacts in outputs.values():
            for index, artifact in enumerate(artifacts):
                artifact.name = f"{artifact.name}:{kwargs['execution_id']}:{index}"
                earlier = store.get_artifact_by_type_and_name(artifact.type_name, artifact.name)
                if earlier is not None:
                    artifact.set_mlmd_artifact_type(store.get_artifact_type(artifact.type_name))
                    artifact.id = earlier.id
                _empty(artifact)
        return outputs


def _empty(artifact: Any) -> None:
    """Removes what an attempt wrote; the folder itself stays, as the executor expects it."""
    if fileio.isdir(artifact.uri):
        fileio.rmtree(artifact.uri)
        fileio.makedirs(artifact.uri)
    elif fileio.exists(artifact.uri):
        fileio.remove(artifact.uri)
