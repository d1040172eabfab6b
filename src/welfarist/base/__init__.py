"""What every room stands on: errors, checked numbers, data frames, tables, files, seeds, jobs."""
