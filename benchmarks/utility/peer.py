"""The authors' implementation as a peer: ai-privacy-toolkit.

It needs an old scikit-learn, so it has an environment of its own, made once, and rows travel as files.
"""

from __future__ import annotations

import functools
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks import environment

PACKAGES = ("ai-privacy-toolkit==0.2.1", "scikit-learn==1.1.3", "pandas==1.5.3", "numpy==1.26.4")
SCRIPT = Path(__file__).with_name("peer_process.py")


@functools.cache
def python() -> Path:
    """Makes the environment if it is not there; returns its interpreter.

    Raises:
        RuntimeError: If this is no Python 3.10, for which alone the old scikit-learn has wheels that the toolkit takes.
    """
    if sys.version_info[:2] != (3, 10):
        raise RuntimeError("the reference needs Python 3.10: run this benchmark on the TFX 1.16 line")
    # Its other requirements are gigabytes that anonymizing does not touch.
    return environment.make("reference-environment", ["--no-deps", PACKAGES[0]], PACKAGES[1:])


def anonymize(
    features: pd.DataFrame,
    predicted: npt.NDArray[np.int64],
    quasi_identifiers: tuple[str, ...],
    categorical: tuple[str, ...],
    k: int,
) -> pd.DataFrame:
    """Anonymizes rows as the toolkit does by default.

    Args:
        features: n rows.
        predicted: The model's label for each, shape (n,).
        quasi_identifiers: What is anonymized.
        categorical: Columns without numbers.
        k: The guarantee.

    Returns:
        The rows anonymized, in the same order.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = {column: features[column].astype(object).where(features[column].notna(), "?") for column in categorical}
        features.assign(**text).to_csv(folder / "features.csv", index=False)
        np.savetxt(folder / "predicted.csv", predicted, fmt="%d")
        roles = [",".join(quasi_identifiers), ",".join(categorical)]
        subprocess.run([python(), SCRIPT, folder, str(k), *roles], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
        kinds = dict.fromkeys(categorical, object)
        released = pd.read_csv(folder / "released.csv", dtype=kinds, keep_default_na=False)
    for column in features.columns:
        if column not in categorical:
            released[column] = released[column].astype(float)
    return released
