"""The command line as ``python -m welfarist``."""

from welfarist.cli import main

if __name__ == "__main__":
    main()
