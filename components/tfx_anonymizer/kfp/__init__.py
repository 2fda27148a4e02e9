"""Kubeflow: the entry point of compiled TFX steps.

`tfx_anonymizer.kfp.run_step` runs one step of a pipeline that TFX compiled.
"""
