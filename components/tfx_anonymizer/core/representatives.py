"""The one combination of quasi-identifiers that all members of a class share in the release.

`median` takes each attribute by itself: the lower median of a numeric one, the mode of a categorical one. `typical`
does so too, but by what a value means to the guide: of the values attained in the class, the one whose effect
(`core.space`) is nearest the class's mean effect. Every value is attained in the class, so it stays in the attribute's
own domain and type.

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

REPRESENTATIVE_NAMES = ("auto", "median", "typical", "medoid")


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
            "whoever knows that person learns that they were in the data. The default, 'median', does not.",
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
) -> Codes:
    """Chooses the codes that each class releases.

    Args:
        name: `median`, `typical` or `medoid`.
        codes: int32, shape (n, attributes).
        labels: The class of each row, int32, shape (n,), each class from 0 on non-empty.
        attributes: The attributes, in the order of the codes' columns.
        effects: What each attribute of each row adds to the guide; needed for `typical`, which sums it in the order of
            the rows.

    Returns:
        int32, shape (classes, attributes).

    Raises:
        PolicyError: If there is no representative of that name, or it needs effects and has none.
    """
    if name == "typical" and effects is None:
        raise PolicyError("representative='typical' needs the attributes' effects", got="none")
    if name not in REPRESENTATIVE_NAMES or name == "auto":
        raise _unknown(name)
    from tfx_anonymizer.core import representative_kernels as kernels

    numeric = np.array([attribute.kind == "numeric" for attribute in attributes])
    rows, first = kernels.group_rows(labels, int(labels.max()) + 1)
    if effects is not None and name == "typical":
        typical: Codes = kernels.typical_codes(codes, effects.of_rows, rows, first)
        return typical
    central: Codes = kernels.central_codes(codes, numeric, rows, first)
    if name == "median":
        return central
    cardinality = np.array([len(attribute.domain) for attribute in attributes], dtype=np.int64)
    medoids: Codes = kernels.nearest_members(codes, numeric, cardinality, rows, first, central)
    return medoids
