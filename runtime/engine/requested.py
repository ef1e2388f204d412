"""What a Data computes on request from its current state: matrices, Jacobians, boxes, paths of tendons."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.generated.model import Integrator
from polybody.model.model import Model
from polybody.model.tendons import points
from polybody.model.topology import put_mocap

Reals = NDArray[np.float64]
NOTHING = 1e-15
"""Length of an edge below which its direction is undefined, m."""


class Requested:
    """Properties of a Data, each computed when it is read."""

    __slots__ = ()
    _kernel: Any

    @property
    def model(self) -> Model:
        """The Model that is simulated."""
        raise NotImplementedError

    @property
    def kernel(self) -> Any:
        """The kernels' memory."""
        raise NotImplementedError

    def _column(self, name: str) -> NDArray[Any]:
        """A column of the defined instant."""
        raise NotImplementedError

    def scratch(self) -> Any:
        """Memory of the kernels at the same state."""
        raise NotImplementedError

    @property
    def qM(self) -> Reals:
        """The mass matrix with the armature at qpos. Shape (nv, nv), read-only, computed on request.

        The kernels store it as a sparse matrix: ``data.kernel.array("qM")``, in rows as ``model.M_rowadr``
        says.
        """
        from polybody.generated.kernels import dynamics

        dynamics.mass_matrix(self._kernel.model, self._kernel)
        return _read_only(symmetric(self.model, self._kernel.array("qM")))

    @property
    def qDeriv(self) -> Reals:
        """The derivative of qfrc_passive + qfrc_actuator - qfrc_bias with respect to qvel, as the Model's
        integrator uses it.

        Shape (nv, nv), read-only, computed on request: the terms that `implicit` uses in MuJoCo; with any
        other integrator those of `implicitfast`. The page on MJCF lists what is left out.
        """
        from polybody.generated.kernels import dynamics

        model, scratch = self._kernel.model, self.scratch()
        for name in ("time", "act", "ctrl"):
            scratch.array(name)[...] = self._kernel.array(name)
        if self.model.nhistory:
            for name in ("history", "recalls"):
                scratch.array(name)[...] = self._kernel.array(name)
        for compute in (dynamics.passive, dynamics.actuation, dynamics.mass_matrix, dynamics.derivative):
            compute(model, scratch)
        below = symmetric(self.model, scratch.array("qDeriv"))
        if self.model.opt_integrator == Integrator.implicit or self.model.opt_gyroscopic:
            below = np.tril(below) + np.triu(symmetric(self.model, scratch.array("qDeriv_above")), 1)
        return _read_only(below)

    @property
    def qLD(self) -> Reals:
        """The factor L of M = L^T D L at qpos, in rows as ``model.M_rowadr`` says. Shape (nM,), read-only,
        computed on request.
        """
        return _read_only(self._factors().array("qLD").copy())

    @property
    def qLDiagInv(self) -> Reals:
        """The reciprocals of D in M = L^T D L at qpos. Shape (nv,), read-only, computed on request."""
        return _read_only(self._factors().array("qLDiagInv").copy())

    def _factors(self) -> Any:
        """Memory of the kernels with the factors of the mass matrix with armature and regularization."""
        from polybody.generated.kernels import dynamics

        scratch = self.scratch()
        dynamics.mass_matrix(self._kernel.model, scratch)
        dynamics.factor(self._kernel.model, scratch)
        return scratch

    @property
    def actuator_moment(self) -> Reals:
        """The derivative of the length of each actuator's transmission with respect to each degree of
        freedom, at qpos.

        Shape (nout, nv), read-only, computed on request.
        """
        from polybody.generated.kernels import dynamics

        moment, scratch = np.zeros((self.model.nout, self.model.nv)), self.scratch()
        dynamics.moments(self._kernel.model, scratch, moment)
        return _read_only(moment)

    @property
    def ten_J(self) -> Reals:
        """The derivative of the length of each tendon with respect to each degree of freedom, at qpos.

        Shape (ntendon, nv), read-only, computed on request. The kernels store it as a sparse matrix.
        """
        model = self.model
        dense = np.zeros((model.ntendon, model.nv))
        dense[model.ten_J_tendon, model.ten_J_colind] = self._tendons().array("ten_entry")
        return _read_only(dense)

    @property
    def flexedge_J(self) -> Reals:
        """The derivative of the length of each edge of a flex with respect to each degree of freedom, at
        qpos.

        Shape (nflexedge, nv), read-only, computed on request. The kernels store it by vertices.
        """
        from polybody.generated.kernels import dynamics

        model, data = self.model, self.kernel
        scratch = dynamics.KernelData(data.model)
        scratch.array("qpos")[...] = data.array("qpos")
        put_mocap(model, scratch.array("mocap_pos"), scratch.array("mocap_quat"))
        for name in ("mocap_pos", "mocap_quat"):
            scratch.array(name)[...] = data.array(name)
        dynamics.deform(scratch.model, scratch)
        place, axis = scratch.array("flexvert_xpos"), scratch.array("dof_xaxis")
        vertex, dof = model.flexlever_vertex, model.flexlever_dof
        arm = place[vertex] - scratch.array("dof_xanchor")[dof]
        moves = axis[dof, 3:] + np.cross(axis[dof, :3], arm)
        dense = np.zeros((model.nflexedge, model.nv))
        edge = place[model.flexedge_second] - place[model.flexedge_first]
        along = edge / np.maximum(np.linalg.norm(edge, axis=1, keepdims=True), NOTHING)
        motion = np.zeros((model.nflexvert, model.nv, 3))
        motion[vertex, dof] = moves
        for end, sign in ((model.flexedge_second, 1.0), (model.flexedge_first, -1.0)):
            dense += sign * np.einsum("evi,ei->ev", motion[end], along)
        return _read_only(dense)

    @property
    def flexelem_aabb(self) -> Reals:
        """Centres and half sizes of boxes around the elements of flexes at flexvert_xpos, radii included.

        Shape (nflexelem, 6), m, read-only, computed on request.
        """
        model, found = self.model, np.zeros((self.model.nflexelem, 6))
        place = self._column("flexvert_xpos")
        for flex in range(model.nflex):
            width, count = int(model.flex_dim[flex]) + 1, int(model.flex_elemnum[flex])
            first, rows = int(model.flex_elemdataadr[flex]), int(model.flex_elemadr[flex])
            corners = place[
                model.flex_elem[first : first + width * count].reshape(-1, width) + model.flex_vertadr[flex]
            ]
            low, high = corners.min(axis=1), corners.max(axis=1)
            found[rows : rows + count, :3] = (high + low) / 2
            found[rows : rows + count, 3:] = (high - low) / 2 + model.flex_radius[flex]
        return _read_only(found)

    @property
    def ten_wrapadr(self) -> NDArray[np.int32]:
        """Where the points of each tendon's path begin in wrap_xpos, at qpos. Shape (ntendon,), read-only."""
        return self._points()[0]

    @property
    def ten_wrapnum(self) -> NDArray[np.int32]:
        """Number of points of each tendon's path, at qpos. Shape (ntendon,), read-only."""
        return self._points()[1]

    @property
    def wrap_obj(self) -> NDArray[np.int32]:
        """The geom at each point of paths, -1 for a site, -2 for a pulley; 0 beyond the last point.

        Shape (nwrap, 2), rows of which are two points, read-only, computed on request.
        """
        return self._points()[2]

    @property
    def wrap_xpos(self) -> Reals:
        """Points of the paths of spatial tendons in the world, m, at qpos; 0 beyond the last one.

        Shape (nwrap, 6), rows of which are two points, read-only, computed on request.
        """
        found: Reals = self._points()[3]
        return found

    def _tendons(self) -> Any:
        """Memory of the kernels with the quantities of tendons that depend on qpos."""
        from polybody.generated.kernels import dynamics

        scratch = self.scratch()
        dynamics.tendons(self._kernel.model, scratch)
        return scratch

    def _points(self) -> tuple[NDArray[Any], ...]:
        scratch = self._tendons()
        places = {name: scratch.array(f"wrap_{name}") for name in ("point", "first", "last", "free")}
        found = points(self.model, places)
        for array in found:
            array.flags.writeable = False
        return found


def symmetric(model: Model, entries: NDArray[Any]) -> Reals:
    """A dense matrix (nv, nv) from the rows of its lower triangle, in which the kernels store the mass
    matrix.
    """
    dense = np.zeros((model.nv, model.nv))
    rows = np.repeat(np.arange(model.nv), model.dof_depth + 1)
    dense[rows, model.M_colind] = entries
    dense[model.M_colind, rows] = entries
    return dense


def _read_only(array: Reals) -> Reals:
    array.flags.writeable = False
    return array
