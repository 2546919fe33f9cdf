"""Dicecup: play, score and master every game of the Yatzy family."""

__version__ = "0.1.0"
