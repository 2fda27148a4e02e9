"""InitialModelTrainer: trains the model on raw data that guides the grouping."""
