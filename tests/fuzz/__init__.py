"""Random programs against independent derivatives, and the front end against other people's code.

``python -m tests.fuzz N`` writes N random NumPy programs, one for each seed, and compares symdiff's
value, gradient, tangent and second derivatives with the complex step or with extrapolated
differences. ``python -m tests.fuzz.packages`` compiles functions of the standard library, NumPy and
SciPy from spelled types.

Of 4780 such functions (of 6861) at four signatures each, 19120 cases, 4209 compiled; 14911 were
refused with a place, 3878 of them because the function itself raises at such types, as it confirms.
Of those that compiled 2412 have no effects and raise nothing on values: all give the function's
bits. 1026 of these have a derivative by floats: 1005 agree with differences in both modes, 2 are
not finite, and at 19 the differences do not settle. Nothing hung, crashed or had an effect.
"""
