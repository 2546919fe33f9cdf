"""`python -m dicecup` is the command line."""

import sys

from dicecup.cli.main import main

sys.exit(main())
