"""Spatial algebra as small value classes over scalars.

Every spatial quantity is expressed in the axes of some frame and about its origin. The rotation R of a link
converts vectors to its parent's axes: parent = R @ own. Structural zeros are exploited here, by using only
nonzero components: compilers must keep 0 * x.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

from ..staging.scalars import sqrt, where
from ..staging.value_classes import Linear, Scalar, Value, operation


class Pair(Linear):
    first: Scalar
    second: Scalar

    @operation
    def dot(a, b: Pair) -> Scalar:
        return a.first * b.first + a.second * b.second


class Vec3(Linear):
    x: Scalar
    y: Scalar
    z: Scalar

    @operation
    def dot(a, b: Vec3) -> Scalar:
        return a.x * b.x + a.y * b.y + a.z * b.z

    @operation
    def cross(a, b: Vec3) -> Vec3:
        return Vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)

    @operation
    def normalized(a) -> Vec3:
        return a * (1.0 / sqrt(a.dot(a)))

    def __getitem__(a, k: int) -> Scalar:
        return (a.x, a.y, a.z)[k]


class Mat3(Linear):
    """A 3x3 matrix by rows."""

    x: Vec3
    y: Vec3
    z: Vec3

    @operation
    def __matmul__(a, b: Any) -> Any:
        """The product with a vector or a matrix."""
        if isinstance(b, Vec3):
            return Vec3(a.x.dot(b), a.y.dot(b), a.z.dot(b))
        return Mat3(b.left(a.x), b.left(a.y), b.left(a.z))

    @operation
    def left(a, v: Vec3) -> Vec3:
        """The row v times the matrix: for a rotation, its inverse applied to v."""
        return Vec3(
            v.x * a.x.x + v.y * a.y.x + v.z * a.z.x,
            v.x * a.x.y + v.y * a.y.y + v.z * a.z.y,
            v.x * a.x.z + v.y * a.y.z + v.z * a.z.z,
        )

    @operation
    def about_z(a, c: Scalar, s: Scalar) -> Mat3:
        """The matrix times the rotation about z with cosine c and sine s."""
        return Mat3(*[Vec3(r.x * c + r.y * s, r.y * c - r.x * s, r.z) for r in (a.x, a.y, a.z)])

    @operation
    def around(R, x: Any) -> Any:
        """R x R^T: a matrix transformed to the outer frame of R."""
        if isinstance(x, Sym3):
            a, r = (R @ x.full()).row, R.row
            return Sym3(*[a[i].dot(r[j]) for i in range(3) for j in range(i + 1)])
        a = R @ x
        return Mat3(R @ a.x, R @ a.y, R @ a.z)

    def column(a, k: int) -> Vec3:
        return Vec3(a.x[k], a.y[k], a.z[k])

    @property
    def row(a) -> tuple[Vec3, Vec3, Vec3]:
        return a.x, a.y, a.z


class Quat(Linear):
    """A unit quaternion that rotates vectors from the inner frame to the outer one."""

    w: Scalar
    x: Scalar
    y: Scalar
    z: Scalar

    @operation
    def __matmul__(a, b: Quat) -> Quat:
        return Quat(
            a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        )

    @operation
    def matrix(q) -> Mat3:
        x2, y2, z2 = q.x + q.x, q.y + q.y, q.z + q.z
        xx, yy, zz = q.x * x2, q.y * y2, q.z * z2
        xy, xz, yz = q.x * y2, q.x * z2, q.y * z2
        wx, wy, wz = q.w * x2, q.w * y2, q.w * z2
        return Mat3(
            Vec3(1.0 - (yy + zz), xy - wz, xz + wy),
            Vec3(xy + wz, 1.0 - (xx + zz), yz - wx),
            Vec3(xz - wy, yz + wx, 1.0 - (xx + yy)),
        )

    @operation
    def turn(q, v: Vec3) -> Vec3:
        """v in the outer frame's axes."""
        u = Vec3(q.x, q.y, q.z)
        t = u.cross(v) * 2.0
        return v + t * q.w + u.cross(t)

    @operation
    def normalized(q) -> Quat:
        return q * (1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z))

    @operation
    def conjugate(q) -> Quat:
        return Quat(q.w, -q.x, -q.y, -q.z)

    @staticmethod
    def identity() -> Quat:
        return Quat(1.0, 0.0, 0.0, 0.0)


