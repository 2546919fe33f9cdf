"""Games of plain dice and one column, solved exactly.

`components` and `upper_classes` find what must be remembered between turns, `index` numbers the states, and
`kernel_tables` puts the game into flat arrays. `solve` goes backwards through the game, level by level, with
`cpu` or `cuda`; `solution` answers from the finished table.
"""
