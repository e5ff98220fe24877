"""Constant arrays from the file beside the module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


def _arrays(name: str, written: str) -> dict[str, Any]:
    """The arrays in the file ``name`` beside this one, which was written together with it."""
    path = Path(__file__).with_name(name)
    if not path.exists():
        raise ImportError(f"there is no {path}, which was written together with {__file__}")
    with np.load(path, allow_pickle=False) as file:
        if str(file["__symdiff__"]) != written:
            raise ImportError(f"{path} is not the file that was written with {__file__}")
        return {key: file[key] for key in file.files}
