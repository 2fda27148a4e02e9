"""AGAnonymizer's executor, after which one quasi-identifier of one row changes if a flag file says so."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import tensorflow as tf

from tests.support.examples import read_records, write_records
from tests.support.tampered_taxi import flag_of
from tfx_anonymizer.ag_anonymizer.executor import Executor


class TamperingExecutor(Executor):
    def Do(self, input_dict: Any, output_dict: Any, exec_properties: Any) -> None:
        super().Do(input_dict, output_dict, exec_properties)
        output = Path(output_dict["anonymized_examples"][0].uri)
        if not flag_of(output).exists():
            return
        folder = output / "Split-train"
        records = read_records(folder)
        first = tf.train.Example.FromString(records[0])
        first.features.feature["trip_start_hour"].int64_list.value[:] = [77]
        shutil.rmtree(folder)
        write_records(folder, [first.SerializeToString(), *records[1:]])
