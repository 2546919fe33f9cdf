"""Games of double dice (a small die inside a large one), solved exactly: two boxes a turn.

`game_tables` numbers the states between turns and compiles the rules into arrays; `multisets` numbers the
keeps and throws. `turn` solves single turns and, like `cuda`, whole levels of sheets; `solve` runs through
the levels backwards and stores the result in a megabyte, and `solution` answers from it.
"""
