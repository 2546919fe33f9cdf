"""Many games at once: of a perfect player by solved values, or by the quick value."""
