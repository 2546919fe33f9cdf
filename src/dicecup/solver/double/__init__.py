"""Games of double dice (a small die inside a large one), solved exactly: two boxes a turn.

`sheet_index` numbers the states between turns, `multisets` the keeps and throws; `game_tables` compiles the
rules into arrays. `turn` solves single turns and, like `cuda`, whole levels of sheets; `solve` runs through
the levels backwards. `packed` stores the result in a megabyte, and `solution` answers from it.
"""
