"""Pieces that the graphs share."""

from __future__ import annotations

import tensorflow_model_analysis as tfma

# Named in full, so that newer Beam versions do not look for a runner to download.
BEAM_ARGS = ("--runner=apache_beam.runners.portability.fn_api_runner.FnApiRunner",)


def change_threshold(least: float) -> tfma.MetricThreshold:
    """Blesses a model whose metric is at most this far below the baseline's.

    Args:
        least: The least change allowed, for example -0.05.
    """
    return tfma.MetricThreshold(
        change_threshold=tfma.GenericChangeThreshold(
            direction=tfma.MetricDirection.HIGHER_IS_BETTER, absolute={"value": least}
        )
    )


def metrics_specs(threshold: tfma.MetricThreshold) -> list[tfma.MetricsSpec]:
    """Count, AUC and accuracy; the threshold is on accuracy."""
    accuracy = tfma.MetricConfig(class_name="BinaryAccuracy", threshold=threshold)
    others = [tfma.MetricConfig(class_name=name) for name in ("ExampleCount", "AUC")]
    return [tfma.MetricsSpec(metrics=[*others, accuracy])]
