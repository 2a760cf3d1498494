"""One thread a process, and the same examples for all: the tests say the same on every machine, however busy it is."""

import os

from hypothesis import HealthCheck, settings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):  # two pools on one core wait for each other
    os.environ.setdefault(name, "1")

settings.register_profile("suite", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")
