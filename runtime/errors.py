"""What goes wrong with a Model or a simulation, said in the Model's own names."""

from __future__ import annotations

from collections.abc import Sequence


class ModelError(ValueError):
    """A Model that cannot be: ``problems`` has a sentence for each thing that is wrong."""

    SHOWN = 20

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        shown = "\n".join(self.problems[: self.SHOWN])
        more = len(self.problems) - self.SHOWN
        super().__init__(shown + (f"\n... and {more} more" if more > 0 else ""))

    def __reduce__(self) -> tuple[type[ModelError], tuple[tuple[str, ...]]]:
        return ModelError, (self.problems,)


class OptionError(ValueError):
    """An option of making a Model that does not fit the document."""


class InternalError(RuntimeError):
    """A defect of polybody itself: something that nothing foresaw, and not the fault of what was given."""


class CompileError(RuntimeError):
    """Kernels could not be compiled for a Model: the message says why. The loop kernels serve every Model."""


class CompileWarning(UserWarning):
    """The same, where the loop kernels serve instead: said once."""


class ModelWarning(UserWarning):
    """A document has findings that the policy lets pass: said once a call, with their number."""


class SimulationError(ArithmeticError):
    """A step that would have left the finite numbers. The state before that step is kept.

    ``quantity`` is the column in which it shows (qpos, qvel, ctrl, act, qacc, actuator_force...), ``reason``
    why, if one can tell, ``time`` that of the state kept, s, ``steps`` how many steps of the call were done,
    ``body``, ``joint`` and ``actuator`` the names of what went astray ("" where there is none), ``body_id``,
    ``joint_id`` and ``actuator_id`` its rows, None where none is meant. ``instance`` is its number in a
    batch, None elsewhere.
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
        instance: int | None = None,
    ) -> None:
        self.quantity, self.reason, self.time, self.steps = quantity, reason, time, steps
        self.body, self.body_id, self.joint, self.joint_id = body, body_id, joint, joint_id
        self.actuator, self.actuator_id, self.instance = actuator, actuator_id, instance
        parts = (
            ("body", body_id, body),
            ("joint", joint_id, joint),
            ("actuator", actuator_id, actuator),
            ("instance", instance, ""),
        )
        where = ", ".join(
            f"{kind} {row}" + (f" {name!r}" if name else "") for kind, row, name in parts if row is not None
        )
        super().__init__(f"not finite in the step after t = {time:.9g} s: {quantity} of {where}; {reason}")

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (self.__dict__,)


def _again(fields: dict[str, object]) -> SimulationError:
    return SimulationError(**fields)  # type: ignore[arg-type]
