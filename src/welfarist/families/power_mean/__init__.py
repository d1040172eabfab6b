"""The weighted power mean: values, derivatives, limits and the named powers."""
