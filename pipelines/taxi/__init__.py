"""TFX's own Chicago taxi example with the anonymizing components in its graph."""