@operation
def z_onto(axis: Vec3) -> Quat:
    """The shortest rotation that takes z to a unit axis; below the equator composed with a half turn
    about x.
    """
    up = axis.z > -1e-9
    w = sqrt(0.5 * (1.0 + where(up, axis.z, -axis.z)))
    s = 0.5 / w
    x, y = axis.y * s, axis.x * s
    return Quat(where(up, w, -x), where(up, -x, w), where(up, y, 0.0), where(up, 0.0, y))


@operation
def of_matrix(R: Mat3) -> Quat:
    """The quaternion of a rotation, w nonnegative; from its largest component, which is at least a half."""
    x, y, z = R.row
    candidates = (
        Quat(1.0 + x.x + y.y + z.z, z.y - y.z, x.z - z.x, y.x - x.y),
        Quat(z.y - y.z, 1.0 + x.x - y.y - z.z, x.y + y.x, x.z + z.x),
        Quat(x.z - z.x, x.y + y.x, 1.0 - x.x + y.y - z.z, y.z + z.y),
        Quat(y.x - x.y, x.z + z.x, y.z + z.y, 1.0 - x.x - y.y + z.z),
    )
    best, most = candidates[0], candidates[0].w
    for n, candidate in enumerate(candidates[1:], 1):
        part = candidate.flat()[n]
        larger = part > most
        best = Quat(*[where(larger, a, b) for a, b in zip(candidate.flat(), best.flat(), strict=True)])
        most = where(larger, part, most)
    best = best.normalized()
    return best * where(best.w < 0.0, -1.0, 1.0)


class Sym3(Linear):
    """A symmetric matrix, its lower triangle by rows."""

    xx: Scalar
    xy: Scalar
    yy: Scalar
    xz: Scalar
    yz: Scalar
    zz: Scalar

    def full(s) -> Mat3:
        return Mat3(Vec3(s.xx, s.xy, s.xz), Vec3(s.xy, s.yy, s.yz), Vec3(s.xz, s.yz, s.zz))

    @operation
    def __matmul__(s, v: Vec3) -> Vec3:
        return Vec3(
            s.xx * v.x + s.xy * v.y + s.xz * v.z,
            s.xy * v.x + s.yy * v.y + s.yz * v.z,
            s.xz * v.x + s.yz * v.y + s.zz * v.z,
        )


@operation
def outer(a: Vec3, b: Vec3) -> Sym3:
    """a b^T for parallel a and b."""
    return Sym3(a.x * b.x, a.y * b.x, a.y * b.y, a.z * b.x, a.z * b.y, a.z * b.z)


@operation
def cross_twice(r: Vec3, g: Vec3) -> Sym3:
    """-([r]x [g]x + [g]x [r]x)."""
    x, y, z = 2.0 * r.x * g.x, 2.0 * r.y * g.y, 2.0 * r.z * g.z
    return Sym3(
        y + z, -(r.x * g.y + r.y * g.x), x + z,
        -(r.x * g.z + r.z * g.x), -(r.y * g.z + r.z * g.y), x + y,
    )  # fmt: skip


class Motion(Linear):
    """Angular and linear velocity or acceleration of a frame's origin."""

    ang: Vec3
    lin: Vec3

    @operation
    def dot(m, f: Force) -> Scalar:
        return m.ang.dot(f.ang) + m.lin.dot(f.lin)


class Force(Linear):
    """Moment about a frame's origin, and force."""

    ang: Vec3
    lin: Vec3

    @operation
    def lifted(f, R: Mat3, r: Vec3) -> Force:
        """Expressed in the outer frame, in which this frame is at r with rotation R."""
        lin = R @ f.lin
        return Force(R @ f.ang + r.cross(lin), lin)


