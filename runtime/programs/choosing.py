"""Selection of the kernels for a simulation."""

from __future__ import annotations

import os
import sys
import warnings
from typing import NamedTuple

from polybody.errors import CompileError, CompileNotice, CompileWarning
from polybody.generated.kernels.interface import Request
from polybody.generated.model import Integrator
from polybody.model.model import Model
from polybody.programs.build import FORKED, Build, ask
from polybody.programs.target import Target

STEP = Request(("step",))
"""The kernels that a Stepper needs."""
KERNELS = ("auto", "loop", "specialized", "switch")
UNROLLED = 100
"""Maximum number of degrees of freedom for which "auto" and "switch" specialize: straight-line code grows
with the Model.
"""
UNROLLED_ON_REQUEST = 400
"""The same for "specialized"."""
_noticed: set[str] = set()


class Choice(NamedTuple):
    """The result of a request for kernels."""

    kernels: str
    """ "loop" or "specialized"."""
    reason: str
    build: Build | None = None
    """The program of "specialized" kernels; with "loop", one that may become ready later."""
    switches: bool = False
    """Whether it is to be used as soon as it is ready."""


def choose(
    model: Model, asked: str, request: Request = STEP, target: Target | None = None, *, wait: bool = False
) -> Choice:
    """Which kernels to use now.

    Args:
        model: the Model.
        asked: one of KERNELS.
        request: what the program must contain.
        target: the target machine; by default this machine.
        wait: wait for a program that is not ready, instead of compiling it in the background. A CompileNotice
            is issued before.

    Raises:
        ValueError: there are no such kernels.
        CompileError: "specialized": they cannot be made; the message says why.
    """
    wanted, why = _wanted(asked)
    if wanted == "loop":
        return Choice("loop", why)
    no = refusal(model, UNROLLED_ON_REQUEST if wanted == "specialized" else UNROLLED)
    if no:
        if wanted == "specialized":
            raise CompileError(f"kernels cannot be specialized for {model!r}: {no}")
        return Choice("loop", no)
    wait = wait or wanted == "specialized"
    build = ask(model, request, target, start=not wait)
    if wait:
        if not build.over:
            text = f"compiling kernels for {model.name or 'a model'!r} (some seconds, once)"
            _notice(text, CompileNotice, build.key)
        try:
            build.wait()
        except CompileError as error:
            if wanted != "specialized":
                return settle(build)
            raise CompileError(f"kernels cannot be specialized for {model!r}: {error}") from None
    return settle(build, switches=wanted == "switch")


def settle(build: Build, switches: bool = False) -> Choice:
    """The current result of a build."""
    if build.notice:
        _notice(build.notice)
    if build.program is not None:
        return Choice("specialized", origin(build), build)
    if build.over:
        _notice(f"the loop kernels are used because compilation failed: {build.failure}")
        again = build if build.failure == FORKED else None
        return Choice("loop", f"compilation failed: {build.failure}", again)
    when = "used when they are ready" if switches else "used after reset() when they are ready"
    return Choice("loop", f"specialized kernels are being compiled, {when}", build, switches)


def origin(build: Build) -> str:
    """How a program was obtained."""
    facts = build.entry.facts if build.entry else {}
    seconds = sum(facts.get("seconds", {}).values())
    kept = "from the cache" if build.cached else "now"
    return f"compiled for this model in {seconds:.2f} s by {facts.get('compiler') or 'a C compiler'}, {kept}"


def _wanted(asked: str) -> tuple[str, str]:
    if asked not in KERNELS:
        raise ValueError(f"kernels must be one of {', '.join(KERNELS)}, not {asked!r}")
    usual = os.environ.get("POLYBODY_KERNELS", "").strip()
    if asked != "auto" or not usual:
        return asked, "asked for"
    if usual not in KERNELS:
        raise ValueError(f"POLYBODY_KERNELS must be one of {', '.join(KERNELS)}, not {usual!r}")
    return usual, f"POLYBODY_KERNELS={usual}"


def refusal(model: Model, most: int) -> str:
    """Why specialized kernels of at most `most` degrees of freedom cannot serve a Model; "" if they can."""
    if model.nv == 0:
        return "it has no degrees of freedom"
    if model.nhistory and model._column("opt_delays") and model.opt_integrator == Integrator.RK4:
        return "it has actuators with delays, and only loops know their controls in each stage of RK4"
    if model.nv > most:
        return f"it has {model.nv} degrees of freedom, and straight-line code is generated for at most {most}"
    return ""


def _notice(text: str, category: type[UserWarning] = CompileWarning, about: str = "") -> None:
    """Issue a warning once per process and subject, which is the text unless it is given, at the line outside
    polybody that caused it.
    """
    if (about or text) in _noticed:
        return
    _noticed.add(about or text)
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("polybody."):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)
