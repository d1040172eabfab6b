"""What was learned: of one respondent, and over all of them."""
