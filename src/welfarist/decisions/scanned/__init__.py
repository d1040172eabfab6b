"""Decisions in Parquet files that are read in parts, and never held in memory as a whole."""
