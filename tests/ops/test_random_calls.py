"""Calls of everything that is registered, with operands and keywords of many kinds, compiled and
emitted: what NumPy takes has its value, type, bits, warnings and derivatives, or is refused.
"""

from __future__ import annotations

import pytest

from tests.fuzz import calls
from tests.shares import ALL

DERIVATIVES = 1  # calls of each
VALUES = 2 if ALL else DERIVATIVES
# Nothing differentiated is among what these are given, or what they give is not determined.
OTHERS = {
    **dict.fromkeys(
        ("np.nanmedian", "np.nanpercentile", "np.nanquantile"), "the sign of a NaN is not NumPy's"
    ),
    "np.empty": "its elements are whatever was there",
    "np.empty_like": "its elements are whatever was there",
}


def _outcomes(name: str) -> list[tuple[int, calls.Call, calls.Outcome]]:
    found = []
    for seed in range(VALUES):
        try:
            call = calls.draw(name, seed)
        except LookupError:
            continue
        found.append((seed, call, calls.check_call(call, derivatives=seed < DERIVATIVES)))
    return found


# SciPy's functions are called with arguments that suit them in ``tests/registry``: here a share is,
# of those that take numbers of any kind.
SCIPYS = [name for name in calls.names() if name.startswith("scipy.special.")][::5]
NAMES = [n for n in calls.names() if not n.startswith("scipy.") and n not in OTHERS]


@pytest.mark.one_in(16)
@pytest.mark.parametrize("name", [*NAMES, *SCIPYS])
def test_random_calls_are_numpys_or_refused(name: str) -> None:
    bad = [
        f"draw({name!r}, {seed}): {call.expression}\n{outcome.message}\n{outcome.details}"
        for seed, call, outcome in _outcomes(name)
        if outcome.kind not in ("right", "refused", "unsure")
    ]
    assert not bad, "\n\n".join(bad)


def test_nearly_all_that_is_registered_is_called() -> None:
    """By names that have calls; definitions call what is symdiff's own."""
    names = [name for name in NAMES if not name.startswith("symdiff.")]
    called = [name for name in names if _has_calls(name)]
    assert len(called) > 0.9 * len(names)


def _has_calls(name: str) -> bool:
    try:
        calls.draw(name, 0)
    except LookupError:
        return False
    return True
