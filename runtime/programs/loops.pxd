"""The loop kernels by the names of programs' kernels."""

from polybody.generated.kernels.dynamics cimport (
    c_acceleration, c_actuation, c_again, c_bias, c_energy, c_evaluate, c_forward, c_forward_kinematics,
    c_inverse, c_jacobian, c_mass_matrix, c_passive,
)
from polybody.generated.kernels.layout cimport Data, Model

ctypedef void (*Loop)(const Model *m, Data *d) noexcept nogil
ctypedef long (*Steps)(const Model *m, Data *d, long n, double limit) noexcept nogil


cdef inline void acceleration(const Model *m, Data *d) noexcept nogil:
    if m.opt_constrained[0]:
        c_forward(m, d)
        return
    c_passive(m, d)
    c_actuation(m, d)
    c_acceleration(m, d)


cdef inline Loop loop(str kernel) except NULL:
    """The loop kernel that corresponds to a program's kernel."""
    if kernel == "forward_kinematics": return c_forward_kinematics
    if kernel == "mass_matrix": return c_mass_matrix
    if kernel == "bias": return c_bias
    if kernel == "passive": return c_passive
    if kernel == "inverse": return c_inverse
    if kernel == "energy": return c_energy
    if kernel == "jacobian": return c_jacobian
    if kernel == "acceleration": return acceleration
    if kernel == "again": return c_again
    if kernel == "evaluate": return c_evaluate
    raise KeyError(f"there is no loop kernel {kernel}")
