"""Beam transforms over the core; usable outside TFX, on any runner.

| transform | takes | gives |
|---|---|---|
| `examples_io.ReadExamples`, `WriteExamples` | files | Arrow batches of examples, and back |
| `predict.PredictWithGuide` | batches | batches with the guide's predictions |
| `anonymize.Anonymize` | batches | released batches, the generalization's files, a summary |
| `apply.ApplyGeneralization` | batches of other rows, such files | batches with released quasi-identifiers |
| `count_classes.CountClasses` | batches | what the classes come to, counted independently |

`Anonymize` is made of `survey.SurveyRows`, `top_partition.FitTopPartition`, `CountLeaves`, `PlanShards` and
`RouteRows`, and `refine.RefineShards`; `packing.PackRows` makes rows small on their way.

Modules that define transforms do without `from __future__ import annotations`: Beam reads annotations as type hints
when a pipeline is built, and can only read them if they are not text.
"""
