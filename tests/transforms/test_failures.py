"""Typed errors cross the border between workers and driver, whatever the runner makes of them."""

import apache_beam as beam
import pyarrow as pa
import pytest

from tests.support.beam import RUNNER
from tfx_anonymizer.errors import ColumnError, GuaranteeError, InputDataError
from tfx_anonymizer.transforms.count_classes import CountClasses
from tfx_anonymizer.transforms.failures import typed_errors

MULTI_VALUED = pa.RecordBatch.from_arrays([pa.array([[1, 2]])], names=["a"])


@pytest.mark.parametrize(
    "args",
    [
        [f"--runner={RUNNER}"],
        ["--runner=DirectRunner", "--direct_running_mode=multi_processing", "--direct_num_workers=2"],
    ],
    ids=["in process", "worker processes"],
)
def test_from_a_worker(args):
    with pytest.raises(ColumnError) as caught, typed_errors("split 'train'"), beam.Pipeline(argv=args) as p:
        _ = p | beam.Create([MULTI_VALUED]) | CountClasses(("a",))
    assert str(caught.value).startswith("column 'a' is multi-valued; got: up to 2 values a row;")
    assert "running" not in str(caught.value)


def test_from_a_traceback_as_text():
    text = "Error from worker: Traceback…\ntfx_anonymizer.errors.GuaranteeError: too few; got: 3 [while running 'X']\n"
    with pytest.raises(GuaranteeError, match=r"^too few; got: 3$"), typed_errors("x"):
        raise RuntimeError(text)


def test_damaged_input_is_not_quoted():
    with pytest.raises(InputDataError) as caught, typed_errors("split 'train'"):
        raise ValueError("Not a valid TFRecord. Fewer than 12 bytes: b'secret'")
    assert "secret" not in str(caught.value)
    assert "split 'train'" in str(caught.value)


def test_other_failures_pass():
    with pytest.raises(ZeroDivisionError), typed_errors("x"):
        _ = 1 / 0
