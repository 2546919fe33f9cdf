"""Hypothesis gives every run the same examples, however long each takes: nothing is found by chance."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "same examples", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("same examples")
