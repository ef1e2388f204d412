import sys

from benchmarks.ours import worker

worker(*sys.argv[1:])
