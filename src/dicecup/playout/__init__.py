"""Many games at once: of a perfect player from solved values, or of the quick value."""
