"""The program: `dicecup`, and `python -m dicecup`."""

import sys


def main() -> int:
    """Run the command line; Ctrl-C while it is still being loaded ends it without a traceback."""
    try:
        from dicecup.cli.main import main
    except KeyboardInterrupt:
        return 130  # cli.main.INTERRUPTED, which could not be loaded
    return main()


if __name__ == "__main__":
    sys.exit(main())
