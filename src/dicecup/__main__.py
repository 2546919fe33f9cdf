"""The program: `dicecup`, and `python -m dicecup`."""

import sys


def main() -> int:
    """Run the command line. Ctrl-C while it is still being loaded only ends it."""
    try:
        from dicecup.cli.main import INTERRUPTED, main
    except KeyboardInterrupt:
        return 130  # INTERRUPTED is not loaded
    try:
        return main()
    except KeyboardInterrupt:  # before or after what `main` itself watches
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
