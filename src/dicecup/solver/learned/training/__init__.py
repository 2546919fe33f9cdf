"""Making the weights: games against itself, and a network fitted to them. Not needed to play."""
