MOST_RADIANS: float
"""Two turns, as far as a joint's bounds go that mean angles."""

def like_radians(values: tuple[float, ...]) -> float | None:
    """The first of some numbers of degrees that is a twelfth of half a turn in radians, or several, up to a
    whole turn; None: there is none.
    """

def like_degrees(values: tuple[float, ...]) -> float | None:
    """The first of some numbers of radians that is more than two turns, and a multiple of five; None:
    there is none.
    """
