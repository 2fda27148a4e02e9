"""A table made k-anonymous on Kubeflow, without TFX."""
