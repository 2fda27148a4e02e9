"""Example pipelines; one folder a case, one file a runner."""
