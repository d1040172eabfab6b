"""Who is there: accounts with passwords on a server, one link on one's own machine."""
