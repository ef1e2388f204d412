MAX_RADIANS: float
"""Two turns: no larger bound of a joint is plausible in radians."""

def like_radians(values: tuple[float, ...]) -> float | None:
    """The first of some values in degrees that is, to more than one decimal, a multiple of pi/12 up to 2 pi,
    and so is probably meant in radians; or None.
    """

def like_degrees(values: tuple[float, ...]) -> float | None:
    """The first of some values in radians that exceeds two turns and is a multiple of five, and so is
    probably meant in degrees; or None.
    """
