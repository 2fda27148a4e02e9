"""A component that breaks a release: it edits one quasi-identifier of one row."""

from tfx import v1 as tfx
from tfx.v1.dsl.components import InputArtifact, OutputArtifact, Parameter
from tfx.v1.types.standard_artifacts import Examples

# No `from __future__ import annotations`: TFX reads these annotations.


@tfx.dsl.components.component
def Tamper(examples: InputArtifact[Examples], tampered: OutputArtifact[Examples], feature: Parameter[str]):
    """Copies all splits, and adds one to an integer feature of the first row of `train`."""
    import shutil
    from pathlib import Path

    import tensorflow as tf

    from tests.support.examples import read_records, write_records
    from tfx_anonymizer.component_support.examples import write_facts

    shutil.copytree(examples.uri, tampered.uri, dirs_exist_ok=True)
    folder = Path(tampered.uri) / "Split-train"
    records = read_records(folder)
    first = tf.train.Example.FromString(records[0])
    first.features.feature[feature].int64_list.value[0] += 1
    shutil.rmtree(folder)
    write_records(folder, [first.SerializeToString(), *records[1:]])
    write_facts(examples, tampered, ["train", "eval"])
