"""Every sentence that code below the interfaces can cause, in English, by code.

`server_messages` has those of a server, `errors` parts of sentences.

The English text is the message id of the gettext catalogues. Nothing is translated here: `N_` only marks
texts.
"""

from __future__ import annotations

from typing import NamedTuple


def N_(text: str) -> str:  # noqa: N802 - the name that extraction tools know
    return text


def ngettext(one: str, many: str) -> tuple[str, str]:
    """Mark a singular and a plural text, as `N_` marks a single one."""
    return one, many


class Plural(NamedTuple):
    """A sentence with a singular and a plural form; the value called `by` decides which."""

    one: str
    many: str
    by: str


SENTENCES: dict[str, str | Plural] = {
    # Rules
    "file_too_large": N_("{file} is too large (at most {most} bytes). Give another file."),
    "file_unreadable": N_("{file} can’t be read: {problem}. Check the path and the permissions."),
    "house_too_large": Plural(
        *ngettext(
            "Solving {ruleset} takes about {minutes} minute, too long for this server. Make it smaller.",
            "Solving {ruleset} takes about {minutes} minutes, too long for this server. Make it smaller.",
        ),
        by="minutes",
    ),
    "house_unsolved": N_(
        "The coach doesn’t know these house rules yet. Open them in the workshop and solve them first."
    ),
    "house_rules_damaged": N_("These house rules are incomplete or damaged. Copy the whole link again."),
    "option_unknown": N_("{ruleset} has no option “{option}”. Choose one of: {known}."),
    "option_value_unknown": N_("The option {option} has no value “{value}”. Choose one of: {known}."),
    "rules_key_wrong": N_("{file}, key {key}: expected {expected}."),
    "rules_not_text": N_(
        "{file} isn’t a valid rules file: byte {byte} isn’t text. Give a TOML file in UTF-8."
    ),
    "rules_not_toml": N_("{file} isn’t valid TOML. Look at line {line}, column {column}."),
    "rules_too_deep": N_(
        "{file} isn’t a valid rules file: its tables are nested too deeply. Make it simpler."
    ),
    "ruleset_unknown": N_(
        "There’s no game or rules file called “{ruleset}”. Give a file’s path or one of: {known}."
    ),
    # Dice
    "die_unreadable": N_("“{text}” isn’t a valid die in this game. Write each die like {example}."),
    "face_out_of_range": N_("“{text}” isn’t a valid number on this die. Use 1 to {faces}."),
    "dice_count_wrong": N_("That’s the wrong number of dice: {found}. Give {expected}."),
    # Moves
    "box_cannot_be_struck": N_("{box} can’t be crossed out. Write its points, or choose another box."),
    "box_changed": N_("{box} has just been written by somebody else. Look at it again."),
    "announce_first": N_("Only boxes that are announced are open. Announce one of them first."),
    "announce_too_late": N_("A box can be announced only once, right after the first roll."),
    "box_filled": N_("{box} is already filled. Choose an open box."),
    "box_not_announced": N_(
        "{box} has to be announced after the first roll. Choose a box of another column."
    ),
    "box_other_announced": N_("You’ve announced another box. Fill that one."),
    "box_out_of_order": N_("{box} can’t be filled yet: this column is filled in order."),
    "box_twice": N_("{box} can’t take both scores of a turn. Choose two different boxes."),
    "box_unknown": N_("There’s no box “{box}”. Choose one of: {known}."),
    "column_missing": N_("The column is missing. Add one of: {known}."),
    "column_unknown": N_("There’s no column “{column}”. Choose one of: {known}."),
    "column_not_announced": N_(
        "Nothing is announced in the column {column}. Fill its boxes without announcing."
    ),
    "final_too_late": N_("You’ve entered a roll of this turn already. Type only the dice you rolled again."),
    "game_goes_on": N_(
        "This game is still played here. Open it, or download its game file to continue elsewhere."
    ),
    "final_without_rolls": N_("In this game the number of rolls matters. Enter every roll of the turn."),
    "game_over": N_("The game is over: every score sheet is full."),
    "join_without_pad": N_("Players can join a running game only on a score pad. Start a new game."),
    "joker_forced": N_("With this joker you have to fill {box} first."),
    "joker_forced_lower": N_("With this joker you have to fill a lower box while one is open."),
    "keep_all": N_("You’ve kept all your dice: choose a box."),
    "keep_not_there": N_("You can’t keep {kept}: your dice are {dice}. Choose from those."),
    "layers_wrong": N_("A box is missing. Name one for each of: {layers}."),
    "no_throw_left": N_("You have no rolls left this turn. Choose a box."),
    "pad_in_terminal": N_("A score pad is written in the browser: start “dicecup serve”."),
    "pad_without_bots": N_("A score pad has no dice, so bots can’t play. Remove the bots."),
    "pad_without_dice": N_("This is a score pad without dice. Write points in a box."),
    "points_impossible": N_("{box} can’t hold {points}. Choose one of the values shown."),
    "points_unchanged": N_("{box} holds that already. Choose another value."),
    "points_with_dice": N_("Points can be written only on a score pad; this game has dice. Roll them."),
    "score_before_throw": N_("You haven’t rolled yet. Roll the dice first."),
    "strike_not_last_resort": N_(
        "You can’t cross out a box now: {box} would score. Choose a box that scores."
    ),
    "throw_first": N_("The dice haven’t been rolled yet. Roll them first."),
    "throw_not_due": N_("You can’t roll now. Say which dice you keep, or choose a box."),
    # Positions and moves as data
    "json_wrong": N_("{file} isn’t valid JSON. Look at line {line}, column {column}."),
    "move_unreadable": N_(
        'That isn’t a valid move. Write it like {{"keep": [6, 6]}}, {{"box": "sixes"}}, {{"column": '
        '"x2", "box": "sixes"}} or {{"inner": "pair", "outer": "chance"}}.'
    ),
    "position_key_wrong": N_("The value of “{key}” is wrong: expected {expected}."),
    "position_text_wrong": N_("“{text}” isn’t a valid position. Write it like: {example}"),
    "position_points_impossible": Plural(
        *ngettext(
            "{box} can’t hold {points} point. Correct the score sheet.",
            "{box} can’t hold {points} points. Correct the score sheet.",
        ),
        by="points",
    ),
    "position_out_of_order": N_(
        "{box} can’t be filled yet: its column is filled in order. Correct the score sheet."
    ),
    "position_strike_impossible": N_(
        "{box} can’t hold 0: boxes may be crossed out only when no open box scores, and one would "
        "have. Correct the score sheet."
    ),
    "position_turn_unfinished": N_(
        "The number of filled boxes isn’t possible: {filled}. Every turn fills {scored}. Correct the "
        "score sheet."
    ),
    # Records
    "dice_not_repeatable": N_(
        "The dice of this game can’t be rolled again: only verifiable dice can. Choose another game."
    ),
    "commitment_wrong": N_(
        "The secret in the game file doesn’t match the fingerprint shown before the game. Don’t "
        "trust these dice."
    ),
    "record_closed": N_("The game file is closed: its secret has been revealed. Start a new game."),
    "record_cut": N_("The game file has no complete header and can’t be used. Start a new game."),
    "record_damaged": N_("Line {line} of the game file is damaged or was changed. Use an unchanged copy."),
    "record_illegal": N_("Line {line} of the game file breaks the rules: {problem}"),
    "record_line_wrong": N_("Line {line} of the game file can’t be read: expected {expected}."),
    "record_not_text": N_(
        "This isn’t a valid game file. Give a file from “dicecup play” or downloaded from a game."
    ),
    "record_not_utf8": N_("The game file is written in UTF-16. Save it as UTF-8."),
    "record_of_other_rules": N_(
        "The game file was made with other rules of “{ruleset}” (identity {found}, here {expected}). "
        "Use the rules file it was made with."
    ),
    "record_line_other": N_(
        "Line {line} of the game file doesn’t follow from the lines before it; expected: {expected}"
    ),
    "record_too_large": N_("The game file is too large (at most {most} bytes). Give another file."),
    "record_too_long": N_("The game file is too long (at most {most} lines). Give another file."),
    "record_version_unknown": N_(
        "This program can’t read version {found} of game files, only {known}. Update Dicecup."
    ),
    "reveal_not_due": N_("The dice of this game have no secret to reveal."),
    "reveal_too_early": N_("The secret is revealed only when the game is over. Finish the game first."),
    "fingerprint_unreadable": N_(
        "“{found}” isn’t a fingerprint. Type the hexadecimal digits you were shown, at least the first 8."
    ),
    "fingerprint_other": N_(
        "The fingerprint in the game file is {found}, not the one you were shown. Don’t trust these dice."
    ),
    "secret_missing": N_(
        "The dice can’t be verified yet: the secret is added to the game file when the game ends. "
        "Try again then."
    ),
    "seed_of_bot": N_(
        "“{player}” has a word in the game file, but only people can add words: the dice could have been "
        "chosen with it. Don’t trust these dice."
    ),
    "secret_unreadable": N_("A secret is written with 32 to 128 hexadecimal digits."),
    "throw_wrong": N_(
        "Roll {number} is wrong: the game file says {found}, the secret gives {expected}. Don’t "
        "trust these dice."
    ),
    "undo_too_far": Plural(
        *ngettext(
            "Only {most} step can be undone. Undo less.",
            "Only {most} steps can be undone. Undo fewer.",
        ),
        by="most",
    ),
    # The command line
    "answer_empty": N_("Nothing was typed. Type the dice to keep, a box to fill, or “?” for help."),
    "box_ambiguous": N_("“{text}” could be any of these: {known}. Type more of the name."),
    "box_not_found": N_("There’s no box “{text}”. Choose one of: {known}."),
    "moves_too_many": Plural(
        *ngettext(
            "This game has {most} move. Choose a position within it.",
            "This game has {most} moves. Choose a position within it.",
        ),
        by="most",
    ),
    "name_of_bot": N_(
        "“{name}” isn’t a valid player name: names that begin with “{prefix}” are for bots. Choose another."
    ),
    "name_twice": N_("Two players have the same name. Give each their own."),
    "name_wrong": N_("“{name}” isn’t a valid player name. Use 1 to {most} characters without a comma."),
    "option_twice": N_("The option {option} is given twice with different values. Give it once."),
    "option_unreadable": N_("“{text}” isn’t a valid option. Write it like -o scoring=scandinavian."),
    "output_unwritable": N_("The answer can’t be written: {problem}."),
    "system_failed": N_(
        "This can’t be finished: {problem}. Close other programs, or raise the limits of the system."
    ),
    "own_seeds_useless": N_(
        "Players’ own words work only with dice on the screen and without --seed. Leave one of them out."
    ),
    "players_missing": N_("A game needs at least one player. Add a name."),
    "players_too_many": N_("That’s too many players. A game takes up to {most}."),
    "record_missing": N_("{file} doesn’t exist. Name a game to start one in it."),
    "record_of_other_game": N_(
        "{file} holds a game with other rules, players or dice. Leave them out to continue it, or "
        "name another file."
    ),
    "score_dropped": N_("No box was filled. Choose again."),
    "strike_what": N_("The box is missing. Say which one to cross out."),
    "packages_not_installed": N_(
        "The packages this needs couldn’t be installed. Check the network connection and the free "
        "disk space, and try again. Details are in {file}."
    ),
    "data_missing": N_(
        "The packages pyarrow, numpy and numba aren’t installed. Run: pip install 'dicecup[data]'"
    ),
    "env_missing": N_(
        "The packages gymnasium, pettingzoo and pillow aren’t installed. Run: pip install 'dicecup[env]'"
    ),
    "typst_missing": N_("The package typst isn’t installed. Run: pip install 'dicecup[pdf]'"),
    "file_empty": N_("{file} is empty. Give another file."),
    "file_not_text": N_("{file} isn’t UTF-8 text. Save it as UTF-8, or give another file."),
    # Playing and storing games
    "bot_not_due": N_("It isn’t a bot’s turn. Wait for the players."),
    "bot_unknown": N_("There’s no bot “{bot}”. Choose one of: {known}."),
    "dice_not_typed": N_("You can’t type the dice: the program rolls them in this game. Press Roll."),
    "dice_typed_missing": N_("This game uses your own dice. Type what they show."),
    "file_exists": N_("{file} already exists and won’t be overwritten. Choose another name."),
    "file_in_use": N_("{file} is open in another program. Close it there first."),
    "file_unwritable": N_("{file} can’t be written: {problem}. Nothing was changed."),
    "secret_lost": N_("The secret of this game’s dice is missing, so it can’t continue. Start a new game."),
    "page_over_record": N_("{file} is the game file itself. Choose another file for the page."),
    "postgres_missing": N_(
        "The packages psycopg and psycopg-pool aren’t installed. Run: pip install 'dicecup[postgresql]'"
    ),
    "version_stale": N_(
        "The game has moved on meanwhile (version {version}, yours is {found}). Look at it again."
    ),
    # Solving
    "backend_unknown": N_("There’s no backend “{backend}”. Choose one of: {known}."),
    "cuda_missing": N_("CuPy can’t find a usable GPU here. Solve on the processor: --backend cpu."),
    "cupy_missing": N_(
        "The package CuPy isn’t installed. Run: pip install cupy-cuda12x (for CUDA 13: cupy-cuda13x), or "
        "solve on the processor: --backend cpu."
    ),
    "disk_short": N_(
        "The table needs {needed} in {folder}, but only {found} is free. Make room, or choose "
        "another folder with DICECUP_CACHE."
    ),
    "double_not_solvable": N_(
        "{ruleset} can’t be solved. Double-dice games can if they have one column, two layers, at "
        "most 20 boxes, and no boxes that depend on others."
    ),
    "gpu_too_small": N_(
        "The GPU has {found} kB of shared memory, but this needs {needed} kB. Use --precision 32, or "
        "solve on the processor: --backend cpu."
    ),
    "memory_out": N_("There isn’t enough memory. Close other programs, or raise the limit."),
    "memory_short": N_(
        "This needs {needed} of memory, but only {found} is free. Close other programs, or use "
        "--precision 32."
    ),
    "position_of_other_game": N_("The position is from {found}, not from {ruleset}. Name its game."),
    "sheet_impossible": N_("No game can lead to this score sheet. Correct its points."),
    "chances_take_long": N_(
        "The chances of {ruleset} aren’t worked out yet. That takes some minutes. Run once: {command}"
    ),
    "chances_unknown": N_(
        "The best chance of a goal is known only for games with one column and single dice; in {ruleset} "
        "only in the last turns. Leave “--play target” out."
    ),
    "keeps_with_layers": N_(
        "The values of all keeps at once are known only for single dice, not for {ruleset}. Ask for "
        "each keep."
    ),
    "solve_columns": N_(
        "The coach can’t help with {ruleset}: only games with one column are solved exactly, and "
        "nothing has been learned about these rules. Play without the coach."
    ),
    "solve_entangled": N_(
        "{ruleset} can’t be solved exactly: too many of its boxes depend on each other. Remove some "
        "of “after” and “above”."
    ),
    "solve_extension": N_(
        "The coach can’t help with {ruleset}: its values don’t cover {rule}. Play without the coach; the "
        "bots from Random to Steady play this game."
    ),
    "solve_layers": N_(
        "This solver doesn’t handle dice with several layers, as in {ruleset}. Use dicecup.solver.find."
    ),
    "solve_running": N_("Another process is solving this game now ({file}). Wait for it to finish."),
    "solve_takes_long": Plural(
        *ngettext(
            "{ruleset} isn’t solved yet. That takes about {minutes} minute. Run once: {command}",
            "{ruleset} isn’t solved yet. That takes about {minutes} minutes. Run once: {command}",
        ),
        by="minutes",
    ),
    "solve_too_large": N_(
        "The coach can’t help with {ruleset}: with about {states} states it’s too large to solve "
        "exactly, and nothing has been learned about these rules. Play without the coach."
    ),
    "solve_too_large_learned": N_(
        "{ruleset} is too large to solve exactly: it has about {states} states. You don’t need to: "
        "value, hint and review answer at once with learned values that play nearly perfectly."
    ),
    "dask_missing": N_(
        "The packages distributed, numpy and numba aren’t installed. Run: pip install 'dicecup[dask]'"
    ),
    "cluster_unreachable": N_(
        "The scheduler at {address} can’t be reached: {problem}. Check the address, and that it’s running."
    ),
    "cluster_empty": N_("The cluster at {address} has no workers. Start some: dask worker {address}"),
    "executor_cpu_only": N_("Workers solve on their processors. Leave out the backend cuda."),
    "worker_version": N_(
        "A worker has Dicecup {there}, and this program is {here}. Install the same version on every worker."
    ),
    "workers_lost": N_(
        "Workers died or were lost too often to finish. See their logs; most often memory was short."
    ),
    "work_failed": N_(
        "A piece of work failed on a worker: {problem}. Check that every worker has Dicecup installed."
    ),
    "solver_missing": N_("The packages numpy and numba aren’t installed. Run: pip install 'dicecup[solver]'"),
    "table_damaged": N_("The table {file} is cut off or was changed, and isn’t used. Solve again."),
    "table_format": N_(
        "The table {file} has format {found}, but this program reads {expected}. Solve again."
    ),
    "table_of_other_rules": N_(
        "The table {file} belongs to other rules ({ruleset}), and isn’t used. Solve again."
    ),
    "value_not_learnable": N_("Values can’t be learned for {ruleset} yet. Solve it exactly instead."),
    "weights_damaged": N_("The learned values in {file} can’t be read. Reinstall Dicecup."),
    "weights_of_other_rules": N_(
        "The learned values in {file} belong to other rules ({ruleset}). Reinstall Dicecup."
    ),
    # Puzzles
    "mistake_unknown": N_("There’s no such position among your mistakes. Choose another one."),
    "train_one_kind": N_("Train with today’s five or with your mistakes, one at a time."),
    "train_seed_useless": N_("Today’s five and your mistakes aren’t chosen by chance. Leave out --seed."),
    "train_whose": N_("It isn’t clear whose mistakes to train. Add --player with one of: {players}."),
    "puzzle_unknown": N_("There’s no puzzle “{puzzle}”. Choose another one."),
    "puzzles_changed": N_("The puzzles in {file} have been changed or are damaged. Reinstall Dicecup."),
    "puzzles_missing": N_("There are no puzzles for {ruleset}. Choose one of: {known}."),
    # Calls of the API, bots of one's own and environments
    "choice_unknown": N_("That isn’t one of the choices in this position. Choose one of them."),
    "decision_not_due": N_("There’s nothing to decide now. Roll first, or start a new game."),
    "sheet_of_other_game": N_(
        "That score sheet has {found} boxes, but this game has {expected}. Give one of this game."
    ),
    "record_from_position": N_(
        "This game started from a position, so it has no game file. Save or review games that start from "
        "an empty score sheet."
    ),
    "argument_wrong": N_("“{argument}” isn’t valid. Give {expected}."),
    "bot_failed": N_("The bot {bot} failed: {problem}. Correct its code."),
    "bot_from_record": N_(
        "The game file gives a seat to {bot}, which runs its own code. If you trust it, name the players "
        "again: --players {players}"
    ),
    "bot_illegal": N_("The bot {bot} tried an illegal move: {problem}"),
    "bot_no_move": N_("The bot {bot} answered {found}, which isn’t a move. Correct its code."),
    "action_illegal": N_("The action {action} of game {game} isn’t legal. Choose one that the mask allows."),
    "batch_not_possible": N_(
        "{ruleset} can’t be played as thousands of games at once. Use the environment of a single game."
    ),
    "action_unknown": N_("There’s no action {action}. Actions are numbered from 0 to {most}."),
    "actions_too_many": N_(
        "{ruleset} has {count} possible actions, but an environment can have {most}. Choose a smaller game."
    ),
    "bot_not_loaded": N_("The bot {bot} can’t be loaded: {problem}. Name it like package.module:Class."),
    "bot_not_shared": N_(
        "The bot {bot} can’t play on several cores, because worker processes can’t load it: {problem}. "
        "Define it in a module they can import, or play on one core."
    ),
    "bot_without_decide": N_(
        "{bot} isn’t a valid bot. Give an object, not a class, with a method decide(rules, state, chance)."
    ),
    "bot_worker_died": N_(
        "A worker process died while the bot {bot} was playing. Run it on one core to see why."
    ),
}
