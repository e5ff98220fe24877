"""Rotations of ``scipy.spatial.transform``, whose Python for the arrays of others is followed.

Rotations by a vector are told by the square of the angle where it is small: the angle itself has no
derivative at 0, where the rotation is smooth.
"""

import math
from types import FunctionType

import numpy as np

from symdiff.definitions.declare import defines_inside
from symdiff.definitions.libraries import when_imported
from symdiff.definitions.opaque import computed
from symdiff.definitions.staged import valued

_SMALL = 1e-6  # the square of the angle below which SciPy takes a series


def from_rotvec(rotvec, degrees=False):
    """The quaternion that turns around a vector by its length."""
    if rotvec.shape[-1] != 3:
        raise ValueError(f"Expected `rot_vec` to have shape (..., 3), got {rotvec.shape}")
    if degrees:
        rotvec = rotvec * (math.pi / 180.0)
    square = np.sum(rotvec * rotvec, axis=-1, keepdims=True)
    is_small = square <= _SMALL
    half = 0.5 * np.sqrt(np.where(is_small, 1.0, square))
    series = 0.5 - square / 48.0 + square**2 / 3840.0
    scale = np.where(is_small, series, 0.5 * np.sin(half) / half)
    cosine = np.where(is_small, 1.0 - square / 8.0 + square**2 / 384.0, np.cos(half))
    return np.concatenate((rotvec * scale, cosine), axis=-1)


def as_rotvec(quat, degrees=False):
    """The vector around which a quaternion turns by its length."""
    from scipy.spatial.transform import _rotation_xp

    quat = _rotation_xp._quat_canonical(quat)
    sines, cosine = quat[..., :3], quat[..., 3:]
    square = np.sum(sines * sines, axis=-1, keepdims=True)
    is_small = 4.0 * square <= _SMALL
    sine = np.sqrt(np.where(is_small, 1.0, square))
    half = np.arctan2(sine, cosine)
    tangent = square / np.where(is_small, cosine, 1.0) ** 2  # its square
    angle = 4.0 * tangent * (1.0 - 2.0 * tangent / 3.0 + 23.0 * tangent**2 / 45.0)  # its square
    series = 2.0 + angle / 12.0 + 7.0 * angle**2 / 2880.0
    rotvec = np.where(is_small, series, 2.0 * half / np.sin(half)) * sines
    return rotvec * (180.0 / math.pi) if degrees else rotvec


def identity(num, *, shape=None):
    """The quaternions of rotations that leave everything where it is."""
    if isinstance(shape, int):
        shape = (shape,)
    elif shape is None:
        shape = () if num is None else (int(num),)
    elif not isinstance(shape, tuple):
        raise ValueError("`shape` must be an int or a tuple of ints or None.")
    quat = np.zeros((*shape, 4))
    quat[..., 3] = 1.0
    return quat


def compose_quat(p, q):
    """The quaternions of one rotation after another; SciPy gives no array, but a view of one."""
    from scipy.spatial.transform import _rotation_xp

    made = _rotation_xp.compose_quat(p, q)
    return valued(made, computed(made, _composed, p, q))


def _composed(p, q):
    from scipy.spatial.transform import _rotation_cy

    return np.asarray(_rotation_cy.compose_quat(p, q))


_OF_VECTORS = {"from_rotvec": from_rotvec, "as_rotvec": as_rotvec}


@when_imported("scipy.spatial.transform._rotation")
def register(rotations):
    """What SciPy has in C for NumPy's arrays is said in Python for those of others."""
    if not hasattr(rotations, "select_backend"):  # in this version of SciPy
        return

    def select_backend(xp, cython_compatible):
        return rotations.cython_backend if cython_compatible else rotations.xp_backend

    defines_inside(rotations.select_backend, select_backend)
    defines_inside(rotations.cython_backend.identity, identity)
    for name, definition in vars(rotations.xp_backend).items():
        compiled = getattr(rotations.cython_backend, name, None)
        if name == "compose_quat":
            defines_inside(compiled, compose_quat)
        elif isinstance(definition, FunctionType) and compiled is not None:
            defines_inside(compiled, _OF_VECTORS.get(name, definition), rounded=True)
        if name in _OF_VECTORS:
            defines_inside(definition, _OF_VECTORS[name], rounded=True)
