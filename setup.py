"""Packaging of tfx_anonymizer; tool settings live in pyproject.toml."""

from __future__ import annotations

import re
from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).parent


def read_version() -> str:
    """Returns the version without importing the package (its dependencies may be absent)."""
    text = (HERE / "components/tfx_anonymizer/_version.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([^"]+)"$', text, flags=re.MULTILINE)
    if found is None:
        raise RuntimeError("components/tfx_anonymizer/_version.py holds no __version__ line")
    return found.group(1)


setup(
    name="tfx-anonymizer",
    version=read_version(),
    description="TFX components that retrain your existing Trainer on k-anonymous examples",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    package_dir={"": "components"},
    packages=find_packages("components"),
    package_data={"tfx_anonymizer": ["py.typed", "report/*.j2", "notebook/templates/*.j2"]},
    python_requires=">=3.10,<3.14",
    install_requires=[
        "tfx>=1.16,<1.22",
        "tensorflow",
        "tensorboard",  # TensorFlow 2.21 no longer brings it; Trainer modules use its callback.
        "apache-beam>=2.60",
        "google-crc32c",  # Checksums of TFRecord files, compiled; Beam's cloud libraries bring it.
        "dill",  # Imported by tfx-bsl and TFT; Beam stopped bringing it in 2.68.
        "numpy",
        "pandas",
        "pyarrow>=10",
        "scikit-learn>=1.5",
        "threadpoolctl>=3",  # What scikit-learn itself holds threads back with: one thread in a Beam worker.
        "numba>=0.60",
        "lightgbm>=4",  # Learns any guide's answers and gives exact Shapley values of them; small, on both lines.
        "scipy",
        "skops>=0.13",
        "dp-accounting>=0.6",  # Google's accountant, by privacy loss distributions; installs on both lines.
        "click>=8",
        "jinja2>=3",
        "rich>=13",
        "matplotlib>=3.8",  # The pictures in reports.
        # TFX packs a module_file with `setup.py bdist_wheel` and installs it with pip at run time.
        "pip",
        "setuptools<81",
        "wheel",
    ],
    extras_require={
        "kfp": ["kfp>=2.5"],
        "airflow": ["apache-airflow>=2.11,<3"],
        # The models that the paper retrains; xgboost without its gigabytes for GPUs.
        "benchmarks": ["xgboost-cpu"],
        # mkdocstrings 1.0.6, the newest for Python 3.10, cannot highlight with pymdown-extensions 12.
        "docs": [
            "mkdocs-material>=9.6",
            "mkdocstrings[python]",
            "pymdown-extensions<12",
            "ipykernel",
            "nbclient",
            "nbformat",
        ],
        "dev": [
            "build",
            "hypothesis",
            "import-linter",
            "jsonschema",
            "mypy",
            "pandas-stubs",
            "pytest",
            "ruff",
        ],
    },
    entry_points={"console_scripts": ["tfx-anonymizer=tfx_anonymizer.cli:main"]},
    classifiers=[
        "Programming Language :: Python :: 3.10",
        "Programming Language :: Python :: 3.11",
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
        "Topic :: Security",
    ],
)
