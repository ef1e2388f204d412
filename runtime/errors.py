"""Exceptions and warnings about Models and simulations. Messages use the names of the Model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Problem(NamedTuple):
    """One problem of a Model; ``str`` of it is a sentence that begins with the row concerned."""

    text: str
    """What is wrong."""
    kind: str = ""
    """The kind of the row concerned, such as "joint", or "option"; "" if the problem is not about one row."""
    row: int = 0
    name: str = ""
    """The name of the row; "" without a name."""
    column: str = ""
    """The column concerned, if there is one, such as "jnt_range"."""

    def __str__(self) -> str:
        if not self.kind:
            return self.text
        row = "" if self.kind == "option" else f" {self.row}"
        return f"{self.kind}{row}{f' {self.name!r}' if self.name else ''}: {self.text}"

    def in_document(self) -> str:
        """The sentence for a document, which has names but no numbers of rows."""
        return f"{self.kind} `{self.name}`: {self.text}" if self.name else str(self)


Problems = Iterator[Problem | str]
"""Problems; a text alone is one that is not about one row."""


class ModelError(ValueError):
    """An invalid Model. ``problems`` has a `Problem` for each of its problems, ``lines`` the sentences that
    are shown.
    """

    SHOWN = 20

    def __init__(self, problems: Sequence[Problem | str]) -> None:
        self.problems = tuple(Problem(each) if isinstance(each, str) else each for each in problems)
        more = len(self.problems) - self.SHOWN
        shown = tuple(map(str, self.problems[: self.SHOWN]))
        self.lines = (*shown, f"... and {more} more") if more > 0 else shown
        super().__init__("\n".join(self.lines))

    def __reduce__(self) -> tuple[type[ModelError], tuple[tuple[Problem, ...]]]:
        return ModelError, (self.problems,)


class OptionError(ValueError):
    """An option of a lowering that is invalid for the document."""


class NoReleaseError(OptionError):
    """A release was asked for of a document of a format that has none."""


class InternalError(RuntimeError):
    """An internal error: a bug in polybody, which is not caused by the input."""


class CompileError(RuntimeError):
    """Kernels could not be compiled for a Model; the message gives the reason. The loop kernels work for
    every Model.
    """

    @property
    def lines(self) -> list[str]:
        """The lines of the message, with what the C compiler says."""
        return str(self).splitlines()


class CompileNotice(UserWarning):
    """Something waits until kernels are compiled for a Model; issued once for each program."""


class CompileWarning(UserWarning):
    """Kernels could not be compiled and the loop kernels are used instead; issued once."""


class ModelWarning(UserWarning):
    """A document has findings that the policy allows; issued once per call, with their number."""


class SimulationError(ArithmeticError):
    """A step in which qpos, qvel or qacc would become NaN or exceed the limit, or an activation become NaN or
    infinite. The state before that step is kept.

    ``quantity`` is the first column concerned (qpos, qvel, ctrl, act, qacc, actuator_force...), ``reason``
    the cause, if known, ``time`` that of the kept state, s, ``steps`` the number of completed steps of the
    call, ``body``, ``joint`` and ``actuator`` the names of the elements concerned ("" without a name),
    ``body_id``, ``joint_id`` and ``actuator_id`` their rows or None. If constraints fail, ``efc_id`` is the
    constraint row, and ``geoms`` and ``geom_ids`` are the two geoms of its contact, otherwise empty.
    ``instance`` is the index in a batch, otherwise None.
    """

    def __init__(
        self,
        *,
        quantity: str,
        reason: str,
        time: float,
        steps: int,
        body: str = "",
        body_id: int | None = None,
        joint: str = "",
        joint_id: int | None = None,
        actuator: str = "",
        actuator_id: int | None = None,
        efc_id: int | None = None,
        geoms: tuple[str, ...] = (),
        geom_ids: tuple[int, ...] = (),
        instance: int | None = None,
    ) -> None:
        self.quantity, self.reason, self.time, self.steps = quantity, reason, time, steps
        self.body, self.body_id, self.joint, self.joint_id = body, body_id, joint, joint_id
        self.actuator, self.actuator_id, self.instance = actuator, actuator_id, instance
        self.efc_id, self.geoms, self.geom_ids = efc_id, geoms, geom_ids
        parts = (
            ("constraint row", efc_id, ""),
            *(("geom", row, name) for row, name in zip(geom_ids, geoms, strict=True)),
            ("body", body_id, body),
            ("joint", joint_id, joint),
            ("actuator", actuator_id, actuator),
            ("instance", instance, ""),
        )
        where = ", ".join(
            f"{kind} {row}" + (f" {name!r}" if name else "") for kind, row, name in parts if row is not None
        )
        super().__init__(
            f"the step after t = {time:.9g} s failed: {quantity} of {where}; {reason}"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (self.__dict__,)


def _again(fields: dict[str, object]) -> SimulationError:
    return SimulationError(**fields)  # type: ignore[arg-type]
