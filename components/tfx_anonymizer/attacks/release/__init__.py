"""Attacks on a release: what it tells of those who are in it that it does not tell of others.

Every attack is carried out twice, on people whose rows were released and on people of the same population whose rows
were not (the control), as Giomi, Boenisch, Wehmeyer and Tasnádi do (2023, "Anonymeter"): what succeeds as often on the
control is knowledge about the population, and no one's own.

* `presence`: is a person's combination in it at all? Then they may have been in the data.
* `absence`: what is left out of it, or could be in it only because nobody has it, says who was or was not.
* `singling_out`, `linkability`, `inference`: the three risks of Opinion 05/2014 of the Article 29 Working Party.

The package `anonymeter` is not used: it needs NumPy 1, which the current TFX does not run with.
"""
