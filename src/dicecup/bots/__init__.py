"""Bots: one small protocol, several strengths."""

from dicecup.bots.registry import BOTS, Bot, bot_called, bot_of_player, is_bot
from dicecup.engine.record import BOT_PREFIX

__all__ = ["BOTS", "BOT_PREFIX", "Bot", "bot_called", "bot_of_player", "is_bot"]
