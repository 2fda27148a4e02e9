"""Runs inside diffprivlib's environment: FOLDER EPSILON SEED."""

import sys
from pathlib import Path

import numpy as np
from diffprivlib.models import RandomForestClassifier

folder, epsilon, seed = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
given = np.load(folder / "given.npz")
# All that is given lies between 0 and 1, whatever the rows: with these bounds nothing is learned from them.
width = given["rows"].shape[1]
bounds = (np.zeros(width), np.ones(width))
forest = RandomForestClassifier(epsilon=epsilon, bounds=bounds, classes=[0, 1], random_state=seed)
forest.fit(given["rows"].astype(np.float64), given["labels"])
np.save(folder / "said.npy", forest.predict_proba(given["asked"].astype(np.float64))[:, 1])
