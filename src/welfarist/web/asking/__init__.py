"""The respondents' pages, and what happens behind them."""
