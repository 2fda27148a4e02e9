"""Settings for all tests: quiet TensorFlow, the Keras that TFX's own modules need, hypothesis without deadlines."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from pipelines.common.local_run import prepare_environment

# Before anything imports TensorFlow.
prepare_environment()

# Compiling a kernel takes seconds once; the same examples on every machine.
settings.register_profile(
    "here", deadline=None, derandomize=True, print_blob=False, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("here")

UCI = Path(os.environ.get("UCI_DATA") or Path(__file__).parents[2] / "shared" / "data")


@pytest.fixture(scope="session")
def uci() -> Path:
    """The folder of the UCI files."""
    if not (UCI / "adult.data").is_file():
        pytest.skip(
            "UCI_DATA names no folder with adult.data, adult.test and nursery.data (tfx-anonymizer fetch adult)"
        )
    return UCI
