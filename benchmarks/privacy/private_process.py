"""Runs inside diffprivlib's environment: FOLDER EPSILON DEPTH SEED CLASSES.

Trains the forest when it is first asked, and keeps it in the folder: it is one model, however often it is asked.
"""

import pickle
import sys
from pathlib import Path

import numpy as np
from diffprivlib.models import RandomForestClassifier

folder, epsilon = Path(sys.argv[1]), float(sys.argv[2])
depth, seed, classes = (int(word) for word in sys.argv[3:6])
given = np.load(folder / "given.npz")
kept = folder / "forest.pickle"
if kept.exists():
    # This script wrote it, into a folder of its caller's.
    forest = pickle.loads(kept.read_bytes())  # noqa: S301
else:
    # All that is given lies between 0 and 1, whatever the rows: with these bounds nothing is learned from them.
    width = given["rows"].shape[1]
    bounds = (np.zeros(width), np.ones(width))
    forest = RandomForestClassifier(
        epsilon=epsilon, bounds=bounds, classes=list(range(classes)), max_depth=depth, random_state=seed
    )
    forest.fit(given["rows"].astype(np.float64), given["labels"])
    kept.write_bytes(pickle.dumps(forest))
np.save(folder / "said.npy", forest.predict_proba(given["asked"].astype(np.float64)))
