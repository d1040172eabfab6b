"""What a command or a page does, without a terminal or a browser.

One module a piece of work: it takes a frozen record of what was asked for, and returns one of what
was found, which knows its forms (a table, a record for programs, a file). Nothing is printed here.
What is wrong with the asking is a `UsageError`; whoever asked puts it into words of their own.
"""
