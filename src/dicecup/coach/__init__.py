"""The coach: the value of every choice, the reasons, and whether a game was lost by luck or by decisions.

`advice` finds the values of a game and ranks the choices of a position; `reasons` says what a choice aims
for; `review` splits a record into luck and skill; `lessons` finds the habits that cost most; `puzzles` has
positions to practise with; `winning` simulates the rest of a game. The results are ids and numbers: the
interfaces put them into words.
"""
