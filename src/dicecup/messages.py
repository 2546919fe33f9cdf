"""Every sentence and phrase that code below the interfaces can cause, in English, by code.

The English text is the message id of the gettext catalogues. Nothing is translated here: `N_` only marks
texts.
"""

from __future__ import annotations

import errno


def N_(text: str) -> str:  # noqa: N802 - the name that extraction tools know
    return text


def ngettext(one: str, many: str) -> tuple[str, str]:
    """Mark a singular and a plural text, as `N_` marks a single one."""
    return one, many


class Phrase:
    """A part of a sentence that is translated separately."""

    def __init__(self, code: str, **values: object) -> None:
        self.code = code
        self.values = values

    @property
    def template(self) -> str:
        return PHRASES[self.code]

    def __str__(self) -> str:
        return self.template.format(**self.values)


PHRASES = {
    "system_device": N_("it is a device or a pipe"),
    "system_folder": N_("it is a folder"),
    "system_folder_missing": N_("its folder does not exist"),
    "system_full": N_("the disk is full"),
    "system_missing": N_("it does not exist"),
    "system_no_folder": N_("a part of its path is not a folder"),
    "system_no_permission": N_("there is no permission"),
    "system_other": N_("the system says “{text}”"),
    "system_read_only": N_("the disk is read-only"),
    "system_too_large": N_("it would become too large"),
    "expected_at_most": N_("at most {most} entries"),
    "expected_box": N_("the id of a box of this game; there is no “{found}”"),
    "expected_boxes": N_("from 1 to {most} boxes"),
    "expected_dice": N_("a list of {count} dice"),
    "expected_different_faces": N_("a different face for every box"),
    "expected_entry": N_("a throw, keep, score, undo or secret"),
    "expected_every_layer": N_("each of these layers once: {layers}"),
    "expected_fewer_dice": N_("fewer than {count} dice"),
    "expected_fewer_endings": N_("fewer boxes: a turn may end in at most {most} ways"),
    "expected_header_word": N_("a line of the header (game, option, identity, date, player, dice, seed)"),
    "expected_id": N_("an id of small letters, digits, “_” and “-”, at most 40 characters"),
    "expected_ids": N_("a list of different ids"),
    "expected_kept": N_("some, not all, of the dice, while a throw is left"),
    "expected_move": N_("a move of this game"),
    "expected_multiple": N_(
        "a number of boxes that can be shared out; {boxes} boxes do not go up in turns of {scored}"
    ),
    "expected_multiple_of": N_("a multiple of {step}, 0 or more"),
    "expected_name": N_("a name of 1 to {most} characters without a comma"),
    "expected_new_id": N_("an id that is not used for another line of the sheet"),
    "expected_no_base_cycle": N_("a file that does not lead back to itself"),
    "expected_no_cycle": N_("boxes that do not wait for each other in a circle ({boxes})"),
    "expected_no_more_dice": N_("groups of together at most {counted} dice"),
    "expected_no_repeat_with_columns": N_("no points for repeats in a game with several columns"),
    "expected_one_need": N_("one of alike, run, faces or at_least; “different” goes with alike only"),
    "expected_one_of": N_("one of: {known}"),
    "expected_one_of_keys": N_("no such key; the keys here are: {known}"),
    "expected_option": N_("an option like name=value"),
    "expected_origin": N_("where the dice come from: system, typed, seed or verifiable"),
    "expected_path": N_("the path of a file"),
    "expected_players": N_("a list of names and bots"),
    "expected_points": N_(
        "a whole number from 0 to 10000, or a text like “matching”, “all”, “50 + all”, “36 - all”, “-all”"
    ),
    "expected_points_written": N_("a whole number of points"),
    "expected_position": N_("a position or a state of this game"),
    "expected_record_word": N_("a line that begins with “{word}”"),
    "expected_ruleset": N_("the id of a game or the path of a rules file"),
    "expected_score": N_("a score like “full_house 21”"),
    "expected_strike_with_need": N_("true: only a box that takes any dice can forbid the strike"),
    "expected_table": N_("a table"),
    "expected_text": N_("a text of 1 to 500 characters on one line"),
    "expected_tiers": N_("a list of steps like {{ at = 63, points = 50 }}, the lowest first"),
    "expected_true_or_false": N_("true or false"),
    "expected_upper_box_for_every_face": N_("a game with an upper box for every face, which a joker needs"),
    "expected_whole_number": N_("a whole number from {low} to {high}"),
    "expected_whole_numbers": N_("a list of 1 to {most} whole numbers from {low} to {high}"),
}

