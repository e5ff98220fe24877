"""Memory: which arrays exist, which of them are written in place, and what has to be copied.

A graph of values enters; the graph that a back end prints leaves (``place_buffers``): every write
of it is made in place, every copy and every store on a tape is a node. It can be printed
(``print_placed``) and is held by a walk of its own (``verify_placed``).
"""
