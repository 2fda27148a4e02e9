"""Attribute inference: what a model tells of an attribute to whoever knows the rest of a record.

Most of what such attacks get right can be guessed without the model, so every figure here is the *advantage* over an
imputation that learns from the same people and sees everything but the model.

* `black_box` asks the model with each value that the attribute may have.
* `white_box` looks into the leaves of trees.
* `advantage` compares with the imputation.
"""
