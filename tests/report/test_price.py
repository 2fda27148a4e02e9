"""What privacy costs and who pays: flagged beyond chance, and unknown where nothing tells."""

from __future__ import annotations

import numpy as np
import pytest

from tfx_anonymizer.report.price import Figure, price


def groups(metric="accuracy", margin=None, **shares):
    """Groups by name: (metric, examples); `all` is everybody."""
    found = {}
    for name, (value, examples) in shares.items():
        key = () if name == "all" else (("sex", name),)
        found[key] = {metric: Figure(value, margin)}
        if examples is not None:
            found[key]["example_count"] = Figure(float(examples))
    return found


def test_a_group_that_pays_is_flagged_and_comes_first():
    raw = groups(all=(0.9, 10_000), f=(0.9, 3000), m=(0.9, 7000))
    found = price(groups(all=(0.88, 10_000), f=(0.80, 3000), m=(0.914, 7000)), raw, 100)
    assert [group["name"] for group in found["groups"]] == ["sex = f", "sex = m"]
    assert [group["pays_more"] for group in found["groups"]] == [True, False]
    assert found["change"]["value"] == pytest.approx(-0.02)
    assert (found["metric"], found["scale"], found["folded"], found["examples"]) == ("accuracy", 100, 0, 10_000)


def test_the_same_loss_of_few_is_not_shown():
    raw = groups(all=(0.9, 10_000), f=(0.9, 50))
    found = price(groups(all=(0.9, 10_000), f=(0.80, 50)), raw, 50)
    assert found["groups"][0]["pays_more"] is False


def test_small_groups_are_not_named_nor_those_that_were_not_counted():
    raw = groups(all=(0.9, 1000), f=(0.9, 49), m=(0.9, 951), x=(0.5, None))
    found = price(raw, raw, 50)
    assert [group["name"] for group in found["groups"]] == ["sex = m"]
    assert found["folded"] == 2


def test_an_error_gets_better_by_falling():
    raw, mine = groups("mean_squared_error", all=(3.0, 100)), groups("mean_squared_error", all=(4.5, 100))
    found = price(mine, raw, 5)
    assert (found["change"], found["scale"]) == ({"value": -1.5, "margin": None}, 1)
    assert found["overall"][0]["retrained"] == 4.5


def test_without_an_interval_nobody_knows_who_pays_and_with_one_it_is_used():
    raw, mine = groups("auc", all=(0.9, 100), f=(0.9, 60)), groups("auc", all=(0.9, 100), f=(0.5, 60))
    assert price(mine, raw, 5)["groups"][0]["pays_more"] is None
    raw, mine = (
        groups("auc", 0.02, all=(0.9, 100), f=(0.9, 60)),
        groups("auc", 0.02, all=(0.9, 100), f=(0.5, 60)),
    )
    assert price(mine, raw, 5)["groups"][0]["pays_more"] is True


@pytest.mark.parametrize(
    ("raw", "metric", "says"),
    [
        (None, None, "no model that learned from the raw data"),
        ({}, None, "nothing of all examples"),
        (groups(all=(0.9, 99)), None, "different numbers of examples"),
        (groups(all=(0.9, 100)), "auc", "no metric 'auc' in common; they have: accuracy"),
        (groups("lift", all=(0.9, 100)), None, "no metric whose direction is known in common; they have: none"),
    ],
)
def test_what_is_missing_is_said(raw, metric, says):
    assert says in price(groups(all=(0.9, 100)), raw, 5, metric)["missing"]


def test_groups_that_pay_alike_are_rarely_accused():
    accused, sizes = 0, (200, 500, 1000, 4000)
    for seed in range(300):
        rng = np.random.default_rng(seed)
        both = []
        for accuracy in (0.85, 0.83):
            right = [rng.random(n) < accuracy for n in sizes]
            shares = {f"g{i}": (float(one.mean()), len(one)) for i, one in enumerate(right)}
            both.append(groups(all=(float(np.concatenate(right).mean()), sum(sizes)), **shares))
        accused += any(group["pays_more"] for group in price(both[1], both[0], 50)["groups"])
    assert accused <= 0.05 * 300
