"""The coach: what every choice is worth, why, and whether a game was lost by luck or by its decisions.

`values` is the one protocol it asks; `knowledge` finds who can answer for a game; `advice` ranks the
choices of a position, `reasons` says what they go for; `review` takes a record apart into luck and skill;
`winning` simulates the rest of a game. It speaks ids and numbers: the interfaces put them into words.
"""
