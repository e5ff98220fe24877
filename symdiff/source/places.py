"""Whose a file is: the user's own, an installed package's or Python's.

>>> is_standard(collections.__file__), is_installed(collections.__file__)
(True, True)
>>> is_installed("site-packages/fluids/core.py"), is_installed("model.py")
(True, False)
"""

import collections
import os

_STANDARD = os.path.dirname(os.path.dirname(collections.__file__))
_PACKAGES = ("site-packages", "dist-packages")


def is_standard(file: str) -> bool:
    """Return whether a file is one of the standard library."""
    return file.startswith(_STANDARD) and not _is_in_packages(file)


def is_installed(file: str) -> bool:
    """Return whether a file is one of a package, or of the standard library, and not the user's."""
    return _is_in_packages(file) or file.startswith(_STANDARD)


def _is_in_packages(file: str) -> bool:
    return any(folder in file for folder in _PACKAGES)
