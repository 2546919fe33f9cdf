"""The solver: values of perfect play, exact or learned; a backend for each kind of game."""
