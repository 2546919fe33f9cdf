"""Bots: one small protocol, several strengths."""

from dicecup.bots.registry import BOT_PREFIX, BOTS, Bot, bot_called, bot_of_player, is_bot

__all__ = ["BOTS", "BOT_PREFIX", "Bot", "bot_called", "bot_of_player", "is_bot"]
