"""Files of the solver: tables of values, and what is needed to resume an interrupted solve."""
