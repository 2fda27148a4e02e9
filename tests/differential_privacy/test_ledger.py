"""What a store's releases spent, added up by accounting."""

from __future__ import annotations

import json

import pytest
from ml_metadata import metadata_store
from ml_metadata.proto import metadata_store_pb2 as mlmd
from tfx.v1.types import standard_artifacts

from tfx_anonymizer.differential_privacy import ledger
from tfx_anonymizer.differential_privacy.budget import Budget
from tfx_anonymizer.differential_privacy.plan import Design, plan
from tfx_anonymizer.differential_privacy.spending import Spending, composed_epsilon
from tfx_anonymizer.errors import GuaranteeError, InputDataError

BUDGET = Budget(1.0, 1e-6)


@pytest.fixture(scope="module")
def spending():
    return plan(Design("class_wise_mixing"), BUDGET).spending("patients of 2024")


@pytest.fixture
def store():
    config = mlmd.ConnectionConfig()
    config.fake_database.SetInParent()
    return metadata_store.MetadataStore(config)


def publish(store, *spendings) -> None:
    for spending in spendings:
        artifact = standard_artifacts.Examples()
        if spending is not None:
            ledger.record(artifact, spending)
        kind = store.put_artifact_type(artifact.artifact_type)
        artifact.mlmd_artifact.type_id = kind
        store.put_artifacts([artifact.mlmd_artifact])


def test_releases_add_up_to_less_than_their_sum_and_more_than_one(store, spending):
    publish(store, spending, None, spending, spending)
    assert ledger.spendings(store) == [spending] * 3
    total = ledger.total(store, delta=1e-6)
    assert spending.epsilon < total < 3 * spending.epsilon
    assert total == pytest.approx(composed_epsilon([spending] * 3, delta=1e-6))


def test_other_people_do_not_count(store, spending):
    others = Spending.from_dict({**spending.to_dict(), "source": "others"})
    publish(store, spending, others)
    assert ledger.total(store, "patients of 2024", delta=1e-6) == pytest.approx(spending.epsilon)
    assert ledger.total(store, "nobody", delta=1e-6) == 0.0
    assert ledger.total(store, delta=1e-6) > spending.epsilon


def test_a_history_over_budget_is_refused(store, spending):
    publish(store, spending)
    ledger.check_total(store, Budget(1.01, 1e-6))
    publish(store, spending)
    with pytest.raises(GuaranteeError, match="by 2 releases"):
        ledger.check_total(store, Budget(1.01, 1e-6))


def test_written_and_read_back(spending):
    assert Spending.from_dict(json.loads(spending.to_json())) == spending
    for damaged in ({}, {**spending.to_dict(), "parts": [{"noise": 3}]}, {**spending.to_dict(), "more": 1}):
        with pytest.raises(InputDataError, match="cannot be read"):
            Spending.from_dict(damaged)
