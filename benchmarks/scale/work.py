"""One piece of work in a process of its own, measured: `python -m benchmarks.scale.work NAME …` prints JSON.

`copy` is what any pipeline pays for passing examples on: read, decode to Arrow, encode, write, by TFX's and Beam's own
transforms and nothing of this package. The others are the components' executors, with everything they do.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import re
import resource
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.scale.examples import LABEL, QUASI_IDENTIFIERS

RUNNER = "apache_beam.runners.portability.fn_api_runner.FnApiRunner"
NAMES = ("copy", "anonymize", "validate")
_STAGES = "apache_beam.runners.portability.fn_api_runner.fn_runner.run_bundle"
# As the runner writes the name of the transform in the names of stages.
_REFINING = "Refine.Refine"


def beam_arguments(workers: int, *, processes: bool) -> list[str]:
    """Returns Beam's arguments: one worker in this process, or processes of their own."""
    found = [f"--runner={RUNNER}", f"--direct_num_workers={workers}"]
    # TFX would pack itself into an archive for the workers, which are on this machine, unless a container is named.
    found.append("--sdk_container_image=none")
    return [*found, f"--direct_running_mode={'multi_processing' if processes else 'in_memory'}"]


def copy(source: Path, target: Path, arguments: list[str]) -> None:
    """Copies one split's examples through Arrow."""
    import apache_beam as beam
    from tfx_bsl.public import tfxio

    reader = tfxio.TFExampleRecord([f"{source}/Split-train/*"], telemetry_descriptors=["benchmark"])
    with beam.Pipeline(argv=arguments) as pipeline:
        _ = (
            pipeline
            | reader.BeamSource()
            | beam.FlatMap(_encode)
            | beam.io.WriteToTFRecord(f"{target}/Split-train/data_tfrecord", file_name_suffix=".gz")
        )


def _encode(batch: Any) -> list[bytes]:
    import pyarrow as pa
    from tfx_bsl.public import tfxio

    nothing = pa.nulls(batch.num_rows, pa.large_list(pa.large_binary()))
    # The encoder refuses what the decoder gives for a feature that is missing throughout a batch.
    columns = [nothing if pa.types.is_null(column.type) else column for column in batch.columns]
    batch = pa.RecordBatch.from_arrays(columns, names=batch.schema.names)
    encoded: list[bytes] = tfxio.RecordBatchToExamplesEncoder().encode(batch)
    return encoded


def component(
    name: str,
    source: Path,
    target: Path,
    arguments: list[str],
    k: int,
    model: Path | None,
    max_rows_per_shard: int | None = None,
) -> None:
    """Runs a component's executor on one split, with its default settings but for the rows of a shard."""
    from tfx import v1 as tfx
    from tfx.v1.types import standard_artifacts

    from tfx_anonymizer import AGAnonymizer, KAnonymityValidator
    from tfx_anonymizer._tfx_compat import artifact_utils, examples_utils

    examples = standard_artifacts.Examples()
    examples.uri = str(source)
    examples.split_names = artifact_utils.encode_split_names(["train"])
    examples_utils.set_payload_format(examples, 6)
    examples_utils.set_file_format(examples, "tfrecords_gzip")
    inputs = {"examples": [examples]}
    channel = tfx.dsl.Channel(type=standard_artifacts.Examples)
    roles = {"quasi_identifiers": list(QUASI_IDENTIFIERS), "k": k}
    if name == "validate":
        built = KAnonymityValidator(channel, splits=["train"], **roles)
    else:
        if max_rows_per_shard:
            roles["max_rows_per_shard"] = max_rows_per_shard
        built = AGAnonymizer(channel, label_key=LABEL, categorical=["zip"], **roles)
        if model is not None:
            guide = standard_artifacts.Model()
            guide.uri = str(model)
            inputs["model"] = [guide]
    outputs = {}
    for key, found in built.outputs.items():
        artifact = found.type()
        artifact.uri = str(target if key == "anonymized_examples" else target / key)
        Path(artifact.uri).mkdir(parents=True, exist_ok=True)
        outputs[key] = [artifact]
    executor = built.EXECUTOR_SPEC.executor_class
    context = executor.Context(beam_pipeline_args=arguments, tmp_dir=str(target), unique_id="1")
    executor(context).Do(inputs, outputs, built.exec_properties)


class Stages(logging.Handler):
    """Notes when the runner begins each stage."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.begun: list[tuple[float, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Takes a line of the runner's log."""
        if str(record.msg).startswith("Running bundle"):
            self.begun.append((time.perf_counter(), record.getMessage()))

    def seconds(self, part: str, stop: float) -> float:
        """Returns the wall seconds of the stages in whose name a part occurs."""
        ends = [*(begun for begun, _ in self.begun[1:]), stop]
        return sum(end - begun for (begun, name), end in zip(self.begun, ends, strict=True) if re.search(part, name))


def measure(work: Callable[[], None]) -> dict[str, float]:
    """Runs some work and returns wall and processor seconds, peak memory of a process in MB, and a stage's seconds."""
    stages = Stages()
    logger = logging.getLogger(_STAGES)
    logger.addHandler(stages)
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    peak = _Watch()
    before, started = os.times(), time.perf_counter()
    work()
    stopped, after = time.perf_counter(), os.times()
    # Processor time of workers is known once they have ended.
    processor = sum(after[:4]) - sum(before[:4])
    return {
        "wall": stopped - started,
        "processor": processor,
        "peak": max(peak.stop(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "refining": stages.seconds(_REFINING, stopped),
    }


class _Watch:
    """Looks at the memory of this process's children every tenth of a second."""

    def __init__(self) -> None:
        self._peak = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        """Returns the most megabytes that one child held."""
        self._done.set()
        self._thread.join()
        return self._peak

    def _look(self) -> None:
        import psutil

        me = psutil.Process()
        while not self._done.wait(0.1):
            for child in me.children(recursive=True):
                # A child may have ended in the meantime.
                with contextlib.suppress(psutil.Error):
                    self._peak = max(self._peak, child.memory_info().rss / 2**20)


def main() -> None:
    """Parses arguments, works, prints what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--processes", action="store_true")
    parser.add_argument("--k", type=int, default=50)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--max-rows-per-shard", type=int)
    options = parser.parse_args()
    arguments = beam_arguments(options.workers, processes=options.processes)
    if options.name == "copy":
        import apache_beam
        import tfx_bsl.public.tfxio  # noqa: F401  (imported before the clock starts, as the components' are)

        _ = apache_beam
        found = measure(lambda: copy(options.source, options.target, arguments))
    else:
        import tfx_anonymizer.ag_anonymizer.component
        import tfx_anonymizer.k_anonymity_validator.component  # noqa: F401

        found = measure(
            lambda: component(
                options.name,
                options.source,
                options.target,
                arguments,
                options.k,
                options.model,
                options.max_rows_per_shard,
            )
        )
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
