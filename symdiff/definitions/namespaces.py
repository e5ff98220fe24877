"""SciPy's questions about whose arrays it is given: here all of them are NumPy's."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import numpy as np

from symdiff.definitions.declare import (
    WRAPPERS,
    defines,
    defines_inside,
    is_known_empty,
    refuse,
    registered,
)
from symdiff.definitions.libraries import when_imported


def array_namespace(*arrays: Any) -> ModuleType:
    """NumPy itself, not what SciPy has in its place for old versions."""
    return np


def xp_result_type(*args: Any, force_floating: Any = False, xp: Any = None) -> Any:
    """The dtype that operands become together; None is none of them."""
    given = [np.asarray(arg) if isinstance(arg, (list, tuple)) else arg for arg in args]
    present = [arg for arg in given if arg is not None]
    return np.result_type(*present, 1.0) if force_floating else np.result_type(*present)


def _is_of_another(*things: Any) -> bool:
    """No array and no namespace is another library's."""
    return False


def is_numpy_namespace(xp: Any) -> bool:
    """Every namespace is NumPy's."""
    return True


def device(x: Any) -> str:
    """Where the array is."""
    return "cpu"


def size(x: Any) -> Any:
    """The number of elements."""
    return np.size(x)


def is_numpy_array(x: Any) -> bool:
    """Every array is NumPy's."""
    return isinstance(x, (np.ndarray, np.generic))


def is_writeable_array(x: Any) -> bool:
    """What is not is found where it is written."""
    return isinstance(x, np.ndarray)


def capabilities(xp: Any, *, device: Any = None) -> dict[str, Any]:
    """What NumPy can do."""
    return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}


def _masked_arrays_2_sentinel_arrays(samples: Any) -> Any:
    """No sample has a mask, and none needs a number in the place of what is masked."""
    return samples, None


def _broadcast_arrays(arrays: Any, axis: Any = None, xp: Any = None) -> Any:
    """Samples of one shape, but along ``axis``."""
    if len(arrays) < 2:
        return arrays
    if axis is None:
        return list(np.broadcast_arrays(*arrays))
    ndim = max([array.ndim for array in arrays])
    if ndim < 2 and min([array.ndim for array in arrays]) == ndim:
        return arrays
    if not isinstance(axis, int):
        refuse("samples of more than one dimension along several axes")
    arrays = [np.reshape(array, (1,) * (ndim - array.ndim) + array.shape) for array in arrays]
    shape, place = _shape_without(arrays, axis), axis % ndim
    whole = [(*shape[:place], array.shape[place], *shape[place:]) for array in arrays]
    return [np.broadcast_to(array, each) for array, each in zip(arrays, whole, strict=True)]


def _shape_without(arrays: Any, axis: Any) -> Any:
    """The common shape of arrays without the axis."""
    if axis is None:
        return ()
    return np.broadcast_arrays(*[np.sum(array, axis=axis) for array in arrays])[0].shape


def _check_empty_inputs(samples: Any, axis: Any, xp: Any = None) -> None:
    """No sample is empty."""
    for sample in samples:
        if is_known_empty(sample):
            refuse("an empty sample")


def _with_generator(held: Any, args: Any, kwargs: Any) -> Any:
    """A function that is given a generator, by a name or by the one that this had before."""
    old, new, place = held["old_name"], held["NEW_NAME"], held["position_num"]
    if held["end_version"] is not None:
        refuse("an argument of which SciPy warns")
    times = (old in kwargs) + (new in kwargs) + (place is not None and len(args) > place)
    if times > 1:
        raise TypeError(
            f"{held['fun'].__name__}() got multiple values for argument now known as `{new}`. "
            f"Specify one of `{new}` or `{old}`."
        )
    if old in kwargs:
        kwargs[new] = kwargs.pop(old)
    elif new in kwargs:
        kwargs[new] = np.random.default_rng(kwargs[new])
    return held["fun"](*args, **kwargs)


_EXTRA = "scipy._lib.array_api_extra._lib"
_OTHERS = ("cupy", "torch", "jax", "dask", "array_api_strict")


@when_imported("scipy._lib._array_api")
def _register(api: ModuleType) -> None:
    registered(api, array_namespace, xp_result_type, is_numpy_array)
    registered(importlib.import_module(f"{_EXTRA}._at"), is_writeable_array)
    registered(importlib.import_module(f"{_EXTRA}._utils._helpers"), capabilities)
    defines(api.is_numpy)(is_numpy_namespace)
    defines(api.xp_size)(size)
    defines(api.xp_device)(device)
    questions = ["is_lazy_array", *(f"is_{name}" for name in _OTHERS)]
    for name in (*questions, *(f"is_{name}_array" for name in _OTHERS)):
        if hasattr(api, name):
            defines(getattr(api, name))(_is_of_another)


@when_imported("scipy.sparse._sputils")
def _register_sparse(questions: ModuleType) -> None:
    defines_inside(questions.is_pydata_spmatrix, _is_of_another)


@when_imported("scipy._lib._util")
def _register_wrapper(util: ModuleType) -> None:
    if hasattr(util, "_transition_to_rng"):  # in this version of SciPy
        made = util._transition_to_rng("seed", replace_doc=False)(device)
        WRAPPERS[made.__code__] = _with_generator


@when_imported("scipy.stats._axis_nan_policy")
def _register_policy(policy: ModuleType) -> None:
    defines(policy._broadcast_array_shapes_remove_axis)(_shape_without)
    registered(policy, _broadcast_arrays, _check_empty_inputs, _masked_arrays_2_sentinel_arrays)
