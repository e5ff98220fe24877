"""Source to IR: an abstract interpreter of Python over values that are static or staged."""
