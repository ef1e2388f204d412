"""The scenes as documents of URDF, SDFormat, SKEL and OpenRAVE.

The ground's top is at z = 0. Bodies are named `block`, `ball`, `box0`..., links of the linkage `left`,
`right`, `bar`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

LENGTH, MASS, BAR = 0.5, 1.0, 2.0
"""Of the linkage: cranks of length LENGTH, m, and mass MASS, kg, that hold a bar of mass BAR."""
SPAN = 0.6
"""Distance between the cranks, m."""


class Solid(NamedTuple):
    """A box or a sphere that falls freely."""

    name: str
    size: tuple[float, ...]
    """Edges, or the radius alone, m."""
    mass: float
    height: float
    """Initial height of its centre, m."""

    @property
    def moments(self) -> tuple[float, float, float]:
        """About its centre, kg m^2, of a body of uniform density."""
        if len(self.size) == 1:
            moment = 0.4 * self.mass * self.size[0] ** 2
            return moment, moment, moment
        x, y, z = (edge * edge / 12 * self.mass for edge in self.size)
        return y + z, x + z, x + y


BLOCK = (Solid("block", (0.4, 0.4, 0.2), 2.0, 0.1),)
BALL = (Solid("ball", (0.1,), 1.0, 0.1),)
DROPPED = (Solid("ball", (0.1,), 1.0, 0.6),)
STACK = tuple(Solid(f"box{place}", (0.2, 0.2, 0.2), 1.0, 0.1 + 0.2 * place) for place in range(3))


def urdf(solids: Sequence[Solid], friction: float, extra: str = "") -> str:
    """A robot of unconnected links, above a ground that is fixed to the world.

    Args:
        solids: the links.
        friction: of every shape.
        extra: below `drake:proximity_properties`.
    """
    surface = (
        f'<drake:proximity_properties><drake:mu_static value="{friction}"/>'
        f'<drake:mu_dynamic value="{friction}"/>{extra}</drake:proximity_properties>'
    )
    links = []
    for solid in solids:
        xx, yy, zz = solid.moments
        links.append(
            f'<link name="{solid.name}"><inertial><mass value="{solid.mass}"/>'
            f'<inertia ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/></inertial>'
            f"<collision><geometry>{_urdf_shape(solid.size)}</geometry>{surface}</collision></link>"
        )
    return (
        '<robot name="scene" xmlns:drake="http://drake.mit.edu"><link name="world"/><link name="ground">'
        '<collision><origin xyz="0 0 -0.5"/><geometry><box size="20 20 1"/></geometry>'
        f"{surface}</collision></link>"
        '<joint name="stand" type="fixed"><parent link="world"/><child link="ground"/></joint>'
        f"{''.join(links)}</robot>"
    )


def _urdf_shape(size: Sequence[float]) -> str:
    return f'<sphere radius="{size[0]}"/>' if len(size) == 1 else f'<box size="{_text(size)}"/>'


def sdf(solids: Sequence[Solid], friction: float, extra: str = "") -> str:
    """A world of models of one link each, on a half space.

    Args:
        solids: the links.
        friction: of every shape, for Drake and for ODE.
        extra: below `surface`.
    """
    surface = (
        f"<surface><friction><ode><mu>{friction}</mu><mu2>{friction}</mu2></ode></friction>{extra}</surface>"
        f"<drake:proximity_properties><drake:mu_static>{friction}</drake:mu_static>"
        f"<drake:mu_dynamic>{friction}</drake:mu_dynamic></drake:proximity_properties>"
    )
    models = []
    for solid in solids:
        xx, yy, zz = solid.moments
        models.append(
            f'<model name="{solid.name}"><pose>0 0 {solid.height} 0 0 0</pose><link name="{solid.name}">'
            f"<inertial><mass>{solid.mass}</mass><inertia><ixx>{xx}</ixx><iyy>{yy}</iyy><izz>{zz}</izz></inertia></inertial>"
            f'<collision name="shape"><geometry>{_sdf_shape(solid.size)}</geometry>'
            f"{surface}</collision></link></model>"
        )
    return (
        '<sdf version="1.9" xmlns:drake="http://drake.mit.edu"><world name="scene">'
        '<model name="ground"><static>true</static><link name="ground"><collision name="shape"><geometry>'
        f"<plane><normal>0 0 1</normal></plane></geometry>{surface}</collision></link></model>"
        f"{''.join(models)}</world></sdf>"
    )


def _sdf_shape(size: Sequence[float]) -> str:
    return (
        f"<sphere><radius>{size[0]}</radius></sphere>"
        if len(size) == 1
        else f"<box><size>{_text(size)}</size></box>"
    )


def skel(solids: Sequence[Solid], friction: float = 1.0, extra: str = "") -> str:
    """A world of skeletons of one body each, on an immobile block; the format has no friction."""
    bodies = [_skeleton("ground", (20.0, 20.0, 1.0), -0.5, None)]
    bodies += [_skeleton(solid.name, solid.size, solid.height, solid) for solid in solids]
    return (
        '<skel version="1.0"><world name="scene">'
        "<physics><time_step>0.001</time_step><gravity>0 0 -9.81</gravity>"
        f"<collision_detector>dart</collision_detector></physics>{''.join(bodies)}</world></skel>"
    )


def _skeleton(name: str, size: Sequence[float], height: float, solid: Solid | None) -> str:
    shape = (
        f"<ellipsoid><size>{_text((2 * size[0],) * 3)}</size></ellipsoid>"
        if len(size) == 1
        else f"<box><size>{_text(size)}</size></box>"
    )
    inertia = f"<inertia><mass>{solid.mass}</mass><offset>0 0 0</offset></inertia>" if solid else ""
    return (
        f'<skeleton name="{name}"><body name="{name}">'
        f"<transformation>0 0 {height} 0 0 0</transformation>{inertia}"
        "<collision_shape><transformation>0 0 0 0 0 0</transformation>"
        f"<geometry>{shape}</geometry></collision_shape></body>"
        f'<joint type="{"free" if solid else "weld"}" name="{name}_joint">'
        f"<parent>world</parent><child>{name}</child></joint>"
        "</skeleton>"
    )


def openrave(solids: Sequence[Solid], friction: float, extra: str = "") -> str:
    """An environment of bodies of one link each, on a block that is static."""
    bodies = [_kinbody("ground", (20.0, 20.0, 1.0), -0.5, "static", "")]
    for solid in solids:
        xx, yy, zz = solid.moments
        inertia = f"<inertia>{xx} 0 0 0 {yy} 0 0 0 {zz}</inertia>"
        mass = f'<Mass type="custom"><total>{solid.mass}</total>{inertia}</Mass>'
        bodies.append(_kinbody(solid.name, solid.size, solid.height, "dynamic", mass))
    return (
        '<Environment><physicsengine type="ode"><odeproperties><gravity>0 0 -9.81</gravity>'
        f"<friction>{friction}</friction></odeproperties></physicsengine>{''.join(bodies)}</Environment>"
    )


def _kinbody(name: str, size: Sequence[float], height: float, kind: str, mass: str) -> str:
    shape = (
        f'<Geom type="sphere"><Radius>{size[0]}</Radius></Geom>'
        if len(size) == 1
        else f'<Geom type="box"><Extents>{_text([edge / 2 for edge in size])}</Extents></Geom>'
    )
    return (
        f'<KinBody name="{name}"><Body name="{name}" type="{kind}"><Translation>0 0 {height}</Translation>'
        f"{shape}{mass}</Body></KinBody>"
    )


WRITERS: dict[str, Callable[..., str]] = {"urdf": urdf, "sdf": sdf, "skel": skel, "openrave": openrave}


# --- a hanging parallelogram: two cranks and a bar, closed by a point constraint ---------------------


def linkage_urdf() -> str:
    """A linkage closed by `drake:ball_constraint`."""
    rod = MASS * LENGTH**2 / 12
    bar = BAR * SPAN**2 / 12
    links = "".join(
        f'<link name="{name}"><inertial><origin xyz="{place}"/><mass value="{mass}"/>'
        f'<inertia ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/></inertial></link>'
        for name, place, mass, xx, yy, zz in (
            ("left", f"0 0 {-LENGTH / 2}", MASS, rod, rod, rod / 100),
            ("right", f"0 0 {-LENGTH / 2}", MASS, rod, rod, rod / 100),
            ("bar", f"{SPAN / 2} 0 0", BAR, bar / 100, bar, bar),
        )
    )
    joints = "".join(
        f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{place}"/><axis xyz="0 1 0"/></joint>'
        for name, parent, child, place in (
            ("a", "world", "left", "0 0 0"),
            ("b", "world", "right", f"{SPAN} 0 0"),
            ("c", "left", "bar", f"0 0 {-LENGTH}"),
        )
    )
    closing = (
        '<drake:ball_constraint><drake:ball_constraint_body_A name="bar"/>'
        f'<drake:ball_constraint_p_AP value="{SPAN} 0 0"/><drake:ball_constraint_body_B name="right"/>'
        f'<drake:ball_constraint_p_BQ value="0 0 {-LENGTH}"/></drake:ball_constraint>'
    )
    head = '<robot name="linkage" xmlns:drake="http://drake.mit.edu"><link name="world"/>'
    return f"{head}{links}{joints}{closing}</robot>"


def linkage_sdf() -> str:
    """The same model."""
    rod = MASS * LENGTH**2 / 12
    bar = BAR * SPAN**2 / 12
    links = "".join(
        f'<link name="{name}"><pose>{pose}</pose><inertial><pose>{place} 0 0 0</pose><mass>{mass}</mass>'
        f"<inertia><ixx>{xx}</ixx><iyy>{yy}</iyy><izz>{zz}</izz></inertia></inertial></link>"
        for name, pose, place, mass, xx, yy, zz in (
            ("left", "0 0 0 0 0 0", f"0 0 {-LENGTH / 2}", MASS, rod, rod, rod / 100),
            ("right", f"{SPAN} 0 0 0 0 0", f"0 0 {-LENGTH / 2}", MASS, rod, rod, rod / 100),
            ("bar", f"0 0 {-LENGTH} 0 0 0", f"{SPAN / 2} 0 0", BAR, bar / 100, bar, bar),
        )
    )
    joints = "".join(
        f'<joint name="{name}" type="continuous"><parent>{parent}</parent><child>{child}</child>'
        "<axis><xyz>0 1 0</xyz></axis></joint>"
        for name, parent, child in (("a", "world", "left"), ("b", "world", "right"), ("c", "left", "bar"))
    )
    closing = (
        "<drake:ball_constraint><drake:ball_constraint_body_A>bar</drake:ball_constraint_body_A>"
        f"<drake:ball_constraint_p_AP>{SPAN} 0 0</drake:ball_constraint_p_AP>"
        "<drake:ball_constraint_body_B>right</drake:ball_constraint_body_B>"
        f"<drake:ball_constraint_p_BQ>0 0 {-LENGTH}</drake:ball_constraint_p_BQ></drake:ball_constraint>"
    )
    head = '<sdf version="1.9" xmlns:drake="http://drake.mit.edu"><model name="linkage">'
    return f"{head}{links}{joints}{closing}</model></sdf>"


def linkage_openrave() -> str:
    """The same, closed by a hinge between the bar and the right crank."""
    rod = MASS * LENGTH**2 / 12
    bar = BAR * SPAN**2 / 12
    bodies = "".join(
        f'<Body name="{name}"><Translation>{pose}</Translation>'
        f'<Mass type="custom"><total>{mass}</total><com>{place}</com>'
        f"<inertia>{xx} 0 0 0 {yy} 0 0 0 {zz}</inertia></Mass></Body>"
        for name, pose, place, mass, xx, yy, zz in (
            ("left", "0 0 0", f"0 0 {-LENGTH / 2}", MASS, rod, rod, rod / 100),
            ("right", f"{SPAN} 0 0", f"0 0 {-LENGTH / 2}", MASS, rod, rod, rod / 100),
            ("bar", f"0 0 {-LENGTH}", f"{SPAN / 2} 0 0", BAR, bar / 100, bar, bar),
        )
    )
    joints = "".join(
        f'<Joint name="{name}" type="hinge" circular="true"><Body>{parent}</Body><Body>{child}</Body>'
        f"<offsetfrom>{child}</offsetfrom><anchor>{anchor}</anchor><axis>0 1 0</axis></Joint>"
        for name, parent, child, anchor in (
            ("a", "base", "left", "0 0 0"),
            ("b", "base", "right", "0 0 0"),
            ("c", "left", "bar", "0 0 0"),
            ("d", "bar", "right", f"0 0 {-LENGTH}"),
        )
    )
    return (
        '<Environment><physicsengine type="ode"><odeproperties><gravity>0 0 -9.81</gravity></odeproperties>'
        "</physicsengine>"
        f'<KinBody name="linkage"><Body name="base" type="static"/>{bodies}{joints}</KinBody></Environment>'
    )


LINKAGES: dict[str, Callable[[], str]] = {
    "urdf": linkage_urdf,
    "sdf": linkage_sdf,
    "openrave": linkage_openrave,
}


def _text(numbers: Sequence[float]) -> str:
    return " ".join(map(repr, numbers))