class Wrench(Linear):
    """Force, and moment about the point at which it acts: MuJoCo's order of applied forces."""

    lin: Vec3
    ang: Vec3


class Parameters(Linear):
    """Numbers whose meaning depends on a type."""

    p0: Scalar
    p1: Scalar
    p2: Scalar
    p3: Scalar
    p4: Scalar
    p5: Scalar
    p6: Scalar
    p7: Scalar
    p8: Scalar
    p9: Scalar


class Fluid(Linear):
    """The fluid parameters of a shape: whether it interacts, five coefficients, virtual mass and inertia."""

    acts: Scalar
    blunt: Scalar
    slender: Scalar
    angular: Scalar
    kutta: Scalar
    magnus: Scalar
    mass: Vec3
    inertia: Vec3


@operation
def rates(w: Vec3, dw: Vec3) -> Mat3:
    """[dw]x + [w]x [w]x: times an arm, the acceleration of its end relative to its base."""
    xx, yy, zz = w.x * w.x, w.y * w.y, w.z * w.z
    xy, xz, yz = w.x * w.y, w.x * w.z, w.y * w.z
    return Mat3(
        Vec3(-(yy + zz), xy - dw.z, xz + dw.y),
        Vec3(xy + dw.z, -(xx + zz), yz - dw.x),
        Vec3(xz - dw.y, yz + dw.x, -(xx + yy)),
    )


def skew(v: Vec3) -> Mat3:
    """[v]x."""
    o = 0.0
    return Mat3(Vec3(o, -v.z, v.y), Vec3(v.z, o, -v.x), Vec3(-v.y, v.x, o))


class Inertia(Linear):
    """The inertia of a rigid body: mass, first and second moment about a frame's origin."""

    mass: Scalar
    h: Vec3
    I: Sym3  # noqa: E741

    @operation
    def lifted(s, R: Mat3, r: Vec3) -> Inertia:
        """Expressed in the outer frame, in which this frame is at r with rotation R."""
        h = R @ s.h
        return Inertia(s.mass, h + r * s.mass, R.around(s.I) + cross_twice(r, h + r * (0.5 * s.mass)))

    @operation
    def __matmul__(s, m: Motion) -> Force:
        return Force(s.I @ m.ang + s.h.cross(m.lin), m.lin * s.mass + m.ang.cross(s.h))

    def column(s, k: int) -> Force:
        """The force of unit motion k: ang.x .. lin.z."""
        h, o, m = s.h, 0.0, s.mass
        if k < 3:
            return Force(s.I.full().row[k], (Vec3(o, -h.z, h.y), Vec3(h.z, o, -h.x), Vec3(-h.y, h.x, o))[k])
        arm = (Vec3(o, h.z, -h.y), Vec3(-h.z, o, h.x), Vec3(h.y, -h.x, o))[k - 3]
        return Force(arm, (Vec3(m, o, o), Vec3(o, m, o), Vec3(o, o, m))[k - 3])

    def articulated(s) -> Articulated:
        h, o, m = s.h, 0.0, s.mass
        return Articulated(
            s.I, Mat3(Vec3(o, -h.z, h.y), Vec3(h.z, o, -h.x), Vec3(-h.y, h.x, o)), Sym3(m, o, m, o, o, m)
        )

    @operation
    def force(s, a: Vec3, U: Mat3) -> Force:
        """The force for accelerations a + U x at points x, with U = rates(w, dw) of the body's rotation.

        Its moment is the antisymmetric part of U J, with J the integral of x x^T, which takes fewer products
        than I dw + w cross I w.
        """
        half = (s.I.xx + s.I.yy + s.I.zz) * 0.5
        J = Sym3(half - s.I.xx, -s.I.xy, half - s.I.yy, -s.I.xz, -s.I.yz, half - s.I.zz)
        x, y, z = U.row
        moment = Vec3(
            z.x * J.xy + z.y * J.yy - y.x * J.xz - y.z * J.zz + (z.z - y.y) * J.yz,
            x.y * J.yz + x.z * J.zz - z.x * J.xx - z.y * J.xy + (x.x - z.z) * J.xz,
            y.x * J.xx + y.z * J.xz - x.y * J.yy - x.z * J.yz + (y.y - x.x) * J.xy,
        )
        return Force(moment + s.h.cross(a), a * s.mass + U @ s.h)


