"""Matches on a server: seats, permissions, bots, notifications, the coach.

Pages and API both use this package. Nothing here translates, and only the event streams know HTTP.
"""
