"""Functions that exported modules carry: their source is written into the module.

Each file is plain NumPy and imports nothing of symdiff; a function may call those of its own file.
"""
