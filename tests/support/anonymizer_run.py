"""AGAnonymizer's executor on its own, as Kubeflow runs it: no launcher clears away what a failure leaves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tfx.proto import example_gen_pb2
from tfx.v1.types import standard_artifacts

from tests.support.pipelines import import_examples
from tfx_anonymizer import AGAnonymizer, AnonymizationPolicy, artifacts
from tfx_anonymizer._tfx_compat import BaseBeamExecutor, artifact_utils, examples_utils
from tfx_anonymizer.ag_anonymizer.executor import Executor


class AnonymizerRun:
    """One execution that can be done again, into the same folders.

    Args:
        raw: A folder of splits `train` and `eval`.
        root: The folder for everything that is written.

    Attributes:
        outputs: The folder of each output.
    """

    def __init__(self, raw: Path, root: Path) -> None:
        self._root = root
        self._raw = raw
        self.outputs = {name: root / name for name in ("anonymized_examples", "generalization", "report")}
        for folder in self.outputs.values():
            folder.mkdir(parents=True)

    def do(self, policy: AnonymizationPolicy, beam_args: Sequence[str]) -> None:
        """Runs the executor."""
        examples = standard_artifacts.Examples()
        examples.uri = str(self._raw)
        examples.split_names = artifact_utils.encode_split_names(["train", "eval"])
        examples_utils.set_payload_format(examples, example_gen_pb2.PayloadFormat.FORMAT_TF_EXAMPLE)
        outputs = {
            "anonymized_examples": standard_artifacts.Examples(),
            "generalization": artifacts.Generalization(),
            "report": artifacts.AnonymizationReport(),
        }
        for name, artifact in outputs.items():
            artifact.uri = str(self.outputs[name])
        component = AGAnonymizer(import_examples(self._raw).outputs["result"], policy=policy)
        context = BaseBeamExecutor.Context(
            beam_pipeline_args=list(beam_args), tmp_dir=str(self._root / "tmp"), unique_id="1"
        )
        written = {name: [artifact] for name, artifact in outputs.items()}
        Executor(context).Do({"examples": [examples]}, written, component.exec_properties)
