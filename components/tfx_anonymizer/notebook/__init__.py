"""Reports in notebooks: `context.show(...)` of TFX's InteractiveContext shows this package's artifacts as pages.

In a notebook, once, before anything is shown:

    %load_ext tfx_anonymizer.notebook

or, which is the same, `tfx_anonymizer.notebook.register()`. From then on

    context.show(anonymizer.outputs["report"])

shows what was promised, what was reached and how large the classes are; a validator's report and its blessing,
a tuner's comparison and its choice likewise.
What is shown holds names of columns and counts, and no value of any record. TFX is imported when `register` is called.
"""

from __future__ import annotations

from typing import Any

__all__ = ["load_ipython_extension", "register"]


def register() -> None:
    """Registers how TFX's InteractiveContext shows this package's artifacts; calling it again changes nothing.

    Raises:
        ImportError: If TFX is not installed.

    Example:
        >>> register()
        >>> from tfx.orchestration.experimental.interactive import visualizations
        >>> type(visualizations.get_registry().get_visualization("tfx_anonymizer.PrivacyBlessing")).__name__
        'PrivacyBlessingVisualization'
    """
    from tfx_anonymizer.notebook.visualizations import VISUALIZATIONS, registry

    for visualization in VISUALIZATIONS:
        registry().register(visualization)


def load_ipython_extension(ipython: Any) -> None:  # noqa: ARG001
    """What `%load_ext tfx_anonymizer.notebook` calls.

    Args:
        ipython: The running shell.
    """
    register()
