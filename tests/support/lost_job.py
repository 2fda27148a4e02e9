"""A Beam runner whose job goes on elsewhere while the driver loses sight of it."""

from __future__ import annotations

from typing import Any, ClassVar

from apache_beam.runners.runner import PipelineResult, PipelineRunner, PipelineState


class LostJobError(Exception):
    """What waiting for it ends with."""


class LostJobResult(PipelineResult):
    can_cancel = True

    def wait_until_finish(self, duration: Any = None) -> None:
        raise LostJobError("Deadline Exceeded")

    def cancel(self) -> None:
        if not self.can_cancel:
            raise NotImplementedError
        self._state = PipelineState.CANCELLED


class LostJob(PipelineRunner):
    """`--runner=tests.support.lost_job.LostJob`; the results of all its jobs are kept."""

    jobs: ClassVar[list[LostJobResult]] = []

    def run_pipeline(self, pipeline: Any, options: Any) -> LostJobResult:
        self.jobs.append(LostJobResult(PipelineState.RUNNING))
        return self.jobs[-1]
