"""A permanent fuzzer."""
