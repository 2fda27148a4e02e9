"""The AuditSplit component."""

from __future__ import annotations

import numbers
from typing import Any

from tfx import v1 as tfx
from tfx.v1.types import BaseBeamComponent, standard_artifacts

from tfx_anonymizer._tfx_compat import BeamExecutorSpec, ChannelParameter, ComponentSpec, ExecutionParameter
from tfx_anonymizer.audit_split.executor import Executor
from tfx_anonymizer.component_support.parameters import is_placeholder
from tfx_anonymizer.errors import PolicyError


class AuditSplitSpec(ComponentSpec):  # type: ignore[misc]
    """Channels and properties of AuditSplit."""

    PARAMETERS = {
        "split": ExecutionParameter(type=str),
        "share": ExecutionParameter(type=float),
        "entity_id": ExecutionParameter(type=str, optional=True),
        "seed": ExecutionParameter(type=int),
    }
    INPUTS = {"examples": ChannelParameter(type=standard_artifacts.Examples)}
    OUTPUTS = {
        "training_examples": ChannelParameter(type=standard_artifacts.Examples),
        "audit_examples": ChannelParameter(type=standard_artifacts.Examples),
    }


class AuditSplit(BaseBeamComponent):  # type: ignore[misc]
    """Draws records to be audited and throws a fair coin for each: heads, it is trained on; tails, it is held back.

    Put it between ExampleGen and everything else, and give its `audit_examples` to PrivacyAuditor. Because a coin of
    its own decided about every record, the audit may bound epsilon from a single training (Steinke et al. 2023). The
    coins are the record's own content and the seed: the same in every run, however the data is cut into files. Records
    alike in every feature share a coin. Whoever knows the seed knows who was held back.

    Args:
        examples: A channel of `Examples`.
        split: The split that is trained on.
        share: Share of its records that are audited; half of those are held back from training. Above 0, at most 1.
        entity_id: The feature that says whose row it is; all rows of a person then share a coin.
        seed: Of the draws.

    Outputs:
        training_examples: The same splits as `examples`; what is held back is missing from `split`.
        audit_examples: The splits `member` (a copy of what was audited and stayed) and `non_member`. Marked
            `contains_personal_data` and `members_drawn_by_coin`.

    Raises:
        PolicyError: If an argument is wrong.

    Example:
        >>> example_gen = tfx.components.CsvExampleGen(input_base="people/")
        >>> split = AuditSplit(example_gen.outputs["examples"], share=0.1)
        >>> sorted(split.outputs)
        ['audit_examples', 'training_examples']
    """

    SPEC_CLASS = AuditSplitSpec
    EXECUTOR_SPEC = BeamExecutorSpec(Executor)

    def __init__(
        self,
        examples: tfx.types.BaseChannel,
        *,
        split: str = "train",
        share: float | Any = 0.1,
        entity_id: str | None = None,
        seed: int = 0,
    ) -> None:
        if not isinstance(split, str) or not split:
            raise PolicyError("split is not a split's name", got=repr(split), hint="split='train'")
        if not is_placeholder(share):
            real = isinstance(share, numbers.Real) and not isinstance(share, bool)
            if not real or not 0 < share <= 1:
                raise PolicyError("share is out of range", got=repr(share), allowed="a number above 0, at most 1")
        if not isinstance(seed, numbers.Integral) or seed < 0:
            raise PolicyError("seed is out of range", got=repr(seed), allowed="an integer of 0 or more")
        spec = AuditSplitSpec(
            examples=examples,
            split=split,
            share=share if is_placeholder(share) else float(share),
            entity_id=entity_id,
            seed=int(seed),
            training_examples=tfx.dsl.Channel(type=standard_artifacts.Examples),
            audit_examples=tfx.dsl.Channel(type=standard_artifacts.Examples),
        )
        super().__init__(spec=spec)
