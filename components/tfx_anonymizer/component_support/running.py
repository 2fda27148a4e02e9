"""Running a Beam pipeline to its end, and not beyond it."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

import apache_beam as beam
from apache_beam.runners.runner import PipelineState


@contextlib.contextmanager
def cancelled_on_failure(pipeline: beam.Pipeline) -> Iterator[beam.Pipeline]:
    """Runs the pipeline that is built inside; if waiting for it fails or is interrupted, cancels it where it runs.

    A job on another machine does not end because nobody waits for it any more: it would write its outputs after they
    were cleared.

    Args:
        pipeline: A pipeline that was not run yet.
    """
    try:
        with pipeline:
            yield pipeline
    except BaseException:
        _cancel(getattr(pipeline, "result", None))
        raise


def _cancel(result: Any) -> None:
    if result is None:
        return
    try:
        if not PipelineState.is_terminal(result.state):
            result.cancel()
    except Exception as error:
        # Some runners cannot; the failure that led here is what matters.
        logging.getLogger(__name__).warning("the Beam job could not be cancelled (%s)", type(error).__name__)
