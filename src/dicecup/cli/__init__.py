"""The command line: a file for a command or two, each loaded only when it is called."""
