"""Generated gradients beside hand-written ones, HIPS autograd and JAX.

``python -m tests.benchmarks`` runs them. ``programs`` are what a user writes, ``by_hand`` careful
adjoints of the same in NumPy, ``cases`` puts them together with arguments and with what the other
packages need, ``engines`` makes the derivatives, ``timing`` measures.
"""
