"""What a command tells the shell when it ends."""

PROBLEM = 1  # a message says what must hold, what was found and what to do
INTERRUPTED = 130  # what shells report of a program that was stopped from the keyboard
