"""Games of double dice (a small die inside a large one), solved exactly: two boxes a turn.

`sheets` says what must be remembered between turns, `lattice` how keeps and throws hang together, `points`
what dice give in a box. `turn` works one turn out; `cpu` and `cuda` do it for whole levels of sheets, and
`solve` leads them backwards through the game. `packed` stores the result in a megabyte, `tables` finds it
again, and `solution` answers from it.
"""
