"""What a model tells of sensitive attributes beyond what can be guessed without it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfx_anonymizer.attacks.attribute.advantage import Advantage, compare
from tfx_anonymizer.attacks.attribute.black_box import guess_attribute
from tfx_anonymizer.attacks.attribute.white_box import leaf_support
from tfx_anonymizer.attacks.encoding import encode
from tfx_anonymizer.attacks.neural import known_half
from tfx_anonymizer.attacks.scores import confidence_of_classes, log_odds
from tfx_anonymizer.auditing.settings import AuditSettings
from tfx_anonymizer.auditing.subject import Answer, Bools, Floats, Subject, probabilities
from tfx_anonymizer.guides.features import label_values

# The model is asked once for each value.
MOST_VALUES = 20
MOST_RECORDS = 4000


@dataclasses.dataclass(frozen=True)
class AttributeAudit:
    """What the model adds to guessing one attribute.

    Attributes:
        attribute: The column.
        members: Of those it was trained on; by attack.
        non_members: Of those it was not: what it says of the population.
        not_attacked: Why the attack was not carried out; None if it was.
    """

    attribute: str
    members: dict[str, Advantage]
    non_members: dict[str, Advantage]
    not_attacked: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns the audit as JSON-ready values."""
        return {
            "not_attacked": self.not_attacked,
            "members": {name: found.to_dict() for name, found in self.members.items()},
            "non_members": {name: found.to_dict() for name, found in self.non_members.items()},
        }


def audit_attribute(
    subject: Subject, answer: Answer, attribute: str, settings: AuditSettings, *, leave_out: Sequence[str] = ()
) -> AttributeAudit:
    """Attacks one attribute.

    The attacker knows all other columns and the label, and the attribute of half of the people.

    Args:
        subject: The people; at most `MOST_RECORDS` members and as many others are looked at.
        answer: The target.
        attribute: The column; the target must have been trained on it for this to make sense.
        settings: Seed and confidence.
        leave_out: Columns that the attacker does not know.
    """
    column = subject.table.column(attribute)
    values = pc.unique(column)
    if len(values) > MOST_VALUES:
        return AttributeAudit(attribute, {}, {}, f"more than {MOST_VALUES} values")
    if len(values) < 2:
        return AttributeAudit(attribute, {}, {}, "a single value")
    rows = _some_rows(subject, settings.seed)
    table, members = subject.table.take(pa.array(rows)), subject.members[rows]
    truth = np.asarray(pc.index_in(table.column(attribute), value_set=pa.array(values.to_pylist(), column.type)))
    truth = truth.astype(np.int64)
    hidden = {attribute, *leave_out}
    known = encode([table], [name for name in table.column_names if name not in hidden]).tables[0]
    variants = [_with_value(table, attribute, values[place]) for place in range(len(values))]
    answers = {"black_box": np.stack([_agreement(answer(variant), subject, rows) for variant in variants], axis=1)}
    support = _support(answer, variants, subject, rows)
    if support is not None:
        answers["white_box"] = np.concatenate([answers["black_box"], np.log(support + 1e-9)], axis=1)
    learn = known_half(members, settings.seed)
    imputed = guess_attribute(known, truth, learn, seed=settings.seed) == truth[~learn]
    found: dict[bool, dict[str, Advantage]] = {True: {}, False: {}}
    for name, said in answers.items():
        right = guess_attribute(known, truth, learn, said, seed=settings.seed) == truth[~learn]
        for side in (True, False):
            judged: Bools = members[~learn] == side
            found[side][name] = compare(right[judged], imputed[judged], settings.confidence)
    return AttributeAudit(attribute, found[True], found[False])


def _some_rows(subject: Subject, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    sides = [rng.permutation(np.flatnonzero(side))[:MOST_RECORDS] for side in (subject.members, ~subject.members)]
    return np.concatenate(sides)


def _with_value(table: pa.Table, attribute: str, value: Any) -> pa.Table:
    place = table.column_names.index(attribute)
    kind = table.schema.field(attribute).type
    column = pa.array([value.as_py()] * table.num_rows, type=kind)
    return table.set_column(place, attribute, column)


def _agreement(answers: Any, subject: Subject, rows: Any) -> Floats:
    """Returns how well a model's answers for some of the records agree with their labels, float64, shape (m,)."""
    if subject.task == "classification":
        said = probabilities(answers, len(subject.classes))
        return log_odds(confidence_of_classes(said, subject.codes()[rows]))
    wanted = label_values(subject.table.column(subject.label), "regression")[rows]
    return np.asarray(np.asarray(answers, dtype=np.float64).reshape(len(rows)) - wanted, dtype=np.float64)


def _support(answer: Answer, variants: Sequence[pa.Table], subject: Subject, rows: Any) -> Floats | None:
    """Returns what the leaves of the target's trees say; None if it is not made of trees that can be looked into."""
    pipeline, features = getattr(answer, "model", None), getattr(answer, "features", None)
    if pipeline is None or features is None or subject.task == "regression":
        return None
    model = pipeline[-1]
    trees = list(getattr(model, "estimators_", [model] if hasattr(model, "tree_") else []))
    if not trees or not all(hasattr(tree, "tree_") for tree in trees):
        return None
    encoded = [pipeline[:-1].transform(features.frame(variant)) for variant in variants]
    classes = [str(name) for name in model.classes_]
    place = {number: classes.index(name) for number, name in enumerate(subject.classes) if name in classes}
    labels = np.array([place.get(code, 0) for code in subject.codes()[rows]], dtype=np.int64)
    return leaf_support(trees, encoded, labels)
