"""The PrivacyReporter component."""

from __future__ import annotations

from tfx import v1 as tfx
from tfx.v1.types import BaseBeamComponent, standard_artifacts

from tfx_anonymizer import artifacts
from tfx_anonymizer._tfx_compat import BeamExecutorSpec, ChannelParameter, ComponentSpec, ExecutionParameter
from tfx_anonymizer.errors import PolicyError
from tfx_anonymizer.privacy_reporter.executor import Executor


class PrivacyReporterSpec(ComponentSpec):  # type: ignore[misc]
    """Channels and properties of PrivacyReporter."""

    PARAMETERS = {
        "title": ExecutionParameter(type=str, optional=True),
        "metric": ExecutionParameter(type=str, optional=True),
    }
    INPUTS = {
        "examples": ChannelParameter(type=standard_artifacts.Examples),
        "anonymized_examples": ChannelParameter(type=standard_artifacts.Examples),
        "report": ChannelParameter(type=artifacts.AnonymizationReport),
        "validation": ChannelParameter(type=artifacts.ValidationReport),
        "audit": ChannelParameter(type=artifacts.AuditReport, optional=True),
        "evaluation": ChannelParameter(type=standard_artifacts.ModelEvaluation, optional=True),
        "baseline_evaluation": ChannelParameter(type=standard_artifacts.ModelEvaluation, optional=True),
    }
    OUTPUTS = {"privacy_report": ChannelParameter(type=artifacts.PrivacyReport)}


class PrivacyReporter(BaseBeamComponent):  # type: ignore[misc]
    """Makes one page of what all the others found: the verdict first, the evidence, and what is for the file.

    It asks for no roles and no k: they stand in the report of AGAnonymizer, and whether KAnonymityValidator was told
    the same is part of the verdict. It stops nothing; that is what the validator and the auditor are for. The raw
    examples are read once more, in Beam, for how each quasi-identifier is distributed before and after. Of that nothing
    is told that fewer than k people share; see `report.folding` for the rule.

    Args:
        examples: A channel of the raw `Examples` that were given to AGAnonymizer.
        anonymized_examples: A channel of those it released.
        report: A channel of its `report`.
        validation: A channel of the `report` of KAnonymityValidator.
        audit: A channel of the `report` of PrivacyAuditor. Absent: the page says that nobody attacked.
        evaluation: A channel of the `evaluation` of an Evaluator of the retrained model. If that had the model of the
            raw data as its `baseline_model`, it says what privacy costs by itself. Absent: the page says that the cost
            is not known.
        baseline_evaluation: A channel of the `evaluation` of the model of the raw data, where it was evaluated apart,
            on the same examples.
        title: The page's title.
        metric: The metric by which groups are compared, as TFMA names it; by default an accuracy if there is one. The
            groups are the Evaluator's slices.

    Outputs:
        privacy_report: `PrivacyReport` with `report.html` and `report.json`, and the custom property `success`, 1 or 0.

    Raises:
        PolicyError: If an argument is wrong.

    Example:
        >>> example_gen = tfx.components.CsvExampleGen(input_base="people/")
        >>> raw = example_gen.outputs["examples"]
        >>> roles = {"quasi_identifiers": ["age", "sex", "zip"], "k": 50}
        >>> from tfx_anonymizer import AGAnonymizer, KAnonymityValidator
        >>> anonymizer = AGAnonymizer(raw, label_key="income", **roles)
        >>> validator = KAnonymityValidator(anonymizer.outputs["anonymized_examples"], **roles)
        >>> reporter = PrivacyReporter(
        ...     examples=raw,
        ...     anonymized_examples=anonymizer.outputs["anonymized_examples"],
        ...     report=anonymizer.outputs["report"],
        ...     validation=validator.outputs["report"],
        ... )
        >>> sorted(reporter.outputs)
        ['privacy_report']
    """

    SPEC_CLASS = PrivacyReporterSpec
    EXECUTOR_SPEC = BeamExecutorSpec(Executor)

    def __init__(
        self,
        examples: tfx.types.BaseChannel,
        anonymized_examples: tfx.types.BaseChannel,
        report: tfx.types.BaseChannel,
        validation: tfx.types.BaseChannel,
        audit: tfx.types.BaseChannel | None = None,
        evaluation: tfx.types.BaseChannel | None = None,
        baseline_evaluation: tfx.types.BaseChannel | None = None,
        *,
        title: str | None = None,
        metric: str | None = None,
    ) -> None:
        for name, value in (("title", title), ("metric", metric)):
            if value is not None and (not isinstance(value, str) or not value.strip()):
                raise PolicyError(f"{name} is not a text", got=repr(value), allowed="text or None")
        if evaluation is None and baseline_evaluation is not None:
            raise PolicyError("baseline_evaluation has nothing to be compared with", hint="connect evaluation too")
        if metric is not None and evaluation is None:
            raise PolicyError("metric is given, but no evaluation", hint="connect the Evaluator's evaluation")
        spec = PrivacyReporterSpec(
            examples=examples,
            anonymized_examples=anonymized_examples,
            report=report,
            validation=validation,
            audit=audit,
            evaluation=evaluation,
            baseline_evaluation=baseline_evaluation,
            title=title,
            metric=metric,
            privacy_report=tfx.dsl.Channel(type=artifacts.PrivacyReport),
        )
        super().__init__(spec=spec)
