"""Past samples of actuators and sensors, which delays need: what their attributes say."""

from __future__ import annotations

from polybody.generated.formats.mjcf import Interpolation
from polybody.lowering.mjcf.elements import Values


def history(values: Values) -> tuple[int, int]:
    """The number of samples, 0 in releases without, and the code of how values between them are found."""
    count = max(0, values.get("nsample", 0))
    return count, list(Interpolation).index(values["interp"]) if count else 0


def interval(values: Values) -> tuple[float, float]:
    """The time between measurements, and that of the last one before the start."""
    given = values.get("interval", 0.0)
    return (*(given if isinstance(given, tuple) else (given,)), 0.0)[:2]
