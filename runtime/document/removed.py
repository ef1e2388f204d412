"""What formats had and no longer have: since which version, and what took its place.

The readers of MJCF's releases were compared with each other, from 2.2.0 on; their changelog gives reasons and
replacements. What a format still reads by the document's version is in its schema (`pb:until`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

ENGINES = {"mjcf": "MuJoCo"}
"""The name that versions of a format go by."""


class Removed(NamedTuple):
    """An element, attribute or keyword that a version removed. Its name is never taken for a misspelling.

    ``now``: the attribute that has the same meaning today, if there is one.
    """

    release: str
    instead: str
    now: str = ""


_LAYER = Removed("3.2.5", 'write <layer texture="..." role="..."/>')
_FLEXCOMP = Removed("3.2.5", "use a <flexcomp> of this type")
_FLEX = Removed("3.3.3", 'write <elasticity young="..." poisson="..." thickness="..."/> with `elastic2d`')
_CABLE = Removed("4.0", 'use a <flexcomp dim="1">')
_OCTREE = Removed("3.3.5", 'write type="sdf" on the <geom> of the mesh')
_PLUGIN = Removed("3.2.4", 'write <elasticity young="..." poisson="..." damping="..."/> in the <flexcomp>')

REMOVED: Mapping[str, Mapping[str, Removed]] = {
    "mjcf": {
        "extension/required": Removed("2.3.3", "write <plugin>"),
        "plugin/@name": Removed("2.3.2", "remove it"),
        "composite/@flat": Removed(
            "2.3.1", 'write it as a key of the plugin: <config key="flat" value="..."/>'
        ),
        "composite/@face": Removed(
            "3.2.3", 'use a <flexcomp type="direct">, whose triangles are its `element`'
        ),
        "compiler/@coordinate=global": Removed("2.3.4", "load and save the model with MuJoCo 2.3.3"),
        "compiler/@convexhull": Removed("3.2.5", "remove it: convex hulls are made if they are needed"),
        "compiler/@exactmeshinertia": Removed("3.2.5", 'write inertia="exact" on each <mesh>'),
        "option/@collision": Removed(
            "3.0.0",
            'remove it; in place of "predefined" write contype="0" conaffinity="0" on the <geom> of the '
            'defaults, in place of "dynamic" remove all <pair>',
        ),
        "option/@mpr_iterations": Removed("3.2.3", "write `ccd_iterations`", "ccd_iterations"),
        "option/@mpr_tolerance": Removed("3.2.3", "write `ccd_tolerance`", "ccd_tolerance"),
        "flag/@sensornoise": Removed(
            "3.1.4",
            "remove it: `noise` of a sensor is only stored; add noise to `sensordata` in your program",
        ),
        "joint/@actuatorforcerange": Removed("3.0.0", "write `actuatorfrcrange`", "actuatorfrcrange"),
        "joint/@actuatorforcelimited": Removed("3.0.0", "write `actuatorfrclimited`", "actuatorfrclimited"),
        **{
            f"material/{name}": _LAYER
            for name in (
                *("rgb", "rgba", "occlusion", "roughness", "metallic", "normal", "opacity", "emissive"),
                "orm",
            )
        },
        "composite/@type=rope": Removed("3.0.0", 'use type="cable"'),
        "composite/@type=cloth": Removed("3.0.0", 'use a <flexcomp type="grid" dim="2">'),
        "composite/@type=loop": Removed("3.2.6", 'use a <flexcomp type="circle" dim="1">'),
        **{f"composite/@type={kind}": _FLEXCOMP for kind in ("box", "cylinder", "ellipsoid")},
        "plugin/@plugin=mujoco.elasticity.solid": _PLUGIN,
        "plugin/@plugin=mujoco.elasticity.membrane": _PLUGIN,
        "plugin/@plugin=mujoco.elasticity.shell": _FLEX,
        "plugin/@plugin=mujoco.elasticity.cable": _CABLE,
        "plugin/@plugin=mujoco.sdf.sdflib": _OCTREE,
    }
}
"""By format, then by ``parent/element``, ``element/@attribute`` or ``element/@attribute=value``."""


def removed(form: str, place: str) -> Removed | None:
    """What the format removed at a place, in the notation of `REMOVED`."""
    return REMOVED.get(form, {}).get(place)


def was_removed(form: str, what: str, gone: Removed) -> str:
    """The sentence about something that was removed."""
    return f"{what} was removed in {ENGINES.get(form, form)} {gone.release}"
