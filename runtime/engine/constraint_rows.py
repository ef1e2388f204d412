"""The contacts and constraint rows of a simulation, by MuJoCo's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from polybody.generated.model import EqualityType, RowType

Reals = NDArray[np.float64]
Whole = NDArray[np.int32]
Contacts = np.recarray[Any, Any]
T = TypeVar("T")


def asks_solver(model: Any) -> bool:
    """Whether a simulation needs a solver: constraints are possible, or sensors measure geoms."""
    found: bool = model.once("asks solver", lambda: bool(model.opt_constrained or model.opt_measures_geoms))
    return found


class ConstraintRows:
    """Contacts and constraint rows of the last forward() or step().

    Their number changes from step to step. Every property gives arrays of the present length. Arrays obtained
    earlier keep their memory; they show the numbers of the last step for which they had space.
    """

    __slots__ = ()

    @property
    def model(self) -> Any:
        """The Model that is simulated."""
        raise NotImplementedError

    @property
    def kernel(self) -> Any:
        """The kernels' memory."""
        raise NotImplementedError

    def solved(self, read: Callable[[Any], T], none: T) -> T:
        """What a function reads of the solver while no other thread uses the simulation; without a solver,
        ``none``.

        Raises:
            RuntimeError: another thread is using it.
        """
        kernel = self.kernel
        solver = kernel.solver
        if solver is None:
            return none
        kernel.hold()
        try:
            return read(solver)
        finally:
            kernel.release()

    def _rows(self, name: str, kind: type, *shape: int) -> NDArray[Any]:
        found: NDArray[Any] = self.solved(lambda solver: solver.row(name), np.zeros((0, *shape), kind))
        found.flags.writeable = False
        return found

    def _count(self, which: int) -> int:
        return self.solved(lambda solver: int(solver.counts[which]), 0)

    @property
    def contact(self) -> Contacts:
        """The contacts, (ncon,), a record array with MuJoCo's names of fields: ``contact.dist`` or
        ``contact["dist"]``, (ncon,), and ``contact[0].dist``.
        """
        rows = self.solved(lambda solver: solver.contact(), None)
        if rows is None:
            from polybody.constraints.attach import CONTACT

            rows = np.zeros(0, CONTACT)
        found: Contacts = rows.view(np.recarray)
        found.flags.writeable = False
        return found

    @property
    def ncon(self) -> int:
        """Number of contacts, including those in the gap."""
        return self._count(0)

    @property
    def nefc(self) -> int:
        """Number of constraint rows."""
        return self._count(1)

    @property
    def ne(self) -> int:
        """Number of rows of equalities, which come first."""
        return self._count(2)

    @property
    def nf(self) -> int:
        """Number of rows of dry friction, which come second."""
        return self._count(3)

    @property
    def nl(self) -> int:
        """Number of rows of limits, which come before those of contacts."""
        return self._count(4)

    @property
    def efc_type(self) -> Whole:
        """The kind of each row, (nefc,): 0 equality, 1 dry friction of a degree of freedom, 2 of a tendon, 3
        limit of a joint, 4 of a tendon, 5 contact without friction, 6 with a pyramid, 7 with an elliptic
        cone.
        """
        return self._rows("type", np.int32)

    @property
    def efc_id(self) -> Whole:
        """The equality, degree of freedom, joint, tendon or contact of each row, (nefc,)."""
        return self._rows("id", np.int32)

    @property
    def efc_pos(self) -> Reals:
        """Distances of limits and contacts, and violations of equalities, (nefc,), m or rad."""
        return self._rows("pos", np.float64)

    @property
    def efc_margin(self) -> Reals:
        """The margins of rows, (nefc,), m or rad."""
        return self._rows("margin", np.float64)

    @property
    def efc_frictionloss(self) -> Reals:
        """The largest force of rows of dry friction, (nefc,), N or N m."""
        return self._rows("frictionloss", np.float64)

    @property
    def efc_diagApprox(self) -> Reals:
        """The diagonal of J M^-1 J^T from which R was computed, (nefc,)."""
        impedance = self.efc_KBIP[:, 2]
        return self.efc_R * impedance / (1 - impedance)

    @property
    def efc_KBIP(self) -> Reals:
        """Stiffness, damping, impedance and its derivative, (nefc, 4)."""
        return self._rows("KBIP", np.float64, 4)

    @property
    def efc_R(self) -> Reals:
        """Regularisation of rows: the inverse of efc_D, (nefc,)."""
        return self._rows("R", np.float64)

    @property
    def efc_D(self) -> Reals:
        """Inertia of rows: factor from residual acceleration to force, (nefc,)."""
        return self._rows("D", np.float64)

    @property
    def efc_vel(self) -> Reals:
        """Velocities of rows, J qvel, (nefc,)."""
        return self._rows("vel", np.float64)

    @property
    def efc_aref(self) -> Reals:
        """Reference accelerations of rows, (nefc,)."""
        return self._rows("aref", np.float64)

    @property
    def efc_b(self) -> Reals:
        """J qacc_smooth - aref of rows, without constraint forces, (nefc,)."""
        return self._rows("b", np.float64)

    @property
    def tendon_efcadr(self) -> Whole:
        """The first row that involves each tendon; -1: none, (ntendon,)."""
        model = self.model
        found = np.full(model.ntendon, -1, np.int32)
        rows: tuple[list[int], list[int]] = self.solved(
            lambda solver: (solver.row("type").tolist(), solver.row("id").tolist()), ([], [])
        )
        for row, (kind, owner) in enumerate(zip(*rows, strict=True)):
            tendons: tuple[int, ...] = (
                (owner,) if kind in (RowType.FRICTION_OF_TENDON, RowType.LIMIT_OF_TENDON) else ()
            )
            if kind == RowType.EQUALITY and model.eq_type[owner] == EqualityType.tendon:
                tendons = (int(model.eq_obj1id[owner]), int(model.eq_obj2id[owner]))
            for tendon in tendons:
                if tendon >= 0 and found[tendon] < 0:
                    found[tendon] = row
        return found

    @property
    def efc_force(self) -> Reals:
        """Forces of rows, (nefc,); qfrc_constraint is J^T times them."""
        return self._rows("force", np.float64)

    @property
    def efc_state(self) -> Whole:
        """The state of rows, (nefc,): 0 inactive, 1 quadratic, 2 and 3 at the largest dry friction, positive
        and negative, 4 in the middle zone of an elliptic cone.
        """
        return self._rows("state", np.int32)

    @property
    def efc_J(self) -> Reals:
        """The constraint Jacobian, dense, (nefc, nv), computed on request, read-only."""
        found = self.solved(lambda solver: solver.jacobian(), np.zeros((0, self.model.nv)))
        found.flags.writeable = False
        return found

    @property
    def solver_niter(self) -> Whole:
        """Number of iterations of the last solve: one for each island if conjugate gradients solve islands
        separately (flag ``island``), else one number.
        """
        return self.solved(lambda solver: np.array(solver.iterations, np.int32), np.zeros(1, np.int32))