class Flow(Linear):
    """The flow of the mass of bodies: p, the integral of u dm, and K, that of u x^T dm, with u the velocity
    at x.
    """

    p: Vec3
    K: Mat3

    @operation
    def lifted(s, R: Mat3, r: Vec3) -> Flow:
        """Expressed in the outer frame, in which this frame is at r with rotation R."""
        p = R @ s.p
        return Flow(p, R.around(s.K) + Mat3(r * p.x, r * p.y, r * p.z))

    @operation
    def __matmul__(s, w: Vec3) -> Force:
        """The force 2 w x u dm of all mass: the Coriolis force if everything also rotates with w."""
        K, trace = s.K, s.K.x.x + s.K.y.y + s.K.z.z
        return Force((w * trace - K @ w) * 2.0, w.cross(s.p) * 2.0)

    @operation
    def left(s, m: Motion) -> Vec3:
        """The transpose: the vector whose product with w equals the product of the motion with the force for
        w.
        """
        K, trace = s.K, s.K.x.x + s.K.y.y + s.K.z.z
        return (m.ang * trace - K.left(m.ang)) * 2.0 + s.p.cross(m.lin) * 2.0


class Slope(Linear):
    """The derivative of a force with respect to a motion, both about a frame's origin: blocks for angular and
    linear components.
    """

    ang_ang: Mat3
    ang_lin: Mat3
    lin_ang: Mat3
    lin_lin: Mat3

    @operation
    def __matmul__(s, m: Motion) -> Force:
        return Force(s.ang_ang @ m.ang + s.ang_lin @ m.lin, s.lin_ang @ m.ang + s.lin_lin @ m.lin)

    @operation
    def left(s, m: Motion) -> Force:
        """The motion times the matrix: its transpose applied."""
        ang = s.ang_ang.left(m.ang) + s.lin_ang.left(m.lin)
        return Force(ang, s.ang_lin.left(m.ang) + s.lin_lin.left(m.lin))

    @operation
    def symmetric(s) -> Slope:
        """Its symmetric part."""
        aside = (s.ang_lin + transposed(s.lin_ang)) * 0.5
        ang, lin = [(x + transposed(x)) * 0.5 for x in (s.ang_ang, s.lin_lin)]
        return Slope(ang, aside, transposed(aside), lin)

    @operation
    def lifted(s, R: Mat3, r: Vec3) -> Slope:
        """Expressed in the outer frame, in which this frame is at r with rotation R."""
        A, B, C, D = [R.around(x) for x in (s.ang_ang, s.ang_lin, s.lin_ang, s.lin_lin)]
        aside = C - times_skew(D, r)
        return Slope(A - times_skew(B, r) + skew_times(r, aside), B + skew_times(r, D), aside, D)


@operation
def transposed(m: Mat3) -> Mat3:
    return Mat3(m.column(0), m.column(1), m.column(2))


@operation
def times_skew(m: Mat3, r: Vec3) -> Mat3:
    """m [r]x."""
    return Mat3(m.x.cross(r), m.y.cross(r), m.z.cross(r))


