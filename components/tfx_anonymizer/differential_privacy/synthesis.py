"""A synthetic table from a table in memory, with (epsilon, delta)-differential privacy.

Example:
    >>> from tfx_anonymizer.differential_privacy.attributes import Categorical, Numeric
    >>> domain = Domain(
    ...     (Numeric.between("age", 0, 99, integer=True, bins=10), Categorical("city", ("Ulm", "Bonn"))),
    ...     Categorical("ill", (0, 1)),
    ... )
    >>> people = pa.table({"age": [30, 60] * 4000, "city": ["Ulm", "Bonn"] * 4000, "ill": [0, 1] * 4000})
    >>> found = synthesize(people, domain, Budget(epsilon=1.0, delta=1e-6), Design("class_wise_mixing"), rows=500)
    >>> found.table.num_rows, found.table.column_names
    (500, ['age', 'city', 'ill'])
    >>> found.spending.epsilon <= 1.0
    True
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pyarrow as pa

from tfx_anonymizer.differential_privacy.attributes import Floats
from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.differential_privacy.clusters import first_centres, moved, only_centre
from tfx_anonymizer.differential_privacy.coins import Coins, generator
from tfx_anonymizer.differential_privacy.decoding import draw_rows
from tfx_anonymizer.differential_privacy.domain import Domain
from tfx_anonymizer.differential_privacy.encoding import Sums
from tfx_anonymizer.differential_privacy.inducing_points import induced
from tfx_anonymizer.differential_privacy.layout import Layout
from tfx_anonymizer.differential_privacy.noise import rounded_gaussian
from tfx_anonymizer.differential_privacy.people import Coded
from tfx_anonymizer.differential_privacy.plan import Design, Plan, plan
from tfx_anonymizer.differential_privacy.released import Prototypes, Released, prototypes, with_noise
from tfx_anonymizer.differential_privacy.spending import Spending
from tfx_anonymizer.errors import GuaranteeError


@dataclasses.dataclass(frozen=True)
class Synthetic:
    """A synthetic table and what it was made of.

    Attributes:
        table: Its rows; plain columns.
        spending: What it spent.
        plan: How.
        released: The noisy statistics it was made of.
    """

    table: pa.Table
    spending: Spending
    plan: Plan
    released: Released


def synthesize(
    table: pa.Table,
    domain: Domain,
    budget: Budget,
    design: Design | None = None,
    *,
    rows: int | None = None,
    entity_id: str | None = None,
    points: int | None = None,
    source_name: str = "default",
    seed: int | None = None,
    planned: Plan | None = None,
) -> Synthetic:
    """Makes a synthetic table.

    Args:
        table: n rows of single-valued columns.
        domain: What may be in it; public.
        budget: What may be spent.
        design: How; `Design()` by default.
        rows: How many to make; the noisy number of rows by default.
        entity_id: The column that says whose row it is; a row is a person by default.
        points: How many kernel inducing points to reduce the mixtures to; not by default.
        source_name: Whose records these are; see `Spending`.
        seed: Makes it repeatable, and not private. For tests alone.
        planned: What `plan(design, budget)` returned, where it is known already.

    Raises:
        GuaranteeError: If the budget cannot be kept, or delta is too large for so many people, or everybody drowns in
            the noise.
        ColumnError: If a column does not hold what its domain says.
    """
    layout = Layout(domain, design or Design(), entity_id)
    chosen = planned or plan(layout.design, budget)
    random = generator(seed)
    coded = layout.code(table).bounded(layout.design.rows_per_person)
    centres = found_centres(coded, layout, chosen, random, seed)
    counts, sums = layout.cell_sums(_told_apart(coded), centres, seed)
    released = with_noise(centres, counts, sums, layout, chosen, seed)
    check_people(released, chosen)
    kinds = kinds_of(released, layout, chosen, points, random)
    made = draw_rows(kinds, layout, rows or max(1, round(released.total)), random)
    return Synthetic(made, chosen.spending(source_name), chosen, released)


def check_people(released: Released, plan: Plan) -> None:
    """Holds delta against the noisy number of people.

    Raises:
        GuaranteeError: If it is above one in ten times their number.
    """
    people = max(1, round(released.total))
    try:
        plan.budget.check_for(people)
    except GuaranteeError as error:
        raise GuaranteeError(f"{error} (the number is a noisy one)") from None


def found_centres(coded: Coded, layout: Layout, plan: Plan, random: np.random.Generator, seed: int | None) -> Floats:
    """Finds clusters; the one that everybody is in, where there is no clustering.

    Returns:
        Shape (clusters, width).
    """
    encoding = layout.encoding
    if plan.clustering is None:
        return only_centre(encoding)
    centres = start_centres(layout.cluster_sums(coded, only_centre(encoding)), layout, plan, random, seed)
    for turn in range(plan.design.iterations):
        centres = next_centres(centres, layout.cluster_sums(coded, centres), layout, plan, turn, seed)
    return centres


def start_centres(total: Sums, layout: Layout, plan: Plan, random: np.random.Generator, seed: int | None) -> Floats:
    """Draws first centres from the sum of all, shape (1, width), to which noise is added here."""
    _, scale, _ = plan.scales(layout.encoding.squared_norm)
    noisy = total + rounded_gaussian(Coins(seed, "all"), scale, total.shape)
    return first_centres(noisy, layout.encoding, layout.clusters, scale, random)


def next_centres(centres: Floats, sums: Sums, layout: Layout, plan: Plan, turn: int, seed: int | None) -> Floats:
    """Moves centres by the sums of the records nearest to them, to which noise is added here."""
    _, scale, _ = plan.scales(layout.encoding.squared_norm)
    noisy = sums + rounded_gaussian(Coins(seed, f"turn {turn}"), scale, sums.shape)
    return moved(centres, noisy, layout.encoding, scale)


def kinds_of(
    released: Released, layout: Layout, plan: Plan, points: int | None, random: np.random.Generator
) -> Prototypes:
    """Makes prototypes of what was released, reduced to inducing points if that is asked for."""
    kinds = prototypes(released, layout, plan)
    return kinds if points is None else induced(kinds, layout, points, random)


def _told_apart(coded: Coded) -> Coded:
    """Gives each record a hash of its own: in memory, seeded coins need not be the same for records alike."""
    return dataclasses.replace(coded, hashes=np.arange(len(coded), dtype=np.uint64))
