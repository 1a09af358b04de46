"""Runs the tests of the page: run.py [NAME…]. `scripts/test-page` calls it."""
import pathlib
import sys
import unittest

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here))

import support  # noqa: E402

loader = unittest.TestLoader()
if sys.argv[1:]:
    loader.testNamePatterns = [f"*{name}*" for name in sys.argv[1:]]
tests = loader.discover(str(here))
try:
    result = unittest.TextTestRunner(verbosity=1).run(tests)
finally:
    support.close()
if not result.testsRun:
    sys.exit("No test matches.")
sys.exit(not result.wasSuccessful())