class Articulated(Linear):
    """The articulated inertia [I H; H^T M] of a body whose descendants are free to move."""

    I: Sym3  # noqa: E741
    H: Mat3
    M: Sym3

    @operation
    def less(s, U: Force, G: Force) -> Articulated:
        """Minus U G^T, with G parallel to U: the effect of one degree of freedom."""
        a, b = G.ang, U.lin
        return Articulated(
            s.I - outer(U.ang, G.ang), s.H - Mat3(b * a.x, b * a.y, b * a.z), s.M - outer(U.lin, G.lin)
        )

    def column(s, k: int) -> Force:
        """The force of unit motion k: ang.x .. lin.z."""
        if k < 3:
            return Force(s.I.full().row[k], s.H.row[k])
        return Force(s.H.column(k - 3), s.M.full().row[k - 3])

    @operation
    def __matmul__(s, m: Motion) -> Force:
        return Force(s.I @ m.ang + s.H @ m.lin, s.H.left(m.ang) + s.M @ m.lin)

    @operation
    def lifted(s, R: Mat3, r: Vec3) -> Articulated:
        """Expressed in the outer frame, in which this frame is at r with rotation R."""
        M, H = R.around(s.M), R.around(s.H)
        G = H + skew_times(r, M.full())
        return Articulated(shifted(R.around(s.I), r, H, G), G, M)

    @operation
    def stiffer(s, about: Vec3, along: Vec3, y: Vec3, z: Vec3) -> Articulated:
        """With added inertias `about` its own axes and `along` three other axes, of which y and z are
        given.
        """
        one, none = along.x, 0.0
        return Articulated(
            s.I + Sym3(about.x, none, about.y, none, none, about.z),
            s.H,
            s.M + Sym3(one, none, one, none, none, one)
            + (outer(y, y * (along.y - one)) + outer(z, z * (along.z - one))),
        )  # fmt: skip

    @operation
    def solve(s, f: Force) -> Motion:
        """The acceleration caused by a force, by L D L^T."""
        angular, coupling, linear = s.I.full().row, s.H.row, s.M.full().row
        A = [[angular[i][j] for j in range(3)] for i in range(3)]
        A += [[coupling[j][i] for j in range(3)] + [linear[i][j] for j in range(3)] for i in range(3)]
        x = [f.ang.x, f.ang.y, f.ang.z, f.lin.x, f.lin.y, f.lin.z]
        for j in range(6):
            pivot = 1.0 / A[j][j]
            lower = {i: A[i][j] * pivot for i in range(j + 1, 6)}
            for i, factor in lower.items():
                for k in range(j + 1, i + 1):
                    A[i][k] = A[i][k] - factor * A[k][j]
                x[i] = x[i] - factor * x[j]
            x[j] = x[j] * pivot
            for i, factor in lower.items():
                A[i][j] = factor
        for i in reversed(range(6)):
            for j in range(i):
                x[j] = x[j] - A[i][j] * x[i]
        return Motion(Vec3(*x[:3]), Vec3(*x[3:]))


@operation
def skew_times(r: Vec3, m: Mat3) -> Mat3:
    """[r]x m."""
    return Mat3(m.z * r.y - m.y * r.z, m.x * r.z - m.z * r.x, m.y * r.x - m.x * r.y)


@operation
def shifted(I: Sym3, r: Vec3, H: Mat3, G: Mat3) -> Sym3:  # noqa: E741
    """I + [r]x H^T + G [r]x^T: the second moment after a shift by r."""
    x, y, z = [Vec3(a.x + b.x, a.y + b.y, a.z + b.z) for a, b in zip(H.row, G.row, strict=True)]
    return Sym3(
        I.xx + r.y * x.z - r.z * x.y,
        I.xy + r.z * (H.x.x - G.y.y) - r.x * H.x.z + r.y * G.y.z,
        I.yy + r.z * y.x - r.x * y.z,
        I.xz + r.x * H.x.y - r.y * (H.x.x - G.z.z) - r.z * G.z.y,
        I.yz + r.x * (H.y.y - G.z.z) - r.y * H.y.x + r.z * G.z.x,
        I.zz + r.x * z.y - r.y * z.x,
    )


VALUES: dict[str, type[Value]] = {
    c.__name__: c
    for c in (
        *(Pair, Vec3, Mat3, Quat, Sym3, Motion, Force, Wrench),
        *(Inertia, Parameters, Fluid, Flow, Slope, Articulated),
    )
}
