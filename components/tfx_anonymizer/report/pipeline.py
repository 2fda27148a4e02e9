"""The report of a whole pipeline: what was promised, done, counted, attacked and lost, put together into one."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from tfx_anonymizer.report.frame import LIMITS

# What two components must have been told alike, for their reports to be about one release.
_TOLD = ("quasi_identifiers", "k", "entity_id", "sensitive", "l", "t", "diversity", "c")
PIPELINE_LIMITS = (
    *LIMITS,
    "Groups: a loss on few people cannot be told from chance; a group that is not flagged may pay all the same.",
    "This report: it tells columns one by one; compare it with no other report about the same people.",
)


@dataclasses.dataclass(frozen=True)
class Sources:
    """What a pipeline's components reported.

    Attributes:
        anonymization: `report.json` of AGAnonymizer.
        validation: That of KAnonymityValidator.
        audit: That of PrivacyAuditor, if one ran.
        price: What `price.price` says of the models.
        distributions: By split and column what `folding` lets be told, before and after.
        least: Raw rows that share whatever is told of a column.
        lineage: The artifacts that were read, one mapping each.
        run: Title, time, pipeline, run and versions, by name.
    """

    anonymization: Mapping[str, Any]
    validation: Mapping[str, Any]
    audit: Mapping[str, Any] | None
    price: Mapping[str, Any]
    distributions: Mapping[str, Mapping[str, Any]]
    least: int
    lineage: Sequence[Mapping[str, Any]]
    run: Mapping[str, Any]


def put_together(sources: Sources) -> dict[str, Any]:
    """Puts a report together.

    Args:
        sources: What the components reported.

    Returns:
        JSON-ready facts; see `schemas/privacy_report.schema.json`.
    """
    policy = sources.anonymization["policy"]
    splits = {name: _split(sources, name) for name in sources.anonymization["splits"]}
    statements = _statements(sources, splits)
    return {
        "success": not any(statement["state"] == "bad" for statement in statements),
        "statements": statements,
        "run": dict(sources.run),
        "policy": policy,
        "splits": splits,
        "other_splits": dict(sources.anonymization.get("other_splits", {})),
        "price": dict(sources.price),
        "audit": None if sources.audit is None else _audit(sources.audit),
        "least": sources.least,
        "settings": sources.anonymization.get("settings", {}),
        "lineage": [dict(artifact) for artifact in sources.lineage],
    }


def _split(sources: Sources, name: str) -> dict[str, Any]:
    made = sources.anonymization["splits"][name]
    counted = sources.validation["splits"].get(name)
    told = sources.distributions.get(name, {})
    left_out = [check for check in made.get("checks", ()) if check["name"] == "max_suppressed"]
    return {
        # The validator's own count where there is one: it knows nothing of how classes were made.
        "counted": (counted or made)["counted"],
        "checks": [*(counted or made)["checks"], *(left_out if counted else ())],
        "counted_independently": counted is not None,
        "counts_agree": counted is not None and _same_count(made["counted"], counted["counted"]),
        "risks": counted.get("risks") if counted else None,
        "rows_in_classes_below_k": counted.get("rows_in_classes_below_k") if counted else None,
        "rows": made["rows"],
        "suppressed": made["suppressed"],
        "made": {
            key: made[key]
            for key in ("guide", "partitioner", "representative", "shards", "undivided_shards")
            if key in made
        },
        "attributes": {
            column: {**facts, "distribution": told.get(column)} for column, facts in made["attributes"].items()
        },
    }


def _same_count(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    return all(first[key] == second[key] for key in ("k", "rows", "classes", "class_sizes"))


def _statements(sources: Sources, splits: Mapping[str, Any]) -> list[dict[str, str]]:
    """What the report comes to, the most important first; a state is `good`, `bad`, `warn`, `info` or `none`."""
    found = [*_about_promises(sources, splits), *_about_raw_splits(sources)]
    found += [*_about_audit(sources.audit), *_about_price(sources.price)]
    return [{"about": about, "state": state, "text": text} for about, state, text in found]


def _about_promises(sources: Sources, splits: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    policy = sources.anonymization["policy"]
    unit = "people" if policy.get("entity_id") else "rows"
    failed = [
        f"{check['name']}{' of ' + check['column'] if check.get('column') else ''} in {name}"
        for name, split in splits.items()
        for check in split["checks"]
        if not check["holds"]
    ]
    found = []
    if failed:
        found.append(("Promises", "bad", f"Broken: {', '.join(failed)}. Nobody may read this release."))
    else:
        reached = min(split["counted"]["k"] for split in splits.values())
        text = f"Every released combination is shared by {reached:,} {unit} or more; {policy['k']:,} were asked."
        found.append(("Promises", "good", text))
    differ = [name for name in _TOLD if policy.get(name) != sources.validation["policy"].get(name)]
    alone = [name for name, split in splits.items() if not split["counted_independently"]]
    apart = [name for name, split in splits.items() if split["counted_independently"] and not split["counts_agree"]]
    if differ:
        text = f"KAnonymityValidator was told otherwise than AGAnonymizer: {', '.join(differ)}."
        found.append(("Counting", "bad", text))
    elif alone or apart:
        text = f"KAnonymityValidator did not count {', '.join(alone)}." if alone else ""
        text += f" The two counts of {', '.join(apart)} differ: they are not of one release." if apart else ""
        found.append(("Counting", "bad", text.strip()))
    else:
        found.append(("Counting", "good", "KAnonymityValidator counted the same, by itself."))
    return found


def _about_raw_splits(sources: Sources) -> list[tuple[str, str, str]]:
    others = sources.anonymization.get("other_splits", {})
    raw = [name for name, what in others.items() if what == "pass"]
    moved = [name for name, what in others.items() if what == "transform"]
    found = []
    if raw:
        text = f"Passed on as it is: {', '.join(raw)}. It is raw data still, and to be kept like it."
        found.append(("Other splits", "warn", text))
    if moved:
        text = f"Rewritten, but not counted: {', '.join(moved)}. Nothing is promised there."
        found.append(("Other splits", "warn", text))
    return found


def _about_audit(audit: Mapping[str, Any] | None) -> list[tuple[str, str, str]]:
    if audit is None:
        text = "None was connected. How much the model or the release tells beyond the count was not measured."
        return [("Audit", "none", text)]
    failed = [check for check in audit["checks"] if not check["holds"]]
    found = []
    if failed:
        text = f"{len(failed)} of {len(audit['checks'])} bounds do not hold."
        found.append(("Audit", "bad", text))
    else:
        number = len(audit["checks"])
        found.append(("Audit", "good", "Its only bound holds." if number == 1 else f"All {number} bounds hold."))
    if audit["leaks_shown"]:
        found.append(("Leaks", "warn", f"Shown by {', '.join(audit['leaks_shown'])}.".replace("_", " ")))
    return found


def _about_price(price: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    if price["missing"]:
        return [("Price", "none", f"Not known: {price['missing']}.")]
    change = price["change"]
    name = price["metric"].replace("_", " ")
    text = f"{name.capitalize()} changed by {change_text(change, price['scale'])}."
    found = [("Price", "info", text)]
    flagged = [group["name"] for group in price["groups"] if group["pays_more"]]
    unknown = [group for group in price["groups"] if group["pays_more"] is None]
    if flagged:
        some = ", ".join(flagged[:4]) + ("…" if len(flagged) > 4 else "")
        lose = f"{len(flagged)} of {len(price['groups'])} groups lose more than everybody"
        found.append(("Who pays", "warn", f"{lose}, beyond chance: {some}."))
    elif not price["groups"]:
        found.append(("Who pays", "none", "Not known: no group was evaluated that may be named."))
    elif unknown:
        found.append(("Who pays", "none", "Not known: nothing says how far chance reaches; ask TFMA for intervals."))
    else:
        text = f"None of {len(price['groups'])} groups loses more than everybody beyond chance."
        found.append(("Who pays", "good", text))
    return found


def change_text(change: Mapping[str, float | None], scale: int) -> str:
    """Writes a change with its sign and, where it is known, half the width of its interval.

    Args:
        change: `value` and `margin`.
        scale: 100 for points, else 1.

    Example:
        >>> change_text({"value": -0.0123, "margin": 0.004}, 100), change_text({"value": 0.5, "margin": None}, 1)
        ('−1.23 ± 0.40 points', '+0.5')
    """
    value, margin = change["value"] or 0.0, change["margin"]
    form = ".2f" if scale == 100 else ".4g"
    text = f"{scale * value:+{form}}".replace("-", "−")
    around = "" if margin is None else f" ± {scale * margin:{form}}"
    return f"{text}{around}{' points' if scale == 100 else ''}"


def _audit(audit: Mapping[str, Any]) -> dict[str, Any]:
    """What of an audit stands here; the whole of it is a report of its own."""
    model, release = audit.get("model"), audit.get("release")
    return {
        "success": audit["success"],
        "leaks_shown": audit["leaks_shown"],
        "checks": audit["checks"],
        "mode": audit["settings"]["mode"],
        "confidence": audit["settings"]["confidence"],
        "target": audit["target"],
        "audited": audit.get("audited"),
        "model": None if model is None else {name: figures["auc"] for name, figures in model["attacks"].items()},
        "release": None
        if release is None
        else {name: one["risk"] for name, one in release["knowing_the_quasi_identifiers"].items()},
    }
