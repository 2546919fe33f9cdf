"""Matches on a server: who sits where, who may do what, what happens by itself, who is told.

Pages and API both go through here. Nothing here knows HTTP, and nothing translates.
"""
