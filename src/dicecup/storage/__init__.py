"""Storage of games: record files and databases."""
