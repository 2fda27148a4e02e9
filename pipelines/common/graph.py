"""Pieces that the graphs share."""

from __future__ import annotations

import tensorflow_model_analysis as tfma
from tensorflow_model_analysis.proto import config_pb2

# Named in full, so that newer Beam versions do not look for a runner to download.
# Its workers are this process. TFX asks where others would find it, else packs itself into an archive of 49 MB for each
# component, seconds every time, and leaves that behind; any name is an answer, and none is ever looked up.
BEAM_ARGS = (
    "--runner=apache_beam.runners.portability.fn_api_runner.FnApiRunner",
    "--sdk_container_image=not-needed-in-process",
)


def change_threshold(least: float) -> tfma.MetricThreshold:
    """Blesses a model whose metric is at most this far below the baseline's.

    Args:
        least: The least change allowed, for example -0.03.
    """
    return tfma.MetricThreshold(
        change_threshold=tfma.GenericChangeThreshold(
            direction=tfma.MetricDirection.HIGHER_IS_BETTER, absolute={"value": least}
        )
    )


def metrics_specs(threshold: tfma.MetricThreshold) -> list[tfma.MetricsSpec]:
    """Count, accuracy and AUC; the threshold is on AUC, which no unlucky last training step moves by points.

    It holds for all examples together: a threshold without slices would hold for every one of them, however few.
    """
    # TFMA of TFX 1.21 does not export this one.
    of_all = config_pb2.PerSliceMetricThreshold(slicing_specs=[tfma.SlicingSpec()], threshold=threshold)
    auc = tfma.MetricConfig(class_name="AUC", per_slice_thresholds=[of_all])
    others = [tfma.MetricConfig(class_name=name) for name in ("ExampleCount", "BinaryAccuracy")]
    return [tfma.MetricsSpec(metrics=[*others, auc])]
