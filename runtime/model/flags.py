"""Parts of a simulation that can be disabled or enabled, by their names in MJCF's <flag>: bits of
opt_disableflags and opt_enableflags, as in MuJoCo.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

from polybody.generated.model import DisableFlag, EnableFlag
from polybody.suggest import did_you_mean

DISABLE = MappingProxyType({flag.name: int(flag) for flag in DisableFlag})
"""Parts that are enabled by default."""
ENABLE = MappingProxyType({flag.name: int(flag) for flag in EnableFlag})
"""Parts that are disabled by default."""


Words = str | Iterable[str]


def switched(disableflags: int, enableflags: int, disable: Words, enable: Words) -> tuple[int, int]:
    """opt_disableflags and opt_enableflags with some parts disabled, then others enabled.

    Raises:
        ValueError: a word is not the name of a flag.
    """
    for words, on in ((disable, False), (enable, True)):
        for word in [words] if isinstance(words, str) else words:
            if word in DISABLE:
                bit = DISABLE[word]
                disableflags = disableflags & ~bit if on else disableflags | bit
            elif word in ENABLE:
                bit = ENABLE[word]
                enableflags = enableflags | bit if on else enableflags & ~bit
            else:
                close = did_you_mean(word, (*DISABLE, *ENABLE))
                hint = close or f"flags are {', '.join((*DISABLE, *ENABLE))}"
                raise ValueError(f"{word!r} is not a flag; {hint}")
    return disableflags, enableflags
