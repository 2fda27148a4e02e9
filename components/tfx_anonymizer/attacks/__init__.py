"""Attacks on models and on releases, and figures of what they reach; NumPy, SciPy and scikit-learn alone.

* `scores`: what an attacker thinks of each record, from the model's answers alone.
* `references`: other models, trained in the same way on other people; `rmia` and `lira` compare with them.
* `quantile` and `neural`: attacks that learn.
* `roc`, `intervals`, `epsilon` and `figures`: what an attack reaches, and how sure that is.
* `attribute`: what a model tells of an attribute beyond what can be guessed without it.
* `release`: what a release tells of those who are in it.

None of them needs to know how a model was trained. TensorFlow is imported by the neural attack alone, when it is used.
"""
