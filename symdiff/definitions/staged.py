"""Functions of the front end's that definitions call: their calls are staged as it says."""


def _staged(name):
    """A function of the front end's that only definitions call."""

    def called(*arguments, **keywords):
        raise NotImplementedError(name)  # definitions are followed, never run

    def staged(stager, arguments, keywords):
        return getattr(stager, name)(*arguments, **keywords)

    called.__symdiff_staged__ = staged  # type: ignore[attr-defined]
    return called


followed = _staged("followed")
solver = _staged("solver")
solution = _staged("solution")
slope = _staged("slope")
valued = _staged("valued")
strong_multiply = _staged("strong_multiply")
without_derivative = _staged("without_derivative")
