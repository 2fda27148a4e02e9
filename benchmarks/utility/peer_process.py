"""Runs inside the reference's environment: FOLDER K QUASI_IDENTIFIERS CATEGORICAL."""

import sys
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd

# The toolkit imports these for what is not used here: PyTorch for a kind of data set, the rest for other methods.
for unused in ("torch", "apt.minimization", "apt.utils.models"):
    sys.modules[unused] = mock.MagicMock()

from apt.anonymization import Anonymize  # noqa: E402
from apt.utils.datasets import ArrayDataset  # noqa: E402

folder, k, quasi_identifiers, categorical = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
kinds = dict.fromkeys(categorical.split(","), str)
features = pd.read_csv(folder / "features.csv", dtype=kinds, keep_default_na=False)
predicted = np.loadtxt(folder / "predicted.csv", dtype=int)
anonymizer = Anonymize(k, quasi_identifiers.split(","), categorical_features=categorical.split(","))
released = anonymizer.anonymize(ArrayDataset(features, predicted))
pd.DataFrame(released, columns=features.columns).to_csv(folder / "released.csv", index=False)
