"""DPSynthesizer: synthetic examples of the same schema, with differential privacy."""
