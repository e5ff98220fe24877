"""Every construct of the language, one small function each, in every setting; see ``settings``."""
