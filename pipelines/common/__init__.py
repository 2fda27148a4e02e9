"""What the example pipelines share: running quietly with progress, and reading results."""
