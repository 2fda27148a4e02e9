# What runs the steps of a compiled pipeline, the Kubeflow components and the command line:
#   docker build -t REGISTRY/tfx-anonymizer:TAG .
# BASE may be any system with glibc 2.39 or newer whose python3 is 3.11, the version the pins are resolved for.
ARG BASE=docker.io/library/python:3.11-slim-trixie

FROM ${BASE} AS build
SHELL ["/bin/sh", "-euxc"]
# One of TFX's dependencies has no wheel and is compiled.
RUN apt-get update; \
    apt-get install --yes --no-install-recommends g++ make
WORKDIR /src
COPY constraints/tfx-1.21.txt constraints.txt
COPY setup.py pyproject.toml README.md ./
COPY components/tfx_anonymizer/_version.py components/tfx_anonymizer/_version.py
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CONSTRAINT=/src/constraints.txt
# The dependencies first, in a layer that changes with them alone.
RUN python3 -m venv /opt/venv; \
    /opt/venv/bin/pip install pip setuptools wheel; \
    /opt/venv/bin/pip install '.[kfp]'; \
    /opt/venv/bin/pip uninstall --yes tfx-anonymizer; \
    # Headers for compiling TensorFlow operations: 430 MB.
    rm -rf /opt/venv/lib/python3*/site-packages/tensorflow/include build
COPY components/ components/
RUN /opt/venv/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /wheels .; \
    /opt/venv/bin/pip install --no-deps /wheels/*.whl; \
    /opt/venv/bin/pip check

FROM ${BASE}
SHELL ["/bin/sh", "-euxc"]
RUN apt-get update; \
    apt-get install --yes --no-install-recommends libgomp1; \
    rm -rf /var/lib/apt/lists/*; \
    useradd --uid 10001 --gid 0 --create-home --shell /usr/sbin/nologin anonymizer; \
    # Kubeflow's launcher runs as this user and puts artifacts there; some clusters choose a user, always in group 0.
    mkdir -p /minio /s3 /gcs /var/cache/numba /opt/tfx_anonymizer/data; \
    chown 10001:0 /minio /s3 /gcs /var/cache/numba; \
    chmod 0775 /minio /s3 /gcs /var/cache/numba /home/anonymizer
COPY --from=build /opt/venv /opt/venv
# What the example pipeline reads.
COPY schemas/ /opt/tfx_anonymizer/schemas/
ENV PATH=/opt/venv/bin:/usr/local/bin:/usr/bin:/bin \
    HOME=/home/anonymizer \
    NUMBA_CACHE_DIR=/var/cache/numba \
    TF_CPP_MIN_LOG_LEVEL=2 \
    CUDA_VISIBLE_DEVICES=-1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
RUN ln -s /opt/venv/lib/python3*/site-packages/tfx/examples/chicago_taxi_pipeline/data/simple /opt/tfx_anonymizer/data/taxi
WORKDIR /home/anonymizer
USER 10001
# Proves the image and leaves compiled kernels behind.
RUN python3 -m tfx_anonymizer.kfp.health
HEALTHCHECK --interval=1h --timeout=5m --start-period=5m CMD ["python3", "-m", "tfx_anonymizer.kfp.health"]
ENTRYPOINT ["tfx-anonymizer"]
CMD ["--help"]
