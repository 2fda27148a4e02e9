"""The one combination of quasi-identifiers that all members of a class share in the release.

`median` takes each attribute by itself: the lower median of a numeric one, the mode of a categorical one. `typical`
does so too, but by what a value means to the guide: of the values attained in the class, the one whose effect
(`core.space`) is nearest the class's mean effect. Every value is attained in the class, so it stays in the attribute's
own domain and type.

`altered_medoid` keeps the values together: it begins with the member whose effects are nearest the class's mean, so
what it releases is near a combination that people have; and while some rows of the table have just that combination,
but fewer than k, it exchanges a value for another member's, the one that moves it least. So it is no real record that
few share, as long as the class has values to exchange.

`by_attribute` gives each attribute the rule of these that a student learns most from; see `core.attribute_rules`.

`medoid` is the paper's choice, the member nearest that centre (Goldsteen et al., section 4.1): a real person's record,
which says to whoever knows it that its owner was among the members. On UCI Adult at k=50 more than half of such records
are unique in the file, so it warns.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tfx_anonymizer.core.encoding import Attribute, Codes
from tfx_anonymizer.core.space import Effects
from tfx_anonymizer.errors import PolicyError, PrivacyWarning

REPRESENTATIVE_NAMES = ("auto", "median", "typical", "altered_medoid", "by_attribute", "medoid")

# The rules that can be tried side by side: none of them releases a real record as it is.
RULES = ("median", "typical", "altered_medoid")

# For a smaller k the altered medoid is used if named, but never chosen: the combinations that it takes care to avoid
# tell who was in the data (`attacks.release.absence`). On UCI Adult with an AUC of 0.55 at k=10, as much as a real
# record does, and of 0.505 at k=100.
LEAST_K_TO_ALTER = 50

# What is chosen by effects on the guide; these sum floats in the order of the rows.
BY_EFFECTS = ("typical", "altered_medoid", "by_attribute")


def rules_for(k: int) -> tuple[str, ...]:
    """Returns the rules that may be chosen where classes have k rows or more.

    Example:
        >>> rules_for(10), rules_for(100)
        (('median', 'typical'), ('median', 'typical', 'altered_medoid'))
    """
    return RULES if k >= LEAST_K_TO_ALTER else tuple(rule for rule in RULES if rule != "altered_medoid")


def check_representative(name: str) -> None:
    """Checks a representative's name, and warns of the medoid.

    Raises:
        PolicyError: If there is none of that name.
    """
    if name not in REPRESENTATIVE_NAMES:
        raise _unknown(name)
    if name == "medoid":
        warnings.warn(
            "representative='medoid' releases a real member's whole combination of quasi-identifiers for every class; "
            "whoever knows that person learns that they were in the data. 'altered_medoid' avoids it.",
            PrivacyWarning,
            stacklevel=3,
        )


def _unknown(name: str) -> PolicyError:
    return PolicyError("representative is not known", got=repr(name), allowed=" or ".join(REPRESENTATIVE_NAMES))


def representative_codes(
    name: str,
    codes: Codes,
    labels: npt.NDArray[np.int32],
    attributes: Sequence[Attribute],
    effects: Effects | None = None,
    k: int = 2,
) -> Codes:
    """Chooses the codes that each class releases.

    Args:
        name: `median`, `typical`, `altered_medoid` or `medoid`.
        codes: int32, shape (n, attributes).
        labels: The class of each row, int32, shape (n,), each class from 0 on non-empty.
        attributes: The attributes, in the order of the codes' columns.
        effects: What each attribute of each row adds to the guide; needed by those of `BY_EFFECTS`.
        k: Fewer rows than this that have a combination make it theirs; looked at by `altered_medoid` alone.

    Returns:
        int32, shape (classes, attributes).

    Raises:
        PolicyError: If there is no representative of that name, or it needs effects and has none.
    """
    if name not in (*RULES, "medoid"):
        raise _unknown(name)
    if name in BY_EFFECTS and effects is None:
        raise PolicyError(f"representative={name!r} needs the attributes' effects", got="none")
    from tfx_anonymizer.core import altered_kernels
    from tfx_anonymizer.core import representative_kernels as kernels

    numeric = np.array([attribute.kind == "numeric" for attribute in attributes])
    rows, first = kernels.group_rows(labels, int(labels.max()) + 1)
    if effects is not None and name == "typical":
        typical: Codes = kernels.typical_codes(codes, effects.of_rows, rows, first)
        return typical
    if effects is not None and name == "altered_medoid":
        known, holders = np.unique(altered_kernels.combination_words(codes), return_counts=True)
        altered: Codes = altered_kernels.altered_members(codes, effects.of_rows, rows, first, known, holders, k)
        return altered
    cardinality = np.array([len(attribute.domain) for attribute in attributes], dtype=np.int64)
    central: Codes = kernels.central_codes(codes, numeric, cardinality, rows, first)
    if name == "median":
        return central
    medoids: Codes = kernels.nearest_members(codes, numeric, cardinality, rows, first, central)
    return medoids
