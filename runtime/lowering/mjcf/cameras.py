"""Cameras and lights: poses, directions, and the optics of a camera in single precision."""

from __future__ import annotations

from math import pi

import numpy as np
from polybody.generated.formats.mjcf import Projection
from polybody.lowering.mjcf.elements import Element
from polybody.lowering.mjcf.geoms import framed, pose_of
from polybody.lowering.mjcf.poses import EPS, NoDirectionError, composed, normalised, rotated, unit
from polybody.lowering.mjcf.problems import Problems
from polybody.rotations.poses import UPRIGHT

WIDEST = 180.0
"""Upper limit of the field of view in degrees."""


def compile_camera(camera: Element, problems: Problems) -> None:
    """Compute a camera's final pose, and its field of view if that depends on its sensor."""
    values = camera.values
    if "projection" in values:  # since 3.5.0 in place of `orthographic`
        values["orthographic"] = values["projection"] is Projection.ORTHOGRAPHIC
    values["pos"], quat = framed(camera, pose_of(camera, problems), problems)
    values["quat"] = unit(quat)
    if values["fovy"] >= WIDEST:
        problems.add(camera.node, f"`fovy` of {values['fovy']:g} degrees is too wide", "fovy")
    values["intrinsic"] = None
    if values["sensorsize"][0] > 0 and values["sensorsize"][1] > 0:
        _optics(camera)


def _optics(camera: Element) -> None:
    """Focal lengths and the principal point in units of length. If given in both pixels and lengths, pixels
    are used.
    """
    values, single = camera.values, np.float32
    size = np.array(values["sensorsize"], dtype=single)
    density = np.array(values["resolution"], dtype=single) / size
    found = []
    for name in ("focal", "principal"):
        pixels = values[f"{name}pixel"] or (0.0, 0.0)
        lengths = values[name] or (0.0, 0.0)
        if values[f"{name}pixel"] is not None and any(pixels):
            lengths = (0.0, 0.0)
        found.append(np.array(pixels, dtype=single) / density + np.array(lengths, dtype=single))
    values["intrinsic"] = np.concatenate(found)
    half = np.arctan2(size[1] / single(2), found[0][1])
    values["fovy"] = float(half) * 360.0 / pi


def compile_light(light: Element, problems: Problems) -> None:
    """Compute a light's final position and direction."""
    values = light.values
    try:
        place = light.place()
    except NoDirectionError as error:
        problems.add(light.node, f"{error} of the surrounding frame has zero length")
        return
    values["pos"] = composed(place, (values["pos"], UPRIGHT))[0]
    values["dir"], length = normalised(rotated(values["dir"], place[1]))
    if length < EPS:
        problems.add(light.node, "`dir` has zero length", "dir")
