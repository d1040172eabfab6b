"""Who is affected: what the people have, and what is known about their weights."""
