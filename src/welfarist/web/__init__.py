"""Pages on which studies are set up, answered by invited people, and looked at.

One folder a concern: `accounts` (who is there), `studies` (setting up, inviting), `asking` (the
respondents' pages), `learned`, `explore`, `leaving` (everything that goes out, comes in, or is
deleted). What a page does is a function without a request; views call it and show what it returns.
`models` is what is stored. `deployment` says where and for whom it runs, `settings` what Django
makes of that, `serving` starts it on one's own machine, `wsgi` on a server.
"""
