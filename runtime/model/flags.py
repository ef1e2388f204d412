"""Parts of a simulation that can be switched, by the words of MJCF's <flag>; bits of opt_disableflags and
opt_enableflags as MuJoCo has them.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

DISABLE = MappingProxyType(
    {
        word: 1 << bit
        for bit, word in enumerate(
            (
                *("constraint", "equality", "frictionloss", "limit", "contact", "passive", "gravity"),
                *("clampctrl", "warmstart", "filterparent", "actuation", "refsafe", "sensor", "midphase"),
                *("eulerdamp", "autoreset"),
            )
        )
    }
)
"""What is on unless it is switched off."""
ENABLE = MappingProxyType(
    {
        word: 1 << bit
        for bit, word in enumerate(
            ("override", "energy", "fwdinv", "invdiscrete", "multiccd", "island", "nativeccd")
        )
    }
)
"""What is off unless it is switched on."""


def bits(words: Iterable[str], known: MappingProxyType[str, int]) -> int:
    """The bits of words, together.

    Raises:
        ValueError: a word that is none of those.
    """
    found = 0
    for word in [words] if isinstance(words, str) else words:
        if word not in known:
            raise ValueError(f"{word!r} is no flag; there are {', '.join(known)}")
        found |= known[word]
    return found
