"""An audit: which attacks are carried out, against which references, on whom, and what verdict follows.

* `settings`: what is asked and what may be reached at most.
* `subject`: whom the audit is about, and what a model says of them.
* `replicas`: models trained as the target was, anonymization included.
* `model_audit`, `attribute_audit`, `release_audit`: the three parts.
* `verdict`: comparison with the bounds.
* `whole`: all of it, as one JSON-ready report.
"""
