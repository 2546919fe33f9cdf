"""Solved values on disk: table files, packing, unfinished solves. The same for all solvers."""
