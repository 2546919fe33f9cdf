"""Games of plain dice and one column, solved exactly.

`upper_classes` and `components` (one level up) find the states between turns, `index` numbers them, and
`kernel_tables` compiles the game into flat arrays. `solve` runs through the game backwards, level by level,
with `level_kernels` or `cuda`; `solution` answers from the finished table.
"""
