"""The walk through the registry: every callable, every operand, both modes, orders, dtypes, shapes.

``table`` says of every callable that is registered how it is called; one that is not there fails.
``examples`` has the words that the table is written in, ``cases`` the shapes and layouts of the
operands, ``differences`` the references, ``walk`` what is held of a cell.

    python -m tests.registry             how many cells there are
    python -m tests.registry np.sin      all cells of some callables
"""
