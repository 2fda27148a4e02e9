"""Every method that is compared, by name: each takes rows and gives them back anonymized."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pandas as pd

from benchmarks.utility import peer
from benchmarks.utility.cases import Case, Split
from benchmarks.utility.models import MODELS, Guide
from tfx_anonymizer.core import AccuracyGuidedAnonymizer
from tfx_anonymizer.core.partition import BASELINES
from tfx_anonymizer.errors import PrivacyWarning

Method = Callable[[Case, Split, str, Guide, int, int], pd.DataFrame]


def ours(**method: Any) -> Method:
    """Returns a method of this package; see `AccuracyGuidedAnonymizer` for what may be named."""

    def run(case: Case, part: Split, model: str, guide: Guide, k: int, seed: int) -> pd.DataFrame:
        label = part.label.name
        anonymizer = AccuracyGuidedAnonymizer(
            case.quasi_identifiers, k, label=label, student=MODELS[model](seed), random_state=seed, **method
        )
        with warnings.catch_warnings():
            # The paper's own choice releases real records; here nobody gets to see them.
            warnings.simplefilter("ignore", PrivacyWarning)
            released = anonymizer.fit_transform(part.train.assign(**{label: part.label}), guide)
        return released[list(part.train.columns)]

    return run


def reference(case: Case, part: Split, _model: str, guide: Guide, k: int, _seed: int) -> pd.DataFrame:
    """Runs the authors' own implementation, ai-privacy-toolkit, in an environment of its own."""
    return peer.anonymize(part.train, guide.argmax(axis=1), case.quasi_identifiers, case.categorical, k)


METHODS: dict[str, Method] = {
    "auto": ours(),
    "high": ours(effort="high"),
    "guided_tree": ours(partitioner="guided_tree"),
    **{name: ours(partitioner=name) for name in BASELINES},
    "reference": reference,
}
