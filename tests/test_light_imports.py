"""Imports that must stay light: Airflow parses DAG files every few seconds, and the core serves people without TFX."""

import subprocess
import sys

import pytest

HEAVY = ("lightgbm", "tensorflow", "apache_beam", "tfx", "tfx_bsl", "kfp", "numba", "sklearn.ensemble")


def heavy_after(code: str) -> list[str]:
    program = f"import sys\n{code}\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()


@pytest.mark.parametrize(
    "code",
    [
        "import tfx_anonymizer",
        "import tfx_anonymizer.core",
        "from tfx_anonymizer import AnonymizationPolicy, AnonymizerError, measure_privacy",
        "from tfx_anonymizer.core import AccuracyGuidedAnonymizer",
        "import tfx_anonymizer.cli",
        "import tfx_anonymizer.kfp, tfx_anonymizer.kfp.datasets",
        "from tfx_anonymizer.airflow import PipelineGraph, expression",
        "import tfx_anonymizer.airflow.__main__",
        "import tfx_anonymizer.notebook, tfx_anonymizer.notebook.pages",
        "from tfx_anonymizer.attacks import epsilon, figures, lira, neural, quantile, references, rmia, roc, scores",
        "from tfx_anonymizer.auditing import settings, verdict, whole",
        "import tfx_anonymizer.dp_training, tfx_anonymizer.differential_privacy.safe_release",
        "from tfx_anonymizer.differential_privacy import domain, ledger, plan, randomized_response, synthesis",
        "import tfx_anonymizer.guides, tfx_anonymizer.tables, tfx_anonymizer.report, tfx_anonymizer.datasets",
    ],
)
def test_light(code):
    assert heavy_after(code) == []


def test_the_check_can_fail():
    assert "numba" in heavy_after("import tfx_anonymizer.core.jit")


@pytest.mark.parametrize(("effort", "expected"), [("low", ["numba"]), ("medium", ["lightgbm", "numba"])])
def test_fitting_needs_neither_beam_nor_tensorflow(effort, expected):
    code = f"""
import pandas as pd
from tfx_anonymizer.core import AccuracyGuidedAnonymizer
AccuracyGuidedAnonymizer(["a"], k=2, effort="{effort}").fit_transform(pd.DataFrame({{"a": [1, 2, 3, 4]}}))
"""
    assert [name for name in heavy_after(code) if name != "sklearn.ensemble"] == expected


def test_every_exported_name_resolves():
    code = "import tfx_anonymizer as t; [getattr(t, name) for name in t.__all__]"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_an_unknown_name_is_an_attribute_error():
    import tfx_anonymizer

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = tfx_anonymizer.nothing
