"""AnonymizationTuner: which k to take, found inside a pipeline."""
