"""Table 2 of the paper: what does a model tell of an attribute? Nursery, by black-box and white-box attacks.

The attribute is `social`, made of two values as the paper's authors do in their notebooks: problematic or not. The
paper's figures are shares of attributes guessed rightly; here stands beside each what is guessed without the model.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pyarrow as pa

from benchmarks.privacy.pipelines import draw, release
from benchmarks.privacy.private import private_pipeline
from benchmarks.utility.cases import Case, load_case
from tfx_anonymizer.auditing.attribute_audit import audit_attribute
from tfx_anonymizer.auditing.replicas import BuiltinPipeline, FittedEstimator
from tfx_anonymizer.auditing.settings import AuditSettings
from tfx_anonymizer.auditing.subject import make_subject
from tfx_anonymizer.guides.features import Features, label_values

ATTRIBUTE = "social"


@dataclasses.dataclass(frozen=True)
class Row:
    """What the model added to guessing the attribute.

    Attributes:
        model: `tree`, `forest` or `network`.
        k: The guarantee; 0 for raw rows.
        budget: The epsilon within which the model was trained; 0 without differential privacy.
        seed: Of everything.
        attack: `black_box` or `white_box`.
        people: `members` or `non_members`.
        right: Share guessed rightly with the model.
        without: Share guessed rightly without.
        advantage: The difference.
        low: Lower limit of its 95 % interval.
        high: Upper limit.
    """

    model: str
    k: int
    budget: float
    seed: int
    attack: str
    people: str
    right: float
    without: float
    advantage: float
    low: float
    high: float


def load(folder: Path) -> Case:
    """Reads Nursery with the attribute of two values."""
    case = load_case("nursery-8", folder)
    two = case.features[ATTRIBUTE].where(case.features[ATTRIBUTE] == "problematic", "not_problematic")
    return dataclasses.replace(case, features=case.features.assign(**{ATTRIBUTE: two}))


def attack(folder: Path, model: str, k: int, budget: float, seed: int, records: int) -> list[Row]:
    """Trains on members, attacks members and others."""
    case = load(folder)
    members, others = draw(case, records, seed)
    label = str(case.label.name)
    subject = make_subject(members, others, label, records=records, seed=seed)
    rows = subject.table.filter(pa.array(subject.members))
    if k:
        rows = pa.Table.from_pandas(release(case, model, k, rows.to_pandas(), seed), preserve_index=False)
    answer = private_pipeline(case, model, budget)(rows, seed) if budget else _fit(model, rows, label, seed)
    found = audit_attribute(subject, answer, ATTRIBUTE, AuditSettings(seed=seed))
    sides = {"members": found.members, "non_members": found.non_members}
    return [
        Row(
            model, k, budget, seed, name, people, what.with_model, what.without_model, what.advantage.value,
            what.advantage.low, what.advantage.high,
        )
        for people, by_attack in sides.items()
        for name, what in by_attack.items()
    ]  # fmt: skip


def _fit(model: str, rows: pa.Table, label: str, seed: int) -> FittedEstimator:
    if model == "network":
        return BuiltinPipeline("mlp", label).fit(rows, seed)
    # A tree or forest grown to the end, as the paper's; the built-in forest stops at leaves of five.
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier

    features = Features.choose(rows, {label})
    grown = DecisionTreeClassifier(random_state=seed)
    estimator = grown if model == "tree" else RandomForestClassifier(100, random_state=seed, n_jobs=1)
    fitted = make_pipeline(OneHotEncoder(handle_unknown="ignore"), estimator)
    fitted.fit(features.frame(rows), label_values(rows.column(label), "classification"))
    return FittedEstimator(features, fitted)