SENTENCES = {
    # Rules
    "file_too_large": N_("{file} is too large: at most {most} bytes are read. Give another file."),
    "file_unreadable": N_("{file} cannot be read: {problem}. Check the path and the permissions."),
    "option_unknown": N_("{ruleset} has no option “{option}”. Its options are: {known}."),
    "option_value_unknown": N_("The option {option} has no value “{value}”. Choose one of: {known}."),
    "rules_key_wrong": N_("{file}, key {key}: expected {expected}."),
    "rules_not_text": N_("{file} is no rules file: byte {byte} is not text. Give a TOML file in UTF-8."),
    "rules_not_toml": N_("{file} is not valid TOML: see line {line}, column {column}."),
    "rules_too_deep": N_(
        "{file} is no rules file: its tables stand too deep in each other. Make it simpler."
    ),
    "ruleset_unknown": N_(
        "There is no game and no rules file called “{ruleset}”. Give a file's path or one of: {known}."
    ),
    # Dice
    "die_unreadable": N_("“{text}” is not a die of this game. Write each die like {example}."),
    "face_out_of_range": N_("“{text}” shows a face that the die does not have. Faces go from 1 to {faces}."),
    "dice_count_wrong": N_("Dice given: {found}. Dice needed: {expected}."),
    # Moves
    "box_cannot_be_struck": N_("{box} cannot be struck. Score it as it is, or choose another box."),
    "box_filled": N_("{box} is filled already. Choose an open box."),
    "box_twice": N_("{box} cannot take both scores of a turn. Choose two different boxes."),
    "box_unknown": N_("There is no box “{box}”. The boxes are: {known}."),
    "column_missing": N_("Say in which column: {known}."),
    "column_unknown": N_("There is no column “{column}”. The columns are: {known}."),
    "choice_unknown": N_("That is not one of the choices of this position."),
    "decision_not_due": N_(
        "There is nothing to decide: the dice are to be thrown first, or the game is over."
    ),
    "game_over": N_("The game is over: every sheet is full."),
    "joker_forced": N_("With this joker you must fill {box} first."),
    "joker_forced_lower": N_("With this joker you must fill a box of the lower section while one is open."),
    "keep_all": N_("Keeping every die is stopping: choose a box instead."),
    "keep_not_there": N_("You cannot keep {kept}: the dice are {dice}."),
    "layers_wrong": N_("A score names one box for each of: {layers}."),
    "no_throw_left": N_("There is no throw left in this turn. Choose a box."),
    "score_before_throw": N_("Throw the dice first."),
    "strike_not_last_resort": N_("0 is allowed only when no open box scores, and {box} would score now."),
    "throw_first": N_("The dice are still to be thrown. Throw them first."),
    "throw_not_due": N_("No throw is due. Say which dice you keep, or choose a box."),
    # Positions and moves as data
    "json_wrong": N_("{file} is not valid JSON: see line {line}, column {column}."),
    "move_unreadable": N_(
        'That is not a move. A move is like {{"keep": [6, 6]}}, {{"box": "sixes"}}, '
        '{{"column": "x2", "box": "sixes"}} or {{"inner": "pair", "outer": "chance"}}.'
    ),
    "position_key_wrong": N_("The value of “{key}” is wrong: expected {expected}."),
    "position_text_wrong": N_("“{text}” is not a position. One looks like: {example}"),
    "position_points_impossible": N_("{box} cannot hold {points} points. Correct the sheet."),
    "position_strike_impossible": N_(
        "{box} cannot hold 0: that is allowed only when no open box scores, and one would have. "
        "Correct the sheet."
    ),
    "position_turn_unfinished": N_(
        "This number of filled boxes cannot be: {filled}. Every turn fills {scored}. Correct the sheet."
    ),
    "sheet_of_other_game": N_(
        "A sheet of this game has {expected} boxes, and this one has {found}. Give a sheet of this game."
    ),
    # Records
    "commitment_wrong": N_("The secret in the record is not the one that was promised before the game."),
    "record_closed": N_("The record is closed: its secret has been revealed. Start a new game."),
    "record_cut": N_("The record has no complete header. It cannot be used; start a new one."),
    "record_damaged": N_("Line {line} of the record is damaged or was changed."),
    "record_from_position": N_(
        "This game began in a position, so there is no record of its beginning. "
        "Save or review games that begin with an empty sheet."
    ),
    "record_illegal": N_("Line {line} of the record breaks the rules: {problem}"),
    "record_line_wrong": N_("Line {line} of the record cannot be read: expected {expected}."),
    "record_not_text": N_("This is not the record of a game. Give a file that “dicecup play” has written."),
    "record_not_utf8": N_("The record is written in UTF-16. Save it as UTF-8."),
    "record_of_other_rules": N_(
        "The record was made with other rules of “{ruleset}” (identity {found}, here {expected}). "
        "Use the rules file it was made with."
    ),
    "record_line_other": N_(
        "Line {line} of the record does not follow from the lines before it; expected: {expected}"
    ),
    "record_too_large": N_("The record is too large: at most {most} bytes are read."),
    "record_too_long": N_("The record is too long: at most {most} lines are read."),
    "record_version_unknown": N_("The record's version {found} is unknown here; this program reads {known}."),
    "reveal_not_due": N_("This game's dice have no secret to reveal."),
    "reveal_too_early": N_("The secret is revealed only when the game is over."),
    "secret_missing": N_(
        "The secret is not in the record yet, so the dice cannot be proved. It is added when the game ends."
    ),
    "secret_unreadable": N_("A secret is written with 32 to 128 hexadecimal digits."),
    "throw_wrong": N_("Throw {number} is wrong: the record says {found}, the secret gives {expected}."),
    "undo_too_far": N_("Only {most} steps can be taken back."),
    # The command line
    "answer_empty": N_("Type the dice you keep, a box to fill, or “?” for help."),
    "box_ambiguous": N_("“{text}” could be any of: {known}. Type more of the name."),
    "box_not_found": N_("There is no box “{text}”. The boxes are: {known}."),
    "moves_too_many": N_("This game has {most} moves. Choose a position within it."),
    "name_of_bot": N_(
        "“{name}” is no name for a player: names that begin with “{prefix}” are for bots. Choose another."
    ),
    "name_twice": N_("Two players have the same name. Give each their own."),
    "name_wrong": N_("“{name}” is no name for a player: use 1 to {most} characters without a comma."),
    "option_twice": N_("The option {option} is given twice with different values. Give it once."),
    "option_unreadable": N_("“{text}” is not an option. Write it like -o scoring=scandinavian."),
    "output_unwritable": N_("The answer cannot be written: {problem}."),
    "own_seeds_useless": N_(
        "Own seeds go only with dice on the screen and without --seed. Leave one of them out."
    ),
    "players_missing": N_("A game needs at least one player."),
    "players_too_many": N_("At most {most} players fit in a game."),
    "record_missing": N_("{file} does not exist. Name a game to begin one in it."),
    "record_of_other_game": N_(
        "{file} holds a game with other rules, players or dice. Leave them out to go on with it, "
        "or name another file."
    ),
    "score_dropped": N_("No box was filled. Choose again."),
    "strike_what": N_("Say which box to strike."),
    "packages_not_installed": N_(
        "The packages that this needs could not be downloaded and installed. Check the network connection "
        "and the free disk space, and try again. Details are in {file}."
    ),
    "typst_missing": N_(
        "Printing needs the package typst, which is not installed. Run: pip install 'dicecup[pdf]'"
    ),
    "file_empty": N_("{file} is empty. Give another file."),
    "file_not_text": N_("{file} is not text in UTF-8. Save it as UTF-8, or give another file."),
    # Playing and storing games
    "argument_wrong": N_("The argument “{argument}” is wrong: expected {expected}."),
    "bot_failed": N_("The bot {bot} failed: {problem}. Correct its code."),
    "bot_from_record": N_(
        "The record gives a seat to {bot}, which is code of its own. "
        "If you trust it, name the players again: --players {players}"
    ),
    "bot_illegal": N_("The bot {bot} wants a move that is not legal: {problem}"),
    "bot_no_move": N_("The bot {bot} wants {found}, which is not a move. Correct its code."),
    "bot_not_due": N_("No bot has a decision to take now."),
    "bot_not_loaded": N_("The bot {bot} cannot be loaded: {problem}. Name it like package.module:Class."),
    "bot_not_shared": N_(
        "The bot {bot} cannot play on several cores, because worker processes cannot load it: {problem}. "
        "Define it in a module that they can import, or play on one core."
    ),
    "bot_unknown": N_("There is no bot “{bot}”. The bots are: {known}."),
    "bot_without_decide": N_("{bot} is no bot: it has no method decide(rules, state, chance)."),
    "bot_worker_died": N_(
        "A worker process died while the bot {bot} was playing. Play on one core to see why."
    ),
    "dice_not_typed": N_("The dice of this game are thrown by the program, not typed."),
    "dice_typed_missing": N_("The dice of this game lie on the table: type what they show."),
    "file_exists": N_("{file} exists already and is not overwritten. Choose another name."),
    "file_in_use": N_("{file} is open in another program. Close that one first."),
    "file_unwritable": N_("{file} cannot be written: {problem}. Nothing was changed."),
    "secret_lost": N_("The secret of this game's dice is missing, so it cannot go on. Start a new game."),
    "storage_unavailable": N_("The server cannot reach its storage at the moment. Try again shortly."),
    "host_unknown": N_(
        "This server does not answer under the name “{host}”. Whoever runs it can allow the name with "
        "DICECUP_HOSTS."
    ),
    "database_in_use": N_(
        "The database {database} is in use by another Dicecup server. Stop that one first; several servers "
        "need PostgreSQL."
    ),
    "database_newer": N_(
        "The database was made by a newer version of Dicecup (step {found}, this one knows {known}). "
        "Update Dicecup."
    ),
    "database_unknown": N_(
        "“{scheme}” is no kind of database known here. Give postgresql://… or the path of an SQLite file."
    ),
    "database_unusable": N_(
        "The database {database} cannot be used: {problem}. Check its address and rights."
    ),
    "page_over_record": N_("{file} is the record itself. Choose another file for the page."),
    "postgres_missing": N_(
        "PostgreSQL needs the packages psycopg and psycopg-pool, which are not installed. "
        "Run: pip install 'dicecup[postgresql]'"
    ),
    "version_stale": N_("The game went on meanwhile (version {version}, yours is {found}). Look again."),
    # Solving
    "backend_unknown": N_("There is no backend “{backend}”. Choose one of: {known}."),
    "cuda_missing": N_("There is no GPU here that CuPy can use. Solve on the processor: --backend cpu."),
    "cupy_missing": N_(
        "The package CuPy is not installed. Install it, or solve on the processor: --backend cpu."
    ),
    "disk_short": N_(
        "The table needs {needed} in {folder}, and {found} are free. "
        "Make room, or choose another folder with DICECUP_CACHE."
    ),
    "double_not_solvable": N_(
        "{ruleset} cannot be solved: of games with double dice, those can be that have one column, "
        "two layers, at most 20 boxes, and no boxes that look at others."
    ),
    "gpu_too_small": N_(
        "The GPU has {found} kB of shared memory for this, and {needed} kB are needed. "
        "Use --precision 32, or solve on the processor: --backend cpu."
    ),
    "memory_out": N_("There is not enough memory. Close other programs, or raise the limit."),
    "memory_short": N_(
        "This solve needs {needed} of memory, and {found} are free. "
        "Close other programs, or use --precision 32."
    ),
    "position_of_other_game": N_("The position is of {found}, not of {ruleset}. Name its game."),
    "sheet_impossible": N_("No game leads to this sheet. Correct its points."),
    "solve_columns": N_(
        "{ruleset} has several columns, and only games of one column are solved exactly. "
        "Nothing has been learned about these rules either: the coach cannot help with them."
    ),
    "solve_entangled": N_(
        "{ruleset} cannot be solved exactly: its boxes look at each other in too many ways. "
        "Take away some of “after” and “above”."
    ),
    "solve_layers": N_(
        "{ruleset} is played with dice of several layers, which this solver does not know: "
        "dicecup.solver.find does."
    ),
    "solve_running": N_("Another process is solving this game now ({file}). Wait for it."),
    "solve_takes_long": N_(
        "{ruleset} is not solved yet, and that takes about {minutes} minutes. Run once: {command}"
    ),
    "solve_too_large": N_(
        "{ruleset} is too large to be solved exactly: it has about {states} states. Nothing has been learned "
        "about these rules either: the coach cannot help with them."
    ),
    "solve_too_large_learned": N_(
        "{ruleset} is too large to be solved exactly: it has about {states} states. No solve is needed: "
        "value, hint and review answer at once with a learned value, which plays nearly perfectly."
    ),
    "solver_missing": N_(
        "Solving needs the packages numpy and numba, which are not installed. "
        "Run: pip install 'dicecup[solver]'"
    ),
    "table_damaged": N_("The table {file} is cut off or was changed. It is not used."),
    "table_format": N_(
        "The table {file} has the format {found}, and this program reads {expected}. Solve again."
    ),
    "table_of_other_rules": N_("The table {file} is of other rules ({ruleset}). It is not used."),
    "value_not_learnable": N_(
        "{ruleset} has rules that a learned value does not know yet. Solve it exactly instead."
    ),
    "weights_damaged": N_("The learned values in {file} cannot be read. Install Dicecup again."),
    "weights_of_other_rules": N_(
        "The learned values in {file} are of other rules ({ruleset}). Install Dicecup again."
    ),
    # Matches on a server
    "body_too_large": N_("That is too large: at most {most} bytes are taken."),
    "coach_busy": N_("The coach has too much to think about just now. Ask again in a moment."),
    "coach_later": N_("The coach is off at this table: it looks at the game when it is over."),
    "coach_failed": N_("The coach could not answer. Ask again in a moment."),
    "coach_missing": N_(
        "The coach is not installed on this server. Whoever runs it can add the coach: "
        "pip install 'dicecup[solver]'"
    ),
    "coach_off": N_("The coach is off at this table."),
    "coach_preparing": N_("The coach is getting ready for this game. Ask again in a moment."),
    "form_expired": N_("This page is too old or came from elsewhere. Load it again."),
    "game_begun": N_("The game has begun already."),
    "game_not_begun": N_("The game has not begun yet."),
    "game_not_over": N_("The game is not over yet. Play it to its end first."),
    "link_unknown": N_("This private link leads to no seat. Ask for a new one."),
    "match_unknown": N_("There is no game at this address."),
    "not_found": N_("There is nothing at this address."),
    "not_your_table": N_("Only the one who opened the table can do this."),
    "not_your_turn": N_("It is not your turn."),
    "promise_used": N_("This promise for the dice is used up or unknown. Load the page again."),
    "request_wrong": N_("The request cannot be understood: {problem}."),
    "record_of_running": N_(
        "This game is still being played here, at a table without a coach. Upload its record when it is over."
    ),
    "review_too_long": N_(
        "This game is too long for a review here: at most {most} moves. Run “dicecup review” on its record."
    ),
    "seat_not_yours": N_("You have no seat at this table. Join first, or open your private seat link."),
    "seat_taken": N_("This seat is taken. Choose another one."),
    "seat_unknown": N_("There is no such seat at this table."),
    "seats_wrong": N_("A table has from 1 to {most} seats, one of them for a person."),
    "server_failed": N_("Something went wrong on the server. Nothing was changed; try again."),
    "too_many_requests": N_("That was too much at once. Wait a moment and try again."),
    "too_many_watchers": N_("Too many are watching already. Try again later."),
    "host_wrong": N_("“{host}” is no address of this machine. Choose another with --host."),
    "port_in_use": N_("{host}:{port} cannot be used: {problem}. Choose another with --port."),
    "uploads_busy": N_("Too many records are being read just now. Try again in a moment."),
    "workers_need_postgres": N_("Several workers need PostgreSQL. Name it with --database."),
    "undo_nothing": N_("There is nothing to take back."),
    "undo_other": N_("Something else is proposed to be taken back. Look at it first."),
}

SYSTEM_PROBLEMS = {
    errno.EACCES: Phrase("system_no_permission"),
    errno.EFBIG: Phrase("system_too_large"),
    errno.EISDIR: Phrase("system_folder"),
    errno.ENOENT: Phrase("system_missing"),
    errno.ENOSPC: Phrase("system_full"),
    errno.ENOTDIR: Phrase("system_no_folder"),
    errno.EPERM: Phrase("system_no_permission"),
    errno.EROFS: Phrase("system_read_only"),
}


def problem_of(error: OSError | ValueError) -> Phrase:
    """Return the operating system's reason for a file error, as a translatable phrase where known."""
    known = SYSTEM_PROBLEMS.get(getattr(error, "errno", None) or 0)
    return known or Phrase("system_other", text=getattr(error, "strerror", None) or str(error))
