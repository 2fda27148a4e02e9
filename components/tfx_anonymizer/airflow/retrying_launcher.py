"""TFX's launcher for AirflowDagRunner, mended so that a task can be tried again; imports TFX.

Out of the box it gives a component one execution a run and names every output `<output>:<run id>`. A second attempt
registers the same inputs and outputs once more, which ML Metadata refuses, and so it does if two nodes have an output
of the same name.
"""

from __future__ import annotations

import logging
from typing import Any

from tfx_anonymizer._tfx_compat import InProcessComponentLauncher

_LOG = logging.getLogger(__name__)


class RetryingLauncher(InProcessComponentLauncher):  # type: ignore[misc]
    """Launches a component so that another attempt in the same run takes the place of the first.

    Each attempt has an execution and folders of its own. An earlier one steps aside, and later nodes no longer find it.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        driver: Any = self._driver_class  # type: ignore[has-type]
        self._driver_class = type(driver.__name__, (_TakingPlace, driver), {})


class _TakingPlace:
    """Mixed into a driver: puts an earlier attempt aside, and names outputs after their execution."""

    _metadata_handle: Any

    def pre_execution(self, *args: Any, **kwargs: Any) -> Any:
        component = kwargs["component_info"]
        context = self._metadata_handle.get_component_run_context(component)
        if context is not None:
            _put_aside(self._metadata_handle.store, context, component.component_id)
        return super().pre_execution(*args, **kwargs)  # type: ignore[misc]

    def _prepare_output_artifacts(self, *args: Any, **kwargs: Any) -> dict[str, list[Any]]:
        outputs: dict[str, list[Any]] = super()._prepare_output_artifacts(*args, **kwargs)  # type: ignore[misc]
        for artifacts in outputs.values():
            for index, artifact in enumerate(artifacts):
                artifact.name = f"{artifact.name}:{kwargs['execution_id']}:{index}"
        return outputs


def _put_aside(store: Any, context: Any, component_id: str) -> None:
    """Gives the earlier attempt other names, by which no node looks for it, and marks its outputs for deletion."""
    from ml_metadata.proto import metadata_store_pb2 as mlmd

    executions = store.get_executions_by_context(context.id)
    ids = [execution.id for execution in executions]
    _LOG.info("%s was tried before in this run; that attempt is replaced", component_id)
    events = store.get_events_by_execution_ids(ids) if ids else []
    outputs = sorted({event.artifact_id for event in events if event.type == mlmd.Event.OUTPUT})
    # An importer's output is somebody else's, and keeps its state.
    made = [a for a in store.get_artifacts_by_id(outputs) if a.name] if outputs else []
    for artifact in made:
        artifact.state = artifact.MARKED_FOR_DELETION
    if made:
        store.put_artifacts(made)
    for execution in executions:
        execution.properties["component_id"].string_value = f"{component_id} (replaced)"
    store.put_executions(executions)
    context.name = f"{context.name}.replaced-{'-'.join(map(str, ids))}"
    store.put_contexts([context])
