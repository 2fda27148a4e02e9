"""A job that nobody waits for any more does not go on."""

from __future__ import annotations

import apache_beam as beam
import pytest
from apache_beam.runners.runner import PipelineState

from tests.support.beam import RUNNER
from tests.support.examples import write_splits
from tests.support.lost_job import LostJob, LostJobError, LostJobResult
from tests.support.people import make_people
from tests.support.pipelines import import_examples, run_components
from tests.support.runner_graphs import POLICY
from tfx_anonymizer import AGAnonymizer, InitialModelTrainer, KAnonymityValidator
from tfx_anonymizer.component_support.running import cancelled_on_failure

LOST = ["--runner=tests.support.lost_job.LostJob", "--sdk_container_image=none"]


@pytest.fixture
def jobs():
    LostJob.jobs.clear()
    return LostJob.jobs


def build(pipeline):
    return pipeline | beam.Create([1]) | beam.Map(str)


def test_a_job_that_was_lost_is_cancelled(jobs):
    with pytest.raises(LostJobError), cancelled_on_failure(beam.Pipeline(argv=LOST)) as pipeline:
        build(pipeline)
    assert [job.state for job in jobs] == [PipelineState.CANCELLED]


def test_a_runner_that_cannot_cancel_does_not_hide_the_failure(jobs, monkeypatch, caplog):
    monkeypatch.setattr(LostJobResult, "can_cancel", False)
    with pytest.raises(LostJobError), cancelled_on_failure(beam.Pipeline(argv=LOST)) as pipeline:
        build(pipeline)
    assert "could not be cancelled (NotImplementedError)" in caplog.text


def test_what_fails_while_it_is_built_is_not_run(jobs):
    with pytest.raises(ZeroDivisionError), cancelled_on_failure(beam.Pipeline(argv=LOST)):
        build(1 / 0)
    assert jobs == []


def test_a_job_that_ends_well_is_left_alone():
    with cancelled_on_failure(beam.Pipeline(argv=[f"--runner={RUNNER}"])) as pipeline:
        build(pipeline)
    assert pipeline.result.state == PipelineState.DONE


@pytest.mark.parametrize("component", ["InitialModelTrainer", "AGAnonymizer", "KAnonymityValidator"])
def test_every_component_cancels_its_job(component, jobs, tmp_path):
    raw = import_examples(write_splits(tmp_path / "raw", train=make_people(30), eval=make_people(30)))
    channel = raw.outputs["result"]
    made = {
        "InitialModelTrainer": lambda: InitialModelTrainer(channel, estimator="mlp", label_key="ill"),
        "AGAnonymizer": lambda: AGAnonymizer(channel, policy=POLICY),
        "KAnonymityValidator": lambda: KAnonymityValidator(channel, policy=POLICY),
    }[component]()
    with pytest.raises(LostJobError):
        run_components(tmp_path / "run", [raw, made], LOST)
    assert [job.state for job in jobs] == [PipelineState.CANCELLED]
