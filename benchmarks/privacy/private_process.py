"""Runs inside diffprivlib's environment: FOLDER EPSILON DEPTH SEED."""

import sys
from pathlib import Path

import numpy as np
from diffprivlib.models import RandomForestClassifier

folder, epsilon = Path(sys.argv[1]), float(sys.argv[2])
depth, seed = int(sys.argv[3]), int(sys.argv[4])
given = np.load(folder / "given.npz")
# All that is given lies between 0 and 1, whatever the rows: with these bounds nothing is learned from them.
width = given["rows"].shape[1]
bounds = (np.zeros(width), np.ones(width))
forest = RandomForestClassifier(epsilon=epsilon, bounds=bounds, classes=[0, 1], max_depth=depth, random_state=seed)
forest.fit(given["rows"].astype(np.float64), given["labels"])
np.save(folder / "said.npy", forest.predict_proba(given["asked"].astype(np.float64))[:, 1])
