"""What does a release tell by what it leaves out? `python -m benchmarks.release_absence --data DIR`.

UCI Adult, members against as many held-out people, for every representative. Four attacks: nearness to a released
combination; absence (`tfx_anonymizer.attacks.release.absence`); a classifier that knows who is who for half of the
people and learns from all of it, asked about the other half; and the same classifier without absence. Beside them two
releases to be sure of the attack by: `planted`, in which every tenth member is hidden by exchanging one value, and
`stranger`, the release of other people altogether. Rows are added to a CSV file as they are measured.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
from rich.console import Console
from rich.table import Table
from sklearn.ensemble import HistGradientBoostingClassifier

from benchmarks import csv_rows
from benchmarks.release_membership import REPRESENTATIVES, release
from benchmarks.utility.cases import Case, load_case, split
from benchmarks.utility.models import MODELS, Guide, guide
from tfx_anonymizer.attacks.encoding import EncodedTables, encode, row_codes
from tfx_anonymizer.attacks.figures import measure
from tfx_anonymizer.attacks.neural import known_half
from tfx_anonymizer.attacks.release.absence import EXCLUDED, absence
from tfx_anonymizer.attacks.release.presence import nearness

Floats = npt.NDArray[np.float64]
RELEASES = (*REPRESENTATIVES, "planted", "stranger")


@dataclasses.dataclass(frozen=True)
class Row:
    """What one attack reached on one release.

    Attributes:
        release: A representative, `planted` or `stranger`.
        k: The guarantee.
        guide: The guide's kind.
        seed: Of everything.
        attack: `nearness`, `absence`, `learned` or `learned_without`.
        auc: Area under the ROC curve.
        low: Lower limit of its 95 % interval.
        high: Upper limit.
        tpr: Share of members caught at 1 % false alarms.
        epsilon: Lower bound by rates.
        excluded_members: Members who are excluded by a rare combination of theirs in the release: falsely.
        excluded_others: Others who are, rightly.
        judged: Members, and others, that were judged for these two counts.
    """

    release: str
    k: int
    guide: str
    seed: int
    attack: str
    auc: float
    low: float
    high: float
    tpr: float
    epsilon: float
    excluded_members: int
    excluded_others: int
    judged: int


def measure_release(tables: EncodedTables, k: int, seed: int) -> dict[str, tuple[object, tuple[int, int]]]:
    """Attacks a release; figures by attack, and who is excluded among members and others.

    Args:
        tables: Members, others and release over the quasi-identifiers.
        k: Fewer candidates than this make a combination rare.
        seed: Of intervals, and of who is known to the classifier.
    """
    near, absent = (np.concatenate(scores) for scores in (nearness(tables), absence(tables, k)))
    members = np.arange(len(near)) < len(tables.tables[0])
    excluded = absent == EXCLUDED
    counts = int((excluded & members).sum()), int((excluded & ~members).sum())
    scores = {"nearness": (near, members), "absence": (absent, members)}
    known = known_half(members, seed)
    features = _features(tables, near)
    for name, seen in (("learned_without", features), ("learned", np.column_stack([features, absent]))):
        learner = HistGradientBoostingClassifier(max_iter=50, learning_rate=0.05, random_state=seed)
        learner.fit(seen[known], members[known])
        scores[name] = learner.predict_proba(seen[~known])[:, 1], members[~known]
    return {name: (measure(found, who, seed=seed), counts) for name, (found, who) in scores.items()}


def _features(tables: EncodedTables, near: Floats) -> Floats:
    """Returns nearness, how many candidates share the combination, and how many released rows; shape (n, 3)."""
    members, others, released = row_codes(tables.tables)
    whole = np.concatenate([members, others])
    length = 1 + max(whole.max(), released.max())
    shared = [np.bincount(codes, minlength=length)[whole] for codes in (whole, released)]
    return np.column_stack([near, *shared])


def planted(case: Case, rows: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Makes a release that leaks by absence alone: every tenth row with one value exchanged, if nobody has that.

    Presence does not see it, for no released combination is anyone's.
    """
    names = list(case.quasi_identifiers)
    # Not the seed alone, from which it is drawn who is known to the classifier.
    rng = np.random.default_rng([seed, 1])
    chosen = rows.iloc[rng.permutation(len(rows))[: len(rows) // 10]][names].copy()
    for row in range(len(chosen)):
        column = int(rng.integers(len(names)))
        chosen.iloc[row, column] = rows[names[column]].iloc[int(rng.integers(len(rows)))]
    taken = set(rows[names].astype(str).itertuples(index=False, name=None))
    free = [tuple(map(str, values)) not in taken for values in chosen.itertuples(index=False, name=None)]
    return chosen[free]


def main() -> None:
    """Measures what is missing, then prints all there is."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.release_absence", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with adult.data and adult.test")
    parser.add_argument("--out", type=Path, default=Path("runs/release_absence.csv"), help="results (%(default)s)")
    parser.add_argument("--k", nargs="+", type=int, default=[10, 100])
    parser.add_argument("--guide", choices=list(MODELS), default="boosting")
    parser.add_argument("--seeds", nargs="+", type=int, default=range(10, 15), help="default: 10 to 14")
    parser.add_argument("--releases", nargs="+", choices=RELEASES, default=RELEASES)
    options = parser.parse_args()
    case = load_case("adult-12", options.data)
    console = Console(width=200)
    for seed in options.seeds:
        known = csv_rows.done(options.out, ["release", "k", "guide", "seed"])
        cells = itertools.product(options.k, options.releases)
        wanted = [(name, k) for k, name in cells if (name, k, options.guide, seed) not in known]
        if wanted:
            _measure_seed(case, seed, wanted, options, console)
    console.print(_table(pd.read_csv(options.out)))


def _measure_seed(
    case: Case, seed: int, wanted: list[tuple[str, int]], options: argparse.Namespace, console: Console
) -> None:
    part = split(case, seed)
    train = part.train.assign(**{case.label.name: part.label})
    said = guide(options.guide, part.train, part.label, case.categorical, seed)
    # As many others as members; behind them people who are neither.
    others = part.test.iloc[: len(train)]
    strangers = part.test.assign(**{case.label.name: part.test_label}).iloc[len(train) :]
    for name, k in wanted:
        released = _released(case, name, k, train, said, strangers, options.guide, seed)
        names = list(case.quasi_identifiers)
        tables = [pa.Table.from_pandas(rows[names], preserve_index=False) for rows in (part.train, others, released)]
        rows = [
            Row(
                name, k, options.guide, seed, attack, what.auc.value, what.auc.low, what.auc.high,
                what.caught_at[0.01].value, what.epsilon_by_rates, *counts, len(train),
            )
            for attack, (what, counts) in measure_release(encode(tables, names), k, seed).items()
        ]  # fmt: skip
        csv_rows.append(options.out, rows)
        console.print(f"seed {seed}, {name}, k = {k}: done")


def _released(
    case: Case, name: str, k: int, train: pd.DataFrame, said: Guide, strangers: pd.DataFrame, kind: str, seed: int
) -> pd.DataFrame:
    if name == "planted":
        return planted(case, train, seed)
    if name == "stranger":
        label = strangers[case.label.name]
        said = guide(kind, strangers[list(case.features.columns)], label, case.categorical, seed)
        return release(case, strangers, said, k, "altered_medoid")
    return release(case, train, said, k, name)


def _table(found: pd.DataFrame) -> Table:
    shown = Table(
        "k", "release", "attack", "seeds", "AUC", "least to greatest limit", "holds 0.5", "caught at 1 %",
        "epsilon at least", "members excluded", "others excluded", "of",
    )  # fmt: skip
    for (k, name, attack), rows in found.groupby(["k", "release", "attack"], sort=False):
        holds = int(((rows["low"] <= 0.5) & (rows["high"] >= 0.5)).sum())
        shown.add_row(
            str(k), name, attack, str(len(rows)), f"{rows['auc'].mean():.4f} ± {rows['auc'].std():.4f}",
            f"{rows['low'].min():.3f} to {rows['high'].max():.3f}", f"{holds} of {len(rows)}",
            f"{100 * rows['tpr'].mean():.2f} %", f"{rows['epsilon'].max():.2f}",
            f"{rows['excluded_members'].mean():.1f}", f"{rows['excluded_others'].mean():.1f}",
            f"{rows['judged'].iloc[0]:,}",
        )  # fmt: skip
    return shown


if __name__ == "__main__":
    main()
