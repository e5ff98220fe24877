"""What runs at call time: loading emitted source, signatures, caches."""
