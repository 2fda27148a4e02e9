"""Does a release tell who was in the data? `python -m benchmarks.release_membership --data DIR`.

For every representative: the AUC of an attacker who knows a person's quasi-identifiers and takes those nearer to some
released combination for members, and how many released combinations are those of fewer than k real rows. Members are
the anonymized rows, the others are held-out rows of the same table (UCI Adult).
"""

from __future__ import annotations

import argparse
import statistics
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console
from rich.table import Table
from sklearn.compose import make_column_transformer
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import OneHotEncoder, QuantileTransformer

from benchmarks.utility.cases import Case, load_case, split
from benchmarks.utility.models import MODELS, Guide, as_known, guide
from tfx_anonymizer.core import AccuracyGuidedAnonymizer
from tfx_anonymizer.errors import PrivacyWarning

REPRESENTATIVES = ("median", "typical", "altered_medoid", "by_attribute", "medoid")
ROWS = 6000


def attack(case: Case, members: pd.DataFrame, others: pd.DataFrame, released: pd.DataFrame) -> float:
    """Returns the AUC of telling members from others by the distance to the nearest released combination.

    Args:
        case: Says which columns are categorical.
        members: Rows that were anonymized.
        others: Rows that were not.
        released: The release of the members.
    """
    names = list(case.quasi_identifiers)
    categorical = [name for name in names if name in case.categorical]
    numeric = [name for name in names if name not in categorical]
    place = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), categorical),
        (QuantileTransformer(n_quantiles=200), numeric),
    )
    members, others, released = (as_known(table[names], tuple(categorical)) for table in (members, others, released))
    place.fit(members)
    near = NearestNeighbors(n_neighbors=1).fit(place.transform(released.drop_duplicates()))
    rows = [members.head(ROWS), others.head(ROWS)]
    distances = [near.kneighbors(place.transform(table))[0][:, 0] for table in rows]
    truth = [1] * len(rows[0]) + [0] * len(rows[1])
    return float(roc_auc_score(truth, [-d for of_rows in distances for d in of_rows]))


def release(
    case: Case, rows: pd.DataFrame, predictions: Guide, k: int, representative: str, student: Any = "auto"
) -> pd.DataFrame:
    """Anonymizes rows in groups of points, the medoid's warning left out.

    Args:
        case: Says which columns are quasi-identifiers.
        rows: Features and label.
        predictions: The guide's.
        k: The guarantee.
        representative: What a class releases.
        student: Chooses the rules, where each attribute has its own.
    """
    anonymizer = AccuracyGuidedAnonymizer(
        case.quasi_identifiers,
        k,
        label=case.label.name,
        partitioner="contribution_mdav",
        representative=representative,
        student=student,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        released: pd.DataFrame = anonymizer.fit_transform(rows, predictions)
    return released


def rare_share(members: pd.DataFrame, released: pd.DataFrame, names: list[str], k: int) -> float:
    """Returns the share of released combinations that some members have, but fewer than k."""
    holders = members.groupby(names, dropna=False).size().rename("holders").reset_index()
    combinations = released[names].drop_duplicates().merge(holders, on=names, how="left")
    return float(((combinations["holders"] > 0) & (combinations["holders"] < k)).mean())


def main() -> None:
    """Parses arguments, measures, prints."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.release_membership", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with adult.data and adult.test")
    parser.add_argument("--k", nargs="+", type=int, default=[10, 100])
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=["network", "boosting", "forest"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[10, 11, 12])
    options = parser.parse_args()
    case = load_case("adult-12", options.data)
    names = list(case.quasi_identifiers)
    found: dict[tuple[int, str, str], list[tuple[float, float]]] = {}
    for seed in options.seeds:
        part = split(case, seed)
        train = part.train.assign(**{part.label.name: part.label})
        for model in options.models:
            predictions = guide(model, part.train, part.label, case.categorical, seed)
            for k in options.k:
                for representative in REPRESENTATIVES:
                    released = release(case, train, predictions, k, representative, MODELS[model](seed))
                    auc = attack(case, part.train, part.test, released)
                    found.setdefault((k, representative, model), []).append(
                        (auc, rare_share(part.train, released, names, k))
                    )
    table = Table("k", "representative", "guide", "AUC", "combinations of fewer than k rows, %")
    for (k, representative, model), values in sorted(found.items()):
        aucs, rare = zip(*values, strict=True)
        table.add_row(
            str(k), representative, model, f"{statistics.mean(aucs):.4f}", f"{100 * statistics.mean(rare):.2f}"
        )
    Console().print(table)


if __name__ == "__main__":
    main()
