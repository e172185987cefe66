"""`python -m spark_csr`: see `spark_csr._cli`."""

import sys

from spark_csr._cli import main

if __name__ == "__main__":
    sys.exit(main())
