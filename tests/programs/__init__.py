"""Whole programs as users write them, by area of the language; see ``registry``."""
