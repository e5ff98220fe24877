"""Calls in definitions that stay calls where they stand: what they give carries no derivative."""


def computed(like, function, *given):
    """What a function computes of numbers, an array like another one, without derivative."""
    raise NotImplementedError(f"{function.__name__} is staged")


def _computed_staged(stager, arguments, keywords):
    like, function, *given = arguments
    return stager.opaque(function, given, {}, stager.specification(like))


computed.__symdiff_staged__ = _computed_staged  # type: ignore[attr-defined]


def unknown(function, *given):
    """What a function gives of which nothing is known, as of texts and lists of them."""
    raise NotImplementedError(f"{function.__name__} is staged")


def _unknown_staged(stager, arguments, keywords):
    function, *given = arguments
    return stager.opaque(function, given, {}, None)


unknown.__symdiff_staged__ = _unknown_staged  # type: ignore[attr-defined]
