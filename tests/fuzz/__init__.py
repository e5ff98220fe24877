"""Random programs against independent derivatives, and the front end against other people's code.

``python -m tests.fuzz N`` writes N random NumPy programs, one for each seed, and compares symdiff's
value, gradient, tangent and second derivatives with the complex step or with extrapolated
differences. ``python -m tests.fuzz.library`` compiles functions of the standard library, NumPy and
SciPy from spelled types.
"""
