"""Every sentence that a server, its database and the site can cause, in English, by code; see `messages`."""

from __future__ import annotations

from dicecup.messages import N_

SERVER_SENTENCES = {
    # Matches on a server
    "body_too_large": N_("That’s too large (at most {most} bytes). Send less."),
    "coach_busy": N_("The coach is busy. Try again in a moment."),
    "coach_points_only": N_(
        "Only the points of this game are known, not the dice: the coach can’t judge it."
    ),
    "coach_later": N_("The coach is off in this game. You’ll get its review when the game is over."),
    "coach_failed": N_("The coach couldn’t answer. Try again in a moment."),
    "chances_missing": N_(
        "Win chances and goals need packages that aren’t installed here: pip install 'dicecup[solver]'"
    ),
    "coach_missing": N_(
        "This game’s coach needs a server that has it installed: pip install 'dicecup[solver]'"
    ),
    "coach_off": N_("The coach is off in this game."),
    "values_unreachable": N_(
        "The coach’s numbers for these rules couldn’t be fetched. "
        "Check the network connection, then ask again."
    ),
    "goal_out_of_range": N_("Choose a goal from {low} to {high} points."),
    "coach_preparing": N_("The coach is getting ready for this game. Try again in a moment."),
    "evening_empty": N_("This evening has no game yet. Choose one."),
    "evening_full": N_("An evening can have at most {most} games. Begin a new one."),
    "evening_name_wrong": N_(
        "The name of an evening can have at most {most} characters. Choose a shorter one."
    ),
    "evening_not_yours": N_("Only people who play in this evening can do this."),
    "evening_other": N_("This game already belongs to an evening, or can’t be part of one."),
    "evening_unknown": N_("There’s no evening at this address. Check the link."),
    "form_expired": N_("This page is out of date. Reload it."),
    "game_begun": N_("The game has already started."),
    "game_not_begun": N_("The game hasn’t started yet."),
    "game_not_over": N_("The game isn’t over yet. Finish it first."),
    "link_unknown": N_("This link is no longer valid. Ask for a new one."),
    "match_unknown": N_("There’s no game at this address. Check the link."),
    "not_found": N_("There’s nothing at this address. Check the link."),
    "not_your_table": N_("Only the host can do this."),
    "not_your_turn": N_("It isn’t your turn."),
    "promise_used": N_(
        "This fingerprint has already been used or is too old. Look at the new one, then try again."
    ),
    "request_wrong": N_("The request can’t be understood: {problem}."),
    "same_dice_begun": N_(
        "You’ve begun with these dice and can’t leave: play on, or let the host show the result without you."
    ),
    "same_dice_not": N_("In this game not everyone has the same dice. Play it on its own page."),
    "same_dice_seats": N_(
        "With the same dice for all, everyone plays on a device of their own. Be the only player on this "
        "one, and invite friends or add bots."
    ),
    "same_dice_order": N_(
        "With the same dice for all one person plays, before the bots. Name yourself first, then bots."
    ),
    "same_dice_typed": N_("The same dice for all are rolled on the screen. Choose dice on the screen."),
    "same_dice_unfinished": N_("Finish your own game first: the result shows everyone’s dice."),
    "record_of_running": N_(
        "This game is still being played here without the coach. Upload its game file when it’s over."
    ),
    "review_too_long": N_(
        "This game is too long for a review here (at most {most} moves). Run “dicecup review” with "
        "its game file."
    ),
    "seat_not_yours": N_("You aren’t playing in this game. Join it first, or open your private link."),
    "seat_taken": N_("This seat is taken. Choose another one."),
    "seat_unknown": N_("There’s no such seat in this game. Choose another one."),
    "seed_before_promise": N_(
        "Your word is worth nothing if the server knows it before it chooses the dice. Ask for a fingerprint "
        "first, then choose your word."
    ),
    "seed_without_person": N_(
        "Only people can add a word to the dice. Leave it out for bots and open seats."
    ),
    "seats_wrong": N_("A game takes 1 to {most} players, at least one of them a person. Change the players."),
    "server_failed": N_("Something went wrong on the server. Nothing was changed. Try again."),
    "server_busy": N_("The server is busy. Try again in a moment."),
    "still_working": N_(
        "The server is still working on what you asked for before. Wait for it, then try again."
    ),
    "too_many_requests": N_("Too many requests. Wait a moment and try again."),
    "too_many_watchers": N_("Too many people are already watching. Try again later."),
    "address_wrong": N_("“{address}” isn’t a web address. Write it like http://192.168.1.5:8000."),
    "host_wrong": N_("“{host}” isn’t a valid address of this machine. Choose another with --host."),
    "port_in_use": N_("{host}:{port} can’t be used: {problem}. Choose another port with --port."),
    "uploads_busy": N_("Too many game files are being read. Try again in a moment."),
    "workers_need_postgres": N_("Several workers need PostgreSQL. Name it with --database."),
    "undo_nothing": N_("There’s nothing to undo."),
    "reaction_too_soon": N_("One reaction at a time. Wait a moment."),
    "reaction_unknown": N_("There’s no reaction “{reaction}”. Choose one of: {known}."),
    "undo_other": N_("Someone has asked to undo something else. Look at that first."),
    # Storage
    "storage_unavailable": N_("The server can’t reach its storage right now. Try again in a moment."),
    "host_unknown": N_(
        "This server doesn’t answer under the name “{host}”. Its operator can allow the name with "
        "DICECUP_HOSTS."
    ),
    "backup_wrong": N_("{file} isn’t a backup of Dicecup, or it’s damaged. Use another one."),
    "restore_not_empty": N_(
        "There are games in the database {database}. Make a backup of them, then add --replace."
    ),
    "database_in_use": N_(
        "Another Dicecup server is using the database {database}. Stop that one first; several servers "
        "need PostgreSQL."
    ),
    "browser_full": N_(
        "Your browser couldn’t save this: {problem}. Nothing that was saved is lost. Free some space on this "
        "device, then try again."
    ),
    "database_newer": N_(
        "The database was made by a newer Dicecup (step {found}; this one knows {known}). Update Dicecup."
    ),
    "database_unknown": N_(
        "“{scheme}” isn’t a valid kind of database. Give postgresql://… or the path of an SQLite file."
    ),
    "database_unusable": N_(
        "The database {database} can’t be used: {problem}. Check its address and permissions."
    ),
    # The site
    "site_folder_used": N_(
        "{folder} has other files in it. Give a new folder, an empty one, or that of an earlier site."
    ),
    "site_part_missing": N_(
        "{part} couldn’t be fetched. Check the network connection, and try again; or put the file into "
        "{folder} yourself."
    ),
    "site_pydantic": N_("The site needs pydantic {needed}, not {found}. Run: pip install pydantic=={needed}"),
    "npm_missing": N_("The site can’t be made without npm. Install it, or run: pip install 'dicecup[site]'"),
    "site_tool_missing": N_(
        "{tool} is needed to fetch {part}. Install {tool}, or put the file into {folder} yourself."
    ),
}
